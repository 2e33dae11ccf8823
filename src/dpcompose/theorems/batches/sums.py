r"""A sum over a Poisson sample, of which one record is replaced.

With $P_0$ where the record is not drawn, $P_1$ and $Q_1$ where one or the other is, and
$e^{\varepsilon}=1+q(e^{\varepsilon_0}-1)$, $\beta=e^{\varepsilon-\varepsilon_0}$, both inputs being mixtures,
$$D_{e^\varepsilon}(P\|Q)=q\,D_{e^{\varepsilon_0}}(P_1\,\|\,(1-\beta)P_0+\beta Q_1).$$
These are Gaussians, $P_0$ at most $C$ and $Q_1$ at most $S\le2C$ away from $P_1$. Of all sets that $P_1$ gives the
probability $\Phi(t)$ a half-space gives $N(v,1)$ the least, $\Phi(t-|v|)$, so
$$D_{e^\varepsilon}(P\|Q)\le q\,\max_t\{\Phi(t)-e^{\varepsilon_0}((1-\beta)\Phi(t-C)+\beta\Phi(t-S))\},$$
and three points of a line reach it. The other order is the same with the records exchanged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from dpcompose.description import Adjacency
from dpcompose.errors import Declined
from dpcompose.exact.atoms import LogFraction
from dpcompose.inversion import ListedLoss
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.batches.sampled_sum import SampledSum
from dpcompose.mechanisms.batches.shuffled import IN_ITS_PLACE, ShuffledBatches
from dpcompose.mechanisms.batches.with_replacement import SampledWithReplacement
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY
from dpcompose.notions import GDP, Alone, LossTransform, SymmetricProfile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import root
from dpcompose.sources import BBG18, CGK24, HERE
from dpcompose.theorems.gdp import NormalProfile
from dpcompose.theorems.loss.finite_laws import Listed, in_floats
from dpcompose.theorems.sampling.poisson_once import normal_cdf
from dpcompose.theorems.sampling.sampled_once import SampledOnceProfile

BITS = 192
STEP = 1 / 64
FINE, LEAST_FINE = 32, 4
"""Cells in a standard deviation, and how many there are at least."""
LEAST = 1e-100
MOST_COUNTED = 12
REACH = 12.0
FAR = 500.0
RANGE = (Fraction(1, 1000), Fraction(20))
"""Shifts, in σ, that are followed closely; others are left to the bounds."""
Places = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True, slots=True)
class ReplacedInSample(SymmetricProfile):
    """δ as a maximum over thresholds: from the value near the best one to that plus a bound on what is missed."""

    rate: Fraction
    blank: Fraction
    """How far away a sum without the record is, in σ."""
    other: Fraction
    """How far away a sum with the other record is."""

    def delta(self, epsilon: Real) -> Enclosure:
        """At a threshold left of the best one, where the derivative bounds what is left."""
        if epsilon > FAR:
            whole = NormalProfile(max(self.blank, self.other) ** 2)
            return Enclosure(0.0, SampledOnceProfile(self.rate, whole).delta(epsilon).upper)
        threshold = self._threshold(float(epsilon))
        found = enclose(lambda: self._between(ball(epsilon), threshold), gap=2.0**-40)
        return Enclosure(min(max(found.lower, 0.0), 1.0), min(max(found.upper, 0.0), 1.0))

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse, certified by two evaluations; infinite at δ = 0."""
        if delta >= 1:
            return ZERO
        if delta <= 0:
            return Enclosure(math.inf, math.inf)
        return invert_decreasing(self.delta, Enclosure.exactly(delta), 1.0, 0.0, math.inf, gap=2.0**-36)

    def _weights(self, level: Ball) -> tuple[Ball, Ball]:
        """e^ε₀(1 − β) and e^ε₀β: (1 − q)(e^ε₀ − 1), as 1 + (e^ε − 1)/q is e^ε₀, and e^ε."""
        return (1 - ball(self.rate)) * level.expm1() / ball(self.rate), level.exp()

    def _threshold(self, level: float) -> float:
        """Where the derivative of Φ(t) − … changes its sign, in floats."""
        a, b, q = float(self.blank), float(self.other), float(self.rate)
        far, near = max((1 - q) * math.expm1(level) / q, 1e-300), level

        def slope(t: float) -> float:
            exponents = (math.log(far) + a * t - a * a / 2, near + b * t - b * b / 2)
            return -max(exponents) - math.log(sum(math.exp(x - max(exponents)) for x in exponents))

        return root(slope, -1e4, 1e4, 1e-14, 300)

    def _between(self, level: Ball, threshold: float) -> Ball:
        far, near = self._weights(level)
        a, b = ball(self.blank), ball(self.other)
        width = 1e-9 * max(abs(threshold), 1.0)
        left, right = ball(threshold - width), ball(threshold + width)

        def rises(t: Ball) -> Ball:
            return 1 - far * (a * t - a * a / 2).exp() - near * (b * t - b * b / 2).exp()

        if not (rises(left) >= 0 and rises(right) <= 0):
            return Ball(0).union(Ball(1)) * ball(self.rate)
        value = normal_cdf(left) - far * normal_cdf(left - a) - near * normal_cdf(left - b)
        # the density is at most that of the better end, and the factor falls
        dense = (-(left * left).min(right * right) / 2).exp()
        return ball(self.rate) * (value + Ball(0).union((dense * rises(left) * (right - left)).upper()))


@describes("X-SUM", HERE.at("Poisson samples of replaced records"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def replaced_in_a_sample(m: SampledSum) -> Alone:
    r"""$\delta(\varepsilon)=q\max_t\{\Phi(t)-e^{\varepsilon_0}(1-\beta)\Phi(t-C/\sigma)-e^{\varepsilon_0}\beta
    \Phi(t-S/\sigma)\}$ with $e^{\varepsilon}=1+q(e^{\varepsilon_0}-1)$, $\beta=e^{\varepsilon-\varepsilon_0}$, $C$ what
    a record adds at most, and $S\le2C$ what its replacement moves.
    """
    blank, other = _places(m)
    return Alone(ReplacedInSample(Fraction(m.rate), blank, other), _marks(float(m.rate), float(blank), float(other)))


def _places(m: SampledSum) -> tuple[Fraction, Fraction]:
    noise = Fraction(m.gaussian.noise_std)
    if noise == 0 or m.moved == 0 or m.rate in {0, 1}:
        raise Declined("there is no noise, or nothing to hide, or nothing is sampled")
    blank, other = Fraction(m.contribution) / noise, m.moved / noise
    if not (RANGE[0] <= other and blank <= RANGE[1] and m.rate >= 1e-9):
        raise Declined("sums so loud, or so faint, are left to the bounds")
    return blank, other


def _marks(rate: float, blank: float, other: float) -> tuple[float, ...]:
    """The losses at evenly spaced outputs."""
    outputs = np.arange(STEP, REACH + blank, STEP)
    here, there = outputs - 0.0, other - blank
    up = np.log1p(rate * np.expm1(np.minimum(blank * here - blank**2 / 2, 600.0)))
    down = np.log1p(rate * np.expm1(np.minimum(-there * here - there**2 / 2, 600.0)))
    return tuple(float(x) for x in np.unique(up - down) if x > 0)


@dataclass(frozen=True, slots=True)
class CellLaw:
    """Outputs told only by the cell into which a statistic falls, by its distribution functions on both inputs."""

    first: Places
    second: Places
    """Where the output lies on each input, with which chances; with the rest it lies at 0."""
    further: int
    """How many more outputs lie at 0, where the statistic is their maximum."""
    forward: bool
    fine: int
    """Cells in a standard deviation."""

    def cells(self) -> list[tuple[Ball, Ball]]:
        """The probabilities of every cell on both inputs."""
        ends = [0.0, *(float(place) for place, _ in (*self.first, *self.second))]
        grid = np.arange(min(ends) - REACH, max(ends) + REACH, 1 / self.fine).tolist()
        columns = [[self._below(places, ball(x)) for x in grid] for places in (self.first, self.second)]
        first, second = ([b - a for a, b in pairwise([Ball(0), *column, Ball(1)])] for column in columns)
        return list(zip(first, second, strict=True))

    def _below(self, places: Places, x: Ball) -> Ball:
        still = normal_cdf(x)
        moved = sum((ball(chance) * (normal_cdf(x - ball(place)) - still) for place, chance in places), still)
        return moved * (self.further * still.log()).exp() if self.further else moved

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Not listed one by one."""
        raise Declined("cells are kept as floats")

    def leak(self) -> Ball:
        """No cell is empty on one input only."""
        return Ball(0)


@dataclass(frozen=True, slots=True)
class CellPair(Listed):
    """A pair below: what the cells tell."""

    law: CellLaw

    def loss(self) -> ListedLoss:
        """Every cell with its loss and its probability."""
        return _loss(self.law)


@lru_cache(maxsize=1024)
def _loss(law: CellLaw) -> ListedLoss:
    with ctx.workprec(BITS):
        cells = law.cells() if law.forward else [(q, p) for p, q in law.cells()]
        seen = [i for i, (p, q) in enumerate(cells) if p > LEAST and q > LEAST]
        first, last = seen[0], seen[-1]
        ends = [cells[: first + 1], *([cell] for cell in cells[first + 1 : last]), cells[last:]]
        likely = [tuple(sum((cell[i] for cell in group), Ball(0)) for i in range(2)) for group in ends]
        return in_floats([((p / q).log(), p) for p, q in likely], Enclosure(0.0, 0.0))


def cells(first: Places, second: Places, further: int = 0) -> LossTransform:
    """The pair of what the cells tell, in both orders."""
    fine = effort.shared(FINE, LEAST_FINE)
    forward, backward = (CellPair(CellLaw(first, second, further, forward=way, fine=fine)) for way in (True, False))
    return LossTransform(forward, backward, leak=0, turned=(backward, forward))


@describes("X-SUM-CELLS", HERE.at("Poisson samples of replaced records"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def replaced_in_a_sample_by_cells(m: SampledSum) -> LossTransform:
    r"""Where the others add nothing, and the records lie on a line: $(1-q)N(0,\sigma^2)+qN(C,\sigma^2)$ against
    $(1-q)N(0,\sigma^2)+qN(C-S,\sigma^2)$, told by cells.
    """
    blank, other = _places(m)
    rate = Fraction(m.rate)
    return cells(((blank, rate),), ((blank - other, rate),))


@describes("SHUFFLE-MAX", CGK24.at("Sec. 4"), side=Side.LOWER, relations=IN_ITS_PLACE)
def the_loudest_batch(m: ShuffledBatches, inner: GDP) -> LossTransform:
    r"""A record that adds $\Delta$ where the others take $\Delta$ away moves its batch by $2\Delta$, a blank one by
    $\Delta$; replaced, where the others add nothing, by $\Delta$ or not at all. The maximum over the $T$ batches has
    the distribution function $\Phi(x-a)\Phi(x)^{T-1}$, and tells no more than all of them.
    """
    square = Fraction(inner.mu_squared)
    if m.batches < 2 or not RANGE[0] ** 2 <= square <= RANGE[1] ** 2:
        raise Declined("a single batch, or one so loud or faint, is left to the bounds")
    mu, certain = root_below(square), Fraction(1)
    blank = mu if m.adjacency is Adjacency.ZERO_OUT else Fraction(0)
    return cells(((mu + blank, certain),), ((blank, certain),), m.batches - 1)


def root_below(square: Fraction) -> Fraction:
    """μ from μ², rounded down, which costs less."""
    scale = 1 << 40
    return Fraction(math.isqrt(int(square * scale * scale)), scale)


@describes("X-WR-CELLS", BBG18.at("Thm. 10"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def counted_draws(m: SampledWithReplacement, inner: GDP) -> LossTransform:
    r"""A query that counts the draws of the record, where no other counts: $\sum_kp_kN(k\mu,1)$ against $N(0,1)$, told
    by cells; chances are rounded down, and with the rest nothing moves.
    """
    square = Fraction(inner.mu_squared)
    if m.size < 2 or m.of < 2 or not RANGE[0] ** 2 <= square <= 1:
        raise Declined("a single draw, or one so loud or faint, is left to the bounds")
    chances, _ = m.times(MOST_COUNTED)
    mu = root_below(square)
    return cells(tuple((k * mu, Fraction(p.lower)) for k, p in enumerate(chances, 1) if p.lower > LEAST), ())


__all__ = ["CellLaw", "CellPair", "ReplacedInSample", "cells"]
