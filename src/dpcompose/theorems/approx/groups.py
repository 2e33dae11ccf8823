"""Group privacy of whatever bounds δ(ε), a composition's profile as a whole among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from dpcompose.errors import Declined
from dpcompose.kernel import describes
from dpcompose.mechanisms.group import Group, grown, growth
from dpcompose.notions import Alone, Profile
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real, enclose
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.sources import DR14

MOST_LEVEL = 800.0
"""Each record adds a factor e^ε: a larger share of ε leaves nothing to promise."""
TURNS = 8
"""How often a share is corrected by what one record needs."""


@dataclass(frozen=True, slots=True)
class GroupProfile(Profile):
    r"""$\delta(x)\,(1+e^x+\dots+e^{(g-1)x})$ at $\varepsilon = gx$: an upper bound, as all the rest here."""

    one: Profile
    size: int
    tolerance: float = 1e-6

    def to(self, tolerance: float) -> GroupProfile:
        """Aim at this relative gap."""
        return replace(self, one=self.one.to(tolerance), tolerance=tolerance)

    def in_balls(self) -> GroupProfile:
        """One record in ball arithmetic."""
        return replace(self, one=self.one.in_balls())

    def delta(self, epsilon: Real) -> Enclosure:
        """Each record takes an equal share of ε, rounded down."""
        return self.deltas((epsilon,))[0]

    def deltas(self, epsilons: Sequence[Real]) -> list[Enclosure]:
        """The same at many levels, which one record answers all at once."""
        shares = [Enclosure.exactly(Fraction(e) / self.size).lower for e in epsilons]
        return [self._grown(x, known.upper) for x, known in zip(shares, self.one.deltas(shares), strict=True)]

    def _grown(self, share: float, known: float) -> Enclosure:
        found = grown(known, Fraction(share), self.size)
        return Enclosure(0.0, found.upper if isinstance(found, Enclosure) else float(found))

    def epsilon(self, delta: Real) -> Enclosure:
        """The least share that is seen to do, times the number of records; any that does is valid."""
        if delta >= 1:
            return ZERO
        share = self._least(Enclosure.exactly(delta)) if delta else MOST_LEVEL
        if share >= MOST_LEVEL:
            share = self.one.epsilon(0).upper
        return Enclosure(0.0, Enclosure.exactly(Fraction(share) * self.size).upper if share < math.inf else math.inf)

    def _least(self, target: Enclosure) -> float:
        """About the least share that does: where one record needs no more than the share whose growth it was given.

        One record that is below δ over the growth at some share does with any share up to that one.
        """
        share, step, best = self.one.epsilon(target.lower / self.size).upper, 0.0, math.inf
        for _ in range(TURNS):
            if not 0.0 < share < MOST_LEVEL:
                break
            given = share * (1.0 + self.tolerance)
            most = enclose(partial(growth, Fraction(given), self.size)).upper
            if not target.lower > 1e-290 * most:
                break
            needed = self.one.epsilon(target.lower / most * (1.0 - 2.0**-50)).upper
            if needed <= given:
                best = min(best, needed)
                if needed >= given * (1.0 - 3.0 * self.tolerance):
                    break
            before, step = step, needed - share
            slower = step / before if before else 0.0
            share = needed + (step * slower / (1.0 - slower) if abs(slower) < 0.9 else 0.0)
        return best if best < math.inf or not share < MOST_LEVEL else self._searched(target, share)

    def _searched(self, target: Enclosure, guess: float) -> float:
        """The same, share by share."""
        failed = 0.0

        def seen(share: float) -> Enclosure:
            """The bound, as if it were reached: only its upper end is asked for. Where a greater share was not seen to
            do none is, though roundings may say so: the bound is no decreasing function, only δ is.
            """
            nonlocal failed
            found = 1.0 if share < failed else self._grown(share, self.one.delta(share).upper).upper
            failed = max(failed, share) if found > target.lower else failed
            return Enclosure(found, found)

        return invert_decreasing(seen, target, guess, 0.0, MOST_LEVEL, self.tolerance).upper


@describes("GROUP", DR14.at("Thm. 2.2"))
def group_of_any(m: Group, inner: Profile) -> Alone:
    r"""Whoever is $(x,\delta(x))$-DP for every $x$ is, in groups of $g$,
    $(gx,\ \delta(x)\,\frac{e^{gx}-1}{e^x-1})$-DP for every $x$.
    """
    if m.size == 1:
        raise Declined("a group of one is one record")
    return Alone(GroupProfile(inner, m.size))


__all__ = ["GroupProfile"]
