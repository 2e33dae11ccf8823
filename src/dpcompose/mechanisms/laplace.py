"""Laplace noise on a query, coordinate by coordinate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import ApproxDP, Curve, LaplaceLossLaw, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import Param
from dpcompose.sources import DMNS06, MIR17, SMITH

SCALE = Param("b", 0, 10**150, "query units", typical=(0.3, 30))
SENSITIVITY = Param("Δ", 0, 10**150, "query units", typical=(0.1, 10))


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(Mechanism):
    """Add noise with density exp(−|x|/b)/2b to a query of ℓ₁ sensitivity `sensitivity`, on each of its coordinates."""

    scale: Annotated[Real, SCALE]
    sensitivity: Annotated[Real, SENSITIVITY] = 1
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


def step_of(shift: Real, scale: Real) -> Fraction:
    """The shift divided by the scale, which is the largest privacy loss; declines where there is no noise."""
    if shift == 0:
        return Fraction(0)
    if scale == 0:
        raise Declined("there is no noise")
    return Fraction(shift) / Fraction(scale)


@dataclass(frozen=True, slots=True)
class LaplaceCurve(Curve):
    r"""$\frac{1}{\alpha-1}\ln\left[\frac{\alpha}{2\alpha-1}e^{(\alpha-1)x}
    + \frac{\alpha-1}{2\alpha-1}e^{-\alpha x}\right]$ with $x = \Delta/b$; $x - 1 + e^{-x}$ at $\alpha = 1$.
    """

    step: Real

    def at(self, order: Real) -> Ball:
        """The curve; at most the step, which it approaches as the order grows."""
        x, a = ball(self.step), ball(order)
        if order == 1:
            return x + (-x).expm1()
        # ln[(α e^{(α-1)x} + (α-1) e^{-αx})/(2α-1)], with e^{(α-1)x} taken out so that nothing overflows.
        inside = (a * 1 + (a - 1) * ((1 - 2 * a) * x).exp()) / (2 * a - 1)
        return x + inside.log() / (a - 1)

    def guess(self, order: float) -> float:
        """The curve in floats."""
        x, a = float(self.step), order
        if a == 1 or a * x < 1e-3:
            return a * (x + math.expm1(-x)) if x > 1e-5 else a * x * x / 2
        return x + math.log((a + (a - 1) * math.exp((1 - 2 * a) * x)) / (2 * a - 1)) / (a - 1)


@describes("KOV-LAP", DMNS06.at("Prop. 1"))
def laplace_is_pure(m: Laplace) -> ApproxDP:
    r"""The mechanism is $(\Delta/b, 0)$-DP."""
    return ApproxDP(step_of(m.sensitivity, m.scale), 0)


@describes("SM-E2.1", SMITH.at("Ex. 2.1"), side=Side.BOTH)
def laplace_loss(m: Laplace) -> LaplaceLossLaw:
    r"""With $\varepsilon = \Delta/b$ the loss has atoms $\frac12$ at $\varepsilon$ and $\frac12 e^{-\varepsilon}$ at
    $-\varepsilon$, and density $\frac14 e^{(l-\varepsilon)/2}$ in between; its mean is
    $\varepsilon-1+e^{-\varepsilon}$.
    """
    return LaplaceLossLaw(step_of(m.sensitivity, m.scale))


@describes("RDP-LAP", MIR17.at("Prop. 6"), side=Side.BOTH)
def laplace_curve(m: Laplace) -> Renyi:
    r"""$D_\alpha = \frac{1}{\alpha-1}\ln\left[\frac{\alpha}{2\alpha-1}e^{(\alpha-1)\Delta/b} +
    \frac{\alpha-1}{2\alpha-1}e^{-\alpha\Delta/b}\right]$ exactly.
    """
    return Renyi(LaplaceCurve(step_of(m.sensitivity, m.scale)))


@describes("NO-NOISE", SMITH.at("Sec. 1"), side=Side.BOTH)
def silent_laplace_reveals(m: Laplace) -> SameAs:
    r"""With $b = 0 < \Delta$ the output tells the neighbours apart: name-and-shame with $\delta = 1$."""
    if m.scale != 0 or m.sensitivity == 0:
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=1, adjacency=m.adjacency))
