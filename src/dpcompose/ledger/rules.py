"""How the charges of an account add up: by a filter, or by the slots of a fixed plan. In whole units.

A rule is stored as a document when it is made, and read back from it: its caps are never computed again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from dpcompose import spec
from dpcompose.description import Adaptivity, Adjacency, Composition, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.filters import Filter, filter_of, meant, stated
from dpcompose.ledger.slots import fills
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import epsilon as least_epsilon

MOST_SLOTS = 1000


class Guarantee(NamedTuple):
    """(ε, δ) at the caps: it holds however every step was chosen."""

    epsilon: Fraction
    delta: Fraction

    def __str__(self) -> str:
        return f"ε = {rounded(self.epsilon, ROUND_CEILING)} at δ = {rounded(self.delta, ROUND_CEILING)}"


class Rule(ABC):
    """What is added up, and up to which caps."""

    coordinates: tuple[str, ...]
    units: tuple[Fraction, ...]
    """The size of one unit of each coordinate."""
    caps: tuple[int, ...]
    guarantee: Guarantee
    kind: str

    @abstractmethod
    def cost(self, mechanism: Mechanism) -> tuple[int, ...]:
        """What a mechanism takes of each coordinate, in units, rounded up."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """The rule, as it is stored."""

    @property
    @abstractmethod
    def because(self) -> str:
        """The reason for the guarantee."""

    def shown(self, place: int, whole: int) -> str:
        """A number of units of a coordinate, in words, rounded down."""
        return f"{rounded(whole * self.units[place], ROUND_FLOOR)} of {self.coordinates[place]}"


@dataclass(frozen=True)
class FilterRule(Rule):
    """The rule of a fully adaptive account: one filter, whose caps are fixed in advance."""

    filter: Filter
    kind = "filter"

    def __post_init__(self) -> None:
        put = {"coordinates": self.filter.coordinates, "units": self.filter.units, "caps": self.filter.whole_caps()}
        for name, value in put.items():
            object.__setattr__(self, name, value)
        object.__setattr__(self, "guarantee", Guarantee(self.filter.epsilon, self.filter.delta))

    def cost(self, mechanism: Mechanism) -> tuple[int, ...]:
        """The cost under the filter, by whichever notion makes it least."""
        return _whole(self.filter, mechanism)

    @property
    def because(self) -> str:
        """The theorem that turns the caps into (ε, δ)."""
        return self.filter.guarantee.because

    def document(self) -> dict[str, Any]:
        """Target, caps and units, exactly."""
        said = {"kind": self.kind, "filter": self.filter.name, "epsilon": str(self.filter.epsilon)}
        return {
            **said,
            "delta": str(self.filter.delta),
            "orders": list(map(str, self.filter.orders)),
            "coordinates": list(self.coordinates),
            "exact_caps": list(map(str, self.filter.caps)),
            "units": list(map(str, self.units)),
            "caps": list(map(str, self.caps)),
        }


@lru_cache(maxsize=4096)
def _whole(chosen: Filter, mechanism: Mechanism) -> tuple[int, ...]:
    return chosen.whole(chosen.cost(mechanism))


@dataclass(frozen=True)
class PlanRule(Rule):
    """The rule of a fixed plan: slots, each with a count. What fills a slot may depend on earlier answers; its noise
    may not.
    """

    slots: tuple[tuple[Mechanism, int], ...]
    target: Guarantee
    kind = "plan"

    def __post_init__(self) -> None:
        names = tuple(f"slot {i}: {spec.dumps(slot)}" for i, (slot, _) in enumerate(self.slots, 1))
        put = {"coordinates": names, "units": (Fraction(1),) * len(names), "caps": tuple(n for _, n in self.slots)}
        for name, value in {**put, "guarantee": self.target}.items():
            object.__setattr__(self, name, value)

    def cost(self, mechanism: Mechanism) -> tuple[int, ...]:
        """One run of the first slot that the mechanism may fill; a mechanism several times takes as many runs."""
        kept = stated(mechanism)
        whole = kept.leaves() if isinstance(kept, Composition) else ((kept, 1),)
        taken = [0] * len(self.slots)
        for part, count in whole:
            place = next((i for i, (slot, _) in enumerate(self.slots) if fills(slot, part)), None)
            if place is None:
                raise InvalidParameter("mechanism", spec.AsWritten(spec.dumps(part)), self._allowed())
            taken[place] += count
        return tuple(taken)

    def _allowed(self) -> str:
        shown = [spec.dumps(slot) for slot, _ in self.slots[:3]]
        return f"what a slot of the plan announced, or less: {', '.join(shown)}{' …' * (len(self.slots) > 3)}"

    @property
    def plan(self) -> Composition:
        """The plan: all slots."""
        return Composition(self.slots, Adaptivity.ADAPTIVE)

    @property
    def because(self) -> str:
        """The theorem that gives the cost of the whole plan."""
        return least_epsilon(self.plan, self.target.delta).because

    def document(self) -> dict[str, Any]:
        """The slots with their counts, and the cost of the whole."""
        slots = [{"mechanism": spec.to_document(slot), "count": count} for slot, count in self.slots]
        said = {"kind": self.kind, "epsilon": str(self.target.epsilon), "delta": str(self.target.delta)}
        shown = {"coordinates": list(self.coordinates), "units": list(map(str, self.units))}
        return {**said, **shown, "slots": slots, "caps": list(map(str, self.caps))}


def filter_rule(name: str, adjacency: Adjacency, **target: Any) -> FilterRule:
    """A rule with a new filter, whose caps are chosen once."""
    return FilterRule(filter_of(name, adjacency=adjacency, **target))


def plan_rule(plan: Mechanism, epsilon: Real | None, delta: Real) -> PlanRule:
    """A rule with a plan; refused if the whole plan would cost more than ε at δ."""
    kept = stated(plan)
    whole = Composition() + kept
    if whole.adaptivity is Adaptivity.FULLY_ADAPTIVE:
        raise InvalidParameter("plan", "fully adaptive", "a plan that is fixed in advance; else choose a filter")
    slots = whole.leaves()
    if not 0 < len(slots) <= MOST_SLOTS:
        raise InvalidParameter("plan", len(slots), f"1 to {MOST_SLOTS} different slots")
    leak = meant(DELTA.check("delta", delta))
    found = Fraction(least_epsilon(Composition(slots, Adaptivity.ADAPTIVE), leak).upper)
    allowed = found if epsilon is None else meant(EPSILON.check("epsilon", epsilon))
    if found > allowed:
        raise InvalidParameter(
            "epsilon",
            spec.AsWritten(spec.written(allowed)),
            f"at least {rounded(found, ROUND_CEILING)}, the plan's own",
        )
    return PlanRule(tuple(slots), Guarantee(allowed, leak))


def rule_of(document: Mapping[str, Any], adjacency: Adjacency) -> Rule:
    """The rule in a stored document."""
    target = Guarantee(Fraction(document["epsilon"]), Fraction(document["delta"]))
    if document["kind"] == PlanRule.kind:
        slots = tuple((spec.from_document(s["mechanism"]), int(s["count"])) for s in document["slots"])
        return PlanRule(slots, target)
    caps, orders = (tuple(map(Fraction, document[name])) for name in ("exact_caps", "orders"))
    return FilterRule(Filter(document["filter"], *target, caps, orders, adjacency))


def exact(rule: Rule, whole: Sequence[int]) -> dict[str, Fraction]:
    """Whole units as exact numbers, by coordinate."""
    return {c: n * unit for c, n, unit in zip(rule.coordinates, whole, rule.units, strict=True)}


__all__ = ["FilterRule", "Guarantee", "PlanRule", "Rule", "exact", "filter_rule", "plan_rule", "rule_of"]
