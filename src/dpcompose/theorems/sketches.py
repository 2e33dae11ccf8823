"""Graph cuts and covariances behind random projections: the published noise, and what it really costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.exact.chisquare import random_shift_renyi, scaled_chisquare_delta, scaled_normal_renyi
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx

INFINITE = Enclosure(math.inf, math.inf)


def rows_needed(error: Real, failure: Real, queries: int) -> int:
    r"""$r = \lceil8\ln(2k/\nu)/\eta^2\rceil$ rows answer $k$ cut queries within a factor $1\pm\eta$, except
    with probability $\nu$.
    """
    for bits in (128, 512, 2048):
        with ctx.workprec(bits):
            found = (8 * ball(2 * queries / Fraction(failure)).log() / ball(Fraction(error) ** 2)).ceil().unique_fmpz()
        if found is not None:
            return int(found)
    raise Declined("the number of rows is too close to an integer to be told")


def published_width(rows: int, epsilon: Real, delta: Real) -> Enclosure:
    r"""$w = \frac{\sqrt{32r\ln(2/\delta)}}{\varepsilon}\ln\frac{4r}{\delta}$ as published; the exact
    profile shows it 40 to 200 times too large.
    """
    if epsilon == 0 or delta == 0:
        return INFINITE

    def formula() -> Ball:
        d = ball(delta)
        return (32 * rows * (2 / d).log()).sqrt() / ball(epsilon) * (4 * rows / d).log()

    return enclose(formula)


@dataclass(frozen=True, slots=True)
class ReweightedGraph:
    """A graph on n vertices, its edges reweighted by w/n, seen through rows of normal noise."""

    width: Enclosure
    vertices: int

    def fits(self) -> bool:
        """Whether w ≤ n, as reweighting needs."""
        if self.width.upper <= self.vertices or self.width.lower > self.vertices:
            return self.width.upper <= self.vertices
        raise Declined("w is too close to n to be told from it")

    def variance_ratio(self) -> Enclosure:
        r"""$R = 1+2\left(1-\frac wn\right)/w$, attained by the empty graph against one edge."""
        return enclose(lambda: 1 + 2 / ball(self.width) - 2 / ball(self.vertices))

    def additive_error(self, error: Real, size: int) -> Enclosure:
        r"""$\tau = \eta w\frac{s(n-s)}{n-w}$ for a cut of $s$ vertices."""
        outside = self.vertices - size
        return enclose(lambda: ball(error) * size * outside / (self.vertices / ball(self.width) - 1))


def cut_delta(rows: int, ratio: Real, epsilon: Real) -> tuple[Enclosure, Enclosure, Enclosure]:
    """The exact δ of a cut sketch: large against small variance, small against large, and the larger of
    both.
    """
    large, small = scaled_chisquare_delta(rows, ratio, epsilon)
    return large, small, Enclosure(max(large.lower, small.lower), max(large.upper, small.upper))


def cut_renyi(rows: int, width: Real, order: Real) -> tuple[Enclosure, Enclosure]:
    """The Rényi divergences of a cut sketch with ratio 1 + 2/w: large against small, small against large."""
    return scaled_normal_renyi(rows, 1 + 2 / Fraction(width) if width else math.inf, order)


def covariance_renyi(rows: int, width: Real, order: Real) -> Enclosure:
    r"""$-\frac{r}{2(\alpha-1)}\ln\left(1-\frac{\alpha(\alpha-1)}{w^2}\right)$: the worst pair of a
    covariance sketch.
    """
    return random_shift_renyi(rows, width, order)


__all__ = ["ReweightedGraph", "covariance_renyi", "cut_delta", "cut_renyi", "published_width", "rows_needed"]
