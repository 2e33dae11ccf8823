r"""The exact Rényi curves of Gaussian and Laplace noise on a Poisson sample, in both orders, at every order.

With the ratio $X = 1-q+qe^l$ of mean 1 the moments are $\mathrm{E}_QX^r$, $r = \alpha$ when a record is removed and
$1-\alpha$ when it is added: rigorous integrals of analytic functions, and closed bounds beyond their ends.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import acb, ctx
from scipy.special import log_ndtr

from dpcompose.errors import Declined
from dpcompose.inversion import Direction
from dpcompose.inversion.rounding import Floats
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.laplace import LaplaceCurve
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import GDP, Curve, LaplaceLoss, Linear, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.sources import MTZ19
from dpcompose.theorems.facing import Facing
from dpcompose.theorems.powers import mean_excess, quick_divergence, with_excess

MOST_ORDER = 10**6
"""Beyond it simple bounds from both sides are close enough."""
TOLERANCE_BITS = 62
NODES = 400


@dataclass(frozen=True)
class SampledCurve(Curve):
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

    def _integrand(self, y: acb, order: Real, *, analytic: bool) -> acb:
        """What `_excess` is the mean of, at a complex point."""
        remove = self.direction is Direction.REMOVE
        log = (1 + y).log(analytic=analytic)
        if order == 1:
            return (1 + y) * log - y if remove else y - log
        r = ball(order) if remove else 1 - ball(order)
        return (r * log).exp() - 1 - r * y

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


def integral(function: Callable[[acb, bool], acb], low: Ball | float, high: Ball | float, tolerance: Ball) -> Ball:
    """A real integral along the line, to about 18 digits or to the tolerance."""
    return acb.integral(function, low, high, rel_tol=Ball(2) ** -TOLERANCE_BITS, abs_tol=tolerance).real


@dataclass(frozen=True)
class SampledNormalCurve(SampledCurve):
    """Normal noise: the loss is μz − μ²/2 at z standard deviations."""

    mu_squared: Real

    def _is_plain(self) -> bool:
        return self.mu_squared < 10**4

    def _greatest(self) -> int:
        return min(MOST_ORDER, 2 + math.floor(1000 / math.sqrt(float(self.mu_squared) + 0.01)))

    def _unsampled(self) -> Curve:
        return Linear(Fraction(self.mu_squared) / 2)

    def _excess(self, order: Real) -> Ball:
        q, mu = ball(self.rate), ball(self.mu_squared).sqrt()
        tolerance = self._tolerance(order)
        left, right = self._ends(float(order), float(tolerance.log()))

        def function(z: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it so
            y = q * ((mu * z - mu * mu / 2).exp() - 1)
            return (-z * z / 2).exp() * self._integrand(y, order, analytic=analytic)

        inner = integral(function, left, right, tolerance) / (2 * Ball.pi()).sqrt()
        return inner + self._beyond(order, Ball(left), Ball(right))

    def _ends(self, order: float, log_least: float) -> tuple[float, float]:
        """Where what lies beyond is negligible, as far as floats can tell."""
        mu, q = math.sqrt(float(self.mu_squared)), min(float(self.rate), 1 - 1e-16)
        r = max(order, 1.0) if self.direction is Direction.REMOVE else min(1 - order, 0.0)
        reach = math.sqrt(max(-2 * log_least, 0.0) + 40) + abs(r) * mu + 2 * mu
        z = np.linspace(-reach, reach, 2001)
        loss = mu * z - mu * mu / 2
        log_x = np.where(loss > 600, loss + math.log(q), np.log1p(q * np.expm1(np.minimum(loss, 600.0))))
        height = math.log(abs(r) + 1) + np.maximum(r * log_x, np.maximum(log_x, 0.0)) + 2.0
        rising = log_ndtr(z) + height
        falling = height - r * loss + r * (r - 1) * mu * mu / 2 + log_ndtr(r * mu - z) if r > 1 else None
        falling = log_ndtr(mu - z) + height if falling is None else falling
        low, high = np.flatnonzero(rising > log_least), np.flatnonzero(falling > log_least)
        first = float(z[max(int(low[0]) - 1, 0)]) if low.size else -reach
        last = float(z[min(int(high[-1]) + 1, z.size - 1)]) if high.size else reach
        return min(first, last - 1.0), max(last, mu, 1.0)

    def _beyond(self, order: Real, left: Ball, right: Ball) -> Ball:
        r"""Between 0 and a bound, or its negative where $0<r<1$.

        Right of a point $X\le\kappa e^l$ with $\kappa = Xe^{-l}$ there, so that $X^r$ adds at most
        $\kappa^re^{r(r-1)\mu^2/2}\,\Phi(r\mu-z)$ if $r>1$; otherwise $|X^r-1-ry|\le\max(1,|r|)X$. Left of one, $X$ is
        smaller than there: at most $X^r+rq$ if $r>1$, and $X+q$ if $0<r\le1$; if $r<0$ at most $X^r\le(1-q)^r$,
        and $X\ge e^l$ where $l\le0$, beside $|r|X$.
        """
        q, mu = ball(self.rate), ball(self.mu_squared).sqrt()
        remove = self.direction is Direction.REMOVE
        r = (ball(order) if order > 1 else Ball(2 if order == 1 else 1)) if remove else 1 - ball(order)
        most = abs(r).max(Ball(1))

        def ratio(z: Ball) -> tuple[Ball, Ball]:
            loss = mu * z - mu * mu / 2
            return loss, (q * loss.expm1()).log1p()

        end, log_end = ratio(right)
        if r > 1:
            above = (r * (log_end - end) + r * (r - 1) * mu * mu / 2).exp() * tail(right - r * mu)
        else:
            above = most * (tail(right) + q * tail(right - mu))
        _, log_start = ratio(left)
        if r > 0:
            below = ((r.max(Ball(1)) * log_start).exp() + most * q) * tail(-left)
        else:
            plain = (r * (-q).log1p()).exp() * tail(-left)
            tilted = (r * (r - 1) * mu * mu / 2).exp() * tail(r * mu - left)
            below = plain.min(tilted) + most * log_start.exp() * tail(-left)
            below = below if order > 1 else below - (-q).log1p() * tail(-left)
        bound = (above + below).upper()
        return Ball(0).union(bound) if order >= 1 else Ball(0).union(-bound)

    def _nodes(self, order: float) -> tuple[Floats, Floats]:
        return self._near if order <= 8 else self._spread(order)

    @cached_property
    def _near(self) -> tuple[Floats, Floats]:
        return self._spread(8.0)

    def _spread(self, order: float) -> tuple[Floats, Floats]:
        mu = math.sqrt(float(self.mu_squared))
        reach = max(order, 1.0) * mu + 9
        low, high = (-9.0, reach) if self.direction is Direction.REMOVE else (-reach, 9.0 + mu)
        z = np.linspace(low, high, max(NODES, math.ceil(4 * (high - low))))
        return mu * z - mu * mu / 2, math.log((z[1] - z[0]) / math.sqrt(2 * math.pi)) - z * z / 2


def tail(z: Ball) -> Ball:
    r"""$\Phi(-z)$."""
    return (z / Ball(2).sqrt()).erfc() / 2


@dataclass(frozen=True)
class SampledLaplaceCurve(SampledCurve):
    """Laplace noise: the loss has two atoms at ± the step and an exponential density between them."""

    step: Real

    def _is_plain(self) -> bool:
        return self.step <= 1000

    def _greatest(self) -> int:
        return MOST_ORDER

    def _unsampled(self) -> Curve:
        return LaplaceCurve(self.step)

    def _excess(self, order: Real) -> Ball:
        q, e = ball(self.rate), ball(self.step)

        def function(loss: acb, analytic: bool) -> acb:  # noqa: FBT001 - flint calls it so
            y = q * (loss.exp() - 1)
            return (-(loss + e) / 2).exp() * self._integrand(y, order, analytic=analytic)

        ends = (-e).exp() * self._term(q * e.expm1(), order) + self._term(q * (-e).expm1(), order)
        return ends / 2 + integral(function, -e, e, self._tolerance(order)) / 4

    def _term(self, y: Ball, order: Real) -> Ball:
        if order == 1:
            return mean_excess(y, self.direction)
        return with_excess(y, ball(order) if self.direction is Direction.REMOVE else 1 - ball(order))

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
    return Renyi(Facing((remove, add, add, remove), remove))


@describes("X-SGM-RDP", MTZ19.at("Thm. 4, 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_gaussian_curve(m: Sampled, inner: GDP) -> Renyi:
    r"""Sampling each record with probability $q$ before a Gaussian with $\mu=\Delta/\sigma$ gives exactly
    $D_\alpha = \frac{1}{\alpha-1}\ln\mathrm{E}(1-q+qe^{\mu Z-\mu^2/2})^\alpha$, $Z$ standard normal; for integer
    $\alpha$ the mean is $\sum_{j}\binom{\alpha}{j}(1-q)^{\alpha-j}q^je^{j(j-1)\mu^2/2}$.
    """
    if m.rate in {0, 1} or not inner.mu_squared:
        raise Declined("nothing is sampled, or nothing is lost")
    remove, add = (SampledNormalCurve(m.rate, d, inner.mu_squared) for d in (Direction.REMOVE, Direction.ADD))
    return worst_when_removed(remove, add)


@describes("X-SLAP-RDP", MTZ19.at("Thm. 4, 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_laplace_curve(m: Sampled, inner: LaplaceLoss) -> Renyi:
    r"""A Laplace mechanism with $\varepsilon=\Delta/b$ on a Poisson sample has exactly $D_\alpha =
    \frac{1}{\alpha-1}\ln\mathrm{E}_Q(1-q+qe^L)^\alpha$; the loss $L$ without sampling has, without the record, atoms
    $\frac12e^{-\varepsilon}$ at $\varepsilon$ and $\frac12$ at $-\varepsilon$, and density
    $\frac14e^{-(l+\varepsilon)/2}$.
    """
    if m.rate in {0, 1} or not inner.step:
        raise Declined("nothing is sampled, or nothing is lost")
    remove, add = (SampledLaplaceCurve(m.rate, d, inner.step) for d in (Direction.REMOVE, Direction.ADD))
    return worst_when_removed(remove, add)


__all__ = ["SampledCurve", "SampledLaplaceCurve", "SampledNormalCurve"]
