"""Runs of several bounded ranges, what is asked of them, and how far and how fine a grid for them is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from dpcompose.exact.bounded_range import GridValues, RangeGrid

EFFORT, MOST_EFFORT = 10**6, 6 * 10**6
"""About how many cells a grid has at most, and how many where fewer would make it coarse."""
FINEST, COARSE, COARSEST = 400, 8, 3
"""Steps of the grid in the least range: at most; below this it is coarse; and at least."""
MOST_RUNS, MOST_SPREAD = 10**7, 1e5
"""Above this number of runs of one kind, or this ρ in all, no grid is made: other theorems bound the cost."""
NEAR = 1.02
"""A bound from above is near enough if it is this many times the one from below."""
Kind: TypeAlias = tuple[Fraction, int]
Kinds: TypeAlias = tuple[Kind, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which end of a curve is wanted: δ at a level, or the level at δ."""

    delta: float
    level: float | None = None
    """The level at which δ is wanted, `delta` being a guess; None where the level at `delta` is wanted."""

    def level_of(self, values: GridValues) -> float:
        """Where δ should be as great as can be."""
        return values.epsilon_below(self.delta) if self.level is None else self.level

    def worth(self, values: GridValues) -> float:
        """The value of a lower bound: the greater, the better."""
        return values.epsilon_below(self.delta) if self.level is None else values.delta_below(self.level)

    def cost(self, values: GridValues) -> float:
        """The value of an upper bound: the less, the better."""
        return values.epsilon_above(self.delta) if self.level is None else values.delta_above(self.level)

    def enough(self, worth: float) -> float:
        """The value of an upper bound that is near enough to this lower one."""
        return worth * (NEAR if self.level is None else 1 + 5 * (NEAR - 1))


def spread(kinds: Kinds) -> float:
    """ρ of the whole, which says how far a grid must reach."""
    return sum(float(e) ** 2 * n for e, n in kinds) / 8


def reaching(kinds: Kinds, rarity: float) -> float:
    """Beyond this the loss lies with a probability of less than e^-rarity."""
    rho = spread(kinds)
    return min(rho + 2 * math.sqrt(rho * rarity), float(sum(e * n for e, n in kinds)) * (1 + 2.0**-40))


def spacing_of(
    kinds: Kinds, reach: float, runs: int, rounding: Callable[[Fraction], int], effort: float = EFFORT
) -> float | None:
    """As fine a grid as the effort allows, and among the finest the one that rounds the ranges least; None if none."""
    if runs > MOST_EFFORT:
        return None
    least = kinds[0][0]
    turns = sum(float(e / least) for e, _ in kinds)
    cells = runs * turns * 2 * reach / float(least)
    finest = min(max(math.sqrt(effort / cells), min(math.sqrt(MOST_EFFORT / cells), COARSE)), FINEST)
    if finest < COARSEST:
        return None

    def excess(spacing: float) -> float:
        return sum(n * float(abs(rounding(e / Fraction(spacing)) * Fraction(spacing) - e)) for e, n in kinds)

    towards = math.inf if rounding is math.ceil else 0.0
    places = range(max(int(finest / 2), COARSEST), int(finest) + 1)
    return min((math.nextafter(float(least / m), towards) for m in places), key=lambda h: (round(excess(h), 12), h))


def grid_of(reach: float, spacing: float) -> RangeGrid:
    """A grid that reaches this far to the right, and less far to the left."""
    far, near = math.ceil(reach / spacing) + 1, math.ceil(0.6 * reach / spacing) + 1  # few paths return from the left
    return RangeGrid(spacing, near, far)


def rarity_of(kinds: Kinds, reach: float) -> float:
    """The rarity that has this reach, at least 7: the inverse of `reaching` where losses reach farther."""
    rho = spread(kinds)
    return max((reach - rho) ** 2 / (4 * rho), 7.0)


def too_many(kinds: Kinds) -> bool:
    """Whether no grid is made for so many runs."""
    return spread(kinds) > MOST_SPREAD or max(n for _, n in kinds) > MOST_RUNS


def affordable(kinds: Kinds, reach: float) -> bool:
    """Whether a grid that is not coarse can be made for all their orders."""
    orders = math.prod(n + 1 for _, n in kinds)
    if orders > MOST_EFFORT:
        return False
    cells = orders * sum(float(e / kinds[0][0]) for e, _ in kinds) * 2 * reach / float(kinds[0][0])
    return MOST_EFFORT / cells >= COARSE**2


__all__ = [
    "COARSE",
    "FINEST",
    "Kind",
    "Kinds",
    "Wanted",
    "affordable",
    "grid_of",
    "rarity_of",
    "reaching",
    "spacing_of",
    "spread",
    "too_many",
]
