"""A finite law, cut along the loss: its atoms fall into cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.few_steps.cells import Cells, Mesh, Sketch
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import LEAST, LIBM, UNIT_ROUNDOFF, Floats
from dpcompose.numerics.unreachable import OutOfReach

ROUNDED = 1e-11
"""More than a sum of logarithms below some thousands is off by."""
VAGUE = 2.0**-10
"""Losses that are off by more than this are not cut."""


@dataclass(frozen=True, eq=False)
class AtomStep:
    """Losses, each off by at most `loss_error`, with probabilities, each off by `weight_error`, relatively."""

    losses: Floats
    weights: Floats
    loss_error: float
    weight_error: float

    @cached_property
    def atoms(self) -> Sequence[float]:
        """Every loss has a probability of its own."""
        return tuple(self.losses.tolist())

    @cached_property
    def _log_images(self) -> Floats:
        return np.asarray(np.log(self.weights) - self.losses)

    @property
    def least(self) -> float:
        """A lower bound on all losses."""
        return float(self.losses.min()) - self.loss_error

    def reach(self, log_mass: float) -> tuple[float, float]:  # noqa: ARG002 - the ends come first
        """The least and the greatest loss."""
        return float(self.losses.min()), float(self.losses.max())

    def sketch(self, log_mass: float) -> Sketch:  # noqa: ARG002 - all there is
        """The atoms themselves, with their weights."""
        return Sketch(self.losses, self.weights)

    def cut(self, mesh: Mesh, log_mass: float) -> Cells:  # noqa: ARG002 - nothing is left out
        """Each atom in its cell; one a hair below an edge counts as on it."""
        if not self.loss_error + self.weight_error <= VAGUE:
            raise OutOfReach("losses or weights are not known well enough")
        edges = mesh.edges
        near = self.loss_error + 8.0 * UNIT_ROUNDOFF * float(np.abs(edges).max())
        cell = np.searchsorted(edges, self.losses + near, side="right") - 1
        inside = (cell >= 0) & (cell < mesh.cells)
        own, weights = cell[inside], self.weights[inside]
        rise = np.maximum(-np.expm1(edges[own] - self.losses[inside]), 0.0)
        beyond = cell >= mesh.cells

        def in_cells(values: Floats) -> Floats:
            found: Floats = np.bincount(own, values, mesh.cells).astype(np.float64)
            return found

        mass, image = (
            float(self.weights[beyond].sum()),
            float((self.weights[beyond] * np.exp(-self.losses[beyond])).sum()),
        )
        lost = 4.0 * LEAST * int(beyond.sum())  # of products below all floats
        error = self.weight_error + 16.0 * UNIT_ROUNDOFF * (1.0 + self.losses.size)
        wide = (error + self.loss_error) * (1.0 + 2.0 * VAGUE) + 2.0 * LIBM
        return Cells(
            in_cells(weights),
            in_cells(weights * rise),
            error,
            in_cells(weights * (rise * (error + LIBM) + 2.0 * UNIT_ROUNDOFF * np.abs(edges[own]))),
            2.0 * near,
            float(self.weights[cell < 0].sum()) * (1.0 + error),
            Enclosure(mass * (1.0 - error), mass * (1.0 + error)),
            Enclosure(max(image * (1.0 - wide) - lost, 0.0), image * (1.0 + wide) + lost),
            log_over_image=_log_sum(self._log_images[beyond]) + 2.0 * wide + ROUNDED,
            kept=float(self.weights.sum()) * (1.0 - error),
            image=float((self.weights * np.exp(-self.losses))[cell >= 0].sum()) * (1.0 - wide),
        )


def _log_sum(logs: Floats) -> float:
    peak = float(logs.max(initial=-math.inf))
    return peak + math.log(float(np.exp(logs - peak).sum())) if logs.size else peak
