r"""A sample of fixed size, whichever way each part faces: the symmetric pair that dominates it.

For replaced neighbours $\delta(\varepsilon)\le\eta\,\delta_0(\ln(1+(e^\varepsilon-1)/\eta))$ in both orders,
$\varepsilon\ge0$, with $\delta_0$ the profile without sampling. That is the profile of the pair whose positive losses
are those of $(1-\eta)Q+\eta P$ against $Q$, whose negative losses mirror them, and which has no other loss.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import acb

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law, value
from dpcompose.inversion import ListedLoss
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.notions import Curve
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.rounding import Floats
from dpcompose.theorems.loss.finite_laws import SampledListed, in_floats, spelled_out
from dpcompose.theorems.renyi.powers import excess_at, quick_mirrored
from dpcompose.theorems.renyi.sampled_curves import SampledCurve, SampledLaplaceCurve, complex_excess, integral
from dpcompose.theorems.renyi.sampled_normal_curve import SampledNormalCurve

REMOVE, ADD = Direction.REMOVE, Direction.ADD


def positive_losses(law: Law) -> list[tuple[Ball, Ball]]:
    """The losses above 0, with their probabilities on the other input."""
    found = [(value(loss), mass) for loss, mass in law.atoms()]
    if any(not (loss > 0 or loss <= 0) for loss, _ in found):
        raise Declined("a loss cannot be told from 0")
    return [(loss, mass * (-loss).exp()) for loss, mass in found if loss > 0]


@dataclass(frozen=True, slots=True)
class MirroredListed(SampledListed):
    """A symmetric law that lists its atoms, seen through a sample of fixed size."""

    def loss(self) -> ListedLoss:
        """Its atoms one by one."""
        return spelled_out(self)

    def exactly(self) -> ListedLoss:
        """±ln(1 + η(e^l − 1)) for every l > 0, and 0 for the rest."""
        q, ratio = ball(self.rate), PoissonRatio(self.rate)
        logs = [(ratio.log_in_balls(loss), mass) for loss, mass in positive_losses(self.law)]
        leak = q * self.law.leak()
        atoms = [atom for log, mass in logs for atom in ((log, mass * log.exp()), (-log, mass))]
        rest = (1 - leak - sum((mass for _, mass in atoms), Ball(0))).nonnegative_part()
        return in_floats([*atoms, (Ball(0), rest)], Enclosure.of(leak))


@dataclass(frozen=True)
class MirroredFiniteCurve(Curve):
    """Its Rényi curve, outside what leaks."""

    law: Law
    rate: Real

    def at(self, order: Real) -> Ball:
        r"""Each positive loss adds $X^\alpha+X^{1-\alpha}-1-X$ times its probability on the other input."""
        q, leak = ball(self.rate), ball(self.rate) * self.law.leak()
        atoms = [(q * loss.expm1(), mass) for loss, mass in positive_losses(self.law)]
        terms = (mass * (excess_at(y, order, REMOVE) + excess_at(y, order, ADD)) for y, mass in atoms)
        total = sum(terms, Ball(0))
        if order == 1:
            return total / (1 - leak)
        return ((total - leak).log1p() - (-leak).log1p()) / (ball(order) - 1)

    @cached_property
    def _floats(self) -> tuple[Floats, Floats]:
        atoms = positive_losses(self.law)
        return np.array([float(loss) for loss, _ in atoms]), np.array([float(mass.log()) for _, mass in atoms])

    def guess(self, order: float) -> float:
        """The curve in floats, leaks aside."""
        losses, log_masses = self._floats
        return quick_mirrored(losses, log_masses, float(self.rate), order) if losses.size else 0.0


class MirroredCurve(SampledCurve):
    """Noise with a density, mirrored: the Rényi curve of both orders at once, from the positive losses alone."""

    def _at_most(self, order: Real) -> Ball:
        return self._unsampled().at(order)

    def guess(self, order: float) -> float:
        """The curve in floats."""
        if not self._is_plain() or order > self._greatest():
            return float(self._at_most(order))
        losses, log_masses = self._nodes(order)
        return quick_mirrored(losses[losses > 0], log_masses[losses > 0], float(self.rate), order)


@dataclass(frozen=True)
class MirroredNormalCurve(MirroredCurve, SampledNormalCurve):
    """Gaussian noise, mirrored: positive losses lie right of half the shift."""

    def _excess(self, order: Real) -> Ball:
        mu, tolerance = ball(self.mu_squared).sqrt(), self._tolerance(order)
        right = max(self._ends(float(order), float(tolerance.log()))[1], float(mu) + 1)
        middle = min(self._middle(), right)

        def both(one: Callable[[Real, Direction], Callable[[acb, bool], acb]]) -> Callable[[acb, bool], acb]:
            removed, added = one(order, REMOVE), one(order, ADD)
            return lambda z, analytic: removed(z, analytic) + added(z, analytic)

        inner = integral(both(self._product), mu / 2, middle, tolerance)
        inner += integral(both(self._centred), middle, right, tolerance) if middle < right else Ball(0)
        inner /= (2 * Ball.pi()).sqrt()
        beyond = self._above(order, Ball(right), REMOVE) + self._above(order, Ball(right), ADD)
        return inner + Ball(0).union(beyond.upper())


@dataclass(frozen=True)
class MirroredLaplaceCurve(MirroredCurve, SampledLaplaceCurve):
    """Laplace noise, mirrored."""

    def _excess(self, order: Real) -> Ball:
        q, e = ball(self.rate), ball(self.step)

        def function(loss: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it so
            y = q * (loss.exp() - 1)
            both = complex_excess(y, order, REMOVE, analytic) + complex_excess(y, order, ADD, analytic)
            return (-(loss + e) / 2).exp() * both

        end = sum((excess_at(q * e.expm1(), order, direction) for direction in (REMOVE, ADD)), Ball(0))
        return (-e).exp() * end / 2 + integral(function, Ball(0), e, self._tolerance(order)) / 4


__all__ = ["MirroredFiniteCurve", "MirroredLaplaceCurve", "MirroredListed", "MirroredNormalCurve"]
