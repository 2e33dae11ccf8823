"""Recipes: closed forms for the noise or the per-step ε that reach a goal, each checked against the exact
cost.

A recipe is a rule of thumb. Its range of validity is stated only where it is proved; outside, the exact
profile decides whether it does what it promises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import Declined, NotProvable
from dpcompose.exact.binomial import two_point_delta
from dpcompose.exact.normal import normal_delta, normal_mu
from dpcompose.mechanisms.staircase import step_height, variance_optimal_gamma
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_increasing, largest_integer
from dpcompose.numerics.search import bracket, root
from dpcompose.theorems.approx.closed_forms import chernoff
from dpcompose.theorems.approx.optimal import LeakyResponses
from dpcompose.theorems.approx.steps import Steps, beyond_leak

INFINITE = Enclosure(math.inf, math.inf)
CERTAIN = Enclosure(1.0, 1.0)
MOST_STEPS = 10**9


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a recipe says, and whether the exact cost is proven to stay within the goal."""

    value: Enclosure
    certified: bool


def log_term(epsilon: Real, delta: Real) -> Ball:
    r"""$L = \ln(e+\varepsilon/\delta)$."""
    return (Ball(1).exp() + ball(epsilon) / ball(delta)).log()


def within(epsilon: Real, delta: Real, times: Fraction) -> bool:
    r"""Whether $\varepsilon\le c\ln(e+\varepsilon/\delta)$ for certain."""
    if epsilon == 0 or delta == 0:
        return True
    return enclose(lambda: ball(times) * log_term(epsilon, delta) - ball(epsilon)).lower >= 0


def per_step_epsilon(count: int, epsilon: Real, delta: Real, own_delta: Real) -> Recipe:
    r"""$\varepsilon_0 = \varepsilon/\left(2\sqrt{k\ln(e+\varepsilon/\delta)}\right)$ for each of $k$ steps
    with their own $\delta_0 = \delta/2k$ or 0. Proved for $\varepsilon\le2.34\ln(e+\varepsilon/\delta)$;
    false for some larger ε.
    """
    if epsilon == 0 or delta == 0:
        return Recipe(ZERO, certified=True)
    value = enclose(lambda: ball(epsilon) / (2 * (count * log_term(epsilon, delta)).sqrt()))
    proved = within(epsilon, delta, Fraction(234, 100))
    return Recipe(value, proved or _stays(Steps(((value.upper, own_delta, count),)), epsilon, delta))


def _stays(steps: Steps, epsilon: Real, delta: Real) -> bool:
    return LeakyResponses(steps).delta(epsilon).upper <= delta


@dataclass(frozen=True, slots=True)
class GaussianRule:
    r"""A rule that gives Gaussian noise by $\mu^2 = k\Delta^2/\sigma^2$, between two numbers, and what that
    costs exactly.
    """

    least: Real
    most: Real
    epsilon: Real
    delta: Real
    proved: bool

    def exact_delta(self) -> Enclosure:
        """The exact δ at ε, which grows with μ."""
        lower = normal_delta(self.least, self.epsilon)
        return lower if self.least == self.most else Enclosure(lower.lower, normal_delta(self.most, self.epsilon).upper)

    def claim_holds(self) -> bool:
        """Whether the exact δ is at most the δ that was promised; decided, not guessed."""
        found = self.exact_delta()
        if self.proved or found.upper <= self.delta:
            return True
        if found.lower > self.delta:
            return False
        raise NotProvable("The exact δ is too close to the promised one to be told from it")


def _rational_ends(formula: Callable[[], Ball]) -> tuple[Fraction, Fraction]:
    """Fractions close around a ball, also where floats underflow."""
    with ctx.workprec(192):
        found = formula()
        return _rational(found.lower()), _rational(found.upper())


def _rational(point: Ball) -> Fraction:
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def composed_gaussian(epsilon: Real, delta: Real) -> GaussianRule:
    r"""$\sigma^2 = 8k\Delta^2\ln(e+\varepsilon/\delta)/\varepsilon^2$ for $k$ queries. Proved for
    $\varepsilon\le8\ln(e+\varepsilon/\delta)$; false from $\varepsilon = 83.05$ on for some δ.
    """
    if epsilon == 0 or delta == 0:
        return GaussianRule(0, 0, epsilon, delta, proved=True)
    ends = _rational_ends(lambda: ball(epsilon) ** 2 / (8 * log_term(epsilon, delta)))
    return GaussianRule(*ends, epsilon, delta, within(epsilon, delta, Fraction(8)))


def single_gaussian(epsilon: Real, delta: Real, factor: int) -> GaussianRule:
    r"""$\sigma^2 = 2\Delta^2\ln(c/\delta)/\varepsilon^2$ for one query, $c = 1$ or 2. No range is proved."""
    if delta >= factor:
        return GaussianRule(math.inf, math.inf, epsilon, delta, proved=False)
    if epsilon == 0 or delta == 0:
        return GaussianRule(0, 0, epsilon, delta, proved=False)
    ends = _rational_ends(lambda: ball(epsilon) ** 2 / (2 * (factor / ball(delta)).log()))
    return GaussianRule(*ends, epsilon, delta, proved=False)


@dataclass(frozen=True, slots=True)
class PerStep:
    r"""Closed forms for ε₀ such that strong composition of $k$ steps stays within ε, beyond δ′."""

    count: int
    epsilon: Real
    slack: Real

    def quadratic(self) -> Enclosure:
        r"""$\varepsilon_0 = (\sqrt{2L+2\varepsilon}-\sqrt{2L})/\sqrt k$, $L = \ln(1/\delta')$: solves
        $k\varepsilon_0^2/2+\varepsilon_0\sqrt{2kL} = \varepsilon$, sound for every ε.
        """
        return ZERO if self.epsilon == 0 or self.slack == 0 else enclose(self._quadratic)

    def dwork_roth(self) -> Enclosure:
        r"""$\varepsilon_0 = \varepsilon/(2\sqrt{2kL})$, valid if $\varepsilon\le8L$."""
        if self.epsilon == 0 or self.slack == 0:
            return ZERO
        if self.slack == 1:
            return INFINITE
        return enclose(lambda: ball(self.epsilon) / (8 * self.count * self._log()).sqrt())

    def strong_at_quadratic(self) -> Enclosure:
        """What strong composition says at the quadratic ε₀: just below ε."""
        if self.epsilon == 0 or self.slack == 0:
            return Enclosure.exactly(self.epsilon)

        def formula() -> Ball:
            e = self._quadratic()
            return chernoff(self.count * e * (e / 2).tanh(), self.count * e * e, ball(self.slack))

        return enclose(formula)

    def _log(self) -> Ball:
        return -ball(self.slack).log()

    def _quadratic(self) -> Ball:
        e, twice = ball(self.epsilon), 2 * self._log()
        return 2 * e / (((twice + 2 * e).sqrt() + twice.nonnegative_part().sqrt()) * ball(self.count).sqrt())


def largest_step(count: int, own_delta: Real, epsilon: Real, delta: Real) -> Enclosure:
    r"""The largest $\varepsilon_0$ with which $k$ steps that are $(\varepsilon_0,\delta_0)$-DP stay
    $(\varepsilon,\delta)$-DP, exactly.
    """
    if count == 0 or delta >= 1:
        return INFINITE
    left = beyond_leak(delta, ((own_delta, count),))
    if left.lower < 0:
        raise Declined("the steps' own δ alone exceed δ, whatever their ε")
    basic = Fraction(epsilon) / count
    if left.upper <= 0:
        return Enclosure.exactly(basic)

    def delta_at(step: float) -> Enclosure:
        return two_point_delta(count, step, epsilon)

    low = Enclosure.exactly(basic).lower
    return invert_increasing(delta_at, left, _step_guess(count, epsilon, left.lower, low), low, math.inf)


def _step_guess(count: int, epsilon: Real, mass: float, low: float) -> float:
    """Where the exact δ meets `mass`, in floats."""

    def lack(log_step: float) -> float:
        found = two_point_delta(count, math.exp(log_step), epsilon).upper
        return math.log(mass) - math.log(found) if found > 0 else math.inf

    near = max(normal_mu(epsilon, mass).upper / math.sqrt(count), low, 1e-300)
    left, right = bracket(lack, math.log(near), math.log(max(low, 1e-300)), 700.0)
    return math.exp(root(lack, left, right, tolerance=1e-15))


@dataclass(frozen=True, slots=True)
class LargestCount:
    r"""How many steps that are $\varepsilon_0$-DP stay within $(\varepsilon,\delta)$, exactly."""

    step: Real
    epsilon: Real
    delta: Real

    @property
    def unlimited(self) -> bool:
        """Whether any number does."""
        return self.step == 0 or self.delta >= 1

    def basic(self) -> int:
        r"""$\lfloor\varepsilon/\varepsilon_0\rfloor$."""
        return int(Fraction(self.epsilon) // Fraction(self.step))

    def delta_at(self, count: int) -> Enclosure:
        """The exact δ of a number of steps."""
        return two_point_delta(count, self.step, self.epsilon)

    def exact(self) -> int:
        """The largest count, found by halving and proven by its neighbour."""
        if self.delta == 0 and self.basic() <= MOST_STEPS:  # only sums cost nothing beyond ε
            return self.basic()
        width = normal_mu(self.epsilon, self.delta).upper / max(Enclosure.exactly(self.step).upper, 1e-300)
        guess = max(min(self.basic(), MOST_STEPS), int(min(width, 1e5) ** 2))
        surely, possibly = largest_integer(self.delta_at, Enclosure.exactly(self.delta), guess, 0, MOST_STEPS)
        if surely != possibly:
            raise NotProvable(f"The largest number of steps is {surely} or {possibly}: too close to tell")
        if surely == MOST_STEPS:
            raise Declined(f"more than {MOST_STEPS} steps stay within the goal")
        return surely


def crossover(epsilon: Real, slack: Real) -> Enclosure:
    r"""Strong composition beats the sum once $k > 2\ln(1/\delta')/(1-\tanh(\varepsilon/2))^2
    = \frac12(1+e^\varepsilon)^2\ln(1/\delta')$.
    """
    if not 0 < slack < 1:
        return INFINITE if slack < 1 else ZERO
    return enclose(lambda: -ball(slack).log() * (1 + ball(epsilon).exp()) ** 2 / 2)


def staircase_variance(epsilon: Real) -> Ball:
    r"""The variance of the best staircase noise at sensitivity 1, with $b = e^{-\varepsilon}$:
    $\frac{2a}3\left[3\gamma
    S_2+3\gamma^2S_1+\gamma^3S_0+b\left(3(1-\gamma)S_2+3(1-\gamma^2)S_1+(1-\gamma^3)S_0\right)\right]$, $S_0
    = \frac1{1-b}$, $S_1 = \frac b{(1-b)^2}$, $S_2 = \frac{b(1+b)}{(1-b)^3}$.
    """
    b, gap = (-ball(epsilon)).exp(), -(-ball(epsilon)).expm1()
    g = variance_optimal_gamma(epsilon)
    inner = 3 * g * b * (1 + b) / gap**3 + 3 * g**2 * b / gap**2 + g**3 / gap
    outer = 3 * (1 - g) * b * (1 + b) / gap**3 + 3 * (1 - g**2) * b / gap**2 + (1 - g**3) / gap
    return 2 * step_height(epsilon, g) / 3 * (inner + b * outer)


__all__ = [
    "GaussianRule",
    "LargestCount",
    "PerStep",
    "Recipe",
    "composed_gaussian",
    "crossover",
    "largest_step",
    "log_term",
    "per_step_epsilon",
    "single_gaussian",
    "staircase_variance",
]
