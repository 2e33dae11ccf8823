r"""Fewer kinds of selections that stand for many: neighbouring ranges are rounded up, which costs no less, or down.

Which ones are neighbours is a guess that minimises the variance gained or lost; any choice is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from dpcompose.exact.bounded_range import Floats
from dpcompose.exact.range_grids import MOST_RUNS, Kind, Kinds
from dpcompose.numerics.rounding import inner

MANY = 12
"""Up to this number of kinds each is followed as it is."""
MOST = 1000
"""Above this number of kinds neighbours are joined before any are compared."""
SPARED, KEPT = 3e-4, 1e-3
"""The least share of the variance for which one more kind is followed: that it spares from above, or keeps from below.
"""
Pick: TypeAlias = Callable[[Iterable[Kind]], Kind]


def rise(whole: float, count: float | Floats) -> float | Floats:
    """About what is added to ε²n, four times the variance, where a kind is followed apart from a greater one."""
    return whole**2 * (1 / 3 + np.log(count) / 6)


def fewer_above(kinds: Kinds) -> Kinds:
    """Few kinds that cost no less; up to `MANY` stay as they are."""
    kinds, ranges, runs = _thinned(kinds, max)
    return kinds if len(kinds) <= MANY else _joined_above(kinds, ranges, runs, SPARED)


def joined_above(kinds: Kinds) -> Kinds:
    """Kinds that cost no less, and often less than what is known of these where they are followed apart."""
    return _joined_above(*_thinned(kinds, max), 0.0)


def _joined_above(kinds: Kinds, ranges: Floats, runs: Floats, spared: float) -> Kinds:
    """Neighbours are rounded up to one where that adds less to the variance than following each apart, by a share."""
    toll = spared * inner(ranges**2, np.diff(runs))

    def price(last: int) -> Floats:
        count = runs[last] - runs[:last]
        return _within_reason(count, toll + ranges[last - 1] ** 2 * count + rise(ranges[last - 1], count))

    return _rounded(_blocks(kinds, price), max)


def fewer_below(kinds: Kinds) -> Kinds:
    """Few kinds that cost no more: neighbours are rounded down to one where nearly all of the variance is kept."""
    kinds, ranges, runs = _thinned(kinds, min)
    if len(kinds) <= MANY:
        return kinds
    toll = KEPT * inner(ranges**2, np.diff(runs))

    def price(last: int) -> Floats:
        count = runs[last] - runs[:last]
        return _within_reason(count, toll - ranges[:last] ** 2 * count)

    return _rounded(_blocks(kinds, price), min)


def _thinned(kinds: Kinds, pick: Pick) -> tuple[Kinds, Floats, Floats]:
    """No more kinds than can be compared, their ranges, and how many runs there are up to each."""
    cuts = [len(kinds) * i // MOST for i in range(MOST + 1)] if len(kinds) > MOST else range(len(kinds) + 1)
    kinds = _rounded([kinds[i:j] for i, j in pairwise(cuts)], pick)
    return kinds, np.array([float(e) for e, _ in kinds]), np.cumsum([0.0, *(float(n) for _, n in kinds)])


def _rounded(blocks: Iterable[Kinds], pick: Pick) -> Kinds:
    return tuple((pick(block)[0], sum(n for _, n in block)) for block in blocks)


def _within_reason(count: Floats, price: Floats) -> Floats:
    """The price, infinite where neighbours would become a kind of more than `MOST_RUNS` runs."""
    return np.where(count > MOST_RUNS, np.inf, price)


def _blocks(kinds: Kinds, price: Callable[[int], Floats]) -> Sequence[Kinds]:
    """Neighbours that become one kind each, at the least price in all: of kinds i to j − 1 it is price(j)[i]."""
    least, first = np.zeros(len(kinds) + 1), [0] * (len(kinds) + 1)
    for last in range(1, len(kinds) + 1):
        prices = least[:last] + price(last)
        first[last] = int(np.argmin(prices))
        least[last] = prices[first[last]]
    blocks, last = [], len(kinds)
    while last:
        blocks.append(kinds[first[last] : last])
        last = first[last]
    return blocks[::-1]


__all__ = ["fewer_above", "fewer_below", "joined_above", "rise"]
