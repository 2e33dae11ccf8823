"""What a misprint is, and how its counterexample is computed from the library's own exact values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from dpcompose.kernel import Parts
from dpcompose.mechanisms import BlackBox
from dpcompose.notions import ApproxDP, Profile
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, enclose
from dpcompose.prove.answer import delta, epsilon


class SourceDocument(Enum):
    """The five source documents."""

    DRV = "Dwork–Rothblum–Vadhan notes"
    RENYI = "Rényi composition page"
    MIRONOV = "Mironov, section 5"
    KOV = "Kairouz–Oh–Viswanath"
    SMITH = "Smith, lecture 10"


class Severity(Enum):
    """What relying on the printed form would do."""

    UNSOUND = "unsound"
    """It promises less than the truth."""
    LOOSE = "loose"
    """It holds, but states less than the correct form."""
    FALSE_CLAIM = "false claim"
    """It is said to be optimal and is not; no promise breaks."""
    TYPOGRAPHIC = "typographic"
    """It cannot be read, or names the wrong thing; there is no number to compare."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """One quantity at one point: its printed value, its corrected value, and the truth."""

    quantity: str
    at: str
    printed: Enclosure
    correct: Enclosure
    truth: Enclosure

    @property
    def understates(self) -> bool:
        """Whether the printed value is certainly below the truth."""
        return self.printed.upper < self.truth.lower

    @property
    def overstates(self) -> bool:
        """Whether the printed value is certainly above the corrected one."""
        return self.printed.lower > self.correct.upper

    @property
    def corrected(self) -> bool:
        """Whether the corrected value contains the truth."""
        return self.correct.upper >= self.truth.lower


@dataclass(frozen=True, slots=True)
class Erratum:
    """A misprint: the printed form, the corrected form, what the difference does, and numbers that show it."""

    id: str
    document: SourceDocument
    verdict: Severity
    printed: str
    correct: str
    remark: str
    counterexample: Callable[[], Counterexample] | None = None


def number(text: str) -> Fraction:
    """An exact decimal."""
    return Fraction(text)


def value(formula: Callable[[], Ball]) -> Enclosure:
    """A formula as an enclosure."""
    return enclose(formula)


def exact_epsilon(count: int, step: Real, at: Real, leak: Real = 0) -> Enclosure:
    """The least ε that `count` arbitrary (step, leak)-DP mechanisms have at δ = `at`."""
    return epsilon(count * BlackBox(epsilon=step, delta=leak), at, tolerance=1e-9).enclosure


def exact_delta(count: int, step: Real, at: Real, leak: Real = 0) -> Enclosure:
    """The least δ that `count` arbitrary (step, leak)-DP mechanisms have at ε = `at`."""
    return delta(count * BlackBox(epsilon=step, delta=leak), at, tolerance=1e-9).enclosure


def stated_epsilon(
    theorem: Callable[[Parts[ApproxDP]], Profile], count: int, step: Real, at: Real, leak: Real = 0
) -> Enclosure:
    """What one composition theorem states for `count` (step, leak)-DP mechanisms at δ = `at`."""
    return theorem(Parts(((ApproxDP(step, leak), count),))).epsilon(at)
