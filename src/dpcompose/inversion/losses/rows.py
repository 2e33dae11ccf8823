r"""Many different steps at once: the formulas of `nodes` in arrays with one row for each step.

Sums along a row, or along a block of it, are taken in whatever order NumPy likes, so that each errs by at most as many
roundings as it has terms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from dpcompose.inversion.losses.nodes import ACCURATE, NEAR, Nodes, TiltedArrays, along
from dpcompose.inversion.losses.nodes_by_fft import gridded
from dpcompose.inversion.losses.nodes_by_tables import transforms
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.numerics.rounding import SLACK, UNIT_ROUNDOFF, Complexes, Floats, Integers, all_short, multiples

MOST_PRODUCTS = 4_000_000
"""With more pairs of a node and a frequency than this in a row, FFTs are faster."""
TOO_LARGE = 500.0
"""Beyond this logarithm a moment is not followed."""


class TiltedSteps(Protocol):
    """Different steps at one tilt, a row for each."""

    @property
    def tilt(self) -> float:
        """The tilt."""

    @property
    def moments(self) -> tuple[Floats, Floats]:
        r"""$K$ of each step, and a bound on its error."""

    @property
    def centre(self) -> Floats:
        """Numbers near the tilted means."""

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi(v) - 1$ of each step, centred, and an upper bound on the error."""

    def log_modulus(self, spacing: float, indices: Integers, counts: Floats) -> Floats | None:
        r"""An upper bound on $\sum k\ln|\varphi|$, if it is cheaper than a bound on the decay."""


@dataclass(frozen=True, eq=False)
class TiltedRows(TiltedArrays):
    """Many steps, tilted, a row for each."""

    nodes: Nodes
    tilt: float

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        r"""$K = \ln M(t)$ of each step, and an upper bound on its absolute error; infinite where too large."""
        n = self.nodes
        x, x_error = n.exponents(self.tilt)
        with np.errstate(all="ignore"):
            terms, error = n.excess(x, x_error)
            error += x.shape[-1] * UNIT_ROUNDOFF * np.abs(terms)
            excess = _sum(terms) - n.deficit
            log_moment = np.log1p(excess)
            found = n.log_moment_error(log_moment, n.moment_error(excess, _sum(error)) / (1.0 + excess))
        known = (excess > -1.0) & (found < math.inf) & ((n.log_weights + x).max(axis=-1, keepdims=True) < TOO_LARGE)
        return np.where(known, log_moment, math.inf), np.where(known, found, math.inf)

    @cached_property
    def centre(self) -> Floats:
        """Short floats near the tilted means."""
        return all_short(along(self.weights, self.nodes.losses))

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi(v) - 1$ of each step, centred at its `centre`, and an upper bound on the error."""
        if self.nodes.losses.shape[-1] * int(indices[-1]) > MOST_PRODUCTS and indices.size > NEAR:
            return self._many(spacing, indices)
        values, length = transforms(self.nodes.losses - self.centre, self.weights, spacing, indices)
        return values, self.transform_error(spacing, indices, length)

    def _many(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        """The first frequencies, where errors count most, by tables; the others by one FFT for each row."""
        near, near_error = self.characteristic(spacing, indices[:NEAR])
        n, far, last = self.nodes, indices[NEAR:], int(indices[-1])
        values = np.empty((len(n.losses), far.size), dtype=np.complex128)
        error = np.empty(values.shape)
        for row, (distance, weights) in enumerate(zip(n.losses - self.centre, self.weights, strict=True)):
            found, doubt = gridded(distance, weights, spacing, last, ACCURATE)
            values[row], error[row] = found[far] - 1.0, doubt[far]
        _, second, _, shift = self.error_terms
        v = multiples(spacing, far)
        error += 2.0 * second + v * shift + n.quadrature(v) + n.quadrature_at_zero
        error = error * SLACK + 2.0 * n.outside(self.moments[0])
        return np.concatenate([near, values], axis=-1), np.concatenate([near_error, error], axis=-1)

    def log_modulus(self, spacing: float, indices: Integers, counts: Floats) -> None:
        """None: nothing is cheaper than the decay."""


class LaidAnew(ABC):
    """Laws whose nodes know nothing of those for another reach."""

    tallest = 64
    """The greatest number of rows of one stack."""

    @abstractmethod
    def tilted(self, tilt: float, reach: float, error: float) -> TiltedSteps:
        """The certified laws at this tilt."""

    def reaching(self, before: TiltedSteps, tilt: float, reach: float, error: float) -> TiltedSteps:  # noqa: ARG002
        """The same laws, for frequencies up to another reach."""
        return self.tilted(tilt, reach, error)


def _sum(terms: Floats) -> Floats:
    total: Floats = terms.sum(axis=-1, keepdims=True)
    return total


def total_of_rows(losses: Floats, log_weights: Floats, tilt: float, counts: Floats) -> Cumulants:
    """`quick_cumulants` of each step, added up."""
    a = log_weights + tilt * losses
    top = a.max(axis=-1, keepdims=True)
    p = np.exp(a - top)
    mass = _sum(p)
    mean = along(p, losses) / mass
    curvature = along(p, (losses - mean) ** 2) / mass
    value = np.log(mass) + top
    small = np.log1p(along(np.exp(log_weights), np.expm1(np.minimum(tilt * losses, 700.0))))
    value = np.where(np.abs(value) < 1.0, small, value)
    return Cumulants(*(float((counts * column).sum()) for column in (value, mean, curvature)))
