r"""Where a target is met, as the saddle point sees it: floats that promise nothing and cost little.

At its saddle $t$ the line gives $\ln\delta\approx K(t)-t\varepsilon-\ln t(1+t)-\frac12\ln2\pi v$, good to a percent or
so, without a line being built. The search then starts next to where it will end.
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
from dpcompose.inversion.expansion import choose_bulk
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.kernel import Side
from dpcompose.numerics.enclosure import Real
from dpcompose.prove.claims import known

Sketch = Callable[[Mechanism], float | None]
"""About what a mechanism costs; None where the saddle point has no say."""
GUESSES = 12
ROUGH = 1e-3
NEAR = 3e-3
"""Guesses closer together than this tell no more about the place."""
FAR = 3.0
ASIDE = (0.0, -0.5, 0.5, -3.0, 3.0)
"""Where to look for a first height that says something: far out δ is 1, and at an end there may be no line."""


@runtime_checkable
class Inverting(Protocol):
    """A profile that is read off lines."""

    def inversions(self) -> list[inversion.Profile]:
        """One for each order of the pair."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where the search begins, and how the height grows there along the line."""

    place: float
    slope: float


def delta_sketch(epsilon: Real, delta: Real) -> Sketch:
    """δ(ε) by the saddle point, trimmed as it suits the δ that is aimed at."""
    level, aim = float(epsilon), math.log(delta)

    def sketch(mechanism: Mechanism) -> float | None:
        # A profile that knows both ends comes first, and if it is no line it is quick enough by itself.
        first = next((c for c in known(mechanism).profiles() if c.side is Side.BOTH), None)
        if first is None or not isinstance(first.guarantee, Inverting):
            return None
        found = [_log_delta(order, level, aim) for order in first.guarantee.inversions()]
        return math.exp(min(max(found), 0.0)) if found and all(map(math.isfinite, found)) else None

    return sketch


def _log_delta(order: inversion.Profile, epsilon: float, aim: float) -> float:
    if not order.summands or order.leak.upper > 0.0 or epsilon >= order.supremum:
        return math.nan
    with np.errstate(all="ignore"):
        _, saddle = choose_bulk(order.summands, lambda k, start: at_epsilon(k, epsilon, start), aim, ROUGH, 1.0)
    return saddle.log_delta


def start(height: Callable[[float], float | None], goal: float, place: float, slope: float) -> Start | None:
    """Secants from a place until the guessed height is the goal's; None where guesses fail or do not settle."""
    seen = _pair(height, goal, place, slope)
    if seen is None:
        return None
    (a, low), (b, high) = seen
    for _ in range(GUESSES):
        if low == high:
            return None
        slope = (high - low) / (b - a)
        step = (goal - high) / slope
        if abs(b - a) < NEAR:
            return Start(b + step, slope)
        a, low, b = b, high, b + math.copysign(min(abs(step), FAR), step)
        found = _tried(height, b)
        if found is None or a == b:
            return None
        high = found
    return None


def _pair(
    height: Callable[[float], float | None], goal: float, place: float, slope: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Two places with different heights: the second where the goal should be, or else on the other side."""
    for aside in ASIDE:
        here = place + aside
        seen = _tried(height, here)
        if seen is None:
            continue
        step = math.copysign(min(max(abs((goal - seen) / slope), NEAR / 2), FAR), (goal - seen) / slope)
        for there in (here + step, here - step):
            found = _tried(height, there)
            if found is not None and found != seen:
                return (here, seen), (there, found)
    return None


def _tried(height: Callable[[float], float | None], place: float) -> float | None:
    """Whatever goes wrong here goes wrong in floats, and costs a better start only."""
    try:
        found = height(place)
    except (DPError, ArithmeticError, ValueError, IndexError, TypeError):
        return None
    return found if found is not None and math.isfinite(found) else None


__all__ = ["Sketch", "Start", "delta_sketch", "start"]
