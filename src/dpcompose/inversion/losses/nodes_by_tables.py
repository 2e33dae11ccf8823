r"""Transforms of atoms at many frequencies, from two short tables of powers: of one law, and of many, one a row."""

from __future__ import annotations

import math

import numpy as np

from dpcompose.numerics import effort
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Complexes, Floats, Integers, combined, multiples, product

SPARSE = 16
"""Above this number of frequencies for each one that is asked for, those are computed one by one."""
LONG = 256
"""Longer rows are summed in blocks of this length."""
AT_ONCE = 40_000
"""About as many complex numbers are held at once."""


def transform(distance: Floats, weights: Floats, spacing: float, indices: Integers) -> tuple[Complexes, int]:
    r"""$\sum_j p_j(e^{im\Delta d_j}-1)$ for many $m$, and the length of the longest sum in it.

    For $m = aB+b$ two short tables suffice, $e^{i(\alpha+\beta)}-1 = AB + A + B$ with $A = e^{i\alpha}-1$ and $B =
    e^{i\beta}-1$, each formed as $2i\sin(\alpha/2)e^{i\alpha/2}$: $J\cdot 2\sqrt M$ sines instead of $JM$. Nodes are
    summed in about $\sqrt J$ blocks, which takes the rounding error from $J$ to $2\sqrt J$ units.
    """
    count = distance.size
    block = max(8, math.isqrt(count))
    blocks = -(-count // block)
    d, p = np.zeros((blocks, block)), np.zeros((blocks, block))
    d.reshape(-1)[:count], p.reshape(-1)[:count] = distance, weights
    last = int(indices[-1])
    if last > SPARSE * indices.size + 64:  # scattered indices: one by one, in slices that fit the cache
        pieces = [
            combined(turn(spacing * part[None, :, None] * d[:, None, :]), p).sum(axis=0)
            for part in np.array_split(indices, max(1, indices.size * d.size // 500_000))
        ]
        return np.concatenate(pieces), block + blocks
    columns = math.isqrt(last) + 1
    rows = last // columns + 1
    return products(d, p, spacing, rows, columns).sum(axis=0)[indices], block + blocks


def transforms(distance: Floats, weights: Floats, spacing: float, indices: Integers) -> tuple[Complexes, int]:
    r"""$\sum_jp_j(e^{im\Delta d_j}-1)$ for each row, some rows at a time, and the length of the longest sum in it; long
    rows are summed in blocks.
    """
    (rows, count), last = distance.shape, int(indices[-1])
    scattered = last > SPARSE * indices.size + 64
    columns = math.isqrt(last) + 1
    wide = indices.size if scattered else columns + last // columns + 1
    blocks = -(-count // LONG)
    block = LONG if blocks > 1 else count
    values = np.empty((rows, indices.size), dtype=np.complex128)
    for part in np.array_split(np.arange(rows), min(max(1, distance.size * wide // AT_ONCE), rows)):
        d, p = np.zeros((len(part), blocks * block)), np.zeros((len(part), blocks * block))
        d[:, :count], p[:, :count] = distance[part], weights[part]
        d, p = d.reshape(-1, block), p.reshape(-1, block)
        if scattered:
            found = combined(turn(multiples(spacing, indices)[:, None] * d[:, None, :]), p)
        else:
            found = products(d, p, spacing, last // columns + 1, columns)[:, indices]
        values[part] = found.reshape(len(part), blocks, -1).sum(axis=1)
    return values, block + blocks


def products(d: Floats, p: Floats, spacing: float, rows: int, columns: int) -> Complexes:
    """The sums of each row of distances and weights, at all frequencies up to `rows` times `columns`."""
    effort.count(2 * d.size * (rows + columns) + d.size * rows * columns // 16 + len(d) * rows * columns)
    high, low = powers(turn(spacing * columns * d), rows), powers(turn(spacing * d), columns)
    table = product(high * p[:, None, :], low.transpose(0, 2, 1))
    table += combined(high, p)[:, :, None]
    table += combined(low, p)[:, None, :]
    return table.reshape(len(d), -1)


def powers(one: Complexes, count: int) -> Complexes:
    r"""$e^{ic\theta}-1$ for $0 \le c <$ `count` from $e^{i\theta}-1$, by doubling: a middle axis.

    The product for $\alpha+\beta$ errs by the errors of both, since $|e^{i\alpha}| = 1$, and by at most
    $5u(|\alpha|+|\beta|)$; so each doubling adds $5u$ to the error relative to the angle.
    """
    table = np.zeros((len(one), count, one.shape[-1]), dtype=np.complex128)
    step, filled = one[:, None, :], 1
    while filled < count:
        before, after = table[:, : count - filled][:, :filled], table[:, filled : 2 * filled]
        np.multiply(before, step, out=after)
        after += before
        after += step
        step, filled = step * step + 2.0 * step, 2 * filled
    return table


def doubling_error(indices: Integers) -> float:
    """An upper bound on what `powers` add to the error of a transform, relative to the angle."""
    return 8.0 * (int(indices[-1]).bit_length() // 2 + 3) * UNIT_ROUNDOFF


def turn(angle: Floats) -> Complexes:
    r"""$e^{i\theta} - 1 = 2i\sin(\theta/2)\,e^{i\theta/2}$, accurate relative to $|\theta|$."""
    half = 0.5 * angle
    sine = np.sin(half)
    result = np.empty(half.shape, dtype=np.complex128)
    np.multiply(sine, sine, out=result.real)
    result.real *= -2.0
    np.multiply(sine, np.cos(half), out=result.imag)
    result.imag *= 2.0
    return result
