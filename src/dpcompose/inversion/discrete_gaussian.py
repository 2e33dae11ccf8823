r"""The discrete Gaussian mechanism: integer noise with $P(x) \propto e^{-x^2/2\sigma^2}$, an integer query
of sensitivity $\Delta$.

The loss $(\Delta^2-2\Delta x)/2\sigma^2$ lives on a lattice of span $\Delta/\sigma^2$; tilting by $t$ moves
the noise to $-t\Delta$. Atoms near 0 and near the
tilted centre are the nodes; Gaussian tails bound the others. Both orders of the pair have the same profile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.cumulants import Cumulants
from dpcompose.inversion.decay import NO_DECAY, Layers
from dpcompose.inversion.loss import Lattice, Loss, Step, Summand
from dpcompose.inversion.nodes import Nodes, TiltedNodes, quick_cumulants
from dpcompose.inversion.repeated import repeat
from dpcompose.inversion.rounding import LIBM, UNIT, nearest
from dpcompose.inversion.unreachable import TooManyNodes
from dpcompose.inversion.wide_discrete_gaussian import WIDE, WideDiscreteGaussian
from dpcompose.numerics.enclosure import NOTHING, Enclosure, Real

MOST_ATOMS = 2_000_000


@dataclass(frozen=True)
class DiscreteGaussianLoss:
    """One step."""

    noise_std: Real
    sensitivity: int = 1

    leak = NOTHING
    supremum = math.inf
    total_variation = 1.0
    trim_lost = 0.0

    @cached_property
    def _number(self) -> tuple[float, float]:
        return nearest(self.noise_std)

    @property
    def lattice(self) -> Lattice:
        r"""$\Delta^2/2\sigma^2 + (\Delta/\sigma^2)\mathbb Z$."""
        sigma, error = self._number
        span = self.sensitivity / sigma**2
        return Lattice(0.5 * self.sensitivity * span, span, 4.0 * UNIT + 2.0 * error)

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[Summand]:
        """The sum of all these steps."""
        return repeat([p for p in cast(Sequence[tuple[DiscreteGaussianLoss, int]], parts) if p[0].sensitivity])

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Something simpler that is worse."""
        return [(self, 1)]

    def trimmed(self, log_mass: float, sharpness: int) -> DiscreteGaussianLoss:  # noqa: ARG002 - light tail
        """With its far upper tail taken away, if it has one."""
        return self

    def bands(self, log_mass: float) -> tuple[Sequence[DiscreteGaussianLoss], float]:  # noqa: ARG002
        """What trimming hides, in bands."""
        return [], 0.0

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:  # noqa: ARG002 - atoms do not decay
        """Uniform pieces under the density, for its decay."""
        return NO_DECAY

    def cumulants(self, tilt: float) -> Cumulants:
        r"""Those of the continuous Gaussian, unless the noise is small."""
        sigma = self._number[0]
        if sigma > 2.0:
            v = (self.sensitivity / sigma) ** 2
            return Cumulants(0.5 * tilt * (tilt + 1.0) * v, (tilt + 0.5) * v, v)
        nodes = self.nodes(tilt, 30.0)
        return quick_cumulants(nodes.losses, nodes.log_weights, tilt)

    def step(self, tilt: float, reach: float, error: float) -> Step:  # noqa: ARG002 - no quadrature
        """The certified law of one step at this tilt."""
        sigma, sigma_error = self._number
        if sigma >= WIDE:
            return WideDiscreteGaussian(sigma, sigma_error, self.sensitivity, tilt)
        return TiltedNodes(self.nodes(tilt, 10.0 - math.log(error)), tilt)

    def nodes(self, tilt: float, depth: float) -> Nodes:
        r"""The atoms within $\sigma\sqrt{2\,\text{depth}}$ of 0 or of $-t\Delta$ (all between, if those
        overlap).

        Beyond a distance $R$ from its centre a discrete Gaussian sum is at most
        $2e^{-R^2/2\sigma^2}/(1-e^{-R/\sigma^2})$; the normaliser is at least 1.
        """
        sigma, sigma_error = self._number
        radius = math.ceil(sigma * math.sqrt(2.0 * depth)) + 1
        centre = -round(tilt * self.sensitivity)
        if 4 * radius > MOST_ATOMS:
            raise TooManyNodes(4 * radius)
        x = np.union1d(np.arange(-radius, radius + 1), np.arange(centre - radius, centre + radius + 1)).astype(
            np.float64
        )
        exponent = 0.5 * (x / sigma) ** 2
        near = np.arange(-radius, radius + 1, dtype=np.float64)
        total = math.fsum(np.exp(-0.5 * (near / sigma) ** 2).tolist())
        losses = self.sensitivity * (0.5 * self.sensitivity - x) / sigma**2
        beyond = math.log(2.0) - 0.5 * (radius / sigma) ** 2 - math.log(-math.expm1(-radius / sigma**2))
        mass_tail = math.exp(beyond)
        relative = LIBM + 60.0 * UNIT + 4.0 * sigma_error + mass_tail
        # The tilted tail: Σ e^{tl-x²/2σ²} about its own centre, which rounding moved by at most 1/2.
        off = (radius - 0.5) / sigma
        tilted = math.log(2.0) - 0.5 * off * off - math.log(-math.expm1(-off / sigma))
        growth = 0.5 * tilt * (tilt + 1.0) * (self.sensitivity / sigma) ** 2
        return Nodes(
            losses=losses,
            loss_error=(6.0 * UNIT + 2.0 * sigma_error) * np.abs(losses),
            log_weights=-exponent - math.log(total),
            weight_error=(6.0 * UNIT + 2.0 * sigma_error) * exponent
            + relative
            + 4.0 * UNIT * (1.0 + abs(math.log(total))),
            mass_quadrature=2.0 * mass_tail,
            log_tail=tilted + growth,
        )
