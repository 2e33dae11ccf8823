"""What is seen of one bound: how many points were checked, and how close the true error came to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from flint import acb, arb

from cases import PROFILE

ONE_IN = 1 if PROFILE == "nightly" else 10
"""By day a bound sees one point in so many."""
POINTS = 10_000 // ONE_IN
"""So many points, at least, for every bound."""
SIDE = 16 if ONE_IN == 1 else 8
"""The square of it: so many tilts, or frequencies, for every case of a law."""
FEW_SHOWN = 5


@dataclass
class Gauge:
    """Collects true errors beside their bounds. A comparison counts only if balls are certain of it."""

    points: int = 0
    largest: float = 0.0
    violations: list[str] = field(default_factory=list)

    def see(self, error: arb | acb, bound: float | arb, *point: object) -> None:
        """One error (its modulus, if it is a difference) and the bound that was stated for it."""
        size, allowed = abs(error), arb(bound)
        self.points += 1
        if not size <= allowed:
            self.violations.append(f"{size.str(5)} > {allowed.str(5)} at {point}")
        elif not size.is_zero():
            self.largest = max(self.largest, float((size / allowed).mid()))

    def see_between(self, low: float | arb, truth: arb, high: float | arb, *point: object) -> None:
        """A truth that was enclosed: its distance from the middle against half the width."""
        a, b = arb(low), arb(high)
        self.points += 1
        if not a <= truth <= b:
            self.violations.append(f"{truth.str(20)} not between {a.str(20)} and {b.str(20)} at {point}")
        elif a < b and not a.is_zero():
            self.largest = max(self.largest, float((abs(2 * truth - a - b) / (b - a)).mid()))

    def see_below(self, truth: arb, bound: float | arb, slack: float | arb, *point: object) -> None:
        """A truth below a bound that was raised by some slack: how much of it rounding has used up."""
        top, room = arb(bound), arb(slack)
        self.points += 1
        if not truth <= top:
            self.violations.append(f"{truth.str(20)} > {top.str(20)} at {point}")
        elif truth > top - room and not truth.is_zero():
            self.largest = max(self.largest, float(((truth - top + room) / room).mid()))

    def summary(self) -> str:
        """The first few violations."""
        return f"{len(self.violations)} of {self.points}: " + "; ".join(self.violations[:FEW_SHOWN])


class Row(NamedTuple):
    """One bound: what it is for, where it is stated, how to check it, and how idle it may at most be."""

    name: str
    where: str
    check: Callable[[Gauge], None]
    least: float = 1e-6
    """The largest ratio of error to bound must exceed this: else the check sees nothing."""
