r"""$\ln X$ with $X = 1-q+qe^a$: what Poisson sampling at the rate $q$ makes of a loss $a$.

*How it is computed.* $\ln(1+y)$ with $y = q(e^a-1)$ where $y > -\frac12$, which keeps small rates accurate;
$\ln(c+qe^a)$ with $c = 1-q$ where $X$ is small, $c$ being rounded from the exact rate, so that rates near 1 keep all
their digits; and $a+\ln q$ where $e^a$ would overflow.

*How far off it is.* Write $u$ for `UNIT_ROUNDOFF`, $\theta$ for the relative error of the floats $q$ and $c$, and
$\alpha$ for the given error of $a$. Since $\partial\ln X/\partial a = qe^a/X = g$ and $\partial\ln g/\partial a \le 1$,
the error of $a$ moves the result by at most $\alpha ge^\alpha$.

- $y > -\frac12$: $q\cdot(e^a-1)$ is off by `LIBM` $+u+\theta$ of itself, hence $\ln(1+y)$ by that times $|y|/X$.
- $y \le -\frac12$: both terms of $X$ are positive, so $X$ is off by `LIBM` $+2u+\theta$ of itself (an $e^a$ below
  the normal floats by one $u$ more, $c$ being a normal float), and $\ln X$ by as much.
- $a > 600$: what is left out is at most $e^{-600}/q$, less than one $u$ for every rate above $10^{-100}$.

The logarithm adds `LIBM` of its value. `RELATIVE` $= $ `LIBM` $+3u$ covers all of it to first order, and `SLACK` the
higher orders as long as $\alpha \le 2^{-20}$; where $\alpha$ is a rounding of $a$ and larger, $g$ is 0 in floats and
below $e^{-2^{29}}$ in truth, or $a > 600$.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Floats, nearest

FAR = 600.0
"""Beyond this, e^a may overflow and X is qe^a."""
RELATIVE = LIBM + 3.0 * UNIT_ROUNDOFF
"""An upper bound on the relative rounding error of y or X, beside that of the rate."""


class LogRatio(NamedTuple):
    r"""$\ln X$, an upper bound on its absolute error, and $g = qe^a/X$, its derivative."""

    value: Floats
    error: Floats
    slope: Floats


@dataclass(frozen=True)
class PoissonRatio:
    """The likelihood ratio under sampling at one rate."""

    rate: Real

    @cached_property
    def numbers(self) -> tuple[float, float, float]:
        """Q and 1 − q as floats, and an upper bound on the relative error of either."""
        q, q_error = nearest(self.rate)
        complement, complement_error = nearest(1 - Fraction(self.rate))
        return q, complement, max(q_error, complement_error)

    def quick_log(self, a: Floats) -> Floats:
        r"""$\ln X$ at rising $a$, a quick value without a bound on its error."""
        q = self.numbers[0]
        if q > 0.5 or a[-1] > FAR:
            return self.log(a, np.zeros_like(a)).value
        found: Floats = np.log1p(q * np.expm1(a))
        return found

    def log(self, a: Floats, a_error: float | Floats) -> LogRatio:
        """At losses known up to `a_error`."""
        if self.numbers[1] == 0.0:
            return LogRatio(a, a_error + np.zeros_like(a), np.ones_like(a))
        return log_ratio(*self.numbers, a, a_error)

    def inverse(self, value: Floats) -> Floats:
        r"""About the $a$ at which $\ln X$ has these values; $-\infty$ where it has not. Not certified."""
        q, complement, _ = self.numbers
        if complement == 0.0:
            return value
        small = np.minimum(value, FAR)
        with np.errstate(all="ignore"):
            above = np.log1p(np.maximum(np.expm1(small) / q, -1.0))
            below = np.log(np.maximum(np.exp(small) - complement, 0.0) / q)
        return np.where(value > FAR, value - math.log(q), np.where(small > -0.7, above, below))

    def log_in_balls(self, a: Ball) -> Ball:
        """In balls, which know their own error."""
        return (ball(self.rate) * a.expm1()).log1p()


def log_ratio(
    q: float | Floats, complement: float | Floats, rate_error: float | Floats, a: Floats, a_error: float | Floats
) -> LogRatio:
    """The formula, for one rate below 1, or for a column of them and a row of losses for each."""
    small = np.minimum(a, FAR)
    y, grown = q * np.expm1(small), q * np.exp(small)
    ratio = complement + grown
    near, g = y > -0.5, grown / ratio
    value = np.where(near, np.log1p(np.maximum(y, -0.5)), np.log(ratio))
    moved = np.where(near, np.abs(y) / ratio, 1.0)
    error = a_error * g + moved * (RELATIVE + rate_error) + LIBM * np.abs(value)
    if a.max(initial=0.0) > FAR:
        far, log_q = a > FAR, np.log(q)
        value = np.where(far, a + log_q, value)
        error = np.where(far, a_error + rate_error - LIBM * log_q + 2.0 * UNIT_ROUNDOFF * np.abs(value), error)
    return LogRatio(value, error * SLACK, g)
