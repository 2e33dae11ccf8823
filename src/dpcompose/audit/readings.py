"""What a point of the trade-off says about ε: for any mechanism, or under a stated hypothesis.

A point is an event that has probability at least $a$ on one input and at most $b$ on its neighbour.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray
from scipy.special import ndtri

from dpcompose.exact.normal import normal_epsilon
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose

_ENOUGH = 2.0**-40
"""The relative gap to which a bound is computed; it affects how tight the bound is, never whether it holds."""


@dataclass(frozen=True, slots=True)
class Point:
    """An event whose probability is at least `least` on one input and at most `most` on the other, in log odds."""

    least: float
    most: float

    @property
    def certain(self) -> bool:
        """Whether both limits are informative."""
        return self.least > -math.inf and self.most < math.inf

    @property
    def likely(self) -> float:
        """The lower limit as a probability, rounded down: a true-positive rate."""
        return _probability(self.least).lower

    @property
    def unlikely(self) -> float:
        """The upper limit as a probability, rounded up: a false-positive rate."""
        return _probability(self.most).upper

    @property
    def missed(self) -> float:
        """The false-negative rate, rounded up."""
        return _probability(-self.least).upper


class Reading(ABC):
    """A rule that turns a point into a lower bound on ε."""

    assumes: str
    """What must be true for the bound to hold."""

    @abstractmethod
    def epsilon(self, point: Point, delta: Real) -> float:
        """A lower bound on ε at δ: no smaller ε is compatible with the point."""

    @abstractmethod
    def height(self, likely: NDArray[np.float64], unlikely: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
        """A score in floats that grows with the bound, for choosing events; NaN where there is no bound."""


@dataclass(frozen=True, slots=True)
class _AnyMechanism(Reading):
    r"""$a \le e^\varepsilon b + \delta$ for the event and $1-b \le e^\varepsilon(1-a) + \delta$ for its complement,

    which is the same promise with the two inputs exchanged (Kairouz, Oh and Viswanath 2015, Theorem 2.1).
    """

    assumes: str = "any mechanism"

    def epsilon(self, point: Point, delta: Real) -> float:
        """The larger of the two logarithms, or 0."""
        if not point.certain:
            return 0.0
        both = ((point.least, point.most), (-point.most, -point.least))
        return max(0.0, *(_log_ratio(likely, unlikely, delta).lower for likely, unlikely in both))

    def height(self, likely: NDArray[np.float64], unlikely: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
        """The ratio itself."""
        with np.errstate(divide="ignore", invalid="ignore"):
            event, complement = (likely - delta) / unlikely, (1.0 - unlikely - delta) / (1.0 - likely)
        return np.fmax(event, complement)


@dataclass(frozen=True, slots=True)
class _GaussianMechanism(Reading):
    r"""$\mu \ge \Phi^{-1}(a) - \Phi^{-1}(b)$, then the exact profile $\delta_\mu(\varepsilon)$ of a Gaussian.

    Much stronger at small δ, and *not* a bound for a mechanism whose trade-off is not that of two normals
    (Nasr et al. 2023 audit DP-SGD this way).
    """

    assumes: str = "a Gaussian trade-off (not a bound for other mechanisms)"

    def epsilon(self, point: Point, delta: Real) -> float:
        """The ε of the least μ."""
        if not point.certain:
            return 0.0
        mu = self.mu(point)
        return normal_epsilon(Fraction(mu) ** 2, delta).lower if mu > 0.0 else 0.0

    @staticmethod
    def mu(point: Point) -> float:
        """A lower bound on μ: no smaller one is compatible with the point."""
        gap = enclose(lambda: _quantile(point.least) - _quantile(point.most), _ENOUGH)
        return max(0.0, gap.lower) if math.isfinite(gap.lower) else 0.0

    def height(self, likely: NDArray[np.float64], unlikely: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
        del delta  # ε grows with μ at every δ
        with np.errstate(invalid="ignore"):
            return np.asarray(ndtri(likely) - ndtri(unlikely), dtype=np.float64)


ANY = _AnyMechanism()
GAUSSIAN = _GaussianMechanism()


def _log_ratio(likely: float, unlikely: float, delta: Real) -> Enclosure:
    r"""$\ln((a - \delta)/b)$; the whole real line where $a - \delta$ is not proven positive."""
    return enclose(lambda: ((_logistic(likely) - ball(delta)) / _logistic(unlikely)).log(), _ENOUGH)


def _logistic(log_odds: float) -> Ball:
    return 1 / (1 + (-arb(log_odds)).exp())


def _quantile(log_odds: float) -> Ball:
    r"""$\Phi^{-1}$ of a probability given by its log odds, from its smaller side."""
    far = (2 * _logistic(-abs(log_odds))).erfcinv() * arb(2).sqrt()
    return far if log_odds > 0.0 else -far


def _probability(log_odds: float) -> Enclosure:
    if math.isinf(log_odds):
        return Enclosure.exactly(1 if log_odds > 0.0 else 0)
    found = enclose(lambda: _logistic(log_odds), _ENOUGH)
    return Enclosure(max(found.lower, 0.0), min(found.upper, 1.0))


__all__ = ["ANY", "GAUSSIAN", "Point", "Reading"]
