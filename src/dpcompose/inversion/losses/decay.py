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

from dpcompose.numerics.rounding import Floats

SECOND_LOBE = 0.21724
r"""Just above $\max_{y\ge\pi}|\sin y/y|$, attained near 4.4934."""


@dataclass(frozen=True, eq=False)
class Layers:
    """Uniform pieces under a density, the mass of the atoms beside it, and its total variation."""

    widths: Floats
    masses: Floats
    atoms: float = 0.0
    variation: float = math.inf

    def log_decay(self, frequencies: Floats) -> Floats:
        r"""$\ln$ of a bound on $\sup_{|v|\ge U}|\varphi(v)|$, for each $U$; non-increasing in $U$."""
        loss = envelope_deficit(0.5 * np.multiply.outer(frequencies, self.widths)) @ self.masses
        loss = np.minimum(loss * (1.0 - 1e-9), 1.0 - 1e-15)  # the sum's own rounding
        with np.errstate(divide="ignore"):
            by_parts = np.log(np.minimum(self.atoms + self.variation / frequencies * (1.0 + 1e-9), 1.0))
        return np.minimum(np.log1p(-loss), by_parts)


def envelope_deficit(y: Floats) -> Floats:
    r"""A lower bound on $1 - s(y)$: the series $y^2/6 - y^4/120$ below 1, then the sine, then the lobes."""
    square = y * y
    far = np.maximum(y, 1.0)
    wide = np.where(y < math.pi, np.maximum(np.sin(far) / far, SECOND_LOBE), np.minimum(SECOND_LOBE, 1.0 / far))
    return np.where(y < 1.0, square * (20.0 - square) / 120.0, 1.0 - wide * (1.0 + 1e-12))


def level_sets(edges: Floats, heights: Floats, atoms: float = 0.0, variation: float = math.inf) -> Layers:
    """Cut a histogram into horizontal slices, each over one connected piece of its level set.

    A stack holds the open slices, lowest first; a drop in height closes those above it.
    """
    widths: list[float] = []
    masses: list[float] = []
    left = edges.tolist()
    stack: list[tuple[float, float]] = []  # (left end, height)
    for start, height in zip(left, [*heights.tolist(), 0.0], strict=True):
        begin = start
        while stack and stack[-1][1] > height:
            begin, top = stack.pop()
            floor = max(height, stack[-1][1]) if stack else height
            widths.append(start - begin)
            masses.append((top - floor) * (start - begin))
        if height > 0.0 and (not stack or stack[-1][1] < height):
            stack.append((begin, height))
    return Layers(np.array(widths), np.array(masses), atoms, variation)


NO_DECAY = Layers(np.zeros(0), np.zeros(0), atoms=1.0)
"""A law about whose decay nothing is claimed."""
