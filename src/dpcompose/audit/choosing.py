"""Choosing an event, in floats, on outputs that it will not be counted on. A poor choice only makes the bound loose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from dpcompose.audit.events import AtLeast, AtMost, Between, Event, Numbers, OneOf, cell_sizes
from dpcompose.audit.outputs import OutputPair
from dpcompose.audit.readings import Reading

_THIN = 1.12
_CAUTION = 100.0
"""While choosing, limits use a level this many times smaller: the best of hundreds of events is also the luckiest."""
_MOST_CELLS = 64
_Hits = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CountedEvents:
    """Several events, with the number of outputs in each, for both inputs."""

    first: _Hits
    second: _Hits
    event: Callable[[int], Event]


def choose(half: OutputPair, delta: float, level: float, reading: Reading) -> Event:
    """The event whose confidence limits on this half give the greatest lower bound on ε."""
    best, chosen = -np.inf, None
    for family in families(half):
        likely, unlikely = _limits(family, len(half.first), len(half.second), level / _CAUTION)
        heights = np.nan_to_num(reading.height(likely, unlikely, delta), nan=-np.inf, posinf=np.inf, neginf=-np.inf)
        top = int(np.argmax(heights))
        if chosen is None or heights[top] > best:
            best, chosen = float(heights[top]), family.event(top)
    return cast(Event, chosen)


def families(half: OutputPair) -> Iterator[CountedEvents]:
    """Families of events to choose from. For numbers: thresholds on either side and unions of cells; else unions of
    outcomes.
    """
    if half.numeric:
        first, second = cast(Numbers, half.first), cast(Numbers, half.second)
        yield from rays(first, second)
        yield _unions_of_cells(first, second)
    else:
        yield _unions_of_outcomes(half)


def rays(first: Numbers, second: Numbers) -> Iterator[CountedEvents]:
    """`output >= t` and `output <= t` at thresholds that are dense, by rank, near both ends."""
    every = np.unique(np.concatenate([first, second]))
    thresholds = every[thinned(len(every))]
    ordered = np.sort(first), np.sort(second)
    below = [np.searchsorted(side, thresholds, side="left") for side in ordered]
    up_to = [np.searchsorted(side, thresholds, side="right") for side in ordered]
    yield CountedEvents(len(first) - below[0], len(second) - below[1], lambda i: AtLeast(float(thresholds[i])))
    yield CountedEvents(up_to[0], up_to[1], lambda i: AtMost(float(thresholds[i])))


def _unions_of_cells(first: Numbers, second: Numbers) -> CountedEvents:
    """Unions of cells between quantiles, joined in decreasing order of likelihood ratio."""
    every = np.sort(np.concatenate([first, second]))
    cells = min(_MOST_CELLS, max(2, round(min(len(first), len(second)) ** (1 / 3))))
    quantiles = every[np.arange(1, cells) * len(every) // cells]
    atoms = quantiles[:-1][quantiles[1:] == quantiles[:-1]]
    cuts = np.unique(np.concatenate([quantiles, np.nextafter(atoms, np.inf)]))
    sizes = cell_sizes(cuts, first), cell_sizes(cuts, second)
    order = _by_ratio(*sizes)
    where = tuple(float(cut) for cut in cuts)
    return _prefixes(*sizes, order, lambda n: Between(where, frozenset(order[:n].tolist())))


def _unions_of_outcomes(half: OutputPair) -> CountedEvents:
    """Unions of outcomes, joined in decreasing order of likelihood ratio."""
    seen = Counter(half.first), Counter(half.second)
    outcomes = list(dict.fromkeys([*half.first, *half.second]))
    first, second = (np.array([side[outcome] for outcome in outcomes], dtype=np.int64) for side in seen)
    order = _by_ratio(first, second)
    return _prefixes(first, second, order, lambda n: OneOf(frozenset(outcomes[i] for i in order[:n])))


def _by_ratio(first: _Hits, second: _Hits) -> _Hits:
    """Positions in decreasing order of likelihood ratio, with half a hit added to each count."""
    ratio = np.log((first + 0.5) / (first.sum() + 1.0)) - np.log((second + 0.5) / (second.sum() + 1.0))
    return np.argsort(-ratio, kind="stable").astype(np.int64)


def _prefixes(first: _Hits, second: _Hits, order: _Hits, event: Callable[[int], Event]) -> CountedEvents:
    lengths = thinned(len(order)) + 1
    hits = np.cumsum(first[order]), np.cumsum(second[order])
    return CountedEvents(hits[0][lengths - 1], hits[1][lengths - 1], lambda i: event(int(lengths[i])))


def thinned(count: int) -> _Hits:
    """A few hundred positions below `count`: all near both ends, fewer towards the middle."""
    steps = np.unique(np.floor(_THIN ** np.arange(np.ceil(np.log(max(count, 2)) / np.log(_THIN)) + 1)))
    near = steps[steps <= count].astype(np.int64) - 1
    even = np.linspace(0, count - 1, min(count, 32)).astype(np.int64)
    return np.unique(np.concatenate([near, even, count - 1 - near]))


def _limits(family: CountedEvents, first: int, second: int, level: float) -> tuple[Numbers, Numbers]:
    """Clopper and Pearson's limits in floats: a lower one on the first input, an upper one on the second."""
    return _below(family.first, first, level), 1.0 - _below(second - family.second, second, level)


def _below(hits: _Hits, total: int, level: float) -> Numbers:
    some = np.maximum(hits, 1)
    return np.where(hits > 0, betaincinv(some, total - some + 1, level), 0.0)


def spread(half: OutputPair, count: int) -> Sequence[AtLeast]:
    """Thresholds at evenly spread ranks, from rare to common: the events of a whole trade-off curve."""
    every = np.sort(np.concatenate([half.first, half.second]))[::-1]
    ranks = np.unique(np.geomspace(1, len(every), count).astype(np.int64) - 1)
    middle = np.linspace(0, len(every) - 1, count).astype(np.int64)
    both = np.unique(np.concatenate([ranks, middle, len(every) - 1 - ranks]))
    picked = both[np.linspace(0, len(both) - 1, min(count, len(both))).astype(np.int64)]
    return [AtLeast(float(t)) for t in np.unique(every[picked])[::-1]]


__all__ = ["CountedEvents", "choose", "families", "rays", "spread", "thinned"]
