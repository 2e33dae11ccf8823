"""What the pages look like beyond their theme: which code is set in columns, and which pages run from right to left."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

COLUMNS = re.compile(r"\S {2,}\S")
"""Two words on one line with more than one space between them: a column begins."""
FEW = 3
SHOWING = frozenset({"text", "python", "pycon", "console"})
"""The languages of blocks that may show what a program printed."""
RIGHT_TO_LEFT = "ar/"
OPENING = re.compile(r"[(\[“‘«]+$")
CLOSING = re.compile(r"[,.;:!?)\]”’»%-]\S{0,8}")
UNBROKEN = re.compile(r"(?:\S+ )?[=≤≥] \S+|\(ε, δ\)\S*|\S*\de-\d+\S*|\S+ •")
"""What no line may break: an equation in plain text, a pair, a power of ten, a word and its mark."""
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
LISTING = re.compile(r"<pre>.*?</pre>", re.DOTALL)
NAME = re.compile(r'(?<=<span class="pre">)[^<]+')
JOINT = re.compile(r"(?<=[\w)])([._/])(?=[^\W\d_])")
PICTURE = re.compile(r'<img [^>]*src="([^"]+)"[^>]*>')
ARABIC = re.compile(r"[\u0600-\u06ff]")


def in_columns(text: str, language: str) -> bool:
    """Whether a block shows something in columns, which wrapping would take apart. Source code may be wrapped."""
    if language not in SHOWING or (language == "python" and ">>>" not in text):
        return False
    said = [line for line in text.splitlines() if not line.startswith((">>>", "...", "$")) and "  #" not in line]
    return sum(bool(COLUMNS.search(line)) for line in said) >= FEW


def mark_columns(_app: Sphinx, document: nodes.document, _name: str) -> None:
    """Let a narrow screen scroll what is set in columns, and wrap all other code."""
    for block in document.findall(nodes.literal_block):
        if in_columns(block.astext(), block.get("language", "")):
            block["classes"].append("tabular")


def keep_together(_app: Sphinx, document: nodes.document, _name: str) -> None:
    """Let no line begin with the comma after a formula, or end with the bracket before it."""
    for formula in list(document.findall(nodes.math)):
        before, after = neighbour(formula, -1), neighbour(formula, 1)
        opening = OPENING.search(before.astext()) if before else None
        closing = CLOSING.match(after.astext()) if after else None
        if not (opening or closing):
            continue
        together = nodes.inline(classes=["together"])
        formula.replace_self(together)
        if before and opening:
            swap(before, nodes.Text(before.astext()[: opening.start()]))
            together += nodes.Text(opening[0])
        together += formula
        if after and closing:
            swap(after, nodes.Text(after.astext()[closing.end() :]))
            together += nodes.Text(closing[0])


def keep_whole(_app: Sphinx, document: nodes.document, _name: str) -> None:
    """Let no line break inside of what is read as one: `δ = 1e-6`, `(ε, δ)`, `--delta`."""
    for text in list(document.findall(nodes.Text)):
        said, parent = text.astext(), text.parent
        if isinstance(parent, nodes.literal):
            parent["classes"] += ["option"] if OPTION.match(said) else []
        elif not isinstance(parent, nodes.FixedTextElement | nodes.math) and UNBROKEN.search(said):
            pieces: list[nodes.Node] = []
            for found, rest in zip([*UNBROKEN.findall(said), ""], UNBROKEN.split(said), strict=True):
                pieces += [nodes.Text(rest), nodes.inline("", found, classes=["together"])]
            swap(text, *pieces[:-1])


def mark_arabic(_app: Sphinx, document: nodes.document, _name: str) -> None:
    """Let a cell in Arabic run from right to left, also in a table that does not."""
    for cell in document.findall(nodes.entry):
        if ARABIC.match(cell.astext()):
            cell["classes"].append("arabic")


def swap(text: nodes.Text, *others: nodes.Node) -> None:
    """Put others in the place of this very text; docutils would take the first that reads the same."""
    place = next(i for i, child in enumerate(text.parent.children) if child is text)
    text.parent[place : place + 1] = others


def neighbour(node: nodes.Node, step: int) -> nodes.Text | None:
    """The text right before or after a node."""
    index = node.parent.index(node) + step
    found = node.parent[index] if 0 <= index < len(node.parent) else None
    return found if isinstance(found, nodes.Text) else None


def turn(_app: Sphinx, name: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Set what the writer wrote: long names break at their joints, pictures open, Arabic runs from right to left."""
    if "body" not in context:
        return
    body = LISTING.sub(lambda found: OPTION.sub(r'<span class="option">\g<0></span>', found[0]), context["body"])
    body = NAME.sub(lambda found: JOINT.sub(r"\1<wbr>", found[0]), body)
    body = PICTURE.sub(r'<a class="picture" href="\1">\g<0></a>', body)
    context["body"] = f'<div lang="ar" dir="rtl">{body}</div>' if name.startswith(RIGHT_TO_LEFT) else body


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page after it is read, and before it is written."""
    app.connect("doctree-resolved", mark_columns)
    app.connect("doctree-resolved", keep_together)
    app.connect("doctree-resolved", keep_whole)
    app.connect("doctree-resolved", mark_arabic)
    app.connect("html-page-context", turn)
    app.add_css_file("house.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
