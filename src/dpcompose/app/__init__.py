"""The use cases: a request comes in as text, and a reply goes out that can be shown in every form.

Nothing here touches a screen or a socket; callers hand in what the outside provides.

Read `reading` (what comes in) and `reply` (what goes out) first, then `questions`, `attackers`, `inverse` and `noise`;
`shelf`, `listing` and `neighbours` look things up, `fields` and `plans` fill a form. `releases` (with
`release_options`, `release_prices`, `release_sheets` and `charging`), `budget`, `ledger` and `books` spend.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpcompose.lazily import loaded

if TYPE_CHECKING:
    from dpcompose.app.attackers import beta, check, region, risk
    from dpcompose.app.inverse import LIMITS, audit, calibrate, calibrate_text
    from dpcompose.app.listing import mechanisms
    from dpcompose.app.neighbours import convert, referee
    from dpcompose.app.noise import advise, share
    from dpcompose.app.questions import FEW, compare, delta, epsilon, explain, growth, profile, renyi
    from dpcompose.app.reading import Document, Exact, digits, exactly, load
    from dpcompose.app.reply import Reply, picture
    from dpcompose.app.shelf import (
        cards,
        describe_card,
        document,
        expression,
        formula,
        list_cards,
        schema,
        theorems,
        typeset,
    )

HOMES = {
    "attackers": ("beta", "check", "region", "risk"),
    "inverse": ("LIMITS", "audit", "calibrate", "calibrate_text"),
    "neighbours": ("convert", "referee"),
    "noise": ("advise", "share"),
    "listing": ("mechanisms",),
    "questions": ("FEW", "compare", "delta", "epsilon", "explain", "growth", "profile", "renyi"),
    "reading": ("Document", "Exact", "digits", "exactly", "load"),
    "reply": ("Reply", "picture"),
    "shelf": (
        "cards",
        "describe_card",
        "document",
        "expression",
        "formula",
        "list_cards",
        "schema",
        "theorems",
        "typeset",
    ),
}
__getattr__ = loaded(__name__, HOMES)

__all__ = [
    "FEW",
    "LIMITS",
    "Document",
    "Exact",
    "Reply",
    "advise",
    "audit",
    "beta",
    "calibrate",
    "calibrate_text",
    "cards",
    "check",
    "compare",
    "convert",
    "delta",
    "describe_card",
    "digits",
    "document",
    "epsilon",
    "exactly",
    "explain",
    "expression",
    "formula",
    "growth",
    "list_cards",
    "load",
    "mechanisms",
    "picture",
    "profile",
    "referee",
    "region",
    "renyi",
    "risk",
    "schema",
    "share",
    "theorems",
    "typeset",
]
