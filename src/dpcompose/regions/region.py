"""The region of error rates that no attacker escapes.

A test for "the record is there" misses with a rate (fnr, P_MD) and gives false alarms with a rate (fpr, P_FA). Over all
tests the pairs of rates fill a convex region around the diagonal fnr + fpr = 1, symmetric under exchanging the test
for its opposite. What lies below the diagonal describes it; the rest is the mirror image (1 − fnr, 1 − fpr).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from dpcompose.description import Composition, Subject
from dpcompose.kernel import Claim
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Enclosure, Real, ball, enclose
from dpcompose.parameters import EPSILON, Param
from dpcompose.regions.chain import Chain
from dpcompose.regions.orders import both_orders, worst_pair
from dpcompose.regions.tradeoff import Order, Tradeoff, complement
from dpcompose.shown import Pictured

RATE = Param("α", 0, 1, "probability", typical=(0.01, 0.5))
TOLERANCE = Param("tolerance", 0, 1, "absolute")
_SHARP = 1e-12


class Vertex(NamedTuple):
    """A corner of the boundary, as a pair of error rates."""

    fnr: Enclosure
    fpr: Enclosure


@dataclass(frozen=True, slots=True)
class Tangent:
    """The line fpr = intercept − slope · fnr, which touches the region from below."""

    slope: Enclosure
    intercept: Enclosure

    def fpr(self, fnr: Real) -> Enclosure:
        """The line at a miss rate."""
        return enclose(lambda: ball(self.intercept) - ball(self.slope) * ball(fnr))


@dataclass(frozen=True)
class Region(Pictured):
    """All pairs (fnr, fpr) that tests can reach, enclosed between an inner and an outer polygon."""

    below: Chain
    """The lower bound on the least fpr at every fnr: the outer boundary."""
    above: Chain
    """The upper bound on the least fpr at every fnr: the inner boundary."""
    vertices: tuple[Vertex, ...]
    """The corners of the boundary below the diagonal in the order of rising fnr, for a discrete law; empty for a curved
    one.
    """
    tradeoffs: tuple[Tradeoff, ...] = field(repr=False)
    support: Callable[[Real], Enclosure] | None = field(repr=False)
    subject: tuple[Composition, Order] | None = None

    def __repr__(self) -> str:
        return f"<Region with {len(self.below.corners)} corners below and {len(self.above.corners)} above>"

    @property
    def because(self) -> tuple[Claim[Any], ...]:
        """The claims behind the outer boundary."""
        return tuple(t.lower_by for t in self.tradeoffs if t.lower_by is not None)

    @property
    def outer(self) -> tuple[tuple[float, float], ...]:
        """A polygon that contains the region, anticlockwise from (0, 1)."""
        return _around([(Enclosure.exactly(x).lower, Enclosure.exactly(y).lower) for x, y in self.below.corners], 2.0)

    @property
    def inner(self) -> tuple[tuple[float, float], ...]:
        """A polygon inside the region, anticlockwise from (0, 1); corners that rounding moves across the diagonal are
        left out.
        """
        rounded = [(Enclosure.exactly(x).upper, Enclosure.exactly(y).upper) for x, y in self.above.corners]
        return _around([(x, y) for x, y in rounded if Fraction(x) + Fraction(y) <= 1], -1.0)

    @property
    def area(self) -> Enclosure:
        """The area: 0 for perfect privacy, 1 for none."""
        inner, outer = (enclose(lambda c=chain: 1 - 2 * c.area()) for chain in (self.above, self.below))  # type: ignore[misc]
        return Enclosure(min(max(inner.lower, 0.0), 1.0), min(max(outer.upper, 0.0), 1.0))

    def contains(self, fnr: Real, fpr: Real) -> bool | None:
        """True if some test certainly has these error rates, False if certainly none has, None if undecided.

        Decided exactly; close to a curved boundary the bounds are first sharpened there. `None` is falsy, so ask
        `is False` to be sure that the rates are out of reach.
        """
        x, y = (Fraction(RATE.check(n, v)) for n, v in (("fnr", fnr), ("fpr", fpr)))
        if x + y > 1:
            x, y = 1 - x, 1 - y
        if x + y == 1 or y >= self.above.value(x):
            return True
        if y < self.below.value(x):
            return False
        least, most = (np.array([end]) for end in (Enclosure.exactly(x).lower, Enclosure.exactly(x).upper))
        found = [t.swapped().between(least, most, _SHARP) for t in self.tradeoffs]
        if all(y >= upper[0] for _, upper in found):
            return True
        return False if any(y < lower[0] for lower, _ in found) else None

    def least_fpr(self, fnr: Real) -> Enclosure:
        """The boundary: the least false alarm rate at a miss rate."""
        x = RATE.check("fnr", fnr)
        least, most = (np.array([end]) for end in (Enclosure.exactly(x).lower, Enclosure.exactly(x).upper))
        found = [t.swapped().between(least, most, _SHARP) for t in self.tradeoffs]
        return Enclosure(max(float(low[0]) for low, _ in found), max(float(high[0]) for _, high in found))

    def tangent(self, epsilon: Real) -> Tangent:
        r"""KOV-FIG3: the line $P_{FA} = -e^t P_{MD}+1-d_t$, $t = \varepsilon$ of either sign, touching from below."""
        size = EPSILON.check("epsilon", abs(epsilon))
        t = size if epsilon >= 0 else -size
        slope = enclose(lambda: ball(t).exp())
        return Tangent(slope, self._touching(slope) if self.support is None else self.support(t))

    def _touching(self, slope: Enclosure) -> Enclosure:
        """The least of fpr + slope · fnr over the corners of the bounds."""
        low, high = (
            min(
                Fraction(y) + (Fraction(s) * Fraction(x) if x else 0) for x, y in chain.corners if not x or s < math.inf
            )
            for chain, s in ((self.below, slope.lower), (self.above, slope.upper))
        )
        return Enclosure(Enclosure.exactly(low).lower, Enclosure.exactly(high).upper) & UNIT_INTERVAL

    def intersect(self, other: Region) -> Region:
        """The pairs of rates that lie in both regions."""
        return Region(
            self.below.highest(other.below),
            self.above.highest(other.above),
            (),
            self.tradeoffs + other.tradeoffs,
            None,
        )

    __and__ = intersect

    def __le__(self, other: Region) -> bool | None:
        """R(M′) ⊆ R(M), as data processing implies: True or False if certain, else None (KOV-T2.4).

        Curved regions that touch, as all do at (0, 1), are compared through their parameters where they are of one
        family; (ε, δ)-DP itself is decided by `is_private` (KOV-C2.3).
        """
        if self is other or (self.subject is not None and self.subject == other.subject):
            return True
        if len(self.tradeoffs) == len(other.tradeoffs) == 1:
            known = self.tradeoffs[0].tells_no_more(other.tradeoffs[0])
            if known is not None:
                return known
        places = {Fraction(x) for r in (self, other) for c in (r.below, r.above) for x, _ in c.corners}
        if all(self.below.value(x) >= other.above.value(x) for x in places):
            return True
        return False if any(self.above.value(x) < other.below.value(x) for x in places) else None

    def __ge__(self, other: Region) -> bool | None:
        """R(M) ⊇ R(M′)."""
        return other <= self


def region(mechanism: Subject, order: Order = Order.EITHER, tolerance: float = 1e-4) -> Region:
    """The region of all pairs of error rates: exact for discrete laws, else between polygons about `tolerance` apart.

    For either order of the neighbours it is the smallest convex region that contains both orders', which is what all
    true (ε, δ) together allow (KOV-C2.3).
    """
    TOLERANCE.check("tolerance", tolerance)
    orders = both_orders(mechanism, max(tolerance, 1e-9) / 100)
    tradeoff = orders.joint(order)
    below, above = (chain.swapped for chain in tradeoff.chains(max(tolerance, 1e-9)))
    vertices = tuple(Vertex(fnr, fpr) for fpr, fnr in reversed(tradeoff.vertices()))
    other = {Order.FORWARD: Order.BACKWARD, Order.BACKWARD: Order.FORWARD}.get(order, order)

    def support(t: Real) -> Enclosure:
        found = worst_pair(orders.facts, order if t >= 0 else other)(t if t >= 0 else -t).enclosure
        kept = complement(found)
        if t >= 0:
            return kept
        low, high = (enclose(lambda x=end: ball(x) * ball(t).exp()) for end in (kept.lower, kept.upper))  # type: ignore[misc]
        return Enclosure(low.lower, high.upper)

    return Region(below, above, vertices, (tradeoff,), support, (orders.facts.subject, order))


def _around(corners: list[tuple[float, float]], away: float) -> tuple[tuple[float, float], ...]:
    """The corners, and their mirror images, moved towards `away` by the rounding of 1 − x."""
    mirrored = [tuple(_mirror(v, away) for v in corner) for corner in corners]
    path = [(0.0, 1.0), *corners, (1.0, 0.0), *((x, y) for x, y in mirrored)]
    return tuple(dict.fromkeys(path))


def _mirror(value: float, away: float) -> float:
    mirrored = 1.0 - value
    exact = Fraction(mirrored) == 1 - Fraction(value)
    return mirrored if exact else min(max(math.nextafter(mirrored, away), 0.0), 1.0)


__all__ = ["RATE", "Region", "Tangent", "Vertex", "region"]
