"""Under replace one every run may face either way: what the worst of some facings costs, from below."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import prod

from dpcompose.description import Adjacency
from dpcompose.errors import Declined
from dpcompose.exact.finite import is_quick
from dpcompose.kernel import Parts, Side, composes
from dpcompose.mechanisms.long_pair import LongPairLaw
from dpcompose.notions import LossTransform, Profile, Value
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, Enclosure, Real
from dpcompose.sources import HERE
from dpcompose.theorems.loss.exact_sums import SumOfLosses
from dpcompose.theorems.loss.finite_laws import Listed
from dpcompose.theorems.loss.greatest_losses import Top, TopOfLosses
from dpcompose.theorems.loss.inverted import Inverted, Steps

MOST = 4
"""The greatest number of facings that are all tried, beside the one that is listed."""


@dataclass(frozen=True, slots=True)
class WorstFacing(Profile):
    """What some facings cost at least; nothing from above, nor of any one pair."""

    known: tuple[Profile, ...]

    def to(self, tolerance: float) -> WorstFacing:
        """Aim at this relative gap in each."""
        return WorstFacing(tuple(each.to(tolerance) for each in self.known))

    def delta(self, epsilon: Real) -> Enclosure:
        """At least the greatest δ."""
        return Enclosure(self._most(lambda each: each.delta(epsilon).lower), UNIT_INTERVAL.upper)

    def epsilon(self, delta: Real) -> Enclosure:
        """At least the greatest ε."""
        return Enclosure(self._most(lambda each: each.epsilon(delta).lower), NON_NEGATIVE.upper)

    def _most(self, ask: Callable[[Profile], float]) -> float:
        found = [0.0]
        for each in self.known:
            with suppress(Declined, ArithmeticError):  # a facing whose losses no float holds adds nothing
                found.append(ask(each))
        return max(found)


@composes("X-LINE", HERE.at("engine"), side=Side.LOWER, cost=4, relations=frozenset({Adjacency.REPLACE_ONE}))
def worst_facing(parts: Parts[LossTransform]) -> Profile:
    r"""Two inputs of which one record differs are neighbours in either order, so every run may face either way, and a
    composition costs no less than with its runs in any facing: $\delta\ge\max_f\delta_f$ over all that are tried. These
    are all of them, where they are few, and else the one in which every run has its greatest loss forward.
    """
    if parts.adjacency is not Adjacency.REPLACE_ONE:
        raise Declined("all runs face as they are listed")
    items = [(g, n) for g, n in parts.items if n]
    free = [n if g.facing_either_way() is None else 0 for g, n in items]
    facings = [_faced(items, turns) for turns in _turns([g for g, _ in items], free)]
    if not facings:
        raise Declined("no facing is tried but the one that is listed")
    leaks = tuple((g.leak, n) for g, n in items if g.leak != 0)
    return WorstFacing(tuple(road for orders in facings for road in _roads(*orders, leaks)))


def _turns(promises: list[LossTransform], free: list[int]) -> list[tuple[int, ...]]:
    """How many runs of each kind are turned round, but for the facing that is listed and mirror images."""
    if prod(n + 1 for n in free) <= 2 * (MOST + 1):
        ways = product(*(range(n + 1) for n in free))
        chosen = {min(way, tuple(n - t for n, t in zip(free, way, strict=True))) for way in ways}
    else:
        chosen = {tuple(n * _is_greater_backward(g) for g, n in zip(promises, free, strict=True))}
    return sorted(chosen - {tuple(0 for _ in free), tuple(free)})


def _is_greater_backward(g: LossTransform) -> bool:
    """Whether more leaks backward or, where nothing does, the greatest loss is greater; not where no float holds it."""
    if not (isinstance(g.forward, Listed) and isinstance(g.backward, Listed)):
        return False
    try:
        forward, backward = (Top.of(((step.law, 1),)) for step in (g.forward, g.backward))
    except ArithmeticError:
        return False
    return (backward.leak.upper, backward.loss.upper) > (forward.leak.upper, forward.loss.upper)


def _faced(items: list[tuple[LossTransform, int]], turns: tuple[int, ...]) -> tuple[Steps, Steps]:
    """Both orders of the whole, with so many runs of each kind turned round."""
    runs = [
        run
        for (g, n), turned in zip(items, turns, strict=True)
        for run in ((g.forward, g.backward, n - turned), (g.backward, g.forward, turned))
    ]
    return tuple((first, n) for first, _, n in runs if n), tuple((second, n) for _, second, n in runs if n)


def _roads(forward: Steps, backward: Steps, leaks: tuple[tuple[Value, int], ...]) -> tuple[Profile, ...]:
    """What is known of one facing: its listed losses or, if they are many or not listed, the saddle line."""
    line = Inverted(forward, backward, leaks)
    if not all(isinstance(step, Listed) for step, _ in forward):
        return (line,)
    first, second = (tuple((step.law, n) for step, n in order) for order in (forward, backward))
    if not any(isinstance(law, LongPairLaw) for law, _ in first) and is_quick(first):
        return (SumOfLosses(first, second),)
    return (TopOfLosses(first, second), line)
