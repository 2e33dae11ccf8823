"""Two finite distributions: the outcomes of a mechanism on one input and on its neighbour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.exact.finite import LogFraction
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.long_pair import LONG, LongPairCurve, LongPairLaw, log_moment
from dpcompose.notions import ApproxDP, Curve, FiniteLoss, Renyi
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Real, ball, enclose
from dpcompose.parameters import exact, listed
from dpcompose.sources import KOV15, MIR17

MOST_ATOMS = 10**6
SLACK = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscretePair(Mechanism):
    """One neighbouring pair: outcome i has probability p[i] on one input and q[i] on the other.

    Probabilities given as floats rarely add up to exactly 1; a sum within 1e-9 of 1 is divided out.
    """

    p: Sequence[Real]
    q: Sequence[Real]
    adjacency: Adjacency | None = None

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        p, q = (listed(name, getattr(self, name), MOST_ATOMS, "probabilities") for name in ("p", "q"))
        if len(p) != len(q):
            raise InvalidParameter("q", f"{len(q)} outcomes", f"as many as p has, {len(p)}")
        for name in ("p", "q"):
            object.__setattr__(self, name, distribution(name, getattr(self, name)))


class Masses(tuple[Real, ...]):  # noqa: SLOT001 - it remembers its hash
    """Masses whose hash is computed once: hashing thousands of fractions takes as long as many an answer."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return super().__hash__()


def distribution(name: str, masses: Sequence[Real]) -> Masses:
    """Masses that are non-negative and add up to 1."""
    listed(name, masses, MOST_ATOMS, "probabilities")
    numbers = masses.tolist() if isinstance(masses, np.ndarray) else masses
    if all(type(x) is float and 0.0 <= x <= 1.0 for x in numbers):
        checked = Masses(numbers)
        total: Real = math.fsum(checked)
    else:
        checked = Masses(exact(f"{name}[{i}]", x, "a probability") for i, x in enumerate(numbers))
        for i, x in enumerate(checked):
            if not 0 <= x <= 1:
                raise InvalidParameter(f"{name}[{i}]", x, "a probability from 0 to 1")
        total = mass_of(checked)
    if abs(Fraction(total) - 1) > SLACK:
        raise InvalidParameter(f"sum of {name}", float(total), "1 (to within 1e-9)")
    return checked


def mass_of(masses: Sequence[Real]) -> Fraction:
    """The exact sum."""
    return sum((Fraction(x) for x in masses), Fraction(0))


@dataclass(frozen=True)
class PairLaw:
    """The law of the loss ln(p/q) under p; outcomes that q never gives leak."""

    p: tuple[Real, ...]
    q: tuple[Real, ...]

    def ratios(self) -> dict[Fraction | None, Fraction]:
        """The mass at every likelihood ratio; None stands for an infinite ratio."""
        return self._ratios

    @cached_property
    def _ratios(self) -> dict[Fraction | None, Fraction]:
        effort.count(1500 * len(self.p))
        top, bottom = mass_of(self.p), mass_of(self.q)
        mass: dict[Fraction | None, Fraction] = {}
        for p, q in zip(self.p, self.q, strict=True):
            if p:
                ratio = Fraction(p) * bottom / (Fraction(q) * top) if q else None
                mass[ratio] = mass.get(ratio, Fraction(0)) + Fraction(p) / top
        return mass

    @cached_property
    def floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Losses and masses in floats, uncertified."""
        finite = {ratio: mass for ratio, mass in self._ratios.items() if ratio is not None}
        losses = [math.log(ratio.numerator) - math.log(ratio.denominator) for ratio in finite]
        return np.array(losses), np.array([float(mass) for mass in finite.values()])

    def guess(self, order: float) -> float:
        """The Rényi divergence in floats; infinite if mass leaks."""
        return math.inf if None in self._ratios else max(log_moment(*self.floats, order), 0.0)

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Each finite loss with its probability."""
        return [(LogFraction(ratio), ball(mass)) for ratio, mass in self.ratios().items() if ratio is not None]

    def leak(self) -> Ball:
        """The mass of outcomes that the other input never gives."""
        return ball(self.ratios().get(None, Fraction(0)))


@dataclass(frozen=True, slots=True)
class PairCurve(Curve):
    """The larger of the two Rényi divergences of a pair."""

    forward: PairLaw
    backward: PairLaw

    def at(self, order: Real) -> Ball:
        """The divergence, the worse of both orders of the pair."""
        return divergence(self.forward, order).max(divergence(self.backward, order))

    def guess(self, order: float) -> float:
        """The same in floats."""
        return max(law.guess(order) for law in (self.forward, self.backward))


def divergence(law: PairLaw, order: Real) -> Ball:
    r"""$\frac{1}{\alpha-1}\ln\mathrm{E}_P e^{(\alpha-1)L}$; the mean of $L$ at $\alpha=1$; infinite if mass leaks."""
    ratios = law.ratios()
    if None in ratios:
        return Ball("inf")
    losses = [(ball(ratio).log(), ball(mass)) for ratio, mass in ratios.items() if ratio is not None]
    if order == 1:
        return sum((mass * loss for loss, mass in losses), Ball(0)).nonnegative_part()
    s = ball(order) - 1
    moment = sum((mass * (s * loss).expm1() for loss, mass in losses), Ball(0))
    return moment.log1p().nonnegative_part() / s


def _both(m: DiscretePair) -> tuple[Masses, Masses]:
    """Both distributions, checked."""
    return cast(Masses, m.p), cast(Masses, m.q)


@describes("HOCKEY", KOV15.at("Sec. 2"), side=Side.BOTH)
def pair_loss(m: DiscretePair) -> FiniteLoss:
    r"""The loss is $\ln(p_i/q_i)$ with probability $p_i$, and $\ln(q_i/p_i)$ with probability $q_i$ in the
    other order; outcomes impossible on the other input leak.
    """
    p, q = _both(m)
    if len(p) > LONG:
        return FiniteLoss(LongPairLaw(p, q), LongPairLaw(q, p))
    forward, backward = PairLaw(p, q), PairLaw(q, p)
    return FiniteLoss(forward, forward if forward.ratios() == backward.ratios() else backward)


@describes("KOV-D1.1", KOV15.at("Def. 1.1"))
def pair_is_approx(m: DiscretePair) -> ApproxDP:
    r"""The largest finite $|\ln(p_i/q_i)|$, with the larger mass that leaks in either order."""
    p, q = _both(m)
    if len(p) > LONG:
        return _long_approx(LongPairLaw(p, q), LongPairLaw(q, p))
    laws = (PairLaw(p, q).ratios(), PairLaw(q, p).ratios())
    most = max((ratio for law in laws for ratio in law if ratio is not None), default=Fraction(1))
    leak = max(law.get(None, Fraction(0)) for law in laws)
    return ApproxDP(enclose(lambda: ball(max(most, Fraction(1))).log()).upper, leak)


def _long_approx(*laws: LongPairLaw) -> ApproxDP:
    """ε and δ of a pair with many outcomes, both rounded up."""
    found = [law.floats() for law in laws]
    most = max(float(np.max(atoms.losses + atoms.loss_error, initial=0.0)) for atoms in found)
    return ApproxDP(math.nextafter(most, math.inf), max(atoms.leak.upper for atoms in found))


@describes("RDP-DEF", MIR17.at("Def. 4"))
def pair_curve(m: DiscretePair) -> Renyi:
    r"""$D_\alpha(P\|Q) = \frac{1}{\alpha-1}\ln\sum_i p_i^\alpha q_i^{1-\alpha}$, the larger of both orders."""
    p, q = _both(m)
    if len(p) > LONG:
        return Renyi(LongPairCurve(LongPairLaw(p, q), LongPairLaw(q, p)))
    return Renyi(PairCurve(PairLaw(p, q), PairLaw(q, p)))
