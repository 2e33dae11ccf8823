"""Who is charged: anything that can refuse. A release asks before it touches the data."""

from __future__ import annotations

from decimal import ROUND_CEILING
from typing import Protocol

from dpcompose.description import Adaptivity, Composition, Mechanism
from dpcompose.errors import NotProvable
from dpcompose.notions import ApproxDP, Guarantee
from dpcompose.numerics.enclosure import Enclosure, Real, rounded
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import Answer, epsilon
from dpcompose.release.refusals import OverBudget


class Budget(Protocol):
    """A book of charges."""

    def check(self, mechanism: Mechanism, purpose: str, /) -> None:
        """Refuse what would not fit, and charge nothing: it is asked before the data is opened."""
        ...

    def spend(self, mechanism: Mechanism, purpose: str, /) -> None:
        """Charge what is about to be run, or refuse and charge nothing."""
        ...


class Allowance:
    """(ε, δ) for a series of releases, in memory.

    Whoever asks may look at earlier answers before choosing what to ask next, how precisely, and when to stop. So the
    total is that of a filter, fixed at the start: `filter=ApproxDP` adds up ε and δ, which suits few releases and
    δ = 0; `filter=ZCDP` adds up ρ, which suits many, and Gaussian noise. A `plan` that was fixed in advance, and knows
    its own adaptivity, may stand in its place; the allowance then starts with the plan spent.
    """

    def __init__(
        self,
        *,
        epsilon: Real,
        delta: Real = 0,
        filter: type[Guarantee] = ApproxDP,  # noqa: A002 - as in Composition
        plan: Mechanism | None = None,
    ) -> None:
        """Start with everything left, or with a plan already spent."""
        self.epsilon, self.delta = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
        self.spent = Composition((), Adaptivity.FULLY_ADAPTIVE, filter) if plan is None else Composition() + plan
        self._check(self.spent, "the plan")

    @property
    def charge(self) -> Answer:
        """What has been spent: ε at the allowance's δ."""
        return epsilon(self.spent, self.delta)

    def check(self, mechanism: Mechanism, purpose: str, /) -> None:
        """Raise `OverBudget` at what does not fit."""
        self._check(self.spent + mechanism, purpose)

    def spend(self, mechanism: Mechanism, purpose: str, /) -> None:
        """Charge, or raise `OverBudget` and charge nothing."""
        self.check(mechanism, purpose)
        self.spent = self.spent + mechanism

    def _check(self, whole: Composition, purpose: str) -> None:
        try:
            total = epsilon(whole, self.delta)
        except NotProvable:
            raise OverBudget(
                f"No theorem adds {purpose} to what was spent; another filter may, such as ZCDP with δ > 0."
            ) from None
        if total.upper > Enclosure.exactly(self.epsilon).upper:  # three charges of 0.3 fit into 0.9, which is no float
            raise OverBudget(
                f"With {purpose} the total would be ε = {rounded(total.upper, ROUND_CEILING)} at δ = "
                f"{float(self.delta):g}, and ε = {float(self.epsilon):g} is allowed."
            )

    def __repr__(self) -> str:
        return f"Allowance(epsilon={self.epsilon}, delta={self.delta}, spent={self.spent})"


__all__ = ["Allowance", "Budget"]
