"""A Rényi curve for each way to read a pair: in either order, with the record in either input."""

from __future__ import annotations

from dataclasses import dataclass

from dpcompose.notions import Curve
from dpcompose.numerics.enclosure import Ball, Real

READINGS = 4


@dataclass(frozen=True, slots=True)
class Facing(Curve):
    """First against second input and second against first, the record being in the first; then in the second.

    A whole is read in one way throughout, so sums are formed reading by reading, and the largest counts.
    """

    readings: tuple[Curve, Curve, Curve, Curve]
    leader: Curve | None = None
    """The largest of the four at every order, where one is known to be."""

    def at(self, order: Real) -> Ball:
        """The largest divergence."""
        if self.leader is not None:
            return self.leader.at(order)
        first, *rest = (curve.at(order) for curve in dict.fromkeys(self.readings))
        for found in rest:
            first = first.max(found)
        return first

    def guess(self, order: float) -> float:
        """The largest, in floats."""
        if self.leader is not None:
            return self.leader.guess(order)
        return max(curve.guess(order) for curve in dict.fromkeys(self.readings))


def both_ways(forward: Curve, backward: Curve) -> Curve:
    """A pair that is the same wherever the record is."""
    return forward if forward == backward else Facing((forward, backward, forward, backward))


def reading(curve: Curve, index: int) -> Curve:
    """The curve of one reading; one that holds in every reading is its own."""
    return curve.readings[index] if isinstance(curve, Facing) else curve


def undecided(curve: Curve) -> bool:
    """Whether the largest reading depends on the order, or on what the curve is added to."""
    return isinstance(curve, Facing) and curve.leader is None


def largest(curve: Curve) -> Curve:
    """The reading that is the largest, where that is decided."""
    return curve.leader if isinstance(curve, Facing) and curve.leader is not None else curve


__all__ = ["READINGS", "Facing", "both_ways", "largest", "reading", "undecided"]
