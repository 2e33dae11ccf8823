"""A composition of known loss laws, each order of the pair read off its saddle line; and the worst of several pairs,
where it is not said which of them the data gives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dpcompose import inversion
from dpcompose.errors import Declined
from dpcompose.kernel import Parts
from dpcompose.notions import LossTransform, Pair, Profile, Value
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real, enclose, largest
from dpcompose.theorems.approx.steps import leak_of
from dpcompose.theorems.loss.finite_laws import Listed, SampledListed

NOWHERE = Enclosure(math.inf, math.inf)
SELDOM, FEW = (1e-12, 1e-300), 64
"""Where one step is asked for its greatest loss, which may be likely or not; and of how many kinds at the most."""
Steps = tuple[tuple[Any, int], ...]


@dataclass(frozen=True, slots=True)
class Inverted(Profile):
    """The worse of the two orders of the pair, each read off its own saddle line."""

    forward: Steps
    backward: Steps
    leaks: tuple[tuple[Value, int], ...]
    tolerance: float = 1e-6
    memory: dict[Any, Any] | None = field(default=None, compare=False, repr=False)

    def to(self, tolerance: float) -> Inverted:
        """Aim at this relative gap."""
        return replace(self, tolerance=max(tolerance, 1e-12))

    def recalling(self, memory: dict[Any, Any]) -> Inverted:
        """Keep the lines for the next question about a similar composition."""
        return replace(self, memory=memory)

    def in_balls(self) -> InvertedInBalls:
        """The same lines in ball arithmetic."""
        return InvertedInBalls(self)

    def roughly(self, delta: Real) -> Enclosure | None:
        """About where the saddle points are, of sums that are nearly normal."""
        if delta < self.leak.lower:
            return NOWHERE
        with suppress(Declined), _within_floats():
            return inversion.likely_epsilon(self.inversions(), float(delta))
        return None

    def pairs(self) -> tuple[Pair, ...]:
        """Each order by itself."""
        return (Pair(replace(self, backward=self.forward), replace(self, forward=self.backward)),)

    @property
    def leak(self) -> Enclosure:
        """What reveals everything beside the losses."""
        return enclose(lambda: leak_of(self.leaks), gap=2.0**-44) if self.leaks else ZERO

    def inversions(self) -> list[inversion.LossProfile]:
        """One for each different order; declined where a loss is beyond floats."""
        leak = self.leak
        orders = [self.forward] if self.backward == self.forward else [self.forward, self.backward]
        with _within_floats():
            return [inversion.profile([(_loss(step), n) for step, n in order], leak) for order in orders]

    def _remembered(self, target: float) -> Sequence[inversion.LossProfile]:
        """The same, each order with its own line from before, if there is a memory."""
        if self.memory is None:
            return self.inversions()
        keys = [(order, target, self.tolerance) for order in range(2)]
        memories = [self.memory.setdefault(key, inversion.Memory()) for key in keys]
        return [replace(p, memory=memory) for p, memory in zip(self.inversions(), memories, strict=False)]

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger δ, the second order only where it may be; a level between two floats is enclosed by both."""
        level = Enclosure.exactly(epsilon)
        with _within_floats():
            first, *others = self.inversions()
            found = _at(first.delta, level, self.tolerance)
            for order in others:
                if not inversion.is_below(order, level.lower, found.lower):
                    found = largest((found, _at(order.delta, level, self.tolerance)))
        return found

    def deltas(self, epsilons: Sequence[Real]) -> list[Enclosure]:
        """One line serves all the ε around it; the second order is asked only where it may exceed the first."""
        levels = [Enclosure.exactly(e) for e in epsilons]
        places = [level.lower for level in levels]
        if any(level.lower != level.upper for level in levels):
            return [self.delta(e) for e in epsilons]
        with _within_floats():
            first, *others = self.inversions()
            found = first.curve(places, self.tolerance)
            for order in others:
                high = inversion.ceiling(order, places).tolist()
                close = [i for i, bound in enumerate(high) if bound > found[i].lower]
                for i, answer in zip(close, order.curve([places[i] for i in close], self.tolerance), strict=True):
                    found[i] = largest((found[i], answer))
        return found

    def epsilon(self, delta: Real, beside: Sequence[inversion.LossProfile] = ()) -> Enclosure:
        """The larger ε, also of other orders; those are left out that are seen to need no more than the first."""
        if delta >= 1:
            return ZERO
        return self._least(Enclosure.exactly(delta), beside)

    def greatest_loss(self) -> float:
        """That of all steps at once."""
        return self.greatest_of_each(inversion.LossProfile.epsilon)

    def greatest_of_each(self, ask: Callable[[inversion.LossProfile, float, float], Enclosure]) -> float:
        """A lower bound on the sum of the greatest losses of all steps: each is no less than its own ε at any δ."""
        if len(self.forward) > FEW:
            return 0.0
        orders = {self.forward, self.backward}
        with _within_floats():
            alone = {step: inversion.profile([(_loss(step), 1)], ZERO) for order in orders for step, _ in order}
            least = {step: max(ask(one, delta, 1e-9).lower for delta in SELDOM) for step, one in alone.items()}
        if math.inf in least.values():
            return math.inf
        most = max(sum(n * Fraction(least[step]) for step, n in order) for order in orders)
        return Enclosure.exactly(most).lower

    @property
    def _is_sampled(self) -> bool:
        """Whether a record is removed from a sample in the first order, which hardly ever costs less than to add it."""
        return any(getattr(step, "direction", None) is inversion.Direction.REMOVE for step, _ in self.forward)

    def _least(self, target: Enclosure, beside: Sequence[inversion.LossProfile]) -> Enclosure:
        if target.upper < self.leak.lower:  # seen before any loss is
            return NOWHERE
        with _within_floats():
            orders = [*self._remembered(target.lower), *beside]
            if self.memory is None and orders[1:] and (beside or not self._is_sampled):
                orders = inversion.most_likely_first(orders, target.lower)
            first, *others = orders
            found = _at(first.epsilon, target, self.tolerance)
            for order in others:
                kept = self.memory is not None and not order.is_small  # its line is there to be read
                if kept or not inversion.is_below(order, found.lower, target.lower):
                    found = largest((found, _at(order.epsilon, target, self.tolerance)))
        return found


@dataclass(frozen=True, slots=True)
class InvertedInBalls(Profile):
    """Every rounding followed by ball arithmetic: nothing rests on a model of floating-point functions."""

    lines: Inverted

    def to(self, tolerance: float) -> InvertedInBalls:
        """Aim at this relative gap."""
        return InvertedInBalls(self.lines.to(tolerance))

    def in_balls(self) -> InvertedInBalls:
        """They are."""
        return self

    def pairs(self) -> tuple[Pair, ...]:
        """Each order by itself."""
        lines = self.lines
        forward, backward = replace(lines, backward=lines.forward), replace(lines, forward=lines.backward)
        return (Pair(InvertedInBalls(forward), InvertedInBalls(backward)),)

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger δ."""
        level = Enclosure.exactly(epsilon)
        with _within_floats():
            return largest(_at(order.delta_in_balls, level, self.lines.tolerance) for order in self.lines.inversions())

    def inversions(self) -> list[inversion.LossProfile]:
        """One for each different order."""
        return self.lines.inversions()

    def epsilon(self, delta: Real, beside: Sequence[inversion.LossProfile] = ()) -> Enclosure:
        """The larger ε, also of other orders."""
        if delta >= 1:
            return ZERO
        target = Enclosure.exactly(delta)
        with _within_floats():
            return largest(
                _at(order.epsilon_in_balls, target, self.lines.tolerance) for order in (*self.inversions(), *beside)
            )

    def greatest_loss(self) -> float:
        """That of all steps at once."""
        return self.lines.greatest_of_each(inversion.LossProfile.epsilon_in_balls)


Lines: TypeAlias = Inverted | InvertedInBalls


def _loss(step: Any) -> inversion.Loss:
    """The engine's own description of a step."""
    return step.loss() if isinstance(step, Listed | SampledListed) else step


def _at(reading: Callable[[float, float], Enclosure], place: Enclosure, tolerance: float) -> Enclosure:
    """A decreasing function at a number known to lie between two floats."""
    upper = reading(place.lower, tolerance)
    if place.lower == place.upper:
        return upper
    return Enclosure(reading(place.upper, tolerance).lower, upper.upper)


@contextmanager
def _within_floats() -> Iterator[None]:
    """Decline where a float overflows on the way, or where nothing is left that floats can hold."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (ArithmeticError, ValueError, IndexError):
        raise Declined("too far out for floats to follow the line") from None


@dataclass(frozen=True, slots=True)
class WorstOf(Profile):
    """The larger of two profiles: of the pair as listed, and of the one with the record in the other input."""

    profiles: tuple[Lines, Lines]

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger δ."""
        return largest(each.delta(epsilon) for each in self.profiles)

    def epsilon(self, delta: Real) -> Enclosure:
        """The larger ε."""
        listed, turned = self.profiles
        return listed.epsilon(delta, turned.inversions())

    def greatest_loss(self) -> float:
        """The larger."""
        return max(each.greatest_loss() for each in self.profiles)

    def roughly(self, delta: Real) -> Enclosure | None:
        """The larger, if both can tell."""
        found = [each.roughly(delta) for each in self.profiles]
        known = [about for about in found if about is not None]
        return largest(known) if len(known) == len(found) else None

    def _each(self, change: Callable[[Lines], Lines]) -> WorstOf:
        listed, turned = map(change, self.profiles)
        return WorstOf((listed, turned))

    def to(self, tolerance: float) -> WorstOf:
        """Aim at this relative gap in each."""
        return self._each(lambda profile: profile.to(tolerance))

    def in_balls(self) -> WorstOf:
        """Each in ball arithmetic."""
        return self._each(lambda profile: profile.in_balls())

    def pairs(self) -> tuple[Pair, ...]:
        """Both pairs; what is the worst of them is no pair itself."""
        listed, turned = self.profiles
        return (*listed.pairs(), *(replace(pair, turned=True) for pair in turned.pairs()))


def turned(parts: Parts[LossTransform]) -> tuple[Steps, Steps] | None:
    """Both orders with the record in the other input, where that makes a difference.

    Sampling tells the inputs apart by where the record is, a listed pair by its name: together both matter.
    """
    if all(g.turned is None for g, _ in parts.items):
        return None
    plain = _orders(parts, lambda g: (g.forward, g.backward))
    other = _orders(parts, lambda g: g.turned or (g.forward, g.backward))
    return None if other in (plain, plain[::-1]) else (other[0], other[1])


def _orders(parts: Parts[LossTransform], read: Callable[[LossTransform], tuple[Any, Any]]) -> list[Steps]:
    return [tuple((read(g)[index], n) for g, n in parts.items) for index in range(2)]


__all__ = ["WorstOf", "turned"]
