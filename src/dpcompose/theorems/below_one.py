r"""Lower bounds from Rényi divergences of orders below 1, which see how close δ is to 1.

As $\min(1,x)\le x^t$ for $0\le t\le1$, $1-\delta(\varepsilon) = \mathrm{E}\min(1,e^{\varepsilon-L})\le
e^{t\varepsilon}\,\mathrm{E}e^{-tL}$, whose logarithm is $t(\varepsilon-D_{1-t})$.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpcompose.errors import Declined
from dpcompose.kernel import Side, implies
from dpcompose.mechanisms.laplace import LaplaceCurve
from dpcompose.notions import Curve, Linear, Profile, Renyi, SumOfCurves, Value
from dpcompose.numerics.enclosure import NON_NEGATIVE, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.search import argmin
from dpcompose.sources import CHE52
from dpcompose.theorems.discrete_gaussian_curve import DiscreteGaussianCurve
from dpcompose.theorems.facing import Facing, undecided
from dpcompose.theorems.finite_curves import FiniteCurve, SampledFiniteCurve
from dpcompose.theorems.renyi import ResponseCurve
from dpcompose.theorems.sampled_curves import SampledCurve

EXACT = (Linear, ResponseCurve, LaplaceCurve, DiscreteGaussianCurve, FiniteCurve, SampledFiniteCurve, SampledCurve)
"""The curves whose formulas hold at every positive order."""
LEAST, MOST = 1e-3, 0.9999


def holds_below_one(curve: Curve) -> bool:
    """Whether the curve is the divergence of all positive orders."""
    if isinstance(curve, SumOfCurves):
        return all(holds_below_one(term) for term, _ in curve.terms)
    if isinstance(curve, Facing):
        return all(holds_below_one(reading) for reading in curve.readings)
    return isinstance(curve, EXACT)


@dataclass(frozen=True, slots=True)
class FromBelow(Profile):
    """δ and ε from below, by the best order found."""

    curve: Curve
    leak: Value

    def delta(self, epsilon: Real) -> Enclosure:
        r"""$1-(1-\delta_\infty)e^{(1-\alpha)(\varepsilon-D_\alpha)}$."""
        near = min(Enclosure.exactly(epsilon).upper, 1e300)
        order = self._best(lambda a, r: (1 - a) * (near - r))
        d = ball(self.leak)

        def formula() -> Ball:
            return d - (1 - d) * ((1 - ball(order)) * (ball(epsilon) - self.curve.at(order))).expm1()

        return Enclosure(min(max(enclose(formula).lower, 0.0), 1.0), 1.0)

    def epsilon(self, delta: Real) -> Enclosure:
        r"""$D_\alpha+\frac{1}{1-\alpha}\ln\frac{1-\delta}{1-\delta_\infty}$."""
        if delta >= 1:
            return NON_NEGATIVE
        log_rest = math.log(float(1 - delta) or 5e-324)
        order = self._best(lambda a, r: -(r + log_rest / (1 - a)))

        def formula() -> Ball:
            odds = (-ball(delta)).log1p() - (-ball(self.leak)).log1p()
            return self.curve.at(order) + odds / (1 - ball(order))

        found = enclose(formula).lower
        return Enclosure(found if 0.0 < found < math.inf else 0.0, math.inf)

    def _best(self, height: Callable[[float, float], float]) -> float:
        """The order that says most, as far as floats can tell."""
        return argmin(lambda a: height(a, self.curve.guess(a)), LEAST, MOST, samples=13, tolerance=1e-3)


@implies("RDP-BELOW", CHE52.at("Thm. 1"), side=Side.LOWER, cost=2)
def renyi_from_below(g: Renyi) -> Profile:
    r"""$\delta(\varepsilon)\ge1-(1-\delta_\infty)e^{(1-\alpha)(\varepsilon-D_\alpha)}$ for every $0<\alpha<1$, where
    $\delta_\infty$ leaks and $D$ is the exact divergence of the rest.
    """
    if not holds_below_one(g.curve):
        raise Declined("orders below 1 are not known")
    if g.delta != 0 and undecided(g.curve):
        raise Declined("the two inputs leak differently")
    return FromBelow(g.curve, g.delta)
