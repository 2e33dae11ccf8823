"""The corners of the trade-off functions of discrete laws.

Accept the outcomes in decreasing order of their likelihood ratio $P/Q$: after each, the error under $P$ is the rest of
$P$, and the error under $Q$ the accepted part of $Q$ (Neyman and Pearson). Randomising at one ratio gives the line
between two corners. Both errors are sums of positive terms, added up from the small end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import accumulate
from typing import Any

from flint import arb

from dpcompose.exact.atoms import scaled
from dpcompose.exact.binomial import two_point_tails
from dpcompose.exact.states import Extent, table
from dpcompose.kernel import Claim
from dpcompose.mechanisms.discrete_pair import PairLaw
from dpcompose.notions import Profile
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.regions.chain import Chain
from dpcompose.regions.tradeoff import Corners
from dpcompose.theorems.approx.optimal import LeakyResponses
from dpcompose.theorems.approx.steps import leak_of
from dpcompose.theorems.loss.exact_sums import SumOfLosses

MOST_CORNERS = 20_000
MOST_EXACT = 400
MOST_FACTORS = 64
_BITS = 192

Parts = Sequence[tuple[Any, int]]
"""Laws with their counts."""


@singledispatch
def corners(profile: Profile, claim: Claim[Any]) -> tuple[Corners, Corners] | None:  # noqa: ARG001
    """The corners in both orders, for a discrete law of moderate size; None for any other."""
    return None


@corners.register
def _(profile: LeakyResponses, claim: Claim[Any]) -> tuple[Corners, Corners] | None:
    r"""KOV-FIG2: $(1-\delta)^k\,(P[\mathrm{Bin}(k,p)<j],\ P[\mathrm{Bin}(k,q)\ge j])$, $j = 0,\dots,k+1$."""
    laws = profile.responses()
    pure = _tabled(laws) if len(laws) > 1 else _binomial(*((laws[0][1], laws[0][0].epsilon) if laws else (0, 0)))
    if pure is None:
        return None
    if all(d == 0 for d, _ in profile.steps.deltas):
        found = pure
    else:
        with ctx.workprec(_BITS):
            kept = 1 - leak_of(profile.steps.deltas)
            found = tuple((_unit(kept * ball(a)), _unit(kept * ball(b))) for a, b in pure)
    both = Corners.of(_distinct(found), claim)
    return both, both


def _binomial(count: int, step: Real) -> tuple[tuple[Enclosure, Enclosure], ...] | None:
    return tuple(two_point_tails(count, step)) if count <= MOST_CORNERS else None


@corners.register
def _(profile: SumOfLosses, claim: Claim[Any]) -> tuple[Corners, Corners] | None:
    if all(isinstance(law, PairLaw) for law, _ in profile.forward):
        exact = rational(profile.forward)
        if exact is not None:
            found = tuple((Enclosure.exactly(a), Enclosure.exactly(b)) for a, b in exact)
            chain = Chain(exact)
            both = Corners(found, chain, chain, claim, claim)
            return both, both.swapped()
    if profile.forward == profile.backward:
        alike = _tabled(profile.forward)
        return None if alike is None else (both := Corners.of(alike, claim), both)
    each = [_tabled(order) for order in (profile.forward, profile.backward)]
    if each[0] is None or each[1] is None:
        return None
    return Corners.of(each[0], claim), Corners.of(each[1], claim)


def rational(parts: Parts) -> tuple[tuple[Fraction, Fraction], ...] | None:
    """The corners of a product of rational pairs, exactly; None if there are too many."""
    if sum(count for _, count in parts) > MOST_FACTORS:
        return None
    law: dict[Fraction, Fraction] = {Fraction(1): Fraction(1)}
    for part, count in parts:
        ratios = part.ratios()
        once = {ratio: mass for ratio, mass in ratios.items() if ratio is not None}
        for _ in range(count):
            if len(law) > MOST_EXACT or len(law) * len(once) > MOST_EXACT**2:
                return None
            merged: dict[Fraction, Fraction] = {}
            for a, v in law.items():
                for b, w in once.items():
                    merged[a * b] = merged.get(a * b, Fraction(0)) + v * w
            law = merged
    order = sorted(law, reverse=True)
    left = list(accumulate((law[ratio] for ratio in reversed(order)), initial=Fraction(0)))
    taken = list(accumulate((law[ratio] / ratio for ratio in order), initial=Fraction(0)))
    return tuple(zip(left, reversed(taken), strict=True))


def _tabled(parts: Parts) -> tuple[tuple[Enclosure, Enclosure], ...] | None:
    """The corners of a sum of laws, in balls; None if there are too many.

    Losses are rounded, which changes masses under Q by at most the factor of the drift. Mass beyond reach, which the
    law does not list, may or may not be there; it widens the error under P.
    """
    sums = scaled([part for part in parts if part[1]])
    if sum((Extent.of(part) for part in sums.parts), Extent()).size > MOST_CORNERS:
        return None
    with ctx.workprec(_BITS):
        law = table(sums.parts)
        drift = ball(0).union(ball(sums.drift)) - ball(0).union(ball(sums.drift))
        kept = math.prod(((1 - part.law.leak()).nonnegative_part() ** part.count for part in sums.parts), start=arb(1))
        unlisted = arb(0).union(kept.upper() - kept.lower())
        order = sorted(law, reverse=True)
        left = list(accumulate((law[loss] for loss in reversed(order)), initial=arb(0)))
        taken = accumulate(
            (law[x] * (drift - ball(Fraction(x, sums.denominator))).exp() for x in order), initial=arb(0)
        )
        pairs = zip(left, reversed(list(taken)), strict=True)
        return _distinct(tuple((_unit(a + unlisted), _unit(b)) for a, b in pairs))


def _unit(x: Ball) -> Enclosure:
    found = Enclosure.of(x)
    return Enclosure(min(max(found.lower, 0.0), 1.0), max(min(found.upper, 1.0), 0.0))


def _distinct(found: tuple[tuple[Enclosure, Enclosure], ...]) -> tuple[tuple[Enclosure, Enclosure], ...]:
    return tuple(dict.fromkeys(found))


__all__ = ["corners", "rational"]
