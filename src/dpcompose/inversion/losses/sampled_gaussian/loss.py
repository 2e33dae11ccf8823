r"""The Poisson-subsampled Gaussian mechanism: sensitivity 1, noise $\sigma$, sampling rate $q$.

$X(x) = 1-q+q\,e^{(x-1/2)/\sigma^2}$ is the likelihood ratio of $(1-q)N(0,\sigma^2)+qN(1,\sigma^2)$ to
$N(0,\sigma^2)$, with density $n$.
*Remove* a record: $P$ is the mixture, $L = \ln X$, $M(z) = \int nX^{1+z}$. *Add* one: $P = N(0,\sigma^2)$,
$L = -\ln X$,
$M(z) = \int nX^{-z}$. The quadrature is in `quadrature`, the decay in `decay`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import cast

import numpy as np

from dpcompose.inversion.losses.decay import Layers
from dpcompose.inversion.losses.gaussian import GaussianLoss
from dpcompose.inversion.losses.nodes import TiltedNodes, quick_cumulants
from dpcompose.inversion.losses.protocols import Cumulants, Direction, Loss, LossSum
from dpcompose.inversion.losses.repeated import repeat
from dpcompose.inversion.losses.sampled_gaussian.decay import density_layers
from dpcompose.inversion.losses.sampled_gaussian.density import SampledGaussianDensity
from dpcompose.inversion.losses.sampled_gaussian.quadrature import ends, quadrature_nodes, widest_ends
from dpcompose.inversion.losses.window import Window
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real, ball, enclose
from dpcompose.numerics.rounding import Floats, short
from dpcompose.numerics.search import root

QUICK_NODES = 500
"""Above this number of nodes it pays to look where the law lies."""


@lru_cache(maxsize=1024)
def _greatest_added(rate: Real) -> float:
    r"""An upper bound on $-\ln(1-q)$, the greatest loss when a record is added."""
    return float(enclose(lambda: -(-ball(rate)).log1p()).upper)


@dataclass(frozen=True)
class SampledGaussianLoss(SampledGaussianDensity):
    """One step, or the part of it that a window shows: see `trimmed` and `bands`."""

    leak = ZERO
    lattice = None

    # ------------------------------------------------------------------ what is known without any transform

    @property
    def supremum(self) -> float:
        r"""*Add*: $-\ln(1-q)$. *Remove*: infinite."""
        return math.inf if self.direction is Direction.REMOVE or self.rate >= 1 else _greatest_added(self.rate)

    @property
    def is_unbounded(self) -> bool:
        """Whether some finite loss exceeds every number: *remove*, unless the far tail is hidden."""
        return self.direction is Direction.REMOVE and self.rate > 0 and self.window.is_open

    @property
    def total_variation(self) -> float:
        r"""$q$ times that of two normal laws at distance $1/\sigma$, which is at most $1/(\sigma\sqrt{2\pi})$ and at
        most 1.
        """
        q, _, sigma, _ = self.numbers
        return min(1.0, q * (1.0 + 1e-12), q * 0.398942280402 / sigma)

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Without sampling the mechanism only gets worse."""
        return [(GaussianLoss(1.0 / self.numbers[2] ** 2 * (1.0 + 1e-14)), 1)]

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of all these steps."""
        return repeat(cast(Sequence[tuple[SampledGaussianLoss, int]], parts))

    # ------------------------------------------------------------------ windows

    @property
    def trim_lost(self) -> float:
        """An upper bound on the probability removed by trimming."""
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

        return short(root(excess, -sigma, 1.0 + scale * (2.0 + math.sqrt(-target)), 1e-8))

    def bands(self, log_mass: float) -> tuple[Sequence[SampledGaussianLoss], float]:
        """What the trimming hides, in bands about two sigma wide, but for about `exp(log_mass)`: at most the second
        value.

        Neighbouring windows share an edge and its fade, so bulk, bands and the rest add up to the law exactly.
        """
        floor, fade, sigma = self.window.cut, self.window.fade, self.numbers[2]
        cut = max(self._cut(log_mass, fade), floor + sigma)
        count = max(1, round((cut - floor) / (2.0 * sigma)))
        edges = [floor, *(short(e) for e in np.linspace(floor, cut, count + 1)[1:-1].tolist()), cut]
        bands = [replace(self, window=Window(a, b, fade)) for a, b in pairwise(edges)]
        return bands, replace(self, window=Window(cut=cut, fade=fade)).deficit.upper

    # ------------------------------------------------------------------ the loss, for the engine

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return quick_cumulants(*_quick_nodes(self, max(math.ceil(math.log(tilt, 16.0)), 1)), tilt)

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
    """Nodes good to about six digits for every tilt up to 16^power."""
    r, sigma = loss.exponent(16.0**power), loss.numbers[2]
    step = min(sigma / 4.0, 0.97 * math.pi * sigma**2 * 2.0 * math.pi / 22.0)
    left, right = widest_ends(loss, r, 18.0)  # mostly not too far apart, and quick to find
    if right - left > QUICK_NODES * step:
        left, right = ends(loss, r, 18.0)
    x = np.linspace(left, right, min(3000, max(32, math.ceil((right - left) / step))))
    log_weights = loss.log_density(x, loss.exponent(0.0)) + math.log(x[1] - x[0])
    return loss.sign * loss.log_ratio(x)[0], log_weights
