"""The four filters: which sums each keeps, how its caps follow from a target, and what a promise costs under it.

A rule knows one notion of privacy. Its caps are numbers, fixed before the first output. They describe one black box; an
analyst who stays below the caps on every path loses no more, in all, than that box.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpcompose.description import Mechanism
from dpcompose.exact.normal import normal_mu
from dpcompose.mechanisms import BlackBox
from dpcompose.notions import GDP, ZCDP, ApproxDP, Guarantee, Linear, Renyi, Value
from dpcompose.numerics.enclosure import Enclosure, ball, enclose
from dpcompose.numerics.roots import invert_increasing
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke, OneOrder, ResponseCurve

Cost = tuple[Fraction, ...]
"""One number for each sum of a filter, exact or rounded up."""
HUGE = 1e150
MOST_EXCESS = 1e6
"""Orders beyond this count as infinite."""


@dataclass(frozen=True, slots=True)
class CapTarget:
    """The guarantee wanted at the caps: (ε, δ), where `leak` is the part of δ for steps that may reveal everything."""

    epsilon: Fraction
    delta: Fraction
    leak: Fraction = Fraction(0)

    @property
    def left(self) -> Enclosure:
        """The δ left beside the leak: (δ − leak)/(1 − leak)."""
        return Enclosure.exactly((self.delta - self.leak) / (1 - self.leak))


@dataclass(frozen=True, slots=True)
class CapRule(ABC):
    """One notion of privacy, and how its sums are capped."""

    orders: tuple[Fraction, ...] = ()
    """The orders that a Rényi filter adds up."""
    heights: tuple[Fraction, ...] = ()
    """The shape of its budget curve at each of them."""

    @property
    @abstractmethod
    def notion(self) -> type[Guarantee]:
        """The notion whose parameter is summed."""

    @property
    @abstractmethod
    def coordinates(self) -> tuple[str, ...]:
        """The names of the sums; a sum of leaks is called delta and comes last."""

    @property
    def leaks(self) -> bool:
        """Whether there is a sum of leaks beside the others."""
        return self.coordinates[-1] == "delta"

    @abstractmethod
    def caps(self, target: CapTarget) -> Cost:
        """The greatest caps at which the target holds, up to rounding; the caller certifies them."""

    @abstractmethod
    def box(self, caps: Cost) -> Mechanism:
        """The one black box that uses up the caps; its guarantee is that of the filter."""

    @abstractmethod
    def direct(self, promise: Any) -> Cost | None:
        """The cost of a promise in this rule's own notion; None where the promise says nothing."""

    @abstractmethod
    def converted(self, promise: ApproxDP) -> Cost | None:
        """The cost of an (ε, δ)-DP step; None where it has none in this notion."""


class Basic(CapRule):
    """ε and δ add up."""

    __slots__ = ()
    notion = ApproxDP
    coordinates = ("epsilon", "delta")

    def caps(self, target: CapTarget) -> Cost:
        """The target itself: all of δ is for leaks."""
        return (target.epsilon, target.delta)

    def box(self, caps: Cost) -> Mechanism:
        """An (ε, δ)-DP black box."""
        return BlackBox(epsilon=caps[0], delta=caps[1])

    def direct(self, promise: ApproxDP) -> Cost | None:
        """The upper ends of ε and δ."""
        return (Fraction(promise.epsilon), upper(promise.delta))

    converted = direct


class Concentrated(CapRule):
    """ρ adds up, and δ beside it."""

    __slots__ = ()
    notion = ZCDP
    coordinates = ("rho", "delta")

    def caps(self, target: CapTarget) -> Cost:
        """The greatest ρ that converts to ε at the δ left beside the leak."""
        return (_greatest(lambda rho: _line(rho).delta(target.epsilon), target), target.leak)

    def box(self, caps: Cost) -> Mechanism:
        """A δ-approximately ρ-zCDP black box."""
        return BlackBox(rho=caps[0], delta=caps[1])

    def direct(self, promise: ZCDP) -> Cost | None:
        """The upper ends of ρ and δ."""
        return (upper(promise.rho), upper(promise.delta))

    def converted(self, promise: ApproxDP) -> Cost | None:
        """ρ = ε tanh(ε/2), and δ leaks."""
        e = promise.epsilon
        rho = upper(enclose(lambda: ball(e) * (ball(e) / 2).tanh())) if e else Fraction(0)
        return (rho, upper(promise.delta))


class RenyiOrders(CapRule):
    """Rényi divergences of stated orders add up, and δ beside them; the caps of all orders must hold."""

    __slots__ = ()
    notion = Renyi

    @property
    def coordinates(self) -> tuple[str, ...]:
        """One sum for each order, then that of leaks."""
        return (*(f"renyi {order}" for order in self.orders), "delta")

    def caps(self, target: CapTarget) -> Cost:
        """The budget curve, scaled as high as one of its orders still converts to the target."""

        def delta(height: Fraction) -> Enclosure:
            found = [
                _line(height * h / a).delta_at(a, target.epsilon)
                for a, h in zip(self.orders, self.heights, strict=True)
            ]
            return Enclosure(min(e.lower for e in found), min(e.upper for e in found))

        height = _greatest(delta, target)
        return (*(height * h for h in self.heights), target.leak)

    def box(self, caps: Cost) -> Mechanism:
        """A black box known by a table of Rényi divergences."""
        return BlackBox(renyi=dict(zip(self.orders, caps, strict=False)), delta=caps[-1])

    def direct(self, promise: Renyi) -> Cost | None:
        """The upper ends of the curve at every order, the larger of both directions."""
        found = [enclose(lambda a=a: promise.curve.at(a)) for a in self.orders]  # type: ignore[misc]  # a is bound
        return (*map(upper, found), upper(promise.delta)) if all(math.isfinite(e.upper) for e in found) else None

    def converted(self, promise: ApproxDP) -> Cost | None:
        """The Rényi curve of randomized response, and δ as a leak."""
        return self.direct(Renyi(ResponseCurve(promise.epsilon), promise.delta))


class Normal(CapRule):
    """μ² adds up; nothing may leak."""

    __slots__ = ()
    notion = GDP
    coordinates = ("mu_squared",)

    def caps(self, target: CapTarget) -> Cost:
        """The greatest μ for which μ-GDP implies the target."""
        return (Fraction(min(normal_mu(target.epsilon, target.delta).lower, HUGE)) ** 2,)

    def box(self, caps: Cost) -> Mechanism:
        """A μ-GDP black box, with μ rounded up in the fortieth digit or beyond."""
        scale = 10 ** (40 + caps[0].denominator.bit_length() // 3)
        return BlackBox(mu=Fraction(math.isqrt(math.ceil(caps[0] * scale**2)) + 1, scale))

    def direct(self, promise: GDP) -> Cost | None:
        """The upper end of μ²."""
        return (Fraction(promise.mu_squared),)

    def converted(self, promise: ApproxDP) -> Cost | None:  # noqa: ARG002 - no theorem here reads (ε, δ) as μ
        """None: an (ε, δ)-DP step has no finite μ."""
        return None


RULES: Mapping[str, type[CapRule]] = {"basic": Basic, "zcdp": Concentrated, "renyi": RenyiOrders, "gdp": Normal}


def upper(value: Value) -> Fraction:
    """The upper end of a promised number, exactly."""
    return Fraction(value.upper if isinstance(value, Enclosure) else value)


def best_order(target: CapTarget) -> Fraction:
    """The order, to three digits, at which the curve ρα that just meets (ε, δ) converts best: this allows the largest
    ρ.
    """
    line = _line(_greatest(lambda rho: _line(rho).delta(target.epsilon), target))
    excess = min(line.best_order(epsilon=min(float(target.epsilon), HUGE)) - 1, MOST_EXCESS)
    return 1 + Fraction(f"{excess:.3g}")


def _line(rho: Fraction) -> OneOrder:
    return OneOrder(Linear(rho), 0, CanonneKamathSteinke)


def _greatest(delta: Callable[[Fraction], Enclosure], target: CapTarget) -> Fraction:
    """The greatest argument, rounded down, whose δ is at most the δ left beside the leak."""
    return Fraction(invert_increasing(lambda x: delta(Fraction(x)), target.left, math.nan, 0.0, HUGE).lower)


__all__ = ["RULES", "CapRule", "CapTarget", "Cost", "best_order", "upper"]
