"""Results → text, JSON, HTML, CSV, BibTeX and pandas. One function a form; each takes any result.

Read `words` and `sheet` (what every form is made of), then `text`, `plain`, `page`, `table` and `proof`, a form each;
`readings`, `rates`, `calibrated`, `cards` and `numerics` are sheets of results.
"""

from dpcompose.report import calibrated, rates
from dpcompose.report.cards import card, card_sheet, cards
from dpcompose.report.numerics import numerics
from dpcompose.report.page import html, page
from dpcompose.report.plain import plain, to_json
from dpcompose.report.proof import bibtex, explain
from dpcompose.report.readings import growth, profile, risk
from dpcompose.report.sheet import Sheet, Table, sheet
from dpcompose.report.table import frame, to_csv
from dpcompose.report.text import in_digits, text
from dpcompose.report.words import shortened, subject, wrapped

_REGISTERED = (calibrated, rates)
"""Importing them is what tells how their results read."""

__all__ = [
    "Sheet",
    "Table",
    "bibtex",
    "card",
    "card_sheet",
    "cards",
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
