"""What a profile may keep from one composition to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.methods import SmallSum
from dpcompose.numerics.enclosure import Enclosure


class Recollection(Protocol):
    """What a profile may keep from one composition to the next, similar one."""

    def expected(self) -> float | None:
        """Where the next ε is looked for first, if there is a reason."""

    def answered(self, found: Enclosure) -> None:
        """Take note of an ε."""

    def solve(self, summands: Sequence[LossSum], low: float, high: float, tolerance: float) -> Enclosure | None:
        """ε between two targets for the finite part of δ, from what is kept; None where that is not tight enough."""

    def small(self, found: SmallSum | None) -> SmallSum | None:
        """Few steps, answered with the help of what is kept."""


class Forgetful:
    """Every composition is a new one."""

    def expected(self) -> float | None:
        """None: no place is expected."""
        return None

    def answered(self, found: Enclosure) -> None:
        """An ε is not kept."""

    def solve(self, summands: Sequence[LossSum], low: float, high: float, tolerance: float) -> Enclosure | None:  # noqa: ARG002
        """None: nothing is kept."""
        return None

    def small(self, found: SmallSum | None) -> SmallSum | None:
        """The few steps as they are."""
        return found
