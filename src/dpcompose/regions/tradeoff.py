r"""The trade-off function of one ordered pair, certified from both sides.

$T(P,Q)(\alpha)$ is the least error under $Q$ of a test whose error under $P$ is at most $\alpha$ (Neyman and Pearson):
convex, falling, and the lower boundary of the region of both errors. With $d_t(P,Q) = \max_A P(A)-e^tQ(A)$,

$$T(P,Q)(\alpha) = \max\Bigl\{0,\ \max_{t\ge0}\,1-d_t(Q,P)-e^t\alpha,\ \max_{t\ge0}\,e^{-t}(1-d_t(P,Q)-\alpha)\Bigr\}.$$
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import accumulate
from typing import Any

from dpcompose.kernel import Claim
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.regions.chain import Chain, Floats

_BITS = 128
_TIE = 1e-14


class Order(Enum):
    """Which of the two neighbours is the null hypothesis."""

    EITHER = "either"
    """Both: whichever serves the attacker better."""
    FORWARD = "forward"
    """The first neighbour: α is the error under P, β under Q."""
    BACKWARD = "backward"
    """The second neighbour."""


@dataclass(frozen=True, slots=True)
class EventProbabilities:
    """An event A with its probability under each hypothesis."""

    p: Enclosure
    q: Enclosure


def complement(x: Enclosure) -> Enclosure:
    """1 − x, end by end."""
    return Enclosure(Enclosure.exactly(1 - Fraction(x.upper)).lower, Enclosure.exactly(1 - Fraction(x.lower)).upper)


class Tradeoff(ABC):
    """The trade-off function T(P, Q), bounded from below and from above."""

    lower_by: Claim[Any] | None
    """The claim behind the lower bound, which is an upper bound on δ."""
    upper_by: Claim[Any] | None

    @abstractmethod
    def between(self, least: Floats, most: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """Bounds at each α, which lies between `least` and `most`; at a relative distance of `tolerance` where
        possible.
        """

    @abstractmethod
    def chains(self, tolerance: float) -> tuple[Chain, Chain]:
        """A chain below and a chain above the function, about `tolerance` apart."""

    @abstractmethod
    def event(self, t: Real) -> EventProbabilities:
        """An event that attains max P(A) − e^t Q(A), as nearly as is known."""

    def vertices(self) -> tuple[tuple[Enclosure, Enclosure], ...]:
        """The corners (α, β), if there are finitely many; else empty."""
        return ()

    @abstractmethod
    def swapped(self) -> Tradeoff:
        """T(Q, P), the inverse function."""

    def tells_no_more(self, other: Tradeoff) -> bool | None:  # noqa: ARG002 - a family of curves may know
        """Whether this function is nowhere below the other, if their parameters tell; else None."""
        return None


@dataclass(frozen=True, slots=True)
class Corners(Tradeoff):
    """A discrete law: a chain known by its corners, each enclosed."""

    corners: tuple[tuple[Enclosure, Enclosure], ...]
    below: Chain
    above: Chain
    lower_by: Claim[Any] | None = None
    upper_by: Claim[Any] | None = None

    @classmethod
    def of(cls, corners: tuple[tuple[Enclosure, Enclosure], ...], claim: Claim[Any] | None = None) -> Corners:
        """From corners (α, β) with rising α, the last β being 0: the lower chain has their lower ends, the upper their
        upper ones.
        """
        low = zip(
            accumulate((a.lower for a, _ in corners), max),
            reversed(list(accumulate((b.lower for _, b in reversed(corners)), max))),
            strict=True,
        )
        high = zip(
            reversed(list(accumulate((a.upper for a, _ in reversed(corners)), min))),
            accumulate((b.upper for _, b in corners), min),
            strict=True,
        )
        below, above = tuple(low), tuple(high)
        below = below if below[0][0] == 0.0 else ((0.0, below[0][1]), *below)
        above = above if above[0][0] == 0.0 else ((0.0, 1.0), *above)
        return cls(corners, Chain(below), Chain(above), claim, claim)

    def between(self, least: Floats, most: Floats, tolerance: float) -> tuple[Floats, Floats]:  # noqa: ARG002
        """Bounds on β at rates between `least` and `most`, read off the chains."""
        return self.below.floor(most), self.above.ceiling(least)

    def chains(self, tolerance: float) -> tuple[Chain, Chain]:  # noqa: ARG002
        """The two chains of these corners, whatever the tolerance."""
        return self.below, self.above

    def event(self, t: Real) -> EventProbabilities:
        """The event of the corner that is best at odds e^t."""
        with ctx.workprec(_BITS):
            odds = ball(t).exp()
            gains = [_gain(a, b, odds) for a, b in self.corners]
        best = max(gains)  # at a tie the rarest event: outcomes of exactly that ratio stay out
        ties = [corner for corner, gain in zip(self.corners, gains, strict=True) if gain >= best - _TIE]
        a, b = min(ties, key=lambda corner: corner[1].lower)
        return EventProbabilities(complement(a), b)

    def vertices(self) -> tuple[tuple[Enclosure, Enclosure], ...]:
        """The corners (α, β), enclosed."""
        return self.corners

    def swapped(self) -> Corners:
        """The function with α and β exchanged."""
        mirrored = tuple((b, a) for a, b in reversed(self.corners))
        return Corners(mirrored, self.below.swapped, self.above.swapped, self.lower_by, self.upper_by)


def _gain(alpha: Enclosure, beta: Enclosure, odds: Ball) -> float:
    """P(A) − e^t Q(A), roughly."""
    lost = odds * ball(beta) if beta.upper > 0.0 else ball(0)
    if not lost.is_finite():  # odds beyond all balls, at which any miss costs too much
        return -math.inf
    gain = float((1 - ball(alpha) - lost).mid())
    return gain if gain <= 1.0 else -math.inf  # a NaN counts as no gain


__all__ = ["Corners", "EventProbabilities", "Order", "Tradeoff", "complement"]
