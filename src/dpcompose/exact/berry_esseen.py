r"""Sums of many small terms: the profile of the tilted normal law, and how far off it can be.

For every tilt $\tau > 0$, with $f(s) = e^{-\tau(s-t)}(1-e^{t-s})_+$ and the tilted law of $S$,

$$\mathrm{E}(1-e^{t-S})_+ = e^{K(\tau)-\tau t}\,\mathrm{E}_\tau f(S).$$

Replace $S$ by the normal $N$ with the tilted mean $\mu$ and variance $\sigma^2$. As $f$ rises from 0 to
$c(\tau) = \tau^\tau/(1+\tau)^{1+\tau}$ and falls back to 0, and as distribution functions differ by at most
$\rho = 0.56\,\sum\mathrm{E}_\tau|L-\mathrm{E}_\tau L|^3/\sigma^3$ (Berry and Esseen; the constant: Shevtsova 2010),

$$|\mathrm{E}_\tau f(S) - \mathrm{E} f(N)| \le 2c(\tau)\,\rho,$$
$$\mathrm{E} f(N) = g(\tau)-g(\tau+1),\qquad
  g(\alpha) = e^{-\alpha(\mu-t)+\alpha^2\sigma^2/2}\,\Phi\bigl((\mu-t)/\sigma-\alpha\sigma\bigr).$$
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcompose.exact.tilted import Tilted
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.precision import ctx

_BITS = 192


@dataclass(frozen=True, slots=True)
class NormalApproximation:
    """The normal approximation at one tilt, with its error."""

    tilt: float
    cumulant: Ball
    mean: Ball
    spread: Ball
    error: Ball

    @classmethod
    def at(cls, tilted: Tilted, tilt: float) -> NormalApproximation:
        """Whatever the tilt, the bounds hold."""
        with ctx.workprec(_BITS):
            k, mean, variance, third = tilted.balls(tilt)
            peak = (tilt * arb(tilt).log() - (1 + arb(tilt)) * arb(tilt).log1p()).exp()
            spread = variance.sqrt()
            return cls(tilt, k, mean, spread, 2 * peak * arb(56) / 100 * third / spread**3)

    @classmethod
    def near_level(cls, tilted: Tilted, level: float) -> NormalApproximation:
        """At the tilt that suits a level."""
        return cls.at(tilted, tilted.best(lambda x: tilted.floats(x)[0] - x * level - math.log(x * (1 + x))))

    @classmethod
    def near_mass(cls, tilted: Tilted, log_mass: float) -> NormalApproximation:
        """At the tilt that suits a value of the profile."""
        return cls.at(tilted, tilted.best(lambda x: (tilted.floats(x)[0] - math.log(x) - math.log1p(x) - log_mass) / x))

    def profile(self, level: Fraction) -> Enclosure:
        """`E(1-e^{t-S})_+` over the finite part."""
        with ctx.workprec(_BITS):
            t = ball(level)
            normal = self._part(arb(self.tilt), t) - self._part(1 + arb(self.tilt), t)
            scale = (self.cumulant - self.tilt * t).exp()
            lower = Enclosure.of(scale * (normal - self.error)).lower
            upper = Enclosure.of(scale * (normal + self.error)).upper
        return Enclosure(min(max(lower, 0.0), 1.0), max(min(upper, 1.0), 0.0))

    def _part(self, alpha: Ball, level: Ball) -> Ball:
        """`E[e^{-alpha (N-t)}; N > t]`."""
        ahead = self.mean - level
        z = ahead / self.spread - alpha * self.spread
        return ((alpha * self.spread) ** 2 / 2 - alpha * ahead).exp() * (-z / arb(2).sqrt()).erfc() / 2


__all__ = ["NormalApproximation"]
