"""Certified inverses of monotone functions: a guess in floats, then two evaluations that prove it."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable

from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.search import last

_Verdict = Callable[[float], int]
"""-1: the answer lies at or above this point; +1: at or below it; 0: the evaluation cannot say."""

_EVALUATIONS = 300


def invert_decreasing(  # noqa: PLR0917 - a function, a value and where to look
    f: Callable[[float], Enclosure],
    target: Enclosure,
    guess: float,
    low: float,
    high: float,
    gap: float = 2.0**-46,
) -> Enclosure:
    r"""Enclose $\min\{t \in [l, h] : f(t) \le y\}$, $f$ decreasing, for every $y$ in `target`.

    Here $[l, h]$ is `[low, high]`, and the caller knows that $f(h) \le y$; who knows no such $h$ says `math.inf`.

    The upper end `u` has `f(u) <= target.lower` proven, the lower end `l` has `f(l) > target.upper` proven;
    an end that cannot be proven is `low` or `high`. How good the guess is decides only how long it takes.
    """
    return _certify(lambda t: _below(f(t), target), guess, low, high, gap)


def invert_increasing(  # noqa: PLR0917 - a function, a value and where to look
    f: Callable[[float], Enclosure],
    target: Enclosure,
    guess: float,
    low: float,
    high: float,
    gap: float = 2.0**-46,
) -> Enclosure:
    r"""Enclose $\max\{t \in [l, h] : f(t) \le y\}$, $f$ increasing, for every $y$ in `target`.

    Here $[l, h]$ is `[low, high]`, and the caller knows that $f(l) \le y$.

    The lower end `l` has `f(l) <= target.lower` proven, the upper end `u` has `f(u) > target.upper` proven;
    an end that cannot be proven is `low` or `high`.
    """
    return _certify(lambda t: -_below(f(t), target), guess, low, high, gap)


def _below(value: Enclosure, target: Enclosure) -> int:
    """1: surely no more than every number of the target; -1: surely more than all of them; 0: neither is sure."""
    return (value.upper <= target.lower) - (value.lower > target.upper)


def largest_integer(
    f: Callable[[int], Enclosure], target: Enclosure, guess: int, low: int, high: int
) -> tuple[int, int]:
    """The largest `k` in `[low, high]` with `f(k) <= y`, `f` increasing: `(surely, at most)`.

    `f(surely) <= target.lower` is proven and `f(at most + 1) > target.upper` is proven; the two differ only
    where the enclosures cannot tell. `low - 1` stands for "not even `low`".
    """
    surely = _last(lambda k: f(k).upper <= target.lower, guess, low, high)
    possible = _last(lambda k: f(k).lower <= target.upper, max(surely, low), low, high)
    return surely, max(surely, possible)


def _last(holds: Callable[[int], bool], guess: int, low: int, high: int) -> int:
    """The last integer at which a property that never returns still holds, galloping from `guess`."""
    yes, no = low - 1, high + 1
    probe, step = min(max(guess, low), high), 1
    while yes < probe < no:
        if holds(probe):
            yes, probe = probe, probe + step
        else:
            no, probe = probe, probe - step
        step *= 2
    return last(holds, yes, no)


def _certify(verdict: _Verdict, guess: float, low: float, high: float, gap: float) -> Enclosure:
    """Step away from the guess until both ends are proven, then halve what is too wide.

    `left` and `right` are proven ends; `not_left` and `not_right` are points where the proof fails, so that a
    target that is itself an interval gets each of its two ends tightened.
    """
    left = not_right = low
    right = not_left = high

    def look(t: float) -> int:
        nonlocal left, right, not_left, not_right
        found = verdict(t)
        if found <= 0:
            not_right = max(not_right, t)
        if found >= 0:
            not_left = min(not_left, t)
        if found < 0:
            left = max(left, t)
        if found > 0:
            right = min(right, t)
        return found

    centre = min(max(guess, low), high) if not math.isnan(guess) else _middle(low, high)
    _walk(look, centre, low, high, gap)
    for _ in range(_EVALUATIONS):
        if _wide(not_right, right, gap):
            t = _middle(not_right, right)
        elif _wide(left, not_left, gap):
            t = _middle(left, not_left)
        else:
            break
        look(t)
    return Enclosure(left, right)


def _walk(look: Callable[[float], int], centre: float, low: float, high: float, gap: float) -> None:
    """Try points ever further from `centre`, on both sides, until each side is proven or the range ends."""
    first = max(gap * abs(centre) / 4.0, math.ulp(centre))
    for sign in (1, -1):
        step, growth = first, 4.0
        t = centre + sign * step
        while low < t < high and look(t) * sign <= 0:
            step, growth = step * growth, growth * growth if growth < 1e100 else growth
            t = centre + sign * step
        if not low < t < high:
            look(low if t <= low else min(high, sys.float_info.max))


def _wide(a: float, b: float, gap: float) -> bool:
    return (math.isinf(b) or b - a > gap * abs(b)) and math.nextafter(a, b) < b


def _middle(a: float, b: float) -> float:
    """Halfway in the order of the floats: from any interval, no more than 64 halvings to neighbours."""
    if a <= b <= 2.0 * a and math.isfinite(b):
        return a + (b - a) / 2.0
    return _unrank((_rank(a) + _rank(b)) // 2)


def _rank(x: float) -> int:
    bits = int(struct.unpack("<q", struct.pack("<d", x))[0])
    return bits if bits >= 0 else -(bits & 0x7FFFFFFFFFFFFFFF)


def _unrank(rank: int) -> float:
    return math.copysign(float(struct.unpack("<d", struct.pack("<q", abs(rank)))[0]), rank)


__all__ = ["invert_decreasing", "invert_increasing", "largest_integer"]
