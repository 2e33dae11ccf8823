"""Enclosing what is known to be positive: the last digits of the floats are not chased."""

from __future__ import annotations

from collections.abc import Callable

from dpcompose.numerics.enclosure import Ball, Enclosure, enclose

_TIGHT, _TINY = 2.0**-50, 1e-300


def enclose_probability(formula: Callable[[], Ball], bits: int = 96) -> Enclosure:
    """Enclose a number of [0, 1] to 15 digits, or to what one evaluation gives where it is below 1e-300.

    Down there the floats themselves have few digits left, so no precision would meet a relative gap.
    """
    found = enclose(formula, gap=0.5, bits=bits)
    if found.gap > _TIGHT and found.upper > _TINY:
        found = enclose(formula, gap=_TIGHT, bits=2 * bits)
    return Enclosure(max(found.lower, 0.0), min(max(found.upper, 0.0), 1.0))


__all__ = ["enclose_probability"]
