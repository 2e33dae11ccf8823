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


def turn(_app: Sphinx, name: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """Set the Arabic pages from right to left."""
    if name.startswith(RIGHT_TO_LEFT) and "body" in context:
        context["body"] = f'<div lang="ar" dir="rtl">{context["body"]}</div>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Look at every page after it is read, and before it is written."""
    app.connect("doctree-resolved", mark_columns)
    app.connect("html-page-context", turn)
    app.add_css_file("house.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
