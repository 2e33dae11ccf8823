"""Statements for a browser: formulas as MathML, which browsers display without scripts or fonts."""

from __future__ import annotations

import html
import re

# What TeX reads and the converter does not, in words that both read.
REWRITTEN = [
    (re.compile(r"\\dots(?![a-zA-Z])"), r"\\ldots"),
    (re.compile(r"\\([dt]?frac)\s*(\d)\s*(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\(?:textstyle|displaystyle|middle|[bB]igg?)(?![a-zA-Z])\s*"), ""),
]
FORMULA = re.compile(r"\$\$(?P<display>.+?)\$\$|\$(?P<inline>.+?)\$|`(?P<code>[^`]+)`", re.DOTALL)


def mathml(formula: str, *, display: bool = False) -> str:
    """One formula. Raises `MathError`, from docutils' converter, if it cannot be read."""
    from docutils.utils.math.latex2mathml import tex2mathml

    for pattern, plain in REWRITTEN:
        formula = pattern.sub(plain, formula)
    return str(tex2mathml(formula, as_block=display))


def statement(text: str) -> str:
    """A statement in HTML: sentences with their formulas, everything else escaped."""
    pieces, end = [], 0
    for found in FORMULA.finditer(text):
        pieces += [html.escape(text[end : found.start()]), _formula(found)]
        end = found.end()
    return "".join([*pieces, html.escape(text[end:])])


def _formula(found: re.Match[str]) -> str:
    if found["code"]:
        return f"<code>{html.escape(found['code'])}</code>"
    return mathml(found["display"] or found["inline"], display=bool(found["display"]))
