"""Render mathematics as MathML, which browsers draw themselves: no script, no font, no other host.

The converter is docutils' own. A command it does not know is a warning, hence a failed build: so
every statement in the library is proved to be readable.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

LOGGER = logging.getLogger(__name__)

# What TeX reads and the converter does not, in words that both read.
REWRITTEN = [
    (re.compile(r"\\dots(?![a-zA-Z])"), r"\\ldots"),
    (re.compile(r"\\([dt]?frac)\s*(\d)\s*(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\(?:textstyle|displaystyle|middle|[bB]igg?)(?![a-zA-Z])\s*"), ""),
]


def mathml(node: nodes.math | nodes.math_block, *, as_block: bool) -> str:
    """The formula as MathML; its source, with a warning, where it cannot be read."""
    text = node.astext()
    for pattern, plain in REWRITTEN:
        text = pattern.sub(plain, text)
    try:
        return str(tex2mathml(text, as_block=as_block))
    except MathError as error:
        LOGGER.warning("cannot draw %r: %s", node.astext(), error, location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    """A formula inside a sentence."""
    writer.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def display(writer: HTML5Translator, node: nodes.math_block) -> None:
    """A formula on a line of its own."""
    writer.body.append(f'<div class="math">{mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer to Sphinx under the name `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
