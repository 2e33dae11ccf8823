r"""The Poisson-subsampled Gaussian mechanism: sensitivity 1, noise $\sigma$, sampling rate $q$.

$X(x) = 1-q+q\,e^{(x-1/2)/\sigma^2}$ is the likelihood ratio of $(1-q)N(0,\sigma^2)+qN(1,\sigma^2)$ to
$N(0,\sigma^2)$, with density $n$.
*Remove* a record: $P$ is the mixture, $L = \ln X$, $M(z) = \int nX^{1+z}$. *Add* one: $P = N(0,\sigma^2)$,
$L = -\ln X$,
$M(z) = \int nX^{-z}$. The quadrature is in `sampled_gaussian_rule`, the decay in `sampled_gaussian_decay`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import cast

import numpy as np

from dpcompose.inversion.cumulants import Cumulants
from dpcompose.inversion.decay import Layers
from dpcompose.inversion.direction import Direction
from dpcompose.inversion.gaussian import GaussianLoss
from dpcompose.inversion.loss import Loss, Summand
from dpcompose.inversion.nodes import TiltedNodes, quick_cumulants
from dpcompose.inversion.repeated import repeat
from dpcompose.inversion.rounding import LIBM, UNIT, Floats, nearest, short
from dpcompose.inversion.sampled_gaussian_decay import density_layers
from dpcompose.inversion.sampled_gaussian_rule import ends, quadrature_nodes
from dpcompose.inversion.window import WHOLE, Window
from dpcompose.numerics.enclosure import NOTHING, Ball, Enclosure, Real, ball, enclose


@dataclass(frozen=True)
class SampledGaussianLoss:
    """One step, or the part of it that a window shows: see `trimmed` and `bands`."""

    rate: Real
    noise_std: Real
    direction: Direction
    window: Window = WHOLE

    leak = NOTHING
    lattice = None

    @cached_property
    def numbers(self) -> tuple[float, float, float, float]:
        """Rate, its relative error, noise, its relative error."""
        return *nearest(self.rate), *nearest(self.noise_std)

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$: $1+t$ or $-t$."""
        return 1.0 + tilt if self.direction is Direction.REMOVE else -tilt

    @property
    def sign(self) -> float:
        r"""The sign of the loss against $\ln X$."""
        return 1.0 if self.direction is Direction.REMOVE else -1.0

    # ------------------------------------------------------------------ what is known without any transform

    @property
    def supremum(self) -> float:
        r"""*Add*: $-\ln(1-q)$. *Remove*: infinite."""
        if self.direction is Direction.REMOVE or self.rate >= 1:
            return math.inf
        return float(enclose(lambda: -(-ball(self.rate)).log1p()).upper)

    @property
    def total_variation(self) -> float:
        r"""$q$ times that of two normal laws at distance $1/\sigma$, which is at most
        $1/(\sigma\sqrt{2\pi})$ and at most 1.
        """
        q, _, sigma, _ = self.numbers
        return min(1.0, q * (1.0 + 1e-12), q * 0.398942280402 / sigma)

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Without sampling the mechanism only gets worse."""
        return [(GaussianLoss(1.0 / self.numbers[2] ** 2 * (1.0 + 1e-14)), 1)]

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[Summand]:
        """The sum of all these steps."""
        return repeat(cast(Sequence[tuple[SampledGaussianLoss, int]], parts))

    # ------------------------------------------------------------------ windows

    @cached_property
    def deficit(self) -> Enclosure:
        """The probability that the window hides."""
        window = self.window
        if window.is_open:
            return NOTHING

        def formula() -> Ball:
            q = ball(self.rate)
            part = window.mass if window.is_band else window.lost
            mixed = (1 - q) * part(0, self.noise_std) + q * part(1, self.noise_std)
            return 1 - mixed if window.is_band else mixed

        return enclose(formula, gap=1e-12) & Enclosure(0.0, 1.0)

    @property
    def trim_lost(self) -> float:
        """At least the probability that trimming took away."""
        return self.deficit.upper

    def trimmed(self, log_mass: float, sharpness: int = 3) -> SampledGaussianLoss:
        """Hide the far upper tail, about `exp(log_mass)` of it, fading over sigma / sharpness. Only
        *remove* has one.
        """
        if self.direction is Direction.ADD:
            return self
        fade = short(self.numbers[2] / sharpness)
        return replace(self, window=Window(cut=self._cut(log_mass, fade), fade=fade))

    def _cut(self, log_mass: float, fade: float) -> float:
        q, _, sigma, _ = self.numbers
        scale = math.hypot(sigma, fade) * math.sqrt(2.0)
        target = math.log(2.0) + min(log_mass, -1.0)

        def excess(cut: float) -> float:
            far = _log_erfc(cut / scale)
            return max(far, math.log(q) + _log_erfc((cut - 1.0) / scale)) - target

        low, high = -sigma, 1.0 + scale * (2.0 + math.sqrt(-target))
        for _ in range(30):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
        return short(high)

    def bands(self, log_mass: float) -> tuple[Sequence[SampledGaussianLoss], float]:
        """What the trimming hides, in bands about two sigma wide, but for about `exp(log_mass)`: at most
        the second value.

        Neighbouring windows share an edge and its fade, so bulk, bands and the rest add up to the law
        exactly.
        """
        floor, fade, sigma = self.window.cut, self.window.fade, self.numbers[2]
        cut = max(self._cut(log_mass, fade), floor + sigma)
        count = max(1, round((cut - floor) / (2.0 * sigma)))
        edges = [floor, *(short(e) for e in np.linspace(floor, cut, count + 1)[1:-1].tolist()), cut]
        bands = [replace(self, window=Window(a, b, fade)) for a, b in pairwise(edges)]
        return bands, replace(self, window=Window(cut=cut, fade=fade)).deficit.upper

    # ------------------------------------------------------------------ the law along x

    def log_ratio(self, x: Floats) -> tuple[Floats, Floats, Floats]:
        r"""$l = \ln X$, a bound on its error, and $g = qe^{(x-1/2)/\sigma^2}/X = \sigma^2 l'$.

        $l = \ln(1+q(e^a-1))$ keeps small $q$ accurate; $\ln((1-q)+qe^a)$ takes over where $X$ is small, and
        $a + \ln q$ where $e^a$
        overflows.
        """
        q, q_error, sigma, sigma_error = self.numbers
        a = (x - 0.5) / (sigma * sigma)
        a_error = (4.0 * UNIT + 2.0 * sigma_error) * np.abs(a)
        if q == 1.0:
            return a, a_error, np.ones_like(a)
        small = np.minimum(a, 600.0)
        y = q * np.expm1(small)
        ratio = (1.0 - q) + q * np.exp(small)
        near = y > -0.5
        l = np.where(near, np.log1p(np.maximum(y, -0.5)), np.log(ratio))  # noqa: E741
        g = q * np.exp(small) / ratio
        relative = np.where(near, np.abs(y) / ratio, 1.0)
        error = a_error * g + relative * (LIBM + 3.0 * UNIT) + q_error * np.abs(y) / ratio + LIBM * np.abs(l)
        if a[-1] > 600.0:
            l = np.where(a > 600.0, a + math.log(q), l)  # noqa: E741
            error = np.where(a > 600.0, a_error + (LIBM + q_error) * (1.0 - math.log(q)) + UNIT * np.abs(l), error)
        return l, error, g

    def log_density(self, x: Floats, r: float) -> Floats:
        r"""$\ln(nX^r\chi)$, a quick value."""
        sigma = self.numbers[2]
        constant = math.log(sigma * math.sqrt(2.0 * math.pi))
        return r * self.log_ratio(x)[0] - 0.5 * (x / sigma) ** 2 - constant + self.window.log_value(x)[0]

    # ------------------------------------------------------------------ the loss, for the engine

    def cumulants(self, tilt: float) -> Cumulants:
        """Quick values."""
        losses, log_weights = _quick_nodes(self, math.ceil(math.log(max(tilt, 1.0), 4.0)))
        return quick_cumulants(losses, log_weights, tilt)

    def step(self, tilt: float, reach: float, error: float) -> TiltedNodes:
        """The certified law of one step at this tilt."""
        return TiltedNodes(quadrature_nodes(self, tilt, reach, error), tilt)

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:
        """Uniform pieces under the density, for its decay."""
        return density_layers(self, tilt, log_moment)


def _log_erfc(z: float) -> float:
    if z > 20.0:
        return -z * z - math.log(z * 1.7724538509)
    return math.log(math.erfc(z))


@lru_cache(maxsize=1 << 15)
def _quick_nodes(loss: SampledGaussianLoss, power: int) -> tuple[Floats, Floats]:
    """Nodes good to about six digits for every tilt up to 4^power."""
    left, right = ends(loss, loss.exponent(4.0**power), 18.0)
    sigma = loss.numbers[2]
    step = min(sigma / 4.0, 0.97 * math.pi * sigma**2 * 2.0 * math.pi / 22.0)
    x = np.linspace(left, right, min(3000, max(32, math.ceil((right - left) / step))))
    log_weights = loss.log_density(x, loss.exponent(0.0)) + math.log(x[1] - x[0])
    return loss.sign * loss.log_ratio(x)[0], log_weights
