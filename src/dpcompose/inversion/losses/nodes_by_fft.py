r"""Transforms of very many atoms at very many frequencies: spread the atoms over a fine lattice, then one FFT.

Frequencies are $u_m = 2\pi m/W$, so distances matter modulo $W$ only. On a lattice of $N$ points, $g = W/N$, an atom
at lattice position $x$ is replaced by $p$ neighbouring ones with Lagrange weights, which reproduces $e^{iux}$ up to

$$\frac{(u_mg)^p}{p!}\max_{0\le s\le1}\prod_{i}|s-o_i|,\qquad o = -\tfrac p2+1,\dots,\tfrac p2,$$

the maximum lying at $s = \frac12$. The FFT adds $8u\log_2N\sqrt N\|\cdot\|_2$, and positions round like any angle
does.
"""

from __future__ import annotations

import math

import numpy as np

from dpcompose.numerics import effort
from dpcompose.numerics.rounding import SLACK, UNIT_ROUNDOFF, Complexes, Floats, inner, multiples, norm

FINENESS = 8
"""Lattice points per frequency."""


def gridded(distance: Floats, weights: Floats, spacing: float, last: int, order: int) -> tuple[Complexes, Floats]:
    r"""$\sum_jw_je^{im\Delta d_j}$ for $0 \le m \le$ `last`, and a bound on the error of each."""
    count = 1 << math.ceil(math.log2(FINENESS * (last + 1)))
    effort.count(2 * count + order * distance.size)
    scale = spacing * count / (2.0 * math.pi)  # lattice points per unit of distance
    position = distance * scale
    cell = np.floor(position)
    offset = position - cell
    start = cell.astype(np.int64) - (order // 2 - 1)
    shares = _lagrange(offset, order)
    places = np.concatenate([(start + i) % count for i in range(order)])
    grid = np.bincount(places, np.concatenate([weights * share for share in shares]), minlength=count)
    values = np.conj(np.fft.rfft(grid)[: last + 1])
    angle = multiples(spacing, np.arange(last + 1, dtype=np.int64))
    total = float(weights.sum())
    peak = math.prod(abs(0.5 - o) for o in range(-order // 2 + 1, order // 2 + 1)) / math.factorial(order)
    step = 2.0 * math.pi / count
    error = total * peak * (step * np.arange(last + 1.0)) ** order
    # Positions are off by three roundings of d·scale; a share by (order) roundings of its factors.
    error += 4.0 * UNIT_ROUNDOFF * angle * inner(weights, np.abs(distance))
    error += 8.0 * UNIT_ROUNDOFF * math.log2(count) * math.sqrt(count) * norm(grid.astype(np.float64, copy=False))
    error += 8.0 * UNIT_ROUNDOFF * (order + 8) * _lebesgue(
        order
    ) * total + 4.0 * UNIT_ROUNDOFF * total * step * np.arange(last + 1.0)
    return values, error * SLACK


def _lagrange(offset: Floats, order: int) -> list[Floats]:
    """The Lagrange weights of the neighbours at 1 - p/2, ..., p/2, by running products from both ends."""
    nodes = np.arange(-order // 2 + 1, order // 2 + 1, dtype=np.float64)
    factors = [offset - o for o in nodes]
    before, after = [np.ones_like(offset)], [np.ones_like(offset)]
    for f in factors[:-1]:
        before.append(before[-1] * f)
    for f in reversed(factors[1:]):
        after.append(after[-1] * f)
    after.reverse()
    scale = [math.prod(float(a - b) for b in nodes if b != a) for a in nodes]
    return [left * right / s for left, right, s in zip(before, after, scale, strict=True)]


def _lebesgue(order: int) -> float:
    """An upper bound on the sum of the absolute Lagrange weights between the two middle nodes."""
    return 1.0 + math.log(order)
