"""Results as text, JSON, HTML, CSV, BibTeX and pandas: one function for each form, which takes any result.

Read `words` and `sheet` (what every form is made of), then the forms `text`, `data`, `pages`, `table` and `proof`;
`readings`, `rates`, `sweeps`, `calibrated`, `formulas`, `notebook`, `spending` and `lines` lay out the results, and
`latex` and `mathml` typeset formulas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.lazily import loaded
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.report.text import compared, in_digits, text
from dpcompose.report.words import shortened, subject, wrapped

if TYPE_CHECKING:
    from dpcompose.report.data import plain, to_json
    from dpcompose.report.formulas import card, card_sheet, cards
    from dpcompose.report.lines import numerics
    from dpcompose.report.pages import html, page
    from dpcompose.report.proof import bibtex, explain
    from dpcompose.report.readings import growth, profile, risk
    from dpcompose.report.table import frame, to_csv

HOMES = {
    "data": ("plain", "to_json"),
    "formulas": ("card", "card_sheet", "cards"),
    "lines": ("numerics",),
    "pages": ("html", "page"),
    "proof": ("bibtex", "explain"),
    "readings": ("growth", "profile", "risk"),
    "table": ("frame", "to_csv"),
}
"""The module of each name: a form is imported when it is asked for, so that text does not pay for pages.

No module has the name of something found here.
"""

__getattr__ = loaded(__name__, HOMES)

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
