r"""The distribution of the privacy loss $L = \ln(P/Q)$ under $P$: an estimate for pictures.

A discrete law has atoms, given by the corners of its region. Otherwise the profile determines it: with $s = e^t$ its
slope is $-\delta'(s) = Q(L>t)$, so $P(L>t) = \delta-s\delta'$, and in the other order of the pair $-\delta'(s) =
P(L<-t)$. Slopes are taken over chords, so heights are estimates; nothing that promises is made of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from dpcompose.description import Mechanism, Subject, described
from dpcompose.errors import NotProvable
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.parameters import Whole
from dpcompose.regions.chain import Floats
from dpcompose.regions.orders import BothOrders, both_orders
from dpcompose.regions.tradeoff import Order

DeltaAt: TypeAlias = Callable[[float], float]

MOST_ATOMS = 2000
BINS = Whole("bins", 4, 400, "", typical=(20, 80))
_BINS = 40
_TAIL = 1e-5
_WIDE = 1e-3
_NEGLIGIBLE = 1e-9
_ENDLESS = 1e300
_NEAR, _FAR = 1e-12, 700.0


@dataclass(frozen=True, slots=True)
class LossDistribution:
    """An estimate of the law of the loss under the first input: atoms or masses of bins, and the mass at infinity."""

    subject: Mechanism
    atoms: tuple[tuple[float, float], ...]
    """The finite losses with their probabilities, where the law is discrete."""
    edges: tuple[float, ...]
    mass: tuple[float, ...]
    """The probability between neighbouring edges, where the law is not discrete."""
    infinite: float
    """The probability of an output that reveals the input."""

    def __repr__(self) -> str:
        values = f"{len(self.atoms)} atoms" if self.atoms else f"{len(self.mass)} bins"
        return f"<LossDistribution of {values}, {self.infinite:.3g} at infinity>"


def losses(mechanism: Subject, bins: int = _BINS) -> LossDistribution:
    """The distribution of the privacy loss, as accurate as a picture needs."""
    half, subject = int(BINS.check("bins", bins)) // 2, described(mechanism)
    orders = both_orders(subject)
    corners = orders.forward.vertices()
    if 0 < len(corners) <= MOST_ATOMS:
        return _discrete(subject, corners)
    above, below = _profiles(orders)
    leak, end = above(_ENDLESS), _end(above, below)
    if end == 0.0:
        return LossDistribution(subject, ((0.0, 1.0 - leak),), (), (), leak)
    t = np.linspace(0.0, end, half + 1)
    middle, fall, delta = _chords(t, above)
    _, left, _ = _chords(t, below)
    right = delta + np.exp(middle) * fall
    edges = np.concatenate([-middle[::-1], middle])
    survival = np.concatenate([1 - left[::-1], right])
    mass = np.maximum(-np.diff(survival), 0.0)
    return LossDistribution(subject, (), tuple(edges.tolist()), tuple(mass.tolist()), leak)


def _discrete(mechanism: Mechanism, corners: tuple[tuple[Enclosure, Enclosure], ...]) -> LossDistribution:
    """Each segment of the trade-off function is an outcome: its width is the probability under P, its height that under
    Q.
    """
    path = [(0.0, 1.0), *((_middle(alpha), _middle(beta)) for alpha, beta in corners), (1.0, 0.0)]
    steps = [(after - alpha, beta - below) for (alpha, beta), (after, below) in pairwise(path)]
    atoms = [(math.log(p / q), p) for p, q in steps if p > 0 and q > 0]
    return LossDistribution(mechanism, tuple(atoms), (), (), sum(p for p, q in steps if q <= 0 < p))


def _middle(found: Enclosure) -> float:
    return found.lower + (found.upper - found.lower) / 2


def _profiles(orders: BothOrders) -> tuple[DeltaAt, DeltaAt]:
    """δ as a function of ε in each order, each level asked once; only if it is known well enough to be drawn."""

    def reading(order: Order) -> DeltaAt:
        @cache
        def value(t: float) -> float:
            found = view.question(order)(t).enclosure
            if found.upper - found.lower > max(_WIDE * found.upper, _NEGLIGIBLE):
                raise NotProvable("The profile of this mechanism is not known closely enough to draw its privacy loss")
            return _middle(found)

        return value

    view, *_ = orders.views
    above = reading(Order.FORWARD)
    return above, above if view.symmetric else reading(Order.BACKWARD)


def _end(*profiles: DeltaAt) -> float:
    """The level at which the profiles have nearly levelled out; 0 where they never fall."""
    floors = [(profile, profile(_ENDLESS) + _TAIL * (profile(0.0) - profile(_ENDLESS))) for profile in profiles]
    if all(profile(0.0) <= profile(_ENDLESS) for profile in profiles):
        return 0.0
    low, high = math.log(_NEAR), math.log(_FAR)
    while high - low > 0.1:
        middle = (low + high) / 2
        level = all(profile(math.exp(middle)) <= floor for profile, floor in floors)
        low, high = (low, middle) if level else (middle, high)
    return math.exp(high)


def _chords(t: Floats, profile: DeltaAt) -> tuple[Floats, Floats, Floats]:
    """For each pair of neighbouring levels: the level in the middle, the fall of the chord, and its height there."""
    delta = np.array([profile(float(x)) for x in t])
    s = np.expm1(t)  # keeps its digits where levels are close to 0
    return np.log1p((s[:-1] + s[1:]) / 2), -np.diff(delta) / np.diff(s), (delta[:-1] + delta[1:]) / 2


__all__ = ["LossDistribution", "losses"]
