"""A curve of δ against ε as a mechanism: a finite pair that dominates everything below the curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import DiscretePair

Point = tuple[Fraction, Fraction]


def dominating_pair(
    delta: Callable[[float], float], epsilons: Sequence[float], adjacency: Adjacency | None = None
) -> DiscretePair:
    r"""The pair with losses $0,\pm\varepsilon_1,\dots,\pm\varepsilon_n,\infty$ whose profile is at least δ everywhere.

    In $x = e^\varepsilon$ a profile is convex and falls, so the chords between points above it lie above it, and beyond
    the last point its last value does. Chords that meet in finitely many corners are the profile of a finite pair, and
    its likelihood ratios are the corners. It is symmetric: the curve bounds both orders of the neighbours.
    """
    levels = sorted({e for e in epsilons if 0 < e < 600})
    ratios = [Fraction(1), *(Fraction(math.nextafter(math.exp(e), math.inf)) for e in levels)]
    # exp is off by less than one unit in the last place, so δ is asked at no more than the logarithm of each ratio
    values = [delta(0.0), *(delta(max(math.nextafter(e, 0.0) * (1 - 1e-15), 0.0)) for e in levels)]
    for value in values:
        if not 0 <= value <= 1:
            raise InvalidParameter("delta", value, "a curve of probabilities")
    points = [(x, Fraction(v)) for x, v in zip(ratios, values, strict=True)]
    mirrored = [(1 / x, 1 - 1 / x + v / x) for x, v in reversed(points[1:])]
    return _pair(hull([(Fraction(0), Fraction(1)), *mirrored, *points]), adjacency)


def hull(points: Sequence[Point]) -> list[Point]:
    """The greatest convex, non-increasing curve below the points."""
    kept: list[Point] = []
    for x, y in points:
        level = min(y, kept[-1][1]) if kept else y
        while len(kept) > 1 and _slope(kept[-2], kept[-1]) >= _slope(kept[-1], (x, level)):
            kept.pop()
        kept.append((x, level))
    return kept


def _slope(left: Point, right: Point) -> Fraction:
    return (right[1] - left[1]) / (right[0] - left[0])


def _pair(curve: Sequence[Point], adjacency: Adjacency | None) -> DiscretePair:
    r"""The pair of a curve: where the slope of $\delta(x)$ rises by $m$, the second law has mass $m$ and the first
    $xm$.
    """
    slopes = [Fraction(-1), *(_slope(a, b) for a, b in pairwise(curve)), Fraction(0)]
    rises = [(x, after - before) for (x, _), before, after in zip(curve, slopes[:-1], slopes[1:], strict=True)]
    p = [x * mass for x, mass in rises] + [curve[-1][1]]
    q = [mass for _, mass in rises] + [Fraction(0)]
    return DiscretePair(p=p, q=q, adjacency=adjacency)


__all__ = ["dominating_pair", "hull"]
