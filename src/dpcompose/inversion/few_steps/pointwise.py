"""A profile that is cheap to enclose at any one ε."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

from dpcompose.numerics.crossing import crossing
from dpcompose.numerics.enclosure import ZERO, Enclosure
from dpcompose.numerics.unreachable import OutOfReach

FINENESS = 1e-11
"""How closely ε is looked for, relative to the greatest it can be, where nothing is known of it."""
FINEST = 1e-14
"""How closely ε is ever looked for, relative to the greatest it can be."""


class Pointwise(ABC):
    """Everything that follows from the two bounds."""

    farthest = math.inf
    """Losses are listed up to this one."""

    @abstractmethod
    def lower(self, epsilon: float) -> float:
        """A lower bound on δ(ε)."""

    @abstractmethod
    def upper(self, epsilon: float) -> float:
        """An upper bound on δ(ε)."""

    def delta(self, epsilon: float, tolerance: float) -> Enclosure:  # noqa: ARG002 - as close as floats can
        """δ(ε)."""
        return Enclosure(self.lower(epsilon), self.upper(epsilon))

    def epsilon(
        self,
        low_target: float,
        high_target: float,
        tolerance: float,
        most: float,
        expected: float | None = None,  # noqa: ARG002 - the guess is as good
    ) -> Enclosure:
        """ε at a δ known to lie between two numbers."""
        if math.isinf(most):
            if self.upper(self.farthest) > low_target:
                raise OutOfReach("δ is beyond what is listed")
            most = self.farthest
        near, slope = self.guess(high_target, most)
        if near <= 0.01 * most and self.upper(0.0) <= low_target:
            return ZERO
        width = max(0.2 * tolerance * near, FINEST * most) if near > 0.0 else FINENESS * most
        _, up = crossing(self.upper, low_target, Enclosure(0.0, most), near, slope, width)
        down, _ = crossing(self.lower, high_target, Enclosure(0.0, up), up - width, slope, width)
        return Enclosure(down, up)

    def guess(self, delta: float, most: float) -> tuple[float, float]:  # noqa: ARG002 - whatever δ is
        """About where ε lies, and how fast ln δ falls there; anything will do."""
        return 0.0, 1.0 / most

    def curve(self, epsilons: Sequence[float], tolerance: float) -> dict[float, Enclosure]:
        """δ at many ε."""
        return {e: self.delta(e, tolerance) for e in epsilons}

    def is_below(self, epsilon: float, delta: float) -> bool:
        """Whether δ(ε) is no more than this."""
        return self.upper(epsilon) <= delta
