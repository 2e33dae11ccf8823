r"""A fast guess, in floats and without any promise, of where a target is met: by the saddle-point approximation.

At its saddle $t$ the line gives $\ln\delta\approx K(t)-t\varepsilon-\ln t(1+t)-\frac12\ln2\pi v$, good to a percent or
so, without a line being built. The certified search then starts next to where it will end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from dpcompose import inversion
from dpcompose.description import Mechanism
from dpcompose.errors import DPError
from dpcompose.inversion.line.jumps import choose_bulk
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.inversion.saddle import Saddle, at_epsilon
from dpcompose.kernel import Side
from dpcompose.numerics.enclosure import Real
from dpcompose.prove.claims import known

Sketch = Callable[[Mechanism], float | None]
"""A rough estimate of what a mechanism costs; None where the saddle-point approximation does not apply."""
GUESSES = 12
ROUGH = 1e-3
SHARP = 1e-9
ACROSS = 1e-2
"""How far apart the two guesses are that give a slope: much farther than their roughness of about 1e-5."""
FAR = 3.0
ASIDE = (0.0, -0.5, 0.5, -3.0, 3.0)
"""Where to look for a first useful height: far out δ is 1, and at an end of the range there may be no saddle line."""


@runtime_checkable
class Inverting(Protocol):
    """A profile whose values are computed by inversion along a saddle line."""

    def inversions(self) -> list[inversion.LossProfile]:
        """The losses to invert: one for each order of the neighbouring pair."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where the search begins, and the slope of the height there."""

    place: float
    slope: float


@dataclass(slots=True)
class DeltaSketch:
    """An estimate of δ(ε) by the saddle point, with losses trimmed as suits the δ that is aimed at.

    The mechanisms asked about one after the other are much alike, so the worse of the two orders of the pair, and its
    tilt, are remembered from one to the next.
    """

    epsilon: float
    aim: float
    order: int | None = None
    tilt: float = 1.0

    def __call__(self, mechanism: Mechanism) -> float | None:
        """About δ; None where δ is not computed on a saddle line (a certified answer is quick there)."""
        orders = self._orders(mechanism)
        if self.order is not None and self.order < len(orders):
            found = self._log_delta(orders[self.order])
        else:
            each = [self._log_delta(order) for order in orders]
            found = max(each, default=math.nan)
            self.order = each.index(found) if math.isfinite(found) else None
        return math.exp(min(found, 0.0)) if math.isfinite(found) else None

    def glance(self, mechanism: Mechanism) -> float | None:
        """A close estimate of δ, in the worse order of the pair alone: at half the cost of a certified answer."""
        orders = self._orders(mechanism)
        if self.order is None or self.order >= len(orders):
            return None
        return orders[self.order].delta(self.epsilon, SHARP).upper

    def _orders(self, mechanism: Mechanism) -> list[inversion.LossProfile]:
        first = next((c.guarantee for c in known(mechanism).profiles() if c.side is Side.BOTH), None)
        return first.inversions() if isinstance(first, Inverting) else []

    def _log_delta(self, order: inversion.LossProfile) -> float:
        if not order.summands or order.leak.upper > 0.0 or self.epsilon >= order.supremum:
            return math.nan
        with np.errstate(all="ignore"):
            _, saddle = choose_bulk(order.summands, self._saddle, self.aim, ROUGH, self.tilt)
        self.tilt = min(max(saddle.tilt, 1e-3), 1e3)
        return saddle.log_delta

    def _saddle(self, cumulants: Callable[[float], Cumulants], start: float) -> Saddle:
        return at_epsilon(cumulants, self.epsilon, start)


def delta_sketch(epsilon: Real, delta: Real) -> DeltaSketch:
    """An estimate of δ(ε), made for values near this δ."""
    return DeltaSketch(float(epsilon), math.log(delta))


def start(height: Callable[[float], float | None], goal: float, place: float, slope: float) -> Start | None:
    """Where to start the certified search: secant steps towards the goal, then the slope there; None if they fail."""
    seen = _pair(height, goal, place, slope)
    for _ in range(GUESSES if seen else 0):
        assert seen is not None  # noqa: S101 - or there is no round
        (a, low), (b, high) = seen
        step = (goal - high) * (b - a) / (high - low) if high != low else math.nan
        if not abs(step) >= ACROSS:
            return _across(height, goal, b + step)
        there = b + math.copysign(min(abs(step), FAR), step)
        found = tried(height, there)
        if found is None:
            return None
        seen = (b, high), (there, found)
    return None


def _across(height: Callable[[float], float | None], goal: float, place: float) -> Start | None:
    """The line through two heights, far enough apart that their roughness does not spoil the slope."""
    left, right = place - ACROSS, place + ACROSS
    low, high = tried(height, left), tried(height, right)
    if low is None or high is None or low == high:
        return None
    slope = (high - low) / (right - left)
    return Start(left + (goal - low) / slope, slope)


def _pair(
    height: Callable[[float], float | None], goal: float, place: float, slope: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Two places with different heights: the second where the goal should be or, failing that, on the other side."""
    for aside in ASIDE:
        here = place + aside
        seen = tried(height, here)
        if seen is None:
            continue
        step = math.copysign(min(max(abs((goal - seen) / slope), ACROSS), FAR), (goal - seen) / slope)
        for there in (here + step, here - step):
            found = tried(height, there)
            if found is not None and found != seen:
                return (here, seen), (there, found)
    return None


def tried(height: Callable[[float], float | None], place: float) -> float | None:
    """The height at a place; None where floats fail, which only costs a good start."""
    try:
        found = height(place)
    except (DPError, ArithmeticError, ValueError, IndexError, TypeError):
        return None
    return found if found is not None and math.isfinite(found) else None


__all__ = ["DeltaSketch", "Sketch", "Start", "delta_sketch", "start", "tried"]
