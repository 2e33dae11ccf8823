r"""Exact sums of independent integer laws, as tables `{value: probability}` in balls, and their profiles.

The profile of a table, `D(s) = sum_{b>s} v_b (1-e^{s-b})`, is built going down the values `b_1 > b_2 > ...`:

    H_j = sum_{i<=j} v_i e^{b_j-b_i} = H_{j-1} e^{b_j-b_{j-1}} + v_j,
    D_j = sum_{i<=j} v_i (1-e^{b_j-b_i}) = D_{j-1} + (1-e^{b_j-b_{j-1}}) H_{j-1},
    D(s) = D_j + (1-e^{s-b_j}) H_j          for `b_{j+1} <= s < b_j`,

every term positive. Two independent tables meet in the middle: `D_{A+B}(s) = sum_a v_a D_B(s-a)`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_poly

from dpcompose.exact.atoms import Part
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, ball

MassTable = dict[int, Ball]

_MOST_STATES = 1 << 17
_MOST_MEETINGS = 1 << 16  # the smaller table, walked once for every evaluation
_MOST_PRODUCTS = 1 << 22
_ENDLESS = 1 << 64
_FEW, _SEVERAL = 6, 64  # losses of a law whose sums are enumerated by how often each occurs; and if only so often
_TWICE = 3
_MOST_COEFFICIENTS = 1 << 14  # of a power of a polynomial beyond quadratic ones


@dataclass(frozen=True, slots=True)
class Extent:
    """What is known of a table before it is built: its lattice, its spread, how many values it has at most."""

    unit: int = 0  # the step of its lattice; 0 for a single value
    spread: int = 0
    ways: int = 1  # capped, as it only matters when it is small

    @classmethod
    def of(cls, part: Part) -> Extent:
        """The extent of one part's sum."""
        losses = set(part.losses)
        least = min(losses, default=0)
        return cls(
            math.gcd(*(loss - least for loss in losses)),
            part.count * (max(losses, default=0) - least),
            _ways(len(losses), part.count),
        )

    def __add__(self, other: Extent) -> Extent:
        ways = min(self.size * other.size, _ENDLESS)
        return Extent(math.gcd(self.unit, other.unit), self.spread + other.spread, ways)

    @property
    def size(self) -> int:
        """An upper bound on the number of different values."""
        return min(self.ways, self.spread // self.unit + 1) if self.unit else 1


def _ways(losses: int, count: int) -> int:
    """In how many ways `count` steps can be shared out among a number of losses."""
    if count == 1:
        return max(losses, 1)
    listed = 0 < losses <= _FEW or (count <= _TWICE and losses <= _SEVERAL)
    return math.comb(count + losses - 1, count) if listed else _ENDLESS


def halves(parts: Sequence[Part]) -> tuple[list[Part], list[Part]] | None:
    """Two blocks with tables of about equal size, or nothing if that takes too much memory or time.

    The greatest parts come first, each goes to the block that stays smaller with it.
    """
    sized = sorted(((Extent.of(p), p) for p in parts), key=lambda pair: pair[0].size, reverse=True)
    blocks: tuple[list[Part], list[Part]] = ([], [])
    extents, products = [Extent(), Extent()], 0
    if any(_laborious(part, extent) for extent, part in sized):
        return None
    for extent, part in sized:
        grown = [have + extent for have in extents]
        i = 0 if grown[0].size <= grown[1].size else 1
        products += extents[i].size * extent.size
        if grown[i].size > _MOST_STATES or products > _MOST_PRODUCTS:
            return None
        extents[i] = grown[i]
        blocks[i].append(part)
    if min(e.size for e in extents) > _MOST_MEETINGS:
        return None
    return blocks if extents[0].size <= extents[1].size else (blocks[1], blocks[0])


def _laborious(part: Part, extent: Extent) -> bool:
    """Whether the sum of one part would be a large power of a polynomial beyond quadratic ones."""
    steps = extent.spread // extent.unit if extent.unit else 0
    return extent.size > _MOST_COEFFICIENTS and steps > 2 * part.count and extent.ways > extent.size


def table(parts: Sequence[Part]) -> MassTable:
    """The law of the sum of the parts, part by part; equal sums merge."""
    total: MassTable = {0: arb(1)}
    for part in parts:
        several = power(part.weights(), part.count)
        effort.count(200 * len(total) * len(several))
        merged: MassTable = {}
        for a, v in total.items():
            for b, w in several.items():
                c, x = a + b, v * w
                merged[c] = merged[c] + x if c in merged else x
        total = merged
    return total


def power(weights: MassTable, count: int) -> MassTable:
    """The law of the sum of `count` independent copies."""
    if count == 1:
        return dict(weights)
    if len(weights) <= 1:
        return {count * loss: mass**count for loss, mass in weights.items()} if count else {0: arb(1)}
    least, unit = min(weights), math.gcd(*(loss - min(weights) for loss in weights))
    degree = (max(weights) - least) // unit
    if len(weights) == 2:
        return _binomial(weights, count)
    if count * degree >= _ways(len(weights), count):
        return _multinomial(sorted(weights.items()), count)
    last = count * degree
    effort.count(300 * last + (0 if degree == 2 else last**2 / (2 * math.sqrt(degree))))
    coefficients = [weights.get(least + unit * i, arb(0)) for i in range(degree + 1)]
    raised = _squared_out(coefficients, count) if degree == 2 else (arb_poly(coefficients) ** count).coeffs()
    return {count * least + unit * i: mass for i, mass in enumerate(raised)}


def _binomial(weights: MassTable, count: int) -> MassTable:
    (low, p), (high, q) = sorted(weights.items())
    ratio, mass, found = q / p, p**count, {}
    for i in range(count + 1):
        found[(count - i) * low + i * high] = mass
        mass = mass * ratio * (count - i) / (i + 1)
    return found


def _multinomial(weights: Sequence[tuple[int, Ball]], count: int) -> MassTable:
    """Every way to share out the copies, the first loss taking `i` of them."""
    (loss, mass), rest = weights[0], weights[1:]
    if not rest:
        return {count * loss: mass**count}
    found: MassTable = {}
    share = arb(1)
    for i in range(count + 1):
        for value, other in _multinomial(rest, count - i).items():
            key, x = i * loss + value, share * other
            found[key] = found[key] + x if key in found else x
        share = share * mass * (count - i) / (i + 1)
    return found


def _squared_out(a: Sequence[Ball], count: int) -> list[Ball]:
    r"""A quadratic polynomial to a power, by $m\,a_0 c_m = \sum_i (i(n+1)-m)\,a_i c_{m-i}$ from either end.

    As far as the middle, `m <= n`, all terms are positive.
    """
    return _front(a, count, count) + _front(a[::-1], count, count - 1)[::-1]


def _front(a: Sequence[Ball], n: int, last: int) -> list[Ball]:
    first, second = a[1] / a[0], a[2] / a[0]
    before, c = arb(0), [a[0] ** n]
    for m in range(1, last + 1):
        before, new = c[-1], ((n + 1 - m) * first * c[-1] + (2 * (n + 1) - m) * second * before) / m
        c.append(new)
    return c


class TableProfile:
    """`s -> sum_{b>s} v_b (1-e^{s-b})`, values in units of `1/denominator`."""

    def __init__(self, law: MassTable, denominator: int) -> None:
        self._unit = 1 / ball(denominator)
        self._negated: list[int] = []
        self._levels: list[Ball] = []
        self._slopes: list[Ball] = []
        level, slope, above = arb(0), arb(0), None
        for value in sorted(law, reverse=True):
            if above is not None:
                step = (value - above) * self._unit
                level, slope = level - step.expm1() * slope, slope * step.exp()
            slope, above = slope + law[value], value
            self._negated.append(-value)
            self._levels.append(level)
            self._slopes.append(slope)

    def at(self, level: Fraction, others: MassTable) -> Ball:
        """The profile of the sum of this table and another one, at `level` (in units)."""
        effort.count(300 * len(others))
        whole, exact, total = math.floor(level), ball(level), arb(0)
        for other, mass in others.items():
            above = bisect_left(self._negated, other - whole)  # how many values lie above level - other
            if above:
                gap = (exact - (other - self._negated[above - 1])) * self._unit
                total += mass * (self._levels[above - 1] - gap.expm1() * self._slopes[above - 1])
        return total


__all__ = ["Extent", "MassTable", "TableProfile", "halves", "power", "table"]
