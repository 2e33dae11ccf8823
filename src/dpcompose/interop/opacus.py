"""Opacus (1.6): after `register()`, `PrivacyEngine(accountant="dpcompose")` uses the certified accountant."""

from __future__ import annotations

import math
from typing import Any

from dpcompose.description import Composition
from dpcompose.errors import NotProvable
from dpcompose.interop.histories import History, mechanism_of
from dpcompose.interop.neighbours import required
from dpcompose.prove.answer import Answer
from dpcompose.prove.answer import epsilon as epsilon_at

NAME = "dpcompose"
_accountants = required("opacus.accountants", "opacus")


class Accountant(_accountants.IAccountant):  # type: ignore[misc,name-defined] # the neighbour has no types
    """The certified accountant as an `IAccountant` of Opacus. Its only state is `history`, which callers may assign."""

    def __init__(self) -> None:
        """An accountant with an empty history."""
        self.history: History = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Add one step; equal steps share an entry."""
        if self.history and tuple(self.history[-1][:2]) == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    @property
    def mechanism_run(self) -> Composition:
        """The mechanism that the history describes."""
        return mechanism_of(self.history)

    def epsilon(self, delta: float) -> Answer:
        """Both ends of ε at a δ, with the theorems behind them."""
        return epsilon_at(self.mechanism_run, delta)

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:  # noqa: ARG002 - others' settings pass by
        """The upper end of ε: never below the truth, and infinite where no finite ε is certain."""
        try:
            return self.epsilon(delta).upper
        except NotProvable:
            return math.inf

    def __len__(self) -> int:
        return sum(int(steps) for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name under which Opacus finds this accountant."""
        return NAME


def register() -> None:
    """Register the accountant with Opacus; doing so again changes nothing."""
    registry = required("opacus.accountants.registry", "opacus")
    registry.register_accountant(NAME, Accountant, force=True)


__all__ = ["Accountant", "register"]
