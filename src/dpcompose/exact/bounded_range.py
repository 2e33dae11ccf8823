r"""What an analyst can reach who chooses, run after run, among pairs of bounded range: a recursion, from both sides.

A pair of range ε has likelihood ratios within a factor $e^\varepsilon$ of each other. The worst of them have two
losses, $t$ and $t-\varepsilon$ for some $t\in[0,\varepsilon]$, the first with probability $q_t=(1-e^{t-\varepsilon})/
(1-e^{-\varepsilon})$. So the profile of a series, each chosen after the outputs before it, obeys
$$V_j(x) = \max_{0\le t\le\varepsilon}\; q_tV_{j-1}(x-t) + (1-q_t)V_{j-1}(x+\varepsilon-t),\quad V_0(x)=(1-e^x)_+.$$
As a function of $u=e^x$ every $V_j$ falls and is convex. It is followed on the points $x=ih$, with ε a whole number of
steps $h$. From below, $t$ is a whole number of steps, too: a choice that the analyst has. From above, $V_{j-1}$ is
replaced by its chords, above which it never lies, and the summit between two neighbouring $t$ is counted as well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpcompose.numerics import effort

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
ROUNDING = 2.0**-42
"""More than all roundings of one step: some twenty operations on positive numbers, and exponentials of arguments below
60, each of which is off by less than 60 units."""
LEAST = 1e-290
"""No positive value is kept below this, so that no product is lost."""


@dataclass(frozen=True)
class Ways:
    """The ways to run one mechanism whose range is a whole number of steps of a grid."""

    steps: int
    spacing: float
    between: tuple[int, int] | None = None
    """Where t is known to lie, in steps, if that is less than the whole range."""

    @property
    def rows(self) -> slice:
        """The choices t = mh that there are."""
        low, high = self.between or (0, self.steps)
        return slice(low, high + 1)

    @cached_property
    def weights(self) -> tuple[Floats, Floats]:
        """q_t and 1 − q_t at every choice t, a row each."""
        t = np.arange(self.steps + 1)[:, None] * self.spacing
        whole = np.expm1(-self.steps * self.spacing)
        first = np.expm1(-t[::-1]) / whole
        return first[self.rows], (np.exp(-t[::-1]) * np.expm1(-t) / whole)[self.rows]

    def from_below(self, before: Floats) -> Floats:
        """The best of the choices on the grid; `before` reaches ε further on both sides."""
        return np.asarray(np.max(self._expected(before), axis=0) * (1 - ROUNDING))

    def from_above(self, before: Floats) -> Floats:
        r"""An upper bound on the best of all choices: at the points of the grid, and between each and the next.

        Between $t_{m+1}$ and $t_m$ the bracket is, with $e^{-t}=e^{-t_{m+1}}Y$, a constant less
        $(\beta Y+\gamma/Y)/(1-e^{-\varepsilon})$. If its summit $Y=\sqrt{\gamma/\beta}$ lies there, it is higher than
        at $t_{m+1}$ by $\beta(Y-1)^2/(1-e^{-\varepsilon})$. Summits that cannot exceed the best point are passed over.
        """
        at, n, steps = self._expected(before), before.size - 2 * self.steps, self.steps
        best = at.max(axis=0)
        whole, gap = steps * self.spacing, math.expm1(self.spacing)
        share, fall = -1 / math.expm1(-whole), (before[:-1] - before[1:]) / gap
        later_fall, fall, later, before = fall[steps:], fall[:-steps], before[steps:-1], before[: -steps - 1]
        beta, gamma = fall - math.exp(-whole) * later_fall, before - later + fall - later_fall
        unsure = 2.0**-42 * (np.abs(fall) + np.abs(later_fall) + before + later)
        highest = _rows((beta + unsure) * (gap**2 * share), n)[::-1][self.rows][: len(at) - 1]
        place, x = np.nonzero(at[1:] + highest > best)
        if x.size:
            m = place + self.rows.start
            rise = share * self._rise(beta, gamma, unsure, m, x + (steps - 1 - m))
            np.maximum.at(best, x, at[place + 1, x] + rise)
        return np.asarray(best * (1 + ROUNDING))

    def _rise(self, beta: Floats, gamma: Floats, unsure: Floats, m: Indices, place: Indices) -> Floats:
        """An upper bound on β(Y − 1)² at the summits between each t_m and the next, β and γ known up to `unsure`."""
        gap = math.expm1(self.spacing)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            blur = unsure / gamma + unsure / beta + 2.0**-42
            sure = np.where((gamma > 0) & (beta > 0), np.sqrt(gamma / beta), np.nan)
            summit = np.exp(np.arange(1 - self.steps, 1) * (self.spacing / 2))[m] * sure[place]
            blur = summit * blur[place]
            inside = (summit + blur > 1) & (summit - blur < 1 + gap)
            rise = (beta + unsure)[place] * np.minimum(np.abs(summit - 1) + blur, gap) ** 2
        # Where rounding hides the sign of β or γ, the summit is no higher than their errors.
        return np.where(inside, rise, 0.0) + (2 * gap**2 * unsure)[place]

    def _expected(self, before: Floats) -> Floats:
        """q_tV(x − t) + (1 − q_t)V(x + ε − t), a column for each x, a row for each t."""
        effort.count(2 * self.steps * (before.size - 2 * self.steps) + 4000)
        rows, shifted, (first, second) = self.rows, _rows(before, before.size - 2 * self.steps), self.weights
        found = np.multiply(shifted[self.steps :: -1][rows], first, order="C")
        found += shifted[: self.steps - 1 : -1][rows] * second
        return found


def _rows(values: Floats, length: int) -> Floats:
    """In row i, the values from the ith on."""
    return np.ndarray((values.size - length + 1, length), values.dtype, values, strides=2 * values.strides)


@dataclass(frozen=True, slots=True)
class RangeGrid:
    """The points x = ih from −left·h to right·h."""

    spacing: float
    left: int
    right: int

    @property
    def size(self) -> int:
        """How many points there are."""
        return self.left + 1 + self.right

    def start(self) -> Floats:
        """V before any run, (1 − e^x)₊ at each point."""
        return np.asarray(-np.expm1(np.minimum(np.arange(-self.left, self.right + 1) * self.spacing, 0.0)))

    def widened_above(self, values: Floats, more: int) -> Floats:
        """Upper bounds on V on a grid longer on both sides: V falls, and lies below its chord from V(u=0) = 1."""
        nearer = np.exp(np.arange(-more, 0) * self.spacing)
        left = 1 - nearer * ((1 - values[0]) * (1 - ROUNDING))
        return np.concatenate([left, values, np.full(more, values[-1])])

    def widened_below(self, values: Floats, more: int) -> Floats:
        """Lower bounds on V on a grid that is longer on both sides: V is at least 1 − u, and 0."""
        further = np.exp(np.arange(-self.left - more, -self.left) * self.spacing)
        return np.concatenate([(1 - further) * (1 - ROUNDING), values, np.zeros(more)])


@dataclass(frozen=True, slots=True)
class GridValues:
    """The values on a grid, all from above or all from below."""

    grid: RangeGrid
    values: Floats

    def above_on(self, grid: RangeGrid) -> GridValues:
        """Upper bounds on V on another grid: read off the chords, and off that from V(u=0) = 1."""
        place = np.arange(-grid.left, grid.right + 1) * (grid.spacing / self.grid.spacing)
        near = np.clip(np.floor(place), -self.grid.left, self.grid.right - 1)
        share = np.expm1(np.clip(place - near, 0.0, 1.0) * self.grid.spacing) / math.expm1(self.grid.spacing)
        share = np.clip(share - 2.0**-32, 0.0, 1.0)  # the place is off by far less
        i = near.astype(np.intp) + self.grid.left
        found = self.values[i] - (self.values[i] - self.values[i + 1]) * share
        further = np.exp((np.minimum(place + self.grid.left, 0.0) - 2.0**-32) * self.grid.spacing)
        outside = 1 - (1 - self.values[0]) * further * (1 - ROUNDING)
        return GridValues(grid, np.where(place < -self.grid.left, outside, found) * (1 + ROUNDING))

    def delta_above(self, level: float) -> float:
        """An upper bound on V at a level ≥ 0: the chord, leaning to the greater end."""
        place = level / self.grid.spacing * (1 - 2.0**-50)
        i = min(int(place), self.grid.right)
        first = float(self.values[self.grid.left + i])
        if i == self.grid.right:
            return first
        share = math.expm1((place - i) * self.grid.spacing) / math.expm1(self.grid.spacing)
        return first - (first - float(self.values[self.grid.left + i + 1])) * max(share * (1 - 2.0**-40), 0.0)

    def delta_below(self, level: float) -> float:
        """A lower bound on V at a level ≥ 0: the value at the next point."""
        i = math.ceil(level / self.grid.spacing * (1 + 2.0**-50))
        return float(self.values[self.grid.left + i]) if i <= self.grid.right else 0.0

    def epsilon_above(self, delta: float) -> float:
        """An upper bound on the least x ≥ 0 with V ≤ δ; infinite if the grid ends before."""
        kept = np.flatnonzero(self.values[self.grid.left :] <= delta)
        if not kept.size:
            return math.inf
        i = int(kept[0])
        if not i:
            return 0.0
        over, under = (float(self.values[self.grid.left + j]) for j in (i - 1, i))
        share = min((over - delta) / (over - under) * (1 + 2.0**-40), 1.0)
        inside = math.log1p(share * math.expm1(self.grid.spacing))
        return ((i - 1) * self.grid.spacing + inside) * (1 + 2.0**-48)

    def epsilon_below(self, delta: float) -> float:
        """A lower bound on the least x ≥ 0 with V ≤ δ: the last point where V is known to exceed δ."""
        over = np.flatnonzero(self.values[self.grid.left :] > delta)
        return int(over[-1]) * self.grid.spacing * (1 - 2.0**-50) if over.size else 0.0


def at_most(kinds: Sequence[tuple[Ways, int]], grid: RangeGrid) -> GridValues:
    """V after all runs from above, each choice as often as its count says, in whatever order they come.

    What has been run is a state; the analyst runs any of the rest next. States with equally many runs need only those
    with one run fewer.
    """
    layer = {(0,) * len(kinds): grid.start()}
    for _ in range(sum(count for _, count in kinds)):
        grown: dict[tuple[int, ...], Floats] = {}
        for state, values in layer.items():
            for i, (choice, count) in enumerate(kinds):
                if state[i] == count:
                    continue
                found = choice.from_above(grid.widened_above(values, choice.steps))
                after = (*state[:i], state[i] + 1, *state[i + 1 :])
                grown[after] = np.maximum(grown[after], found) if after in grown else found
        layer = {s: np.where(v > 0, np.clip(v, LEAST, 1.0), 0.0) for s, v in grown.items()}
    ((_, values),) = layer.items()
    return GridValues(grid, values)


def at_least(kinds: Sequence[tuple[Ways, int]], grid: RangeGrid) -> GridValues:
    """V after all runs from below, the first kind run last: one of the orders in which they may come."""
    values = grid.start()
    for choice, count in kinds:
        for _ in range(count):
            found = choice.from_below(grid.widened_below(values, choice.steps))
            values = np.where(found > LEAST, found, 0.0)
    return GridValues(grid, values)


__all__ = ["GridValues", "RangeGrid", "Ways", "at_least", "at_most"]
