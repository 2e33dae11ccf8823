"""Staircase noise: the ε-DP noise of least variance for one real query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.laplace import SENSITIVITY
from dpcompose.notions import ApproxDP, FiniteLoss
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import EPSILON, Param
from dpcompose.sources import GV16


@dataclass(frozen=True, slots=True, kw_only=True)
class Staircase(Mechanism):
    """Add noise whose density steps down by e^−ε every Δ, first at γΔ; γ=None takes the least variance."""

    epsilon: Annotated[Real, EPSILON]
    sensitivity: Annotated[Real, SENSITIVITY] = 1
    gamma: Annotated[Real | None, Param("γ", 0, 1, "", typical=(0.05, 0.95))] = None
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


def variance_optimal_gamma(epsilon: Real) -> Ball:
    r"""$\gamma = -\frac{b}{1-b} + \frac{(b-2b^2+2b^4-b^5)^{1/3}}{2^{1/3}(1-b)^2}$ with $b = e^{-\varepsilon}$."""
    e = ball(epsilon)
    if not e > 0:
        return Ball(1) / 2
    b, gap = (-e).exp(), -(-e).expm1()
    # b - 2b² + 2b⁴ - b⁵ = b(1-b)³(1+b)
    return -b / gap + (b * (1 + b) / 2).root(3) / gap


def step_height(epsilon: Real, gamma: Ball) -> Ball:
    r"""$a\Delta = \frac{1-b}{2(\gamma+b(1-\gamma))}$: the density at 0 in units of $1/\Delta$."""
    e = ball(epsilon)
    b = (-e).exp()
    return -(-e).expm1() / (2 * (gamma + b * (1 - gamma)))


@dataclass(frozen=True, slots=True)
class StaircaseLaw:
    """The law of the losses ε, 0 and −ε at shift Δ, which dominates every smaller shift."""

    epsilon: Real
    gamma: Real | None

    def no_loss(self) -> Ball:
        r"""$P(0) = (1-2\gamma)ba\Delta$ for $\gamma\le\frac12$ and $(2\gamma-1)a\Delta$ above."""
        g = variance_optimal_gamma(self.epsilon) if self.gamma is None else ball(self.gamma)
        height = step_height(self.epsilon, g)
        if self.gamma is None or self.gamma <= Fraction(1, 2):
            return ((1 - 2 * g) * height * (-ball(self.epsilon)).exp()).nonnegative_part()
        return (2 * g - 1) * height

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The three losses with their probabilities."""
        e, zero = Fraction(self.epsilon), self.no_loss()
        x = (-ball(e)).exp()
        plus = (1 - zero) / (1 + x)
        return [(e, plus), (Fraction(0), zero), (-e, x * plus)]  # x * plus: 1 - zero - plus would cancel

    def leak(self) -> Ball:
        """No loss is infinite."""
        return Ball(0)


@describes("KOV-D1.1", GV16.at("Thm. 4"))
def staircase_is_pure(m: Staircase) -> ApproxDP:
    r"""The mechanism is $(\varepsilon, 0)$-DP for every $\gamma\in[0,1]$."""
    return ApproxDP(0 if m.sensitivity == 0 else m.epsilon, 0)


@describes("KOV-STAIR", GV16.at("Sec. III"), side=Side.BOTH)
def staircase_loss_is_three_valued(m: Staircase) -> FiniteLoss:
    r"""At shift $\Delta$ the loss is $\varepsilon$, $0$ or $-\varepsilon$, with $P(0) = (1-2\gamma)\Delta ab$ for
    $\gamma\le\frac12$ and $(2\gamma-1)\Delta a$ above, $b = e^{-\varepsilon}$,
    $a = \frac{1-b}{2\Delta(\gamma+b(1-\gamma))}$; $\gamma = \frac12$ is randomized response.
    """
    law = StaircaseLaw(0 if m.sensitivity == 0 else m.epsilon, m.gamma)
    return FiniteLoss(law, law)
