r"""Cells of a law with a density along a coordinate $y$ in which the loss is monotone, by Gauss–Legendre panels.

Densities here are sums of exponentials of quadratic polynomials, entire functions that grow by at most
$e^{s|d|+|d|^2/2}$ from a point to one at the complex distance $d$; so the rule with $n$ points errs, on a panel of
half-width $a$ and relative to the panel's mass, by at most

$$\kappa = \min_\varrho\ \tfrac{64}{30}\,\frac{\varrho^{-2n}}{1-\varrho^{-2}}\,
  e^{sa(R+1)+a^2(R^2+1)/2},\qquad R = \tfrac12(\varrho+\varrho^{-1}) .$$
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from dpcompose.numerics import effort
from dpcompose.numerics.legendre import RADII, rule
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Floats
from dpcompose.numerics.unreachable import OutOfReach

WIDE = 10
"""Points on a panel between cell edges."""
NARROW = 4
"""Points on a cell that is no wider than `NARROW_WIDTH`."""
NARROW_WIDTH = 1.0 / 256.0
MOST_PANELS = 20_000


class Places(NamedTuple):
    """A law along its coordinate, with the errors of what was computed."""

    loss: Floats
    loss_error: Floats
    share: Floats
    """How much of $X = 1-q+qe^a$ its second part makes: how fast the loss moves with a."""
    log_density: Floats
    density_error: Floats


class CoordinateLaw(Protocol):
    """A law along a coordinate."""

    @property
    def growth(self) -> float:
        """$s$: the density changes by at most $e^{s|d|+|d|^2/2}$ over a complex distance $d$, within reach."""

    def at(self, y: Floats) -> Places:
        """The loss and the density at these places, with their errors."""


class Integrals(NamedTuple):
    """The two integrals of each cell, as in `cells`, with upper bounds on their errors."""

    mass: Floats
    excess: Floats
    mass_error: float
    excess_error: Floats


def integrate(curve: CoordinateLaw, cuts: Floats, floors: Floats, span: float) -> Integrals:
    r"""$\int dP$ and $\int(1-e^{e_j-l})dP$ between neighbouring cuts (increasing), $e_j$ being the `floors`.

    The second integrand is $dP - e^{e_j}dQ$. With $X = 1-q+qe^a$ and $g = qe^a/X$ it is a difference of two of the
    exponentials, each at most $e^h(g+h)\,dP$ in the cell, as $g$ changes by at most $h$ there; its error is $\kappa$
    times both.
    """
    widest = min(0.1, 1.0 / curve.growth)
    if not cuts[-1] - cuts[0] <= MOST_PANELS * widest:
        raise OutOfReach("the law ranges too far")
    extra = np.arange(cuts[0], cuts[-1], widest)
    ends = np.union1d(cuts, extra)
    left, right = ends[:-1], ends[1:]
    owner = np.minimum(np.searchsorted(cuts, left, side="right") - 1, floors.size - 1)
    mass, excess, doubt = np.zeros(floors.size), np.zeros(floors.size), np.zeros(floors.size)
    narrow = right - left <= NARROW_WIDTH
    worst = 0.0
    for chosen, points, width in ((narrow, NARROW, NARROW_WIDTH), (~narrow, WIDE, widest)):
        if not chosen.any():
            continue
        error = quadrature(points, 0.5 * width, curve.growth)
        worst = max(worst, error)
        y, w = rule(points)
        half = 0.5 * (right - left)[chosen]
        x = (0.5 * (left + right)[chosen])[:, None] + half[:, None] * y
        cell = owner[chosen]
        effort.count(30 * x.size)
        here = curve.at(x.reshape(-1))
        density = (np.exp(here.log_density).reshape(x.shape) * w) * half[:, None]
        rise = np.maximum(-np.expm1(floors[cell][:, None] - here.loss.reshape(x.shape)), 0.0)
        mass += np.bincount(cell, density.sum(axis=1), floors.size)
        excess += np.bincount(cell, (density * rise).sum(axis=1), floors.size)
        # Per node: the loss's own error, the rounding of its distance from the edge, of the density and of the sums.
        loss = (
            here.loss_error + 2.0 * UNIT_ROUNDOFF * np.abs(here.loss) + 4.0 * error * np.exp(span) * (here.share + span)
        )
        rounding = (here.density_error + 64.0 * UNIT_ROUNDOFF + LIBM).reshape(x.shape)
        doubt += np.bincount(cell, (density * (loss.reshape(x.shape) + rise * rounding)).sum(axis=1), floors.size)
        worst = max(worst, error + float(rounding.max()))
    return Integrals(mass, excess, 2.0 * worst, 2.0 * doubt * SLACK)


def quadrature(points: int, half: float, growth: float) -> float:
    r"""$\kappa$."""
    wide = 0.5 * (RADII + 1.0 / RADII)
    bound = -2.0 * points * np.log(RADII) - np.log1p(-(RADII**-2.0)) + growth * half * (wide + 1.0)
    bound += 0.5 * half * half * (wide * wide + 1.0) + np.log(64.0 / 30.0)
    return float(np.exp(min(float(bound.min()) + 1e-9, 700.0)))
