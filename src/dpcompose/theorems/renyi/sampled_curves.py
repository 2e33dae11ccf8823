r"""The exact Rényi curves of noise on a Poisson sample, in both orders, at every order; Laplace noise first.

With the ratio $X = 1-q+qe^l$ of mean 1 the moments are $\mathrm{E}_QX^r$, $r = \alpha$ when a record is removed and
$1-\alpha$ when it is added: rigorous integrals of analytic functions.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import acb

from dpcompose.errors import Declined
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.laplace import LaplaceCurve
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import Curve, Divergence, LaplaceLossLaw, Renyi
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import Floats
from dpcompose.sources import MTZ19
from dpcompose.theorems.renyi.powers import excess_at, quick_divergence
from dpcompose.theorems.renyi.readings import FourReadings

MOST_ORDER = 10**6
"""Beyond it simple bounds from both sides are close enough."""
TOLERANCE_BITS, MOST_BITS = 62, 768
"""What integrals aim at, and what they are evaluated with at most."""
LEAST = 1e-20
"""Steps and rates below this need hundreds of digits, and say nothing that simple bounds do not."""
NODES = 400
MOST_POINTS = 50_000
"""An integral is evaluated at no more, however many bits there are; what is left is a wide ball."""
USUAL = 5e5
"""The steps that an integral takes, as a rule."""


@dataclass(frozen=True)
class SampledCurve(Divergence):
    """One reading of a sampled pair; what kind of noise there is, its subclasses say."""

    rate: Real
    direction: Direction

    @abstractmethod
    def _excess(self, order: Real) -> Ball:
        r"""$\mathrm{E}_Q[X^r-1-ry]$, or the mean loss at $\alpha = 1$."""

    @abstractmethod
    def _unsampled(self) -> Curve:
        """The curve without sampling, which is larger."""

    @abstractmethod
    def _is_plain(self) -> bool:
        """Whether integrals are worth their time."""

    @abstractmethod
    def _greatest(self) -> int:
        """The greatest order for which they are."""

    @abstractmethod
    def _nodes(self, order: float) -> tuple[Floats, Floats]:
        """Losses without sampling and the logarithms of their probabilities, good enough to choose an order."""

    def at(self, order: Real) -> Ball:
        """The divergence; beyond many orders, or for extreme noise, between two bounds."""
        if not self._is_plain():
            return self._at_least(order).union(self._at_most(order))
        if order > self._greatest():
            return self.at(self._greatest()).max(self._at_least(order)).union(self._at_most(order))
        with ctx.workprec(min(ctx.prec, MOST_BITS)):
            found = self._excess(order)
        return found if order == 1 else found.log1p() / (ball(order) - 1)

    def _at_most(self, order: Real) -> Ball:
        r"""Minkowski's inequality for $1-q+qe^l$, and no more than without sampling; when adding no loss exceeds
        $-\ln(1-q)$.
        """
        q, whole = ball(self.rate), self._unsampled().at(order)
        if self.direction is Direction.ADD:
            return whole.min(-(-q).log1p())
        if order <= 1:
            return whole
        share = 1 - 1 / ball(order)
        top = share * whole
        return (top + (q + (1 - q) * (-top).exp()).log()) / share

    def _at_least(self, order: Real) -> Ball:
        r"""$X\ge qe^l$, so that removing has at least $D_\alpha-\frac{\alpha}{\alpha-1}\ln\frac1q$ of the whole."""
        if self.direction is Direction.ADD or order <= 1:
            return Ball(0)
        a = ball(order)
        return (self._unsampled().at(order) + a / (a - 1) * ball(self.rate).log()).max(Ball(0))

    def guess(self, order: float) -> float:
        """The curve in floats."""
        if not self._is_plain() or order > self._greatest():
            return float(self._at_most(order))
        return quick_divergence(*self._nodes(order), float(self.rate), order, self.direction)

    def _tolerance(self, order: Real) -> Ball:
        """What may be neglected: far below the excess that floats expect, the further the more bits there are."""
        expected = self.guess(float(order)) * (float(order) - 1 or 1.0)
        size = abs(Ball(expected).expm1()) if 0 < abs(expected) < math.inf else Ball(1)
        return size * Ball(2) ** (34 - ctx.prec)


def complex_excess(y: acb, order: Real, direction: Direction, analytic: bool) -> acb:  # noqa: FBT001 - flint's
    r"""$X^r-1-ry$ at a complex point, or its rate of change at $\alpha = 1$."""
    remove = direction is Direction.REMOVE
    log = (1 + y).log(analytic=analytic)
    if order == 1:
        return (1 + y) * log - y if remove else y - log
    r = ball(order) if remove else 1 - ball(order)
    return (r * log).exp() - 1 - r * y


def integral(function: Callable[[acb, bool], acb], low: Ball | float, high: Ball | float, tolerance: Ball) -> Ball:
    """A real integral along the line, to about 18 digits or to the tolerance."""
    effort.count(USUAL)  # beforehand: nothing may be raised inside
    try:
        return acb.integral(
            function, low, high, rel_tol=Ball(2) ** -TOLERANCE_BITS, abs_tol=tolerance, eval_limit=MOST_POINTS
        ).real
    except SystemError as broken:  # flint goes on where its integrand was interrupted: by what, the cause says
        raise broken.__cause__ or Declined("the integral broke off") from None


@dataclass(frozen=True)
class SampledLaplaceCurve(SampledCurve):
    """Laplace noise: the loss has two atoms at ± the step and an exponential density between them."""

    step: Real

    def _is_plain(self) -> bool:
        return LEAST <= self.step <= 1000 and self.rate >= LEAST

    def _greatest(self) -> int:
        return MOST_ORDER

    def _unsampled(self) -> Curve:
        return LaplaceCurve(self.step)

    def _excess(self, order: Real) -> Ball:
        q, e = ball(self.rate), ball(self.step)

        def function(loss: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it so
            y = q * (loss.exp() - 1)
            return (-(loss + e) / 2).exp() * complex_excess(y, order, self.direction, analytic)

        high, low = (excess_at(q * end.expm1(), order, self.direction) for end in (e, -e))
        ends = (-e).exp() * high + low
        return ends / 2 + integral(function, -e, e, self._tolerance(order)) / 4

    def _nodes(self, order: float) -> tuple[Floats, Floats]:  # noqa: ARG002 - these serve every order
        return self._spread

    @cached_property
    def _spread(self) -> tuple[Floats, Floats]:
        e = float(self.step)
        edges = np.linspace(-e, e, NODES + 1)
        middle, width = (edges[1:] + edges[:-1]) / 2, 2 * e / NODES
        loss = np.concatenate([middle, [e, -e]])
        density = math.log(width / 4) - (middle + e) / 2
        return loss, np.concatenate([density, np.log([0.5, 0.5]) - [e, 0.0]])


def worst_when_removed(remove: SampledCurve, add: SampledCurve) -> Renyi:
    """Both readings of a pair that is symmetric without sampling."""
    return Renyi(FourReadings((remove, add, add, remove), leading=0))


@describes("X-SLAP-RDP", MTZ19.at("Thm. 4, 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_laplace_curve(m: Sampled, inner: LaplaceLossLaw) -> Renyi:
    r"""A Laplace mechanism with $\varepsilon=\Delta/b$ on a Poisson sample has exactly $D_\alpha =
    \frac{1}{\alpha-1}\ln\mathrm{E}_Q(1-q+qe^L)^\alpha$; the loss $L$ without sampling has, without the record, atoms
    $\frac12e^{-\varepsilon}$ at $\varepsilon$ and $\frac12$ at $-\varepsilon$, and density
    $\frac14e^{-(l+\varepsilon)/2}$.
    """
    if m.rate in {0, 1} or inner.step == 0:
        raise Declined("nothing is sampled, or nothing is lost")
    remove, add = (SampledLaplaceCurve(m.rate, d, inner.step) for d in (Direction.REMOVE, Direction.ADD))
    return worst_when_removed(remove, add)


__all__ = [
    "LEAST",
    "MOST_ORDER",
    "NODES",
    "SampledCurve",
    "SampledLaplaceCurve",
    "complex_excess",
    "integral",
    "worst_when_removed",
]
