"""Results → text, JSON, HTML, CSV, BibTeX and pandas. One function a form; each takes any result.

Read `words` and `sheet` (what every form is made of), then `text`, `data`, `pages`, `table` and `proof`, a form each;
`readings`, `rates`, `sweeps`, `calibrated`, `formulas`, `notebook`, `spending` and `lines` are sheets of results.
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
"""Which file holds a name: a form is read when it is asked for, and whoever wants text pays for no page.

None of these files goes by a name that is found here.
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
