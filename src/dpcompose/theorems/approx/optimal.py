"""The optimal composition of black boxes: what the worst mechanisms cost together, exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.exact.binomial import two_point_delta, two_point_epsilon
from dpcompose.exact.finite import is_listable, sum_delta, sum_epsilon
from dpcompose.kernel import Parts, Side, composes
from dpcompose.notions import ApproxDP, Profile, SymmetricProfile
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.sources import KOV15, MV16
from dpcompose.theorems.approx.steps import Steps, beyond_leak, leak_of

INFINITE = Enclosure(math.inf, math.inf)
MOST_KINDS = 64


@dataclass(frozen=True, slots=True)
class TwoPointLaw:
    """±ε with the odds e^ε to 1: randomized response."""

    epsilon: Real

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The two losses with their probabilities."""
        e, x = Fraction(self.epsilon), (-ball(self.epsilon)).exp()
        return [(e, 1 / (1 + x)), (-e, x / (1 + x))]

    def leak(self) -> Ball:
        """The leak is kept apart."""
        return Ball(0)


@dataclass(frozen=True, slots=True)
class LeakyResponses(SymmetricProfile):
    """The product of leaky randomized responses: first the leak, then the sum of the ±ε."""

    steps: Steps

    def responses(self) -> list[tuple[TwoPointLaw, int]]:
        """The ±ε with their counts, equal ε gathered, ε = 0 left out."""
        total: dict[Fraction, int] = {}
        for e, _, count in self.steps.items:
            total[Fraction(e)] = total.get(Fraction(e), 0) + count
        return [(TwoPointLaw(e), count) for e, count in sorted(total.items()) if e]

    def pure_delta(self, epsilon: Real) -> Enclosure:
        """δ of the randomized responses alone."""
        laws = self.responses()
        if len(laws) != 1:
            return sum_delta(laws, epsilon) if laws else ZERO
        return two_point_delta(laws[0][1], laws[0][0].epsilon, epsilon)

    def pure_epsilon(self, d: Enclosure) -> Enclosure:
        """ε of the randomized responses alone, at the δ left beyond the leak."""
        laws = self.responses()
        if d.upper <= 0:  # nothing may be lost: only the largest loss of all will do
            return Enclosure.exactly(self.steps.basic())
        if len(laws) != 1:
            return sum_epsilon(laws, d) if laws else ZERO
        return two_point_epsilon(laws[0][1], laws[0][0].epsilon, d)

    def delta(self, epsilon: Real) -> Enclosure:
        r"""$1-\prod(1-\delta_i)\,(1-\delta_{\mathrm{pure}}(\varepsilon))$."""
        pure = self.pure_delta(epsilon)
        if all(d == 0 for d, _ in self.steps.deltas):
            return pure

        def formula() -> Ball:
            leak = leak_of(self.steps.deltas)
            return leak + (1 - leak) * ball(pure)

        return enclose(formula) & UNIT_INTERVAL

    def epsilon(self, delta: Real) -> Enclosure:
        """The least ε whose δ is small enough; infinite when the leak alone exceeds δ."""
        if delta >= 1:
            return ZERO
        left = beyond_leak(delta, self.steps.deltas)
        if left.upper < 0:
            return INFINITE
        if left.lower < 0:  # undecided at any precision worth trying: both may be true
            return Enclosure(self.pure_epsilon(Enclosure(0.0, left.upper)).lower, math.inf)
        return self.pure_epsilon(left & UNIT_INTERVAL)


@composes("KOV-3.3", KOV15.at("Thm. 3.3"), side=Side.BOTH, aliases=("X-PROF", "X-INV"))
def optimal_homogeneous(parts: Parts[ApproxDP]) -> Profile:
    r"""$k$ steps that are $(\varepsilon,\delta)$-DP compose to $((k-2i)\varepsilon,\,1-(1-\delta)^k(1-\delta_i))$-DP,
    $i = 0,\dots,\lfloor k/2\rfloor$, with
    $$\delta_i = \sum_{\ell=0}^{i-1}\binom k\ell\frac{e^{(k-\ell)\varepsilon}-e^{(k-2i+\ell)\varepsilon}}
    {(1+e^\varepsilon)^k},$$ and to nothing better. Between these points δ is linear in $e^\varepsilon$.
    """
    steps = Steps.of(parts, MOST_KINDS)
    steps.alike()
    return LeakyResponses(steps)


@composes("X-HET", MV16.at("Thm. 1.5"), side=Side.BOTH, cost=2)
def optimal_heterogeneous(parts: Parts[ApproxDP]) -> Profile:
    r"""Steps that are $(\varepsilon_i,\delta_i)$-DP compose to
    $(\varepsilon,\ 1-\prod(1-\delta_i)(1-\delta_{\mathrm{pure}}(\varepsilon)))$-DP, and to nothing better, with
    $$\delta_{\mathrm{pure}}(\varepsilon) = \sum_{S}\frac{\max\{0,\,e^{\sum_S\varepsilon_i}-e^{\varepsilon}
    e^{\sum_{S^c}\varepsilon_i}\}}{\prod(1+e^{\varepsilon_i})}.$$
    """
    steps = Steps.of(parts, MOST_KINDS)
    if len(steps.items) <= 1:
        raise Declined("the steps are equal, so the homogeneous theorem says the same")
    found = LeakyResponses(steps)
    if not is_listable(found.responses()):
        raise Declined("too many different sums to list; the saddle line evaluates the same optimum")
    return found
