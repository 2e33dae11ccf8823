"""Counts, sums, means and variances: the sums that each needs, and the estimate that follows from them.

A unit with more rows than allowed counts as `max_rows` rows with the mean of its values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.release.ask.contributions import CentredSum
from dpcompose.release.ask.grids import Grid, declared
from dpcompose.release.ask.queries import NoisySums
from dpcompose.release.ask.result import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(NoisySums):
    """The number of rows or (with one row for each unit, the default) of units."""

    statistic: ClassVar[str] = "count"

    @property
    def tallies(self) -> Mapping[str, CentredSum]:
        """The count."""
        return {"count": CentredSum()}

    def estimated(self, noisy: Sequence[int], margins: Sequence[int]) -> Estimate:
        """The noisy count; its interval contains no negative numbers."""
        (count,), (margin,) = noisy, margins
        return Estimate(count, max(count - margin, 0), max(count + margin, 0), self.confidence)

    def __str__(self) -> str:
        return self._asked("count")


@dataclass(frozen=True, slots=True, kw_only=True)
class Valued(NoisySums):
    """A question about the values of a column, clipped to a range that the user declares."""

    value: str
    lower: Real
    upper: Real
    grid: Real | None = None

    @property
    def points(self) -> Grid:
        """The declared grid."""
        return declared(self.lower, self.upper, self.grid)

    def step(self, name: str) -> Fraction:
        """A step of the grid, its square in a sum of squares, and one in a count."""
        return self.points.step ** self.tallies[name].power

    @property
    def columns(self) -> Mapping[str, str]:
        """Unit, key and value."""
        if not isinstance(self.value, str) or not self.value:
            raise InvalidParameter("value", self.value, "the name of a column")
        if self.unseen:
            raise InvalidParameter("keys", None, f"the list of keys: a {self.statistic} has no threshold for others")
        return {**self.read(), "value": self.value}

    def __str__(self) -> str:
        return self._asked(f"{self.statistic} of {self.value!r} {self.points}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(Valued):
    """The sum of a column."""

    statistic: ClassVar[str] = "sum"

    @property
    def tallies(self) -> Mapping[str, CentredSum]:
        """The sum, in steps of the grid."""
        return {"sum": CentredSum(self.points.most, -self.points.first, 1)}

    def estimated(self, noisy: Sequence[int], margins: Sequence[int]) -> Estimate:
        """The noisy number of steps, times the size of a step."""
        (steps,), (margin,), step = noisy, margins, self.points.step
        return Estimate(steps * step, (steps - margin) * step, (steps + margin) * step, self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean(Valued):
    """The mean of a column: a sum around the middle of the range, and a count."""

    statistic: ClassVar[str] = "mean"

    @property
    def tallies(self) -> Mapping[str, CentredSum]:
        """A count, and a sum of distances from the middle of the range, where one unit changes it least."""
        return {"count": CentredSum(), "sum": CentredSum(self.points.most, self.points.middle, 1)}

    def estimated(self, noisy: Sequence[int], margins: Sequence[int]) -> Estimate:
        """The ratio, and its range when both sums lie within their margins."""
        grid = self.points
        count, (low, high) = max(noisy[0], 1), ratio(noisy, margins, 1, (-grid.middle, grid.most - grid.middle))
        value = min(max(Fraction(noisy[1], count), low), high)
        mean, least, most = (grid.point(grid.middle + x) for x in (value, low, high))
        return Estimate(mean, least, most, self.confidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance(Valued):
    """The variance of a column (the mean squared distance from the mean)."""

    statistic: ClassVar[str] = "variance"

    @property
    def tallies(self) -> Mapping[str, CentredSum]:
        """A count, and sums of distances from the middle and of their squares."""
        grid = self.points
        squared = max(grid.middle, grid.most - grid.middle) ** 2
        return {
            "count": CentredSum(),
            "sum": CentredSum(grid.most, grid.middle, 1),
            "squares": CentredSum(squared, 0, 2),
        }

    def estimated(self, noisy: Sequence[int], margins: Sequence[int]) -> Estimate:
        """The mean square minus the squared mean, and its range when all sums lie within their margins."""
        grid = self.points
        count, most = max(noisy[0], 1), Fraction(grid.most, 2) ** 2
        left, right = ratio(noisy, margins, 1, (-grid.middle, grid.most - grid.middle))
        low, high = ratio(noisy, margins, 2, (0, self.tallies["squares"].most))
        least = Fraction(0) if left <= 0 <= right else min(left**2, right**2)
        ends = (max(low - max(left**2, right**2), Fraction(0)), max(min(high - least, most), Fraction(0)))
        value = Fraction(noisy[2], count) - Fraction(noisy[1], count) ** 2
        found, lower, upper = (grid.step**2 * x for x in (min(max(value, ends[0]), ends[1]), *ends))
        return Estimate(found, lower, upper, self.confidence)


def ratio(
    noisy: Sequence[int], margins: Sequence[int], index: int, possible: tuple[int, int]
) -> tuple[Fraction, Fraction]:
    """The range of a sum divided by the count, when both lie within their margins."""
    least, most = noisy[0] - margins[0], noisy[0] + margins[0]
    low, high = map(Fraction, possible)
    if least < 1:
        return low, high
    ends = [Fraction(noisy[index] + side * margins[index], n) for side in (-1, 1) for n in (least, most)]
    return min(max(min(ends), low), high), max(min(max(ends), high), low)


__all__ = ["Count", "Mean", "Sum", "Valued", "Variance"]
