"""Randomized response: report the truth, but with some probability any other answer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import Side, describes
from dpcompose.notions import ApproxDP, FiniteLoss
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import EPSILON, Whole
from dpcompose.sources import KOV15, SMITH


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedResponse(Mechanism):
    """Report the true one of n categories with e^ε times the probability of any other."""

    epsilon: Annotated[Real, EPSILON]
    categories: Annotated[int, Whole("n", 2, 10**9, "categories", typical=(2, 20))] = 2
    adjacency: Adjacency | None = None


@dataclass(frozen=True, slots=True)
class ResponseLaw:
    """The law of the loss: ε, −ε and, on the n−2 answers that fit neither input, 0."""

    epsilon: Real
    categories: int

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The three losses with their probabilities."""
        e, x = Fraction(self.epsilon), (-ball(self.epsilon)).exp()
        total = 1 + (self.categories - 1) * x
        return [(e, 1 / total), (Fraction(0), (self.categories - 2) * x / total), (-e, x / total)]

    def leak(self) -> Ball:
        """No loss is infinite."""
        return Ball(0)


@describes("SM-RR-PL", SMITH.at("Sec. 2"), side=Side.BOTH)
def binary_response_is_the_worst(m: RandomizedResponse) -> ApproxDP:
    r"""With two categories the loss is $\pm\varepsilon$ with probabilities $e^\varepsilon/(1+e^\varepsilon)$ and
    $1/(1+e^\varepsilon)$: the worst law of all $\varepsilon$-DP mechanisms.
    """
    if m.categories != 2:
        raise Declined("more than two categories cost less than the worst ε-DP mechanism")
    return ApproxDP(m.epsilon, 0)


@describes("KOV-D1.1", KOV15.at("Def. 1.1"))
def response_is_pure(m: RandomizedResponse) -> ApproxDP:
    r"""Every answer's probability changes by a factor of at most $e^\varepsilon$."""
    if m.categories == 2:
        raise Declined("known exactly already")
    return ApproxDP(m.epsilon, 0)


@describes("X-RR-N", KOV15.at("Sec. 2"), side=Side.BOTH)
def response_loss_is_three_valued(m: RandomizedResponse) -> FiniteLoss:
    r"""With $n$ categories the loss is $\varepsilon$, $-\varepsilon$ or 0 with probabilities $e^\varepsilon$, $1$
    and $n-2$, each over $e^\varepsilon+n-1$, in either order.
    """
    law = ResponseLaw(m.epsilon, m.categories)
    return FiniteLoss(law, law)
