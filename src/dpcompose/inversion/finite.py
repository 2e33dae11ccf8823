r"""Any finite pair of distributions: the loss has finitely many values $l_j = \ln(p_j/q_j)$, with
probability $p_j$ each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.cumulants import Cumulants
from dpcompose.inversion.decay import NO_DECAY, Layers
from dpcompose.inversion.loss import Lattice, Loss, Summand
from dpcompose.inversion.nodes import Nodes, TiltedNodes, quick_cumulants
from dpcompose.inversion.repeated import repeat
from dpcompose.inversion.rounding import UNIT, Floats
from dpcompose.numerics.enclosure import NOTHING, Enclosure

QUICK_ATOMS = 4096


@dataclass(frozen=True, eq=False)
class FiniteLoss:
    r"""Values `losses` with probabilities `weights`; the rest, `leak`, reveals everything.

    Losses may be off by `loss_error` (absolute), weights by `weight_error` (relative); the true weights and
    the true leak sum to 1.
    """

    losses: Floats
    weights: Floats
    leak: Enclosure = NOTHING
    loss_error: Floats | float = 0.0
    weight_error: Floats | float = 0.0
    lattice: Lattice | None = None
    """Where the true losses lie, if they lie on a lattice."""

    trim_lost = 0.0

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[Summand]:
        """The sum of all these steps."""
        return repeat(cast(Sequence[tuple[FiniteLoss, int]], parts))

    @property
    def supremum(self) -> float:
        """No finite loss exceeds this."""
        return float(np.max(self.losses + self.loss_error)) * (1.0 + UNIT) + 1e-300

    @property
    def total_variation(self) -> float:
        r"""$\sum_j p_j(1-e^{-l_j})_+$."""
        gain = -np.expm1(-np.maximum(self.losses + self.loss_error, 0.0))
        return min(1.0, float((self.weights * (1.0 + np.asarray(self.weight_error))) @ gain) * (1.0 + 1e-9))

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Something simpler that is worse."""
        return [(self, 1)]

    def trimmed(self, log_mass: float, sharpness: int) -> FiniteLoss:  # noqa: ARG002 - bounded loss
        """With its far upper tail taken away, if it has one."""
        return self

    def bands(self, log_mass: float) -> tuple[Sequence[FiniteLoss], float]:  # noqa: ARG002 - nothing is hidden
        """What trimming hides, in bands."""
        return [], 0.0

    @cached_property
    def _nodes(self) -> Nodes:
        keep = self.weights > 0.0
        shape = self.losses.shape
        log_weights = np.log(self.weights[keep])
        error = np.broadcast_to(np.asarray(self.weight_error, dtype=np.float64), shape)[keep]
        return Nodes(
            losses=self.losses[keep],
            loss_error=np.broadcast_to(np.asarray(self.loss_error, dtype=np.float64), shape)[keep],
            log_weights=log_weights,
            weight_error=error + 8.0 * UNIT * (1.0 + np.abs(log_weights)),
            deficit=0.5 * (self.leak.lower + self.leak.upper),
            deficit_error=self.leak.upper - self.leak.lower,
        )

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        """The atoms themselves, or their centres of mass in narrow bins if there are very many."""
        n = self._nodes
        if n.losses.size <= QUICK_ATOMS:
            return n.losses, n.log_weights
        low, high = float(n.losses.min()), float(n.losses.max())
        bins = np.minimum(((n.losses - low) / (high - low) * QUICK_ATOMS).astype(np.int64), QUICK_ATOMS - 1)
        w = np.exp(n.log_weights)
        mass = np.bincount(bins, w, minlength=QUICK_ATOMS)
        mean = np.bincount(bins, w * n.losses, minlength=QUICK_ATOMS)
        full = mass > 0.0
        return mean[full] / mass[full], np.log(mass[full])

    def cumulants(self, tilt: float) -> Cumulants:
        """Quick values."""
        return quick_cumulants(*self._quick, tilt)

    def step(self, tilt: float, reach: float, error: float) -> TiltedNodes:  # noqa: ARG002 - no quadrature
        """The certified law of one step at this tilt."""
        return TiltedNodes(self._nodes, tilt)

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:  # noqa: ARG002 - atoms do not decay
        """Uniform pieces under the density, for its decay."""
        return NO_DECAY
