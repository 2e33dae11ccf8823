"""What is declared in texts, read exactly: the caps of an account, and short lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcompose import spec
from dpcompose.ledger.requests import text
from dpcompose.parameters import DELTA, EPSILON

CAPS = {"epsilon": EPSILON, "delta": DELTA, "leak": DELTA}
MOST_COMMAS = 100
"""Commas at which a list of orders is split: what stands after the last of them is refused as no number."""


def caps(said: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of epsilon, delta, leak and orders, as far as they are stated."""
    stated = {name: said[name] for name in CAPS if said.get(name) is not None}
    found: dict[str, Any] = {name: spec.within(name, written, CAPS[name]) for name, written in stated.items()}
    if said.get("orders"):
        found["orders"] = [spec.number("orders", order) for order in str(said["orders"]).split(",", MOST_COMMAS)]
    return found


def line(name: str, value: str) -> str:
    """A short line of printable text, as every name in a book is."""
    return text(name, value)


__all__ = ["caps", "line"]
