"""The cumulants of a sum of finite laws under exponential tilts: in floats to search, in balls to prove."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from flint import arb

from dpcompose.exact.atoms import Scaled, value
from dpcompose.numerics.enclosure import Ball
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import inner
from dpcompose.numerics.search import argmin

_BITS = 160


class Tilted:
    """`K(tau) = sum_i n_i ln E[e^{tau L_i}; L_i < inf]` and what belongs to it."""

    def __init__(self, sums: Scaled) -> None:
        """Keep the laws in balls, and flat arrays of them in floats."""
        with ctx.workprec(_BITS):
            self._laws = [
                (p.count, [(value(loss), mass) for loss, mass in p.law.atoms() if not mass.is_zero()])
                for p in sums.parts
            ]
        sizes = [len(law) for _, law in self._laws]
        self._starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._counts = np.array([float(count) for count, _ in self._laws])
        self._losses = np.array([float(loss.mid()) for _, law in self._laws for loss, _ in law])
        with np.errstate(divide="ignore"):
            self._logs = np.log(np.array([max(float(m.mid()), 0.0) for _, law in self._laws for _, m in law]))

    def floats(self, tilt: float) -> tuple[float, float, float]:
        """`K, K', K''`, about; infinite or undefined where floats end."""
        with np.errstate(all="ignore"):
            return self._floats(tilt)

    def _floats(self, tilt: float) -> tuple[float, float, float]:
        heights = tilt * self._losses + self._logs
        tops = np.maximum.reduceat(heights, self._starts)
        masses = np.exp(heights - tops[self._owner])
        totals = np.add.reduceat(masses, self._starts)
        means = np.add.reduceat(masses * self._losses, self._starts) / totals
        spreads = np.add.reduceat(masses * (self._losses - means[self._owner]) ** 2, self._starts) / totals
        return (
            inner(self._counts, tops + np.log(totals)),
            inner(self._counts, means),
            inner(self._counts, spreads),
        )

    def balls(self, tilt: float) -> tuple[Ball, Ball, Ball, Ball]:
        """`K, K', K''` and the sum of the third absolute central moments of the tilted terms, enclosed."""
        cumulant = mean = variance = third = arb(0)
        for count, law in self._laws:
            masses = [(loss, mass * (loss * tilt).exp()) for loss, mass in law]
            total = sum((m for _, m in masses), arb(0))
            first = sum((loss * m for loss, m in masses), arb(0)) / total
            spread = [(abs(loss - first), m) for loss, m in masses]
            cumulant += count * total.log()
            mean += count * first
            variance += count * sum((x**2 * m for x, m in spread), arb(0)) / total
            third += count * sum((x**3 * m for x, m in spread), arb(0)) / total
        return cumulant, mean, variance.nonnegative_part(), third

    def best(self, cost: Callable[[float], float]) -> float:
        """The tilt of least cost, about; any tilt is valid, so nothing depends on finding it."""
        scale = self.scale()
        return argmin(cost, scale * 1e-4, scale * 1e5, samples=61, tolerance=1e-5)

    def scale(self) -> float:
        """About one over the standard deviation of the sum: where to look for tilts."""
        spread = math.sqrt(max(self.floats(0.0)[2], 1e-300))
        return 1.0 / spread


__all__ = ["Tilted"]
