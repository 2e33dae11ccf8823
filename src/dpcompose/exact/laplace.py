r"""How far two Laplace vectors differ beyond a factor $e^t$, when each of $k$ coordinates moves by one step.

Write $s$ for the step in units of the scale. The log ratio of one coordinate is $s - 2X$ with $X$ of law
$\tfrac12 e^{-x}(\partial_0 + \partial_s + 1_{[0,s]})$ ($\partial$: a point mass), so that of $k$ has
$e^{-x}2^{-k}$ times the $k$-fold convolution of the bracket, whose Laplace transform is, with $z = 1/p$,

$$\bigl((1 + z) + e^{-ps}(1 - z)\bigr)^k = \sum_j \tbinom kj e^{-jps} (1+z)^{k-j} (1-z)^j.$$

With $\tau = (ks - t)/2$, the $\delta(t) = E(1 - e^{-2(\tau - S)})_+$ is a sum of $k/2$ polynomials,

$$\delta(t) = 2^{-k} e^{-\tau} \sum_{j\,:\,js < \tau} \tbinom kj\, g_j(\tau - js), \qquad
  \mathcal L g_j = 2z^2 (1+z)^{k-j-1} (1-z)^{j-1},$$

but for $g_0$: a positive polynomial, and $2^k e^\tau$ times the regularised incomplete gamma $P(k, \tau)$.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

from flint import arb, fmpz_poly

from dpcompose.errors import Declined, InvalidParameter
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.gamma import gamma_lower
from dpcompose.numerics.positive import enclose_probability
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import root

MOST_COORDINATES = 300
"""The sum has about `count**2 / 2` terms: beyond this, an inverse takes a second."""

_BITS = 96
"""Almost always enough: the terms hardly cancel, for any count and step."""


def laplace_delta(count: int, step: Real, t: Real) -> Enclosure:
    r"""$\delta(t)$ for `count` coordinates that each move by `step` scales; any real $t$."""
    _check(count, step)
    if t != t:  # noqa: PLR0124 - only NaN differs from itself
        raise InvalidParameter("t", t, "a number")
    if t < 0:  # the pair is symmetric
        other = laplace_delta(count, step, -t)
        return enclose(lambda: ball(t).exp() * ball(other) - ball(t).expm1(), gap=1.0) & UNIT_INTERVAL
    if count == 0 or t >= count * step:
        return ZERO
    if step == math.inf:
        return Enclosure(1.0, 1.0)
    profile, tau = _Profile(count, Fraction(step)), (count * Fraction(step) - Fraction(t)) / 2
    return enclose_probability(lambda: profile.value(tau), _BITS)


def laplace_epsilon(count: int, step: Real, delta: Real | Enclosure) -> Enclosure:
    r"""The least $t \ge 0$ with $\delta(t) \le \delta$: `count * step` for $\delta = 0$, else less."""
    _check(count, step)
    least, most = (delta.lower, delta.upper) if isinstance(delta, Enclosure) else (delta, delta)
    if not least >= 0:
        raise InvalidParameter("delta", delta, "a number >= 0")
    if count == 0 or step == 0:
        return ZERO
    if step == math.inf:
        return Enclosure(math.inf if most < 1 else 0.0, math.inf if least < 1 else 0.0)
    profile = _Profile(count, Fraction(step))
    found = _epsilon(profile, most)
    return found if least == most else Enclosure(found.lower, _epsilon(profile, least).upper)


def laplace_atoms(step: Real) -> tuple[Enclosure, Enclosure]:
    r"""The masses of one log ratio at $s$ and at $-s$: $\tfrac12$ and $\tfrac12 e^{-s}$."""
    _check(1, step)
    return Enclosure(0.5, 0.5), enclose_probability(lambda: (-ball(step)).exp() / 2)


def laplace_density(step: Real, at: Real) -> Enclosure:
    r"""The density of one log ratio between its atoms: $\tfrac14 e^{(l-s)/2}$ for $-s < l < s$, else 0."""
    _check(1, step)
    if not -step < at < step:
        return ZERO
    return enclose_probability(lambda: ((ball(at) - ball(step)) / 2).exp() / 4)


def laplace_cdf(step: Real, at: Real) -> Enclosure:
    r"""The probability that one log ratio is at most $l$: $\tfrac12 e^{(l-s)/2}$ for $-s \le l < s$."""
    _check(1, step)
    if not -step <= at < step:
        return Enclosure(1.0, 1.0) if at >= step else ZERO
    return enclose_probability(lambda: ((ball(at) - ball(step)) / 2).exp() / 2)


def laplace_mean(step: Real) -> Enclosure:
    r"""The mean of one log ratio, $s - 1 + e^{-s} = \tfrac12 s^2\,{}_1F_1(1; 3; -s)$."""
    _check(1, step)

    def formula() -> Ball:
        s = ball(step)
        return s + (-s).expm1() if step > 1 else s * s / 2 * (-s).hypgeom_1f1(1, 3)

    return enclose(formula) if 0 < step < math.inf else Enclosure(float(step), float(step))


def _check(count: int, step: Real) -> None:
    if not step >= 0:
        raise InvalidParameter("step", step, "a number >= 0")
    if count < 0:
        raise InvalidParameter("count", count, "an integer >= 0")
    if count > MOST_COORDINATES:
        raise Declined(f"the exact Laplace sum is for at most {MOST_COORDINATES} coordinates, not {count}.")


def _epsilon(profile: _Profile, delta: Real) -> Enclosure:
    whole = profile.count * profile.step
    limit = Enclosure.exactly(whole)
    if delta <= 0:
        return limit
    if delta >= 1:
        return ZERO

    def excess(t: float) -> Enclosure:
        tau = (whole - Fraction(t)) / 2
        if tau <= 0:
            return Enclosure(-1.0, -1.0)
        return enclose(lambda: profile.value(tau) / ball(delta) - 1, gap=0.5, bits=_BITS)

    return invert_decreasing(excess, ZERO, _guess(profile, delta), 0.0, limit.upper)


def _guess(profile: _Profile, delta: Real) -> float:
    r"""Solve for $\ln\tau$, in which $\ln\delta$ bends little, then take two Newton steps in balls.

    $2^{-k}(1 - e^{-2\tau}) \le \delta \le 2\tau$ brackets the root.
    """
    whole = profile.count * profile.step
    with ctx.workprec(_BITS + 64):
        goal = float(ball(delta).log().mid())
        most = float((ball(whole) / 2).log().mid())

        def lack(log_tau: float) -> float:
            found = profile.value(_fraction(arb(log_tau).exp())).mid()
            return goal - float(found.log()) if found > 0 else math.inf

        near = root(lack, min(goal - 1.0, most), most, tolerance=1e-5)
        tau = _fraction(arb(near).exp())
        for _ in range(2):
            move = (ball(delta) - profile.value(tau)) / profile.slope(tau)
            there = ball(tau) + move
            if not (there.is_finite() and there > 0):
                break
            tau = _fraction(there)
    return max(Enclosure.exactly(whole - 2 * tau).upper, 0.0)


def _fraction(x: Ball) -> Fraction:
    """The centre of a ball, exactly."""
    mantissa, exponent = x.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


class _Profile:
    r"""$\delta$ as a function of $\tau$, in balls, with the binomial rows worked out once.

    `rows[j][i]` is the coefficient of $T^{i+1}/(i+1)!$ in $\tbinom kj\,g_j(T)/2$.
    """

    def __init__(self, count: int, step: Fraction) -> None:
        self.count, self.step = count, step
        self.rows = _rows(count)

    def value(self, tau: Fraction) -> Ball:
        """The difference itself, at the working precision."""
        T = ball(tau)
        if self.count == 1:
            return -(-T).expm1()
        return gamma_lower(self.count, T) + self._decay(T) * self._sum(tau, 1)

    def slope(self, tau: Fraction) -> Ball:
        """The derivative of that difference."""
        T, k = ball(tau), self.count
        if k == 1:
            return (-T).exp()
        gamma = (-T).exp() * T ** (k - 1) / arb(k - 1).fac()
        return gamma + self._decay(T) * (self._sum(tau, 0) - self._sum(tau, 1))

    def _decay(self, T: Ball) -> Ball:
        return (-T).exp() * arb(2) ** (1 - self.count)

    def _sum(self, tau: Fraction, first: int) -> Ball:
        r"""The sum over $j$ of row $j$ times $T_j^{i+\mathtt{first}}/(i+\mathtt{first})!$."""
        total = arb(0)
        for j, row in enumerate(self.rows):
            T = tau - j * self.step
            if T <= 0:
                break
            x = ball(T)
            power = x if first else arb(1)
            for i, c in enumerate(row, start=first + 1):
                total += power * c
                power = power * x / i
        return total


def _rows(count: int) -> list[list[Ball]]:
    """Row 0: the partial sums of the binomials of `count - 1`; the others: Krawtchouk's numbers."""
    if count < 2:
        return []
    binomials = (fmpz_poly([1, 1]) ** (count - 1)).coeffs()
    rows = [list(accumulate(binomials[:-1]))]
    plus, minus = fmpz_poly([1, 1]), fmpz_poly([1, -1])
    product = plus ** (count - 2)
    for j in range(1, (count + 1) // 2):
        rows.append((math.comb(count, j) * product).coeffs())
        product = product * minus // plus
    return [[arb(c) for c in row] for row in rows]


__all__ = [
    "MOST_COORDINATES",
    "laplace_atoms",
    "laplace_cdf",
    "laplace_delta",
    "laplace_density",
    "laplace_epsilon",
    "laplace_mean",
]
