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
from collections.abc import Hashable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss


class Side(Enum):
    """From which side the cost is bounded."""

    ABOVE = 1
    BELOW = -1


COSTS: dict[type, dict[str, int]] = {
    LaplaceLoss: {"size": 1},
    SampledGaussianLoss: {"rate": 1, "noise_std": -1},
    SampledLaplaceLoss: {"size": 1, "rate": 1},
}
"""By which numbers a kind is described, and whether its cost grows or falls with each."""


def few_kinds(summands: Sequence[LossSum], side: Side, most: int) -> Sequence[LossSum]:
    """The same steps, those of one sort taken for at most so many kinds; what is not described by numbers stays."""
    groups: dict[tuple[type, Hashable], list[Repeated]] = defaultdict(list)
    found: list[LossSum] = []
    for s in summands:
        if isinstance(s, Repeated) and type(s.loss) in COSTS:
            rest: Any = replace(s.loss, **dict.fromkeys(COSTS[type(s.loss)], 1))  # type: ignore[type-var]
            groups[type(s.loss), rest].append(s)
        else:
            found.append(s)
    for (kind, _), members in groups.items():
        cells = _cells(members, COSTS[kind], most)
        found += kind.gather([(_corner(cell, COSTS[kind], side), sum(s.count for s in cell)) for cell in cells])  # type: ignore[attr-defined]
    return found


def _corner(cell: Sequence[Repeated], costs: dict[str, int], side: Side) -> Any:
    """One that costs at least as much as each of these, or at most."""
    values = {name: [getattr(s.loss, name) for s in cell] for name in costs}
    first: Any = cell[0].loss
    return replace(first, **{n: max(values[n]) if sign == side.value else min(values[n]) for n, sign in costs.items()})


def _cells(members: list[Repeated], costs: dict[str, int], most: int) -> list[list[Repeated]]:
    """Groups alike: the one whose steps differ most, all together, is halved where its numbers lie farthest apart."""
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
