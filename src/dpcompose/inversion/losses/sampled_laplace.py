r"""The Poisson-subsampled Laplace mechanism: $\varepsilon_0$ = sensitivity / scale, sampling rate $q$.

Let $l \in [-\varepsilon_0,\varepsilon_0]$ be the loss without sampling. Under the law without the record it has atoms
$\frac12e^{-\varepsilon_0}$ at $\varepsilon_0$ and $\frac12$ at $-\varepsilon_0$, and the density
$\frac14e^{-(l+\varepsilon_0)/2}$. With $X = 1-q+qe^l$ the loss is $\ln X$ when removing (weights times $X$) and $-\ln
X$ when adding. $X$ has no zero for $|\Im l| < \pi$, so Gauss–Legendre panels converge geometrically.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.losses.decay import Layers, level_sets
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.nodes import Nodes, TiltedNodes, quick_cumulants
from dpcompose.inversion.losses.poisson_ratio import LogRatio, PoissonRatio
from dpcompose.inversion.losses.protocols import Cumulants, Direction, Loss, LossSum
from dpcompose.inversion.losses.repeated import repeat
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real, ball, enclose
from dpcompose.numerics.legendre import RADII, log_error, on_ladder, panels
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, nearest
from dpcompose.numerics.unreachable import TooManyNodes

MOST_PANELS = 800
CELLS = 192


@dataclass(frozen=True)
class SampledLaplaceLoss:
    r"""One step; `size` is $\varepsilon_0$."""

    size: Real
    rate: Real
    direction: Direction

    leak = ZERO
    lattice = None
    trim_lost = 0.0

    @cached_property
    def _numbers(self) -> tuple[float, float, float, float]:
        return *nearest(self.size), *nearest(self.rate)

    @property
    def sign(self) -> float:
        """The sign of the loss against ln X."""
        return self.direction.sign

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$."""
        return self.direction.exponent(tilt)

    @property
    def supremum(self) -> float:
        r"""$\ln(1-q+qe^{\varepsilon_0})$, or $-\ln(1-q+qe^{-\varepsilon_0})$."""
        end = ball(self.size) if self.direction is Direction.REMOVE else -ball(self.size)
        return enclose(lambda: ball(self.sign) * self._ratio.log_in_balls(end)).upper

    @property
    def total_variation(self) -> float:
        r"""$q(1-e^{-\varepsilon_0/2})$."""
        e, _, q, _ = self._numbers
        return min(1.0, -q * math.expm1(-0.5 * e) * (1.0 + 1e-12))

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """The Laplace mechanism without sampling, which costs at least as much."""
        return [(LaplaceLoss(self.size), 1)]

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of all these steps."""
        members = cast(Sequence[tuple[SampledLaplaceLoss, int]], parts)
        return repeat([m for m in members if m[0].size > 0 and m[0].rate > 0])

    def trimmed(self, log_mass: float, sharpness: int) -> SampledLaplaceLoss:  # noqa: ARG002 - bounded loss
        """The step itself: its loss is bounded, so there is no far tail to take away."""
        return self

    def bands(self, log_mass: float) -> tuple[Sequence[SampledLaplaceLoss], float]:  # noqa: ARG002
        """Nothing: trimming hides nothing."""
        return [], 0.0

    @cached_property
    def _ratio(self) -> PoissonRatio:
        return PoissonRatio(self.rate)

    def _log_ratio(self, l: Floats) -> LogRatio:  # noqa: E741
        r"""$\ln X$ with an upper bound on its error, given $l$ up to a few roundings of $\varepsilon_0$."""
        e, e_error, _, _ = self._numbers
        return self._ratio.log(l, (8.0 * UNIT_ROUNDOFF + e_error) * e)

    def _nodes(self, count: int) -> Nodes:
        e, e_error, _, _ = self._numbers
        l, w = panels(-e, e, count)  # noqa: E741
        l = np.concatenate([l, [e, -e]])  # noqa: E741
        bare = np.concatenate([np.log(0.25 * w) - 0.5 * (l[:-2] + e), [math.log(0.5) - e, math.log(0.5)]])
        ratio, ratio_error, _ = self._log_ratio(l)
        remove = self.direction is Direction.REMOVE
        log_weights = bare + ratio if remove else bare
        error = (
            16.0 * UNIT_ROUNDOFF
            + 2.0 * LIBM * (1.0 + np.abs(log_weights))
            + (2.0 * e_error + 8.0 * UNIT_ROUNDOFF) * (1.0 + e)
        )
        return Nodes(self.sign * ratio, ratio_error, log_weights, error + (ratio_error if remove else 0.0))

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        nodes = self._nodes(8)
        return nodes.losses, nodes.log_weights

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return quick_cumulants(*self._quick, tilt)

    def panels_for(self, tilt: float, reach: float, error: float) -> int:
        """The number of panels at which the bound on the quadrature error falls below `error`."""
        e, _, q, _ = self._numbers
        steepest = q / (q + (1.0 - q) * math.exp(-e))
        at, count = np.array([reach]), max(1, math.ceil(math.hypot(tilt + 1.0, reach) * steepest * e / 5.0))
        while count <= MOST_PANELS and self.log_quadrature(count, self.exponent(tilt), at)[0] > math.log(error):
            count = math.ceil(1.3 * count)
        if count > MOST_PANELS:
            raise TooManyNodes(count)
        return count

    def step(self, tilt: float, reach: float, error: float) -> TiltedNodes:
        """The certified law of one step at this tilt."""
        count = self.panels_for(tilt, reach, error)
        plain, r = self._nodes(count), self.exponent(tilt)
        mass = self.log_quadrature(count, self.exponent(0.0), np.zeros(1))[0]
        # Jensen: the moment is at least 1 for t >= 0, so absolute bounds are relative ones.
        return TiltedNodes(
            Nodes(
                plain.losses,
                plain.loss_error,
                plain.log_weights,
                plain.weight_error,
                quadrature=lambda v: np.exp(np.minimum(on_ladder(lambda u: self.log_quadrature(count, r, u), v), 0.0)),
                mass_quadrature=math.exp(min(float(mass), 0.0)),
            ),
            tilt,
        )

    def log_quadrature(self, count: int, r: float, v: Floats) -> Floats:
        r"""$\ln$ of the error of all panels for $\frac14\int e^{-(l+\varepsilon_0)/2}X^{r+iv}dl$.

        On the ellipse around a panel of half-width $a$ and centre $m$, $|\Re l - m| \le a(\varrho+1/\varrho)/2$ and
        $|\Im l| \le y = a(\varrho-1/\varrho)/2 < \pi$; there $|\arg X| \le y$, $|X| \le X(\Re l)$ and $|X| \ge
        \cos(y/2)X(\Re l)$. Where samples are so rare that $B = qe^{\Re l}/(1-q) < 1$ the circle of radius $B$ around 1
        says more: $|\arg X| \le \arcsin B$ and $|X| \ge \frac{1-B}{1+B}X(\Re l)$.
        """
        e, _, q, _ = self._numbers
        half = e / count
        wide, high = 0.5 * half * (RADII + 1.0 / RADII), 0.5 * half * (RADII - 1.0 / RADII)
        usable = high < 3.0
        middles = -e + half * (2.0 * np.arange(count) + 1.0)
        ends = middles[:, None] + (wide if r >= 0.0 else -wide)
        growth = r * np.log1p(q * np.expm1(np.minimum(ends, 700.0)))
        odds = q / (1.0 - q) * (1.0 + 1e-12) if q < 0.5 else math.inf
        circle = odds * np.exp(np.minimum(middles[:, None] + wide, 700.0))
        if r < 0.0:
            inside = np.minimum(circle, 1.0)
            nearest_zero = np.maximum(np.cos(0.5 * np.minimum(high, 3.0)), (1.0 - inside) / (1.0 + inside))
            growth = growth + r * np.log(nearest_zero)
        widest = circle[-1]
        turn = np.minimum(high, np.where(widest < 1.0, np.arcsin(np.minimum(widest, 1.0)) * (1.0 + 1e-12), high))
        log_size = growth - 0.5 * (middles[:, None] - wide + e) + math.log(0.25 * half)
        total = np.where(usable, np.logaddexp.reduce(log_size, axis=0), np.inf)
        return log_error(total + np.multiply.outer(v, turn))

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:
        r"""The density of $L$ along $l$ is $\frac14e^{-(l+\varepsilon_0)/2}X^{r}/(|g|M)$, $g = qe^l/X$: its logarithm
        has the slope $-\frac32+(r+1)g$, monotone, so a cell's ends bound it.
        """
        e, _, q, _ = self._numbers
        r = self.exponent(tilt)
        edges = np.linspace(-e, e, CELLS + 1)
        ratio, ratio_error, g = self._log_ratio(edges)
        x = 0.5 * (edges[1:] + edges[:-1])
        middle, middle_error, _ = self._log_ratio(x)
        slope = np.maximum(np.abs(-1.5 + (r + 1.0) * g[1:]), np.abs(-1.5 + (r + 1.0) * g[:-1])) * (1.0 + 1e-9)
        half = 0.5 * slope * (edges[1:] - edges[:-1])
        log_f = -0.5 * (x + e) + (r + 1.0) * middle - x - math.log(4.0 * q)
        blur = (
            1e-9
            + (abs(r) + 1.0) * middle_error
            + 64.0 * UNIT_ROUNDOFF * (abs(r) + 2.0) * (np.abs(middle) + e + abs(math.log(q)))
        )
        heights = np.exp(log_f - log_moment.upper - half - blur)
        tops = np.exp(log_f - log_moment.lower + half + blur)
        variation = float((tops * 2.0 * half).sum() + tops[0] + tops[-1]) * (1.0 + 1e-9)
        bare = np.array([0.5 * math.exp(-e), 0.5])
        both, both_error, _ = self._log_ratio(np.array([e, -e]))
        atoms = float((bare * np.exp(r * both + abs(r) * both_error - log_moment.lower)).sum()) * (1.0 + 1e-9)
        widths = np.maximum(np.diff(ratio) * (1.0 - 1e-9) - ratio_error[1:] - ratio_error[:-1], 0.0)
        return level_sets(
            np.concatenate([[0.0], np.cumsum(widths)]), heights, atoms=min(atoms, 1.0), variation=variation
        )
