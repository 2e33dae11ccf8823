"""The totals of a budget: sums below caps that were fixed at the start, or the cost of a plan that was."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from dpcompose.description import FULLY_ADAPTIVE, Composition, Mechanism
from dpcompose.errors import AdjacencyMismatch, DPError, NotProvable
from dpcompose.filters import Filter, filter_of
from dpcompose.filters.charge import OverBudget
from dpcompose.filters.filter import SYMBOLS
from dpcompose.filters.rules import Cost
from dpcompose.numerics.enclosure import Enclosure, Real, rounded
from dpcompose.parameters import short
from dpcompose.prove.answer import Answer, epsilon

CLOSE = 1e-3
"""The relative gap asked for while a plan is far from its limit."""


@dataclass(frozen=True, slots=True)
class Capped:
    """Sums, each with a cap, for an analyst who chooses the next step after looking at earlier answers."""

    filter: Filter
    sums: Cost

    @classmethod
    def below(cls, caps: Filter) -> Capped:
        """Nothing spent yet."""
        return cls(caps, caps.nothing)

    def cost(self, mechanism: Mechanism, purpose: str) -> Cost:
        """What a step adds to the sums."""
        try:
            return self.filter.cost(mechanism)
        except AdjacencyMismatch:
            raise
        except DPError as refusal:
            raise OverBudget(f"With {purpose} no total is known. {refusal}") from None

    def adding(self, cost: Cost, purpose: str) -> Capped:
        """The sums with one more cost added, or a refusal that names the first cap it would exceed."""
        sums = tuple(s + c for s, c in zip(self.sums, cost, strict=True))
        for name, total, cap in zip(self.filter.coordinates, sums, self.filter.caps, strict=True):
            if total > cap:
                symbol = SYMBOLS.get(name, name)
                raise OverBudget(
                    f"With {purpose} the total would be {symbol} = {rounded(total, ROUND_CEILING)}, and {symbol} = "
                    f"{rounded(cap, ROUND_FLOOR)} is allowed{self._for_target(name)}."
                )
        return replace(self, sums=sums)

    def _for_target(self, name: str) -> str:
        """The target from which a cap was computed, in words, if the cap's name does not say it."""
        if self.filter.name == "basic":
            return ""
        target = f" (for ε = {_short(self.filter.epsilon)} at δ = {_short(self.filter.delta)})"
        return f"{target}: set a share of δ apart with leak" if name == "delta" and not self.filter.leak else target

    def after(self, mechanism: Mechanism, purpose: str) -> Capped:
        """The sums with a step added."""
        return self.adding(self.cost(mechanism, purpose), purpose)

    def charge(self, spent: Composition, delta: Real) -> Answer:
        """ε at δ so far, where that is a bound at any time: only for sums of ε and δ."""
        if self.filter.name == "basic":
            return epsilon(spent, delta)
        raise DPError(
            f"The filter {self.filter.name} promises {self.filter.guarantee}; what part of it is spent is no ε: "
            "whoever stops after looking may have lost more. See `used`, or ask an odometer."
        )

    def used(self) -> dict[str, tuple[Fraction, Fraction]]:
        """By name: each sum and its cap."""
        named = zip(self.filter.coordinates, self.sums, self.filter.caps, strict=True)
        return {name: (spent, cap) for name, spent, cap in named}


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan whose parameters and end were fixed in advance: the claim is its whole cost, even if it is not run to the
    end.
    """

    epsilon: Real
    delta: Real
    whole: Composition

    def followed_by(self, mechanism: Mechanism) -> Planned:
        """The plan with one more step, whatever it costs."""
        return replace(self, whole=self.whole + mechanism)

    def after(self, mechanism: Mechanism, purpose: str) -> Planned:
        """The plan with one more step, or a refusal."""
        longer = self.whole + mechanism
        if self._is_far_from_full(longer):
            return replace(self, whole=longer)
        allowed = Enclosure.exactly(self.epsilon).upper  # three charges of 0.3 fit into 0.9, which is no float
        try:
            total = epsilon(longer, self.delta, CLOSE)
            if total.lower <= allowed < total.upper:
                total = epsilon(longer, self.delta)
        except NotProvable:
            raise OverBudget(f"No theorem adds {purpose} to what was planned.") from None
        if total.upper > allowed:
            raise OverBudget(
                f"With {purpose} the total would be ε = {rounded(total.upper, ROUND_CEILING)} at δ = "
                f"{short(self.delta)}, and ε = {short(self.epsilon)} is allowed."
            )
        return replace(self, whole=longer)

    def _is_far_from_full(self, longer: Composition) -> bool:
        """Whether the sum of ρ alone shows that a plan fits; this is quick for many different steps."""
        if not 0 < self.delta < 1:
            return False
        total = Capped.below(filter_of("zcdp", epsilon=self.epsilon, delta=self.delta, adjacency=None))
        try:
            for part, count in longer.leaves():
                total = total.adding(tuple(count * c for c in total.cost(part, "")), "")
        except DPError:
            return False
        return True

    def charge(self, spent: Composition, delta: Real) -> Answer:
        """The cost of the plan so far."""
        return epsilon(spent, delta)

    def used(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The cost of the plan at its δ, and the limit."""
        return {"epsilon": (Fraction(epsilon(self.whole, self.delta).upper), Fraction(self.epsilon))}


def is_free(plan: Mechanism) -> bool:
    """Whether steps of a plan are chosen adaptively."""
    return isinstance(plan, Composition) and plan.adaptivity is FULLY_ADAPTIVE


def in_words(used: dict[str, tuple[Fraction, Fraction]]) -> str:
    """How much of each cap is spent, in words; without caps of 0 of which nothing is spent."""
    return ", ".join(
        f"{SYMBOLS.get(name, name)} = {rounded(spent, ROUND_CEILING)} of {rounded(cap, ROUND_FLOOR)}"
        for name, (spent, cap) in used.items()
        if spent or cap
    )


def _short(number: Fraction) -> str:
    return rounded(number, ROUND_CEILING)


__all__ = ["Capped", "Planned", "in_words", "is_free"]
