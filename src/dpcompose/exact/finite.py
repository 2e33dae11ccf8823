r"""Sums of independent laws on finitely many numbers (and plus infinity), with multiplicities.

Asked for is the profile of $S = \sum_i \sum_{j\le n_i} L_{ij}$ and its inverse,

$$\delta(t) = P(S=\infty) + \mathrm{E}[(1-e^{t-S})_+; S<\infty],\qquad
  P(S=\infty) = 1-\prod_i(1-P(L_i=\infty))^{n_i}.$$

**Exactly**, where tables of two halves of the sum fit into memory: equal sums merge on whole numbers, the two halves
meet in the middle (`states`), in balls, with as many bits as the answer needs.
**Otherwise** between closed bounds (`chernoff`, `berry_esseen`) and, for up to a few thousand terms, between
two coarse lattices (`coarse`): sound, quick at any size, and up to some percent wide.
In tables, logarithms of ratios are rounded once (`atoms`); that moves `S` by at most `drift`, so levels are
moved by as much.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate

from flint import arb

from dpcompose.exact.atoms import Law, LogFraction, Loss, Part, Parts, Scaled, scaled
from dpcompose.exact.berry_esseen import NormalApproximation
from dpcompose.exact.chernoff import inverse_bounds, profile_bounds
from dpcompose.exact.coarse import coarse
from dpcompose.exact.states import Extent, MassTable, TableProfile, halves, table
from dpcompose.exact.tilted import Tilted
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import root

_FIRST_BITS, _MOST_BITS = 128, 2100
_GAP = 1e-12
_BOUNDED_GAP = 1e-6  # where bounds are some percent wide, more would be a waste
_LEAK_BITS = 512
_QUICK = 2000  # values of a table that is built at once
_SHORT = 16  # losses of all steps, whose tables are so small that many are kept
_EVALUATIONS = 60  # of a profile, each walking through the smaller table, until an inverse is certified


def sum_delta(parts: Parts, level: Real) -> Enclosure:
    """`P(S = inf) + E[(1-e^{t-S})_+; S < inf]` at the level `t`."""
    sums, t = scaled(parts), Fraction(level)
    with ctx.workprec(_LEAK_BITS):
        leak = Enclosure.of(_leak(parts)) & UNIT_INTERVAL
    if leak.lower >= 1:
        return leak
    exact = _tabled_delta(sums, t)
    if exact:
        return exact
    tilted = Tilted(sums)
    finite = profile_bounds(tilted, t) & NormalApproximation.near_level(tilted, float(ball(t))).profile(t)
    whole = Enclosure.of(ball(finite) + ball(leak)) & UNIT_INTERVAL
    return whole & _between(sums, lambda moved: _tabled_delta(moved, t))


def sum_epsilon(parts: Parts, delta: Enclosure) -> Enclosure:
    """The least `t >= 0` with `sum_delta(parts, t) <= d`, for every `d` in `delta`.

    Plus infinity, both ends, if `delta` is surely below the leak; where that cannot be told, the upper end alone.
    """
    if delta.lower >= 1:
        return ZERO
    with ctx.workprec(_LEAK_BITS):
        leak = _leak(parts)
        if leak > delta.upper:
            return Enclosure(math.inf, math.inf)
        feasible = leak <= delta.lower
    sums = scaled(parts)
    end = max(Fraction(sums.greatest, sums.denominator) + sums.drift, Fraction(0))
    if end == 0 and feasible:
        return ZERO
    most = Enclosure.exactly(end).upper
    found = _tabled_epsilon(sums, delta, most) or _bounded_epsilon(sums, leak, delta, most)
    return Enclosure(found.lower, min(found.upper, most) if feasible else math.inf)


def is_listable(parts: Parts) -> bool:
    """Whether two tables hold all sums, so that the profile is exact to a dozen digits."""
    return _halves(scaled(parts)) is not None


def is_quick(parts: Parts) -> bool:
    """Whether these tables are so small that an answer takes some milliseconds; often their least size tells."""
    often = sorted(parts, key=lambda part: (not hasattr(part[0], "size"), -part[1]))
    if any(size >= _QUICK for size in accumulate(n * (_different(law) - 1) for law, n in often)):
        return False
    blocks = _halves(scaled(parts))
    if blocks is None:
        return False
    few, many = (sum((Extent.of(part) for part in block), Extent()).size for block in blocks)
    return _EVALUATIONS * few + many <= _QUICK


def _different(law: Law) -> int:
    """How many different losses there are; some laws know without listing them."""
    known: int | None = getattr(law, "size", None)
    return len(dict(law.atoms())) if known is None else known


@dataclass(frozen=True, slots=True)
class _Meeting:
    """Two halves of a sum, built at one precision."""

    few: MassTable
    many: TableProfile
    leak: Ball
    sums: Scaled

    @classmethod
    def of(cls, sums: Scaled) -> _Meeting:
        """Build both tables at the working precision, or take those that were built last."""
        short = sum(part.count * len(part.losses) for part in sums.parts) <= _SHORT
        return (_met_shortly if short else _met)(sums, ctx.prec)

    def delta(self, level: Fraction) -> Enclosure:
        """δ at a level, enclosed."""
        return self.above(0, level) & UNIT_INTERVAL

    def above(self, origin: int, level: Fraction) -> Enclosure:
        """How far the profile lies above `origin`: between what the sum moved down and up by the drift has."""
        drift = self.sums.drift
        most = Enclosure.of(self._at(level - drift) - origin)
        return Enclosure(Enclosure.of(self._at(level + drift) - origin).lower, most.upper) if drift else most

    def _at(self, level: Fraction) -> Ball:
        return self.leak + self.many.at(level * self.sums.denominator, self.few)


@lru_cache(maxsize=64)
def _halves(sums: Scaled) -> tuple[list[Part], list[Part]] | None:
    return halves(sums.parts)


def _meet(sums: Scaled, bits: int) -> _Meeting:  # noqa: ARG001 - the precision at which it is built
    few, many = (table(block) for block in _halves(sums) or ([], []))
    return _Meeting(few, TableProfile(many, sums.denominator), _leak([(p.law, p.count) for p in sums.parts]), sums)


_met, _met_shortly = lru_cache(maxsize=4)(_meet), lru_cache(maxsize=256)(_meet)


def _tabled_delta(sums: Scaled, level: Fraction) -> Enclosure | None:
    """The profile from tables, or nothing if there are too many values."""
    bits = _FIRST_BITS
    if _halves(sums) is None:
        return None
    best = Enclosure(0.0, 1.0)
    while True:
        with ctx.workprec(bits):
            found = best & _Meeting.of(sums).delta(level)
        narrower, best = found.gap < best.gap / 4, found
        if best.gap <= _GAP or best.upper <= math.ulp(0.0) or not narrower or bits > _MOST_BITS:
            return best
        bits *= 2


def _tabled_epsilon(sums: Scaled, delta: Enclosure, most: float) -> Enclosure | None:
    """The inverse from tables: a guess from a few evaluations, then the proof of both ends."""
    bits = _FIRST_BITS
    if _halves(sums) is None:
        return None
    best, origin = Enclosure(0.0, math.inf), int(delta.lower > 0.5)  # near 1 what counts is the distance from 1
    target = Enclosure(delta.lower - origin, delta.upper - origin)
    while True:
        with ctx.workprec(bits):
            profile = _remembered(partial(_Meeting.of(sums).above, origin))
            found = invert_decreasing(profile, target, _guess(profile, target, most), 0.0, most, _GAP)
        narrower, best = found.gap < best.gap / 4, best & found
        if best.gap <= 2 * _GAP or not narrower or bits > _MOST_BITS:
            return best
        bits *= 2


def _guess(profile: Callable[[float], Enclosure], target: Enclosure, most: float) -> float:
    """Where the logarithm of the distance from the origin meets that of the middle of `target`."""
    aim = target.lower + (target.upper - target.lower) / 2
    if aim == 0.0:
        return most

    def height(t: float) -> float:
        found = profile(t)
        share = (found.lower + (found.upper - found.lower) / 2) / aim
        return math.copysign(1.0, aim) * math.log(share) if share > 0.0 else -math.inf

    return root(height, 0.0, min(most, sys.float_info.max), tolerance=1e-15, evaluations=40)


def _remembered(profile: Callable[[Fraction], Enclosure]) -> Callable[[float], Enclosure]:
    """The same function of floats, each evaluated once."""
    known: dict[float, Enclosure] = {}

    def recall(t: float) -> Enclosure:
        if t not in known:
            known[t] = profile(Fraction(t))
        return known[t]

    return recall


def _bounded_epsilon(sums: Scaled, leak: Ball, delta: Enclosure, most: float) -> Enclosure:
    """The inverse between closed bounds, for a sum too large for tables."""
    tilted = Tilted(sums)
    with ctx.workprec(_LEAK_BITS):
        least, greatest = arb(delta.lower) - leak, arb(delta.upper) - leak
        closed = inverse_bounds(tilted, least, greatest) & Enclosure(0.0, most)
        target = Enclosure.of(least.union(greatest).nonnegative_part())
    if target.upper > 0.0:
        normal = NormalApproximation.near_mass(tilted, math.log(target.upper))
        closed &= invert_decreasing(
            lambda t: normal.profile(Fraction(t)), target, closed.upper, 0.0, most, _BOUNDED_GAP
        )
    return closed & _between(sums, lambda moved: _tabled_epsilon(moved, delta, most))


def _between(sums: Scaled, question: Callable[[Scaled], Enclosure | None]) -> Enclosure:
    """What coarse lattices below and above the sum leave possible."""
    pair = coarse(sums)
    if pair is None:
        return NON_NEGATIVE
    below, above = (question(moved) or NON_NEGATIVE for moved in pair)
    return Enclosure(below.lower, above.upper)


def _leak(parts: Parts) -> Ball:
    """`1 - prod (1 - leak_i)^{n_i}`."""
    log_kept, all_told = arb(0), True
    for law, count in parts:
        leak = law.leak().max(arb(0)).min(arb(1))
        if leak >= 1 and count:
            return arb(1)
        if not leak < 1:  # for all these bits tell it may leak all
            leak, all_told = leak.lower(), False
        log_kept += count * (-leak).log1p()
    found = -log_kept.expm1()
    return found if all_told else found.union(arb(1))


__all__ = ["Law", "LogFraction", "Loss", "sum_delta", "sum_epsilon"]
