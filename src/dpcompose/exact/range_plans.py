r"""Which grids to make for runs of several bounded ranges, and which kinds to follow together.

From above, kinds that are followed together cost the product of their counts, and kinds that are followed apart are
joined as if those of the lesser ranges knew nothing of the others: that raises the variance (`_rise`). For plans that
are fixed in advance, t is divided into intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache, lru_cache, reduce
from heapq import heappop, heappush
from typing import TypeAlias

import numpy as np

from dpcompose.exact.bounded_range import GridValues, RangeGrid, Ways, at_least, at_most
from dpcompose.exact.fewer_ranges import MANY, fewer_above, fewer_below, joined_above, rise
from dpcompose.exact.range_grids import (
    COARSE,
    FINEST,
    Kind,
    Kinds,
    Wanted,
    affordable,
    grid_of,
    rarity_of,
    reaching,
    spacing_of,
    spread,
    too_many,
)
from dpcompose.exact.range_laws import FixedRuns, UpperLaw
from dpcompose.numerics import effort

BLOCK = 250
"""Above this number of runs a kind is followed in halves."""
MOST_CELLS = 4000
"""Cells of the grid on which laws are joined from above."""
RISE = 0.02
"""The greatest share of the variance that may be added by following kinds apart, to spare effort."""
MOST_PLANS, DIVIDED = 200, 30
"""How often an interval of t is halved, and how many runs its kind may have at most."""
MOST_PRODUCTS = 4e9
"""How many products of floats joining laws may take meanwhile."""
CELLS = 1500
"""Cells of the grid on which plans are played from below, to the right."""
SKETCH = 300
"""Cells of the grid on which the best t is sought first."""
PLACES = [0.4 * i - 0.8 for i in range(22)]
"""Where the best t is sought, as the logarithm of t / (ε − t), and then nearer and nearer."""
SEVERAL = 8
"""Up to this number of kinds each has the best t, on `CELLS` cells; more kinds share one place, on more cells."""
Interval: TypeAlias = tuple[int, int]
"""(i, n) for the t between i/n and (i + 1)/n of the range."""
Plan: TypeAlias = tuple[Interval, ...]


def _together(kinds: Kinds, reach: float) -> GridValues | None:
    """An upper bound for all orders of these runs, every range rounded up: a greater one costs no less. None where the
    effort is too great.
    """
    spacing = spacing_of(kinds, reach, math.prod(n + 1 for _, n in kinds), math.ceil)
    if spacing is None:
        return None
    return at_most([(Ways(math.ceil(e / Fraction(spacing)), spacing), n) for e, n in kinds], grid_of(reach, spacing))


@lru_cache(maxsize=64)
def above(kinds: Kinds, reach: float) -> tuple[GridValues, ...]:
    """Upper bounds for runs that are chosen one after the other. Empty where the effort is too great."""
    rarity, kinds = rarity_of(kinds, reach), fewer_above(kinds)
    joined = joined_above(kinds)
    if too_many(kinds):
        return ()
    groups = _groups(kinds, rarity)
    whole = None if groups == [kinds] and kinds[0][1] > BLOCK else _together(kinds, reaching(kinds, rarity))
    apart = _apart(groups, kinds, rarity) if len(groups) > 1 or whole is None else None
    found = tuple(curve for curve in (whole, apart) if curve is not None)
    return found if joined == kinds else (*found, *above(joined, reach))


def _groups(kinds: Kinds, rarity: float) -> list[Kinds]:
    """The greatest range and those beside it that would add most to the variance, as long as that is much; then the
    same of those that are left; and each of the others alone.
    """
    groups: list[Kinds] = []
    total, rest = 8 * spread(kinds), list(kinds)
    while rest:
        core: Kinds = (rest.pop(),)
        for kind in sorted(rest, key=_rise, reverse=True):
            if sum(map(_rise, rest)) <= RISE * total:
                return [*groups, core, *((kind,) for kind in rest)]
            grown = tuple(sorted((*core, kind)))
            if affordable(grown, reaching(grown, rarity)):
                core = grown
                rest.remove(kind)
        groups.append(core)
    return groups


def _rise(kind: Kind) -> float:
    return float(rise(float(kind[0]), kind[1]))


def _apart(groups: Sequence[Kinds], kinds: Kinds, rarity: float) -> GridValues | None:
    """An upper bound: each group followed alone, then joined. None where the effort is too great."""
    parts = [
        _alone(group[0], rarity) if len(group) == 1 else _together(group, reaching(group, rarity)) for group in groups
    ]
    grid = _common(kinds, rarity, len(parts))
    found = [values.above_on(grid) for values in parts if values is not None]
    return _joined(found) if len(found) == len(parts) else None


def _alone(kind: Kind, rarity: float) -> GridValues | None:
    """An upper bound for one kind; more than `BLOCK` runs in halves, joined on grids that grow with them."""
    whole, count = kind
    if count <= BLOCK:
        return _together((kind,), reaching((kind,), rarity))
    half = _alone((whole, -(-count // 2)), rarity)  # a run more costs no less
    return half and _joined([half.above_on(_common((kind,), rarity, 2))] * 2)


def _joined(parts: Sequence[GridValues]) -> GridValues:
    return reduce(lambda joined, other: UpperLaw.of(other).joined(joined), parts)


def _common(kinds: Kinds, rarity: float, laws: int) -> RangeGrid:
    """The grid on which so many laws are joined; chords on it add about h²/6 to the variance of each law."""
    reach = reaching(kinds, rarity)
    return grid_of(reach, max(math.sqrt(2 * spread(kinds) / laws) / 24, 1.6 * reach / MOST_CELLS))


@lru_cache(maxsize=64)
def above_fixed(kinds: Kinds, reach: float, wanted: Wanted) -> tuple[GridValues, ...]:
    """Upper bounds for runs that are all chosen in advance: the greatest over the intervals in which each t may lie.

    The intervals whose bound is the greatest are halved, until it is near enough to the bound from below.
    """
    adaptive, rarity, few = above(kinds, reach), rarity_of(kinds, reach), fewer_above(kinds)
    if not adaptive or not 1 < len(few) <= MANY:
        return adaptive
    near = wanted.enough(max(map(wanted.worth, below_fixed(kinds, reach, wanted)), default=0.0))
    if min(map(wanted.cost, adaptive)) <= near:
        return adaptive
    kinds = few
    grid = _common(kinds, rarity, len(kinds))

    @cache
    def within(j: int, interval: Interval) -> GridValues:
        return _within(kinds[j], interval, rarity).above_on(grid)

    def bounded(plan: Plan) -> tuple[float, Plan, GridValues]:
        found = _joined([within(j, interval) for j, interval in enumerate(plan)])
        return -wanted.cost(found), plan, found

    plans = [bounded(((0, 1),) * len(kinds))]
    for _ in range(min(MOST_PLANS, int(MOST_PRODUCTS / (2 * len(kinds) * grid.size**2)))):
        if -plans[0][0] <= near:
            break
        if effort.is_worn_out():
            effort.cut_short()
            break
        plan = plans[0][1]
        doubts = [_rise(kind) * min(kind[1] / parts, 1.0) for kind, (_, parts) in zip(kinds, plan, strict=True)]
        j = max((j for j, (_, n) in enumerate(kinds) if n <= DIVIDED), key=lambda j: doubts[j], default=None)
        if j is None or plan[j][1] >= FINEST / 2:
            break
        heappop(plans)
        for half in (0, 1):
            heappush(plans, bounded((*plan[:j], (2 * plan[j][0] + half, 2 * plan[j][1]), *plan[j + 1 :])))
    return (*adaptive, GridValues(grid, np.max([found.values for _, _, found in plans], axis=0)))


effort.forgotten(above_fixed.cache_clear)


def _within(kind: Kind, interval: Interval, rarity: float) -> GridValues:
    """What the runs cost at most if t, as a share of the range, is known to lie between i/n and (i + 1)/n."""
    (whole, count), (i, parts) = kind, interval
    if parts == 1:
        found = _alone(kind, rarity)
        return GridValues(RangeGrid(1.0, 1, 1), np.ones(3)) if found is None else found
    steps = max(2 * parts, 16)
    spacing = math.nextafter(float(whole / steps), math.inf)
    between = (i * steps // parts, (i + 1) * steps // parts)
    return at_most([(Ways(steps, spacing, between), count)], grid_of(reaching((kind,), rarity), spacing))


@lru_cache(maxsize=64)
def below(kinds: Kinds, reach: float, wanted: Wanted) -> tuple[GridValues, ...]:
    """Lower bounds for runs that are chosen one after the other: the greatest range last, each t as late as can be."""
    rarity, kinds = rarity_of(kinds, reach), fewer_below(kinds)
    if too_many(kinds):
        return ()
    found, reach, coarse = [], reaching(kinds, rarity), True
    for first in range(0, len(kinds), -(-len(kinds) // MANY)):
        late = kinds[first:]
        spacing = spacing_of(late, reach, sum(n for _, n in late), math.floor)
        if spacing is None:
            continue
        grid = grid_of(reach, spacing)
        last = at_least([(Ways(math.floor(e / Fraction(spacing)), spacing), n) for e, n in late[::-1]], grid)
        found.append(_best_fixed(kinds[:first], last, wanted))
        coarse = coarse and late[-1][0] < COARSE * spacing
    return (*found, *(below_fixed(kinds, reach, wanted) if coarse or len(kinds) > SEVERAL else ()))


@lru_cache(maxsize=64)
def below_fixed(kinds: Kinds, reach: float, wanted: Wanted) -> tuple[GridValues, ...]:
    """Lower bounds for runs that are all chosen in advance."""
    rarity, kinds = rarity_of(kinds, reach), fewer_below(kinds)
    if too_many(kinds):
        return ()
    reach = reaching(kinds, rarity)
    grid = grid_of(reach, reach / (CELLS * max(len(kinds) / SEVERAL, 1)))  # every kind is rounded by half a cell
    return (_best_fixed(kinds, GridValues(grid, grid.start()), wanted),)


def _best_fixed(kinds: Kinds, last: GridValues, wanted: Wanted) -> GridValues:
    """Before the last runs come these, each kind with the t that is best if the others keep theirs; where there are
    many, all of them at one place.
    """
    if not kinds:
        return last

    def runs(j: int, place: float) -> FixedRuns:
        return FixedRuns.of(*kinds[j], 1 / (1 + math.exp(-place)))

    def beside(places: Sequence[float], others: GridValues, left_out: int = -1) -> GridValues:
        chosen = [runs(j, place) for j, place in enumerate(places) if j != left_out]
        return reduce(lambda rest, some: some.before(rest), chosen, others)

    def worth(place: float) -> float:
        return wanted.worth(beside([place] * len(kinds), roughly))

    roughly = _roughly(last)
    start = max(PLACES, key=worth)
    if len(kinds) > SEVERAL:
        return beside([_nearer(start, (PLACES[1] - PLACES[0]) / 2, worth)] * len(kinds), last)
    places, width = [start] * len(kinds), PLACES[1] - PLACES[0]
    for turn in range(3 if len(kinds) > 1 else 1):
        others = roughly if turn < 2 else last
        level = wanted.level_of(beside(places, others))
        for j in range(len(kinds)):
            rest = beside(places, others, j)

            def value(place: float, j: int = j, rest: GridValues = rest, level: float = level) -> float:
                return runs(j, place).value(rest, level)

            tried = [*PLACES, places[j]] if not turn else [places[j]]
            places[j] = _nearer(max(tried, key=value), width / 2 ** (3 * turn + 1), value)
    return beside(places, last)


def _nearer(place: float, step: float, value: Callable[[float], float]) -> float:
    """The best place near this one, sought in four steps, each half as long as the one before."""
    for halving in range(4):
        near = step / 2**halving
        place = max((place, place - near, place + near), key=value)
    return place


def _roughly(values: GridValues) -> GridValues:
    """About the same on a grid of few cells, to search on."""
    reach, scale = values.grid.right * values.grid.spacing, max(values.grid.right / CELLS, 1.0)
    grid = grid_of(reach, reach / (SKETCH * scale))
    x = np.arange(-values.grid.left, values.grid.right + 1) * values.grid.spacing
    return GridValues(grid, np.interp(np.arange(-grid.left, grid.right + 1) * grid.spacing, x, values.values))


__all__ = ["above", "above_fixed", "below", "below_fixed"]
