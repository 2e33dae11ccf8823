"""Private selection: run a mechanism a random number of times, and keep only the best output."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.notions import ApproxDP, Value
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.search import root
from dpcompose.parameters import Param
from dpcompose.sources import KRW24, PS22

MOST_LEVEL = 10**6


@dataclass(frozen=True, slots=True)
class RepeatAndSelect(Wrapper):
    """Run the mechanism a random number of times and publish the best output, by any order that is fixed in advance.

    How often is a Poisson number, or, with a `shape`, a truncated negative binomial one: 1 is geometric, 0 logarithmic.
    """

    mechanism: Mechanism
    mean: Annotated[Real, Param("E K", 0, 10**9, "runs", typical=(1, 100))] = field(kw_only=True)
    shape: Annotated[Real | None, Param("η", 0, 1000, "", typical=(0, 3))] = field(default=None, kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if self.shape is not None and self.mean < 1:
            raise InvalidParameter("mean", self.mean, "at least 1 where a shape is given: something is run")
        object.__setattr__(self, "adjacency", self.mechanism.adjacency)

    def stopping(self) -> Fraction:
        """γ, the stopping probability of the truncated negative binomial, rounded down."""
        if self.shape is None:
            raise Declined("a Poisson number of runs has no chance to stop")
        return _stopping(self.mean, self.shape)


def mean_runs(gamma: Real, shape: Real) -> Ball:
    r"""The mean of runs: $\eta(1-\gamma)/(\gamma(1-\gamma^\eta))$, and $(1/\gamma-1)/\ln(1/\gamma)$ at $\eta=0$."""
    g = ball(gamma)
    if shape == 0:
        return (1 / g - 1) / -g.log()
    return ball(shape) * (1 / g - 1) / -(ball(shape) * g.log()).expm1()


def _stopping(mean: Real, shape: Real) -> Fraction:
    """A γ whose mean is no smaller, close to the largest such γ."""
    if mean == 1:
        return Fraction(1)
    if shape == 1:
        return 1 / Fraction(mean)

    def excess(log: float) -> float:
        return float(mean_runs(math.exp(log), shape)) - float(mean)

    with ctx.workprec(128):
        guess = math.exp(root(excess, -60.0, -1e-15, 1e-15, 300))
        for i in range(60):
            gamma = guess * (1.0 - 2.0 ** (i - 50))
            if 0.0 < gamma < 1.0 and mean_runs(gamma, shape) >= ball(mean):
                return Fraction(gamma)
    raise Declined("no chance to stop is found for this mean")


@describes("SELECT-ONCE", PS22.at("Def. 1"), side=Side.BOTH)
def one_run_selects_nothing(m: RepeatAndSelect) -> SameAs:
    r"""A truncated negative binomial number of mean 1 is 1."""
    if m.shape is None or m.mean != 1:
        raise Declined("there may be several runs, or none")
    return SameAs(m.mechanism)


@describes("SELECT-MEMBER", PS22.at("Sec. 3"), side=Side.LOWER)
def any_output_is_the_best(m: RepeatAndSelect) -> SameAs:
    r"""Where all outputs are equally good, the one that is kept is a run like any other."""
    if m.shape is None:
        raise Declined("perhaps nothing is run")
    return SameAs(m.mechanism)


@describes("SELECT-APPROX", KRW24.at("Sec. 4"))
def best_of_approx(m: RepeatAndSelect, inner: ApproxDP) -> ApproxDP:
    r"""With $f(x)=\mathrm{E}x^K$, an output $y$ has density $Q(y)f'(q)$, $q$ the chance of one run to be no better.
    From $1-q'\le e^{\varepsilon}(1-q)+\delta$ follows $f'(q)/f'(q')\le e^s$ with
    $s=(1+\eta)\ln(e^{\varepsilon}+\delta/\gamma)$, or
    $s=\mathrm{E}K\cdot\delta(0)$ for Poisson; and $f'\le\mathrm{E}K$. So $(\varepsilon,\delta)$ becomes
    $(\varepsilon+s,\ \mathrm{E}K\cdot\delta)$: every run counts for δ.
    """
    if inner.epsilon > MOST_LEVEL:
        raise Declined("so large an ε is left alone")
    shift = enclose(lambda: shift_of(m, ball(inner.epsilon), ball(inner.delta)))
    level: Real = enclose(lambda: ball(inner.epsilon) + ball(shift)).upper
    if not inner.delta and m.shape is not None:
        level = (2 + Fraction(m.shape)) * Fraction(inner.epsilon)
    return ApproxDP(level, times(m.mean, inner.delta))


def shift_of(m: RepeatAndSelect, epsilon: Ball, delta: Ball) -> Ball:
    """The increase of ε by the selection, where one run is (ε, δ)-DP."""
    if m.shape is None:
        return ball(m.mean) * (delta + (1 - delta) * (epsilon / 2).tanh())
    return (1 + ball(m.shape)) * (epsilon.exp() + delta / ball(m.stopping())).log()


def times(mean: Real, delta: Value) -> Value:
    """An upper bound on the probability of a loss in any run: δ times the mean number of runs."""
    if not isinstance(delta, Enclosure):
        return min(Fraction(mean) * Fraction(delta), Fraction(1))
    found = enclose(lambda: ball(mean) * ball(delta))
    return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0)) & UNIT_INTERVAL
