"""What an accountant must offer to be judged."""

from __future__ import annotations

from abc import ABC, abstractmethod

from dpcompose.description import Composition, Mechanism


class NotOffered(Exception):
    """Raised by an adapter for a work that its accountant cannot express; this counts as no fault."""


class Adapter(ABC):
    """An accountant: its name, its package, and its answer to one question."""

    name: str
    package: str
    """The distribution that the accountant comes from; its version is reported."""
    estimate: bool = False
    """Whether the accountant itself calls its answers estimates, not bounds."""

    @abstractmethod
    def epsilon(self, mechanism: Mechanism, delta: float) -> float:
        """The ε that the accountant promises at δ, at its documented best; or raises `NotOffered`."""


def leaves(mechanism: Mechanism) -> tuple[tuple[Mechanism, int], ...]:
    """The mechanisms that are run, each with its count."""
    return Composition(((mechanism, 1),)).leaves()


__all__ = ["Adapter", "NotOffered", "leaves"]
