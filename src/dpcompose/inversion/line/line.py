r"""Reading the privacy profile off a line.

On $\Re z = t$ the profile is $\delta(\varepsilon) = T(\varepsilon) - \text{aliasing}$ with, exactly,

$$T(\varepsilon) = \frac{e^{K(t)-t\varepsilon}}{W}\Bigl[a_0 + \sum_{m\ge1}A_m\cos\bigl(\theta_m +
u_m(c-\varepsilon)\bigr)\Bigr],\qquad
  a_0 = \frac{\kappa(t)}{t(t+1)},\quad A_me^{i\theta_m} = \frac{2\varphi(u_m)\kappa(z_m)}{z_m(z_m+1)} ,$$

where $\varphi$ is the tilted characteristic function of the total loss centred at $c$ and $\kappa$ is 1 or a smoothing
multiplier. Everything is kept as logarithms, so $\delta = 10^{-300}$ is as good as $\delta = 10^{-3}$.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.line.reading import ErrorBudget, LineReading
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Floats, combined, inner, log_total


@dataclass(frozen=True, eq=False)
class Alias:
    r"""One side's aliasing, $e^{\text{constant} - \tau\varepsilon}$."""

    constant: float
    tau: float

    def log_size(self, epsilon: float) -> float:
        """Its logarithm at one ε, rounded up."""
        return (
            self.constant
            - self.tau * epsilon
            + 8.0 * UNIT_ROUNDOFF * (abs(self.constant) + abs(self.tau * epsilon))
            + 1e-12
        )


@dataclass(frozen=True, eq=False)
class Line:
    """One line with everything needed to certify what is read off it."""

    tilt: float
    spacing: float
    log_moment: float
    log_moment_error: float
    centre: float
    centre_error: float
    base: float
    base_error: float
    frequencies: Floats
    amplitude: Floats
    angle: Floats
    amplitude_error: Floats
    """Bound on the error of each complex coefficient, absolute."""
    tail: float
    """Bound on everything not summed, in units of the prefactor."""
    aliases: tuple[Alias, ...]

    @property
    def size(self) -> int:
        """How many frequencies are evaluated."""
        return self.frequencies.size

    @cached_property
    def _sums(self) -> tuple[float, float, float, float]:
        a = self.amplitude
        return (
            float(self.amplitude_error.sum()) + self.base_error,
            inner(a, self.frequencies),
            inner(a, np.abs(self.angle)),
            float(a.sum()) + abs(self.base),
        )

    def log_prefactor(self, epsilon: float) -> tuple[float, float]:
        r"""$K(t)-t\varepsilon-\ln W$ and a bound on its error."""
        product = self.tilt * epsilon
        value = self.log_moment - product + math.log(self.spacing / (2.0 * math.pi))
        return value, self.log_moment_error + UNIT_ROUNDOFF * (4.0 * abs(self.log_moment) + 6.0 * abs(product) + 40.0)

    def rounding(self, epsilon: float) -> float:
        r"""Rounding of the sum, in units of the prefactor.

        A coefficient's own error; its angle's, $u_m$ times the error of $c-\varepsilon$ plus two roundings; the
        cosine's; and $(n+4)$ roundings of the sum.
        """
        coefficient, moment, turn, size = self._sums
        shift = abs(self.centre - epsilon)
        angle = moment * (self.centre_error + 4.0 * UNIT_ROUNDOFF * shift) + 2.0 * UNIT_ROUNDOFF * turn
        return (coefficient + angle + (LIBM + (self.frequencies.size + 4) * UNIT_ROUNDOFF) * size) * SLACK

    def log_aliasing(self, epsilon: float) -> float:
        """All aliasing, as the logarithm of a bound on it."""
        return log_total([alias.log_size(epsilon) for alias in self.aliases]) + 1e-12

    def _value(self, epsilon: float) -> tuple[float, float]:
        most = self._sums[3] * SLACK
        if self.rounding(epsilon) > 2.0 * most:  # hides every cosine, and those of large angles take their time
            return most, 0.0
        effort.count(1000 + 8 * self.frequencies.size)
        angle = self.angle + self.frequencies * (self.centre - epsilon)
        value = self.base + inner(self.amplitude, np.cos(angle))
        derivative = inner(self.amplitude * self.frequencies, np.sin(angle))
        return value, derivative

    def read(self, epsilon: float) -> LineReading:
        """Certified bounds on ln δ(ε) from this line alone."""
        value, derivative = self._value(epsilon)
        return self._certify(epsilon, value, derivative)

    def _certify(self, epsilon: float, value: float, derivative: float) -> LineReading:
        log_scale, scale_error = self.log_prefactor(epsilon)
        error = self.rounding(epsilon) + self.tail
        alias = math.exp(min(self.log_aliasing(epsilon) - log_scale + scale_error, 700.0)) * SLACK
        upper, lower = value + error, value - error - alias
        return LineReading(
            log_scale - scale_error + math.log(lower) * (1.0 - math.copysign(LIBM, lower - 1.0))
            if lower > 0.0
            else -math.inf,
            log_scale + scale_error + math.log(upper) * (1.0 + math.copysign(LIBM, upper - 1.0))
            if upper > 0.0
            else math.inf,
            log_scale + math.log(value) if value > 0.0 else -math.inf,
            -self.tilt + derivative / value if value > 0.0 else -self.tilt,
        ).sound()

    def read_many(self, epsilons: Floats) -> list[LineReading]:
        """`read` for many ε at once: one matrix of cosines."""
        effort.count(6 * epsilons.size * self.frequencies.size)
        angle = np.multiply.outer(self.centre - epsilons, self.frequencies) + self.angle
        values = self.base + combined(np.cos(angle), self.amplitude)
        return [self._certify(e, v, 0.0) for e, v in zip(epsilons.tolist(), values.tolist(), strict=True)]

    def budget(self, epsilon: float) -> ErrorBudget:
        """The error terms at one ε."""
        value, _ = self._value(epsilon)
        log_scale, scale_error = self.log_prefactor(epsilon)
        size = abs(value) or 1.0
        return ErrorBudget(
            method="line",
            tilt=self.tilt,
            period=2.0 * math.pi / self.spacing,
            frequencies=self.frequencies.size,
            evaluated=self.frequencies.size,
            aliasing=math.exp(min(self.log_aliasing(epsilon) - log_scale, 700.0)) / size,
            truncation=self.tail / size,
            quadrature_and_rounding=self.rounding(epsilon) / size + scale_error,
            domain=0.0,
            smoothing=0.0,
            cancellation=self.log_moment - self.tilt * epsilon - log_scale - math.log(size),
        )


@dataclass(frozen=True, eq=False)
class Sandwich:
    """Two lines with the truth between them: smoothed upwards and smoothed downwards."""

    above: Line
    below: Line

    @property
    def tilt(self) -> float:
        """The tilt of the line."""
        return self.above.tilt

    @property
    def size(self) -> int:
        """How many frequencies are evaluated."""
        return 2 * self.above.size

    def read(self, epsilon: float) -> LineReading:
        """Certified bounds on ln δ at one ε."""
        upper, lower = self.above.read(epsilon), self.below.read(epsilon)
        middle = 0.5 * (upper.log_value + lower.log_value) if math.isfinite(lower.log_value) else upper.log_value
        return LineReading(min(lower.log_lower, upper.log_upper), upper.log_upper, middle, upper.slope)

    def read_many(self, epsilons: Floats) -> list[LineReading]:
        """`read` at many ε."""
        pairs = zip(self.above.read_many(epsilons), self.below.read_many(epsilons), strict=True)
        return [LineReading(low.log_lower, up.log_upper, up.log_value, up.slope) for up, low in pairs]

    def budget(self, epsilon: float) -> ErrorBudget:
        """The error terms at one ε."""
        upper, lower = self.above.budget(epsilon), self.below.budget(epsilon)
        difference = self.above.read(epsilon).log_value - self.below.read(epsilon).log_value
        return ErrorBudget(
            method="smoothed line",
            tilt=upper.tilt,
            period=upper.period,
            frequencies=upper.frequencies,
            evaluated=upper.evaluated,
            aliasing=max(upper.aliasing, lower.aliasing),
            truncation=max(upper.truncation, lower.truncation),
            quadrature_and_rounding=max(upper.quadrature_and_rounding, lower.quadrature_and_rounding),
            domain=0.0,
            smoothing=abs(difference) if math.isfinite(difference) else 1.0,
            cancellation=upper.cancellation,
        )
