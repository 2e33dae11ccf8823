"""Broken lines that fall from one axis to the other, and bounds read from them.

A trade-off curve is convex and never rises. So a chain through points *of the region* stays in the region (chords of a
convex set), and a chain through points to the lower left of a bound's corners stays below that bound. Neither argument
needs the chain itself to be convex, so corners may be rounded outward.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx

Floats: TypeAlias = NDArray[np.float64]
Point: TypeAlias = tuple[Real, Real]

_SLACK = 2.0**-49  # seven roundings of a convex combination, each 2^-53, with room
UNDERFLOW = 4 * math.ulp(0.0)
"""More than what two quotients and two products, or one line, lose where floats are no longer normal."""
_BITS = 192


@dataclass(frozen=True)
class Chain:
    """Corners with rising abscissa and falling ordinate, from abscissa 0 to ordinate 0."""

    corners: tuple[Point, ...]

    def __post_init__(self) -> None:
        if not self.corners or self.corners[0][0] != 0 or self.corners[-1][1] != 0:
            raise ValueError("a chain leads from abscissa 0 to ordinate 0")

    @cached_property
    def swapped(self) -> Chain:
        """The mirror image in the diagonal: the inverse function."""
        return Chain(tuple((y, x) for x, y in reversed(self.corners)))

    @cached_property
    def _down(self) -> tuple[Floats, Floats]:
        ends = [(Enclosure.exactly(x).lower, Enclosure.exactly(y).lower) for x, y in self.corners]
        return np.array([x for x, _ in ends]), np.array([y for _, y in ends])

    @cached_property
    def _up(self) -> tuple[Floats, Floats]:
        ends = [(Enclosure.exactly(x).upper, Enclosure.exactly(y).upper) for x, y in self.corners]
        return np.array([x for x, _ in ends]), np.array([y for _, y in ends])

    def floor(self, at: Floats) -> Floats:
        """Lower bounds on the chain at these abscissas."""
        found = _interpolated(*self._down, at)
        return np.maximum(np.nextafter(found * (1.0 - _SLACK), -math.inf) - UNDERFLOW, 0.0)

    def ceiling(self, at: Floats) -> Floats:
        """Upper bounds on the chain at these abscissas."""
        xs, ys = self._up
        found = np.nextafter(_interpolated(xs, ys, at) * (1.0 + _SLACK), math.inf) + UNDERFLOW
        return np.where(at < xs[ys == 0.0].min(), np.minimum(found, 1.0), 0.0)

    def value(self, x: Real) -> Fraction:
        """The exact ordinate at an abscissa; 0 beyond the last corner."""
        i = bisect_right(self.corners, x, key=lambda corner: corner[0]) - 1
        if i + 1 >= len(self.corners):
            return Fraction(0)
        (a, high), (b, low) = self.corners[i : i + 2]
        share = (Fraction(x) - Fraction(a)) / (Fraction(b) - Fraction(a))
        return Fraction(high) + share * (Fraction(low) - Fraction(high))

    def highest(self, other: Chain) -> Chain:
        """The maximum of two chains, exactly, with corners where they cross."""
        places = sorted({Fraction(x) for x, _ in (*self.corners, *other.corners)})
        heights = [(x, self.value(x), other.value(x)) for x in places]
        corners = [(x, max(a, b)) for x, a, b in heights]
        for (x, a, b), (z, c, d) in pairwise(heights):
            if (a - b) * (c - d) < 0:
                share = (a - b) / ((a - b) - (c - d))
                corners.append((x + share * (z - x), a + share * (c - a)))
        corners.sort()
        end = next(i for i, (_, y) in enumerate(corners) if not y)
        return Chain(tuple(corners[: end + 1]))

    def area(self) -> Ball:
        """The area below, at the working precision."""
        total = arb(0)
        for (a, high), (b, low) in pairwise(self.corners):
            total += (ball(b) - ball(a)) * (ball(high) + ball(low)) / 2
        return total


def _interpolated(xs: Floats, ys: Floats, at: Floats) -> Floats:
    """Convex combinations of neighbouring ordinates: all terms are positive, so the relative error is small."""
    last = len(xs) - 1
    left = np.minimum(np.searchsorted(xs, at, side="right") - 1, last)
    right = np.minimum(left + 1, last)
    width = xs[right] - xs[left]
    inside = width > 0.0
    safe = np.where(inside, width, 1.0)
    mixed = ys[left] * ((xs[right] - at) / safe) + ys[right] * ((at - xs[left]) / safe)
    return np.where(inside, mixed, ys[left])


def hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """The lower left convex hull of points, computed exactly, from the least abscissa to the least ordinate."""
    kept: list[Point] = []
    for point in sorted(set(points), key=lambda p: (p[0], p[1])):
        if kept and point[1] >= kept[-1][1]:
            continue
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    """Positive if the way from a over b to c turns left."""
    (ax, ay), (bx, by), (cx, cy) = ((Fraction(x), Fraction(y)) for x, y in (a, b, c))
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


@dataclass(frozen=True, slots=True)
class Descent:
    """The line `y = height - slope x`."""

    height: Ball
    slope: Ball

    def at(self, x: Ball) -> Ball:
        """The ordinate at `x`, at the working precision."""
        return self.height - self.slope * x


def beneath(lines: Sequence[Descent]) -> Chain:
    """A chain that is nowhere above the maximum of the lines and 0, and almost equal to it.

    Leaving a line out is sound, so midpoints decide which lines take part. Where one line takes over from the next the
    corner is put below both, so each piece of the chain lies below one line.
    """
    with ctx.workprec(_BITS):
        kept, starts = _handovers(sorted(lines, key=_steepness, reverse=True))
        corners = [(0.0, _clipped(kept[0].height))]
        for before, after, x in zip(kept, kept[1:], starts[1:], strict=False):
            corners.append((_clipped(x), min(_clipped(before.at(x)), _clipped(after.at(x)))))
    return Chain((*corners[:-1], (corners[-1][0], 0.0)))


def _handovers(lines: Sequence[Descent]) -> tuple[list[Descent], list[Ball]]:
    """The lines that are greatest somewhere, the steepest first, and where each begins to be greatest."""
    kept: list[Descent] = []
    starts: list[Ball] = []
    for line in [*lines, Descent(arb(0), arb(0))]:
        start = arb(0)
        if kept and not kept[-1].slope.mid() > line.slope.mid():
            continue  # parallel to a line that is higher
        while kept:
            last = kept[-1]
            start = ((last.height - line.height).mid() / (last.slope - line.slope).mid()).mid()
            if start > starts[-1]:
                break
            kept.pop()
            starts.pop()
        kept.append(line)
        starts.append(start if len(kept) > 1 else arb(0))
    return kept, starts


def _steepness(line: Descent) -> tuple[Ball, Ball]:
    return line.slope.mid(), line.height.mid()


def _clipped(x: Ball) -> float:
    """The lower end, as a float from 0 to 1."""
    return min(max(Enclosure.of(x).lower, 0.0), 1.0)
