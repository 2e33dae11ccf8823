"""Pure steps through Rényi divergences: how far probabilities can move (Mironov 2017, Section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.theorems.renyi.conversions import ResponseCurve

INFINITE = Enclosure(math.inf, math.inf)
CERTAIN = Enclosure(1.0, 1.0)


@dataclass(frozen=True, slots=True)
class PureStepsAtOrder:
    r"""What $n$ steps that are $\varepsilon$-DP add to the Rényi divergence of order $\alpha \ge 1$: the
    exact worst case and four bounds on it, each looser than the one before.
    """

    count: int
    epsilon: Real
    order: Real

    def exact(self) -> Enclosure:
        r"""$\frac{n}{\alpha-1}\ln\frac{\cosh((\alpha-1/2)\varepsilon)}{\cosh(\varepsilon/2)}$."""
        return enclose(lambda: self.count * ResponseCurve(self.epsilon).at(self.order))

    def sech(self) -> Enclosure:
        r"""$n(\varepsilon\tanh\frac\varepsilon2+(\alpha-1)\varepsilon^2/2\cosh^2\frac\varepsilon2)$."""

        def formula() -> Ball:
            e = ball(self.epsilon)
            return self.count * (e * (e / 2).tanh() + (ball(self.order) - 1) * (e * (e / 2).sech()) ** 2 / 2)

        return enclose(formula)

    def tanh(self) -> Enclosure:
        r"""$n\alpha\,\varepsilon\tanh(\varepsilon/2)$."""
        return enclose(lambda: self.count * ball(self.order) * ball(self.epsilon) * (ball(self.epsilon) / 2).tanh())

    def half(self) -> Fraction:
        r"""$n\alpha\varepsilon^2/2$ (Bun and Steinke)."""
        return self.count * Fraction(self.order) * Fraction(self.epsilon) ** 2 / 2

    def two(self) -> Fraction:
        r"""$2n\alpha\varepsilon^2$, Lemma 1."""
        return 4 * self.half()


@dataclass(frozen=True, slots=True)
class Preservation:
    r"""Proposition 10: $D_\alpha\le r$ both ways keeps an event of probability $Q$ between
    $e^{-r}Q^{\alpha/(\alpha-1)}$ and $(e^rQ)^{(\alpha-1)/\alpha}$.
    """

    order: Real
    divergence: Real
    probability: Real

    def upper(self) -> Enclosure:
        """An upper bound on the event's probability on the other input, at most 1."""
        if self.order == 1:
            return CERTAIN
        if self.probability == 0:
            return ZERO
        return _capped(enclose(lambda: ((ball(self.divergence) + ball(self.probability).log()) * self._share()).exp()))

    def lower(self) -> Enclosure:
        """A lower bound on the event's probability on the other input."""
        if self.probability == 0 or (self.order == 1 and self.probability < 1):
            return ZERO
        if self.probability == 1:
            return enclose(lambda: (-ball(self.divergence)).exp())
        return enclose(lambda: (ball(self.probability).log() / self._share() - ball(self.divergence)).exp())

    def _share(self) -> Ball:
        return ball(1 - 1 / Fraction(self.order))


@dataclass(frozen=True, slots=True)
class ComposedEvent:
    r"""Proposition 4: under $n$ steps that are $\varepsilon$-DP an event of probability $Q$ gets at most
    $Qe^x$.

    As stated $x = 2\varepsilon\sqrt{n\ln(1/Q)}$. The constant ½ of Lemma 1 gives the sharp $x =
    \varepsilon\sqrt{2n\ln(1/Q)}-n\varepsilon^2/2$ where $\ln(1/Q)\ge n\varepsilon^2/2$, else $\ln(1/Q)$;
    that is $x = L-(\sqrt L-\varepsilon\sqrt{n/2})_+^2$ with $L = \ln(1/Q)$.
    """

    count: int
    epsilon: Real
    probability: Real

    def exponent(self) -> Enclosure:
        """The exponent as stated."""
        return self._exponent(self._stated)

    def bound(self) -> Enclosure:
        """The upper bound on the probability as stated, at most 1."""
        return self._bound(lambda: self._stated() - self._log())

    def sharp_exponent(self) -> Enclosure:
        """The sharp exponent."""
        return self._exponent(lambda: self._log() - self._excess() ** 2)

    def sharp_bound(self) -> Enclosure:
        r"""The sharper upper bound on the probability, $e^{-(\sqrt L-\varepsilon\sqrt{n/2})_+^2}$."""
        return self._bound(lambda: -(self._excess() ** 2))

    def _exponent(self, formula: Callable[[], Ball]) -> Enclosure:
        if not self.count or not self.epsilon or self.probability == 1:
            return ZERO
        return enclose(formula) if self.probability else INFINITE

    def _bound(self, log: Callable[[], Ball]) -> Enclosure:
        if not self.probability:
            return ZERO
        if not self.count or not self.epsilon:
            return Enclosure.exactly(self.probability)
        return _capped(enclose(lambda: log().exp())) if self.probability < 1 else CERTAIN

    def _log(self) -> Ball:
        return -ball(self.probability).log()

    def _stated(self) -> Ball:
        return 2 * ball(self.epsilon) * (self.count * self._log()).sqrt()

    def _excess(self) -> Ball:
        return (self._log().sqrt() - ball(self.epsilon) * (ball(self.count) / 2).sqrt()).nonnegative_part()


def remark_three_ceiling(delta: Real) -> Enclosure:
    r"""$(1+\sqrt2)\ln(1/\delta)$: where $\ln(1/\delta)\ge\varepsilon^2n$, the value
    $n\varepsilon^2+\varepsilon\sqrt{2n\ln(1/\delta)}$ of strong composition stays below it. (Corollary 1's
    own value need not: it stays below $4\sqrt2\ln(1/\delta)$.)
    """
    if not 0 < delta < 1:
        return INFINITE if delta < 1 else ZERO
    return enclose(lambda: -(1 + ball(2).sqrt()) * ball(delta).log())


def _capped(found: Enclosure) -> Enclosure:
    return Enclosure(min(found.lower, 1.0), min(found.upper, 1.0)) & UNIT_INTERVAL


__all__ = ["ComposedEvent", "Preservation", "PureStepsAtOrder", "remark_three_ceiling"]
