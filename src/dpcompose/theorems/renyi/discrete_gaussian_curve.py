r"""The exact Rényi curve of discrete Gaussian noise: a ratio of two values of Jacobi's theta function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.discrete_gaussian import DiscreteGaussian
from dpcompose.notions import Curve, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.sources import CKS20


@dataclass(frozen=True, slots=True)
class DiscreteGaussianCurve(Curve):
    r"""$\frac{\alpha\Delta^2}{2\sigma^2}+\frac1s\ln\frac{\theta(s\Delta)}{\theta(0)}$ with $s = \alpha-1$ and
    $\theta(c) = \sum_xe^{-(x-c)^2/2\sigma^2}$ over the integers, which has period 1 and is largest at 0.
    """

    noise_std: Real
    shift: int

    def at(self, order: Real) -> Ball:
        """Equal to that of the continuous Gaussian wherever sΔ is whole."""
        slope = ball(Fraction(self.shift) ** 2) / (2 * ball(self.noise_std) ** 2)
        away = (Fraction(order) - 1) * self.shift % 1
        if away == 0 or self.shift == 0:
            return slope * ball(order)
        ratio = self._by_frequencies(away) if self.noise_std >= 1 else self._by_places(away)
        return slope * ball(order) + ratio / (ball(order) - 1)

    def _by_places(self, away: Fraction) -> Ball:
        r"""$\ln\theta(c)/\theta(0)$, integer by integer; beyond $R$ heights fall by $e^{-R/\sigma^2}$ a step."""
        sigma = ball(self.noise_std)
        reach = math.ceil(math.sqrt(1.0 + 1.4 * (ctx.prec + 20) * float(self.noise_std) ** 2)) + 1
        step = (-reach / sigma**2).exp()
        rest = Ball(0).union((2 * (-(Ball(reach) ** 2) / (2 * sigma**2)).exp() / (1 - step)).upper())

        def theta(c: Ball) -> Ball:
            places = range(-reach, reach + 2)
            return sum(((-((x - c) ** 2) / (2 * sigma**2)).exp() for x in places), rest)

        return (theta(ball(away)) / theta(Ball(0))).log()

    def _by_frequencies(self, away: Fraction) -> Ball:
        r"""Poisson's formula: $\theta(c)\propto1+2\sum_{k\ge1}e^{-2\pi^2\sigma^2k^2}\cos2\pi kc$."""
        fall = -2 * (Ball.pi() * ball(self.noise_std)) ** 2
        most = math.ceil(math.sqrt((ctx.prec + 20) / 28.0)) + 1
        sizes = [(fall * (k * k)).exp() for k in range(1, most + 1)]
        rest = Ball(0).union((2 * (fall * (most + 1) ** 2).exp() / (1 - fall.exp())).upper())
        drop = sum((4 * e * (Ball.pi() * k * ball(away)).sin() ** 2 for k, e in enumerate(sizes, 1)), 2 * rest)
        whole = 1 + 2 * sum(sizes, Ball(0)) + rest
        return (-drop / whole).log1p()

    def guess(self, order: float) -> float:
        """The continuous curve, which lies above."""
        return order * (self.shift / float(self.noise_std)) ** 2 / 2


@describes("RDP-DG", CKS20.at("Prop. 5"), side=Side.BOTH)
def discrete_gaussian_curve(m: DiscreteGaussian) -> Renyi:
    r"""$D_\alpha = \frac{\alpha\Delta^2}{2\sigma^2}+\frac{1}{\alpha-1}\ln\frac{\theta((\alpha-1)\Delta)}{\theta(0)}$,
    $\theta(c) = \sum_{x\in\mathbb Z}e^{-(x-c)^2/2\sigma^2}$: as for continuous noise at whole $\alpha$, less between.
    """
    if m.noise_std == 0:
        raise Declined("there is no noise")
    return Renyi(DiscreteGaussianCurve(m.noise_std, m.sensitivity))
