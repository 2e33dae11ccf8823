"""Rényi divergences of discrete Gaussian noise on a Poisson sample: at whole orders those of continuous noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import Divergence, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.sources import CKS20
from dpcompose.theorems.loss.transform import in_between
from dpcompose.theorems.renyi.discrete_gaussian_curve import DiscreteGaussianCurve
from dpcompose.theorems.renyi.readings import FourReadings
from dpcompose.theorems.renyi.sampled_normal_curve import SampledNormalCurve

MOST_SUMMED = 256
"""Up to so great an order the moment is summed term by term."""


@dataclass(frozen=True, slots=True)
class SampledDiscreteCurve(Divergence):
    r"""Exact at whole orders; between them $(\alpha-1)D_\alpha$ lies below its chord, and D does not fall."""

    rate: Real
    noise_std: Real
    shift: int

    @property
    def _normal(self) -> SampledNormalCurve:
        return SampledNormalCurve(self.rate, Direction.REMOVE, (Fraction(self.shift) / Fraction(self.noise_std)) ** 2)

    def at(self, order: Real) -> Ball:
        """Between the value at the whole order below and the chord."""
        low = math.floor(order)
        if order == low and low > 1:
            return self._whole(low)
        x, low = ball(order), max(low, 1)
        left = self._whole(low) if low > 1 else Ball(0)
        chord = (low + 1 - x) * (low - 1) * left + (x - low) * low * self._whole(low + 1)
        high = chord / (x - 1) if order > 1 else self._whole(2)
        return left.union(high.min(DiscreteGaussianCurve(self.noise_std, self.shift).at(order)))

    def _whole(self, order: int) -> Ball:
        r"""$\frac{1}{\alpha-1}\ln\bigl(1+\sum_{j\ge2}\binom\alpha j(1-q)^{\alpha-j}q^j(e^{j(j-1)\mu^2/2}-1)\bigr)$."""
        if order > MOST_SUMMED:
            return self._normal.at(order)
        q, half = ball(self.rate), ball(self._normal.mu_squared) / 2
        terms = (
            math.comb(order, j) * (1 - q) ** (order - j) * q**j * (j * (j - 1) * half).expm1()
            for j in range(2, order + 1)
        )
        return sum(terms, Ball(0)).log1p() / (order - 1)

    def guess(self, order: float) -> float:
        """The continuous curve."""
        return self._normal.guess(order)


@dataclass(frozen=True, slots=True)
class NoMoreThan(Divergence):
    """Something between 0 and another divergence."""

    curve: Divergence

    def at(self, order: Real) -> Ball:
        """All that is known."""
        return Ball(0).union(self.curve.at(order))

    def guess(self, order: float) -> float:
        """At most the other."""
        return self.curve.guess(order)


@describes("X-SDG-RDP", CKS20.at("Prop. 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_discrete_curve(m: Sampled, inner: Renyi) -> Renyi:
    r"""At whole $\alpha\ge2$, $\mathrm{E}_Q(1-q+qe^L)^\alpha = \sum_j\binom\alpha j(1-q)^{\alpha-j}q^j
    e^{j(j-1)\Delta^2/2\sigma^2}$ as for continuous noise, since the moments of discrete noise are the same at whole
    orders; adding a record costs no more than removing it, the pair being symmetric.
    """
    curve, rate = inner.curve, in_between(m.rate)
    if not isinstance(curve, DiscreteGaussianCurve) or not curve.shift:
        raise Declined("the mechanism inside is not a discrete Gaussian")
    remove = SampledDiscreteCurve(rate, curve.noise_std, curve.shift)
    add = NoMoreThan(remove)
    return Renyi(FourReadings((remove, add, add, remove), leading=0))
