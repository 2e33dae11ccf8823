"""Inverse questions: the parameter of a family that just meets a target, on the safe side, certified from both."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dpcompose.description import Mechanism
from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.numerics.enclosure import Real
from dpcompose.numerics.search import root
from dpcompose.parameters import DELTA, EPSILON
from dpcompose.prove.answer import Answer
from dpcompose.prove.answer import delta as delta_at

Family = Callable[[Any], Mechanism]
CLOSE = 2.0**-20
"""The target is shown to be missed within this relative distance of the value: just under one in a million."""
PROBES = (1.0, 0.5, 2.0, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-4, 1e4, 1e-6, 1e6)
MOST_COUNT = 10**9
REACH = 1e12


class Target(ABC):
    """What the mechanism must satisfy."""

    @abstractmethod
    def cost(self, mechanism: Mechanism) -> Answer:
        """The quantity that the target limits."""

    @abstractmethod
    def met(self, answer: Answer) -> bool:
        """Certainly within the target."""

    @abstractmethod
    def missed(self, answer: Answer) -> bool:
        """Certainly beyond the target."""

    @abstractmethod
    def height(self, answer: Answer) -> float:
        """How far above the target, for searches only: positive beyond it, growing with the loss."""


@dataclass(frozen=True, slots=True)
class AtMost(Target):
    """A quantity of which less is more private: δ at an ε, an advantage, a true-positive rate."""

    ask: Callable[[Mechanism], Answer]
    limit: Real

    def cost(self, mechanism: Mechanism) -> Answer:
        """The quantity."""
        return self.ask(mechanism)

    def met(self, answer: Answer) -> bool:
        """Its upper end is within the limit."""
        return answer.upper <= self.limit

    def missed(self, answer: Answer) -> bool:
        """Its lower end exceeds the limit."""
        return answer.lower > self.limit

    def height(self, answer: Answer) -> float:
        """The logarithm of the ratio."""
        return math.log(max(answer.upper, 1e-320)) - math.log(max(float(self.limit), 1e-320))


@dataclass(frozen=True, slots=True)
class AtLeast(Target):
    """A quantity of which more is more private: the error of the best attacker."""

    ask: Callable[[Mechanism], Answer]
    limit: Real

    def cost(self, mechanism: Mechanism) -> Answer:
        """The quantity."""
        return self.ask(mechanism)

    def met(self, answer: Answer) -> bool:
        """Its lower end reaches the limit."""
        return answer.lower >= self.limit

    def missed(self, answer: Answer) -> bool:
        """Its upper end does not."""
        return answer.upper < self.limit

    def height(self, answer: Answer) -> float:
        """The logarithm of the ratio, the other way round."""
        return math.log(max(float(self.limit), 1e-320)) - math.log(max(answer.lower, 1e-320))


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The value that meets the target, what it costs, and the nearest value shown to miss it."""

    value: Real
    answer: Answer
    beyond: Real | None
    beyond_answer: Answer | None

    def __float__(self) -> float:
        return float(self.value)


@dataclass(slots=True)
class _Trial:
    """The family, asked at most once at each value."""

    family: Family
    target: Target
    answers: dict[Real, Answer] = field(default_factory=dict)

    def at(self, value: Real) -> Answer:
        if value not in self.answers:
            self.answers[value] = self.target.cost(self.family(value))
        return self.answers[value]

    def allows(self, value: Real) -> bool:
        """Whether the family has a member there."""
        try:
            self.family(value)
        except InvalidParameter:
            return False
        return True

    def met(self, value: Real) -> bool:
        return self.target.met(self.at(value))

    def missed(self, value: Real) -> bool:
        return self.target.missed(self.at(value))

    def height(self, value: Real) -> float:
        return self.target.height(self.at(value))


def calibrate(family: Family, *, epsilon: Real, delta: Real, within: tuple[Real, Real] | None = None) -> Calibrated:
    """The value on the safe side at which the family just meets (ε, δ).

    Works for growing and for falling costs, for real parameters and for whole ones: `lambda s: 100 *
    Gaussian(noise_std=s)` finds the least noise, `lambda k: k * Laplace(scale=2)` the most runs.
    """
    level, limit = EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta)
    return calibrate_to(family, AtMost(lambda m: delta_at(m, level, tolerance=1e-9), limit), within)


def calibrate_to(family: Family, target: Target, within: tuple[Real, Real] | None = None) -> Calibrated:
    """The value on the safe side at which the family just meets any target."""
    trial = _Trial(family, target)
    if trial.allows(1) and not trial.allows(0.5) and not trial.allows(1.5):
        return _whole(trial, *(within or (0 if trial.allows(0) else 1, MOST_COUNT)))
    low, high = (float(within[0]), float(within[1])) if within else _domain(trial)
    return _real(trial, low, high)


def _domain(trial: _Trial) -> tuple[float, float]:
    """The widest range around a legal probe in which the family has members."""
    inside = next((x for x in PROBES if trial.allows(x)), None)
    if inside is None:
        raise InvalidParameter(
            "family", trial.family, "a function with members at some of 1e-6 … 1e6; or give `within`"
        )

    def edge(limit: float) -> float:
        if trial.allows(limit):
            return limit
        good, bad = math.log(inside), math.log(limit)
        for _ in range(60):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if trial.allows(math.exp(middle)) else (good, middle)
        snapped = float(f"{math.exp(good):.12g}")  # a range that ends at 1 ends at 1
        return snapped if trial.allows(snapped) else math.exp(good)

    return edge(1 / REACH), edge(REACH)


def _real(trial: _Trial, low: float, high: float) -> Calibrated:
    """Search in floats on a logarithmic scale, then show one side met and the other missed."""
    rising = trial.height(high) >= trial.height(low)
    if trial.met(high if rising else low):
        best = high if rising else low
        return Calibrated(best, trial.at(best), None, None)
    if not trial.met(low if rising else high):
        raise NotProvable(f"No value from {low:g} to {high:g} is shown to meet the target")
    sign = -1.0 if rising else 1.0
    guess = root(lambda u: sign * trial.height(math.exp(u)), math.log(low), math.log(high), tolerance=1e-10)
    good, bad = _bracket(trial, math.exp(guess), sign, (low, high))
    while abs(math.log(bad / good)) > 0.9 * CLOSE:  # only where the cost jumps
        middle = math.sqrt(good * bad)
        good, bad = (middle, bad) if trial.met(middle) else (good, middle)
    beyond = bad
    while not trial.missed(beyond):
        beyond *= (beyond / good) ** 2
        if not low <= beyond <= high:
            return Calibrated(good, trial.at(good), None, None)
    return Calibrated(good, trial.at(good), beyond, trial.at(beyond))


def _bracket(trial: _Trial, guess: float, sign: float, ends: tuple[float, float]) -> tuple[float, float]:
    """A value that meets the target and, towards the other end, one that does not, close to the guess."""
    value, step = min(max(guess, ends[0]), ends[1]), CLOSE / 4
    bad = None
    while not trial.met(value):
        bad, value, step = value, min(max(value * math.exp(sign * step), ends[0]), ends[1]), 4 * step
    good, step = value, CLOSE / 2
    while bad is None:
        value = min(max(value * math.exp(-sign * step), ends[0]), ends[1])
        good, bad, step = (value, None, 4 * step) if trial.met(value) else (good, value, step)
    return good, bad


def _whole(trial: _Trial, low: Real, high: Real) -> Calibrated:
    """Double, then halve."""
    first, last = int(low), int(high)
    rising = trial.height(min(last, max(2 * first, 64))) >= trial.height(first)
    if not rising:
        raise InvalidParameter("family", trial.family, "a cost that grows with a whole parameter")
    if not trial.met(first):
        raise NotProvable(f"Not even {first} is shown to meet the target")
    good, step = first, 1
    while good + step <= last and trial.met(good + step):
        good, step = good + step, 2 * step
    bad = min(good + step, last + 1)
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if trial.met(middle) else (good, middle)
    missed = bad if bad <= last and trial.missed(bad) else None
    return Calibrated(good, trial.at(good), missed, trial.at(missed) if missed is not None else None)


def remaining(plan: Mechanism, more: Mechanism, *, epsilon: Real, delta: Real) -> Calibrated:
    """How many more runs of `more` fit beside `plan` into (ε, δ)."""
    return calibrate(lambda count: plan + more * count, epsilon=epsilon, delta=delta)


__all__ = ["AtLeast", "AtMost", "Calibrated", "Target", "calibrate", "calibrate_to", "remaining"]
