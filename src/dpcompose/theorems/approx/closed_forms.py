"""Composition with pencil and paper: sums, and concentration of the privacy loss about its mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpcompose.description import Adaptivity
from dpcompose.errors import Declined
from dpcompose.kernel import Parts, composes
from dpcompose.notions import ApproxDP, Profile, Value
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.sources import DRV10, HERE, KOV15, MIR17, SMITH
from dpcompose.theorems.approx.steps import Steps, beyond_leak, beyond_sum, leak_of, sum_of

Deltas = tuple[tuple[Value, int], ...]


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """How the steps' own δ enter the total: added up, or as the chance that one of them strikes."""

    beyond: Callable[[Real, Deltas], Enclosure]
    total: Callable[[Ball, Deltas], Ball]


def with_sum(d: Ball, deltas: Deltas) -> Ball:
    r"""$\delta'+\sum\delta_i$."""
    return d + sum_of(deltas)


def with_leak(d: Ball, deltas: Deltas) -> Ball:
    r"""$1-(1-\tilde\delta)\prod(1-\delta_i)$."""
    return d + (1 - d) * leak_of(deltas)


SUMMED = Bookkeeping(beyond_sum, with_sum)
MULTIPLIED = Bookkeeping(beyond_leak, with_leak)


@dataclass(frozen=True, slots=True)
class BasicComposition(Profile):
    """One point: (Σε, Σδ)."""

    steps: Steps

    def epsilon(self, delta: Real) -> Enclosure:
        """Σε, once δ covers Σδ."""
        if delta < 1 and beyond_sum(delta, self.steps.deltas).lower < 0:
            raise Declined("δ is smaller than the sum of the steps' own δ")
        return Enclosure.exactly(self.steps.basic())

    def delta(self, epsilon: Real) -> Enclosure:
        """Σδ from Σε on, nothing below."""
        if epsilon < self.steps.basic():
            raise Declined("ε is smaller than the sum of the steps' ε")
        return within_unit(enclose(lambda: sum_of(self.steps.deltas)))


Branch = tuple[Callable[[Ball, Ball, Ball], Ball], Callable[[Ball, Ball, Ball], Ball]]
"""ε from (mean, variance proxy, δ′), and δ′ from (mean, variance proxy, ε)."""


def chernoff(mean: Ball, variance: Ball, d: Ball) -> Ball:
    r"""$m+\sqrt{2V\ln(1/\delta')}$."""
    return mean + (2 * variance * -d.log()).nonnegative_part().sqrt()


def chernoff_mass(mean: Ball, variance: Ball, epsilon: Ball) -> Ball:
    r"""$e^{-(\varepsilon-m)^2/2V}$ above the mean."""
    above = (epsilon - mean).nonnegative_part()
    return (-(above * above) / (2 * variance)).exp()


def refined(mean: Ball, variance: Ball, d: Ball) -> Ball:
    r"""$m+\sqrt{2V\ln(e+\sqrt V/\delta')}$."""
    return mean + (2 * variance * (Ball(1).exp() + variance.sqrt() / d).log()).sqrt()


def refined_mass(mean: Ball, variance: Ball, epsilon: Ball) -> Ball:
    r"""$\sqrt V/(e^{(\varepsilon-m)^2/2V}-e)$ where that is positive, else 1."""
    above = (epsilon - mean).nonnegative_part()
    room = (above * above / (2 * variance)).exp() - Ball(1).exp()
    return (variance.sqrt() / room).min(Ball(1)) if room > 0 else Ball(1)


TAIL: Branch = (chernoff, chernoff_mass)
REFINED: Branch = (refined, refined_mass)


@dataclass(frozen=True, slots=True)
class Concentration(Profile):
    """The loss stays near its mean: every branch bounds ε from above, and perhaps Σε does too."""

    steps: Steps
    mean: Callable[[Steps], Ball]
    variance: Callable[[Steps], Ball]
    branches: tuple[Branch, ...]
    book: Bookkeeping
    capped: bool

    def at_slack(self, d: Value) -> Enclosure:
        """ε as the theorem states it, for the part δ′ of δ that is left for concentration."""
        found = [Enclosure.exactly(self.steps.basic())] if self.capped else []
        if not self.steps.basic():
            return ZERO
        if (d.lower if isinstance(d, Enclosure) else d) > 0:
            found += [self._branch(branch, d) for branch in self.branches]
        if not found:
            raise Declined("δ leaves nothing beyond the steps' own δ")
        return Enclosure(min(e.lower for e in found), min(e.upper for e in found))

    def branch(self, index: int, d: Value) -> Enclosure:
        """One branch alone; infinite at δ′ = 0, unless there is nothing to pay for."""
        if not self.steps.basic():
            return ZERO
        return self._branch(self.branches[index], d) if d != 0 else Enclosure(math.inf, math.inf)

    def _branch(self, branch: Branch, d: Value) -> Enclosure:
        value, _ = branch
        return enclose(lambda: value(self.mean(self.steps), self.variance(self.steps), ball(d))) & NON_NEGATIVE

    def _mass(self, branch: Branch, epsilon: Real) -> Enclosure:
        _, mass = branch
        return enclose(lambda: mass(self.mean(self.steps), self.variance(self.steps), ball(epsilon)))

    def epsilon(self, delta: Real) -> Enclosure:
        """The theorem's value at a total δ."""
        if delta >= 1:
            return ZERO
        left = self.book.beyond(delta, self.steps.deltas)
        if left.lower < 0:
            raise Declined("δ is smaller than what the steps' own δ make up together")
        return self.at_slack(left)

    def delta(self, epsilon: Real) -> Enclosure:
        """The theorem read backwards."""
        if (self.capped and epsilon >= self.steps.basic()) or not self.steps.basic():
            d = ZERO
        else:
            masses = [self._mass(branch, epsilon) for branch in self.branches]
            d = Enclosure(min(e.lower for e in masses), min(e.upper for e in masses)) & UNIT_INTERVAL
        return within_unit(enclose(lambda: self.book.total(ball(d), self.steps.deltas)))


def within_unit(found: Enclosure) -> Enclosure:
    """The enclosure of the value cut off at 0 and 1."""
    return Enclosure(min(max(found.lower, 0.0), 1.0), min(max(found.upper, 0.0), 1.0))


@composes(
    "KOV-3.1",
    DRV10.at("Thm. III.1"),
    adaptivity=Adaptivity.FULLY_ADAPTIVE,
    cost=0,
    aliases=("DRV-3.16", "SM-E3.5"),
)
def basic_composition(parts: Parts[ApproxDP]) -> Profile:
    r"""Steps that are $(\varepsilon_i,\delta_i)$-DP compose, adaptively, to $(\sum\varepsilon_i,\sum\delta_i)$-DP."""
    return BasicComposition(Steps.of(parts))


@composes("KOV-3.2", DRV10.at("Thm. III.3"), aliases=("DRV-3.20",))
def advanced_composition(parts: Parts[ApproxDP]) -> Profile:
    r"""For $0<\delta'\le1$, $k$ steps that are $(\varepsilon,\delta)$-DP compose, adaptively, to
    $(\varepsilon',k\delta+\delta')$-DP with
    $\varepsilon' = \varepsilon\sqrt{2k\ln(1/\delta')}+k\varepsilon(e^\varepsilon-1)$.
    """
    steps = Steps.of(parts)
    steps.alike()
    return Concentration(steps, Steps.exponential_drift, Steps.energy, (TAIL,), SUMMED, capped=False)


@composes("SM-1.1", SMITH.at("Thm. 1.1"))
def strong_composition(parts: Parts[ApproxDP]) -> Profile:
    r"""For $0<\delta'\le1$, $k$ steps that are $(\varepsilon,\delta)$-DP compose to
    $(\tilde\varepsilon,k\delta+\delta')$-DP with
    $\tilde\varepsilon = \varepsilon\sqrt{2k\ln(1/\delta')}+k\varepsilon\tanh(\varepsilon/2)$.
    """
    steps = Steps.of(parts)
    steps.alike()
    return Concentration(steps, Steps.drift, Steps.energy, (TAIL,), SUMMED, capped=False)


@composes("KOV-3.4", KOV15.at("Thm. 3.4"))
def homogeneous_closed_form(parts: Parts[ApproxDP]) -> Profile:
    r"""For $\tilde\delta\in[0,1]$, $k$ steps that are $(\varepsilon,\delta)$-DP compose to
    $(\tilde\varepsilon,1-(1-\delta)^k(1-\tilde\delta))$-DP with $m = k\varepsilon\tanh(\varepsilon/2)$ and
    $$\tilde\varepsilon = \min\left\{k\varepsilon,\ m+\varepsilon\sqrt{2k\ln(e+\sqrt k\varepsilon/\tilde\delta)},\
    m+\varepsilon\sqrt{2k\ln(1/\tilde\delta)}\right\}.$$
    """
    steps = Steps.of(parts)
    steps.alike()
    return Concentration(steps, Steps.drift, Steps.energy, (REFINED, TAIL), MULTIPLIED, capped=True)


@composes("KOV-3.5", KOV15.at("Thm. 3.5"))
def heterogeneous_closed_form(parts: Parts[ApproxDP]) -> Profile:
    r"""With $m = \sum\varepsilon_i\tanh(\varepsilon_i/2)$ and $s^2 = \sum\varepsilon_i^2$, steps that are
    $(\varepsilon_i,\delta_i)$-DP compose to $(\tilde\varepsilon,1-(1-\tilde\delta)\prod(1-\delta_i))$-DP with
    $$\tilde\varepsilon = \min\left\{\textstyle\sum\varepsilon_i,\ m+s\sqrt{2\ln(e+s/\tilde\delta)},\
    m+s\sqrt{2\ln(1/\tilde\delta)}\right\}.$$
    """
    return Concentration(Steps.of(parts), Steps.drift, Steps.energy, (REFINED, TAIL), MULTIPLIED, capped=True)


@composes("X-SHARP", HERE.at("X-SHARP"))
def sharpened_closed_form(parts: Parts[ApproxDP]) -> Profile:
    r"""The heterogeneous closed form holds with $s^2$ replaced by the true variance
    $V = \sum\varepsilon_i^2/\cosh^2(\varepsilon_i/2)$ of the worst loss.
    """
    return Concentration(Steps.of(parts), Steps.drift, Steps.variance, (REFINED, TAIL), MULTIPLIED, capped=True)


@dataclass(frozen=True, slots=True)
class Regime(Profile):
    """4ε√(2n ln 1/δ), only where ln(1/δ) ≥ ε²n."""

    steps: Steps

    def formula(self, delta: Real) -> Enclosure:
        """The formula, in its regime or not."""
        return enclose(lambda: 4 * (2 * self.steps.energy() * -ball(delta).log()).sqrt())

    def holds(self, delta: Real) -> bool:
        """Whether the regime test is certainly passed."""
        return 0 < delta < 1 and enclose(lambda: -ball(delta).log() - self.steps.energy()).lower >= 0

    def epsilon(self, delta: Real) -> Enclosure:
        """The upper bound, refused outside its regime, where it is false."""
        if delta >= 1:
            return ZERO
        if not self.holds(delta):
            raise Declined("outside its regime ln(1/δ) ≥ nε², where it is false")
        return self.formula(delta)

    def delta(self, epsilon: Real) -> Enclosure:
        """e^{−ε²/32nε₀²}, if that lies in the regime."""
        if not self.steps.basic():
            return ZERO
        found = enclose(lambda: (-(ball(epsilon) ** 2) / (32 * self.steps.energy())).exp())
        if not self.holds(found.upper):
            raise Declined("outside its regime ln(1/δ) ≥ nε², where it is false")
        return found


@composes("MIR-C1", MIR17.at("Cor. 1"))
def renyi_corollary(parts: Parts[ApproxDP]) -> Profile:
    r"""If $\ln(1/\delta)\ge\varepsilon^2n$, then $n$ steps that are $\varepsilon$-DP compose to
    $(4\varepsilon\sqrt{2n\ln(1/\delta)},\delta)$-DP. Outside that regime the statement is false.
    """
    steps = Steps.of(parts)
    if steps.alike()[2] != 0:
        raise Declined("needs steps with δ = 0")
    return Regime(steps)
