"""Where a function is least, where it changes sign, and up to which whole number something holds.

Guesses in floats are not certified: a poor one only costs time or tightness; whoever uses one certifies it in balls.
"""

from __future__ import annotations

import math
from collections.abc import Callable

_GOLDEN = (3.0 - math.sqrt(5.0)) / 2.0


def argmin(
    function: Callable[[float], float], low: float, high: float, samples: int = 17, tolerance: float = 1e-9
) -> float:
    """Where `function` is least on `[low, high]`, to about `tolerance` of the position.

    A coarse scan (geometric over a wide positive range) finds the valley, so that mild wiggles, infinities
    and NaN elsewhere do no harm; Brent's parabolas with golden-section steps then find its floor.
    """
    if not low < high:
        return low
    value = _finite(function)
    grid = _grid(low, high, samples)
    heights = [value(x) for x in grid]
    best = min(range(samples), key=heights.__getitem__)
    left, right = grid[max(best - 1, 0)], grid[min(best + 1, samples - 1)]
    found, height = _brent(value, left, right, tolerance)
    return found if height <= heights[best] else grid[best]


def root(
    function: Callable[[float], float],
    low: float,
    high: float,
    tolerance: float = 1e-12,
    evaluations: int = 100,
) -> float:
    """A point of `[low, high]` near which a decreasing `function` changes sign; an end if it does not.

    Regula falsi with the Illinois weight, halving the interval whenever three steps have not.
    """
    above, below = function(low), function(high)
    if not above > 0.0:
        return low
    if not below < 0.0:
        return high
    width, side = high - low, 0
    for step in range(1, evaluations):
        middle = high + (high - low) * (below / (above - below))
        if step % 3 == 0:
            slow, width = high - low > width / 2.0, high - low
            middle = low + width / 2.0 if slow else middle
        if not low < middle < high:  # also where an infinite value left nothing to interpolate
            middle = low + (high - low) / 2.0
        if high - low <= tolerance * abs(high) or not low < middle < high:
            break
        height = function(middle)
        if height > 0.0:
            low, above, below, side = middle, height, below / 2.0 if side > 0 else below, 1
        elif height < 0.0:
            high, below, above, side = middle, height, above / 2.0 if side < 0 else above, -1
        else:
            return middle
    return low + (high - low) / 2.0


def bracket(function: Callable[[float], float], guess: float, low: float, high: float) -> tuple[float, float]:
    """Two points of `[low, high]` with the sign change of a decreasing `function` between them, near `guess`.

    The step doubles its own growth, so the far end of the floats is a dozen steps away.
    """
    guess = min(max(guess, low), high)
    step, growth = max(abs(guess), 1e-300) / 8.0, 2.0
    if function(guess) > 0.0:
        left = guess
        while (right := min(left + step, high)) < high and function(right) > 0.0:
            left, step, growth = right, min(step * growth, 1e308), min(growth * growth, 1e150)
        return left, right
    right = guess
    while (left := max(right - step, low)) > low and not function(left) > 0.0:
        right, step, growth = left, min(step * growth, 1e308), min(growth * growth, 1e150)
    return left, right


def last(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The greatest whole number at which `holds`, which does from `low` up to some number and not from there to `high`.

    Neither end is asked for; what is between is halved.
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _finite(function: Callable[[float], float]) -> Callable[[float], float]:
    """The function, with every failure to be a number read as infinitely bad."""

    def value(x: float) -> float:
        try:
            height = float(function(x))
        except (ArithmeticError, ValueError):
            return math.inf
        return math.inf if math.isnan(height) else height

    return value


def _grid(low: float, high: float, samples: int) -> list[float]:
    """Samples from `low` to `high`, geometric where the range is wide and positive."""
    share = [i / (samples - 1) for i in range(samples)]
    if low > 0.0 and high / low > 16.0:
        inner = [math.exp(math.log(low) * (1.0 - s) + math.log(high) * s) for s in share]
    else:
        inner = [low * (1.0 - s) + high * s for s in share]
    return [low, *inner[1:-1], high]


def _brent(value: Callable[[float], float], left: float, right: float, tolerance: float) -> tuple[float, float]:
    """Minimise on an interval by successive parabolas, with golden-section steps where they do not help."""
    best = second = third = left + _GOLDEN * (right - left)
    height = height_second = height_third = value(best)
    step = previous = right - left
    for _ in range(80):
        middle, least = left + (right - left) / 2.0, tolerance * abs(best) + 1e-300
        if abs(best - middle) + (right - left) / 2.0 <= 2.0 * least:
            break
        move = _parabola(best, height, second, height_second, third, height_third)
        useful = abs(move) < abs(previous) / 2.0 and left + least < best + move < right - least
        if not useful:
            step = (right if best < middle else left) - best
            move = _GOLDEN * step
        previous, step = step, move
        point = best + (move if abs(move) >= least else math.copysign(least, move))
        found = value(point)
        if found <= height:
            left, right = (best, right) if point >= best else (left, best)
            third, height_third, second, height_second = second, height_second, best, height
            best, height = point, found
            continue
        left, right = (point, right) if point < best else (left, point)
        if found <= height_second or second == best:
            third, height_third, second, height_second = second, height_second, point, found
        elif found <= height_third or third in (best, second):
            third, height_third = point, found
    return best, height


def _parabola(x: float, fx: float, w: float, fw: float, v: float, fv: float) -> float:  # noqa: PLR0917
    """The step from `x` to the vertex of the parabola through three points; NaN where there is none."""
    r, q = (x - w) * (fx - fv), (x - v) * (fx - fw)
    p, s = (x - v) * q - (x - w) * r, 2.0 * (q - r)
    return -p / s if s and math.isfinite(p) and math.isfinite(s) else math.nan


__all__ = ["argmin", "bracket", "last", "root"]
