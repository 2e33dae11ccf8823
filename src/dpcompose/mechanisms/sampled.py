"""Poisson sampling: each record takes part independently with probability `rate`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

import numpy as np

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.gaussian import Gaussian
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import ApproxDP, Curve, Guarantee, Renyi
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.parameters import Param
from dpcompose.sources import BBG18, MTZ19

ADD_REMOVE_ONLY = frozenset({Adjacency.ADD_REMOVE})
MOST_ORDER = 4096


@dataclass(frozen=True, slots=True)
class Sampled(Wrapper):
    """Run the mechanism on a Poisson sample of the records."""

    mechanism: Mechanism
    rate: Annotated[Real, Param("q", 0, 1, "probability", typical=(1e-4, 0.5))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.ADD_REMOVE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if self.mechanism.adjacency is Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch("Poisson sampling is defined for add_remove, not for replace_one.")


@dataclass(frozen=True, slots=True)
class SampledGaussianCurve(Curve):
    r"""At integer orders $\frac{1}{\alpha-1}\ln\sum_j\binom{\alpha}{j}(1-q)^{\alpha-j}q^j e^{j(j-1)\mu^2/2}$.

    Between them the chord of $(\alpha-1)D_\alpha$, which is convex, lies above it.
    """

    rate: Real
    mu_squared: Real

    def at(self, order: Real) -> Ball:
        """The chord through the two integer orders around `order`."""
        if order > MOST_ORDER:
            return Ball("inf")
        low = max(2, math.floor(order))
        if order <= low:
            return self._log_moment(low) / (low - 1)
        x = ball(order)
        return ((low + 1 - x) * self._log_moment(low) + (x - low) * self._log_moment(low + 1)) / (x - 1)

    def _log_moment(self, order: int) -> Ball:
        q, half = ball(self.rate), ball(self.mu_squared) / 2
        # The terms j = 0, 1 and the binomial sum to 1 exactly: what remains is small and keeps its digits.
        odds = q / (1 - q)
        weight = (1 - q) ** order * odds
        moment = Ball(0)
        for j in range(2, order + 1):
            weight = (
                weight * odds * (order - j + 1) / j if j > 2 else (1 - q) ** order * odds**2 * order * (order - 1) / 2
            )
            moment += weight * (half * (j * (j - 1))).expm1()
        return moment.log1p()

    def guess(self, order: float) -> float:
        """The chord in floats."""
        if not 1 <= order <= MOST_ORDER:
            return math.inf
        low = max(2, math.floor(order))
        if order <= low:
            return self._guess(low) / (low - 1)
        return ((low + 1 - order) * self._guess(low) + (order - low) * self._guess(low + 1)) / (order - 1)

    def _guess(self, order: int) -> float:
        if float(self.rate) < 1e-290:
            return 0.0
        j = np.arange(2, order + 1)
        q = float(self.rate)
        with np.errstate(divide="ignore"):
            steps = np.log((order - j + 1) / j * q / (1 - q))
        first = order * math.log1p(-q) + math.log(q / (1 - q) * order)
        exponent = j * (j - 1) * float(self.mu_squared) / 2
        with np.errstate(divide="ignore", over="ignore"):
            grown = np.where(exponent < 700, np.log(np.expm1(exponent)), exponent)
        return float(np.logaddexp(0.0, np.logaddexp.reduce(first + np.cumsum(steps) + grown)))


@describes("X-SGM-RDP", MTZ19.at("Thm. 4, Sec. 3.3"), relations=ADD_REMOVE_ONLY)
def sampled_gaussian_curve(m: Sampled) -> Renyi:
    r"""Sampling each record with probability $q$ before a Gaussian with $\mu=\Delta/\sigma$ gives, for integer
    $\alpha\ge2$, $D_\alpha\le\frac{1}{\alpha-1}\ln\sum_{j}\binom{\alpha}{j}(1-q)^{\alpha-j}q^je^{j(j-1)\mu^2/2}$.
    """
    inner = m.mechanism
    if not isinstance(inner, Gaussian) or not inner.noise_std:
        raise Declined("the sampled mechanism is not a Gaussian with noise")
    if m.rate in (0, 1):
        raise Declined("the rate is 0 or 1, so nothing is sampled")
    return Renyi(SampledGaussianCurve(m.rate, (Fraction(inner.sensitivity) / Fraction(inner.noise_std)) ** 2))


@describes("X-SAMPLE", BBG18.at("Thm. 8"), relations=ADD_REMOVE_ONLY)
def sampling_amplifies(m: Sampled, inner: ApproxDP) -> ApproxDP:
    r"""Poisson sampling at rate $q$ turns $(\varepsilon,\delta)$ into $(\ln(1+q(e^\varepsilon-1)),\,q\delta)$."""
    # Far out e^ε has too many digits, and amplification takes only ln q off ε.
    far = inner.epsilon > 10**6
    amplified = inner.epsilon if far else enclose(lambda: (ball(m.rate) * ball(inner.epsilon).expm1()).log1p()).upper
    leaked = enclose(lambda: ball(m.rate) * ball(inner.delta)).upper
    return ApproxDP(min(amplified, inner.epsilon), Enclosure(0.0, min(leaked, 1.0)) if leaked else 0)


@describes("X-SAMPLE-LESS", BBG18.at("Sec. 3"), relations=ADD_REMOVE_ONLY)
def sampling_costs_no_more(m: Sampled, inner: Guarantee) -> Guarantee:  # noqa: ARG001 - the kernel reads it
    r"""Given which records are drawn, the two inputs agree or are neighbours, and divergences are (quasi-)convex in the
    pair: whatever is promised of the mechanism holds of its sampled form.
    """
    if isinstance(inner, SameAs | ApproxDP):
        raise Declined("only what amplification does not cover is carried over")
    return inner


@describes("X-SAMPLE-ALL", BBG18.at("Sec. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampling_everything_changes_nothing(m: Sampled) -> SameAs:
    r"""At rate 1 the sample is the data; at rate 0 it is empty and nothing is learned."""
    if m.rate not in (0, 1):
        raise Declined("the rate is neither 0 nor 1")
    return SameAs(m.mechanism if m.rate else NameAndShame(delta=0))
