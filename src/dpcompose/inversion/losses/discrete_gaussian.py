r"""The discrete Gaussian mechanism: integer noise with $P(x) \propto e^{-x^2/2\sigma^2}$, an integer query of
sensitivity $\Delta$.

The loss $(\Delta^2-2\Delta x)/2\sigma^2$ lives on a lattice of span $\Delta/\sigma^2$; tilting by $t$ moves the noise
to $-t\Delta$. Atoms near 0 and near the tilted centre are the nodes; Gaussian tails bound the others. Both orders of
the pair have the same profile.

Discrete Gaussian noise of some width, tilted: by Poisson's formula it is the continuous one, almost.

Under the tilt $t$ the noise is centred at $-t\Delta$, and with $\mu = \Delta/\sigma$ and $c = (t+\frac12)\mu^2$

$$\mathrm{E}_te^{iu(L-c)} = \frac1{\vartheta_t}\sum_ne^{2\pi int\Delta}e^{-\sigma^2(u\Delta/\sigma^2+2\pi n)^2/2},\qquad
  \mathrm{E}e^{tL} = e^{t(t+1)\mu^2/2}\,\frac{\vartheta_t}{\vartheta_0},\qquad
  \vartheta_t = \sum_ne^{2\pi int\Delta}e^{-2\pi^2\sigma^2n^2}.$$

With the period $W = 2\pi\sigma^2/\Delta$ of the lattice and $m = -n$ the whole number nearest to $u/W$, the term of
$n$ is $e^{-2\pi imt\Delta}e^{-\mu^2(u-mW)^2/2}$, and all others add up to less than $3e^{-\pi^2\sigma^2/2}$: below any
rounding once $\sigma \ge$ `WIDE`. No atom is ever listed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.losses.decay import NO_DECAY, Layers
from dpcompose.inversion.losses.nodes import Nodes, TiltedNodes, quick_cumulants
from dpcompose.inversion.losses.protocols import Cumulants, Lattice, Loss, LossSum, TiltedStep
from dpcompose.inversion.losses.repeated import repeat
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Complexes, Floats, Integers, multiples, nearest
from dpcompose.numerics.unreachable import TooManyNodes

MOST_ATOMS = 2_000_000


@dataclass(frozen=True)
class DiscreteGaussianLoss:
    """One step of discrete Gaussian noise."""

    noise_std: Real
    sensitivity: int = 1

    leak = ZERO
    supremum = math.inf
    total_variation = 1.0
    trim_lost = 0.0

    @property
    def is_unbounded(self) -> bool:
        """Whether some finite loss exceeds every number: wherever anything is lost."""
        return self.sensitivity > 0

    @cached_property
    def _number(self) -> tuple[float, float]:
        return nearest(self.noise_std)

    @property
    def lattice(self) -> Lattice:
        r"""$\Delta^2/2\sigma^2 + (\Delta/\sigma^2)\mathbb Z$."""
        sigma, error = self._number
        span = self.sensitivity / sigma**2
        return Lattice(0.5 * self.sensitivity * span, span, 4.0 * UNIT_ROUNDOFF + 2.0 * error)

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of all these steps."""
        return repeat([p for p in cast(Sequence[tuple[DiscreteGaussianLoss, int]], parts) if p[0].sensitivity])

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Steps of a simpler kind that together cost at least as much."""
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

    def step(self, tilt: float, reach: float, error: float) -> TiltedStep:  # noqa: ARG002 - no quadrature
        """The certified law of one step at this tilt."""
        sigma, sigma_error = self._number
        if sigma >= WIDE:
            return WideDiscreteGaussian(sigma, sigma_error, self.sensitivity, tilt)
        return TiltedNodes(self.nodes(tilt, 10.0 - math.log(error)), tilt)

    def nodes(self, tilt: float, depth: float) -> Nodes:
        r"""The atoms within $\sigma\sqrt{2\,\text{depth}}$ of 0 or of $-t\Delta$ (all between, if those overlap).

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
        effort.count(50 * x.size)
        exponent = 0.5 * (x / sigma) ** 2
        near = np.arange(-radius, radius + 1, dtype=np.float64)
        total = math.fsum(np.exp(-0.5 * (near / sigma) ** 2).tolist())
        losses = self.sensitivity * (0.5 * self.sensitivity - x) / sigma**2
        beyond = math.log(2.0) - 0.5 * (radius / sigma) ** 2 - math.log(-math.expm1(-radius / sigma**2))
        mass_tail = math.exp(beyond)
        relative = LIBM + 60.0 * UNIT_ROUNDOFF + 4.0 * sigma_error + mass_tail
        # The tilted tail: Σ e^{tl-x²/2σ²} about its own centre, which rounding moved by at most 1/2.
        off = (radius - 0.5) / sigma
        tilted = math.log(2.0) - 0.5 * off * off - math.log(-math.expm1(-off / sigma))
        growth = 0.5 * tilt * (tilt + 1.0) * (self.sensitivity / sigma) ** 2
        return Nodes(
            losses=losses,
            loss_error=(6.0 * UNIT_ROUNDOFF + 2.0 * sigma_error) * np.abs(losses),
            log_weights=-exponent - math.log(total),
            weight_error=(6.0 * UNIT_ROUNDOFF + 2.0 * sigma_error) * exponent
            + relative
            + 4.0 * UNIT_ROUNDOFF * (1.0 + abs(math.log(total))),
            mass_quadrature=2.0 * mass_tail,
            log_tail=tilted + growth,
        )


WIDE = 6.0


@dataclass(frozen=True, eq=False)
class WideDiscreteGaussian:
    """One step at one tilt."""

    noise_std: float
    noise_error: float
    sensitivity: int
    tilt: float

    is_exact = True

    def beside(self, tilt: float) -> WideDiscreteGaussian:
        """The same at another tilt."""
        return replace(self, tilt=tilt)

    @property
    def _mu_squared(self) -> float:
        return (self.sensitivity / self.noise_std) ** 2

    @property
    def _relative(self) -> float:
        """The relative error of μ² and of what is computed from it."""
        return 8.0 * UNIT_ROUNDOFF + 2.0 * self.noise_error

    @property
    def _others(self) -> float:
        """An upper bound on the sum of all terms but the first, in either sum."""
        return 3.0 * math.exp(-0.5 * (math.pi * self.noise_std) ** 2)

    @property
    def log_moment(self) -> float:
        r"""$t(t+1)\mu^2/2$."""
        return 0.5 * self.tilt * (self.tilt + 1.0) * self._mu_squared

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        return (self._relative * self.log_moment + 4.0 * self._others) * SLACK

    @property
    def centre(self) -> float:
        r"""$(t+\frac12)\mu^2$."""
        return (self.tilt + 0.5) * self._mu_squared

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""The nearest term less 1."""
        u = multiples(spacing, indices)
        periods, distance, doubt = self._nearest(u)
        exponent = 0.5 * distance * distance * self._mu_squared
        turns = periods * (self.tilt * self.sensitivity)
        angle = -2.0 * math.pi * (turns - np.rint(turns))
        size = np.exp(-exponent)
        excess = np.where(periods > 0.0, size * np.cos(angle) - 1.0, np.expm1(-exponent))
        error = LIBM * np.where(periods > 0.0, 2.0, np.abs(excess)) + self._relative * np.minimum(exponent, 1.0)
        # e^{-μ²d²/2} changes by at most μ for a unit of d, and a turn is off by one rounding of itself.
        error += math.sqrt(self._mu_squared) * doubt + size * 16.0 * UNIT_ROUNDOFF * turns
        error = (error + self._relative * u * self.centre + 4.0 * self._others) * SLACK
        return excess + 1j * (size * np.sin(angle)), error

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:
        r"""Upper bounds on $\ln|\varphi|$, frequency by frequency."""
        _, distance, doubt = self._nearest(multiples(spacing, indices))
        least = np.maximum(np.abs(distance) - doubt, 0.0)
        exponent = 0.5 * least * least * self._mu_squared * (1.0 - 1e-12)
        bound = np.logaddexp(-exponent, math.log(4.0) - 0.5 * (math.pi * self.noise_std) ** 2) + 1e-12
        return np.minimum(bound, 0.0)

    def _nearest(self, u: Floats) -> tuple[Floats, Floats, Floats]:
        """How many periods the frequency is away, the distance from there, and how far that may be off."""
        period = 2.0 * math.pi * self.noise_std**2 / self.sensitivity
        periods = np.rint(u / period)
        return periods, u - periods * period, periods * period * (2.0 * self._relative)


__all__ = ["WIDE", "WideDiscreteGaussian"]
