r"""Sums of independent laws on finitely many numbers (and plus infinity), with multiplicities.

Asked for is the profile of $S = \sum_i \sum_{j\le n_i} L_{ij}$ and its inverse,

$$\delta(t) = P(S=\infty) + \mathrm{E}[(1-e^{t-S})_+; S<\infty],\qquad
  P(S=\infty) = 1-\prod_i(1-P(L_i=\infty))^{n_i}.$$

**Exactly**, where tables of two halves of the sum fit into memory: equal sums merge on whole numbers, the two halves
meet in the middle (`states`), in balls, with as many bits as the answer needs.
**Otherwise** between two closed bounds (`chernoff`): sound, quick at any size, and some percent wide.
Logarithms of ratios are rounded once (`atoms`); that moves `S` by at most `drift`, so levels are moved by as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from dpcompose.numerics.atoms import Law, LogRatio, Loss, Part, Parts, Scaled, scaled
from dpcompose.numerics.chernoff import inverse_bounds, profile_bounds
from dpcompose.numerics.enclosure import NOTHING, UNIT, Ball, Enclosure, Real, ball
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import root
from dpcompose.numerics.states import Table, TableProfile, halves, table

_FIRST_BITS, _MOST_BITS = 128, 2100
_GAP = 1e-12
_LEAK_BITS = 512


def sum_delta(parts: Parts, level: Real) -> Enclosure:
    """`P(S = inf) + E[(1-e^{t-S})_+; S < inf]` at the level `t`."""
    sums, t = scaled(parts), Fraction(level)
    blocks = halves(sums.parts)
    with ctx.workprec(_LEAK_BITS):
        leak = Enclosure.of(_leak(parts))
    if blocks is None:
        return _leaking(profile_bounds(sums, t), leak)
    bits = _FIRST_BITS
    while True:
        with ctx.workprec(bits):
            found = _Meeting.of(sums, blocks).delta(t)
        if found.gap <= _GAP or found.upper <= math.ulp(0.0) or bits > _MOST_BITS or _hopeless(leak, found):
            return found
        bits *= 2


def sum_epsilon(parts: Parts, delta: Enclosure) -> Enclosure:
    """The least `t >= 0` with `sum_delta(parts, t) <= d`, for every `d` in `delta`.

    Plus infinity, both ends, if `delta` is surely below the leak; where that cannot be told, the upper end alone.
    """
    if delta.lower >= 1:
        return NOTHING
    with ctx.workprec(_LEAK_BITS):
        leak = _leak(parts)
        if leak > delta.upper:
            return Enclosure(math.inf, math.inf)
        feasible = leak <= delta.lower
    sums = scaled(parts)
    end = max(Fraction(sums.greatest, sums.denominator) + sums.drift, Fraction(0))
    if end == 0 and feasible:
        return NOTHING
    most = Enclosure.exactly(end).upper
    blocks = halves(sums.parts)
    found = _bounded(sums, leak, delta, most) if blocks is None else _solved(sums, blocks, delta, most)
    return Enclosure(found.lower, min(found.upper, most) if feasible else math.inf)


@dataclass(frozen=True, slots=True)
class _Meeting:
    """Two halves of a sum, built at one precision."""

    few: Table
    many: TableProfile
    leak: Ball
    sums: Scaled

    @classmethod
    def of(cls, sums: Scaled, blocks: tuple[list[Part], list[Part]]) -> _Meeting:
        """Build both tables at the working precision."""
        few, many = (table(block) for block in blocks)
        return cls(few, TableProfile(many, sums.denominator), _leak([(p.law, p.count) for p in sums.parts]), sums)

    def delta(self, level: Fraction) -> Enclosure:
        """The profile: between what a sum moved down and a sum moved up by the drift have."""
        above = self._at(level - self.sums.drift)
        return above if not self.sums.drift else Enclosure(self._at(level + self.sums.drift).lower, above.upper)

    def _at(self, level: Fraction) -> Enclosure:
        finite = self.many.at(level * self.sums.denominator, self.few)
        found = Enclosure.of(self.leak + finite)
        return Enclosure(min(max(found.lower, 0.0), 1.0), max(min(found.upper, 1.0), 0.0))


def _solved(sums: Scaled, blocks: tuple[list[Part], list[Part]], delta: Enclosure, most: float) -> Enclosure:
    """The inverse of a profile in tables: a guess from a few evaluations, then the proof of both ends."""
    bits, best = _FIRST_BITS, Enclosure(0.0, math.inf)
    while True:
        with ctx.workprec(bits):
            meeting = _Meeting.of(sums, blocks)
            profile = _remembered(meeting.delta)
            guess = _guess(profile, delta, most)
            found = invert_decreasing(profile, delta, guess, 0.0, most, _GAP)
        narrower, best = found.gap < best.gap / 4, best & found
        if best.gap <= 2 * _GAP or not narrower or bits > _MOST_BITS:
            return best
        bits *= 2


def _guess(profile: Callable[[float], Enclosure], delta: Enclosure, most: float) -> float:
    """Where the logarithm of the profile meets that of the middle of `delta`."""
    aim = delta.lower + (delta.upper - delta.lower) / 2
    if aim <= 0.0:
        return most

    def height(t: float) -> float:
        found = profile(t)
        value = found.lower + (found.upper - found.lower) / 2
        return math.log(value / aim) if value > 0.0 else -math.inf

    return root(height, 0.0, most, tolerance=1e-15, evaluations=40)


def _remembered(profile: Callable[[Fraction], Enclosure]) -> Callable[[float], Enclosure]:
    """The same function of floats, each evaluated once."""
    known: dict[float, Enclosure] = {}

    def recall(t: float) -> Enclosure:
        if t not in known:
            known[t] = profile(Fraction(t))
        return known[t]

    return recall


def _bounded(sums: Scaled, leak: Ball, delta: Enclosure, most: float) -> Enclosure:
    """The inverse between closed bounds, for a sum too large for tables."""
    with ctx.workprec(_LEAK_BITS):
        finite = inverse_bounds(sums, arb(delta.lower) - leak, arb(delta.upper) - leak)
    return Enclosure(min(finite.lower, most), min(finite.upper, most))


def _leak(parts: Parts) -> Ball:
    """`1 - prod (1 - leak_i)^{n_i}`."""
    log_kept = arb(0)
    for law, count in parts:
        leak = law.leak().max(arb(0)).min(arb(1))
        if count and not leak.is_zero():
            log_kept += count * (-leak).log1p() if leak < 1 else arb("-inf")
    return -log_kept.expm1()


def _leaking(finite: Enclosure, leak: Enclosure) -> Enclosure:
    """What leaks and what does not, together."""
    return Enclosure.of(ball(finite) + ball(leak)) & UNIT


def _hopeless(leak: Enclosure, found: Enclosure) -> bool:
    """Whether the leak itself is known no better than the whole."""
    return leak.upper - leak.lower >= (found.upper - found.lower) / 2


__all__ = ["Law", "LogRatio", "Loss", "sum_delta", "sum_epsilon"]
