"""Finite laws for the tests of their sums, written down from their definitions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcompose.exact.finite import LogFraction
from dpcompose.numerics.enclosure import Ball, ball


@dataclass(frozen=True)
class Response:
    """A leak, and beside it +e or -e with the odds exp(e) to 1."""

    e: Fraction
    leaked: Fraction = Fraction(0)

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        x, kept = (-ball(self.e)).exp(), 1 - ball(self.leaked)
        return [(self.e, kept / (1 + x)), (-self.e, kept * x / (1 + x))]

    def leak(self) -> Ball:
        return ball(self.leaked)


@dataclass(frozen=True)
class Pair:
    """ln(p/q) under p."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        return [(LogFraction(p / q), ball(p)) for p, q in zip(self.p, self.q, strict=True) if p and q]

    def leak(self) -> Ball:
        return ball(sum((p for p, q in zip(self.p, self.q, strict=True) if not q), Fraction(0)))


@dataclass(frozen=True)
class Geometric:
    """Two-sided geometric noise of rate e/s, shifted by s."""

    e: Fraction
    s: int

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        rate, s = self.e / self.s, self.s
        r = (-ball(rate)).exp()
        inner = [((s - 2 * j) * rate, (1 - r) / (1 + r) * r**j) for j in range(1, s)]
        return [(s * rate, 1 / (1 + r)), *inner, (-s * rate, r**s / (1 + r))]

    def leak(self) -> Ball:
        return arb(0)


@dataclass(frozen=True)
class Staircase:
    e: Fraction
    gamma: Fraction

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        b, g = (-ball(self.e)).exp(), self.gamma
        a = (1 - b) / (2 * (ball(g) + b * ball(1 - g)))
        zero = ball(1 - 2 * g) * a * b if g <= Fraction(1, 2) else ball(2 * g - 1) * a
        plus = (1 - zero) / (1 + b)
        return [(self.e, plus), (Fraction(0), zero), (-self.e, plus * b)]

    def leak(self) -> Ball:
        return arb(0)


@dataclass(frozen=True)
class Truncated:
    """A response whose rarest outcomes were cut off: up to so much may leak."""

    e: Fraction
    most: Fraction

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        kept = ball(1 - self.most).union(1)
        x = (-ball(self.e)).exp()
        return [(self.e, kept / (1 + x)), (-self.e, kept * x / (1 + x))]

    def leak(self) -> Ball:
        return ball(self.most).union(0)
