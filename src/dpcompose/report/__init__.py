"""Results → text, JSON, HTML, CSV, BibTeX and pandas. One function a form; each takes any result."""

from dpcompose.report.cards import card, cards
from dpcompose.report.page import html, page
from dpcompose.report.plain import plain, to_json
from dpcompose.report.proof import bibtex, explain
from dpcompose.report.table import frame, to_csv
from dpcompose.report.text import text
from dpcompose.report.words import subject, wrapped

__all__ = [
    "bibtex",
    "card",
    "cards",
    "explain",
    "frame",
    "html",
    "page",
    "plain",
    "subject",
    "text",
    "to_csv",
    "to_json",
    "wrapped",
]
