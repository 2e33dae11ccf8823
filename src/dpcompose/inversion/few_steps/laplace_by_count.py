r"""Many equal Laplace mechanisms of small $\varepsilon_0$, by how many of them fall strictly inside.

A step is at $\pm\varepsilon_0$ but for a chance of about $\varepsilon_0/2$, so only few of $k$ lie in between; a line
would see the others as a lattice that hardly fades. Given $j$ inside, their sum is $\varepsilon_0V$ with $V$ a sum of
$j$ uniform variables on $[-1,1]$ (density $f_j$, a spline), tilted by $e^{\varepsilon_0V/2}$. Let $m$ of the others be
up:

$$\delta(\varepsilon) = 2^{-k}e^{(\varepsilon-k\varepsilon_0)/2}
  \sum_{j,m}\tbinom kj\tbinom{k-j}m\varepsilon_0^jH_j(\xi),\qquad
  H_j(\xi) = \int_\xi^jf_j(v)\,2\sinh\tfrac{\varepsilon_0(v-\xi)}2\,dv,$$

with $\xi = \varepsilon/\varepsilon_0+k-j-2m$. Every term is positive. For $\xi \le -j$ the integral is
$2\sinh(-\frac{\varepsilon_0\xi}2)\bigl(\sinh\frac{\varepsilon_0}2/\frac{\varepsilon_0}2\bigr)^j$; else it is
integrated piece by piece, where $f_j$ is a polynomial. The terms beyond $j = J$ add up to at most
$e^{kK(t)-t\varepsilon}\lambda^{J+1}/(J+1)!$ for any $t\ge0$, with $\lambda$ the number of steps expected inside once
each is tilted by $e^{tl}$: Chernoff's bound on the sum and the union bound on the number. With $x =
(t+\frac12)\varepsilon_0$ and $b = \frac{\varepsilon_0}2\frac{\tanh x}x$,

$$K(t) = \ln\cosh x - \tfrac{\varepsilon_0}2 + \ln(1+b),\qquad \lambda = \frac{kb}{1+b} .$$
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from flint import arb

from dpcompose.inversion.few_steps.pointwise import Pointwise
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.saddle import at_delta
from dpcompose.numerics.enclosure import Real
from dpcompose.numerics.legendre import rule
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, nearest

MOST_INSIDE = 40
"""The greatest number of steps with a loss strictly inside that is followed; more are bounded."""
MOST_COUNT = 20_000
"""The greatest number of steps."""
GREATEST_SIZE = 0.25
"""The greatest ε of one step."""
MOST_EXPECTED = 8.0
"""The greatest expected number of losses strictly inside."""
LOG_NEGLIGIBLE = -39.0
"""ln of what may be left out beside δ, roughly, since Chernoff's bound is above it by a small factor."""
DEVIATIONS = 12
"""How many deviations the number of losses at the ends is followed."""
POINTS = 32
"""Points of the Gauss–Legendre rule on a piece."""
QUADRATURE = 1e-17
r"""On a piece $f_j$ is at most ½ and of degree $j-1 < 40$, so it grows by at most $\varrho^{j-1}$ on the ellipse
(Bernstein), and the rule with 32 points errs by at most
$\frac{64}{15}\varrho^{j-65}e^{\varepsilon_0(2j+\varrho)/2}/(1-\varrho^{-2})$ on each of $j$ pieces: at $\varrho = 20$,
all together, by far less than this."""
NODES = 4e4
"""A node is off by a rounding; relative to its distance from the spline's end, over 39 factors, by so many at most."""


@dataclass(frozen=True)
class LaplaceInside(Pointwise):
    r"""`count` mechanisms with $\varepsilon_0$ = `size`."""

    size: Real
    count: int

    @staticmethod
    def serves(size: Real, count: int) -> bool:
        """Whether few enough are expected inside."""
        return size <= GREATEST_SIZE and count <= MOST_COUNT and 0.5 * count * float(size) <= MOST_EXPECTED

    @cached_property
    def _blur(self) -> float:
        """Places are off by no more than this: by the rounding of ε0, and of quotients by it."""
        return 16.0 * UNIT_ROUNDOFF * self.count * float(self.size)

    @cached_property
    def _relative(self) -> float:
        k, logs = self.count, float(_log_factorials(self.count)[-1])
        return 2.0 * UNIT_ROUNDOFF * (8.0 * logs + 8.0 * k + 8.0 * MOST_INSIDE + NODES + 64.0) + 16.0 * LIBM

    def lower(self, epsilon: float) -> float:
        """A lower bound on δ(ε)."""
        value, error, _ = self._value(epsilon + self._blur)
        return max(0.0, (value - error) * (1.0 - self._relative))

    def upper(self, epsilon: float) -> float:
        """An upper bound on δ(ε)."""
        value, error, more = self._value(epsilon - self._blur)
        return min(1.0, (value + error) * (1.0 + self._relative) + more)  # in this order, for what floats have lost

    def guess(self, delta: float, most: float) -> tuple[float, float]:
        """Uncertified ε at δ and its tilt, from the saddle point."""
        saddle = at_delta(Repeated(LaplaceLoss(self.size), self.count).cumulants, math.log(delta))
        return min(max(saddle.epsilon, 0.0), most), saddle.tilt

    def _value(self, epsilon: float) -> tuple[float, float, float]:
        """The sum up to J, the error of its quadrature, and a bound on the rest of the sum."""
        k, e = self.count, nearest(self.size)[0]
        if epsilon >= k * e:
            return 0.0, 0.0, 0.0
        middle = 0.5 * (epsilon / e + k)
        first = math.ceil(middle)
        part = middle - first + 1.0  # where ξ lies in its piece, from 0 to 1
        logs = _log_factorials(k)
        most, more = self._enough(epsilon)
        common = 0.5 * (epsilon - k * e) - k * math.log(2.0) + float(logs[k])
        value, error = self._beyond(epsilon, first, common, most)
        for j, integrals in enumerate(_window_integrals(part, e, most), start=1):
            m = first - 1 - np.arange(j)
            held = (m >= 0) & (m <= k - j)
            ways = np.exp(common - logs[j] - logs[m[held]] - logs[k - j - m[held]] + j * math.log(e))
            value += float(ways @ integrals[held])
            error += QUADRATURE * float(ways.sum())
        return value, error, more

    def _enough(self, epsilon: float) -> tuple[int, float]:
        r"""J, and a bound on the rest, at the tilt with $\tanh x = \varepsilon/k\varepsilon_0$: the saddle, were all
        at the ends.
        """
        k, e = self.count, float(self.size)
        x = max(math.atanh(min(epsilon / (k * e), 1.0 - 1e-15)), 0.5 * e)
        b = 0.5 * e * math.tanh(x) / x
        log_cosh = x + math.log1p(math.exp(-2.0 * x)) - math.log(2.0)
        log_chernoff = k * (log_cosh - 0.5 * e + math.log1p(b)) - (x / e - 0.5) * epsilon
        log_expected, last = math.log(k * b / (1.0 + b)), min(MOST_INSIDE, k)
        log_more = [n * log_expected - math.lgamma(n + 1.0) for n in range(last + 2)]
        most = next((j for j in range(1, last) if log_more[j + 1] <= LOG_NEGLIGIBLE), last)
        return most, math.exp(min(log_chernoff + log_more[most + 1] + 1e-6, 0.0)) if most < k else 0.0

    def _beyond(self, epsilon: float, first: int, common: float, most: int) -> tuple[float, float]:
        """All m with the inside part too small to matter, one sum for each j; terms are log-concave in m, so that
        those left out are below a geometric series.
        """
        k, e = self.count, nearest(self.size)[0]
        logs, total, rest = _log_factorials(k), 0.0, 0.0
        spread = math.log(math.sinh(0.5 * e) / (0.5 * e))
        reach = first + DEVIATIONS * math.isqrt(k)
        for j in range(most + 1):
            m = np.arange(max(first, 0), min(k - j, reach) + 1)
            x = np.minimum(epsilon - e * (2.0 * m - (k - j)), 0.0)
            log_ways = common - logs[j] - logs[m] - logs[k - j - m] + j * (math.log(e) + spread) - 0.5 * x
            total += float((np.exp(log_ways) * -np.expm1(x)).sum())
            if reach < k - j:
                before, last = (log_ways[-2:] + np.log(-np.expm1(x[-2:]))).tolist()
                rest += math.exp(last) / -math.expm1(last - before) if last < before else math.inf
        return total, rest


def _window_integrals(part: float, e: float, most: int) -> list[Floats]:
    r"""For j = 1, 2, ...: $H_j$ at $\xi = -j+2(i+\text{part})$, i = 0, ..., j-1."""
    y, w = rule(POINTS)
    rest = 1.0 - part
    inner = 2.0 * part - 1.0 + rest * (1.0 + y)  # the places in ξ's own piece, from ξ on
    places = np.concatenate([y, inner])
    far = 2.0 * np.sinh(0.5 * e * np.maximum(2.0 * np.arange(most)[:, None] + (1.0 + y) - 2.0 * part, 0.0)) * w
    far[0] = 0.0
    near = 2.0 * np.sinh(0.5 * e * rest * (1.0 + y)) * (w * rest)
    spline, found = np.full((1, places.size), 0.5), []
    for j in range(1, most + 1):
        if j > 1:
            v = -j + 2.0 * np.arange(j)[:, None] + 1.0 + places
            above, under = np.vstack([spline, 0.0 * places]), np.vstack([0.0 * places, spline])
            spline = ((j + v) * above + (j - v) * under) / (2.0 * (j - 1.0))
        products = spline[:, :POINTS] @ far[:j].T  # piece i', distance d
        start = np.subtract.outer(np.arange(j), np.arange(j))
        held = start >= 0
        whole = np.bincount(start[held], products[held], j)
        found.append(whole + spline[:, POINTS:] @ near)
    return found


@lru_cache(maxsize=8)
def _log_factorials(count: int) -> Floats:
    """The logarithms of n! up to n = count, each rounded once."""
    with ctx.workprec(80):
        return np.array([float(arb(n + 1).lgamma()) for n in range(count + 1)])
