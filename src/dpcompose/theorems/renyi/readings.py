"""A Rényi curve for each way to read a pair: in either order, with the record in either input."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from dpcompose.notions import Curve, Divergence
from dpcompose.numerics.enclosure import Ball, Real

READINGS = 4


@dataclass(frozen=True, slots=True)
class Largest(Curve):
    """The largest of several divergences at every order."""

    readings: tuple[Divergence, ...]

    def at(self, order: Real) -> Ball:
        """The largest."""
        first, *rest = (curve.at(order) for curve in self.readings)
        for found in rest:
            first = first.max(found)
        return first

    def guess(self, order: float) -> float:
        """The largest, in floats."""
        return max(curve.guess(order) for curve in self.readings)


@dataclass(frozen=True, slots=True)
class Same(Curve):
    """A divergence that every reading is known to have, or that a part may face so as to reach."""

    reading: Divergence

    def at(self, order: Real) -> Ball:
        """The divergence."""
        return self.reading.at(order)

    def guess(self, order: float) -> float:
        """The divergence, in floats."""
        return self.reading.guess(order)


@dataclass(frozen=True)  # no slots: the largest is found once
class FourReadings(Curve):
    """First against second input and second against first, the record being in the first; then in the second.

    A whole is read in one way throughout, so sums are formed reading by reading, and the largest counts.
    """

    readings: tuple[Divergence, Divergence, Divergence, Divergence]
    leading: int | None = None
    """The reading that is the largest at every order, where one is known to be."""

    def facing_either_way(self) -> Curve:
        """The largest of the four."""
        return self._largest

    @cached_property
    def _largest(self) -> Curve:
        return (
            Largest(tuple(dict.fromkeys(self.readings))) if self.leading is None else Same(self.readings[self.leading])
        )

    def at(self, order: Real) -> Ball:
        """The largest divergence."""
        return self.facing_either_way().at(order)

    def guess(self, order: float) -> float:
        """The largest, in floats."""
        return self.facing_either_way().guess(order)


def both_ways(forward: Divergence, backward: Divergence) -> Curve:
    """A pair that is the same wherever the record is."""
    return Same(forward) if forward == backward else FourReadings((forward, backward, forward, backward))


def reading(curve: Curve, index: int) -> Divergence:
    """One reading of a curve; one that holds in every reading is its own."""
    return curve.readings[index] if isinstance(curve, FourReadings) else curve


def undecided(curve: Curve) -> bool:
    """Whether the largest reading depends on the order, or on what the curve is added to."""
    return isinstance(curve, FourReadings) and curve.leading is None


__all__ = ["READINGS", "FourReadings", "Largest", "Same", "both_ways", "reading", "undecided"]
