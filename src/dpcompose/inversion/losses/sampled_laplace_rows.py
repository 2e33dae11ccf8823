"""Many different Poisson-subsampled Laplace mechanisms at once: the formulas of `sampled_laplace`, a row for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.losses.decay import Layers
from dpcompose.inversion.losses.nodes import Nodes
from dpcompose.inversion.losses.poisson_ratio import LogRatio, log_ratio
from dpcompose.inversion.losses.protocols import Cumulants, Direction
from dpcompose.inversion.losses.rows import LaidAnew, TiltedRows, total_of_rows
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceDensity, SampledLaplaceLoss
from dpcompose.numerics.legendre import on_ladder
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Floats

FEW_RUNGS = 16
"""Frequencies at which the quadrature errors of many steps are bounded."""


@dataclass(frozen=True, eq=False)
class SampledLaplaceRows(LaidAnew, SampledLaplaceDensity):
    """Steps of one direction, whose rates are at most a half."""

    columns: tuple[Floats, Floats, Floats, Floats]
    direction: Direction

    deficit = 0.0, 0.0
    has_jumps = False
    most_equal = math.inf

    @property
    def numbers(self) -> tuple[Floats, Floats, Floats, Floats]:
        r"""$\varepsilon_0$ and its relative error, $q$ and its relative error."""
        return self.columns

    @classmethod
    def of(cls, losses: Sequence[SampledLaplaceLoss]) -> SampledLaplaceRows:
        """These steps, one a row."""
        e, e_error, q, q_error = np.array([loss.numbers for loss in losses]).T[:, :, None]
        return cls((e, e_error, q, q_error), losses[0].direction)

    @staticmethod
    def key(loss: SampledLaplaceLoss) -> Direction | None:
        """Which rows may lie together; None where a step is better followed by itself."""
        e, _, q, _ = loss.numbers
        return loss.direction if 1e-9 <= q <= 0.5 and 0.01 <= e <= 10.0 else None

    @staticmethod
    def place(loss: SampledLaplaceLoss) -> float:
        """Rows at near places need about as many nodes."""
        return float(loss.steepness)

    def log_ratio(self, l: Floats, l_error: Floats) -> LogRatio:  # noqa: E741
        r"""$\ln X$ with an upper bound on its error, at losses known up to `l_error`."""
        _, _, q, q_error = self.numbers
        return log_ratio(q, 1.0 - q, q_error + UNIT_ROUNDOFF, l, l_error)

    def trimmed(self, log_mass: Floats, sharpness: int) -> SampledLaplaceRows:  # noqa: ARG002 - bounded losses
        """The same: there are no far tails to take away."""
        return self

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        losses, _, log_weights, _ = self.weights(3)
        return losses, log_weights

    def cumulants(self, tilt: float, counts: Floats) -> Cumulants:
        """Uncertified K, K' and K'' of all together, for searches."""
        return total_of_rows(*self._quick, tilt, counts)

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedRows:
        """The certified laws at this tilt: see `SampledLaplaceLoss.step`."""
        count = self.panels_for(tilt, reach, error)
        bound, at_zero = (self.quadrature_error(count, self.exponent(t)) for t in (tilt, 0.0))

        def quadrature(v: Floats) -> Floats:
            return np.exp(np.minimum(on_ladder(bound, v, FEW_RUNGS), 0.0))

        mass = at_zero(np.zeros(1))
        nodes = Nodes(*self.weights(count), quadrature=quadrature, mass_quadrature=np.exp(np.minimum(mass, 0.0)))
        return TiltedRows(nodes, tilt)

    def layers(self, tilt: float, moments: tuple[Floats, Floats]) -> Layers:
        """Uniform pieces under each density, for its decay."""
        log_moment, error = moments
        return self.density_layers(tilt, log_moment - error, log_moment + error)
