r"""A smooth window on the line: $\chi(x) = \Phi((b-x)/w) - \Phi((a-x)/w)$, the indicator of $[a,b]$ blurred by a
normal law.

It is entire, and $|\chi(x+iy)| \le \chi(x)e^{y^2/2w^2}$, because it is the integral of a normal density over an
interval. So it can trim a law, or cut a band out of it, without spoiling the exponential convergence of the trapezoid
rule, as a sharp cut would.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, Integers
from dpcompose.numerics.special import erfcx

ERFCX = 64.0 * UNIT_ROUNDOFF
"""Relative error granted to `erfcx` (proven: 16 units; measured, for many values at once: 15)."""


@dataclass(frozen=True)
class Window:
    """From `floor` to `cut`, both possibly infinite."""

    floor: float = -math.inf
    cut: float = math.inf
    fade: float = 1.0

    @property
    def is_open(self) -> bool:
        """Whether this window is the whole line."""
        return math.isinf(self.floor) and math.isinf(self.cut)

    @property
    def is_band(self) -> bool:
        """Whether this window leaves out the bulk."""
        return math.isfinite(self.floor)

    def log_value(self, x: Floats) -> tuple[Floats, Floats]:
        r"""$\ln\chi$ and a bound on its error. On each side of the window the nearer edge dominates the difference."""
        if self.is_open:
            return np.zeros_like(x), np.zeros_like(x)
        if not self.is_band:
            return log_edge(x, self.cut, self.fade)
        right = x > (0.5 * (self.floor + self.cut) if math.isfinite(self.cut) else math.inf)
        # Right of the middle: Φ((b-x)/w) minus the smaller Φ((a-x)/w); left of it: the same mirrored.
        near, near_error = log_edge(np.where(right, x, -x), np.where(right, self.cut, -self.floor), self.fade)
        far, _ = log_edge(np.where(right, x, -x), np.where(right, self.floor, -self.cut), self.fade)
        ratio = np.exp(np.minimum(far - near, -1e-3))
        return near + np.log1p(-ratio), (near_error + LIBM) * (1.0 + 4.0 * ratio / (1.0 - ratio))

    def quick_log_value(self, x: Floats) -> Floats:
        r"""$\ln\chi$ alone, a quick value."""
        return self.log_value(x)[0] if self.is_open or self.is_band else _at_edge(x, self.cut, self.fade)[0]

    def hazard(self, x: Floats) -> Floats:
        r"""$-\tfrac{d}{dx}\ln\Phi((b-x)/w)$, increasing in $x$."""
        return np.zeros_like(x) if math.isinf(self.cut) else hazard_of_edge(x, self.cut, self.fade)

    def most_hazard(self, x: Floats) -> Floats:
        r"""An upper bound on it, at a glance: $\varphi(\xi)/\Phi(-\xi) \le \xi^++1$."""
        return (np.maximum(x - self.cut, 0.0) / self.fade + 1.0) / self.fade if math.isfinite(self.cut) else 0.0 * x

    def strip_exponent(self, width: float | Floats) -> float | Floats:
        r"""$\ln$ of how much $|\chi|$ can grow within $|y| \le a$."""
        return 0.0 if self.is_open else 0.5 * (width / self.fade) ** 2

    def mass(self, mean: int, noise: Real) -> Ball:
        r"""$\int\chi\,dN(m,\sigma^2)$, exactly: a normal law blurred by a normal law, so $s^2 = \sigma^2+w^2$."""
        sigma, fade = ball(noise), ball(self.fade)
        scale = (2 * (sigma * sigma + fade * fade)).sqrt()
        return (self._beyond(self.floor, mean, scale) - self._beyond(self.cut, mean, scale)) / 2

    def lost(self, mean: int, noise: Real) -> Ball:
        r"""$\int(1-\chi)\,dN(m,\sigma^2)$ for a window that is open to the left."""
        sigma, fade = ball(noise), ball(self.fade)
        return self._beyond(self.cut, mean, (2 * (sigma * sigma + fade * fade)).sqrt()) / 2

    @staticmethod
    def _beyond(edge: float, mean: int, scale: Ball) -> Ball:
        if math.isinf(edge):
            return ball(2 if edge < 0.0 else 0)
        return ((ball(edge) - mean) / scale).erfc()


def log_edge(x: Floats, cut: float | Floats, fade: float | Floats) -> tuple[Floats, Floats]:
    r"""$\ln\Phi((c-x)/w)$ and a bound on its error, for one edge or a column of them."""
    value, outside, square, tail = _at_edge(x, cut, fade)
    error = (ERFCX + 4.0 * LIBM) * (1.0 + square)
    return value, np.where(outside, error, 2.0 * tail * error + LIBM * np.abs(value))


def _at_edge(x: Floats, cut: float | Floats, fade: float | Floats) -> tuple[Floats, NDArray[np.bool_], Floats, Floats]:
    r"""$\ln\Phi((c-x)/w)$ through `erfcx`: $\Phi(-\xi) = \tfrac12e^{-\xi^2/2}\,\mathrm{erfcx}(\xi/\sqrt2)$.

    Beside it, for its error: where $x > c$, $\xi^2/2$, and the smaller of the two tails.
    """
    y = (x - cut) / (fade * math.sqrt(2.0))
    size = np.minimum(np.abs(y), 1e8)
    scaled, square, outside = erfcx(size), size * size, y > 0.0
    tail = 0.5 * np.exp(-square) * scaled
    inside = np.log1p(-np.minimum(tail, 0.5))
    return np.where(outside, math.log(0.5) - square + np.log(scaled), inside), outside, square, tail


def hazard_of_edge(x: Floats, cut: float | Floats, fade: float | Floats) -> Floats:
    """The same as `Window.hazard`, for one edge or a column of them."""
    y = (x - cut) / (fade * math.sqrt(2.0))
    ratio: Floats = math.sqrt(2.0 / math.pi) / (erfcx(np.maximum(y, -25.0)) * fade)
    return ratio


@dataclass(frozen=True, eq=False)
class EdgeColumn:
    """A window open to the left, with an edge of its own for each row."""

    cut: Floats
    fade: Floats

    floor = -math.inf
    is_open = False
    is_band = False

    def only(self, rows: Integers) -> EdgeColumn:
        """Some of the rows."""
        return EdgeColumn(self.cut[rows], self.fade[rows])

    def log_value(self, x: Floats) -> tuple[Floats, Floats]:
        r"""$\ln\chi$ and a bound on its error."""
        return log_edge(x, self.cut, self.fade)

    def quick_log_value(self, x: Floats) -> Floats:
        r"""$\ln\chi$ alone."""
        return self.log_value(x)[0]

    def hazard(self, x: Floats) -> Floats:
        r"""$-(\ln\chi)'$, increasing in $x$."""
        return hazard_of_edge(x, self.cut, self.fade)

    def most_hazard(self, x: Floats) -> Floats:
        r"""An upper bound on it, at a glance: $\varphi(\xi)/\Phi(-\xi) \le \xi^++1$."""
        found: Floats = (np.maximum(x - self.cut, 0.0) / self.fade + 1.0) / self.fade
        return found

    def strip_exponent(self, width: float | Floats) -> float | Floats:
        r"""$\ln$ of how much $|\chi|$ can grow within $|y| \le a$."""
        return 0.5 * (width / self.fade) ** 2


WHOLE = Window()
"""The window that hides nothing."""
