"""Rényi divergences: curves add order by order, and any one order bounds δ."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from dpcompose.description import Adaptivity
from dpcompose.errors import Declined
from dpcompose.kernel import Parts, Side, composes, implies
from dpcompose.notions import (
    GDP,
    ZCDP,
    ApproxDP,
    Curve,
    Divergence,
    Linear,
    Profile,
    Renyi,
    SumOfCurves,
    SumOfReadings,
    Value,
)
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.search import argmin
from dpcompose.sources import BS16, CKS20, MIR17
from dpcompose.theorems.approx.steps import beyond_leak, leak_of, sum_of
from dpcompose.theorems.renyi.readings import READINGS, FourReadings, reading, undecided

LEAST_ORDER, MOST_ORDER = 1e-9, 1e9
ORDERS = math.log(LEAST_ORDER), math.log(MOST_ORDER)
"""The search looks at orders 1 + s for s in between; any order is valid, a poor one is only loose."""

D = TypeVar("D", bound=Divergence)
FLOAT_BITS = 53
NEAR = 2.0**-30
"""A bound by one order is no nearer to the truth than this; integrals for sampled noise take long to come nearer."""

SILENT = Linear(0)
"""A divergence of 0 says that both outputs have one law; no conversion of a single order says as much."""


@dataclass(frozen=True, slots=True)
class ResponseCurve(Curve):
    r"""$\frac{1}{\alpha-1}\ln\frac{\cosh((\alpha-\frac12)\varepsilon)}{\cosh(\varepsilon/2)}$, and
    $\varepsilon\tanh(\varepsilon/2)$ at $\alpha = 1$: randomized response, the worst of all ε-DP mechanisms.
    """

    epsilon: Real

    def at(self, order: Real) -> Ball:
        r"""As $\ln(1+2\sinh\frac{\alpha\varepsilon}2\sinh\frac{(\alpha-1)\varepsilon}2/\cosh\frac\varepsilon2)$, or,
        where that grows, as ε less a remainder.
        """
        e, a = ball(self.epsilon), ball(order)
        if order == 1:
            return e * (e / 2).tanh()
        if Fraction(order) * Fraction(self.epsilon) > 30:
            return e - ((-e).exp().log1p() - ((1 - 2 * a) * e).exp().log1p()) / (a - 1)
        return (2 * (a * e / 2).sinh() * ((a - 1) * e / 2).sinh() / (e / 2).cosh()).log1p() / (a - 1)

    def guess(self, order: float) -> float:
        """The curve in floats."""
        e, a = float(self.epsilon), order
        if a == 1:
            return e * math.tanh(e / 2)
        if a * e > 30:
            return e - (math.log1p(math.exp(-e)) - math.log1p(math.exp((1 - 2 * a) * e))) / (a - 1)
        return math.log1p(2 * math.sinh(a * e / 2) * math.sinh((a - 1) * e / 2) / math.cosh(e / 2)) / (a - 1)


class Conversion(ABC):
    """How a divergence of at most r at order α bounds δ at ε, and ε at δ, from above."""

    @staticmethod
    @abstractmethod
    def epsilon(order: Ball, r: Ball, log_delta: Ball) -> Ball:
        """ε at ln δ."""

    @staticmethod
    @abstractmethod
    def log_delta(order: Ball, r: Ball, epsilon: Ball) -> Ball:
        """The logarithm of δ at ε."""


class Mironov(Conversion):
    """Markov's inequality."""

    @staticmethod
    def epsilon(order: Ball, r: Ball, log_delta: Ball) -> Ball:
        r"""$r+\ln(1/\delta)/(\alpha-1)$."""
        return r - log_delta / (order - 1)

    @staticmethod
    def log_delta(order: Ball, r: Ball, epsilon: Ball) -> Ball:
        r"""$(\alpha-1)(r-\varepsilon)$."""
        return (order - 1) * (r - epsilon)


class CanonneKamathSteinke(Conversion):
    """The least upper bound that one order gives."""

    @staticmethod
    def epsilon(order: Ball, r: Ball, log_delta: Ball) -> Ball:
        r"""$r+\ln\frac{\alpha-1}\alpha-\frac{\ln\delta+\ln\alpha}{\alpha-1}$."""
        return r + (-1 / order).log1p() - (log_delta + order.log()) / (order - 1)

    @staticmethod
    def log_delta(order: Ball, r: Ball, epsilon: Ball) -> Ball:
        r"""$(\alpha-1)(r-\varepsilon)+\alpha\ln(1-\frac1\alpha)-\ln(\alpha-1)$."""
        return (order - 1) * (r - epsilon) + order * (-1 / order).log1p() - (order - 1).log()


@dataclass(frozen=True, slots=True)
class OneOrder(Profile):
    """δ and ε from the best single order, searched in floats and certified in balls."""

    curve: Curve
    leak: Value
    conversion: type[Conversion]

    def best_order(self, log_delta: float | None = None, epsilon: float | None = None) -> float:
        """The order that gives the least upper bound on ε (given ln δ) or δ (given ε), as far as floats can tell."""
        found = argmin(lambda s: self._guess(1 + math.exp(s), log_delta, epsilon), *ORDERS, samples=49, tolerance=1e-9)
        return 1 + math.exp(found)

    def _guess(self, order: float, log_delta: float | None, epsilon: float | None = None) -> float:
        """ε (given ln δ) or ln δ (given ε) from one order, in floats."""
        effort.count(600)
        r = self.curve.guess(order)
        if not math.isfinite(r):
            return math.inf
        with ctx.workprec(FLOAT_BITS):  # whatever the caller works with, the same order is found
            if log_delta is not None:
                return float(self.conversion.epsilon(Ball(order), Ball(r), Ball(log_delta)))
            return float(self.conversion.log_delta(Ball(order), Ball(r), Ball(epsilon)))

    def roughly(self, delta: Real) -> Enclosure | None:
        """What a good order gives: the best one gives hardly less."""
        d = beyond_leak(delta, ((self.leak, 1),))
        if not 0.0 < d.lower < 1.0:
            return None
        aim = math.log(d.lower)
        order = 1 + math.exp(argmin(lambda s: self._guess(1 + math.exp(s), aim), *ORDERS, samples=25, tolerance=0.05))
        found = max(self._guess(order, aim), 0.0)
        return Enclosure(0.95 * found, found) if math.isfinite(found) else None

    def epsilon_at(self, order: Real, d: Enclosure) -> Enclosure:
        """ε from one order, for δ′ in `d`."""
        return enclose(lambda: self.conversion.epsilon(ball(order), self.curve.at(order), ball(d).log()), gap=NEAR)

    def delta_at(self, order: Real, epsilon: Real) -> Enclosure:
        """δ′ from one order."""
        return enclose(
            lambda: self.conversion.log_delta(ball(order), self.curve.at(order), ball(epsilon)).exp(), gap=NEAR
        )

    def epsilon(self, delta: Real) -> Enclosure:
        """The least upper bound found; nothing below 0."""
        if delta >= 1:
            return ZERO
        d = beyond_leak(delta, ((self.leak, 1),))
        if d.lower >= 0 and self.curve == SILENT:
            return ZERO
        if d.lower <= 0:
            raise Declined("no finite order says anything at a δ that does not exceed the leak")
        order = self.best_order(log_delta=math.log(d.lower))
        found = self.epsilon_at(order, d)
        return Enclosure(max(found.lower, 0.0), max(found.upper, 0.0))

    def delta(self, epsilon: Real) -> Enclosure:
        """The least upper bound found, together with the leak; never above 1."""
        near = Enclosure.exactly(epsilon).upper
        order = self.best_order(epsilon=min(near, 1e300))
        found = ZERO if self.curve == SILENT else self.delta_at(order, epsilon)
        d = Enclosure(min(max(found.lower, 0.0), 1.0), min(found.upper, 1.0))
        return enclose(lambda: ball(d) + (1 - ball(d)) * ball(self.leak)) & UNIT_INTERVAL


def leak_in(adaptivity: Adaptivity, deltas: tuple[tuple[Value, int], ...]) -> Value:
    """What the parts' own δ come to: their sum when parameters may depend on outputs, else the chance of one."""
    if all(d == 0 for d, _ in deltas):
        return 0
    total = sum_of if adaptivity is Adaptivity.FULLY_ADAPTIVE else leak_of
    found = enclose(lambda: total(deltas))
    return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))


def added(terms: tuple[tuple[Curve, int], ...]) -> Curve:
    """One curve for many: reading by reading, where the largest is not known beforehand."""
    total: dict[Curve, int] = {}
    for curve, count in terms:
        if count:
            total[curve] = total.get(curve, 0) + count
    leading = {curve.leading for curve in total if isinstance(curve, FourReadings)}
    if not leading:
        line, others = _line_up(total.items())
        return SumOfCurves(((line, 1), *others)) if others else line
    first, second, third, fourth = (
        _one_reading((reading(curve, i), n) for curve, n in total.items()) for i in range(READINGS)
    )
    return FourReadings((first, second, third, fourth), leading.pop() if len(leading) == 1 else None)


def _one_reading(terms: Iterable[tuple[Divergence, int]]) -> Divergence:
    """What is read in one way, added up."""
    line, others = _line_up(terms)
    return SumOfReadings(((line, 1), *others)) if others else line


def _line_up(terms: Iterable[tuple[D, int]]) -> tuple[Linear, tuple[tuple[D, int], ...]]:
    """All linear curves as one line, and the rest."""
    found = list(terms)
    slope = total_of(tuple((curve.rho, n) for curve, n in found if isinstance(curve, Linear)))
    return Linear(slope), tuple((curve, n) for curve, n in found if not isinstance(curve, Linear))


def total_of(values: tuple[tuple[Value, int], ...]) -> Value:
    """A sum, exact where every term is."""
    if any(isinstance(v, Enclosure) for v, _ in values):
        return enclose(lambda: sum((n * ball(v) for v, n in values), Ball(0))) & NON_NEGATIVE
    return sum((n * Fraction(v) for v, n in values), Fraction(0))  # type: ignore[arg-type]


@implies("RDP-RR", MIR17.at("Prop. 5"), side=Side.BOTH)
def approx_to_renyi(g: ApproxDP) -> Renyi:
    r"""An $(\varepsilon,\delta)$-DP mechanism is, outside an event of probability $\delta$, randomized response
    or milder, so $D_\alpha\le\frac{1}{\alpha-1}\ln\frac{\cosh((\alpha-1/2)\varepsilon)}{\cosh(\varepsilon/2)}$ there,
    and no smaller curve holds for every such mechanism.
    """
    return Renyi(ResponseCurve(g.epsilon), g.delta)


@implies("RDP-GAUSS", MIR17.at("Prop. 7"), side=Side.BOTH)
def gdp_to_renyi(g: GDP) -> Renyi:
    r"""$\mu$-GDP gives $D_\alpha\le\alpha\mu^2/2$, with equality for the Gaussian: $\alpha\Delta^2/2\sigma^2$."""
    return Renyi(Linear(Fraction(g.mu_squared) / 2))


@implies("ZCDP-RDP", BS16.at("Def. 1.1"))
def zcdp_to_renyi(g: ZCDP) -> Renyi:
    r"""$\rho$-zCDP says $D_\alpha\le\rho\alpha$ for every $\alpha>1$."""
    return Renyi(Linear(g.rho), g.delta)


@composes(
    "RDP-P1",
    MIR17.at("Prop. 1"),
    side=Side.BOTH,
    adaptivity=Adaptivity.FULLY_ADAPTIVE,
    aliases=("RDP-HET", "RDP-UNLEARN"),
)
def renyi_adds(parts: Parts[Renyi]) -> Renyi:
    r"""Rényi curves add, order by order, under adaptive composition: $r(\alpha) = \sum r_i(\alpha)$. With budgets
    for every order fixed in advance the same holds when parameters depend on earlier outputs. A pair is read in one
    order throughout: the curves of each order add, and the larger sum counts. Where each part may face either way, the
    larger order of each counts.
    """
    curve = added(tuple((g.curve, n) for g, n in parts.items))
    if undecided(curve) and parts.adaptivity is Adaptivity.FULLY_ADAPTIVE and sum(n for _, n in parts.items) > 1:
        raise Declined("budgets that are capped hold for the larger order of every part")
    return Renyi(curve, leak_in(parts.adaptivity, tuple((g.delta, n) for g, n in parts.items)))


@implies("RDP-CONV", MIR17.at("Prop. 3"), adaptivity=Adaptivity.FULLY_ADAPTIVE, cost=3, surpassed=True)
def renyi_to_profile_mironov(g: Renyi) -> Profile:
    r"""If $D_\alpha\le r$ then $(r+\frac{\ln(1/\delta)}{\alpha-1},\delta)$-DP for every $0<\delta<1$; take the best
    $\alpha>1$, any real number. RDP-CKS says less by $(\alpha-1)^{\alpha-1}/\alpha^\alpha<1$ at every order.
    """
    return OneOrder(g.curve, g.delta, Mironov)


@implies("RDP-CKS", CKS20.at("Prop. 12"), adaptivity=Adaptivity.FULLY_ADAPTIVE, cost=3)
def renyi_to_profile(g: Renyi) -> Profile:
    r"""If $D_\alpha\le r$ then $\delta(\varepsilon)\le\frac{e^{(\alpha-1)(r-\varepsilon)}}{\alpha-1}
    \left(1-\frac1\alpha\right)^\alpha$; take the best $\alpha>1$, any real number.
    """
    return OneOrder(g.curve, g.delta, CanonneKamathSteinke)


__all__ = [
    "CanonneKamathSteinke",
    "Conversion",
    "Mironov",
    "OneOrder",
    "ResponseCurve",
    "added",
    "leak_in",
    "total_of",
]
