"""Kinds of noise for one query: the parameter that sets the amount, the standard deviation, and the error."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction

from dpcompose.description import Adjacency, Mechanism
from dpcompose.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace, Staircase
from dpcompose.mechanisms.staircase import variance_optimal_gamma
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.search import root
from dpcompose.theorems.approx.recipes import staircase_variance

CONFIDENCE = Fraction(19, 20)
"""The share of answers that keep to the stated error."""
DIRECT = 60.0
"""Up to this deviation the law of a discrete Gaussian is summed; above, it is bounded by the normal law."""


@dataclass(frozen=True, slots=True)
class NoisyQuery:
    """A query to which noise is added."""

    sensitivity: Real
    adjacency: Adjacency | None


class Contender(ABC):
    """One kind of noise, by the parameter of its mechanism."""

    name: str
    parameter: str
    rounding = ROUND_CEILING
    """Rounding of the parameter towards more noise."""
    slope = -1.0
    """The slope of the loss in the parameter, on logarithmic scales."""
    whole = False
    """Whether it suits integer-valued queries only."""
    normal = False
    """Whether it needs δ > 0."""

    @abstractmethod
    def member(self, query: NoisyQuery, parameter: Real) -> Mechanism:
        """The mechanism."""

    @abstractmethod
    def deviation(self, query: NoisyQuery, parameter: Real) -> Enclosure:
        """The standard deviation of the noise."""

    @abstractmethod
    def error(self, query: NoisyQuery, parameter: Real) -> float:
        """An upper bound on the error of 19 of 20 answers, certified."""

    @abstractmethod
    def having(self, query: NoisyQuery, deviation: float) -> float:
        """The parameter that gives about this standard deviation."""


class LaplaceContender(Contender):
    """Density exp(−|x|/b)/2b."""

    name, parameter = "Laplace", "scale"

    def member(self, query: NoisyQuery, parameter: Real) -> Mechanism:
        """The mechanism."""
        return Laplace(scale=parameter, sensitivity=query.sensitivity, adjacency=query.adjacency)

    def deviation(self, query: NoisyQuery, parameter: Real) -> Enclosure:  # noqa: ARG002 - the same for every query
        r"""$\sqrt2b$."""
        return enclose(lambda: ball(2).sqrt() * ball(parameter))

    def error(self, query: NoisyQuery, parameter: Real) -> float:  # noqa: ARG002 - the same for every query
        r"""$b\ln20$."""
        return enclose(lambda: -ball(1 - CONFIDENCE).log() * ball(parameter)).upper

    def having(self, query: NoisyQuery, deviation: float) -> float:  # noqa: ARG002 - the same for every query
        """The scale."""
        return deviation / math.sqrt(2.0)


class GaussianContender(Contender):
    """Density exp(−x²/2σ²)/√(2π)σ."""

    name, parameter, normal = "Gaussian", "noise_std", True

    def member(self, query: NoisyQuery, parameter: Real) -> Mechanism:
        """The mechanism."""
        return Gaussian(noise_std=parameter, sensitivity=query.sensitivity, adjacency=query.adjacency)

    def deviation(self, query: NoisyQuery, parameter: Real) -> Enclosure:  # noqa: ARG002 - the same for every query
        """σ."""
        return Enclosure.exactly(parameter)

    def error(self, query: NoisyQuery, parameter: Real) -> float:  # noqa: ARG002 - the same for every query
        """1.96 σ."""
        return enclose(lambda: normal_quantile() * ball(parameter)).upper

    def having(self, query: NoisyQuery, deviation: float) -> float:  # noqa: ARG002 - the same for every query
        """The deviation itself."""
        return deviation


class StaircaseContender(Contender):
    """The ε-DP noise of least variance."""

    name, parameter, rounding, slope = "staircase", "epsilon", ROUND_FLOOR, 1.0

    def member(self, query: NoisyQuery, parameter: Real) -> Mechanism:
        """The mechanism."""
        return Staircase(epsilon=parameter, sensitivity=query.sensitivity, adjacency=query.adjacency)

    def deviation(self, query: NoisyQuery, parameter: Real) -> Enclosure:
        """Δ times that of the unit staircase."""
        return enclose(lambda: ball(query.sensitivity) * staircase_variance(parameter).sqrt())

    def error(self, query: NoisyQuery, parameter: Real) -> float:
        r"""With $b = e^{-\varepsilon}$ the noise exceeds $j\Delta$ with probability $b^j$; a share $f$ of the next step
        counts as $f$ up to $\gamma$ and as $\gamma+b(f-\gamma)$ beyond, out of $\gamma+b(1-\gamma)$.
        """

        def formula() -> Ball:
            e = ball(parameter)
            g, b = variance_optimal_gamma(parameter), (-e).exp()
            steps = (-ball(1 - CONFIDENCE).log() / e).floor().unique_fmpz()
            if steps is None:
                return ball(math.inf)
            j = int(steps)
            # P(|X| > (j+f)Δ) = b^j (1 - (1-b) G(f)) = 1/20, so G is this, and f follows.
            share = (1 - ball(1 - CONFIDENCE) * (j * e).exp()) / -(-e).expm1() * (g + b * (1 - g))
            inner, outer = share, g + (share - g) / b
            return ball(query.sensitivity) * (j + (inner if share < g else outer if share > g else inner.union(outer)))

        return enclose(formula).upper

    def having(self, query: NoisyQuery, deviation: float) -> float:
        r"""The ε of the staircase with this deviation; for much noise $\sqrt2\Delta/\varepsilon$, as for Laplace."""
        unit = deviation / float(query.sensitivity)
        if unit > 1e4:
            return math.sqrt(2.0) / unit

        def excess(log_epsilon: float) -> float:
            return math.log(enclose(lambda: staircase_variance(math.exp(log_epsilon))).upper) / 2 - math.log(unit)

        return math.exp(root(excess, -10.0, 6.5, tolerance=1e-9))


class GeometricContender(Contender):
    """Whole numbers with P(z) ∝ exp(−|z|/b)."""

    name, parameter, whole = "geometric", "scale", True

    def member(self, query: NoisyQuery, parameter: Real) -> Mechanism:
        """The mechanism."""
        return Geometric(scale=parameter, sensitivity=int(query.sensitivity), adjacency=query.adjacency)

    def deviation(self, query: NoisyQuery, parameter: Real) -> Enclosure:  # noqa: ARG002 - the same for every query
        r"""$\sqrt{2r}/(1-r) = 1/\sqrt2\sinh(1/2b)$ with $r = e^{-1/b}$."""
        return enclose(lambda: 1 / (ball(2).sqrt() * (1 / (2 * ball(parameter))).sinh()))

    def error(self, query: NoisyQuery, parameter: Real) -> float:  # noqa: ARG002 - the same for every query
        r"""The least $t$ with $P(|z|>t) = 2r^{t+1}/(1+r)\le\frac1{20}$, so $t\ge b\ln\frac{40}{1+r}-1$."""

        def least() -> Ball:
            scale = ball(parameter)
            return scale * (2 / (ball(1 - CONFIDENCE) * (1 + (-1 / scale).exp()))).log() - 1

        return float(max(math.ceil(enclose(least).upper), 0))

    def having(self, query: NoisyQuery, deviation: float) -> float:  # noqa: ARG002 - the same for every query
        """The scale."""
        return 0.5 / math.asinh(1.0 / (math.sqrt(2.0) * deviation))


class DiscreteGaussianContender(Contender):
    """Whole numbers with P(z) ∝ exp(−z²/2σ²)."""

    name, parameter, whole, normal = "discrete Gaussian", "noise_std", True, True

    def member(self, query: NoisyQuery, parameter: Real) -> Mechanism:
        """The mechanism."""
        return DiscreteGaussian(noise_std=parameter, sensitivity=int(query.sensitivity), adjacency=query.adjacency)

    def deviation(self, query: NoisyQuery, parameter: Real) -> Enclosure:  # noqa: ARG002 - the same for every query
        """The square root of the variance, which is below σ²."""
        return enclose(lambda: discrete_variance(parameter).sqrt())

    def error(self, query: NoisyQuery, parameter: Real) -> float:  # noqa: ARG002 - the same for every query
        r"""$P(|z|>t)\le\mathrm{erfc}(t/\sqrt2\sigma)$, since the tail sum lies below the integral and the whole sum
        above $\sqrt{2\pi}\sigma$; small laws are summed.
        """
        t = math.ceil(enclose(lambda: normal_quantile() * ball(parameter)).upper)
        if parameter > DIRECT:
            return float(t)
        while t > 0 and enclose(lambda: discrete_inside(parameter, t - 1)).lower >= CONFIDENCE:  # noqa: B023
            t -= 1
        return float(t)

    def having(self, query: NoisyQuery, deviation: float) -> float:  # noqa: ARG002 - the same for every query
        """The deviation itself, which is close to the parameter."""
        return deviation


def normal_quantile() -> Ball:
    r"""$z$ with $P(|N|\le z) = 19/20$."""
    return ball(2).sqrt() * ball(CONFIDENCE).erfinv()


def _gauss_sums(rate: Ball) -> tuple[Ball, Ball]:
    r"""$\sum_ne^{-an^2}$ and $\sum_nn^2e^{-an^2}$ over all integers, for $a\ge1$.

    Beyond $n$ the terms of both fall at least by $4e^{-3a}<\frac14$ each.
    """
    plain, squared, n = ball(1), ball(0), 1
    while True:
        term = 2 * (-rate * n * n).exp()
        plain, squared = plain + term, squared + n * n * term
        if n >= 4 and n * n * term < Ball(2) ** -400:
            rest = Ball(0).union((n * n * term).upper())
            return plain + rest, squared + rest
        n += 1


def discrete_variance(noise_std: Real) -> Ball:
    r"""$\sum z^2e^{-z^2/2\sigma^2}/\sum e^{-z^2/2\sigma^2}$; and by Poisson's summation
    $\sigma^2-4\pi^2\sigma^4\sum n^2e^{-2\pi^2\sigma^2n^2}/\sum e^{-2\pi^2\sigma^2n^2}$.
    """
    s = ball(noise_std)
    if 2 * noise_std * noise_std <= 1:
        plain, squared = _gauss_sums(1 / (2 * s * s))
        return squared / plain
    twice = 2 * (Ball.pi() * s) ** 2
    plain, squared = _gauss_sums(twice)
    return s * s - 2 * s * s * twice * squared / plain


def discrete_inside(noise_std: Real, reach: int) -> Ball:
    """P(|z| ≤ reach) by summation; the radius covers what lies beyond 60 deviations."""
    rate = -1 / (2 * ball(noise_std) ** 2)
    far = max(math.ceil(60 * noise_std), 8)
    inside = 1 + 2 * sum(((rate * z * z).exp() for z in range(1, reach + 1)), Ball(0))
    outside = 2 * sum(((rate * z * z).exp() for z in range(reach + 1, far + 1)), Ball(0))
    rest = Ball(0).union((4 * far * (rate * far * far).exp()).upper())
    return inside / (inside + outside + rest)


KINDS: tuple[Contender, ...] = (
    GeometricContender(),
    DiscreteGaussianContender(),
    LaplaceContender(),
    GaussianContender(),
    StaircaseContender(),
)
"""In the order of preference among equally good ones: integer-valued noises first, then the better known."""

__all__ = ["KINDS", "Contender", "GaussianContender", "LaplaceContender", "NoisyQuery"]
