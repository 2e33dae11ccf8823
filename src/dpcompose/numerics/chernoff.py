r"""Sums too large for tables: two closed bounds on the profile, valid for every tilt and chosen by a float search.

With $K(\tau) = \sum_i n_i \ln \mathrm{E}[e^{\tau L_i}; L_i<\infty]$ and any $\tau > 0$ (Chernoff; the best constant):

$$\mathrm{E}(1-e^{t-S})_+ \le \frac{\tau^\tau}{(1+\tau)^{1+\tau}}\,e^{K(\tau)-\tau t}.$$

Under the tilted law $S$ has mean $\mu = K'(\tau)$ and variance $\sigma^2 = K''(\tau)$, and is within $\kappa\sigma$ of
its mean with probability at least $1-\kappa^{-2}$ (Chebyshev). With $a,b = \mu\mp\kappa\sigma$, as
$s \mapsto e^{-\tau s}(1-e^{t-s})$ first rises and then falls,

$$\mathrm{E}(1-e^{t-S})_+ \ge (1-\kappa^{-2})\,e^{K(\tau)}\min_{s\in\{a,b\}} e^{-\tau s}(1-e^{t-s}),\qquad t \le a.$$
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from dpcompose.numerics.atoms import Part, Scaled
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.search import argmin

_BITS = 160
_WIDTHS = (1.25, 1.75, 2.5)  # how many standard deviations Chebyshev's interval reaches


class Tilted:
    """The cumulants of the finite part of a sum under exponential tilts: in floats to search, in balls to prove."""

    def __init__(self, sums: Scaled) -> None:
        """Keep the parts in balls, and flat arrays of them in floats."""
        self._unit = Fraction(1, sums.denominator)
        self._parts = [p for p in sums.parts if p.count]
        with ctx.workprec(_BITS):
            self._laws = [(p.count, self._balls(p)) for p in self._parts]
        sizes = [len(law) for _, law in self._laws]
        self._starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
        self._owner = np.repeat(np.arange(len(sizes)), sizes)
        self._counts = np.array([float(count) for count, _ in self._laws])
        self._losses = np.array([float(loss.mid()) for _, law in self._laws for loss, _ in law])
        with np.errstate(divide="ignore"):
            self._logs = np.log(np.array([max(float(m.mid()), 0.0) for _, law in self._laws for _, m in law]))

    def _balls(self, part: Part) -> list[tuple[Ball, Ball]]:
        return [(ball(loss * self._unit), mass) for loss, mass in part.weights().items()]

    def floats(self, tilt: float) -> tuple[float, float, float]:
        """`K, K', K''`, about."""
        heights = tilt * self._losses + self._logs
        tops = np.maximum.reduceat(heights, self._starts)
        masses = np.exp(heights - tops[self._owner])
        totals = np.add.reduceat(masses, self._starts)
        means = np.add.reduceat(masses * self._losses, self._starts) / totals
        spreads = np.add.reduceat(masses * (self._losses - means[self._owner]) ** 2, self._starts) / totals
        return (
            float(self._counts @ (tops + np.log(totals))),
            float(self._counts @ means),
            float(self._counts @ spreads),
        )

    def balls(self, tilt: float) -> tuple[Ball, Ball, Ball]:
        """`K, K', K''`, enclosed."""
        cumulant = mean = variance = arb(0)
        for count, law in self._laws:
            masses = [(loss, mass * (loss * tilt).exp()) for loss, mass in law]
            total = sum((m for _, m in masses), arb(0))
            first = sum((loss * m for loss, m in masses), arb(0)) / total
            second = sum(((loss - first) ** 2 * m for loss, m in masses), arb(0)) / total
            cumulant, mean, variance = cumulant + count * total.log(), mean + count * first, variance + count * second
        return cumulant, mean, variance

    def scale(self) -> float:
        """About one over the standard deviation of the sum: where to look for tilts."""
        spread = math.sqrt(max(self.floats(0.0)[2], 1e-300))
        return 1.0 / spread


def profile_bounds(sums: Scaled, level: Fraction) -> Enclosure:
    """The finite part of the profile at `level`, between Chebyshev and Chernoff."""
    tilted, t = Tilted(sums), float(level)
    high = _best(tilted, lambda tilt: _log_chernoff(tilted, tilt) - tilt * t)
    low, width = _best_width(tilted, lambda tilt, width: -_log_chebyshev(tilted, tilt, width, t))
    with ctx.workprec(_BITS):
        upper = (_chernoff(tilted, high) - ball(level) * high).exp()
        k, a, b = _interval(tilted, low, width)
        first, last = ((k - low * s).exp() * -(ball(level) - s).expm1() for s in (a, b))
        lower = (1 - 1 / arb(width) ** 2) * first.min(last)
        return Enclosure(max(0.0, _low(lower)), max(0.0, min(1.0, _high(upper))))


def inverse_bounds(sums: Scaled, least: Ball, most: Ball) -> Enclosure:
    """The least level whose finite profile is at most `d`, for all `d` from `least` to `most`, both in balls.

    For each tilt both bounds are solved for the level in closed form. A `d` that is not surely positive has no
    upper end of its own.
    """
    tilted = Tilted(sums)
    lower, upper = 0.0, math.inf
    with ctx.workprec(_BITS):
        if least > 0:
            log_d = float(least.log().mid())
            tilt = _best(tilted, lambda x: (_log_chernoff(tilted, x) - log_d) / x)
            upper = max(0.0, _high((_chernoff(tilted, tilt) - least.log()) / tilt))
        d = float(most.upper())
        if d < 1:
            tilt, width = _best_width(tilted, lambda x, width: -_float_level(tilted, x, width, max(d, 1e-300)))
            k, a, b = _interval(tilted, tilt, width)
            need = -most.max(arb(0)) / (1 - 1 / arb(width) ** 2)
            levels = [s + (need * (tilt * s - k).exp()).log1p() for s in (a, b)]
            lower = max(0.0, _low(levels[0].min(levels[1])))
    return Enclosure(lower, max(lower, upper))


def _chernoff(tilted: Tilted, tilt: float) -> Ball:
    return tilted.balls(tilt)[0] + tilt * arb(tilt).log() - (1 + arb(tilt)) * arb(tilt).log1p()


def _interval(tilted: Tilted, tilt: float, width: float) -> tuple[Ball, Ball, Ball]:
    """`K` and both ends of Chebyshev's interval."""
    k, mean, variance = tilted.balls(tilt)
    reach = width * variance.max(arb(0)).sqrt()
    return k, mean - reach, mean + reach


def _log_chernoff(tilted: Tilted, tilt: float) -> float:
    return tilted.floats(tilt)[0] + tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)


def _log_chebyshev(tilted: Tilted, tilt: float, width: float, level: float) -> float:
    k, mean, variance = tilted.floats(tilt)
    a, b = mean - width * math.sqrt(variance), mean + width * math.sqrt(variance)
    if a <= level:
        return -math.inf
    return k + min(math.log(-math.expm1(level - s)) - tilt * s for s in (a, b))


def _float_level(tilted: Tilted, tilt: float, width: float, mass: float) -> float:
    k, mean, variance = tilted.floats(tilt)
    reach = width * math.sqrt(variance)
    need = math.log(mass) - math.log1p(-(width**-2)) - k
    ends = [(s, need + tilt * s) for s in (mean - reach, mean + reach)]
    if any(excess >= 0 for _, excess in ends):
        return -math.inf
    return min(s + math.log(-math.expm1(excess)) for s, excess in ends)


def _best(tilted: Tilted, cost: Callable[[float], float]) -> float:
    """The tilt of least cost; any tilt is valid, so nothing depends on finding it."""
    scale = tilted.scale()
    return argmin(cost, scale * 1e-4, scale * 1e5, samples=61, tolerance=1e-5)


def _best_width(tilted: Tilted, cost: Callable[[float, float], float]) -> tuple[float, float]:
    """The tilt and the width of least cost."""
    found = [(_best(tilted, lambda tilt, width=width: cost(tilt, width)), width) for width in _WIDTHS]  # type: ignore[misc]
    return min(found, key=lambda pair: cost(*pair))


def _low(x: Ball) -> float:
    return Enclosure.of(x).lower


def _high(x: Ball) -> float:
    return Enclosure.of(x).upper


__all__ = ["Tilted", "inverse_bounds", "profile_bounds"]
