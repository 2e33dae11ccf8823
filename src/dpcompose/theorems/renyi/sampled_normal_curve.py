"""The exact Rényi curve of Gaussian noise on a Poisson sample: integrals, and closed bounds beyond their ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import acb

from dpcompose.errors import Declined
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import GDP, Curve, Linear, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.rounding import Floats
from dpcompose.numerics.special import log_ndtr
from dpcompose.sources import MTZ19
from dpcompose.theorems.renyi.sampled_curves import (
    LEAST,
    MOST_ORDER,
    NODES,
    SampledCurve,
    complex_excess,
    integral,
    worst_when_removed,
)


@dataclass(frozen=True)
class SampledNormalCurve(SampledCurve):
    """Normal noise: the loss is μz − μ²/2 at z standard deviations."""

    mu_squared: Real

    def _is_plain(self) -> bool:
        return LEAST**2 <= self.mu_squared < 10**4 and self.rate >= LEAST

    def _greatest(self) -> int:
        return min(MOST_ORDER, 2 + math.floor(1000 / math.sqrt(float(self.mu_squared) + 0.01)))

    def _unsampled(self) -> Curve:
        return Linear(Fraction(self.mu_squared) / 2)

    def _excess(self, order: Real) -> Ball:
        tolerance = self._tolerance(order)
        left, right = self._ends(float(order), float(tolerance.log()))
        middle = min(max(self._middle(), left), right)
        inner = integral(self._product(order, self.direction), left, middle, tolerance) if left < middle else Ball(0)
        inner += integral(self._centred(order, self.direction), middle, right, tolerance) if middle < right else Ball(0)
        return inner / (2 * Ball.pi()).sqrt() + self._beyond(order, Ball(left), Ball(right))

    def _middle(self) -> float:
        r"""Where $qe^l$ is 1: X is next to 1 left of it, and grows like that right of it."""
        mu = math.sqrt(float(self.mu_squared))
        return mu / 2 - math.log(float(self.rate)) / mu

    def _product(self, order: Real, direction: Direction) -> Callable[[acb, bool], acb]:
        r"""$e^{-z^2/2}(X^r-1-ry)$."""
        q, mu = ball(self.rate), ball(self.mu_squared).sqrt()

        def function(z: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it so
            y = q * ((mu * z - mu * mu / 2).exp() - 1)
            return (-z * z / 2).exp() * complex_excess(y, order, direction, analytic)

        return function

    def _centred(self, order: Real, direction: Direction) -> Callable[[acb, bool], acb]:
        """The same where X is large, each term about the place where it is greatest: the ball of a product of what
        grows and what falls would be wide, and pieces of the integral many.
        """
        q, mu, r = ball(self.rate), ball(self.mu_squared).sqrt(), ball(order)

        def function(z: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it so
            loss, far, moved = mu * z - mu * mu / 2, z - r * mu, z - mu
            without = (-z * z / 2).exp()
            difference = q * ((-moved * moved / 2).exp() - without)
            log_share = (q + (1 - q) * (-loss).exp()).log(analytic=analytic)
            if order == 1:
                log = loss + log_share
                removed = (without + difference) * log - difference
                return removed if direction is Direction.REMOVE else difference - without * log
            if direction is Direction.REMOVE:
                power = (r * (r - 1) * mu * mu / 2 - far * far / 2 + r * log_share).exp()
                return power - without - r * difference
            return without * (((1 - r) * (loss + log_share)).exp() - 1) - (1 - r) * difference

        return function

    def _ends(self, order: float, log_least: float) -> tuple[float, float]:
        """Where what lies beyond is negligible, as far as floats can tell."""
        mu = math.sqrt(float(self.mu_squared))
        r = max(order, 1.0) if self.direction is Direction.REMOVE else min(1 - order, 0.0)
        reach = math.sqrt(max(-2 * log_least, 0.0) + 40) + abs(r) * mu + 2 * mu
        z = np.linspace(-reach, reach, 2001)
        loss = mu * z - mu * mu / 2
        log_x = PoissonRatio(self.rate).log(loss, 0.0).value
        height = math.log(abs(r) + 1) + np.maximum(r * log_x, np.maximum(log_x, 0.0)) + 2.0
        rising = log_ndtr(z) + height
        falling = height - r * loss + r * (r - 1) * mu * mu / 2 + log_ndtr(r * mu - z) if r > 1 else None
        falling = log_ndtr(mu - z) + height if falling is None else falling
        low, high = np.flatnonzero(rising > log_least), np.flatnonzero(falling > log_least)
        first = float(z[max(int(low[0]) - 1, 0)]) if low.size else -reach
        last = float(z[min(int(high[-1]) + 1, z.size - 1)]) if high.size else reach
        return min(first, last - 1.0), max(last, mu, 1.0)

    def _beyond(self, order: Real, left: Ball, right: Ball) -> Ball:
        """Between 0 and a bound, or its negative at orders below 1."""
        bound = (self._above(order, right, self.direction) + self._below(order, left)).upper()
        return Ball(0).union(bound) if order >= 1 else Ball(0).union(-bound)

    def _power(self, order: Real, direction: Direction) -> Ball:
        """The exponent of X in the bounds: no less than what they need."""
        if direction is Direction.ADD:
            return 1 - ball(order)
        return ball(order) if order > 1 else Ball(2 if order == 1 else 1)

    def _log_ratio(self, z: Ball) -> tuple[Ball, Ball]:
        """The loss without sampling, and ln X."""
        mu = ball(self.mu_squared).sqrt()
        loss = mu * z - mu * mu / 2
        return loss, PoissonRatio(self.rate).log_in_balls(loss)

    def _above(self, order: Real, right: Ball, direction: Direction) -> Ball:
        r"""Right of a point $X\le\kappa e^l$ with $\kappa = Xe^{-l}$ there, so that $X^r$ adds at most
        $\kappa^re^{r(r-1)\mu^2/2}\,\Phi(r\mu-z)$ if $r>1$; otherwise $|X^r-1-ry|\le\max(1,|r|)X$.
        """
        q, mu, r = ball(self.rate), ball(self.mu_squared).sqrt(), self._power(order, direction)
        if r > 1:
            end, log_end = self._log_ratio(right)
            return (r * (log_end - end) + r * (r - 1) * mu * mu / 2).exp() * tail(right - r * mu)
        return abs(r).max(Ball(1)) * (tail(right) + q * tail(right - mu))

    def _below(self, order: Real, left: Ball) -> Ball:
        r"""Left of a point $X$ is smaller than there: at most $X^r+rq$ if $r>1$, and $X+q$ if $0<r\le1$; if $r<0$ at
        most $X^r\le(1-q)^r$, or $e^{rl}$ where $l\le0$, beside $|r|X$.
        """
        q, mu, r = ball(self.rate), ball(self.mu_squared).sqrt(), self._power(order, self.direction)
        most, (loss, start) = abs(r).max(Ball(1)), self._log_ratio(left)
        if r > 0:
            return ((r.max(Ball(1)) * start).exp() + most * q) * tail(-left)
        plain = (r * (-q).log1p()).exp() * tail(-left)
        tilted = (r * (r - 1) * mu * mu / 2).exp() * tail(r * mu - left)
        found = (plain.min(tilted) if loss <= 0 else plain) + most * start.exp() * tail(-left)
        return found if order > 1 else found - (-q).log1p() * tail(-left)

    def _nodes(self, order: float) -> tuple[Floats, Floats]:
        return self._near if order <= 8 else self._spread(order)

    @cached_property
    def _near(self) -> tuple[Floats, Floats]:
        return self._spread(8.0)

    def _spread(self, order: float) -> tuple[Floats, Floats]:
        mu = math.sqrt(float(self.mu_squared))
        reach = max(order, 1.0) * mu + 9
        low, high = (-9.0, reach) if self.direction is Direction.REMOVE else (-reach, 9.0 + mu)
        z = np.linspace(low, high, max(NODES, math.ceil(4 * (high - low))))
        return mu * z - mu * mu / 2, math.log((z[1] - z[0]) / math.sqrt(2 * math.pi)) - z * z / 2


def tail(z: Ball) -> Ball:
    r"""$\Phi(-z)$."""
    return (z / Ball(2).sqrt()).erfc() / 2


@describes("X-SGM-RDP", MTZ19.at("Thm. 4, 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_gaussian_curve(m: Sampled, inner: GDP) -> Renyi:
    r"""Sampling each record with probability $q$ before a Gaussian with $\mu=\Delta/\sigma$ gives exactly
    $D_\alpha = \frac{1}{\alpha-1}\ln\mathrm{E}(1-q+qe^{\mu Z-\mu^2/2})^\alpha$, $Z$ standard normal; for integer
    $\alpha$ the mean is $\sum_{j}\binom{\alpha}{j}(1-q)^{\alpha-j}q^je^{j(j-1)\mu^2/2}$.
    """
    if m.rate in {0, 1} or inner.mu_squared == 0:
        raise Declined("nothing is sampled, or nothing is lost")
    remove, add = (SampledNormalCurve(m.rate, d, inner.mu_squared) for d in (Direction.REMOVE, Direction.ADD))
    return worst_when_removed(remove, add)


__all__ = ["SampledNormalCurve", "tail"]
