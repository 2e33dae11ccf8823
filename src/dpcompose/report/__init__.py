"""Results → text, JSON, HTML, CSV, BibTeX and pandas. One function a form; each takes any result.

Read `words` and `sheet` (what every form is made of), then `text`, `plain`, `page`, `table` and `proof`, a form each;
`readings`, `rates`, `sweeps`, `calibrated`, `cards`, `notebook`, `spending` and `lines` are sheets of results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.lazily import loaded
from dpcompose.report.cards import card, card_sheet, cards
from dpcompose.report.page import html, page
from dpcompose.report.plain import plain, to_json
from dpcompose.report.proof import bibtex, explain
from dpcompose.report.readings import growth, profile, risk
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.report.table import frame, to_csv
from dpcompose.report.text import compared, in_digits, text
from dpcompose.report.words import shortened, subject, wrapped

if TYPE_CHECKING:
    from dpcompose.report.lines import numerics

__getattr__ = loaded(__name__, {"lines": ("numerics",)})
"""To draw a line again takes the whole engine."""

__all__ = [
    "Sheet",
    "Table",
    "bibtex",
    "card",
    "card_sheet",
    "cards",
    "compared",
    "explain",
    "frame",
    "growth",
    "html",
    "in_digits",
    "numerics",
    "page",
    "plain",
    "profile",
    "risk",
    "sheet",
    "shortened",
    "subject",
    "text",
    "to_csv",
    "to_json",
    "wrapped",
]
