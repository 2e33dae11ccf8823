r"""Lower bounds from Rényi divergences of orders below 1, which see how close δ is to 1.

As $\min(1,x)\le x^t$ for $0\le t\le1$, and as an infinite loss counts nothing,
$$1-\delta(\varepsilon) = \mathrm{E}[\min(1,e^{\varepsilon-L});L<\infty]\le
e^{t\varepsilon}\,\mathrm{E}[e^{-tL};L<\infty] = e^{t\varepsilon}\int_{p,q>0}p^{1-t}q^t.$$
Let $a$ of the first input's outputs be impossible under the second, and $b$ of the second's under the first. What
remains of them has the masses $1-a$ and $1-b$, and a curve says the divergence $D$ of the two after division by these:
$$\int_{p,q>0}p^{1-t}q^t = (1-a)^{1-t}(1-b)^t\,e^{-tD_{1-t}}.$$
Leaky randomized response has $a = b$, and the factor is $1-a$. A sampled record leaks only where it is, so there
$b = 0$ and the factor is $(1-a)^{1-t}$; and as $(1-b)^t\le1$, this one is right of any $b$.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpcompose.errors import Declined
from dpcompose.kernel import Side, implies
from dpcompose.mechanisms.laplace import LaplaceCurve
from dpcompose.notions import Curve, Divergence, Linear, Profile, Renyi, SumOfReadings, Value
from dpcompose.numerics.enclosure import NON_NEGATIVE, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.search import argmin
from dpcompose.sources import CHE52
from dpcompose.theorems.renyi.conversions import NEAR, ResponseCurve
from dpcompose.theorems.renyi.discrete_gaussian_curve import DiscreteGaussianCurve
from dpcompose.theorems.renyi.finite_curves import FiniteCurve, SampledFiniteCurve
from dpcompose.theorems.renyi.readings import FourReadings, Same, undecided
from dpcompose.theorems.renyi.sampled_curves import SampledCurve

EXACT = (Linear, ResponseCurve, LaplaceCurve, DiscreteGaussianCurve, FiniteCurve, SampledFiniteCurve, SampledCurve)
"""The curves whose formulas hold at every positive order."""
ALIKE = (Linear, ResponseCurve, LaplaceCurve, DiscreteGaussianCurve, SampledCurve)
"""The curves of pairs that leak nothing, or as much in either order."""
LEAST, MOST = 1e-3, 0.9999


def holds_below_one(curve: Divergence) -> bool:
    """Whether the curve is the divergence of all positive orders."""
    if isinstance(curve, Same):
        return holds_below_one(curve.reading)
    if isinstance(curve, SumOfReadings):
        return all(holds_below_one(term) for term, _ in curve.terms)
    if isinstance(curve, FourReadings):
        return all(holds_below_one(reading) for reading in curve.readings)
    return isinstance(curve, EXACT)


def leaks_alike(curve: Divergence) -> bool:
    """Whether each input is known to leak as much as the other."""
    if isinstance(curve, Same):
        return leaks_alike(curve.reading)
    if isinstance(curve, SumOfReadings):
        return all(leaks_alike(term) for term, _ in curve.terms)
    return isinstance(curve, ALIKE) or (isinstance(curve, FiniteCurve) and curve.law == curve.other)


@dataclass(frozen=True, slots=True)
class FromBelow(Profile):
    """δ and ε from below, by the best order found."""

    curve: Curve
    leak: Value
    other_leak: Value
    """A lower bound on what the second input leaks."""

    def _log_kept(self, order: float) -> Ball:
        r"""$\alpha\ln(1-a)+(1-\alpha)\ln(1-b)$."""
        a = ball(order)
        return a * (-ball(self.leak)).log1p() + (1 - a) * (-ball(self.other_leak)).log1p()

    def delta(self, epsilon: Real) -> Enclosure:
        r"""$1-(1-a)^\alpha(1-b)^{1-\alpha}e^{(1-\alpha)(\varepsilon-D_\alpha)}$."""
        near = min(Enclosure.exactly(epsilon).upper, 1e300)
        order = self._best(lambda a, r: (1 - a) * (near - r))

        def formula() -> Ball:
            return -(self._log_kept(order) + (1 - ball(order)) * (ball(epsilon) - self.curve.at(order))).expm1()

        return Enclosure(min(max(enclose(formula, gap=NEAR).lower, 0.0), 1.0), 1.0)

    def epsilon(self, delta: Real) -> Enclosure:
        r"""$D_\alpha+\frac{1}{1-\alpha}\ln\frac{1-\delta}{(1-a)^\alpha(1-b)^{1-\alpha}}$."""
        if delta >= 1:
            return NON_NEGATIVE
        log_rest = math.log(float(1 - delta) or 5e-324)
        order = self._best(lambda a, r: -(r + log_rest / (1 - a)))

        def formula() -> Ball:
            return self.curve.at(order) + ((-ball(delta)).log1p() - self._log_kept(order)) / (1 - ball(order))

        found = enclose(formula, gap=NEAR).lower
        return Enclosure(found if 0.0 < found < math.inf else 0.0, math.inf)

    def _best(self, height: Callable[[float, float], float]) -> float:
        """The order that says most, as far as floats can tell."""
        return argmin(lambda a: height(a, self.curve.guess(a)), LEAST, MOST, samples=13, tolerance=1e-3)


@implies("RDP-BELOW", CHE52.at("Thm. 1"), side=Side.LOWER, cost=8)
def renyi_from_below(g: Renyi) -> Profile:
    r"""$\delta(\varepsilon)\ge1-(1-a)^\alpha(1-b)^{1-\alpha}e^{(1-\alpha)(\varepsilon-D_\alpha)}$ for every
    $0<\alpha<1$, where the inputs leak $a$ and $b$, and $D$ is the exact divergence of what remains of each.
    """
    if not holds_below_one(g.curve):
        raise Declined("orders below 1 are not known")
    if g.delta != 0 and undecided(g.curve):
        raise Declined("the two inputs leak differently")
    return FromBelow(g.curve, g.delta, g.delta if leaks_alike(g.curve) else 0)
