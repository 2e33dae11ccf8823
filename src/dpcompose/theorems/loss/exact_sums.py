"""Exact composition of privacy-loss laws: the loss of the whole is the sum of the parts' losses."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law
from dpcompose.exact.finite import is_quick, sum_delta, sum_epsilon
from dpcompose.exact.laplace import laplace_delta, laplace_epsilon
from dpcompose.kernel import Parts, Side, composes
from dpcompose.mechanisms.long_pair import FloatAtoms, LongPairLaw
from dpcompose.notions import FiniteLoss, LaplaceLossLaw, Pair, Profile, SymmetricProfile
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real, largest
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.sources import HERE, KOV15

MOST_SUMMED = 60


@dataclass(frozen=True, slots=True)
class LaplaceProfile(SymmetricProfile):
    """k Laplace losses of one step."""

    count: int
    step: Real

    def delta(self, epsilon: Real) -> Enclosure:
        """The alternating sum, in balls."""
        return laplace_delta(self.count, self.step, epsilon)

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse, certified by two evaluations."""
        return laplace_epsilon(self.count, self.step, Enclosure.exactly(delta))


@dataclass(frozen=True, slots=True)
class SumOfLosses(Profile):
    """The worse of the two orders of one neighbouring pair, each followed through every part."""

    forward: tuple[tuple[Law, int], ...]
    backward: tuple[tuple[Law, int], ...]

    def _orders(self) -> tuple[tuple[tuple[Law, int], ...], ...]:
        return (self.forward,) if self.forward == self.backward else (self.forward, self.backward)

    def pairs(self) -> tuple[Pair, ...]:
        """Each order by itself."""
        return (Pair(SumOfLosses(self.forward, self.forward), SumOfLosses(self.backward, self.backward)),)

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger of both."""
        return largest([sum_delta(order, epsilon) for order in self._orders()])

    def epsilon(self, delta: Real) -> Enclosure:
        """The larger of both."""
        return largest([sum_epsilon(order, Enclosure.exactly(delta)) for order in self._orders()])


@dataclass(frozen=True, slots=True)
class OnePair(Profile):
    """One run of a pair with many outcomes."""

    forward: LongPairLaw
    backward: LongPairLaw

    def pairs(self) -> tuple[Pair, ...]:
        """Each order by itself."""
        return (Pair(OnePair(self.forward, self.forward), OnePair(self.backward, self.backward)),)

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger of both."""
        level = Enclosure.exactly(epsilon)
        return largest([self._delta(law.floats(), level) for law in (self.forward, self.backward)])

    @staticmethod
    def _delta(atoms: FloatAtoms, level: Enclosure) -> Enclosure:
        return Enclosure(atoms.delta(level.upper).lower, atoms.delta(level.lower).upper)

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse, certified by two evaluations; infinite where more than δ leaks."""
        if delta >= 1:
            return ZERO
        return largest([self._epsilon(law.floats(), Enclosure.exactly(delta)) for law in (self.forward, self.backward)])

    @staticmethod
    def _epsilon(atoms: FloatAtoms, delta: Enclosure) -> Enclosure:
        if atoms.leak.lower > delta.upper:
            return Enclosure(math.inf, math.inf)
        guess = max(atoms.guess(delta.lower), 0.0)
        return invert_decreasing(atoms.delta, delta, guess, 0.0, math.inf, gap=2.0**-40)


@composes("X-LAP", HERE.at("X-LAP"), side=Side.BOTH, cost=2)
def laplace_composition(parts: Parts[LaplaceLossLaw]) -> Profile:
    r"""The loss of $k$ Laplace mechanisms with $\varepsilon=\Delta/b$ is $k\varepsilon-2S$, $S$ the sum of $k$
    independent variables that are 0 with probability ½ and else $\min(\mathrm{Exp}(1),\varepsilon)$; its profile
    is a finite alternating sum of incomplete gamma functions.
    """
    total: dict[Real, int] = {}
    for g, count in parts.items:
        total[g.step] = total.get(g.step, 0) + count
    steps = [(step, count) for step, count in total.items() if step != 0 and count != 0]
    if len(steps) > 1:
        raise Declined(f"needs one Δ/b throughout, and there are {len(steps)}")
    if steps and steps[0][1] > MOST_SUMMED:
        raise Declined(f"beyond {MOST_SUMMED} steps the saddle line gives the same number sooner")
    return LaplaceProfile(steps[0][1], steps[0][0]) if steps else LaplaceProfile(0, 0)


@composes("X-FIN", KOV15.at("Sec. 3"), side=Side.BOTH, cost=2)
def finite_composition(parts: Parts[FiniteLoss]) -> Profile:
    r"""The privacy loss of a composition is the sum of independent losses of its parts, all in one order of the
    neighbours: $\delta(\varepsilon) = \mathrm{P}(S=\infty)+\mathrm{E}(1-e^{\varepsilon-S})_+$, and the larger of
    the two orders counts. Here the values of the sum are few enough to be listed at once.
    """
    profile = _summed(parts)
    if isinstance(profile, SumOfLosses) and not is_quick(profile.forward):
        raise Declined("so many values are listed only after the saddle line was tried")
    return profile


@composes("X-FIN", KOV15.at("Sec. 3"), side=Side.BOTH, cost=8)
def long_finite_composition(parts: Parts[FiniteLoss]) -> Profile:
    r"""The privacy loss of a composition is the sum of independent losses of its parts, all in one order of the
    neighbours: $\delta(\varepsilon) = \mathrm{P}(S=\infty)+\mathrm{E}(1-e^{\varepsilon-S})_+$, and the larger of
    the two orders counts. Here the values of the sum are many: listed if they can be, and else between coarse bounds.
    """
    profile = _summed(parts)
    if not isinstance(profile, SumOfLosses) or is_quick(profile.forward):
        raise Declined("the values are few and were listed at once")
    return profile


def _summed(parts: Parts[FiniteLoss]) -> Profile:
    forward = tuple((g.forward, n) for g, n in parts.items)
    backward = tuple((g.backward, n) for g, n in parts.items)
    if any(isinstance(law, LongPairLaw) for law, _ in forward):
        first, last = forward[0][0], backward[0][0]
        if sum(n for _, n in forward) == 1 and isinstance(first, LongPairLaw) and isinstance(last, LongPairLaw):
            return OnePair(first, last)
        raise Declined("too many outcomes to list; the saddle line adds the same losses")
    return SumOfLosses(forward, backward)
