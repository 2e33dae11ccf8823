r"""Runs of several bounded ranges, kind by kind: laws on a grid, from above and from below, that are joined.

Let $V_S$ be what runs S can reach, in whatever order they come, and $Z_S$ a loss law with the profile $V_S$. Then the
runs S and S′ together, in whatever order, reach no more than the sum of $Z_S$ and $Z_{S'}$ (`docs/derivations.md`,
*Selections of several ranges*). From below, an analyst may run one kind first, with one t throughout, and the others as
they like.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpcompose.exact.bounded_range import LEAST, Floats, GridValues, RangeGrid
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import inner

UNIT = 2.0**-50
"""More than the roundings of one operation on positive numbers, or of a few."""


@dataclass(frozen=True, slots=True)
class UpperLaw:
    """Probabilities of the losses on a grid and of an infinite one, whose profile is nowhere below some V."""

    grid: RangeGrid
    masses: Floats
    infinite: float

    @classmethod
    def of(cls, above: GridValues) -> UpperLaw:
        r"""The law whose profile is made of the chords of V: its slopes in $u=e^x$ change by the masses.

        Differences of rounded values are good as guesses only; so their profile is summed, in positive numbers, and
        all of them are raised until it is nowhere below V, neither on the grid nor at u = 0.
        """
        h, values = above.grid.spacing, above.values
        falls = (values[:-1] - values[1:]) / math.expm1(h)
        masses = np.concatenate([[1 - values[0]], falls * math.exp(h)]) - np.concatenate([falls, [0.0]])
        masses, infinite = np.maximum(masses, 0.0), float(values[-1])
        effort.count(masses.size**2 / 100)
        profile = np.convolve(masses[::-1], -np.expm1(-h * np.arange(masses.size)))[: masses.size][::-1] + infinite
        needed = values > 0
        with np.errstate(divide="ignore"):
            rise = max(float(np.max(values[needed] / profile[needed], initial=1.0)), 1 / (masses.sum() + infinite))
        rise *= 1 + (masses.size + 64) * UNIT
        if not math.isfinite(rise):
            return cls(above.grid, np.zeros_like(masses), 1.0)
        return cls(above.grid, masses * rise, infinite * rise)

    def joined(self, others: GridValues) -> GridValues:
        """What the others cost beside it, from above."""
        grid, n = self.grid, self.masses.size
        effort.count(n * n / 50)
        wide = grid.widened_above(others.values, n - 1)[grid.left : grid.left + 2 * n - 1]
        found = np.convolve(wide, self.masses, "valid") + self.infinite
        return GridValues(grid, np.clip(found * (1 + (n + 64) * UNIT) + LEAST, LEAST, 1.0))


@dataclass(frozen=True, slots=True)
class FixedRuns:
    """Runs of one range with one t throughout, as losses and lower bounds on their probabilities."""

    losses: Floats
    masses: Floats

    @classmethod
    def of(cls, whole: Fraction, count: int, share: float) -> FixedRuns:
        """Probabilities by the ratios of neighbours, from the most probable one on: no factorial, no cancellation."""
        e = float(whole) * (1 - UNIT)  # a lesser range is a member of the class
        t = share * e
        low = math.exp(t - e) * math.expm1(-t) / math.expm1(-e)
        high = math.expm1(t - e) / math.expm1(-e)
        far = 40 if count <= 10**4 else 15  # beyond, by Bernstein, there is less than 1e-15
        mode, spread = math.floor((count + 1) * low), math.ceil(far * math.sqrt(count * low * high) + 800)
        first, last = max(mode - spread, 0), min(mode + spread, count)
        i = np.arange(first, last, dtype=np.float64)
        up = (count - i) / (i + 1) * (low / high)
        start = min(mode, count) - first
        weights = np.concatenate([np.cumprod(1 / up[:start][::-1])[::-1], [1.0], np.cumprod(up[start:])])
        masses = weights / weights.sum() * (1 - (16 * count + 4096) * UNIT)
        losses = count * t - np.arange(first, last + 1, dtype=np.float64) * e
        return cls(losses, np.where(masses > LEAST, masses, 0.0))

    def before(self, others: GridValues) -> GridValues:
        """What an analyst reaches who runs these first, from below; losses are rounded down."""
        grid, n = others.grid, others.values.size
        places = np.floor(self.losses / grid.spacing - 2.0**-20).astype(np.intp)
        kept = places >= -grid.left
        places = np.minimum(places[kept], grid.right)
        if not places.size:
            return GridValues(grid, np.zeros(n))
        least, most = int(places.min()), int(places.max())
        effort.count(2000)
        masses = np.bincount(places - least, self.masses[kept])
        more = max(most, -least, 0)
        wide = grid.widened_below(others.values, more)[more - most : more + n - least]
        effort.count(n * masses.size / 100)
        found = np.convolve(wide, masses, "valid") * (1 - (n + 64) * UNIT)
        return GridValues(grid, np.where(found > LEAST, found, 0.0))

    def value(self, others: GridValues, level: float) -> float:
        """About δ at this level, uncertified."""
        x = np.arange(-others.grid.left, others.grid.right + 1) * others.grid.spacing
        at = level - self.losses
        read = np.where(at < x[0], -np.expm1(np.minimum(at, 0.0)), np.interp(at, x, others.values, right=0.0))
        return inner(read, self.masses)


__all__ = ["FixedRuns", "UpperLaw"]
