r"""Repeated runs of which the best is kept.

With $f(x)=\mathrm{E}x^K$ the output $y$ has density $A(y)=Q(y)f'(q)$, $q$ the chance that one run is no better (ties
broken at random), so $A/A'=(Q/Q')\cdot f'(q)/f'(q')$. Everything rests on what bounds the second factor: the event
"better than $y$" has $1-q'\le e^{\varepsilon_1}(1-q)+\delta(\varepsilon_1)$.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpcompose.errors import Declined
from dpcompose.kernel import describes
from dpcompose.mechanisms.batches.repeated import RepeatAndSelect, times
from dpcompose.notions import GDP, Alone, Curve, FiniteLoss, LaplaceLossLaw, Profile, Renyi
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.search import argmin
from dpcompose.sources import KRW24, PS22
from dpcompose.theorems.gdp import NormalProfile
from dpcompose.theorems.loss.exact_sums import LaplaceProfile, SumOfLosses
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke, OneOrder

SHARES = (-9, -7, -6, -5, -4, -3, -2, -1, 0, 2, 5)
"""Of γ, as powers of two: how large δ(ε₁) may be where the best ε₁ is sought."""
BESIDE = ((0.7, 0.8, 0.9, 1.1, 1.25), (0.96, 0.98, 1.02, 1.04))
"""Around the best of these, relatively, and once more."""
MOST_LEVEL = 200.0


@dataclass(frozen=True, slots=True)
class Selected(Profile):
    """E K · δ(ε − s), s what the selection adds."""

    one: Profile
    mean: Real
    shift: float

    def delta(self, epsilon: Real) -> Enclosure:
        """One run's δ at the level that is left, times the mean number of runs."""
        return self.deltas((epsilon,))[0]

    def deltas(self, epsilons: Sequence[Real]) -> list[Enclosure]:
        """The same at many levels, which one run answers all at once."""
        left = [enclose(lambda e=e: ball(e) - ball(self.shift)) for e in epsilons]  # type: ignore[misc]  # e is bound
        inside = [i for i, e in enumerate(epsilons) if e > self.shift]
        high = self.one.deltas([max(left[i].lower, 0.0) for i in inside]) if inside else []
        low = self.one.deltas([left[i].upper for i in inside]) if inside else []
        found = [Enclosure(1.0, 1.0)] * len(left)
        for i, most, least in zip(inside, high, low, strict=True):
            found[i] = self._scaled(min(least.lower, most.upper), most.upper)  # a searched bound need not fall with ε
        return found

    def _scaled(self, low: float, high: float) -> Enclosure:
        scaled = enclose(lambda: ball(self.mean) * ball(Enclosure(low, high)), gap=1.0)
        return Enclosure(min(scaled.lower, 1.0), min(scaled.upper, 1.0)) & UNIT_INTERVAL

    def epsilon(self, delta: Real) -> Enclosure:
        """One run's ε at δ over the mean, and the shift."""
        if delta >= 1:
            return ZERO
        found = self.one.epsilon(min(Fraction(delta) / Fraction(self.mean), Fraction(1)))
        if math.isinf(found.upper):
            return Enclosure(self.shift, math.inf) if math.isfinite(found.lower) else Enclosure(math.inf, math.inf)
        return enclose(lambda: ball(found) + ball(self.shift), gap=1.0)


def _selected(m: RepeatAndSelect, one: Profile) -> Alone:
    if m.shape is not None and m.mean == 1:
        raise Declined("there is one run")
    if m.mean == 0:
        raise Declined("nothing is run")
    return Alone(Selected(one, m.mean, _shift(m, one)))


def _shift(m: RepeatAndSelect, one: Profile) -> float:
    """The least found, rounded up; any level is valid."""
    if m.shape is None:
        return enclose(lambda: ball(m.mean) * ball(one.delta(0).upper), gap=1.0).upper
    gamma = m.stopping()
    weight, odds = 1 + Fraction(m.shape), 1 / gamma

    def least(levels: list[float]) -> tuple[float, float, float]:
        found = [(math.exp(level) + float(odds) * d, level, d) for level, d in _stated(one, levels)]
        return min(found, default=(math.inf, 0.0, 1.0))

    best = least([level for j in SHARES if (level := _level(one, gamma * Fraction(2) ** j)) is not None])
    for closer in BESIDE:
        best = min(best, least([best[1] * beside for beside in closer]))
    _, level, delta = best
    return enclose(lambda: ball(weight) * (ball(level).exp() + ball(odds) * ball(delta)).log(), gap=1.0).upper


def _level(one: Profile, share: Fraction) -> float | None:
    """Where δ of one run is about so much."""
    try:
        found = one.epsilon(min(share, Fraction(1))).upper
    except Declined:
        return None
    return found if found <= MOST_LEVEL else None


def _stated(one: Profile, levels: list[float]) -> list[tuple[float, float]]:
    """Levels with bounds on δ there; what is refused is left out."""
    found = []
    for level in dict.fromkeys(levels):
        with suppress(Declined):
            found.append((level, one.delta(level).upper))
    return found


@describes("SELECT", KRW24.at("Sec. 4"))
def best_of_normal(m: RepeatAndSelect, inner: GDP) -> Alone:
    r"""For any $\varepsilon_1$, $\delta_A(\varepsilon)\le\mathrm{E}K\cdot\delta(\varepsilon-s)$ with
    $s=(1+\eta)\ln(e^{\varepsilon_1}+\delta(\varepsilon_1)/\gamma)$ for a truncated negative binomial number of runs,
    and $s=\mathrm{E}K\cdot\delta(0)$ for a Poisson one; here with the profile of a Gaussian.
    """
    return _selected(m, NormalProfile(inner.mu_squared))


@describes("SELECT", KRW24.at("Sec. 4"))
def best_of_laplace(m: RepeatAndSelect, inner: LaplaceLossLaw) -> Alone:
    r"""For any $\varepsilon_1$, $\delta_A(\varepsilon)\le\mathrm{E}K\cdot\delta(\varepsilon-s)$ with
    $s=(1+\eta)\ln(e^{\varepsilon_1}+\delta(\varepsilon_1)/\gamma)$ for a truncated negative binomial number of runs,
    and $s=\mathrm{E}K\cdot\delta(0)$ for a Poisson one; here with the profile of a Laplace mechanism.
    """
    return _selected(m, LaplaceProfile(1, inner.step))


@describes("SELECT", KRW24.at("Sec. 4"))
def best_of_finite(m: RepeatAndSelect, inner: FiniteLoss) -> Alone:
    r"""For any $\varepsilon_1$, $\delta_A(\varepsilon)\le\mathrm{E}K\cdot\delta(\varepsilon-s)$ with
    $s=(1+\eta)\ln(e^{\varepsilon_1}+\delta(\varepsilon_1)/\gamma)$ for a truncated negative binomial number of runs,
    and $s=\mathrm{E}K\cdot\delta(0)$ for a Poisson one; here with the profile of a finite pair.
    """
    return _selected(m, SumOfLosses(((inner.forward, 1),), ((inner.backward, 1),)))


@describes("SELECT", KRW24.at("Sec. 4"))
def best_of_any(m: RepeatAndSelect, inner: Profile) -> Alone:
    r"""For any $\varepsilon_1$, $\delta_A(\varepsilon)\le\mathrm{E}K\cdot\delta(\varepsilon-s)$ with
    $s=(1+\eta)\ln(e^{\varepsilon_1}+\delta(\varepsilon_1)/\gamma)$ for a truncated negative binomial number of runs,
    and $s=\mathrm{E}K\cdot\delta(0)$ for a Poisson one; here with whatever bounds $\delta(\varepsilon)$ of one run, in
    both orders.
    """
    return _selected(m, inner)


@dataclass(frozen=True)
class SelectedCurve(Curve):
    r"""$r(\alpha)+(1+\eta)\bigl((1-\frac1\lambda)r(\lambda)+\frac1\lambda\ln\frac1\gamma\bigr)+\frac{\ln\mathrm{E}K}
    {\alpha-1}$, λ the best there is.
    """

    inner: Curve
    mean: Real
    shape: Real
    gamma: Fraction

    def at(self, order: Real) -> Ball:
        """At order 1, and near it, the value at order 2, which is no less."""
        a = max(order, Fraction(3, 2))
        x = ball(self._best)
        added = (1 - 1 / x) * self.inner.at(self._best) - ball(self.gamma).log() / x
        return self.inner.at(a) + (1 + ball(self.shape)) * added + ball(self.mean).log() / (ball(a) - 1)

    @cached_property
    def _best(self) -> float:
        """λ, the same for every order."""
        return 1.0 + math.exp(argmin(lambda s: self._added(1.0 + math.exp(s)), -7.0, 14.0, samples=43, tolerance=1e-6))

    def _added(self, x: float) -> float:
        return (1.0 - 1.0 / x) * self.inner.guess(x) - math.log(self.gamma) / x

    def guess(self, order: float) -> float:
        """The same in floats."""
        a = max(order, 1.5)
        added = (1.0 + float(self.shape)) * self._added(self._best)
        return self.inner.guess(a) + added + math.log(self.mean) / (a - 1.0)


@dataclass(frozen=True)
class PoissonCurve(Curve):
    r"""$\frac{1}{\alpha-1}\ln(e^{-\mu}+\mu e^{(\alpha-1)(r(\alpha)+\mu\hat\delta)})$, $\hat\delta$ that of one run at
    $\hat\varepsilon=\ln\frac{\alpha}{\alpha-1}$.
    """

    inner: Curve
    mean: Real

    def at(self, order: Real) -> Ball:
        """Near order 1 the value a little further on, which is no less."""
        a, mu = max(order, Fraction(5, 4)), ball(self.mean)
        level = Enclosure.of((1 / (ball(a) - 1)).log1p()).lower
        beside = self._aside(level)
        grown = (ball(a) - 1) * (self.inner.at(a) + mu * ball(beside))
        return (mu.log() + grown + (-mu - mu.log() - grown).exp().log1p()) / (ball(a) - 1)

    def _aside(self, level: float) -> float:
        return min(OneOrder(self.inner, 0, CanonneKamathSteinke).delta(level).upper, 1.0)

    def guess(self, order: float) -> float:
        """Nearly the same in floats: δ̂ by Markov's inequality at a few orders."""
        effort.count(3000)
        a, mu = max(order, 1.25), float(self.mean)
        level = math.log1p(1.0 / (a - 1.0))
        tails = ((x - 1.0) * (self.inner.guess(x) - level) for x in (a, 1.5 * a, 2.0 * a, 4.0 * a, 16.0 * a, 64.0 * a))
        aside = math.exp(min(*tails, 0.0))
        return self.inner.guess(a) + mu * aside + math.log(mu + math.exp(-mu)) / (a - 1.0)


@describes("SELECT-RDP", PS22.at("Thm. 2, 6"))
def best_of_renyi(m: RepeatAndSelect, inner: Renyi) -> Renyi:
    r"""If $D_\alpha\le r(\alpha)$ in one run, then for the best of a truncated negative binomial number of runs, and
    any $\lambda>1$, $D_\alpha\le r(\alpha)+(1+\eta)\bigl((1-\frac1\lambda)r(\lambda)+\frac1\lambda\ln\frac1\gamma\bigr)
    +\frac{\ln\mathrm{E}K}{\alpha-1}$; of a Poisson number, $D_\alpha\le\frac{1}{\alpha-1}\ln(e^{-\mu}+\mu
    e^{(\alpha-1)(r(\alpha)+\mu\hat\delta)})$, $\hat\delta$ that of one run at $\ln\frac\alpha{\alpha-1}$. Outside an
    event of probability δ in one run: outside one of $\mathrm{E}K\cdot\delta$, as given that no run was in it the
    number of runs is of the same kind, and smaller.
    """
    leak = times(m.mean, inner.delta)
    if m.shape is None:
        if m.mean == 0:
            raise Declined("nothing is run")
        return Renyi(PoissonCurve(inner.curve, m.mean), leak)
    if m.mean == 1:
        raise Declined("there is one run")
    return Renyi(SelectedCurve(inner.curve, m.mean, m.shape, m.stopping()), leak)


__all__ = ["PoissonCurve", "Selected", "SelectedCurve"]
