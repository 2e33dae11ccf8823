r"""What a line says of δ at one ε: two logarithms with the truth between them, and where their width comes from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from dpcompose.numerics.rounding import Floats


class LineReading(NamedTuple):
    r"""$\ln\delta$ enclosed, with the best guess and its slope in between."""

    log_lower: float
    log_upper: float
    log_value: float
    slope: float

    def sound(self) -> LineReading:
        """An end that overflow has spoiled says nothing."""
        lower = self.log_lower if self.log_lower <= self.log_upper else -math.inf
        upper = math.inf if math.isnan(self.log_upper) else self.log_upper
        value = -math.inf if math.isnan(self.log_value) else self.log_value
        return LineReading(lower, upper, value, -1.0 if math.isnan(self.slope) else self.slope)


@dataclass(frozen=True)
class ErrorBudget:
    """Where the width of an answer comes from: each term relative to δ, at one ε."""

    method: str
    tilt: float
    period: float
    frequencies: int
    evaluated: int
    aliasing: float
    truncation: float
    quadrature_and_rounding: float
    domain: float
    smoothing: float
    cancellation: float
    """ln of the Chernoff prefactor over δ: digits lost are this divided by 2.3."""


NO_BUDGET = ErrorBudget("", 0.0, 0.0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class Readable(Protocol):
    """A line, a pair of lines, or a lattice line."""

    @property
    def tilt(self) -> float:
        """The tilt of the line."""

    @property
    def size(self) -> int:
        """How many frequencies are evaluated."""

    def read(self, epsilon: float) -> LineReading:
        """Certified bounds on ln δ at one ε."""

    def read_many(self, epsilons: Floats) -> list[LineReading]:
        """`read` at many ε."""

    def budget(self, epsilon: float) -> ErrorBudget:
        """The error terms at one ε."""
