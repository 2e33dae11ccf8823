"""Accounts, grants and entries as documents for programs and pages."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any

from dpcompose import spec
from dpcompose.ledger import Account, Entry, Grant, Quote, Verdict
from dpcompose.numerics.enclosure import rounded


def exact(values: Mapping[str, Fraction]) -> dict[str, str]:
    """Exact numbers as texts."""
    return {name: spec.written(value) for name, value in values.items()}


def account(found: Account, parent: str | None) -> dict[str, Any]:
    """An account: whom it hides, what it promises, and how much is left."""
    used, left, rule = found.used, found.left, found.rule
    return {
        "schema": "dpc.account/1",
        "account": found.name,
        "parent": parent,
        "mode": found.mode,
        "unit": found.unit,
        "adjacency": found.adjacency.value,
        "dataset": found.dataset,
        "filter": rule.document().get("filter"),
        "guarantee": [spec.written(x) for x in found.guarantee],
        "claim": f"{found.guarantee}",
        "left": exact(left),
        "coordinates": [
            {
                "name": name,
                "used": rounded(used[name], ROUND_CEILING),
                "left": rounded(left[name], ROUND_FLOOR),
                "cap": rounded(used[name] + left[name], ROUND_FLOOR),
                "share": _share(used[name], used[name] + left[name]),
            }
            for name in rule.coordinates
        ],
    }


def _share(used: Fraction, cap: Fraction) -> float:
    """The share of a cap that is used, from 0 to 1, for drawing a bar; a float without any promise."""
    return min(1.0, float(used / cap)) if cap else float(bool(used))


def grant(found: Grant) -> dict[str, Any]:
    """A grant: its state, and what it cost."""
    return {"schema": "dpc.grant/1", "account": found.account.name, **charged(found)}


def charged(found: Grant) -> dict[str, Any]:
    """What stands under the key of a grant."""
    return {
        "key": found.key,
        "state": str(found.state),
        "fresh": found.fresh,
        "at": found.at,
        "cost": exact(found.cost),
        "answer": found.answer,
    }


def quote(found: Quote, why: str, remaining: int) -> dict[str, Any]:
    """A quote: whether it fits and why, how often, what it costs, and what is left."""
    said = {"fits": found.fits, "why": why, "remaining": remaining}
    return {**said, "cost": exact(found.cost), "left": exact(found.left)}


def verdict(found: Verdict, most: int | None = None) -> dict[str, Any]:
    """A verdict on a book, with at most so many of its problems."""
    said = {"holds": found.holds, "entries": found.entries, "problems": list(found.problems)[:most]}
    return {**said, "recomputed": found.recomputed, "read_again": found.read_again}


def acknowledged(said: Sequence[str]) -> dict[str, Any]:
    """What a restored backup had forgotten, in sentences."""
    return {"said": list(said or ("Nothing is missing.",))}


def entry(found: Entry, reached: Container[str] | None) -> dict[str, Any]:
    """An entry of the log, with its mechanism also as an expression, and only the charges to accounts within reach."""
    document = {name: value for name, value in found.document.items() if name != "token"}
    if reached is not None and "charges" in document:
        document["charges"] = [charge for charge in document["charges"] if charge["account"] in reached]
    said = {"mechanism": found.mechanism} if found.mechanism else {}
    return {**document, "hash": found.hash, **said}


__all__ = ["account", "acknowledged", "charged", "entry", "exact", "grant", "quote", "verdict"]
