"""The simulation lemma and its exercise: two close distributions from four symbols; and distances between
distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.errors import InvalidParameter
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose

Masses = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Simulation:
    r"""A map from the symbols of leaky randomized response to outcomes: one distribution for each symbol.

    Of the symbols 0, 1, "I am U", "I am V", the first variable $U$ gives
    $\frac{(1-\delta)e^\varepsilon}{1+e^\varepsilon}$, $\frac{1-\delta}{1+e^\varepsilon}$, $\delta$, 0, and
    $V$ the mirror image.
    """

    excess_x: Fraction
    excess_y: Fraction
    zero: Masses
    one: Masses
    i_am_u: Masses
    i_am_v: Masses

    @property
    def rows(self) -> tuple[Masses, Masses, Masses, Masses]:
        """The distributions for 0, 1, "I am U", "I am V"."""
        return self.zero, self.one, self.i_am_u, self.i_am_v


def excess(p: Masses, q: Masses, factor: Fraction) -> Fraction:
    r"""$\sum(p_i-e^\varepsilon q_i)_+$ for a rational $e^\varepsilon$."""
    return sum((max(x - factor * y, Fraction(0)) for x, y in zip(p, q, strict=True)), Fraction(0))


def simulate(p: Masses, q: Masses, factor: Fraction, delta: Fraction) -> Simulation:
    r"""If $X\approx_{\varepsilon,\delta}Y$, some randomized $F$ has $F(U)\sim X$ and $F(V)\sim Y$.

    Cut $P_X$ to $\min(P_X,e^\varepsilon P_Y)$ and $P_Y$ likewise, cut the heavier of the two further,
    towards $e^{-\varepsilon}$ times the other, until both keep the same mass, and scale that to 1. The
    ratio of the results $X'$, $Y'$ stays within $e^{\pm\varepsilon}$, so $F_0\propto e^\varepsilon X'-Y'$
    and $F_1\propto e^\varepsilon Y'-X'$ are distributions; $F_U$ and $F_V$ return what was cut. Where the
    lemma leaves a choice ($\delta=0$, or nothing kept) it is $X'$, $Y'$.
    """
    _check(p, q)
    over_x, over_y = excess(p, q, factor), excess(q, p, factor)
    if max(over_x, over_y) > delta:
        raise InvalidParameter("delta", delta, f"at least {max(over_x, over_y)}, the distance of the two distributions")
    x, y = _kept(p, q, factor, over_x, over_y)
    if factor == 1:
        zero, one = x, y
    else:
        zero = tuple((factor * a - b) / (factor - 1) for a, b in zip(x, y, strict=True))
        one = tuple((factor * b - a) / (factor - 1) for a, b in zip(x, y, strict=True))
    return Simulation(over_x, over_y, zero, one, _returned(p, x, delta), _returned(q, y, delta))


def _kept(p: Masses, q: Masses, factor: Fraction, over_x: Fraction, over_y: Fraction) -> tuple[Masses, Masses]:
    """The mass that both sides keep, scaled to 1, with ratios within the factor."""
    if over_x < over_y:
        y, x = _kept(q, p, factor, over_y, over_x)
        return x, y
    if over_x == 1:  # nothing is kept, and any distribution will do
        return p, p
    x = tuple(min(a, factor * b) for a, b in zip(p, q, strict=True))
    y = tuple(min(b, factor * a) for a, b in zip(p, q, strict=True))
    if over_x > over_y:
        share = (over_x - over_y) / ((1 - over_y) - (1 - over_x) / factor)
        y = tuple((1 - share) * b + share * a / factor for a, b in zip(x, y, strict=True))
    return tuple(a / (1 - over_x) for a in x), tuple(b / (1 - over_x) for b in y)


def _returned(p: Masses, kept: Masses, delta: Fraction) -> Masses:
    return tuple((a - (1 - delta) * b) / delta for a, b in zip(p, kept, strict=True)) if delta else kept


def _check(p: Masses, q: Masses) -> None:
    if len(p) != len(q):
        raise InvalidParameter("P_Y", f"{len(q)} outcomes", f"as many as P_X has, {len(p)}")
    for name, masses in (("P_X", p), ("P_Y", q)):
        if sum(masses) != 1:
            raise InvalidParameter(f"sum of {name}", str(sum(masses)), "exactly 1")


def hockey_stick(p: Sequence[Real], q: Sequence[Real], epsilon: Real) -> Enclosure:
    r"""$d_\varepsilon(P,Q) = \max_S P(S)-e^\varepsilon Q(S) = \sum(p_i-e^\varepsilon q_i)_+$.

    A term is exactly 0 only where both masses are, or at ε = 0: else $e^\varepsilon$ is irrational.
    """
    if len(p) != len(q):
        raise InvalidParameter("P_Y", f"{len(q)} outcomes", f"as many as P_X has, {len(p)}")
    pairs = [(Fraction(a), Fraction(b)) for a, b in zip(p, q, strict=True) if a or b]
    if epsilon == 0:
        return Enclosure.exactly(sum((max(a - b, Fraction(0)) for a, b in pairs), Fraction(0)))

    def formula() -> Ball:
        factor = ball(epsilon).exp()
        return sum(((ball(a) - factor * ball(b)).nonnegative_part() for a, b in pairs if a > b), Ball(0))

    return enclose(formula)


def distance_to_pure(epsilon: Real, delta: Real) -> Enclosure:
    r"""$X\approx_{\varepsilon,\delta}Y$ if and only if some $X'$, $Y'$ with $X'\approx_{\varepsilon,0}Y'$
    lie within total variation $\delta/(1+e^\varepsilon)$ of them.
    """
    return enclose(lambda: ball(delta) / (1 + ball(epsilon).exp()))


@dataclass(frozen=True, slots=True)
class SingleRegion:
    r"""The region of errors $(P_{MD},P_{FA})$ that an $(\varepsilon,\delta)$-DP step leaves an adversary."""

    epsilon: Real
    delta: Real

    def corner(self) -> Enclosure:
        r"""$\frac{1-\delta}{1+e^\varepsilon}$, both coordinates of the corner."""
        return enclose(lambda: ball(1 - Fraction(self.delta)) / (1 + ball(self.epsilon).exp()))

    def slope_one_intercept(self) -> Enclosure:
        r"""$\frac{2(1-\delta)}{1+e^\varepsilon}$, where the support line of slope −1 meets the axes."""
        return enclose(lambda: 2 * ball(1 - Fraction(self.delta)) / (1 + ball(self.epsilon).exp()))

    def axis_intercept(self) -> Fraction:
        r"""$1-\delta$."""
        return 1 - Fraction(self.delta)

    def total_variation(self) -> Enclosure:
        r"""$1-\frac{2(1-\delta)}{1+e^\varepsilon} = \delta+(1-\delta)\tanh(\varepsilon/2)$."""
        d = Fraction(self.delta)
        return enclose(lambda: ball(d) + ball(1 - d) * (ball(self.epsilon) / 2).tanh()) & UNIT_INTERVAL


@dataclass(frozen=True, slots=True)
class LaplacePair:
    r"""Laplace noise of scale $1/\varepsilon$ about 0 and about 1, simulated from randomized response, at
    the point $z$.
    """

    epsilon: Real
    z: Fraction

    def density(self, centre: int) -> Enclosure:
        r"""$\frac\varepsilon2e^{-\varepsilon|z-c|}$."""
        return ZERO if self.epsilon == 0 else enclose(lambda: self._density(centre))

    def given(self, symbol: int) -> Enclosure:
        r"""$F(z\mid0)$ is $(1+e^{-\varepsilon})P(z)$ for $z\le0$,
        $\varepsilon\sinh(\varepsilon(1-z))/(e^\varepsilon-1)$ for $0<z<1$ and 0 beyond; $F(z\mid1)$ is its
        mirror image.
        """
        along = self.z if symbol == 0 else 1 - self.z
        if self.epsilon == 0 or along >= 1:
            return ZERO
        e = self.epsilon
        if along <= 0:
            return enclose(lambda: (1 + (-ball(e)).exp()) * self._density(symbol))
        return enclose(lambda: ball(e) * (ball(e) * ball(1 - along)).sinh() / ball(e).expm1())

    def _density(self, centre: int) -> Ball:
        return ball(self.epsilon) / 2 * (-ball(self.epsilon) * ball(abs(self.z - centre))).exp()


__all__ = ["LaplacePair", "Simulation", "SingleRegion", "distance_to_pure", "excess", "hockey_stick", "simulate"]
