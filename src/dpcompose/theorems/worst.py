"""The worst of several pairs, where it is not said which of them the data gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dpcompose.kernel import Parts
from dpcompose.notions import LossTransform, Pair, Profile
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.theorems.inverted import Steps, larger


@dataclass(frozen=True, slots=True)
class WorstOf(Profile):
    """The larger of two profiles: of the pair as listed, and of the one with the record in the other input."""

    profiles: tuple[Profile, Profile]

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger δ."""
        return larger(each.delta(epsilon) for each in self.profiles)

    def epsilon(self, delta: Real) -> Enclosure:
        """The larger ε."""
        return larger(each.epsilon(delta) for each in self.profiles)

    def _each(self, change: Callable[[Profile], Profile]) -> WorstOf:
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
