"""Render mathematics as MathML, which browsers draw themselves in the font that is shipped: no script, no other host.

The converter is docutils' own. A command it does not know is a warning, hence a failed build: so
every statement in the library is proved to be readable. What a typesetter does beyond conversion is
done here: primes stand right, names of functions stand off, and a formula may break after a relation.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)
SPACE = "http://www.w3.org/1998/Math/MathML"
ET.register_namespace("", SPACE)

# What TeX reads and the converter does not, in words that both read.
REWRITTEN = [
    (re.compile(r"\\dots(?![a-zA-Z])"), r"\\ldots"),
    (re.compile(r"\\([dt]?frac)\s*(\d)\s*(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\(?:textstyle|displaystyle|middle|[bB]igg?)(?![a-zA-Z])\s*"), ""),
    (re.compile(r"(?<=\d),(?=\d)"), r",{}"),
]
NAMED = re.compile(r"&(?!lt;|gt;|amp;|quot;)(\w+);")
RELATIONS = frozenset("=<>≤≥≈≠∈∉⊂⊆→←↦∼≡⊢∝⇒⇔≪≫≲≳,;")
SIGNS = frozenset("+−±⋅×")
OPENING, CLOSING = frozenset("([{⌊⌈⟨"), frozenset(")]}⌋⌉⟩")
BARS = frozenset("|‖")
ENDING = CLOSING | BARS | frozenset("'!")
LARGE = frozenset("∑∏∫")
MARKS = {"'": "\N{PRIME}", "*": "\N{ASTERISK OPERATOR}", "|": "|", "‖": "‖", "/": "/"}
"""Signs that stand close to what they belong to, and as what a math font draws them at the right height."""
SCRIPTED = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
TIGHT = {"lspace": "0", "rspace": "0"}
THIN = "0.167em"
APPLIED = "\N{FUNCTION APPLICATION}"
SHORT = 14
"""A formula in a sentence with at most so many letters is not broken."""


def mathml(node: nodes.math | nodes.math_block, *, as_block: bool) -> str:
    """The formula as MathML; its source, with a warning, where it cannot be read."""
    text = node.astext()
    for pattern, plain in REWRITTEN:
        text = pattern.sub(plain, text)
    try:
        found = str(tex2mathml(text, as_block=as_block))
    except MathError as error:
        LOGGER.warning("cannot draw %r: %s", node.astext(), error, location=node)
        return f"<code>{html.escape(node.astext())}</code>"
    formula = ET.fromstring(NAMED.sub(lambda name: html.unescape(name[0]), found))  # noqa: S314 - our own
    for row in list(formula.iter()):
        if row.text in MARKS:
            row.attrib |= TIGHT | ({"stretchy": "false"} if row.text == "‖" else {})
            row.text = MARKS[row.text]
        if kind(row) in SCRIPTED:
            for sign in (sign for script in row[1:] for sign in script.iter(f"{{{SPACE}}}mo")):
                sign.attrib |= TIGHT
        else:
            row[:] = spaced(list(row))
    breakable = as_block or len("".join(formula.itertext()).split()) > SHORT
    return "<wbr>".join(written(piece, as_block=as_block) for piece in pieces(list(formula), breakable=breakable))


def written(children: list[ET.Element], *, as_block: bool) -> str:
    """One piece of a formula; a displayed one keeps its size on the line."""
    formula = ET.Element(f"{{{SPACE}}}math", {"displaystyle": "true"} if as_block else {})
    formula.extend(children)
    for element in formula.iter():
        element.tail = None
        if len(element):
            element.text = None
    return ET.tostring(formula, encoding="unicode", short_empty_elements=False)


def kind(element: ET.Element) -> str:
    """What an element is, without its namespace."""
    return element.tag.rpartition("}")[2]


def is_mark(element: ET.Element, marks: frozenset[str]) -> bool:
    """Whether an element is an operator among these."""
    return kind(element) == "mo" and (element.text or "") in marks


def spaced(children: list[ET.Element]) -> list[ET.Element]:
    """Room as TeX gives it: names of functions stand off, and no room before what has nothing on its left."""
    found: list[ET.Element] = []
    for index, child in enumerate(children):
        mark = (found[-1].text or "") if found and kind(found[-1]) == "mo" else None
        first = not found or (mark is not None and mark not in ENDING)
        following = children[index + 1] if index + 1 < len(children) else None
        bare = following is not None and not is_mark(opening(following), OPENING | RELATIONS)
        applied = following is not None and following.text == APPLIED
        sign = base(child)
        word = len(sign.text or "") > 1 and (sign.text or "").isalpha()
        if not first and mark not in BARS and (applied or (word and kind(child) in SCRIPTED and kind(sign) == "mi")):
            found.append(thin())
        if kind(sign) == "mo" and word:
            sign.attrib |= {"lspace": "0" if first else THIN, "rspace": THIN if bare else "0"}
        elif first and is_mark(sign, SIGNS):
            sign.set("form", "prefix")
        elif first and is_mark(sign, LARGE):
            sign.set("lspace", "0")
        found.append(child)
        if bare and (child.text == APPLIED or (word and kind(child) in SCRIPTED and kind(sign) == "mi")):
            found.append(thin())
    return found


def base(element: ET.Element) -> ET.Element:
    """What carries the indices and exponents of an element."""
    return base(element[0]) if len(element) and kind(element) in SCRIPTED else element


def opening(element: ET.Element) -> ET.Element:
    """What a reader meets first in an element."""
    return opening(element[0]) if len(element) and kind(element) == "mrow" else element


def thin() -> ET.Element:
    """A thin space."""
    return ET.Element(f"{{{SPACE}}}mspace", {"width": THIN})


def pieces(children: list[ET.Element], *, breakable: bool) -> Iterator[list[ET.Element]]:
    """Where a formula may break: after a relation, a comma or a sign that stands in no bracket."""
    piece: list[ET.Element] = []
    depth = 0
    for index, child in enumerate(children):
        piece.append(child)
        depth += is_mark(child, OPENING) - is_mark(child, CLOSING)
        two_sided = is_mark(child, RELATIONS) or (is_mark(child, SIGNS) and len(piece) > 1)
        if breakable and depth == 0 and two_sided and index + 1 < len(children):
            child.set("form", "infix")
            yield piece
            piece = []
    yield piece


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """A formula inside a sentence."""
    writer.body.append(f'<span class="math">{mathml(node, as_block=False)}</span>')
    raise nodes.SkipNode


def display(writer: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    writer.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer to Sphinx under the name `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
