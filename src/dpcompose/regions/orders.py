"""From what is known of a mechanism to its trade-off functions, in each order of the neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from dpcompose.description import Subject
from dpcompose.errors import InvalidParameter
from dpcompose.kernel import Claim, Side
from dpcompose.notions import HockeyStick, Pair, Profile
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Enclosure, Real
from dpcompose.prove.answer import Answer, intersected, narrowed
from dpcompose.prove.claims import Derivation, known
from dpcompose.prove.narrowing import narrow
from dpcompose.regions.chain import Chain, Point, hull
from dpcompose.regions.closed import LaplaceTradeoff, NormalTradeoff
from dpcompose.regions.corners import corners
from dpcompose.regions.envelope import Envelope
from dpcompose.regions.levels import Levels, is_moderate
from dpcompose.regions.tradeoff import Corners, Order, Tradeoff
from dpcompose.theorems.gdp import NormalProfile
from dpcompose.theorems.loss.exact_sums import LaplaceProfile

ASKED, COARSE = 1e-9, 1e-5
"""Relative gaps for a single value of a profile: by all claims together, and by one claim alone, which usually comes
closer than asked, and would take many times longer to come closer still.
"""
ROUGH = 1e-3
"""The gap asked for where no claim knows the pair from both sides: only a bound is found then, at any effort."""
BOTH_PLACES = 2
"""The record may be in the first input or in the second."""
NEAR = 1e-4
"""A value known this closely from both sides is not compared with bounds from one side."""


@dataclass(frozen=True, slots=True)
class BothOrders:
    """T(P, Q) and T(Q, P) of every pair that neighbours may give, and the claims about the mechanism."""

    facts: Derivation
    views: tuple[View, ...]
    pairs: tuple[tuple[Tradeoff, Tradeoff], ...]
    """The functions in both orders, for each view."""
    asked: float = ASKED

    @property
    def forward(self) -> Tradeoff:
        """T(P, Q) of the pair as listed."""
        return self.pairs[0][0]

    @property
    def backward(self) -> Tradeoff:
        """T(Q, P) of the pair as listed."""
        return self.pairs[0][1]

    @property
    def symmetric(self) -> bool:
        """Whether there is a single pair, and both its orders are known to be equal."""
        return len(self.pairs) == 1 and self.forward is self.backward

    def of(self, order: Order) -> tuple[Tradeoff, ...]:
        """The functions among which an attacker in this order may choose."""
        if not isinstance(order, Order):
            raise InvalidParameter("order", order, "Order.EITHER, Order.FORWARD or Order.BACKWARD")
        kept = {Order.FORWARD: (0,), Order.BACKWARD: (1,), Order.EITHER: (0, 1)}[order]
        every = [pair[index] for pair in self.pairs for index in kept]
        return tuple({id(tradeoff): tradeoff for tradeoff in every}.values())

    def joint(self, order: Order) -> Tradeoff:
        """The greatest convex function below all of them, which all true (ε, δ) in this order together imply."""
        choices = self.of(order)
        if len(choices) == 1 and self.views[0].alone:
            return choices[0]
        if len(self.pairs) == 1 and isinstance(self.forward, Corners) and isinstance(self.backward, Corners):
            return _joined(self.forward, self.backward)
        other = {Order.FORWARD: Order.BACKWARD, Order.BACKWARD: Order.FORWARD}.get(order, order)
        lasts = is_moderate(self.facts.subject)
        first = Levels(worst_pair(self.facts, order, self.asked), lasts)
        second = first if other is order else Levels(worst_pair(self.facts, other, self.asked), lasts)
        return Envelope(first, second)


def both_orders(mechanism: Subject, asked: float = ASKED) -> BothOrders:
    """The exact functions of a law known in closed form; otherwise functions that compute values of the profile when
    needed.
    """
    facts = known(mechanism)
    for claim in facts.profiles():
        if claim.side is Side.BOTH:
            exact = exactly(claim.guarantee, claim)
            if exact is not None:
                view = View(facts, turned=False, alone=True, symmetric=exact[0] is exact[1])
                return BothOrders(facts, (view,), (exact,), asked)
    seen = views(facts)
    return BothOrders(facts, seen, tuple(_asking(view, asked) for view in seen), asked)


def _asking(view: View, asked: float) -> tuple[Tradeoff, Tradeoff]:
    lasts = is_moderate(view.facts.subject)
    first = Levels(view.question(Order.FORWARD, asked), lasts)
    if view.symmetric:
        both = Envelope(first, first)
        return both, both
    second = Levels(view.question(Order.BACKWARD, asked), lasts)
    return Envelope(first, second), Envelope(second, first)


def _pick(pair: Pair, order: Order) -> HockeyStick:
    return pair.forward if order is Order.FORWARD else pair.backward


@dataclass(frozen=True, slots=True)
class View:
    """One pair that neighbours may give, with all claims about it.

    An upper bound for the worse order bounds each order of each pair. A lower bound implies nothing for a pair unless
    the claim knows that very pair, in that order.
    """

    facts: Derivation
    turned: bool
    """False for the pair as listed, True for the pair with the record in the other input."""
    alone: bool
    """Whether listed pairs are all pairs, so that a bound for one of them need not hold for another."""
    symmetric: bool
    """Whether both orders of the pair are equal, or have the same bounds."""
    best: list[Claim[Profile]] = field(default_factory=list, compare=False, repr=False)
    """The same list as in `PairQuestion`, shared by both orders."""

    def question(self, order: Order, asked: float = ASKED) -> PairQuestion:
        """δ of the pair in one order, as a function of the level."""
        near = asked if self.alone else max(asked, ROUGH)
        return PairQuestion(self.facts, lambda profile, t: self._said(profile, order, t), near, self.best)

    def _said(self, profile: Profile, order: Order, t: Real) -> Enclosure:
        pairs = profile.pairs()
        own = next((_pick(pair, order) for pair in pairs if pair.turned is self.turned), None)
        if own is None:
            return Enclosure(0.0, profile.delta(t).upper)
        found = own.delta(t)
        if self.alone:
            return found
        return Enclosure(found.lower, _worst(profile, order, t, BOTH_PLACES).upper)


def views(facts: Derivation) -> tuple[View, ...]:
    """Every pair that neighbours may give, as listed by the first claim that knows all of them from both sides."""
    ordered = False
    for claim in facts.profiles():
        pairs = claim.guarantee.pairs()
        if claim.side is Side.BOTH and pairs:
            return tuple(
                View(facts, pair.turned, alone=True, symmetric=pair.forward == pair.backward) for pair in pairs
            )
        ordered |= any(pair.forward != pair.backward for pair in pairs)
    return (View(facts, turned=False, alone=False, symmetric=not ordered),)


def worst_pair(facts: Derivation, order: Order, asked: float = ASKED) -> PairQuestion:
    """δ of the worst of all pairs: d_t(P, Q) for FORWARD, d_t(Q, P) for BACKWARD, the greater of the two for EITHER."""
    seen = views(facts)
    places = len(seen) if seen[0].alone else BOTH_PLACES
    return PairQuestion(facts, lambda profile, t: _worst(profile, order, t, places), asked)


@dataclass(frozen=True, slots=True)
class PairQuestion:
    """δ at t ≥ 0 by the claims about a mechanism: a `levels.Ask`."""

    facts: Derivation
    said: Callable[[Profile, Real], Enclosure]
    """The enclosure that one claim gives at a level."""
    asked: float
    """The relative gap to reach."""
    best: list[Claim[Profile]] = field(default_factory=list)
    """The claim that gave both ends of the last answer; it is evaluated first the next time."""

    def __call__(self, t: Real, among: Sequence[Claim[Profile]] = (), side: Side = Side.BOTH) -> Answer:
        """δ at t, by these claims or, if none are given, by all that bound a wanted end."""

        def ask(profile: Profile, gap: float) -> Enclosure:
            return self.said(profile.to(max(gap, COARSE)), t)

        named = {id(claim): claim for claim in among}.values()
        if not named and side is Side.BOTH:
            found = narrowed("δ", self.facts, ask, UNIT_INTERVAL, self.asked, NEAR, self.best)
        else:
            claims = named or (claim for claim in self.facts.profiles() if claim.side & side)
            found = intersected("δ", narrow(claims, ask, UNIT_INTERVAL, self.asked, NEAR), UNIT_INTERVAL)
        if found.upper_by is not None and found.upper_by is found.lower_by:
            self.best[:] = [found.upper_by]
        return found


def _worst(profile: Profile, order: Order, t: Real, places: int) -> Enclosure:
    """What a profile implies for the worst pair. For a single order it implies no lower bound unless it knows the
    pairs.

    A symmetric bound lists one pair; with the record in the other input, the pair's orders are exchanged. Where both
    inputs may have the record, only the upper bound for the worse order remains.
    """
    pairs = profile.pairs()
    if order is Order.EITHER:
        return profile.delta(t)
    found = [_pick(pair, order).delta(t) for pair in pairs]
    least = max((e.lower for e in found), default=0.0)
    most = max(e.upper for e in found) if len(pairs) >= places else profile.delta(t).upper
    return Enclosure(least, max(least, most))


@singledispatch
def exactly(profile: Profile, claim: Claim[Any]) -> tuple[Tradeoff, Tradeoff] | None:
    """The functions in both orders, where the law is discrete or in closed form; else None."""
    return corners(profile, claim)


@exactly.register
def _(profile: NormalProfile, claim: Claim[Any]) -> tuple[Tradeoff, Tradeoff]:
    both = NormalTradeoff(profile.mu_squared, _polygons(profile, claim), claim, claim)
    return both, both


@exactly.register
def _(profile: LaplaceProfile, claim: Claim[Any]) -> tuple[Tradeoff, Tradeoff] | None:
    if profile.count > 1:
        return None
    both = LaplaceTradeoff(profile.step if profile.count else 0, _polygons(profile, claim), claim, claim)
    return both, both


def _polygons(profile: Profile, claim: Claim[Any]) -> Envelope:
    def ask(t: Real, among: Sequence[Claim[Any]] = (), side: Side = Side.BOTH) -> Answer:  # noqa: ARG001 - one claim
        return Answer("δ", profile.delta(t), claim, claim)

    levels = Levels(ask, is_moderate(claim.subject))
    return Envelope(levels, levels)


def _joined(forward: Corners, backward: Corners) -> Corners:
    """The convex hull of two chains of corners, computed exactly."""
    below, above = (
        hull([*first.corners, *second.corners])
        for first, second in ((forward.below, backward.below), (forward.above, backward.above))
    )
    corners = [
        (corner, low, high)
        for each in (forward, backward)
        for corner, low, high in zip(each.corners, _tail(each.below, each), _tail(each.above, each), strict=True)
    ]
    kept = {corner for corner, low, high in corners if low in set(below) or high in set(above)}
    ordered = sorted(kept, key=lambda corner: (corner[0].lower, -corner[1].lower))
    return Corners(tuple(ordered), Chain(below), Chain(above), forward.lower_by, forward.upper_by)


def _tail(chain: Chain, corners: Corners) -> tuple[Point, ...]:
    """The points of a chain that stand for corners: all except one that may have been added at the start."""
    return chain.corners[-len(corners.corners) :]


__all__ = ["BothOrders", "PairQuestion", "View", "both_orders", "views", "worst_pair"]
