"""Where a decreasing bound falls to a target: guesses that converge, every end evaluated."""

from __future__ import annotations

import math
from collections.abc import Callable

from dpcompose.numerics.enclosure import Enclosure

EVALUATIONS = 80
NOTHING_LEFT = 1e-100
"""A value so small is that of a profile at its end, where it falls to 0 like a straight line."""


def crossing(  # noqa: PLR0917 - a function, a value and where to look
    bound: Callable[[float], float], target: float, known: Enclosure, near: float, slope: float, width: float
) -> tuple[float, float]:
    """Neighbours $a < b$ with `bound(a) > target >= bound(b)`, closer than `width` if evaluations last; ends of what
    is known stand in where there is none.
    """
    a, b = known.lower, known.upper
    high: float | None = None
    low: float | None = None
    x, shift, sizes = min(max(near, a), b), width, [math.inf, math.inf]
    for _ in range(EVALUATIONS):
        value = bound(x)
        if value > target:
            a, high = x, value
        else:
            b, low = x, value
        if b - a <= width:
            break
        if high is None or low is None:
            step = math.log(max(value, 1e-300) / target) / slope
            x = min(max(x + step + math.copysign(shift, step), known.lower), known.upper)
            shift *= 4.0
        else:
            idle = b - a > 0.3 * sizes[-2]  # two steps should do more than halving does
            sizes.append(b - a)
            share = 0.5 if idle else _share(high, low, target)
            x = _aim(a, b, share, width if value > target else -width)
    return a, b


def _share(high: float, low: float, target: float) -> float:
    """How far from the higher to the lower value the target lies: of the logarithms, or near 0 of the values."""
    if low < NOTHING_LEFT:
        return (high - target) / (high - low)
    return math.log(high / target) / math.log(high / low)


def _aim(a: float, b: float, share: float, beyond: float) -> float:
    """A little beyond the place that is expected, so that the other end moves next."""
    x = a + min(max(share, 0.01), 0.99) * (b - a) + 0.3 * beyond
    return min(max(x, a + 0.01 * (b - a)), a + 0.99 * (b - a))
