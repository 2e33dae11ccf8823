r"""Laplace noise, plain or on a Poisson sample, cut along the loss.

Without the record the plain loss $y \in [-\varepsilon_0,\varepsilon_0]$ has atoms $\frac12e^{-\varepsilon_0}$ at
$\varepsilon_0$ and $\frac12$ at $-\varepsilon_0$, and the density $\frac14e^{-(y+\varepsilon_0)/2}$. With $X =
1-q+qe^y$ the loss is $\ln X$ when removing (weights times $X$), $-\ln X$ when adding; $q = 1$ is the plain mechanism.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.few_steps.cells import Cells, Mesh, Sketch
from dpcompose.inversion.few_steps.panels import Places, integrate
from dpcompose.inversion.losses.poisson_ratio import LogRatio, PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.numerics.rounding import LEAST, LIBM, UNIT_ROUNDOFF, Floats, nearest

NODES = 2000
LOST = 64.0 * LEAST
"""More than products below all floats lose."""


@dataclass(frozen=True)
class LaplaceStep:
    r"""One step; `size` is $\varepsilon_0$."""

    size: Real
    rate: Real
    direction: Direction

    growth = 1.0

    @cached_property
    def _size(self) -> tuple[float, float]:
        r"""$\varepsilon_0$ as a float, and its relative error."""
        return nearest(self.size)

    @cached_property
    def _ratio(self) -> PoissonRatio:
        return PoissonRatio(self.rate)

    def _loss(self, y: Floats) -> LogRatio:
        r"""$\ln X$, an upper bound on its error, and $g = qe^y/X$."""
        e, e_error = self._size
        return self._ratio.log(y, (8.0 * UNIT_ROUNDOFF + e_error) * e)

    def _places(self, y: Floats, log_bare: Floats) -> Places:
        e, e_error = self._size
        ln, error, g = self._loss(y)
        log_density, rounding = log_bare, (8.0 * UNIT_ROUNDOFF + e_error) * (1.0 + e) + 2.0 * LIBM + 0.0 * y
        if self.direction is Direction.REMOVE:
            log_density, rounding = log_bare + ln, rounding + error + UNIT_ROUNDOFF * np.abs(ln)
        return Places(self.direction.sign * ln, error, g, log_density, rounding)

    def at(self, y: Floats) -> Places:
        """Everything along the plain loss."""
        return self._places(y, math.log(0.25) - 0.5 * (y + self._size[0]))

    def _tips(self) -> Places:
        """The atoms, that of the lower loss first."""
        e = self._size[0] * self.direction.sign
        y = np.array([-e, e])
        return self._places(y, np.array([math.log(0.5) - max(-e, 0.0), math.log(0.5) - max(e, 0.0)]))

    @property
    def atoms(self) -> Sequence[float]:
        """The least and the greatest loss."""
        return tuple(self._tips().loss.tolist())

    @property
    def least(self) -> float:
        """A lower bound on all losses."""
        tips = self._tips()
        return float((tips.loss - tips.loss_error)[0])

    def reach(self, log_mass: float) -> tuple[float, float]:  # noqa: ARG002 - the ends come first
        """The least and the greatest loss."""
        low, high = self._tips().loss.tolist()
        return low, high

    def sketch(self, log_mass: float) -> Sketch:  # noqa: ARG002 - bounded loss
        """Equally spaced plain losses, and the atoms."""
        e = self._size[0]
        y = np.linspace(-e, e, NODES)
        here, tips = self.at(y), self._tips()
        weights = np.exp(here.log_density) * (y[1] - y[0])
        return Sketch(np.append(here.loss, tips.loss), np.append(weights, np.exp(tips.log_density)))

    def _place(self, loss: Floats) -> Floats:
        """The plain loss at which the loss has these values, cut off at its ends."""
        e = self._size[0]
        return np.clip(self._ratio.inverse(self.direction.sign * loss), -e, e)

    def _image_beyond(self, y: float) -> float:
        r"""$Q$ between the last edge, at the plain loss `y`, and the atom at the end, so that nothing cancels."""
        e, (q, complement, _) = self._size[0], self._ratio.numbers
        if self.direction is Direction.REMOVE:
            return -0.5 * math.exp(-0.5 * (e + y)) * math.expm1(-0.5 * (e - y))
        return -0.5 * math.expm1(-0.5 * (e + y)) * (complement + q * math.exp(-0.5 * (e - y)))

    def cut(self, mesh: Mesh, log_mass: float) -> Cells:  # noqa: ARG002 - nothing is left out
        """Panels of the plain loss between the cuts, then the atoms; beyond the last edge one more cell."""
        e = self._size[0]
        edges, flip = mesh.edges, self.direction.sign < 0.0
        floors = np.concatenate([[edges[0]], edges])  # below the first edge, the cells, above the last
        y = np.concatenate([[-self.direction.sign * e], self._place(edges), [self.direction.sign * e]])
        found = integrate(self, y[::-1] if flip else y, floors[::-1] if flip else floors, mesh.span)
        mass, excess, doubt = (
            v[::-1] if flip else v for v in (found.mass, found.excess, found.excess_error)
        )  # fmt: skip
        ln, error, _ = self._loss(y[1:-1])
        off, side = self.direction.sign * ln - edges, self.direction.sign * np.sign(y[1:-1]) * (np.abs(y[1:-1]) >= e)
        # An edge cut off at an end must lie beyond the loss there.
        blur = float(np.where(side == 0.0, np.abs(off) + error, np.maximum(side * off + error, 0.0)).max(initial=0.0))
        tips = self._tips()
        near = 8.0 * UNIT_ROUNDOFF * (float(np.abs(edges).max()) + e) + float(tips.loss_error.max())
        blur = 2.0 * (blur + near)
        mass, excess, doubt = mass.copy(), excess.copy(), doubt.copy()
        image = self._image_beyond(float(y[-2]))
        rounding = found.mass_error + float(tips.density_error.max()) + 64.0 * UNIT_ROUNDOFF
        for loss, weight in zip(tips.loss.tolist(), np.exp(tips.log_density).tolist(), strict=True):
            cell = min(max(int(np.searchsorted(edges, loss + near, side="right")), 0), edges.size)
            mass[cell] += weight
            rise = max(-math.expm1(float(floors[cell]) - loss), 0.0) if cell else 0.0
            excess[cell] += weight * rise
            doubt[cell] += weight * (rise * rounding + 4.0 * UNIT_ROUNDOFF * abs(loss))
            if cell == edges.size:
                image += weight * math.exp(-loss)
        over = float(mass[-1])
        inside = float((np.maximum(mass - excess - doubt, 0.0)[1:-1] * np.exp(-edges[:-1])).sum())
        doubtful = 2.0 * rounding + 2.0 * blur + 64.0 * UNIT_ROUNDOFF
        return Cells(
            mass[1:-1],
            excess[1:-1],
            rounding,
            doubt[1:-1],
            blur,
            float(mass[0]) * (1.0 + 2.0 * rounding),
            Enclosure(over * (1.0 - doubtful), over * (1.0 + doubtful)),
            Enclosure(max(image * (1.0 - doubtful) - LOST, 0.0), image * (1.0 + doubtful) + LOST),
            image=(inside + image) * (1.0 - doubtful),
        )
