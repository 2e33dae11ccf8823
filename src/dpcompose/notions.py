"""What can be promised about a pair of neighbouring inputs. Values only: theorems relate them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

from dpcompose.exact.atoms import Law
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball

Value: TypeAlias = Real | Enclosure
"""A parameter of a promise: exact where it is rational, enclosed otherwise."""


class Guarantee:
    """A promise. Frozen, comparable, and free of methods that reason."""

    __slots__ = ()
    called: ClassVar[str] = "what this needs"
    """The notion in a reader's words, as they follow "described by"."""

    def facing_either_way(self) -> Guarantee | None:
        """What it says, from both sides, of a part that may face either way; None where it speaks of one way only."""
        return None


class InEitherOrder(Guarantee):
    """A promise about both orders of a pair alike: it does not matter which way the part faces."""

    __slots__ = ()

    def facing_either_way(self) -> Guarantee:
        """The same."""
        return self


@dataclass(frozen=True, slots=True)
class ApproxDP(InEitherOrder):
    """(ε, δ): P(S) ≤ e^ε Q(S) + δ for every event S, in either order."""

    called: ClassVar[str] = "one (ε, δ)"
    epsilon: Real
    delta: Value


@dataclass(frozen=True, slots=True)
class BoundedRange(InEitherOrder):
    """The losses of all outputs lie within one ε of each other, for every pair of neighbours."""

    called: ClassVar[str] = "a range of its losses"
    epsilon: Real


@dataclass(frozen=True, slots=True)
class ZCDP(InEitherOrder):
    """Outside an event of probability δ, the Rényi divergence of every order α is at most ρα."""

    called: ClassVar[str] = "zCDP"
    rho: Value
    delta: Value = 0


class Divergence(ABC):
    """The Rényi divergence as a function of the order, of one reading of a pair: no bound on any other reading."""

    __slots__ = ()

    @abstractmethod
    def at(self, order: Real) -> Ball:
        """The bound at an order ≥ 1, at the working precision; infinite where nothing is promised."""

    def guess(self, order: float) -> float:
        """The bound in floats, for searches only."""
        return float(self.at(order))


class Curve(Divergence):
    """A bound on the Rényi divergence in both orders of the pair, wherever the record is."""

    __slots__ = ()

    def facing_either_way(self) -> Curve:
        """The bound for a part that may face either way."""
        return self


@dataclass(frozen=True, slots=True)
class Linear(Curve):
    """ρα, the curve of a Gaussian with μ² = 2ρ."""

    rho: Value

    def at(self, order: Real) -> Ball:
        """ρα."""
        return ball(self.rho) * ball(order)

    def guess(self, order: float) -> float:
        """ρα at the greatest ρ may be."""
        return _most(self.rho) * order


@lru_cache
def _most(value: Value) -> float:
    """The least float that is no less."""
    return value.upper if isinstance(value, Enclosure) else Enclosure.exactly(value).upper


@dataclass(frozen=True, slots=True)
class SumOfReadings(Divergence):
    """What is read in one way throughout adds order by order."""

    terms: tuple[tuple[Divergence, int], ...]

    def at(self, order: Real) -> Ball:
        """The sum of the terms, each times its count."""
        return sum((count * curve.at(order) for curve, count in self.terms), Ball(0))

    def guess(self, order: float) -> float:
        """The sum in floats."""
        return sum(count * curve.guess(order) for curve, count in self.terms)


@dataclass(frozen=True, slots=True)
class SumOfCurves(SumOfReadings, Curve):
    """Curves add order by order."""

    terms: tuple[tuple[Curve, int], ...]


@dataclass(frozen=True, slots=True)
class Renyi(Guarantee):
    """Outside an event of probability δ, the Rényi divergence of order α is at most the curve."""

    called: ClassVar[str] = "a Rényi curve"
    curve: Curve
    delta: Value = 0

    def facing_either_way(self) -> Renyi:
        """The larger of both orders at every α: the part may face so that this is reached."""
        return Renyi(self.curve.facing_either_way(), self.delta)


@dataclass(frozen=True, slots=True)
class GDP(InEitherOrder):
    """No test tells the two inputs apart better than N(0, 1) from N(μ, 1); μ² is kept exact."""

    called: ClassVar[str] = "Gaussian DP"
    mu_squared: Real


@dataclass(frozen=True, slots=True)
class FiniteLoss(Guarantee):
    """The loss follows `forward` when the first input is true and `backward` when the second is."""

    called: ClassVar[str] = "a finite list of its losses"
    forward: Law
    backward: Law

    def facing_either_way(self) -> FiniteLoss | None:
        """The same, where both orders have one law."""
        return self if self.forward == self.backward else None


@dataclass(frozen=True, slots=True)
class LaplaceLossLaw(InEitherOrder):
    """The loss law of Laplace noise whose shift is `step` scales."""

    called: ClassVar[str] = "the loss of Laplace noise"
    step: Real


@dataclass(frozen=True, slots=True)
class LossTransform(Guarantee):
    """One step's loss law in each order of the pair, known through its Laplace transform; beside it a leak."""

    called: ClassVar[str] = "the transform of its loss"
    forward: object
    backward: object
    leak: Value = field(kw_only=True)
    turned: tuple[object, object] | None = field(kw_only=True)
    """Both orders with the record in the other input; None where it does not matter which input has it."""

    def facing_either_way(self) -> LossTransform | None:
        """The same, where both orders have one law."""
        return self if self.forward == self.backward else None


class HockeyStick(ABC):
    """δ as a function of ε, answering both questions so that neither is inverted twice."""

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


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair of laws that a profile may be about, each order by itself and from both sides."""

    forward: HockeyStick
    """P against Q."""
    backward: HockeyStick
    """Q against P."""
    turned: bool = False
    """Whether the record is in the input that was listed without it."""


class Profile(Guarantee, HockeyStick):
    """A bound on δ as a function of ε in both orders of the pair: the worse of them, where it is reached."""

    __slots__ = ()
    called = "δ at every ε"

    def to(self, tolerance: float) -> Profile:  # noqa: ARG002 - closed forms are as tight as they get
        """The profile that aims at a relative gap, where effort buys tightness."""
        return self

    def from_below(self) -> Profile:
        """As close a bound from below, where only that is asked for; it may be wide from above."""
        return self

    def in_balls(self) -> Profile:
        """The profile that follows every rounding by ball arithmetic; most do in any case."""
        return self

    def recalling(self, memory: dict[Any, Any]) -> Profile:  # noqa: ARG002 - closed forms start anew each time
        """The profile that keeps in `memory` what the next, similar, question can use."""
        return self

    def roughly(self, delta: Real) -> Enclosure | None:  # noqa: ARG002 - most know no quicker way
        """Where ε lies, most likely, by a glance that proves nothing; None where that takes as long as an answer."""
        return None

    def greatest_loss(self) -> float:
        """A lower bound on ε at δ = 0, where there is one beside what `epsilon` says."""
        return 0.0

    def pairs(self) -> tuple[Pair, ...]:
        """Every pair it is about; none where only the worse order is known, which bounds each order from above."""
        return ()


@dataclass(frozen=True, slots=True)
class MixtureOnce(InEitherOrder):
    """One run of a mixture of Gaussians, of which everything is known."""

    called: ClassVar[str] = "one run of a mixture of Gaussians"
    profile: Profile


class SymmetricProfile(Profile):
    """The profile of a pair that is the same in both orders."""

    __slots__ = ()

    def pairs(self) -> tuple[Pair, ...]:
        """The one pair, of which both orders are the profile."""
        return (Pair(self, self),)


@dataclass(frozen=True, slots=True)
class Dotted(InEitherOrder):
    """A finite pair, the same in both orders, that costs at least as much."""

    called: ClassVar[str] = "a finite pair that costs more"
    law: Law


@dataclass(frozen=True, slots=True)
class SampledOnce(InEitherOrder):
    """One run on a sample: the profile without sampling, bent by the rate."""

    called: ClassVar[str] = "one run on a sample"
    rate: Fraction
    whole: Profile


@dataclass(frozen=True, slots=True)
class Alone(InEitherOrder):
    """δ at ε of one run, and the levels at which others are told of it."""

    called: ClassVar[str] = "δ at every ε of one run"
    profile: Profile
    marks: tuple[float, ...] = ()
