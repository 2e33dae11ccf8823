r"""The Poisson-subsampled Laplace mechanism: $\varepsilon_0$ = sensitivity / scale, sampling rate $q$.

Let $l \in [-\varepsilon_0,\varepsilon_0]$ be the loss without sampling. Under the law without the record it has atoms
$\frac12e^{-\varepsilon_0}$ at $\varepsilon_0$ and $\frac12$ at $-\varepsilon_0$, and the density
$\frac14e^{-(l+\varepsilon_0)/2}$. With $X = 1-q+qe^l$ the loss is $\ln X$ when removing (weights times $X$) and $-\ln
X$ when adding. $X$ has no zero for $|\Im l| < \pi$, so Gauss–Legendre panels converge geometrically.

The formulas serve one step, or many different ones at once: what is a number for one is a column for many.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real, ball, enclose
from dpcompose.numerics.legendre import RADII, log_error, on_ladder, panels
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, nearest
from dpcompose.numerics.unreachable import TooManyNodes

MOST_PANELS = 6400
"""Of up to eight steps at a time; of more steps fewer."""
CELLS = 192


class SampledLaplaceDensity(ABC):
    """What nodes, their errors and the decay are made of."""

    direction: Direction

    @property
    @abstractmethod
    def numbers(self) -> tuple[Floats, Floats, Floats, Floats]:
        r"""$\varepsilon_0$ and its relative error, $q$ and its relative error."""

    @abstractmethod
    def log_ratio(self, l: Floats, l_error: Floats) -> LogRatio:  # noqa: E741
        r"""$\ln X$ with an upper bound on its error, at losses known up to `l_error`."""

    @property
    def sign(self) -> float:
        """The sign of the loss against ln X."""
        return self.direction.sign

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$."""
        return self.direction.exponent(tilt)

    @property
    def steepness(self) -> Floats:
        r"""$\varepsilon_0$ times the greatest slope of $\ln X$."""
        e, _, q, _ = self.numbers
        return np.asarray(e * q / (q + (1.0 - q) * np.exp(-e)))

    def _log_ratio(self, l: Floats) -> LogRatio:  # noqa: E741
        r"""Given $l$ up to a few roundings of $\varepsilon_0$."""
        e, e_error, _, _ = self.numbers
        return self.log_ratio(l, (8.0 * UNIT_ROUNDOFF + e_error) * e)

    def weights(self, count: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Losses and log-weights at the nodes of so many panels and at both atoms, each with a bound on its error."""
        e, e_error, _, _ = self.numbers
        places, w = panels(-1.0, 1.0, count)
        l = e * np.append(places, [1.0, -1.0])  # noqa: E741
        bare = np.log(0.25 * e * np.append(w, [1.0, 1.0])) - 0.5 * (l + e)
        bare[..., -2:] = math.log(0.5) - e * np.array([1.0, 0.0])
        ratio, ratio_error, _ = self._log_ratio(l)
        remove = self.direction is Direction.REMOVE
        log_weights = bare + ratio if remove else bare
        error = 16.0 * UNIT_ROUNDOFF + 2.0 * LIBM * (1.0 + np.abs(log_weights))
        error = error + (2.0 * e_error + 8.0 * UNIT_ROUNDOFF) * (1.0 + e)
        return self.sign * ratio, ratio_error, log_weights, error + (ratio_error if remove else 0.0)

    def panels_for(self, tilt: float, reach: float, error: float) -> int:
        """The number of panels at which the bound on the quadrature error falls below `error`."""
        rows, steepest = self.steepness.size, float(np.max(self.steepness))
        at, count = np.array([reach]), max(1, math.ceil(math.hypot(tilt + 1.0, reach) * steepest / 5.0))
        most = 8 * MOST_PANELS // max(rows, 8)
        while count <= most and self.quadrature_error(count, self.exponent(tilt))(at).max() > math.log(error):
            effort.count(250 * rows * count)
            count = math.ceil(1.3 * count)
        if count > most:
            raise TooManyNodes(count)
        return count

    def quadrature_error(self, count: int, r: float) -> Callable[[Floats], Floats]:
        r"""By frequency, $\ln$ of the error of all panels for $\frac14\int e^{-(l+\varepsilon_0)/2}X^{r+iv}dl$.

        On the ellipse around a panel of half-width $a$ and centre $m$, $|\Re l - m| \le a(\varrho+1/\varrho)/2$ and
        $|\Im l| \le y = a(\varrho-1/\varrho)/2 < \pi$; there $|\arg X| \le y$, $|X| \le X(\Re l)$ and $|X| \ge
        \cos(y/2)X(\Re l)$. Where samples are so rare that $B = qe^{\Re l}/(1-q) < 1$ the circle of radius $B$ around 1
        says more: $|\arg X| \le \arcsin B$ and $|X| \ge \frac{1-B}{1+B}X(\Re l)$.
        """
        e, _, q, _ = self.numbers
        half = e / count
        wide, high = 0.5 * half * (RADII + 1.0 / RADII), 0.5 * half * (RADII - 1.0 / RADII)
        middles = (-e + half * (2.0 * np.arange(count) + 1.0))[..., None]  # an axis of panels, one of ellipses
        e, q, half = (np.asarray(number)[..., None] for number in (e, q, half))
        ends = middles + (wide if r >= 0.0 else -wide)[..., None, :]
        with np.errstate(divide="ignore"):
            far = np.logaddexp(np.log1p(-q), np.log(q) + ends)
            log_odds = np.where(q < 0.5, np.log(q) - np.log1p(-np.minimum(q, 0.5)) + 1e-12, np.inf)
        growth = r * np.where(ends > 600.0, far, np.log1p(q * np.expm1(np.minimum(ends, 600.0))))
        circle = np.exp(np.minimum(log_odds + middles + wide[..., None, :], 700.0))
        if r < 0.0:
            inside = np.minimum(circle, 1.0)
            nearest_zero = np.maximum(
                np.cos(0.5 * np.minimum(high, 3.0))[..., None, :], (1.0 - inside) / (1.0 + inside)
            )
            growth = growth + r * np.log(nearest_zero)
        widest = circle[..., -1, :]
        turn = np.minimum(high, np.where(widest < 1.0, np.arcsin(np.minimum(widest, 1.0)) * (1.0 + 1e-12), high))
        log_size = growth - 0.5 * (middles - wide[..., None, :] + e) + np.log(0.25 * half)
        total = np.where(high < 3.0, np.logaddexp.reduce(log_size, axis=-2), np.inf)
        return lambda v: log_error(total[..., None, :] + v[:, None] * turn[..., None, :])

    def density_layers(self, tilt: float, least: float | Floats, most: float | Floats) -> Layers:
        r"""The density of $L$ along $l$ is $\frac14e^{-(l+\varepsilon_0)/2}X^{r}/(|g|M)$, $g = qe^l/X$: its logarithm
        has the slope $-\frac32+(r+1)g$, monotone, so a cell's ends bound it. $\ln M$ lies between two numbers.
        """
        e, _, q, _ = self.numbers
        r = self.exponent(tilt)
        edges = e * np.linspace(-1.0, 1.0, CELLS + 1)
        ratio, ratio_error, g = self._log_ratio(edges)
        x = 0.5 * (edges[..., 1:] + edges[..., :-1])
        middle, middle_error, _ = self._log_ratio(x)
        slopes = np.abs(-1.5 + (r + 1.0) * g)
        half = 0.5 * np.maximum(slopes[..., 1:], slopes[..., :-1]) * (1.0 + 1e-9) * np.diff(edges)
        log_f = -0.5 * (x + e) + (r + 1.0) * middle - x - np.log(4.0 * q)
        scale = (abs(r) + 2.0) * (np.abs(middle) + e + np.abs(np.log(q)))
        blur = 1e-9 + (abs(r) + 1.0) * middle_error + 64.0 * UNIT_ROUNDOFF * scale
        heights = np.exp(log_f - most - half - blur)
        tops = np.exp(log_f - least + half + blur)
        variation = (tops * 2.0 * half).sum(axis=-1, keepdims=True) + tops[..., :1] + tops[..., -1:]
        both, both_error, _ = self._log_ratio(e * np.array([1.0, -1.0]))
        log_atoms = math.log(0.5) - e * np.array([1.0, 0.0]) + r * both + abs(r) * both_error - least
        atoms = np.exp(log_atoms).sum(axis=-1, keepdims=True) * (1.0 + 1e-9)
        widths = np.maximum(np.diff(ratio) * (1.0 - 1e-9) - ratio_error[..., 1:] - ratio_error[..., :-1], 0.0)
        return level_sets(widths, heights, np.minimum(atoms, 1.0), variation * (1.0 + 1e-9))


@dataclass(frozen=True)
class SampledLaplaceLoss(SampledLaplaceDensity):
    r"""One step; `size` is $\varepsilon_0$."""

    size: Real
    rate: Real
    direction: Direction

    leak = ZERO
    lattice = None
    is_unbounded = False
    trim_lost = 0.0

    @cached_property
    def numbers(self) -> tuple[Floats, Floats, Floats, Floats]:
        r"""$\varepsilon_0$ and its relative error, $q$ and its relative error."""
        e, e_error, q, q_error = map(np.asarray, (*nearest(self.size), *nearest(self.rate)))
        return e, e_error, q, q_error

    @cached_property
    def _ratio(self) -> PoissonRatio:
        return PoissonRatio(self.rate)

    def log_ratio(self, l: Floats, l_error: Floats) -> LogRatio:  # noqa: E741
        r"""$\ln X$ with an upper bound on its error, at losses known up to `l_error`."""
        return self._ratio.log(l, l_error)

    @property
    def supremum(self) -> float:
        r"""$\ln(1-q+qe^{\varepsilon_0})$, or $-\ln(1-q+qe^{-\varepsilon_0})$; neither exceeds $\varepsilon_0$."""
        end = ball(self.size) if self.direction is Direction.REMOVE else -ball(self.size)
        found = enclose(lambda: ball(self.sign) * self._ratio.log_in_balls(end))
        return min(found.upper, Enclosure.exactly(self.size).upper)

    @property
    def total_variation(self) -> float:
        r"""$q(1-e^{-\varepsilon_0/2})$."""
        e, _, q, _ = self.numbers
        return min(1.0, float(-q * math.expm1(-0.5 * e)) * (1.0 + 1e-12))

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
        """No laws, and no probability left over: trimming hides nothing."""
        return [], 0.0

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        losses, _, log_weights, _ = self.weights(8)
        return losses, log_weights

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return quick_cumulants(*self._quick, tilt)

    def step(self, tilt: float, reach: float, error: float) -> TiltedNodes:
        """The certified law of one step at this tilt."""
        count = self.panels_for(tilt, reach, error)
        bound, mass = (self.quadrature_error(count, self.exponent(t)) for t in (tilt, 0.0))
        # Jensen: the moment is at least 1 for t >= 0, so absolute bounds are relative ones.
        nodes = Nodes(
            *self.weights(count),
            quadrature=lambda v: np.exp(np.minimum(on_ladder(bound, v), 0.0)),
            mass_quadrature=math.exp(min(float(mass(np.zeros(1))[0]), 0.0)),
        )
        return TiltedNodes(nodes, tilt)

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:
        """Uniform pieces under the density, for its decay."""
        return self.density_layers(tilt, log_moment.lower, log_moment.upper)
