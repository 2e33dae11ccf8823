r"""The best order: where a Rényi curve converts to the least ε.

With $s=\alpha-1$ and the convex $c(s) = s\,D_{1+s}$ the conversions are $(c(s)+h(s)+\ln\frac1\delta)/s$,
where $h = 0$ (Mironov) or $h = s\ln s-(s+1)\ln(s+1)$ (Canonne, Kamath and Steinke) is convex too and $h(0)
= 0$. Such a quotient first falls and then rises: three points with the middle one lowest enclose the
minimiser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcompose.errors import Declined
from dpcompose.notions import Curve
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke, Conversion

_LOWEST, _HIGHEST = -800, 800
"""ln(α − 1) is sought in between: every order that a float can tell from 1 and from infinity."""

_BITS = (384, 1200, 4000)


@dataclass(frozen=True, slots=True)
class BestOrder:
    """The minimising order and the ε it gives; neither is clamped."""

    order: Enclosure
    epsilon: Enclosure


UNBOUNDED = BestOrder(Enclosure(math.inf, math.inf), Enclosure(math.inf, math.inf))


def best_order(curve: Curve, conversion: type[Conversion], delta: Real) -> BestOrder:
    """Enclose the order α > 1 that bounds ε best at δ, and that bound; the curve must be a Rényi divergence.

    Declines where no order of the searched range is best, as for a bounded curve and a small δ.
    """
    if delta <= 0:
        return UNBOUNDED
    if delta >= 1:  # the order goes to 1: there Mironov leaves the divergence and the sharper bound is trivial
        value = Enclosure(-math.inf, -math.inf) if conversion is CanonneKamathSteinke else _at_one(curve)
        return BestOrder(Enclosure(1.0, 1.0), value)
    for bits in _BITS:
        with ctx.workprec(bits):
            height = _Height(curve, conversion, ball(delta).log())
            found = _bracketed(height, _refined(height, _guess(height)))
        if found is not None:
            return found
    raise Declined("no single order is best: the bound falls as the order grows")


def _bracketed(height: _Height, centre: Ball) -> BestOrder | None:
    """Three points about the centre, as close as the precision can tell them apart."""
    for doublings in range(64, 0, -4):
        width = arb(2) ** -doublings
        left, middle, right = (_order(centre + width * side) for side in (-1, 0, 1))
        if height.at(left) > height.at(middle) < height.at(right):
            orders = Enclosure.of(ball(left).union(ball(right)))
            return BestOrder(orders, Enclosure.of(height.over(left, right)))
    return None


@dataclass(frozen=True, slots=True)
class _Height:
    """ε as a function of the order."""

    curve: Curve
    conversion: type[Conversion]
    log_delta: Ball

    def at(self, order: Fraction) -> Ball:
        """At one order."""
        return self.conversion.epsilon(ball(order), self.curve.at(order), self.log_delta)

    def over(self, least: Fraction, most: Fraction) -> Ball:
        """Over an interval of orders, on which the divergence rises from one end to the other."""
        r = self.curve.at(least).union(self.curve.at(most))
        return self.conversion.epsilon(ball(least).union(ball(most)), r, self.log_delta)


def _at_one(curve: Curve) -> Enclosure:
    return enclose(lambda: curve.at(1))


def _order(log_excess: Ball) -> Fraction:
    """1 + e^u for the centre of a ball u, exactly some number near it."""
    mantissa, exponent = log_excess.mid().exp().mid().man_exp()
    return 1 + Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _guess(height: _Height) -> Ball:
    """Halve towards the sign change of the slope, which a difference in balls sees however flat the valley is."""
    low, high, h = arb(_LOWEST), arb(_HIGHEST), arb(2) ** -24
    for _ in range(40):
        middle = (low + high) / 2
        rising = (height.at(_order(middle + h)) - height.at(_order(middle - h))).mid() > 0
        low, high = (low, middle) if rising else (middle, high)
    return ((low + high) / 2).mid()


def _refined(height: _Height, guess: Ball) -> Ball:
    """Newton's steps on differences: each doubles the digits until the differences limit them."""
    u, h = guess, arb(2) ** -48
    for _ in range(4):
        below, here, above = (height.at(_order(u + h * side)).mid() for side in (-1, 0, 1))
        bend = above - 2 * here + below
        if not bend > 0:
            break
        move = h * (below - above) / (2 * bend)
        if not move.is_finite() or not abs(move) < 1:
            break
        u = (u + move).mid()
    return u


__all__ = ["UNBOUNDED", "BestOrder", "best_order"]
