"""Real values on a declared grid: a range stated by the user, in whole numbers of steps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import LEAST, exact, short
from dpcompose.spec.numbers import AsWritten

MOST_STEPS = 10**9
STEPS = 1000


@dataclass(frozen=True, slots=True)
class Grid:
    """The points first·step, …, last·step; a value is clipped to the range and rounded to the nearest point."""

    step: Fraction
    first: int
    last: int

    @property
    def most(self) -> int:
        """The index of the last point; the first has index 0."""
        return self.last - self.first

    @property
    def middle(self) -> int:
        """The index of a middle point."""
        return self.most // 2

    def point(self, index: Real) -> Fraction:
        """The value at an index, which may lie between or beyond the points."""
        return (self.first + Fraction(index)) * self.step

    def __str__(self) -> str:
        low, high, step = (float(x) for x in (self.point(0), self.point(self.most), self.step))
        return f"clipped to [{short(low)}, {short(high)}] in steps of {short(step)}"


def declared(lower: Real, upper: Real, step: Real | None) -> Grid:
    """The grid of a declared range; by default its step is a thousandth of the range."""
    low, high = Fraction(exact("lower", lower)), Fraction(exact("upper", upper))
    if not low < high:
        raise InvalidParameter("upper", AsWritten(short(high)), f"a number above lower = {short(low)}")
    width = (high - low) / STEPS if step is None else Fraction(exact("grid", step))
    if not LEAST <= width <= high - low:
        raise InvalidParameter("grid", float(width), f"a positive step, at most the range {short(high - low)}")
    grid = Grid(width, ceil(low / width), floor(high / width))
    if grid.most > MOST_STEPS or max(abs(grid.first), abs(grid.last)) > MOST_STEPS:
        raise InvalidParameter(
            "grid", float(width), f"a coarser step: at most {short(MOST_STEPS)} of them reach from 0 to the ends"
        )
    if grid.most < 1:
        raise InvalidParameter("grid", float(width), "a step with at least two multiples in the range")
    return grid


__all__ = ["Grid", "declared"]
