r"""Discrete Gaussian noise of some width, tilted: by Poisson's formula it is the continuous one, almost.

Under the tilt $t$ the noise is centred at $-t\Delta$, and with $\mu = \Delta/\sigma$ and $c = (t+\frac12)\mu^2$

$$\mathrm{E}_te^{iu(L-c)} = \frac1{\vartheta_t}\sum_ne^{2\pi int\Delta}e^{-\sigma^2(u\Delta/\sigma^2+2\pi n)^2/2},\qquad
  \mathrm{E}e^{tL} = e^{t(t+1)\mu^2/2}\,\frac{\vartheta_t}{\vartheta_0},\qquad
  \vartheta_t = \sum_ne^{2\pi int\Delta}e^{-2\pi^2\sigma^2n^2}.$$

Up to half a period of the lattice, $|u| \le \pi\sigma^2/\Delta$, all terms but $n=0$ add up to less than
$3e^{-\pi^2\sigma^2/2}$: below any rounding once $\sigma \ge$ `WIDE`. No atom is ever listed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcompose.inversion.rounding import LIBM, SLACK, UNIT, Complexes, Floats, Integers, multiples

WIDE = 6.0


@dataclass(frozen=True, eq=False)
class WideDiscreteGaussian:
    """One step at one tilt."""

    noise_std: float
    noise_error: float
    sensitivity: int
    tilt: float

    @property
    def _mu_squared(self) -> float:
        return (self.sensitivity / self.noise_std) ** 2

    @property
    def _relative(self) -> float:
        """The relative error of μ² and of what is computed from it."""
        return 8.0 * UNIT + 2.0 * self.noise_error

    @property
    def _others(self) -> float:
        """At least all terms but the first, of either sum."""
        return 3.0 * math.exp(-0.5 * (math.pi * self.noise_std) ** 2)

    @property
    def log_moment(self) -> float:
        r"""$t(t+1)\mu^2/2$."""
        return 0.5 * self.tilt * (self.tilt + 1.0) * self._mu_squared

    @property
    def log_moment_error(self) -> float:
        """A bound on its error."""
        return (self._relative * self.log_moment + 4.0 * self._others) * SLACK

    @property
    def centre(self) -> float:
        r"""$(t+\frac12)\mu^2$."""
        return (self.tilt + 0.5) * self._mu_squared

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$e^{-u^2\mu^2/2}-1$; beyond half a period nothing is said."""
        u = multiples(spacing, indices)
        exponent = 0.5 * u * u * self._mu_squared
        excess = np.expm1(-exponent)
        error = LIBM * np.abs(excess) + self._relative * np.minimum(exponent, 1.0)
        error = (error + self._relative * u * self.centre + 4.0 * self._others) * SLACK
        inside = self._is_inside(u)
        return np.where(inside, excess, -1.0).astype(np.complex128), np.where(inside, error, 1.0 + 1e-9)

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:
        """A bound on the logarithm of the modulus."""
        u = multiples(spacing, indices)
        exponent = 0.5 * u * u * self._mu_squared * (1.0 - 1e-12)
        bound = np.logaddexp(-exponent, math.log(4.0) - 0.5 * (math.pi * self.noise_std) ** 2) + 1e-12
        return np.where(self._is_inside(u), np.minimum(bound, 0.0), 0.0)

    def _is_inside(self, u: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        return u * self.sensitivity <= math.pi * self.noise_std**2 * (1.0 - 1e-9)


__all__ = ["WIDE", "WideDiscreteGaussian"]
