r"""The mixture of two normal laws behind a Gaussian on a sample, and the part of it that a window shows.

$X(x) = 1-q+q\,e^{(x-1/2)/\sigma^2}$ is the likelihood ratio of $(1-q)N(0,\sigma^2)+qN(1,\sigma^2)$ to $N(0,\sigma^2)$.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from dpcompose.inversion.losses.poisson_ratio import LogRatio, PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.inversion.losses.window import WHOLE, Window
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Floats, nearest


class VisiblePart(Protocol):
    """The part of the line that a window shows; of one law, or of many, one a row."""

    @property
    def cut(self) -> Any:
        """The upper end of the part."""

    @property
    def fade(self) -> Any:
        """The width over which it fades at an end."""

    @property
    def floor(self) -> float:
        """The lower end of the part."""

    @property
    def is_open(self) -> bool:
        """Whether this window is the whole line."""

    @property
    def is_band(self) -> bool:
        """Whether this window leaves out the bulk."""

    def log_value(self, x: Floats) -> tuple[Floats, Floats]:
        r"""$\ln\chi$ and a bound on its error."""

    def quick_log_value(self, x: Floats) -> Floats:
        r"""$\ln\chi$ alone, a quick value."""

    def hazard(self, x: Floats) -> Floats:
        r"""$-(\ln\chi)'$ at the upper edge, increasing in $x$."""

    def strip_exponent(self, width: float | Floats) -> float | Floats:
        r"""$\ln$ of how much $|\chi|$ can grow within $|y| \le a$."""


class Density(Protocol):
    """One law along its output x, or a column of laws with a row of places for each."""

    @property
    def numbers(self) -> tuple[Any, Any, Any, Any]:
        """Rate, its relative error, noise, its relative error."""

    @property
    def window(self) -> VisiblePart:
        """What is shown of it."""

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$: $1+t$ or $-t$."""

    def log_ratio(self, x: Floats) -> LogRatio:
        r"""$l = \ln X$, an upper bound on its error, and $g = \sigma^2 l'$."""

    def log_density(self, x: Floats, r: float) -> Floats:
        r"""$\ln(nX^r\chi)$, a quick value."""


@dataclass(frozen=True)
class SampledGaussianDensity:
    """The law of one step along its output x."""

    rate: Real
    noise_std: Real
    direction: Direction
    window: Window = WHOLE

    @cached_property
    def numbers(self) -> tuple[float, float, float, float]:
        """Rate, its relative error, noise, its relative error."""
        return *nearest(self.rate), *nearest(self.noise_std)

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$: $1+t$ or $-t$."""
        return self.direction.exponent(tilt)

    @property
    def sign(self) -> float:
        r"""The sign of the loss against $\ln X$."""
        return self.direction.sign

    @cached_property
    def deficit(self) -> Enclosure:
        """The probability that the window hides."""
        window = self.window
        if window.is_open:
            return ZERO

        def formula() -> Ball:
            q = ball(self.rate)
            part = window.mass if window.is_band else window.lost
            mixed = (1 - q) * part(0, self.noise_std) + q * part(1, self.noise_std)
            return 1 - mixed if window.is_band else mixed

        return enclose(formula, gap=1e-12) & Enclosure(0.0, 1.0)

    @cached_property
    def _ratio(self) -> PoissonRatio:
        return PoissonRatio(self.rate)

    def log_ratio(self, x: Floats) -> LogRatio:
        r"""$l = \ln X$, an upper bound on its error, and $g = qe^{(x-1/2)/\sigma^2}/X = \sigma^2 l'$."""
        _, _, sigma, sigma_error = self.numbers
        a = (x - 0.5) / (sigma * sigma)
        return self._ratio.log(a, (4.0 * UNIT_ROUNDOFF + 2.0 * sigma_error) * np.abs(a))

    def quick_log_ratio(self, x: Floats) -> Floats:
        r"""$\ln X$ at rising $x$, a quick value."""
        sigma = self.numbers[2]
        return self._ratio.quick_log((x - 0.5) / (sigma * sigma))

    def log_density(self, x: Floats, r: float) -> Floats:
        r"""$\ln(nX^r\chi)$, a quick value."""
        sigma = self.numbers[2]
        constant = math.log(sigma * math.sqrt(2.0 * math.pi))
        return r * self.quick_log_ratio(x) - 0.5 * (x / sigma) ** 2 - constant + self.window.quick_log_value(x)
