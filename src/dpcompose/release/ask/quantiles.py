r"""Quantiles: a point of a declared grid is chosen by the exponential mechanism.

With $n$ rows and $q = a/b$, the point $x$ has the gap $\max(bL - an, an - bU, 0)$, with $L$ rows below it and $U$ rows
at or below it. A row changes every gap by at most $\max(a, b-a)$, so a choice with probability $\propto
e^{-\varepsilon\,\text{gap}/2\Delta}$ has bounded range ε. It is made by rejection, in whole numbers: a uniform point
with gap $k$ is accepted if a geometric draw of scale $2\Delta/\varepsilon$ is at least $k$, which has probability
$e^{-k\varepsilon/2\Delta}$ exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import Exponential
from dpcompose.numerics.enclosure import Real, ball, enclose
from dpcompose.parameters import exact, short
from dpcompose.release.ask.contributions import EveryRow
from dpcompose.release.ask.grids import Grid, declared
from dpcompose.release.ask.queries import Query, within
from dpcompose.release.ask.result import Estimate, Quote
from dpcompose.release.sampling import RandomSource, geometric, uniform_below
from dpcompose.release.sampling.source import PATIENCE, broken
from dpcompose.spec.numbers import AsWritten

MOST_POINTS = 10**6
FINEST = 10**4
FIRST, BATCH = 1 << 6, 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile(Query):
    """The value below which a share q of the rows lies."""

    value: str
    q: Real
    lower: Real
    upper: Real
    grid: Real | None = None

    statistic: ClassVar[str] = "quantile"

    @property
    def level(self) -> Fraction:
        """q, to four digits."""
        level = Fraction(exact("q", self.q, "a number between 0 and 1")).limit_denominator(FINEST)
        if not 0 <= level <= 1:
            raise InvalidParameter("q", AsWritten(short(level)), "a number from 0 to 1, such as 0.5 for the median")
        return level

    @property
    def points(self) -> Grid:
        """The points to choose from."""
        grid = declared(self.lower, self.upper, self.grid)
        if grid.most >= MOST_POINTS:
            raise InvalidParameter("grid", float(grid.step), f"a coarser step: at most {short(MOST_POINTS)} points")
        return grid

    @property
    def columns(self) -> Mapping[str, str]:
        """The columns of unit and value."""
        if not isinstance(self.value, str) or not self.value:
            raise InvalidParameter("value", self.value, "the name of a column")
        return {
            **({} if isinstance(self.unit, EveryRow) else {"unit": self.unit}),
            "value": self.value,
            **self.filtered,
        }

    @property
    def scale(self) -> Fraction:
        r"""$2\Delta/\varepsilon$, with Δ doubled where a unit is replaced."""
        rows, level = self.checked().rows, self.level
        moved = rows * max(level.numerator, level.denominator - level.numerator)
        return 2 * moved * (2 if self.adjacency is Adjacency.REPLACE_ONE else 1) / Fraction(self.epsilon)

    def quote(self) -> Quote:
        """The price of one choice of bounded range ε."""
        mechanism = Exponential(epsilon=self.epsilon, adjacency=self.adjacency)
        self.checked()
        margins = {"rank": Fraction(self._margin())}
        return Quote(self, {"choice": mechanism}, mechanism, within(mechanism, self.epsilon, self.delta), margins)

    def _margin(self) -> int:
        r"""An upper bound on the rank error, in rows: a point of gap $k$ is chosen with probability at most $e^{-k/s}$,
        and there are N points, so that $k = s\ln(N/\beta)$ is exceeded with probability at most $\beta$.
        """
        wrong = 1 - Fraction(self.confidence)
        reach = enclose(lambda: ball(self.scale) * ball((self.points.most + 1) / wrong).log())
        return ceil(reach.upper / self.level.denominator)

    def estimated(self, index: int, margin: Real) -> Estimate:
        """The chosen point; the bound on the error of its rank is known beforehand."""
        grid = self.points
        ends = grid.point(0), grid.point(grid.most)
        return Estimate(grid.point(index), *ends, self.confidence, f"rank off by at most {margin} rows")

    def __str__(self) -> str:
        return f"quantile {short(self.level)} of {self.value!r} {self.points}{self.which()}, hiding {self.units()}"


def gaps(counts: npt.NDArray[np.int64], level: Fraction) -> npt.NDArray[np.int64]:
    """The distance of each point's rank from the level, in rows times the level's denominator."""
    a, b = level.numerator, level.denominator
    upto = np.cumsum(counts)
    target = a * int(upto[-1])
    found: npt.NDArray[np.int64] = np.maximum(np.maximum(b * (upto - counts) - target, target - b * upto), 0)
    return found


def chosen(gap: npt.NDArray[np.int64], scale: Fraction, source: RandomSource) -> int:
    """An index, drawn with probability proportional to e^(−gap/scale)."""
    gap = gap - gap.min()
    for trial in range(PATIENCE):
        size = min(FIRST << 2 * min(trial, 8), BATCH)
        index = uniform_below(len(gap), size, source)
        taken = np.flatnonzero(geometric(scale, size, source) >= gap[index.astype(np.int64)])
        if taken.size:
            return int(index[taken[0]])
    raise broken(source)


__all__ = ["Quantile", "chosen", "gaps"]
