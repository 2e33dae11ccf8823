r"""Where to put the lattice and the tangents of `polylines`; in floats, for nothing here decides whether a bound holds.

Heights are measured as gaps: a tangent at $d$ misses $F(c)$ by $\int_c^d(u-c)f(u)\,du$, $f$ the density of $X$.
Tangents at the middles of the cells meet well at the lattice points, where $f$ hardly changes along a cell. Near the
least value of $X$ it may change a lot, and there a kink between two middles could be negative. So each tangent goes as
near to the middle as the kinks before and after it allow; if need be it meets the one before it in the lattice point
between them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import log_ndtr

SMOOTH, CALM = 0.15, 4
"""Middles will do once ln f changes less than that along a cell, and so many in a row have done."""
DOWN, UP = 0.5, 0.25
"""Which parts of a kink may be spent on leaving the meeting point."""


@dataclass(frozen=True)
class Shape:
    """X by its excess over 1-q."""

    rate: float
    noise_std: float

    def place(self, excess: float) -> float:
        """The x of such an X."""
        return self.noise_std**2 * math.log(excess / self.rate) + 0.5

    def excess(self, x: float) -> float:
        """Of X over 1-q."""
        return self.rate * math.exp((x - 0.5) / self.noise_std**2)

    def mean_below(self, excess: float) -> float:
        """The mean excess of what lies below."""
        x, s = self.place(excess), self.noise_std
        return self.rate * math.exp(float(log_ndtr((x - 1.0) / s) - log_ndtr(x / s)))

    def density(self, excess: float) -> float:
        """F″."""
        x, s = self.place(excess), self.noise_std
        return math.exp(-((x / s) ** 2) / 2.0) * s / math.sqrt(2.0 * math.pi) / excess

    def is_smooth(self, c: float, last: float, width: float) -> bool:
        """Whether ln f hardly changes along a cell, from here on: its slope is largest at an end, or near eq."""
        places = (c, last, min(max(c, math.e * self.rate), last))
        return all((abs(self.place(y)) + 1.0) / y * width < SMOOTH for y in places)

    def between(self, low: float, high: float) -> float:
        """The probability of an excess between."""
        return self._normal(self.place(low), self.place(high))

    def gap(self, c: float, d: float) -> float:
        """By how much the tangent at d lies below F at c."""
        low, high = self.place(min(c, d)), self.place(max(c, d))
        inside = self.rate * self._normal(low - 1.0, high - 1.0) - c * self._normal(low, high)
        return max(inside if d > c else -inside, 0.0)

    def _normal(self, low: float, high: float) -> float:
        """The probability between two places, from the nearer tail."""
        s = self.noise_std * math.sqrt(2.0)
        sign = -1.0 if high < 0.0 else 1.0
        return sign * 0.5 * (math.erfc(sign * low / s) - math.erfc(sign * high / s))

    def meeting(self, c: float, gap: float, width: float) -> float:
        """The d > c whose tangent misses F(c) by so much."""
        low, high = c, c + width
        while self.gap(c, high) < gap and high < 1e6 * (c + width):
            low, high = high, c + 2.0 * (high - c)
        for _ in range(50):
            d = 0.5 * (low + high)
            low, high = (d, high) if self.gap(c, d) < gap else (low, d)
        return low

    def first_touch(self, span: float, least: float) -> float:
        """The first d: half a cell above the mean below it if the others can make up for that; else a whole one."""
        d = self._above_mean(span / 2.0, least)
        start = self.mean_below(d)
        c = (1.0 - self.rate + start) * math.expm1(span) + start
        return d if self.leaves_enough(c, d) else self._above_mean(span, least)

    def leaves_enough(self, c: float, d: float) -> bool:
        r"""Whether later tangents can make up for the gap at c: it is well below $E(X-c)_+$."""
        x, s = self.place(c), self.noise_std * math.sqrt(2.0)
        left = 0.5 * (self.rate * math.erfc((x - 1.0) / s) - c * math.erfc(x / s))
        return self.gap(c, d) < DOWN * left

    def _above_mean(self, span: float, least: float) -> float:
        """The d that exceeds the mean below it by so much, or the least that is wanted."""
        base, d = 1.0 - self.rate, max(least, (1.0 - self.rate) * math.expm1(span))
        for _ in range(80):
            m = self.mean_below(d)
            before, d = d, max(least, (base + m) * math.expm1(span) + m)
            if abs(d - before) < 1e-9 * d:
                break
        return d


def touching(shape: Shape, span: float, least: float, most: int) -> list[float]:
    """The excesses of the first tangents, until the middles of cells do as well; at least the first."""
    found = [shape.first_touch(span, least)]
    start = shape.mean_below(found[0])
    base = 1.0 - shape.rate + start
    kink = 0.5 * math.erfc(-shape.place(found[0]) / shape.noise_std / math.sqrt(2.0))
    calm, over = 0, 0.0
    for j in range(1, most):
        c, middle, end = (base * math.expm1(span * i) + start for i in (j, j + 0.5, j + 1))
        width, before = end - c, shape.gap(c, found[-1])
        middle = middle if shape.leaves_enough(end, middle) else end
        wished = shape.gap(c, middle)
        least_gap, most_gap = before - UP * shape.density(end) * width**2, before + DOWN * kink * width
        if least_gap <= wished <= most_gap and middle >= found[-1]:
            calm, d, gap = calm + 1, middle, wished
        elif found[-1] >= middle:
            calm, d, gap = 0, found[-1], before
        else:
            calm, gap = 0, min(max(wished, least_gap), most_gap)
            d = max(found[-1], shape.meeting(c, gap, width))
            if d > end:  # the next kink is nothing, and allows nothing
                gap, d = before, max(found[-1], shape.meeting(c, before, width))
        if calm >= CALM and shape.is_smooth(c, base * math.expm1(span * most) + start, width):
            break
        kink = max(shape.between(found[-1], d) + (max(before - gap, 0.0) - over + max(gap - before, 0.0)) / width, 0.0)
        over = max(before - gap, 0.0)
        found.append(d)
    return found
