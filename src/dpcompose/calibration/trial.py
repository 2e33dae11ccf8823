"""A family of mechanisms on trial: where it has members, what they cost, and the axis on which it is searched."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dpcompose.calibration.targets import Target
from dpcompose.description import Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.prove.answer import Answer

Family = Callable[[Any], Mechanism]
"""A function from the value of one parameter to a mechanism; it raises where there is none."""

CLOSE = 2.0**-20
"""The target is shown to be missed within this relative distance of the value: just under one in a million."""
PROBES = (1.0, 0.5, 2.0, 0.1, 10.0, 0.01, 100.0, 1e-3, 1e3, 1e-4, 1e4, 1e-6, 1e6)
WHOLE_PROBES = (1, 2, 3, 10, 100, 1000)
REACH = 1e150
MOST_WHOLE = 10**15
REFUSALS = (ValueError, TypeError, ArithmeticError)
"""What a family raises where it has no member: `k * m` refuses 1.5, `Fraction(1, n)` refuses 0 and floats."""


class TrialPoint(NamedTuple):
    """A value of the parameter, its place on the axis, and its cost on the target's scale."""

    value: Real
    place: float
    height: float


@dataclass(slots=True)
class Trial:
    """A family with its target; each value of the parameter is evaluated at most once."""

    family: Family
    target: Target
    answers: dict[Real, Answer] = field(default_factory=dict)
    first_gap: int = 0
    """Which of the target's gaps to ask for at first; -1, the sharpest, once nothing else will decide."""

    def allows(self, value: Real) -> bool:
        """Whether the family has a member at this value."""
        try:
            return isinstance(self.family(value), Mechanism)
        except REFUSALS:
            return False

    def at(self, value: Real) -> Answer:
        """What the member at this value costs."""
        if value not in self.answers:
            self.answers[value] = self.target.cost(self.family(value), self.first_gap)
        return self.answers[value]

    def met(self, value: Real) -> bool:
        """Whether the member at this value is shown to meet the target."""
        return self.target.met(self.at(value))

    def missed(self, value: Real) -> bool:
        """Whether the member at this value is shown to miss the target."""
        return self.target.missed(self.at(value))

    def height(self, value: Real) -> float:
        """The cost of the member at this value, on the scale on which the target is searched for."""
        return self.target.scale(self.at(value).safe)

    def refusal(self) -> InvalidParameter:
        """The refusal for a family that has no member between 1e-6 and 1e6, where members are looked for first."""
        wanted = "a function of one number that gives mechanisms at some of 1e-6 … 1e6; or give `within`"
        return InvalidParameter("family", self.family, wanted)


class Axis(ABC):
    """The values of the parameter from `low` to `high`, laid out on a line."""

    low: Real
    high: Real
    start: Real
    slope: float
    """The likely slope of the height along the axis."""

    @abstractmethod
    def place(self, value: Real) -> float:
        """The place of a value on the axis."""

    @abstractmethod
    def value(self, place: float) -> Real:
        """The value of the parameter nearest to this place on the axis."""

    @abstractmethod
    def beside(self, value: Real, steps: float) -> Real:
        """The value this many smallest steps away."""

    def clipped(self, value: Real) -> Real:
        """The value, moved into the range from `low` to `high`."""
        return min(max(value, self.low), self.high)

    def between(self, place: float, left: Real, right: Real, steps: float) -> Real | None:
        """A value near a place and strictly between two others, some steps away from both; None if there is no room."""
        if self.beside(left, 1) >= right:
            return None
        least, most = self.beside(left, steps), self.beside(right, -steps)
        if least >= most:
            least = most = self.beside(left, 1) if self.beside(left, 2) >= right else self.middle(left, right)
        return min(max(self.value(place), least), most)

    def middle(self, left: Real, right: Real) -> Real:
        """The value halfway between two others, on the axis."""
        return self.value((self.place(left) + self.place(right)) / 2)


@dataclass(frozen=True, slots=True)
class RealAxis(Axis):
    """Positive real numbers, laid out by their logarithms."""

    low: float
    high: float
    start: float
    slope: float = -1.0  # noise
    step: float = CLOSE / 2

    def place(self, value: Real) -> float:
        """The logarithm."""
        return math.log(value)

    def value(self, place: float) -> Real:
        """The exponential."""
        return self.clipped(math.exp(min(max(place, -745.0), 709.0)))

    def beside(self, value: Real, steps: float) -> Real:
        """The value times a power of the smallest relative step."""
        return float(value) * math.exp(steps * self.step)


@dataclass(frozen=True, slots=True)
class WholeAxis(Axis):
    """Whole numbers from 0 on, laid out by ln(1 + n)."""

    low: int
    high: int
    start: int
    slope: float = 0.5  # runs

    def place(self, value: Real) -> float:
        """The logarithm of one more than the value."""
        return math.log(1 + value)

    def value(self, place: float) -> Real:
        """The nearest whole number."""
        return self.clipped(round(math.expm1(min(max(place, 0.0), 40.0))))

    def beside(self, value: Real, steps: float) -> Real:
        """The value plus this many."""
        return int(value) + math.trunc(steps)


def axis_of(trial: Trial, within: tuple[Real, Real] | None) -> Axis:
    """The axis for a family: whole numbers where it has members at those alone, else positive numbers."""
    if within is not None and not _is_range(within):
        raise InvalidParameter("within", within, "two numbers from 0 on, the lower one first")
    whole = next((n for n in WHOLE_PROBES if trial.allows(n)), None)
    if whole is not None and not trial.allows(whole - 0.5) and not trial.allows(whole + 0.5):
        return _whole(trial, whole) if within is None else _counted(*within)
    if within is not None:
        high = float(within[1])
        low = max(float(within[0]), high / REACH, math.ulp(0.0))
        start = math.sqrt(low) * math.sqrt(high) if high < 1e6 * low else min(max(1.0, low), high)
        return RealAxis(low, high, start)
    inside = next((x for x in PROBES if trial.allows(x)), None)
    if inside is None:
        raise trial.refusal()
    return RealAxis(_edge(trial, inside, 1 / REACH), _edge(trial, inside, REACH), inside)


def _is_range(within: Any) -> bool:
    try:
        low, high = within
        return bool(0 <= low <= high)
    except (TypeError, ValueError):
        return False


def _counted(low: Real, high: Real) -> WholeAxis:
    least, most = math.ceil(low), math.floor(high)
    if least > most:
        raise InvalidParameter("within", (low, high), "a range with a whole number in it")
    return WholeAxis(least, most, min(max(1, least), most))


def _whole(trial: Trial, inside: int) -> WholeAxis:
    low = next(n for n in range(inside + 1) if trial.allows(n))
    good, bad = inside, MOST_WHOLE + 1
    if not trial.allows(MOST_WHOLE):
        while bad - good > 1:
            middle = math.isqrt(good * bad) if bad > 4 * good else (good + bad) // 2
            good, bad = (middle, bad) if trial.allows(middle) else (good, middle)
        return WholeAxis(low, good, inside)
    return WholeAxis(low, MOST_WHOLE, inside)


def _edge(trial: Trial, inside: float, limit: float) -> float:
    """The last value, going from `inside` to the limit, at which the family has members."""
    if trial.allows(limit):
        return limit
    good, bad = math.log(inside), math.log(limit)
    for _ in range(64):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if trial.allows(math.exp(middle)) else (good, middle)
    snapped = float(f"{math.exp(good):.12g}")  # a range that ends at 1 ends at 1
    return snapped if trial.allows(snapped) else math.exp(good)


__all__ = ["CLOSE", "Axis", "Family", "RealAxis", "Trial", "TrialPoint", "WholeAxis", "axis_of"]
