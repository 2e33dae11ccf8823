"""The exponential mechanism: choose a candidate with probability growing in its score."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import Side, describes
from dpcompose.notions import ZCDP, ApproxDP, BoundedRange, FiniteLoss
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import EPSILON
from dpcompose.sources import CR21, DDR20, DR19, HERE

CELLS = 16
"""The number of chords that replace the profile of one run, where it stands beside other mechanisms."""
RANGES = (1e-6, 20.0)
"""The ranges of one run for which the profile is used; others are left to the bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Mechanism):
    """Select with bounded range: the log-ratios of all candidates' probabilities lie within one ε of each other."""

    epsilon: Annotated[Real, EPSILON]
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@dataclass(frozen=True, slots=True)
class WorstSelection:
    """The loss law of a pair that dominates every selection of this range at every ε; the same in both orders."""

    range: Fraction

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The atoms: the slope of the chords changes at each by its probability on the other input."""
        losses = [self.range * (2 * j - CELLS) / CELLS for j in range(CELLS + 1)]
        ratios = [ball(loss).exp() for loss in losses]
        whole = -(-ball(self.range)).expm1()
        heights = [ball((loss - self.range) / 2).expm1() ** 2 / whole for loss in losses]
        slopes = [(b - a) / (v - u) for (u, v), (a, b) in zip(pairwise(ratios), pairwise(heights), strict=True)]
        turns = [after - before for before, after in pairwise([Ball(-1), *slopes, Ball(0)])]
        return [(loss, u * turn) for loss, u, turn in zip(losses, ratios, turns, strict=True)]

    def leak(self) -> Ball:
        """No loss is infinite."""
        return Ball(0)


@dataclass(frozen=True, slots=True)
class TwoLosses:
    """The law with losses t and t − ε, with the probabilities that make it a pair: one member of the class."""

    range: Fraction
    high: Fraction

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The greater loss first."""
        whole = (-ball(self.range)).expm1()
        rest = (self.high - self.range, (ball(self.high - self.range).exp() - (-ball(self.range)).exp()) / -whole)
        return [(self.high, ball(self.high - self.range).expm1() / whole), rest]

    def leak(self) -> Ball:
        """No loss is infinite."""
        return Ball(0)


@describes("BR-PAIR", DDR20.at("Lemma 3.4"))
def selection_is_below_a_pair(m: Exponential) -> FiniteLoss:
    r"""One run has $\delta(x)\le(1-e^{(x-\varepsilon)/2})^2/(1-e^{-\varepsilon})$ for $|x|\le\varepsilon$, the
    largest over $t$ of what losses $t$ and $t-\varepsilon$ give, and no more than its chords in $e^x$, which are the
    profile of a pair with finitely many losses.
    """
    law = WorstSelection(_followed(m))
    return FiniteLoss(law, law)


@describes("BR", DR19.at("Def. 4.1"), side=Side.BOTH)
def selection_has_bounded_range(m: Exponential) -> BoundedRange:
    r"""$P(y)/Q(y)\le e^\varepsilon P(y')/Q(y')$ for all outputs $y$ and $y'$, and nothing more is known."""
    return BoundedRange(m.epsilon)


@describes("BR-PURE", DR19.at("Sec. 4"))
def bounded_range_is_pure(m: Exponential) -> ApproxDP:
    r"""A mechanism of bounded range $\varepsilon$ is $(\varepsilon, 0)$-DP."""
    return ApproxDP(m.epsilon, 0)


@describes("BR-ZCDP", CR21.at("Lemma 3.2, 3.4"))
def bounded_range_is_zcdp(m: Exponential) -> ZCDP:
    r"""A mechanism of bounded range $\varepsilon$ is $\varepsilon^2/8$-zCDP."""
    return ZCDP(Fraction(m.epsilon) ** 2 / 8)


@describes("BR-MEMBER", DR19.at("Sec. 4"), side=Side.LOWER)
def two_candidates_are_a_response(m: Exponential) -> ApproxDP:
    r"""With two candidates of scores that move apart the mechanism is randomized response with
    $\varepsilon/2$: it meets the description, so the class costs at least that.
    """
    return ApproxDP(Fraction(m.epsilon) / 2, 0)


@describes("BR-STEEP", HERE.at("BR-STEEP"), side=Side.LOWER)
def uneven_candidates(m: Exponential) -> FiniteLoss:
    r"""With two candidates of which one is the rarer, the losses are $t=\frac34\varepsilon$ and $t-\varepsilon$: it
    meets the description, so the class costs at least that.
    """
    return _member(m, Fraction(3, 4))


@describes("BR-STEEP", HERE.at("BR-STEEP"), side=Side.LOWER)
def rare_candidate(m: Exponential) -> FiniteLoss:
    r"""With two candidates of which one is rare, the losses are $t=\frac{15}{16}\varepsilon$ and $t-\varepsilon$: it
    meets the description, so the class costs at least that.
    """
    return _member(m, Fraction(15, 16))


def _member(m: Exponential, share: Fraction) -> FiniteLoss:
    whole = _followed(m)
    return FiniteLoss(TwoLosses(whole, whole * share), TwoLosses(whole, whole * (1 - share)))


def _followed(m: Exponential) -> Fraction:
    if not RANGES[0] <= m.epsilon <= RANGES[1]:
        raise Declined("ranges this small or large are left to the bounds")
    return Fraction(m.epsilon)
