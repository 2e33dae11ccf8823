"""Judging a claim of (ε, δ)-DP: the theorem by which it holds, or the event that refutes it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpcompose.description import Subject
from dpcompose.errors import NotProvable
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.parameters import DELTA, EPSILON, short
from dpcompose.prove.answer import Answer
from dpcompose.regions.orders import both_orders, worst_pair
from dpcompose.regions.tradeoff import Order, Tradeoff, complement
from dpcompose.shown import NotebookResult, Told


@dataclass(frozen=True, slots=True, repr=False)
class Witness(Told):
    """The event "the log-likelihood ratio of the first against the second neighbour exceeds `threshold`".

    Its probabilities violate P(A) ≤ e^ε Q(A) + δ by `excess`. Outcomes whose ratio is exactly e^threshold add nothing
    to the violation at that level; `randomisation` is the probability with which they belong to the event.
    """

    threshold: Real
    order: Order
    """FORWARD if P is the first neighbour's law, BACKWARD if it is the second's."""
    p: Enclosure
    """P(A), the left side of the violated inequality."""
    q: Enclosure
    """Q(A)."""
    excess: Enclosure
    """P(A) − e^ε Q(A) − δ > 0."""
    answer: Answer
    randomisation: float = 0.0

    @property
    def fpr(self) -> Enclosure:
        """How often the test "A did not happen, so it is not P" is wrong under P."""
        return complement(self.p)

    @property
    def fnr(self) -> Enclosure:
        """How often that test is wrong under Q."""
        return self.q

    def __str__(self) -> str:
        first, second = ("P", "Q") if self.order is Order.FORWARD else ("Q", "P")
        return (
            f"A = {{ln {first}/{second} > {short(self.threshold)}}}: {first}(A) ∈ {self.p}, {second}(A) ∈ {self.q}, "
            f"too much by {self.excess}"
        )


@dataclass(frozen=True, slots=True)
class Judgement(NotebookResult):
    """Whether a mechanism is (ε, δ)-DP: `holds` is True, with the claim; False, with the event; or None, undecided."""

    epsilon: Real
    delta: Real
    holds: bool | None
    answer: Answer
    """δ at ε, with the claims behind both ends."""
    witness: Witness | None = None

    def __repr__(self) -> str:
        verdict = {True: "holds", False: "is refuted", None: "is undecided"}[self.holds]
        return f"<Judgement: ({short(self.epsilon)}, {short(self.delta)})-DP {verdict}>"


def judge(mechanism: Subject, epsilon: Real, delta: Real) -> Judgement:
    """Decide whether the mechanism is (ε, δ)-DP, with a proof of either."""
    e, d = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
    orders = both_orders(mechanism)
    found = worst_pair(orders.facts, Order.EITHER)(e)
    if found.upper <= d:
        return Judgement(e, d, holds=True, answer=found)
    for view, pair in zip(orders.views, orders.pairs, strict=True):
        for order, tradeoff in zip((Order.FORWARD, Order.BACKWARD), pair, strict=True):
            answer = view.question(order)(e)
            if answer.lower > d:
                return Judgement(e, d, holds=False, answer=found, witness=_witness(tradeoff, order, e, d, answer))
    return Judgement(e, d, None, found)


def _witness(tradeoff: Tradeoff, order: Order, epsilon: Real, delta: Real, answer: Answer) -> Witness:
    event = tradeoff.event(epsilon)
    low, high = (Enclosure.exactly(Fraction(end) - Fraction(delta)) for end in (answer.lower, answer.upper))
    return Witness(epsilon, order, event.p, event.q, Enclosure(low.lower, high.upper), answer)


def witness(mechanism: Subject, epsilon: Real, delta: Real) -> Witness | None:
    """The event that refutes (ε, δ)-DP; None where `judge` certifies that it holds. Raises if neither can be shown."""
    verdict = judge(mechanism, epsilon, delta)
    if verdict.holds is None:
        raise NotProvable(
            f"Undecided: δ at ε = {short(epsilon)} lies in {verdict.answer.enclosure}, as does δ = {short(delta)}"
        )
    return verdict.witness


__all__ = ["Judgement", "Witness", "judge", "witness"]
