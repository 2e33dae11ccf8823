"""One run on a sample: the profile without sampling, bent by the rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.kernel import Parts, Side, composes, describes
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import Profile, SampledOnce
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.sources import BBG18

FAR = 1000


@dataclass(frozen=True, slots=True)
class SampledOnceProfile(Profile):
    r"""$q\,\delta_0(\ln(1+(e^\varepsilon-1)/q))$."""

    rate: Fraction
    whole: Profile

    def to(self, tolerance: float) -> SampledOnceProfile:
        """Aim at this relative gap; bending shrinks ε at most by the rate."""
        return SampledOnceProfile(self.rate, self.whole.to(tolerance))

    def in_balls(self) -> SampledOnceProfile:
        """The profile without sampling in ball arithmetic."""
        return SampledOnceProfile(self.rate, self.whole.in_balls())

    def delta(self, epsilon: Real) -> Enclosure:
        """Read at both floats around the level."""
        level = self._level(epsilon)
        high = self.whole.delta(max(level.lower, 0.0))
        low = self.whole.delta(level.upper) if level.upper < math.inf else ZERO  # no float is as far out
        return self._shared(low, high)

    def deltas(self, epsilons: Sequence[Real]) -> list[Enclosure]:
        """The same at many levels, which all records answer at once."""
        levels = [self._level(e) for e in epsilons]
        places = sorted({max(level.lower, 0.0) for level in levels} | {level.upper for level in levels} - {math.inf})
        known = dict(zip(places, self.whole.deltas(places), strict=True))
        return [self._shared(known.get(level.upper, ZERO), known[max(level.lower, 0.0)]) for level in levels]

    def _shared(self, low: Enclosure, high: Enclosure) -> Enclosure:
        """Times the rate."""
        found = Enclosure(min(low.lower, high.upper), high.upper)
        return enclose(lambda: ball(self.rate) * ball(found), gap=1.0) & UNIT_INTERVAL

    def _level(self, epsilon: Real) -> Enclosure:
        """The level without sampling."""
        return enclose(lambda: self._bent(ball(epsilon), far=epsilon > FAR))

    def _bent(self, epsilon: Ball, *, far: bool) -> Ball:
        q = ball(self.rate)
        return epsilon - q.log() + ((q - 1) * (-epsilon).exp()).log1p() if far else (epsilon.expm1() / q).log1p()

    def epsilon(self, delta: Real) -> Enclosure:
        r"""$\ln(1+q(e^y-1))$ with $y$ the least ε without sampling at $\delta/q$."""
        target = Fraction(delta) / self.rate
        if target >= 1:
            return ZERO
        y = self.whole.epsilon(target)
        low, high = (self._amplified(end) for end in (y.lower, y.upper))
        return Enclosure(low.lower, high.upper)

    def _amplified(self, y: float) -> Enclosure:
        if math.isinf(y):
            return Enclosure(math.inf, math.inf)
        q = ball(self.rate)
        if y > FAR:
            found = enclose(lambda: ball(y) + (q + (1 - q) * (-ball(y)).exp()).log())
        else:
            found = enclose(lambda: PoissonRatio(self.rate).log_in_balls(ball(y)))
        return Enclosure(max(found.lower, 0.0), max(found.upper, 0.0))


def in_part(rate: Real) -> Fraction:
    """A rate at which some records are drawn and some are not."""
    if rate in {0, 1}:
        raise Declined("all records are drawn, or none")
    return Fraction(rate)


@describes("X-SAMPLE-1", BBG18.at("Thm. 8"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def bent_by_poisson(m: Sampled, inner: Profile) -> SampledOnce:
    r"""On a Poisson sample the neighbours give $(1-q)Q+qP$ and $Q$. For $\varepsilon\ge0$ and
    $R = 1+(e^\varepsilon-1)/q$, $(1-q)Q+qP-e^\varepsilon Q = q(P-RQ)$: so $\delta(\varepsilon) = q\,\delta_0(\ln R)$
    when a record is removed, with $\delta_0$ the profile without sampling. When one is added,
    $Q-e^\varepsilon((1-q)Q+qP) = c\,(Q-(qe^\varepsilon/c)P)$ with $c = 1-(1-q)e^\varepsilon\le q$ and
    $qe^\varepsilon/c\ge R$, which is no more. Divergences are jointly convex, so other records change nothing.
    """
    return SampledOnce(in_part(m.rate), inner)


@describes("X-WOR-BENT", BBG18.at("Thm. 9"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def bent_by_drawing(m: SampledWithoutReplacement, inner: Profile) -> SampledOnce:
    r"""Any mechanism on $m$ of $n$ records, $\eta = m/n$: its profile at $\ln(1+(e^\varepsilon-1)/\eta)$, times
    $\eta$, reached where all other records are alike.
    """
    return SampledOnce(in_part(m.rate), inner)


@composes("X-WOR-1", BBG18.at("Thm. 8, 9"), side=Side.BOTH, cost=2)
def one_run_on_a_fixed_sample(parts: Parts[SampledOnce]) -> Profile:
    r"""One run on a sample, Poisson's or one drawn without replacement, has exactly the profile
    $\eta\,\delta_0(\ln(1+(e^\varepsilon-1)/\eta))$, $\eta$ the chance of a record to be in it.
    """
    if len(parts.items) != 1 or parts.items[0][1] != 1:
        raise Declined("holds for a single run")
    bent = parts.items[0][0]
    return SampledOnceProfile(bent.rate, bent.whole)


__all__ = ["SampledOnceProfile", "in_part"]
