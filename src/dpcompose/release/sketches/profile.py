r"""The exact profile of a covariance sketch: normals that are moved by other normals, which are shown.

Each of $r$ rows moves by $g_j v/w$ under unit noise, $g_j$ standard normal and known, $|v| \le 1$. Given
$c = \sum g_j^2 \sim \chi^2_r$ that is a Gaussian mechanism with $\mu = \sqrt c/w$, so

$$\delta(t) = \mathrm E_{c\sim\chi^2_r}\,\delta_{\sqrt c/w}(t), \qquad
  \mathrm E\,e^{\lambda L} = \Bigl(1-\frac{\lambda(\lambda+1)}{w^2}\Bigr)^{-r/2}
  = \Bigl(1-\frac\lambda a\Bigr)^{-r/2}\Bigl(1+\frac\lambda b\Bigr)^{-r/2},$$

where $ab = w^2$ and $b - a = 1$: the loss is $X/a - Y/b$ with independent $X, Y \sim \Gamma(r/2)$. For even $r = 2n$
the sum over $Y$ is finite, with $p = b/(a+b)$, $q = a/(a+b)$ and $E_m(x) = \sum_{i<m} x^i/i!$:

$$\delta(t) = e^{-at}\sum_{j<n}\binom{n+j-1}{j}\bigl(p^nq^j\,E_{n-j}(at) - q^np^j\,E_{n-j}(bt)\bigr).$$

A sketch of fewer rows is part of one with more, so an odd $r$ lies between its even neighbours.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

from flint import arb

from dpcompose.errors import Declined, InvalidParameter
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball
from dpcompose.numerics.positive import enclose_probability

MOST_ROWS = 10**5
"""The greatest number of rows for which the sum takes less than a second."""

_CERTAIN = Enclosure(1.0, 1.0)


def random_shift_delta(rows: int, width: Real, t: Real) -> Enclosure:
    r"""$\mathrm E_{c\sim\chi^2_r}\,\delta_{\sqrt c/w}(t)$ for $t \ge 0$: exact for even $r$, enclosed for odd."""
    if rows < 0:
        raise InvalidParameter("rows", rows, "an integer >= 0")
    if not width >= 0:
        raise InvalidParameter("width", width, "a number >= 0")
    if not t >= 0:
        raise InvalidParameter("t", t, "a number >= 0")
    if rows > MOST_ROWS:
        raise Declined(f"the profile is summed for at most {MOST_ROWS} rows, not {rows}.")
    if rows % 2:
        return Enclosure(_even(rows // 2, width, t).lower, _even(rows // 2 + 1, width, t).upper)
    return _even(rows // 2, width, t)


def _even(n: int, width: Real, t: Real) -> Enclosure:
    if n == 0 or math.inf in {width, t}:
        return ZERO
    if width == 0:
        return _CERTAIN
    square = Fraction(width) ** 2
    # Wide noise hides the difference of the two sums; it takes about twice the bits of w to see it.
    bits = 96 + 2 * max(0, math.frexp(Enclosure.exactly(width).upper)[1])
    return enclose_probability(lambda: _difference(n, ball(square), ball(t)), bits)


def _difference(n: int, square: Ball, t: Ball) -> Ball:
    """The sum at the working precision; all terms of either half are positive."""
    a = 2 * square / ((1 + 4 * square).sqrt() + 1)  # no cancellation for small w
    b = a + 1
    p, q = b / (a + b), a / (a + b)
    with_p, with_q = _weighted(n, q, a * t), _weighted(n, p, b * t)
    return (-a * t).exp() * (p**n * with_p - q**n * with_q)


def _weighted(n: int, x: Ball, y: Ball) -> Ball:
    r"""$\sum_{j<n}\binom{n+j-1}{j}x^j\,E_{n-j}(y)$."""
    powers = accumulate(range(1, n), lambda term, i: term * y / i, initial=arb(1))
    sums = list(accumulate(powers))
    weights = accumulate(range(1, n), lambda weight, j: weight * x * (n + j - 1) / j, initial=arb(1))
    return sum((weight * partial for weight, partial in zip(weights, reversed(sums), strict=True)), arb(0))


__all__ = ["MOST_ROWS", "random_shift_delta"]
