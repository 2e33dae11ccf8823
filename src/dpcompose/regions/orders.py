"""From what is known of a mechanism to its trade-off function, in each order of the neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

from dpcompose.description import Mechanism
from dpcompose.kernel import Claim, Side
from dpcompose.notions import Profile
from dpcompose.numerics.enclosure import UNIT, Real
from dpcompose.prove.answer import Answer, narrowed
from dpcompose.prove.claims import Known, known
from dpcompose.regions.chain import Chain, Point, hull
from dpcompose.regions.closed import LaplaceTradeoff, NormalTradeoff
from dpcompose.regions.corners import corners
from dpcompose.regions.envelope import Envelope
from dpcompose.regions.levels import Levels
from dpcompose.regions.tradeoff import Corners, Order, Tradeoff
from dpcompose.theorems.gdp import NormalProfile
from dpcompose.theorems.loss import LaplaceProfile

ASKED = 1e-9
"""The relative gap asked of a single value of a profile."""


@dataclass(frozen=True, slots=True)
class BothOrders:
    """T(P, Q) and T(Q, P) of one neighbouring pair, and what is known of the mechanism."""

    facts: Known
    forward: Tradeoff
    backward: Tradeoff
    asked: float = ASKED

    @property
    def symmetric(self) -> bool:
        """Whether both orders are known to be the same."""
        return self.forward is self.backward

    def of(self, order: Order) -> tuple[Tradeoff, ...]:
        """The functions that an attacker in this order may choose from."""
        each = {Order.FORWARD: (self.forward,), Order.BACKWARD: (self.backward,)}
        return each.get(order, (self.forward,) if self.symmetric else (self.forward, self.backward))

    def joint(self) -> Tradeoff:
        """The greatest convex function below both orders, which is as much as all (ε, δ) together say."""
        if self.symmetric:
            return self.forward
        if isinstance(self.forward, Corners) and isinstance(self.backward, Corners):
            return _joined(self.forward, self.backward)
        worse = Levels(partial(ask, self.facts, Order.EITHER, asked=self.asked))
        return Envelope(worse, worse)


def both_orders(mechanism: Mechanism, asked: float = ASKED) -> BothOrders:
    """The exact function of a law known in closed form, or else one that asks for values of its profile."""
    facts = known(mechanism)
    for claim in facts.profiles():
        if claim.side is Side.BOTH:
            exact = exactly(claim.guarantee, claim)
            if exact is not None:
                return BothOrders(facts, *exact, asked)
    first = Levels(partial(ask, facts, Order.FORWARD, asked=asked))
    if symmetric(facts):
        both = Envelope(first, first)
        return BothOrders(facts, both, both, asked)
    second = Levels(partial(ask, facts, Order.BACKWARD, asked=asked))
    return BothOrders(facts, Envelope(first, second), Envelope(second, first), asked)


def symmetric(facts: Known) -> bool:
    """Whether everything known says the same of both orders."""
    return all(first == second for first, second in (claim.guarantee.orders() for claim in facts.profiles()))


def ask(facts: Known, order: Order, t: Real, asked: float = ASKED) -> Answer:
    """δ at t ≥ 0: d_t(P, Q) forward, d_t(Q, P) backward, the worse of the two in either order."""
    sides: dict[Order, Callable[[Profile], Profile]] = {
        Order.FORWARD: lambda profile: profile.orders()[0],
        Order.BACKWARD: lambda profile: profile.orders()[1],
        Order.EITHER: lambda profile: profile,
    }
    return narrowed("δ", facts, lambda profile: sides[order](profile.to(asked)).delta(t), UNIT, asked)


@singledispatch
def exactly(profile: Profile, claim: Claim[Any]) -> tuple[Tradeoff, Tradeoff] | None:
    """Both orders, where the law is discrete or in closed form."""
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
    levels = Levels(lambda t: Answer("δ", profile.delta(t), claim, claim))
    return Envelope(levels, levels)


def _joined(forward: Corners, backward: Corners) -> Corners:
    """The convex hull of two chains of corners, decided exactly."""
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
    """The chain's points that stand for corners: all, but for one that may have been put before them."""
    return chain.corners[-len(corners.corners) :]


__all__ = ["BothOrders", "ask", "both_orders", "symmetric"]
