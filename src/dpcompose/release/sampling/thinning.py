r"""Discrete Gaussian noise: two-sided geometric proposals, thinned (Canonne, Kamath, Steinke 2020, Algorithm 3).

With $t = \lfloor\sigma\rfloor + 1$ a proposal $y$ of the discrete Laplace law of scale $t$ is accepted with probability
$e^{-\gamma(y)}$, $\gamma(y) = (|y| - \sigma^2/t)^2/2\sigma^2$. As $\gamma(y) = y^2/2\sigma^2 - |y|/t + \sigma^2/2t^2$,
what is accepted has the law $\propto e^{-y^2/2\sigma^2}$.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import isqrt

import numpy as np
import numpy.typing as npt

from dpcompose.mechanisms.gaussian import NOISE
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.release.sampling.batches import accepted, in_batches
from dpcompose.release.sampling.digits import two_sided
from dpcompose.release.sampling.lookup import FEW, bracket, settle
from dpcompose.release.sampling.source import OS, Integers, RandomSource, checked_size, word, words

BITS = 32  # of u, at first
REACH = 8  # deviations that the table of rejections covers; e^−(REACH − 1)²/2 is small enough
MANY = 1 << 12  # this many proposals are worth a finer table
COARSE, FINE = 5, 9  # a deviation is cut into at least 2^4 or 2^8 cells


@dataclass(frozen=True, slots=True)
class Rejection:
    """1 with probability 1 − e^−γ(y): whether a proposal at this distance from 0 is rejected."""

    variance: Fraction
    scale: int
    distance: int
    count: int = 1

    def survival(self, index: int, /) -> Ball:  # noqa: ARG002 - there is only one
        r"""$P(X > 0) = 1 - e^{-\gamma}$, $\gamma = (|y|tm - n)^2 / 2nmt^2$ for the variance $n/m$."""
        n, m = self.variance.as_integer_ratio()
        root = ball(self.distance * self.scale * m - n)
        return -(-root * root / (2 * n * m * self.scale**2)).expm1()


@dataclass(frozen=True, slots=True, eq=False)
class Thinning:
    """Brackets of the probability of rejection over the distances of each cell, [c 2^shift, (c+1) 2^shift)."""

    variance: Fraction
    scale: int
    shift: int
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]

    @classmethod
    def of(cls, variance: Fraction, scale: int, fineness: int) -> Thinning:
        """The probability falls up to the distance σ²/t and rises after it; the last cell is unbounded."""
        shift = max(scale.bit_length() - fineness, 0)
        cells = (REACH * scale >> shift) + 1
        distances = [cell << shift for cell in range(cells + 1 if shift else cells)]
        ends = [bracket(partial(Rejection(variance, scale, d).survival, 0), BITS) for d in distances]
        low, high = np.array(ends, dtype=np.int64).T.copy()
        if shift:  # a cell lies between two distances, and one cell holds the bottom of the valley
            low, high = np.minimum(low[:-1], low[1:]), np.maximum(high[:-1], high[1:])
            low[int(variance / scale) >> shift] = 0
        high[-1] = 1 << BITS
        return cls(variance, scale, shift, low, high)

    def keeps(self, distances: Integers, source: RandomSource) -> npt.NDArray[np.bool_]:
        """Which proposals are accepted."""
        cells = np.minimum(distances >> self.shift, len(self.low) - 1).astype(np.int64)
        leading = words(source, len(distances), BITS // 8).astype(np.int64)
        kept: npt.NDArray[np.bool_] = leading >= self.high[cells]
        for lane in np.flatnonzero(~kept & (leading >= self.low[cells])):
            law = Rejection(self.variance, self.scale, int(distances[lane]))
            kept[lane] = not settle(law, int(leading[lane]), BITS, source)
        return kept


@lru_cache(maxsize=32)
def thinning(variance: Fraction, scale: int, fineness: int) -> Thinning:
    """The brackets for one σ, cached."""
    return Thinning.of(variance, scale, fineness)


def discrete_gaussian(noise_std: Real, size: int, source: RandomSource = OS) -> Integers:
    r"""Independent draws with $P(z) \propto e^{-z^2/2\sigma^2}$ on the integers; a noise_std of 0 gives 0."""
    variance = Fraction(NOISE.check("noise_std", noise_std)) ** 2
    return in_batches(checked_size(size), lambda count: gaussian(variance, count, source))


def gaussian(variance: Fraction, size: int, source: RandomSource) -> Integers:
    """One batch, for a rational variance."""
    if not variance:
        return np.zeros(size, dtype=np.int64)
    scale = isqrt(variance.numerator // variance.denominator) + 1

    def kept(count: int) -> Integers:
        proposed = two_sided(Fraction(scale), count, source)
        return proposed[_keeps(variance, scale, np.abs(proposed), source)]

    return accepted(kept, size, source)


def _keeps(variance: Fraction, scale: int, distances: Integers, source: RandomSource) -> npt.NDArray[np.bool_]:
    """Which proposals are accepted: a few are decided one by one, many by a table."""
    if len(distances) >= FEW:
        return thinning(variance, scale, FINE if len(distances) >= MANY else COARSE).keeps(distances, source)
    laws = [Rejection(variance, scale, int(distance)) for distance in distances]
    return np.array([not settle(law, word(source), 64, source) for law in laws], dtype=np.bool_)
