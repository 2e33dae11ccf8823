r"""How fast a characteristic function must decay, certified from a histogram below the density.

If a density $f$ satisfies $f \ge \sum_j c_j 1_{I_j}$ with intervals $I_j$ of width $w_j$ and $p_j = c_jw_j$, the law
is a mixture of uniform laws (weights $p_j$) and a rest, so for every $|v| \ge U$

$$|\varphi(v)| \le 1 - \sum_j p_j\bigl(1 - s(Uw_j/2)\bigr), \qquad s(y) = \sup_{y'\ge y}|\sin y'/y'| .$$

Cutting a histogram along its level sets (each connected piece of $\{f > c\}$ is an interval) makes the bound tight at
both ends: a unimodal symmetric density gives $1 - \tfrac12\sigma^2U^2$ for small $U$, and the total variation $\sum_j
2c_j/U$ for large $U$. Where the exact total variation is known, integration by parts gives $|\varphi(v)| \le
(\text{atoms}) + \mathrm{TV}(f)/U$ without the histogram's loss.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcompose.numerics.rounding import Floats, combined

SECOND_LOBE = 0.21724
r"""Just above $\max_{y\ge\pi}|\sin y/y|$, attained near 4.4934."""


@dataclass(frozen=True, eq=False)
class Layers:
    """Uniform pieces under a density, the mass of the atoms beside it, and its total variation; of many densities a row
    each, the numbers being columns.
    """

    widths: Floats
    masses: Floats
    atoms: float | Floats = 0.0
    variation: float | Floats = math.inf

    def log_decay(self, frequencies: Floats) -> Floats:
        r"""$\ln$ of a bound on $\sup_{|v|\ge U}|\varphi(v)|$, for each $U$; non-increasing in $U$."""
        half = 0.5 * self.widths
        if half.ndim == 1:
            missing = combined(envelope_deficit(frequencies[:, None] * half), self.masses)
        else:  # of many rows one frequency after the other, as much as fits the cache
            columns = [(envelope_deficit(f * half) * self.masses).sum(axis=-1) for f in frequencies.tolist()]
            missing = np.stack(columns, axis=-1)
        loss = np.minimum(missing * (1.0 - 1e-9), 1.0 - 1e-15)  # the sum's own rounding
        with np.errstate(divide="ignore"):
            by_parts = np.log(np.minimum(self.atoms + self.variation / frequencies * (1.0 + 1e-9), 1.0))
        return np.minimum(np.log1p(-loss), by_parts)


def envelope_deficit(y: Floats) -> Floats:
    r"""A lower bound on $1 - s(y)$: the series $y^2/6 - y^4/120$ below 1, then the sine, then the lobes."""
    square = y * y
    middle = (y >= 1.0) & (y < math.pi)
    wide = np.minimum(SECOND_LOBE, 1.0 / np.maximum(y, 1.0))
    wide[middle] = np.maximum(np.sin(y[middle]) / y[middle], SECOND_LOBE)
    return np.where(y < 1.0, square * (20.0 - square) / 120.0, 1.0 - wide * (1.0 + 1e-12))


def level_sets(
    widths: Floats, heights: Floats, atoms: float | Floats = 0.0, variation: float | Floats = math.inf
) -> Layers:
    """Cut histograms, one in each row, into horizontal slices, each over one connected piece of its level set.

    Where a histogram rises and then falls, a piece consists of all cells that are at least as high.
    """
    tops = np.maximum.accumulate(heights, axis=-1), np.maximum.accumulate(heights[..., ::-1], axis=-1)[..., ::-1]
    order = np.argsort(-heights, axis=-1)
    falling, wide = (np.take_along_axis(a, order, axis=-1) for a in (heights, widths))
    wide = np.cumsum(wide, axis=-1)
    masses = -np.diff(falling, axis=-1, append=0.0) * wide
    for row in np.ndindex(heights.shape[:-1]):
        if not np.array_equal(np.minimum(tops[0][row], tops[1][row]), heights[row]):
            wide[row], masses[row] = _slices(widths[row], heights[row])
    return Layers(wide, masses, atoms, variation)


def _slices(widths: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """The slices of any histogram, no more than it has cells: a stack holds the open ones, the lowest first, and a drop
    in height closes those above it.
    """
    wide, masses = np.zeros(widths.shape), np.zeros(widths.shape)
    stack: list[tuple[float, float]] = []  # (left end, height)
    closed, start = 0, 0.0
    for width, height in zip([*widths.tolist(), 0.0], [*heights.tolist(), 0.0], strict=True):
        begin = start
        while stack and stack[-1][1] > height:
            begin, top = stack.pop()
            floor = max(height, stack[-1][1]) if stack else height
            wide[closed], masses[closed] = start - begin, (top - floor) * (start - begin)
            closed += 1
        if height > 0.0 and (not stack or stack[-1][1] < height):
            stack.append((begin, height))
        start += width
    return wide, masses


NO_DECAY = Layers(np.zeros(0), np.zeros(0), atoms=1.0)
"""A law about whose decay nothing is claimed."""
