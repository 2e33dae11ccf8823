"""Selections that are pure but not known to have bounded range: permute-and-flip, noisy max, thresholds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.laplace import LaplaceCurve
from dpcompose.notions import ApproxDP, Curve, Renyi
from dpcompose.numerics.enclosure import Ball, Real, ball, enclose
from dpcompose.parameters import EPSILON
from dpcompose.sources import DR14, HERE, MS20

FAR = 1000
"""Members are evaluated at an ε of at most this, which can only lower their cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip(Mechanism):
    """Go through the candidates in random order; take the first whose coin, e^(−ε(best − score)/2Δ), falls heads."""

    epsilon: Annotated[Real, EPSILON]
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportNoisyMax(Mechanism):
    """Add Laplace noise of scale 2Δ/ε to every candidate's score, and say which is the greatest, not how great."""

    epsilon: Annotated[Real, EPSILON]
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveThreshold(Mechanism):
    """Ask queries until one, with noise of scale 4Δ/ε, exceeds a threshold with noise of scale 2Δ/ε; say which."""

    epsilon: Annotated[Real, EPSILON]
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@describes("PF-PURE", MS20.at("Sec. 3"))
def permute_and_flip_is_pure(m: PermuteAndFlip) -> ApproxDP:
    r"""Permute-and-flip with scores of sensitivity $\Delta$ is $(\varepsilon, 0)$-DP."""
    return ApproxDP(m.epsilon, 0)


@describes("RNM-PURE", DR14.at("Claim 3.9"))
def noisy_max_is_pure(m: ReportNoisyMax) -> ApproxDP:
    r"""The index of the greatest of scores of sensitivity $\Delta$, each with Laplace noise of scale
    $2\Delta/\varepsilon$, is $(\varepsilon, 0)$-DP: given all other noise, a candidate wins where its own exceeds
    a threshold, which moves by at most $2\Delta$. (For counts that all move one way, as in the source, by $\Delta$.)
    """
    return ApproxDP(m.epsilon, 0)


@describes("SVT-PURE", DR14.at("Thm. 3.23"))
def above_threshold_is_pure(m: AboveThreshold) -> ApproxDP:
    r"""AboveThreshold, which halts at its first answer above, is $(\varepsilon, 0)$-DP however many queries it took."""
    return ApproxDP(m.epsilon, 0)


@dataclass(frozen=True, slots=True)
class ThresholdCurve(Curve):
    """The Rényi curve of the noisy threshold: that of Laplace noise at ε/2, plus ε/2 for the queries."""

    epsilon: Real

    def at(self, order: Real) -> Ball:
        """The curve; at most ε, which it approaches as the order grows."""
        half = Fraction(self.epsilon) / 2
        return LaplaceCurve(half).at(order) + ball(half)

    def guess(self, order: float) -> float:
        """The curve in floats."""
        half = float(self.epsilon) / 2.0
        return LaplaceCurve(half).guess(order) + half


@describes("SVT-RDP", HERE.at("Thresholds"))
def above_threshold_curve(m: AboveThreshold) -> Renyi:
    r"""Where the threshold's noise is $z$ for one input and $z+\Delta$ for the other, no output is more than
    $e^{\varepsilon/2}$ times as likely. So $D_\alpha$ exceeds that of Laplace noise of scale $2\Delta/\varepsilon$ by
    at most $\varepsilon/2$.
    """
    return Renyi(ThresholdCurve(m.epsilon))


@describes("PF-MEMBER", HERE.at("Members of selections"), side=Side.LOWER)
def two_flipped_candidates(m: PermuteAndFlip) -> ApproxDP:
    r"""Of two candidates whose scores change places the worse is taken with probability $x=\frac12e^{-\varepsilon/2}$:
    randomized response with $\ln\frac{1-x}{x}$.
    """
    return _response(m.epsilon, lambda e: (-e / 2).exp() / 2)


@describes("RNM-MEMBER", HERE.at("Members of selections"), side=Side.LOWER)
def two_noisy_candidates(m: ReportNoisyMax) -> ApproxDP:
    r"""Of two candidates whose scores change places the worse wins with probability
    $x=\frac14(2+\frac\varepsilon2)e^{-\varepsilon/2}$: randomized response with $\ln\frac{1-x}{x}$.
    """
    return _response(m.epsilon, lambda e: (2 + e / 2) * (-e / 2).exp() / 4)


@describes("SVT-MEMBER", HERE.at("Members of selections"), side=Side.LOWER)
def one_query_at_the_threshold(m: AboveThreshold) -> ApproxDP:
    r"""One query that lies half a sensitivity on either side of the threshold is told wrongly with probability
    $x=\frac16(4e^{-\varepsilon/8}-e^{-\varepsilon/4})$: randomized response with $\ln\frac{1-x}{x}$.
    """
    return _response(m.epsilon, lambda e: (4 * (-e / 8).exp() - (-e / 4).exp()) / 6)


def _response(epsilon: Real, error: Callable[[Ball], Ball]) -> ApproxDP:
    """The randomized response with this error probability, its ε rounded down."""

    def odds() -> Ball:
        x = error(ball(min(epsilon, FAR)))
        return ((1 - x) / x).log()

    return ApproxDP(max(enclose(odds).lower, 0.0), 0)
