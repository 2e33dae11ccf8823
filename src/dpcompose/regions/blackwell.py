"""Blackwell's converse for two hypotheses (KOV-T2.5): a smaller region is a post-processing; this module finds the map.

Sort the outcomes of a pair by their likelihood ratio, the greatest first, and draw a path: each outcome is a step of
length $p_i+q_i$ that rises by $p_i$. The height as a function of the length is a concave curve, and one region contains
another exactly if its curve lies above.

Take the steepest step $w$ of the target. By continuity the source's curve has an arc that is as long as $w$ and rises
as much: give the outcomes of that arc (the outer ones in part) to $w$, cut the arc out, and go on with the next step.
The rest of the source still lies above the rest of the target: before the cut it is at least as steep as $w$, and no
later step of the target is steeper; beyond it both curves have moved by the same. All of it is rational arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import Real
from dpcompose.regions.simulation import Masses, masses

Pair: TypeAlias = tuple[Sequence[Real], Sequence[Real]]
Arc: TypeAlias = tuple[int, Fraction, Fraction]
"""An outcome, and the rest of its masses under both hypotheses."""


@dataclass(frozen=True, slots=True)
class Garbling:
    """A stochastic map from the outcomes of a pair to those of another: p ↦ target p, q ↦ target q."""

    rows: tuple[Masses, ...]

    def image(self, law: Sequence[Fraction]) -> Masses:
        """The law of the image."""
        return tuple(
            sum((w * x for w, x in zip(law, c, strict=True)), Fraction(0)) for c in zip(*self.rows, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Refutation:
    r"""The proof that the target is no post-processing: at this ratio $s$ the target's $\sum(p-sq)_+$ exceeds the
    source's.
    """

    threshold: Fraction
    source: Fraction
    target: Fraction


def garble(source: Pair, target: Pair) -> Garbling | Refutation:
    """KOV-T2.5: the map that turns the source pair into the target pair, or the ratio that shows there is none."""
    p, q = _checked("source", source)
    a, b = _checked("target", target)
    refuted = _refuted((p, q), (a, b))
    if refuted is not None:
        return refuted
    shares = [[Fraction(0)] * len(a) for _ in p]
    rest: list[Arc] = [(i, x, y) for i, x, y in _sorted(p, q)]
    for j, rise, fall in _sorted(a, b):
        taken, rest = _cut(rest, rise, fall)
        for i, x, y in taken:
            shares[i][j] += (x + y) / (p[i] + q[i])
    rows = (tuple(row) if x or y else a for row, x, y in zip(shares, p, q, strict=True))
    return Garbling(tuple(rows))


def _checked(name: str, pair: Pair) -> tuple[Masses, Masses]:
    p, q = (masses(f"{part} of the {name}", law) for part, law in zip("pq", pair, strict=True))
    if len(p) != len(q):
        raise InvalidParameter(name, f"{len(p)} and {len(q)} outcomes", "two laws on the same outcomes")
    return p, q


def _sorted(p: Masses, q: Masses) -> list[Arc]:
    """The outcomes of positive mass, in decreasing order of p's share."""
    arcs = [(i, x, y) for i, (x, y) in enumerate(zip(p, q, strict=True)) if x or y]
    return sorted(arcs, key=lambda arc: arc[1] / (arc[1] + arc[2]), reverse=True)


def _cut(path: list[Arc], rise: Fraction, fall: Fraction) -> tuple[list[Arc], list[Arc]]:
    """Cut out an arc of length `rise + fall` that rises by `rise`; it exists if the path lies above such a step."""
    length = rise + fall
    ends = [Fraction(0)]
    heights = [Fraction(0)]
    for _, x, y in path:
        ends.append(ends[-1] + x + y)
        heights.append(heights[-1] + x)
    start = _start(ends, heights, length, rise)
    taken: list[Arc] = []
    kept: list[Arc] = []
    for (i, x, y), left, right in zip(path, ends, ends[1:], strict=False):
        share = max(min(right, start + length) - max(left, start), Fraction(0)) / (right - left)
        if share:
            taken.append((i, share * x, share * y))
        if share < 1:
            kept.append((i, (1 - share) * x, (1 - share) * y))
    return taken, kept


def _start(ends: list[Fraction], heights: list[Fraction], length: Fraction, rise: Fraction) -> Fraction:
    """Where an arc of this length that rises by exactly `rise` begins: the rise decreases piecewise linearly along the
    path.
    """
    last = ends[-1] - length
    places = sorted({x for end in ends for x in (end, end - length) if 0 <= x <= last})
    rises = [_height(ends, heights, x + length) - _height(ends, heights, x) for x in places]
    for x, z, high, low in zip(places, places[1:], rises, rises[1:], strict=False):
        if high >= rise >= low:
            return x + (high - rise) / (high - low) * (z - x) if high > low else x
    return places[0]


def _height(ends: list[Fraction], heights: list[Fraction], at: Fraction) -> Fraction:
    for left, right, low, high in zip(ends, ends[1:], heights, heights[1:], strict=False):
        if at <= right:
            return low + (at - left) / (right - left) * (high - low)
    return heights[-1]


def _refuted(source: tuple[Masses, Masses], target: tuple[Masses, Masses]) -> Refutation | None:
    """Compare the hockey sticks at each of their bends, and beyond them; between bends both are straight."""
    ratios = {x / y for laws in (source, target) for x, y in zip(*laws, strict=True) if y}
    places = sorted(ratios | {min(filter(None, ratios), default=Fraction(1)) / 2, max(ratios, default=Fraction(1)) + 1})
    for s in places:
        have, want = (
            sum((max(x - s * y, Fraction(0)) for x, y in zip(*laws, strict=True)), Fraction(0))
            for laws in (source, target)
        )
        if want > have:
            return Refutation(s, have, want)
    return None


__all__ = ["Garbling", "Refutation", "garble"]
