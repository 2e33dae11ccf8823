"""What a mechanism costs under a filter: a cost for each notion that describes it; the cheapest is charged."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcompose.description import FULLY_ADAPTIVE, Composition, Mechanism
from dpcompose.errors import Declined, NotProvable
from dpcompose.filters.rules import CapRule, Cost
from dpcompose.kernel import Claim, Side
from dpcompose.notions import ApproxDP
from dpcompose.prove.answer import epsilon as epsilon_at
from dpcompose.prove.claims import facts

HALVINGS = 6
"""How often the interval of δ is halved in the search for equal shares of ε and δ."""
LEAST_SHARE = Fraction(1, 2**12)
TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class Reading:
    """One possible cost of a mechanism, and the claims that it rests on."""

    cost: Cost
    by: tuple[Claim[Any], ...]


@dataclass(frozen=True, slots=True)
class Scale:
    """The caps as a yardstick: a cost is measured by the greatest share of a cap that it takes."""

    caps: Cost

    def share(self, reading: Reading) -> tuple[float | Fraction, float | Fraction]:
        """The greatest share of a cap that a cost takes, then the sum of shares; infinite where the cap is 0."""
        shares = [c / cap if cap else math.inf for c, cap in zip(reading.cost, self.caps, strict=True) if c]
        return max(shares, default=Fraction(0)), sum(shares, Fraction(0))


def readings(mechanism: Mechanism, rule: CapRule, caps: Cost) -> Iterator[Reading]:
    """Every way to count a mechanism: as one step and, where its parts are fixed, as one step for each part."""
    direct = list(_direct(mechanism, rule))
    yield from direct
    if isinstance(mechanism, Composition):
        yield from _part_by_part(mechanism, rule, caps)
    if isinstance(mechanism, Composition) or not direct:
        yield from _by_profile(mechanism, rule, caps)


def cheapest(found: Sequence[Reading], caps: Cost) -> Reading:
    """The reading that takes the least share of the caps."""
    return min(found, key=Scale(caps).share)


def _direct(mechanism: Mechanism, rule: CapRule) -> Iterator[Reading]:
    """The promise in the filter's own notion. Several bounds without a leak are combined, order by order."""
    found: list[Reading] = []
    for claim in facts(mechanism):
        if isinstance(claim.guarantee, rule.notion) and Side.UPPER in claim.side:
            cost = rule.direct(claim.guarantee)
            if cost is not None:
                found.append(Reading(cost, (claim,)))
    tight = [reading for reading in found if rule.leaks and not reading.cost[-1]]
    if len(tight) > 1:
        least = tuple(min(costs) for costs in zip(*(reading.cost for reading in tight), strict=True))
        yield Reading(least, tuple(claim for reading in tight for claim in reading.by))
    yield from found


def _part_by_part(block: Composition, rule: CapRule, caps: Cost) -> Iterator[Reading]:
    """Each part as steps of its own; nothing for a fully adaptive block whose filter sums another notion."""
    if block.adaptivity is FULLY_ADAPTIVE and block.filter is not rule.notion:
        return
    total: Cost = (Fraction(0),) * len(caps)
    by: tuple[Claim[Any], ...] = ()
    for part, count in block.leaves():
        found = list(readings(part, rule, caps))
        if not found:
            return
        one = cheapest(found, caps)
        total = tuple(t + count * c for t, c in zip(total, one.cost, strict=True))
        by = (*by, *one.by)
    yield Reading(total, by)


def _by_profile(mechanism: Mechanism, rule: CapRule, caps: Cost) -> Iterator[Reading]:
    """The mechanism as an (ε, δ)-DP step: where ε and δ take about equal shares of their caps, and at δ = 0."""
    scale = Scale(caps)

    def at(delta: Fraction) -> Reading | None:
        try:
            found = epsilon_at(mechanism, delta, TOLERANCE)
        except (NotProvable, Declined):
            return None
        if not math.isfinite(found.upper) or found.upper_by is None:
            return None
        cost = rule.converted(ApproxDP(Fraction(found.upper), delta))
        return None if cost is None else Reading(cost, (found.upper_by,))

    if (pure := at(Fraction(0))) is not None:
        yield pure
    if rule.leaks and caps[-1]:
        yield from _balanced(lambda share: at(share * caps[-1]), lambda reading: scale.share(reading)[0])


def _balanced(
    at: Callable[[Fraction], Reading | None], share_of: Callable[[Reading], float | Fraction]
) -> Iterator[Reading]:
    """Readings met while halving between a share of δ that is too small and one that is too large."""
    low, high = LEAST_SHARE, Fraction(1)
    for _ in range(HALVINGS):
        middle = Fraction(math.sqrt(low * high)).limit_denominator(2**20)
        found = at(middle)
        if found is None:
            low = middle
            continue
        yield found
        low, high = (middle, high) if share_of(found) > middle else (low, middle)


__all__ = ["Reading", "cheapest", "readings"]
