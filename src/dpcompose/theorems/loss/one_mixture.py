r"""One run of a mixture of Gaussians: its best test is a threshold, found in floats and certified in balls.

In units of σ the ratio $\rho(u)=\sum p_ie^{a_iu-a_i^2/2}$ grows with the output $u$. Left of the best threshold by at
most $w$, a test misses no more than $w$ times the density there times how far the ratio is from its goal.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.kernel import Parts, Side, composes, describes
from dpcompose.mechanisms.mixture_of_gaussians import MixtureOfGaussians
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY
from dpcompose.notions import MixtureOnce, Profile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import root
from dpcompose.sources import HERE
from dpcompose.theorems.loss.gaussian_mixtures import followed, tail

FAR = 500.0
WIDTH = 1e-9
ROOT = 5000
"""Steps a shift takes while a threshold is sought."""


@dataclass(frozen=True, slots=True)
class OneMixture(Profile):
    """The worse of both orders, with the record first and with it second."""

    shifts: tuple[tuple[Fraction, Fraction], ...]
    """(a, p): a shift in σ, and its probability."""

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger of both."""
        found = self.removed(epsilon), self.added(epsilon)
        return Enclosure(max(e.lower for e in found), max(e.upper for e in found))

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse, certified by two evaluations; no level is said to do at δ = 0."""
        if delta >= 1:
            return ZERO
        if delta <= 0:
            return Enclosure(0.0, math.inf)
        return invert_decreasing(self.delta, Enclosure.exactly(delta), 1.0, 0.0, math.inf, gap=2.0**-36)

    def removed(self, epsilon: Real) -> Enclosure:
        r"""$\mathrm{P}(x>u)-e^\varepsilon\mathrm{Q}(x>u)$ where $\rho(u)=e^\varepsilon$."""
        if epsilon > FAR:
            return Enclosure(0.0, self.removed(FAR).upper)

        def height(u: Ball) -> Ball:
            return sum((ball(p) * tail(u - ball(a)) for a, p in self.shifts), -ball(epsilon).exp() * tail(u))

        return self._near(float(epsilon), height, lambda u: ball(epsilon).exp() - self._ratio(u))

    def added(self, epsilon: Real) -> Enclosure:
        r"""$\mathrm{Q}(x<u)-e^\varepsilon\mathrm{P}(x<u)$ where $\rho(u)=e^{-\varepsilon}$; nothing where no ratio is
        so small.
        """
        if epsilon > FAR:
            return Enclosure(0.0, self.added(FAR).upper)
        still = sum((p for a, p in self.shifts if not a), Fraction(0))
        if enclose(lambda: (-ball(epsilon)).exp()).upper <= still:
            return ZERO

        def height(u: Ball) -> Ball:
            return sum((-ball(epsilon).exp() * ball(p) * tail(ball(a) - u) for a, p in self.shifts), tail(-u))

        return self._near(-float(epsilon), height, lambda u: 1 - ball(epsilon).exp() * self._ratio(u))

    def _near(self, goal: float, height: Callable[[Ball], Ball], short: Callable[[Ball], Ball]) -> Enclosure:
        """At a threshold left of the best one, where the slope bounds what is missed."""
        effort.count(ROOT * len(self.shifts))
        threshold = root(lambda u: goal - self._log_ratio(u), -1e4, 1e4, 1e-14, 300)
        width = WIDTH * max(abs(threshold), 1.0)

        def between() -> Ball:
            left, right = ball(threshold - width), ball(threshold + width)
            if not (short(left) >= 0 and short(right) <= 0):
                return Ball(0).union(Ball(1))
            dense = (-(left * left).min(right * right) / 2).exp()
            return height(left) + Ball(0).union((dense * short(left) * (right - left)).upper())

        return enclose(lambda: between().nonnegative_part(), gap=2.0**-40) & UNIT_INTERVAL

    def _ratio(self, u: Ball) -> Ball:
        return sum((ball(p) * (ball(a) * u - ball(a) ** 2 / 2).exp() for a, p in self.shifts), Ball(0))

    def _log_ratio(self, u: float) -> float:
        each = [math.log(p) + float(a) * u - float(a) ** 2 / 2 for a, p in self.shifts]
        return max(each) + math.log(math.fsum(math.exp(x - max(each)) for x in each))


@describes("MOG-ONE", HERE.at("Mixtures of Gaussians"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def mixture_once(m: MixtureOfGaussians) -> MixtureOnce:
    r"""$\sum p_iN(c_i,\sigma^2)$ against $N(0,\sigma^2)$, and the reverse."""
    return MixtureOnce(OneMixture(followed(m)))


@composes("MOG-1", HERE.at("Mixtures of Gaussians"), side=Side.BOTH, cost=1)
def one_mixture(parts: Parts[MixtureOnce]) -> Profile:
    r"""One run: with the record first $\delta=\mathrm{P}(x>u)-e^\varepsilon\mathrm{Q}(x>u)$ at $\rho(u)=e^\varepsilon$,
    with it second $\delta=\mathrm{Q}(x<u)-e^\varepsilon\mathrm{P}(x<u)$ at $\rho(u)=e^{-\varepsilon}$,
    $\rho(u)=\sum p_ie^{a_iu-a_i^2/2}$ the ratio of the densities and $a_i=c_i/\sigma$.
    """
    if len(parts.items) != 1 or parts.items[0][1] != 1:
        raise Declined("holds for a single run")
    return parts.items[0][0].profile


__all__ = ["OneMixture"]
