"""What an accountant must offer to be judged."""

from __future__ import annotations

from abc import ABC, abstractmethod

from dpcompose.description import Composition, Mechanism


class NotOffered(Exception):
    """The accountant has no way to say this work; which is no fault."""


class Adapter(ABC):
    """An accountant, by its name, package and answer to one question."""

    name: str
    package: str
    """The distribution it comes from, whose version is told."""
    estimate: bool = False
    """Whether it says itself that its answers are no bounds."""

    @abstractmethod
    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """The ε it promises at δ, at its documented best; or `NotOffered`."""


def leaves(mechanism: Mechanism) -> tuple[tuple[Mechanism, int], ...]:
    """What runs, each kind with its count."""
    return Composition(((mechanism, 1),)).leaves()


__all__ = ["Adapter", "NotOffered", "leaves"]
