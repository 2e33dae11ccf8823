"""A sketch's answer to one query: a number, and an interval that contains the truth except with small probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from dpcompose.numerics.enclosure import rounded

SHARE = 1e-9
"""An allowance for the rounding of the few floating-point operations here, relative to the largest number in them."""


@dataclass(frozen=True, slots=True)
class SketchEstimate:
    """With probability at least 1 − `failure` the truth is in [lower, upper], and |value − truth| ≤ η·truth + τ.

    This holds for a query that was chosen without looking at the sketch; queries that depend on it have no such
    promise.
    """

    value: float
    lower: float
    upper: float
    eta: float
    tau: float
    failure: Fraction

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        low, high = rounded(self.lower, ROUND_FLOOR), rounded(self.upper, ROUND_CEILING)
        return f"{self.value:.6g}  [{low}, {high}]"


@dataclass(frozen=True, slots=True)
class ProjectionReading:
    r"""How the mean square $V$ of a projection becomes an answer: $V \approx$ `kept` · truth + `added`."""

    kept: float
    added: float
    slack: float
    """An upper bound on what rounding has changed in the projection of each row."""
    eta: float
    failure: Fraction

    def estimate(self, square: float) -> SketchEstimate:
        r"""The answer, where $\sqrt V$ is known up to the slack and $V/(1\pm\eta)$ contains kept · truth + added."""
        size = math.sqrt(square)
        most, least = (size + self.slack) ** 2 * (1 + SHARE), max(size - self.slack, 0.0) ** 2 * (1 - SHARE)
        margin = SHARE * (most + self.added) / self.kept
        moved = (most - least) / self.kept
        return SketchEstimate(
            value=(square - self.added) / self.kept,
            lower=max((least / (1 + self.eta) - self.added) / self.kept - margin, 0.0),
            upper=max((most / (1 - self.eta) - self.added) / self.kept + margin, 0.0),
            eta=self.eta,
            tau=self.eta * self.added / self.kept * (1 + SHARE) + moved + margin,
            failure=self.failure,
        )


__all__ = ["ProjectionReading", "SketchEstimate"]
