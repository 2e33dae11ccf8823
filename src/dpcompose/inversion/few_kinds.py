r"""Many different steps taken for a few kinds: each for the worst of its group, and each for the best.

A step dominates another if a channel maps its pair $(P,Q)$ to the other's; in whichever order, and so do the
compositions. Noise of more variance is such a channel: normal noise plus normal noise is normal, and Laplace noise of
scale $b$ plus 0 with probability $b^2/b'^2$, else Laplace noise of scale $b'$, has scale $b' > b$. So is a smaller
rate $q' < q$: replace the output by one without the record with probability $1-q'/q$. Hence costs grow with the rates
and fall with the noise, and the corners of a group enclose all of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import Enum
from functools import cache
from typing import Any

from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss


class Corner(Enum):
    """Which corner of a group stands for it: the worst costs at least as much as every member, the best at most."""

    WORST = 1
    BEST = -1


COSTS: dict[type, dict[str, int]] = {
    LaplaceLoss: {"size": 1},
    SampledGaussianLoss: {"rate": 1, "noise_std": -1},
    SampledLaplaceLoss: {"size": 1, "rate": 1},
}
"""The numbers that describe a kind: 1 where its cost grows with the number, -1 where it falls."""


def few_kinds(summands: Sequence[LossSum], corner: Corner, most: int) -> Sequence[LossSum]:
    """Steps that cost no less than these (WORST) or no more (BEST), at most so many kinds of each sort; what is not in
    `COSTS` stays as it is.
    """
    groups, found = sorted_out(summands)
    for (kind, *_), members in groups.items():
        cells = _cells(members, COSTS[kind], most)
        found += kind.gather([(_at(corner, cell, COSTS[kind]), sum(s.count for s in cell)) for cell in cells])
    return found


def sorted_out(summands: Sequence[LossSum]) -> tuple[dict[tuple[Any, ...], list[Repeated]], list[LossSum]]:
    """The steps of each sort: those of one kind that differ in nothing but what `COSTS` tells; and all others."""
    groups: dict[tuple[Any, ...], list[Repeated]] = defaultdict(list)
    others: list[LossSum] = []
    for s in summands:
        if isinstance(s, Repeated) and type(s.loss) in COSTS:
            groups[type(s.loss), *(getattr(s.loss, name) for name in _others(type(s.loss)))].append(s)
        else:
            others.append(s)
    return groups, others


@cache
def _others(kind: Any) -> tuple[str, ...]:
    """What describes a step of this kind beside its costs."""
    return tuple(field.name for field in fields(kind) if field.name not in COSTS[kind])


def _at(corner: Corner, cell: Sequence[Repeated], costs: dict[str, int]) -> Any:
    """One step that costs at least as much as each of these (WORST), or at most (BEST)."""
    values = {name: [getattr(s.loss, name) for s in cell] for name in costs}
    first: Any = cell[0].loss
    return replace(
        first, **{n: max(values[n]) if sign == corner.value else min(values[n]) for n, sign in costs.items()}
    )


def _cells(members: list[Repeated], costs: dict[str, int], most: int) -> list[list[Repeated]]:
    """At most so many groups of similar steps: again and again the group whose steps differ most, summed up, is halved
    along the number in which they differ most.
    """
    cells = [members]
    while len(cells) < most:
        spreads = [max(_spread(cell, name) for name in costs) for cell in cells]
        amounts = [spread * sum(s.count for s in cell) for spread, cell in zip(spreads, cells, strict=True)]
        worst = amounts.index(max(amounts))
        if not amounts[worst] > 0.0:
            break
        cell = cells.pop(worst)
        name = max(costs, key=lambda n: _spread(cell, n))
        places = [_place(s, name) for s in cell]
        middle = 0.5 * (min(places) + max(places))
        low = [s for s, place in zip(cell, places, strict=True) if place < middle]
        cells += [low, [s for s, place in zip(cell, places, strict=True) if place >= middle]]
    return cells


def _spread(cell: Sequence[Repeated], name: str) -> float:
    places = [_place(s, name) for s in cell]
    return max(places) - min(places)


def _place(summand: Repeated, name: str) -> float:
    return math.log(max(float(getattr(summand.loss, name)), 1e-300))
