r"""Discrete Gaussian noise of some width, tilted: by Poisson's formula it is the continuous one, almost.

Under the tilt $t$ the noise is centred at $-t\Delta$, and with $\mu = \Delta/\sigma$ and $c = (t+\frac12)\mu^2$

$$\mathrm{E}_te^{iu(L-c)} = \frac1{\vartheta_t}\sum_ne^{2\pi int\Delta}e^{-\sigma^2(u\Delta/\sigma^2+2\pi n)^2/2},\qquad
  \mathrm{E}e^{tL} = e^{t(t+1)\mu^2/2}\,\frac{\vartheta_t}{\vartheta_0},\qquad
  \vartheta_t = \sum_ne^{2\pi int\Delta}e^{-2\pi^2\sigma^2n^2}.$$

With the period $W = 2\pi\sigma^2/\Delta$ of the lattice and $m = -n$ the whole number nearest to $u/W$, the term of $n$
is $e^{-2\pi imt\Delta}e^{-\mu^2(u-mW)^2/2}$, and all others add up to less than $3e^{-\pi^2\sigma^2/2}$: below any
rounding once $\sigma \ge$ `WIDE`. No atom is ever listed.
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
        error += math.sqrt(self._mu_squared) * doubt + size * 16.0 * UNIT * turns
        error = (error + self._relative * u * self.centre + 4.0 * self._others) * SLACK
        return excess + 1j * (size * np.sin(angle)), error

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:
        """A bound on the logarithm of the modulus."""
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
