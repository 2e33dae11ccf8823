r"""Many different steps at once: the formulas of `nodes` in arrays with one row for each step.

What is one number for one step is a column here. Sums along a row are taken in whatever order NumPy likes, so that
each errs by at most as many roundings as it has terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.losses.nodes import SPARSE, doubling_error, products, turn
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.numerics.rounding import (
    LIBM,
    SLACK,
    UNIT_ROUNDOFF,
    Complexes,
    Floats,
    Integers,
    all_short,
    multiples,
)

TOO_LARGE = 500.0
"""Beyond this logarithm a moment is not followed."""
AT_ONCE = 300_000
"""About as many complex numbers are held at once."""


@dataclass(frozen=True, eq=False)
class NodeRows:
    """`Nodes`, a row for each step."""

    losses: Floats
    loss_error: Floats
    log_weights: Floats
    weight_error: Floats
    quadrature: Callable[[Floats], Floats]
    mass_quadrature: Floats
    deficit: float | Floats = 0.0
    deficit_error: float | Floats = 0.0
    log_tail: float | Floats = -math.inf


@dataclass(frozen=True, eq=False)
class TiltedRows:
    """`TiltedNodes`, a row for each step: see there for every bound."""

    nodes: NodeRows
    tilt: float

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        r"""$K$ of each step and a bound on its error; infinite where it is too large."""
        n, t = self.nodes, self.tilt
        x = t * n.losses
        argument = t * n.loss_error + 2.0 * UNIT_ROUNDOFF * np.abs(x)
        with np.errstate(all="ignore"):
            w, tilted = np.exp(n.log_weights), np.exp(n.log_weights + x)
            heavy = x > 1.0
            terms = np.where(heavy, tilted - w, w * np.expm1(np.minimum(x, 1.0)))
            error = np.abs(terms) * (n.weight_error + 2.0 * LIBM + x.shape[-1] * UNIT_ROUNDOFF)
            error += np.maximum(w, tilted) * argument
            error += np.where(heavy, tilted * (2.0 * UNIT_ROUNDOFF * np.abs(n.log_weights) + 2.0 * LIBM), 0.0)
            error += np.where(heavy, w * (2.0 * n.weight_error + LIBM), 0.0)
            total = _sum(terms) - n.deficit
            log_moment = np.log1p(total)
            bound = _sum(error) + n.deficit_error + n.mass_quadrature
            bound = bound + 3.0 * UNIT_ROUNDOFF * (np.abs(total) + n.deficit)
            strip = n.quadrature(np.zeros(1))
            tail = np.exp(np.minimum(n.log_tail - log_moment, 0.0))
            relative = (bound / (1.0 + total) + tail + strip) * SLACK / (1.0 - np.minimum(strip, 0.5))
            found = -np.log1p(-relative) + LIBM * np.abs(log_moment)
        known = (total > -1.0) & (relative < 0.5) & ((n.log_weights + x).max(axis=-1, keepdims=True) < TOO_LARGE)
        return np.where(known, log_moment, math.inf), np.where(known, found, math.inf)

    @cached_property
    def weights(self) -> Floats:
        """The tilted weights $p_j = w_j e^{tl_j - K}$."""
        weights: Floats = np.exp(self.nodes.log_weights + self.tilt * self.nodes.losses - self.moments[0])
        return weights

    @cached_property
    def centre(self) -> Floats:
        """Short floats near the tilted means."""
        return all_short(_sum(self.weights * self.nodes.losses))

    @cached_property
    def _error_terms(self) -> tuple[Floats, Floats, Floats, Floats]:
        n, p = self.nodes, self.weights
        log_moment, moment_error = self.moments
        d = np.abs(n.losses - self.centre)
        relative = n.weight_error + self.tilt * n.loss_error + LIBM + moment_error
        relative += 2.0 * UNIT_ROUNDOFF * (np.abs(self.tilt * n.losses) + np.abs(n.log_weights) + np.abs(log_moment))
        near = p * d
        return (
            _sum(near * relative),
            _sum(p * relative),
            _sum(near),
            _sum(p * n.loss_error) + 3.0 * UNIT_ROUNDOFF * _sum(near),
        )

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi(v) - 1$ of each step and a bound on its error."""
        n, v = self.nodes, multiples(spacing, indices)
        values = _transforms(n.losses - self.centre, self.weights, spacing, indices)
        first, second, spread, shift = self._error_terms
        gamma = 3.0 * (n.losses.shape[-1] + 20) * UNIT_ROUNDOFF
        error = np.minimum(v * first, 2.0 * second) + gamma * np.minimum(3.0 * v * spread, 8.0)
        error += v * (shift + doubling_error(indices) * spread)
        error += n.quadrature(v) + n.quadrature(np.zeros(1))
        error += 2.0 * np.exp(np.minimum(n.log_tail - self.moments[0], 0.0))
        return values, error * SLACK


def _sum(terms: Floats) -> Floats:
    total: Floats = terms.sum(axis=-1, keepdims=True)
    return total


def _transforms(distance: Floats, weights: Floats, spacing: float, indices: Integers) -> Complexes:
    r"""$\sum_jp_j(e^{im\Delta d_j}-1)$ for each row, by two short tables as in `nodes`; some rows at a time."""
    last = int(indices[-1])
    scattered = last > SPARSE * indices.size + 64
    columns = math.isqrt(last) + 1
    wide = indices.size if scattered else columns + last // columns + 1
    pieces = []
    slices = min(max(1, distance.size * wide // AT_ONCE), len(distance))
    for part in np.array_split(np.arange(len(distance)), slices):
        if scattered:
            angles = multiples(spacing, indices)[:, None] * distance[part, None, :]
            pieces.append((turn(angles) @ weights[part, :, None])[..., 0])
            continue
        pieces.append(products(distance[part], weights[part], spacing, last // columns + 1, columns)[:, indices])
    return np.concatenate(pieces)


def total_of_rows(losses: Floats, log_weights: Floats, tilt: float, counts: Floats) -> Cumulants:
    """`quick_cumulants` of each step, added up."""
    a = log_weights + tilt * losses
    top = a.max(axis=-1, keepdims=True)
    p = np.exp(a - top)
    mass = _sum(p)
    mean = _sum(p * losses) / mass
    curvature = _sum(p * (losses - mean) ** 2) / mass
    value = np.log(mass) + top
    small = np.log1p(_sum(np.exp(log_weights) * np.expm1(np.minimum(tilt * losses, 700.0))))
    value = np.where(np.abs(value) < 1.0, small, value)
    return Cumulants(*(float((counts * column).sum()) for column in (value, mean, curvature)))
