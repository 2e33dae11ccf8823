r"""Normal noise, plain or on a Poisson sample, cut along the loss.

With $z$ standard normal without the record and normal around $\mu$ with it, $a = \mu z-\mu^2/2$ and $X = 1-q+qe^a$,
the loss is $\ln X$ when removing and $-\ln X$ when adding; $q = 1$ is the plain mechanism.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb

from dpcompose.inversion.few_steps.cells import Cells, Mesh, Sketch
from dpcompose.inversion.few_steps.panels import Places, integrate
from dpcompose.inversion.losses.poisson_ratio import LogRatio, PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats

NODES = 3000
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class NormalStep:
    r"""One step; `mu_squared` is (sensitivity / noise)², exactly."""

    mu_squared: Fraction
    rate: Real
    direction: Direction

    atoms = ()

    @cached_property
    def _mu(self) -> float:
        """μ, with a relative error below 4 units."""
        return math.sqrt(float(self.mu_squared))

    @property
    def least(self) -> float:
        r"""A lower bound on the loss: $\ln(1-q)$ when removing."""
        _, complement, error = self._ratio.numbers
        if self.direction is Direction.ADD or complement == 0.0:
            return -math.inf
        return math.log(complement) * (1.0 + 2.0 * LIBM) - 2.0 * error

    @cached_property
    def _ratio(self) -> PoissonRatio:
        return PoissonRatio(self.rate)

    def _loss(self, z: Floats) -> LogRatio:
        r"""$\ln X$, an upper bound on its error, and $g = qe^a/X$."""
        mu = self._mu
        return self._ratio.log(mu * (z - 0.5 * mu), 16.0 * UNIT_ROUNDOFF * mu * (np.abs(z) + mu))

    def at(self, y: Floats) -> Places:
        """The loss and the density at these z, with their errors."""
        ln, error, g = self._loss(y)
        log_density = -0.5 * y * y - HALF_LOG_TWO_PI
        rounding = UNIT_ROUNDOFF * (2.0 * y * y + 8.0) + LIBM
        if self.direction is Direction.REMOVE:
            log_density, rounding = log_density + ln, rounding + error + UNIT_ROUNDOFF * np.abs(ln)
        return Places(self.direction.sign * ln, error, g, log_density, rounding)

    def _ends(self, log_mass: float) -> tuple[float, float]:
        """The z beyond which about that much lies, under either of the two laws that counts."""
        mu, q = self._mu, self._ratio.numbers[0]
        plain, shifted = (_quantile(log_mass), _quantile(min(log_mass - math.log(q), -0.01)))
        if self.direction is Direction.ADD:
            return -plain, plain
        if q == 1.0:
            return mu - plain, mu + plain
        return -plain, max(plain, mu + shifted)

    def reach(self, log_mass: float) -> tuple[float, float]:
        """The losses at those z."""
        low, high = self._loss(np.array(self._ends(log_mass)))[0].tolist()
        return (low, high) if self.direction is Direction.REMOVE else (-high, -low)

    def sketch(self, log_mass: float) -> Sketch:
        """The losses at equally spaced z, with uncertified weights."""
        z = np.linspace(*self._ends(log_mass), NODES)
        here = self.at(z)
        return Sketch(here.loss, np.exp(here.log_density) * (z[1] - z[0]))

    def _place(self, loss: Floats) -> Floats:
        """The z at which the loss has these values, infinite where it has not."""
        mu = self._mu
        return self._ratio.inverse(self.direction.sign * loss) / mu + 0.5 * mu

    def cut(self, mesh: Mesh, log_mass: float) -> Cells:
        """Panels in z; what lies outside in balls."""
        edges = mesh.edges
        floors = edges[:-1]
        left, right = self._ends(log_mass)
        z = self._place(edges)
        if self.direction is Direction.ADD:
            z, floors = z[::-1], floors[::-1]
            right = min(right, float(z[-1]))
            left = max(left, float(z[0]))
        else:
            left = max(left, float(z[0]))
            right = float(z[-1])
        cuts = np.clip(z, left, max(right, left + 1e-9))
        curve = Along(self, max(abs(float(cuts[0])), abs(float(cuts[-1]))) + self._mu + 1.0)
        found = integrate(curve, cuts, floors, mesh.span)
        ln, error, _ = self._loss(cuts)
        off = self.direction.sign * ln - (edges if self.direction is Direction.REMOVE else edges[::-1])
        moved = self.direction.sign * np.sign(
            cuts - z
        )  # where an edge was cut off, the loss at the cut must lie on this side
        blur = float(np.where(moved == 0.0, np.abs(off) + error, np.maximum(error - moved * off, 0.0)).max(initial=0.0))
        blur += 4.0 * UNIT_ROUNDOFF * float(np.abs(edges).max())
        mass, excess, doubt = found.mass, found.excess, found.excess_error
        low, high = float(cuts[0]), float(cuts[-1])
        if self.direction is Direction.ADD:
            mass, excess, doubt = mass[::-1], excess[::-1], doubt[::-1]
            under, over, image = self._outside(high, +1), self._outside(low, -1), self._outside(high, -1)[1]
            if low > z[0]:  # what was cut off need not lie beyond the last edge
                over = Enclosure(0.0, over[0].upper), Enclosure(0.0, over[1].upper)
        else:
            under, over, image = self._outside(low, -1), self._outside(high, +1), self._outside(low, +1)[1]
        return Cells(mass, excess, found.mass_error, doubt, blur, under[0].upper, *over, image=image.lower)

    def _outside(self, z: float, side: int) -> tuple[Enclosure, Enclosure]:
        """P and Q beyond z, upwards or downwards."""

        def tails() -> tuple[Ball, Ball]:
            mu, q, root = ball(self.mu_squared).sqrt(), ball(self.rate), arb(2).sqrt()
            bare = (side * arb(z) / root).erfc() / 2
            other = (side * (arb(z) - mu) / root).erfc() / 2
            mixed = bare + q * (other - bare)
            return (mixed, bare) if self.direction is Direction.REMOVE else (bare, mixed)

        return enclose(lambda: tails()[0]), enclose(lambda: tails()[1])


@dataclass(frozen=True)
class Along:
    """The step with the growth of its density within some reach: that of a normal density is |z|."""

    step: NormalStep
    growth: float

    def at(self, y: Floats) -> Places:
        """The loss and the density at these z, with their errors."""
        return self.step.at(y)


def _quantile(log_mass: float) -> float:
    """About where the standard normal law has `exp(log_mass)` left."""
    if log_mass > -1.5:
        return 0.0
    z = math.sqrt(-2.0 * log_mass)
    for _ in range(4):
        z = math.sqrt(max(-2.0 * (log_mass + math.log(z + 1.0 / (z + 1.0)) + HALF_LOG_TWO_PI), 0.25))
    return z
