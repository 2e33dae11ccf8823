"""Budgets as sheets: what is spent of each coordinate, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from dpcompose.numerics.enclosure import rounded
from dpcompose.report.sheet import Sheet, Table

SYMBOLS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "mu_squared": "μ²"}


@runtime_checkable
class Spending(Protocol):
    """A budget; each coordinate has the amount spent, alone or with its cap."""

    @property
    def used(self) -> Mapping[str, Any]:
        """What is spent."""


def spending(result: Spending) -> Sheet:
    """What is spent, and what is left."""
    said = tuple(filter(None, (repr(result), str(getattr(result, "guarantee", "")))))
    return Sheet("dpc.budget/1", said, (Table(("", "spent", "left", "of"), tuple(_rows(result))),))


def _rows(result: Spending) -> Iterator[tuple[str, str, str, str]]:
    left = getattr(result, "left", {})
    for name, spent in result.used.items():
        used, cap = spent if isinstance(spent, tuple) else (spent, Fraction(spent) + Fraction(left.get(name, 0)))
        free = rounded(Fraction(cap) - Fraction(used), ROUND_FLOOR)
        yield SYMBOLS.get(name, name), rounded(used, ROUND_CEILING), free, rounded(cap, ROUND_FLOOR)


__all__ = ["Spending", "spending"]
