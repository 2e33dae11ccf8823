"""What can be promised about a pair of neighbouring inputs. Values only: theorems relate them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dpcompose.numerics.atoms import Law
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball

Value: TypeAlias = Real | Enclosure
"""A parameter of a promise: exact where it is rational, enclosed otherwise."""


class Guarantee:
    """A promise. Frozen, comparable, and free of methods that reason."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class PureDP(Guarantee):
    """The loss never exceeds ε, in either order."""

    epsilon: Real


@dataclass(frozen=True, slots=True)
class ApproxDP(Guarantee):
    """(ε, δ): P(S) ≤ e^ε Q(S) + δ for every event S, in either order."""

    epsilon: Real
    delta: Value


@dataclass(frozen=True, slots=True)
class ZCDP(Guarantee):
    """Outside an event of probability δ, the Rényi divergence of every order α is at most ρα."""

    rho: Value
    delta: Value = 0


class Curve(ABC):
    """A bound on the Rényi divergence as a function of the order."""

    __slots__ = ()

    @abstractmethod
    def at(self, order: Real) -> Ball:
        """The bound at an order ≥ 1, at the working precision; infinite where nothing is promised."""

    def guess(self, order: float) -> float:
        """The bound in floats, for searches only."""
        return float(self.at(order))


@dataclass(frozen=True, slots=True)
class Linear(Curve):
    """ρα, the curve of a Gaussian with μ² = 2ρ."""

    rho: Value

    def at(self, order: Real) -> Ball:
        """ρα."""
        return ball(self.rho) * ball(order)

    def guess(self, order: float) -> float:
        """ρα at the greatest ρ may be."""
        rho = self.rho if isinstance(self.rho, Enclosure) else Enclosure.exactly(self.rho)
        return rho.upper * order


@dataclass(frozen=True, slots=True)
class SumOfCurves(Curve):
    """Curves add order by order."""

    terms: tuple[tuple[Curve, int], ...]

    def at(self, order: Real) -> Ball:
        """The sum of the terms, each times its count."""
        return sum((count * curve.at(order) for curve, count in self.terms), Ball(0))

    def guess(self, order: float) -> float:
        """The sum in floats."""
        return sum(count * curve.guess(order) for curve, count in self.terms)


@dataclass(frozen=True, slots=True)
class Renyi(Guarantee):
    """Outside an event of probability δ, the Rényi divergence of order α is at most the curve."""

    curve: Curve
    delta: Value = 0


@dataclass(frozen=True, slots=True)
class GDP(Guarantee):
    """No test tells the two inputs apart better than N(0, 1) from N(μ, 1); μ² is kept exact."""

    mu_squared: Real


@dataclass(frozen=True, slots=True)
class FiniteLoss(Guarantee):
    """The loss follows `forward` when the first input is true and `backward` when the second is."""

    forward: Law
    backward: Law


@dataclass(frozen=True, slots=True)
class LaplaceLoss(Guarantee):
    """The loss law of Laplace noise whose shift is `step` scales."""

    step: Real


@dataclass(frozen=True, slots=True)
class LossTransform(Guarantee):
    """One step's loss law in each order of the pair, known through its Laplace transform; beside it a leak."""

    forward: object
    backward: object
    leak: Value = 0
    turned: tuple[object, object] | None = None
    """Both orders with the record in the other input, where that is not the same."""


class Profile(Guarantee, ABC):
    """A bound on δ as a function of ε, answering both questions so that neither is inverted twice."""

    __slots__ = ()

    @abstractmethod
    def delta(self, epsilon: Real) -> Enclosure:
        """The least δ known to hold at ε ≥ 0."""

    @abstractmethod
    def epsilon(self, delta: Real) -> Enclosure:
        """The least ε ≥ 0 known to hold at δ; infinite where none does."""

    def deltas(self, epsilons: Sequence[Real]) -> list[Enclosure]:
        """`delta` at many ε, where one effort may serve them all."""
        return [self.delta(e) for e in epsilons]

    def to(self, tolerance: float) -> Profile:  # noqa: ARG002 - closed forms are as tight as they get
        """The profile that aims at a relative gap, where effort buys tightness."""
        return self

    def in_balls(self) -> Profile:
        """The profile that follows every rounding by ball arithmetic; most do in any case."""
        return self

    def recalling(self, memory: dict[Any, Any]) -> Profile:  # noqa: ARG002 - closed forms start anew each time
        """The profile that keeps in `memory` what the next, similar, question can use."""
        return self

    def orders(self) -> tuple[Profile, Profile]:
        """The profile of each order of the pair, P against Q and Q against P; a bound for both is both."""
        return self, self
