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
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dpcompose.exact.tilted import Tilted
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.precision import ctx

_BITS = 160
_WIDTHS = (1.25, 1.75, 2.5)  # how many standard deviations Chebyshev's interval reaches


def profile_bounds(tilted: Tilted, level: Fraction) -> Enclosure:
    """The finite part of the profile at `level`, between Chebyshev and Chernoff."""
    t = float(ball(level))
    high = tilted.best(lambda tilt: _log_chernoff(tilted, tilt) - tilt * t)
    low, width = _best_width(tilted, lambda tilt, width: -_log_chebyshev(tilted, tilt, width, t))
    with ctx.workprec(_BITS):
        upper = (_chernoff(tilted, high) - ball(level) * high).exp()
        k, a, b = _interval(tilted, low, width)
        first, last = ((k - low * s).exp() * -(ball(level) - s).expm1() for s in (a, b))
        lower = (1 - 1 / arb(width) ** 2) * first.min(last)
        return Enclosure(max(0.0, _low(lower)), max(0.0, min(1.0, _high(upper))))


def inverse_bounds(tilted: Tilted, least: Ball, most: Ball) -> Enclosure:
    """The least level whose finite profile is at most `d`, for all `d` from `least` to `most`, both in balls.

    For each tilt both bounds are solved for the level in closed form. A `d` that is not surely positive has no
    upper end of its own.
    """
    lower, upper = 0.0, math.inf
    with ctx.workprec(_BITS):
        if least > 0:
            log_d = float(least.log().mid())
            tilt = tilted.best(lambda x: (_log_chernoff(tilted, x) - log_d) / x)
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
    k, mean, variance, _ = tilted.balls(tilt)
    reach = width * variance.sqrt()
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


def _best_width(tilted: Tilted, cost: Callable[[float, float], float]) -> tuple[float, float]:
    """The tilt and the width of least cost."""
    found = [(tilted.best(lambda tilt, width=width: cost(tilt, width)), width) for width in _WIDTHS]  # type: ignore[misc]
    return min(found, key=lambda pair: cost(*pair))


def _low(x: Ball) -> float:
    return Enclosure.of(x).lower


def _high(x: Ball) -> float:
    return Enclosure.of(x).upper


__all__ = ["inverse_bounds", "profile_bounds"]
