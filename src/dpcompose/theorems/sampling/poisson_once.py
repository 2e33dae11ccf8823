"""One run on a Poisson sample, in closed form: sampling bends the hockey stick, and does nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpcompose import inversion
from dpcompose.errors import Declined
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Parts, Side, composes, describes
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import GDP, ApproxDP, HockeyStick, LossTransform, Pair, Profile, SampledOnce
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.sources import BBG18, ZDW22
from dpcompose.theorems.loss.transform import in_between
from dpcompose.theorems.sampling.sampled_once import in_part

BITS = 64
"""About how many binary digits an irrational μ keeps."""


def normal_cdf(z: Ball) -> Ball:
    r"""$\Phi(z)$, accurate in the lower tail."""
    effort.count(700)
    return (-z / Ball(2).sqrt()).erfc() / 2


@dataclass(frozen=True, slots=True)
class SampledNormal(Profile):
    """(1−q)N(0, σ²) + qN(1, σ²) against N(0, σ²), and the reverse."""

    rate: Real
    noise_std: Real

    def removed(self, epsilon: Real) -> Enclosure:
        r"""$q\,(\Phi(-\frac y\mu+\frac\mu2)-R\,\Phi(-\frac y\mu-\frac\mu2))$ with $y = \ln R$,
        $R = 1+(e^\varepsilon-1)/q$ and $\mu = 1/\sigma$: the Gaussian's profile at $y$, times $q$.
        """

        def formula(e: Ball, q: Ball, mu: Ball) -> Ball:
            odds = 1 + e.expm1() / q
            y = odds.log() / mu
            return q * (normal_cdf(mu / 2 - y) - odds * normal_cdf(-mu / 2 - y))

        return self._enclosed(formula, epsilon)

    def added(self, epsilon: Real) -> Enclosure:
        r"""$(1-(1-q)e^\varepsilon)\,\Phi(\frac x\mu+\frac\mu2)-qe^\varepsilon\,\Phi(\frac x\mu-\frac\mu2)$ with
        $x = \ln(1+(e^{-\varepsilon}-1)/q)$; nothing once $e^{-\varepsilon}\le1-q$.
        """
        odds_left = enclose(lambda: 1 + (-ball(epsilon)).expm1() / ball(self.rate))
        if odds_left.lower <= 0:
            return ZERO if odds_left.upper <= 0 else Enclosure(0.0, 1.0)

        def formula(e: Ball, q: Ball, mu: Ball) -> Ball:
            x = ((-e).expm1() / q).log1p() / mu
            return (q - (1 - q) * e.expm1()) * normal_cdf(x + mu / 2) - q * e.exp() * normal_cdf(x - mu / 2)

        return self._enclosed(formula, epsilon)

    def _enclosed(self, formula: Callable[[Ball, Ball, Ball], Ball], epsilon: Real) -> Enclosure:
        found = enclose(lambda: formula(ball(epsilon), ball(self.rate), 1 / ball(self.noise_std)))
        return Enclosure(min(max(found.lower, 0.0), 1.0), min(max(found.upper, 0.0), 1.0))

    def pairs(self) -> tuple[Pair, ...]:
        """Each order by itself."""
        removed, added = (SampledNormalInOneOrder(self, direction) for direction in Direction)
        return (Pair(removed, added),)

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger of both orders."""
        found = self.removed(epsilon), self.added(epsilon)
        return Enclosure(max(e.lower for e in found), max(e.upper for e in found))

    def epsilon(self, delta: Real) -> Enclosure:
        r"""Removal alone gives $\ln(1+q(e^y-1))$, $y$ the Gaussian's ε at δ/q; two evaluations certify the rest."""
        return self.solved(self.delta, delta)

    def solved(self, reading: Callable[[Real], Enclosure], delta: Real) -> Enclosure:
        """Where one order, or the larger of both, falls to δ."""
        if delta >= 1:
            return ZERO
        if delta <= 0:
            return Enclosure(math.inf, math.inf)
        from dpcompose.exact.normal import normal_epsilon
        from dpcompose.numerics.roots import invert_decreasing

        inner = normal_epsilon(1 / Fraction(self.noise_std) ** 2, Fraction(delta) / Fraction(self.rate))
        guess = enclose(lambda: PoissonRatio(self.rate).log_in_balls(ball(inner)))
        near = guess.lower if math.isfinite(guess.lower) else 1.0
        return invert_decreasing(reading, Enclosure.exactly(delta), max(near, 0.0), 0.0, math.inf)


@dataclass(frozen=True, slots=True)
class SampledNormalInOneOrder(HockeyStick):
    """The first order, in which the record is removed, or the second, in which it is added."""

    both: SampledNormal
    direction: Direction

    def delta(self, epsilon: Real) -> Enclosure:
        """The closed form of this order."""
        return self.both.removed(epsilon) if self.direction is Direction.REMOVE else self.both.added(epsilon)

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse; an added record moves the loss by less than ln 1/(1 − q), whatever δ."""
        if delta <= 0 and self.direction is Direction.ADD:
            return enclose(lambda: -(-ball(self.both.rate)).log1p())
        return self.both.solved(self.delta, delta)


@composes("X-SGM-1", BBG18.at("Thm. 2"), side=Side.BOTH, cost=1)
def one_sampled_gaussian(parts: Parts[LossTransform]) -> Profile:
    r"""One Gaussian on a Poisson sample: $(1-q)Q+qP$ against $Q$ has the profile
    $q\,\delta_{P\|Q}(\ln(1+(e^\varepsilon-1)/q))$; the reverse follows from
    $\delta_{Q\|P}(\varepsilon) = 1-e^\varepsilon+e^\varepsilon\delta_{P\|Q}(-\varepsilon)$.
    """
    if len(parts.items) != 1 or parts.items[0][1] != 1:
        raise Declined("holds for a single run")
    step = parts.items[0][0].forward
    if not isinstance(step, inversion.SampledGaussianLoss):
        raise Declined("holds for a sampled Gaussian")
    return SampledNormal(step.rate, step.noise_std)


def _between(square: Fraction) -> tuple[Fraction, Fraction]:
    """Two rationals around an irrational μ, close together."""
    scale = 1 << (2 * BITS + max(square.denominator.bit_length() - square.numerator.bit_length(), 0))
    scaled = square * scale * scale
    root = math.isqrt(scaled.numerator // scaled.denominator)
    if not root or Fraction(root, scale) ** 2 == square:
        raise Declined("μ is rational")
    return Fraction(root, scale), Fraction(root + 1, scale)


def _sampled_normal(rate: Real, mu: Fraction) -> LossTransform:
    q = in_between(rate)
    remove, add = (
        inversion.SampledGaussianLoss(q, 1 / mu, direction) for direction in (Direction.REMOVE, Direction.ADD)
    )
    return LossTransform(remove, add, leak=0, turned=(add, remove))


@describes("X-LINE-SGM", ZDW22.at("Thm. 11"), relations=ADD_REMOVE_ONLY)
def sampled_gaussian_above(m: Sampled, inner: GDP) -> LossTransform:
    r"""A Gaussian with an irrational $\mu$ on a Poisson sample costs no more than one with a slightly larger, rational
    one on the same sample: noise can be added.
    """
    return _sampled_normal(m.rate, _between(Fraction(inner.mu_squared))[1])


@describes("X-LINE-SGM", ZDW22.at("Thm. 11"), side=Side.LOWER, relations=ADD_REMOVE_ONLY)
def sampled_gaussian_below(m: Sampled, inner: GDP) -> LossTransform:
    r"""A Gaussian with an irrational $\mu$ on a Poisson sample costs no less than one with a slightly smaller, rational
    one on the same sample: noise can be added.
    """
    return _sampled_normal(m.rate, _between(Fraction(inner.mu_squared))[0])


@describes("X-SAMPLE-1", BBG18.at("Thm. 8"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def bent_by_sampling(m: Sampled, inner: ApproxDP) -> SampledOnce:
    r"""An $(\varepsilon_0,\delta_0)$-DP mechanism on a Poisson sample: the profile of leaky randomized response at
    $\ln(1+(e^\varepsilon-1)/q)$, times $q$.
    """
    from dpcompose.theorems.loss.exact_sums import SumOfLosses
    from dpcompose.theorems.sampling.fixed_size import leaky

    law = leaky(inner).forward
    return SampledOnce(in_part(m.rate), SumOfLosses(((law, 1),), ((law, 1),)))
