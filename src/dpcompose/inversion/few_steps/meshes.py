r"""One lattice for all steps, just as wide as a question needs.

Let the losses of step $i$ lie in $[a_i, b_i]$, but for a negligible mass, and let ε be sought between $u$ and $v$. A
step beyond $v-\sum_{j\ne i}a_j$ puts the sum above ε whatever the others do, and one beyond $v$ by several standard
deviations of the others does so almost surely: there the profile is just $P-e^\varepsilon Q$, or nearly (`bracket`). A
step below $u-\sum_{j\ne i}b_j$ keeps the sum below ε: there the profile is nothing. Only what is in between goes on
the lattice.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import cast

import numpy as np

from dpcompose.inversion.few_steps.bracket_laws import best_offset
from dpcompose.inversion.few_steps.cells import Divisible, Mesh
from dpcompose.numerics.rounding import inner

Pieces = Sequence[tuple[Divisible, int]]
MOST_CHOICES = 20_000
DEVIATIONS = 9.0
"""How many deviations below its mean the sum of the other steps is expected at the lowest."""
WORTHWHILE = 0.05
"""If the other steps can pull a sum back by less than this share of ε, no bound on it is looked for."""


def ranges(pieces: Pieces, low: float, high: float, log_mass: float) -> list[tuple[float, float]]:
    """For each step, the losses that matter for ε between `low` and `high`."""
    ends = [piece.reach(log_mass) for piece, _ in pieces]
    bottom = math.fsum(n * a for (a, _), (_, n) in zip(ends, pieces, strict=True))
    deep = depth(pieces) if -bottom > WORTHWHILE * high else math.inf
    tops = [max(min(b, high + min(a - bottom, deep)), a) for a, b in ends]
    total = math.fsum(n * b for b, (_, n) in zip(tops, pieces, strict=True))
    return [(min(max(a, low - (total - b)), b), b) for (a, _), b in zip(ends, tops, strict=True)]


def depth(pieces: Pieces) -> float:
    """How far below 0 the sum of all steps hardly ever lies, under the neighbour; nothing here is certified."""
    moments = [(*_moments(cast(Hashable, piece)), n) for piece, n in pieces]
    mean, variance = (math.fsum(n * m[i] for *m, n in moments) for i in range(2))
    return max(DEVIATIONS * math.sqrt(variance) - mean, 0.0)


@lru_cache(maxsize=1024)
def _moments(piece: Hashable) -> tuple[float, float]:
    """Mean and variance of one loss under the neighbour, quick values."""
    sketch = cast(Divisible, piece).sketch(-80.0)
    weights = sketch.weights * np.exp(-np.clip(sketch.losses, -600.0, 600.0))
    weights = weights / weights.sum()
    mean = inner(weights, sketch.losses)
    return mean, inner(weights, (sketch.losses - mean) ** 2)


def meshes(pieces: Pieces, low: float, high: float, log_mass: float, span: float) -> list[Mesh]:
    """The cells of each step, with a common span close to the one asked for, and some to spare."""
    offsets, span = aligned(pieces, span, log_mass)
    needed, reaches = ranges(pieces, low, high, log_mass), [piece.reach(log_mass) for piece, _ in pieces]
    # The others may lie lower than their reach, by a cell or as far as they can.
    lower = math.fsum(n * min(span, a - piece.least) for (piece, n), (a, _) in zip(pieces, reaches, strict=True))
    pad = 2.0 * span + lower
    above = [max(min(greatest, b + pad) - b, 0.0) for (_, greatest), (_, b) in zip(reaches, needed, strict=True)]
    # So that all others at their greatest still stay below ε.
    deeper = math.fsum(n * (over + 3.0 * span) for over, (_, n) in zip(above, pieces, strict=True))
    return [
        Mesh.over(offset, span, max(least, a - deeper), min(greatest, b + pad))
        for (least, greatest), (a, b), offset in zip(reaches, needed, offsets, strict=True)
    ]


def aligned(pieces: Pieces, span: float, log_mass: float) -> tuple[list[float], float]:
    """For each step a lattice point, and a span a little below the one asked for, with atoms on lattice points or
    slightly above.
    """
    offsets = [min(p.atoms) if p.atoms else best_offset(p, span, log_mass) for p, _ in pieces]
    gaps = np.array(sorted({x - a for (p, _), a in zip(pieces, offsets, strict=True) for x in p.atoms if x > a}))
    if not gaps.size:
        return offsets, span
    widest = float(gaps[-1])
    least = max(1, math.ceil(widest / span))
    if gaps.size == 1:
        return offsets, widest / least
    counts = np.arange(least, least + min(max(least // 3, 16), MOST_CHOICES // gaps.size + 16))
    off = np.modf(np.multiply.outer(counts, gaps / widest) + 1e-9)[0]
    best = int(counts[np.argmin(off.max(axis=1))])
    return offsets, widest / best
