"""The use cases: a request comes in as text, a reply goes out that can be shown in every form.

Nothing here touches a screen or a socket: what is outside is handed in.

Read `reading` (what comes in) and `reply` (what goes out) first, then `questions`, `inverse` and `noise`; `shelf`
and `neighbours` look things up. `releases` (with `release_options`, `release_sheets` and `charging`) and `ledger`
spend.
"""

from __future__ import annotations

from dpcompose.app.inverse import LIMITS, audit, calibrate, calibrate_text
from dpcompose.app.neighbours import convert, referee
from dpcompose.app.noise import advise, share
from dpcompose.app.questions import (
    FEW,
    beta,
    check,
    compare,
    delta,
    epsilon,
    explain,
    growth,
    profile,
    region,
    renyi,
    risk,
)
from dpcompose.app.reading import Document, Exact, exactly, load
from dpcompose.app.reply import Reply, digits, picture
from dpcompose.app.shelf import cards, describe_card, document, formula, list_cards, schema, theorems

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
    "formula",
    "growth",
    "list_cards",
    "load",
    "picture",
    "profile",
    "referee",
    "region",
    "renyi",
    "risk",
    "schema",
    "share",
    "theorems",
]
