r"""The finite pair whose profile runs through dots: the same in both orders, it dominates whatever lies below them.

With $x = e^\varepsilon$ a profile $f(x) = \sup_SP(S)-xQ(S)$ is convex, does not increase, and obeys
$f_{P\|Q}(1/x) = 1-1/x+f_{Q\|P}(x)/x$ and $f(0) = 1$. If both orders lie below $h_i$ at the points $x_i\ge1$, both
therefore lie below the lower convex hull of the dots $(x_i,h_i)$, $(1/x_i,\,1-1/x_i+h_i/x_i)$ and $(0,1)$, and below
$h_n$ beyond the last. The hull is the profile of the pair that has a loss $\ln x$ wherever its slope rises, by as
much as $Q$ has there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from dpcompose.exact.atoms import LogFraction
from dpcompose.numerics.enclosure import Ball, ball, enclose

Dot = tuple[Fraction, Fraction]


@dataclass(frozen=True, slots=True)
class DottedLaw:
    """The loss of a pair given by its likelihood ratios: the same in both orders."""

    ratios: tuple[tuple[Fraction, Fraction], ...]
    leaking: Fraction

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Each finite loss with its probability."""
        return [(LogFraction(ratio), ball(mass)) for ratio, mass in self.ratios]

    def leak(self) -> Ball:
        """What reveals everything."""
        return ball(self.leaking)


def law_through(bounds: Sequence[tuple[float, float]]) -> DottedLaw:
    """The law whose profile is the hull of the bounds δ ≤ h at ε, which start at ε = 0 and grow."""
    dots: list[Dot] = []
    least = Fraction(1)
    for level, height in bounds:  # rounding x up moves the bound to where the profile is smaller still
        x = _exponential(level)
        least = min(least, Fraction(height))
        if dots and dots[-1][0] == x:  # levels that no float tells apart
            dots.pop()
        dots.append((x, least))
    mirrored = [(1 / x, 1 - 1 / x + h / x) for x, h in reversed(dots) if x > 1]
    hull = lower_hull([(Fraction(0), Fraction(1)), *mirrored, *dots])
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(hull)]
    rises = zip(hull[1:], slopes, [*slopes[1:], Fraction(0)], strict=True)
    return DottedLaw(tuple((x, x * (after - before)) for (x, _), before, after in rises if after > before), least)


def _exponential(level: float) -> Fraction:
    """e^ε, rounded up."""
    return Fraction(enclose(lambda: ball(level).exp()).upper) if level else Fraction(1)


def lower_hull(dots: Sequence[Dot]) -> list[Dot]:
    """The corners of the greatest convex function below the dots, which are given from left to right."""
    hull: list[Dot] = []
    for x, h in dots:
        while len(hull) > 1 and (hull[-1][1] - hull[-2][1]) * (x - hull[-2][0]) >= (h - hull[-2][1]) * (
            hull[-1][0] - hull[-2][0]
        ):
            hull.pop()
        hull.append((x, h))
    return hull


__all__ = ["DottedLaw", "law_through", "lower_hull"]
