"""Selections of bounded range, such as exponential mechanisms: plans fixed in advance, series, and beside others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpcompose.description import Adaptivity
from dpcompose.errors import Declined
from dpcompose.exact.bounded_range import GridValues
from dpcompose.exact.range_grids import Kinds, Wanted, spread
from dpcompose.exact.range_plans import above, above_fixed, below, below_fixed
from dpcompose.kernel import Parts, Side, composes
from dpcompose.mechanisms.exponential import RANGES
from dpcompose.notions import BoundedRange, Profile
from dpcompose.numerics.enclosure import NON_NEGATIVE, UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.search import root
from dpcompose.numerics.special import bdtr
from dpcompose.sources import DDR20

MOST_RUNS = 1000
"""With more runs of one kind the optimum for a fixed plan is not listed."""
FAR, RARE = 150.0, 1e-200
"""Beyond this ε the small probability that e^ε is multiplied by may be no float, nor below this δ."""
GLANCED = 1e-2
"""Where so wide a gap will do, no grid is made."""


@dataclass(frozen=True, slots=True)
class FixedSeries(Profile):
    """Runs of one range, all chosen in advance, and how many there are."""

    range: Fraction
    count: int

    def delta(self, epsilon: Real) -> Enclosure:
        """The largest over the number of low outcomes that are counted; those far from it in floats are left out."""
        level, k = Fraction(epsilon), self.count
        if level >= k * self.range:
            return ZERO
        places = np.arange(min(k, math.ceil((k * self.range - level) / self.range)))
        with np.errstate(over="ignore", invalid="ignore"):
            guesses = self._guesses(float(level), places)
        near = places[~(guesses < np.nanmax(guesses, initial=0.0) * (1 - 1e-7))]  # also what floats cannot tell
        found = [enclose(partial(self._value, level, int(i)), gap=2.0**-40) for i in near]
        return Enclosure(max(e.lower for e in found), max(e.upper for e in found)) & UNIT_INTERVAL

    def _guesses(self, level: float, low: NDArray[np.intp]) -> NDArray[np.float64]:
        """`_value` in floats, good to better than 1e-8; NaN where both terms nearly cancel."""
        k, e = self.count, float(self.range)
        t = np.minimum((level + (low + 1) * e) / (k + 1), e)
        first = bdtr(low, k, np.exp(-e) * np.expm1(t) / -np.expm1(-e))
        p = np.expm1(-t) / np.expm1(-e)
        floats = level < FAR and first.max(initial=0.0) > RARE
        second = np.exp(level) * bdtr(low, k, p) if floats else self._in_logarithms(level, low, p)
        if not np.nanmax(first - second, initial=0.0) > RARE**1.4:  # then first is hardly a float
            return np.full(low.size, np.nan)
        return np.where(first - second > 1e-3 * first, first - second, np.nan)

    def _in_logarithms(self, level: float, low: NDArray[np.intp], p: NDArray[np.float64]) -> NDArray[np.float64]:
        """e^ε times the probability of so few, where floats hold neither factor."""
        i = np.arange(self.count)
        binomial = np.concatenate([[0.0], np.cumsum(np.log((self.count - i) / (i + 1)))])[: i.size]
        with np.errstate(divide="ignore", invalid="ignore"):  # p may be 1 among floats: then no fewer are low
            rows = level + binomial + i * np.log(p)[:, None] + (self.count - i) * np.log1p(-p)[:, None]
        return np.asarray(np.sum(np.exp(np.where(i <= low[:, None], rows, -np.inf)), axis=1))

    def _value(self, level: Fraction, low: int) -> Ball:
        """The δ of the runs whose common t is best if so many low outcomes count."""
        k = self.count
        t = (level + (low + 1) * self.range) / (k + 1)
        whole = -(-ball(self.range)).expm1()
        high_mass, low_mass = -ball(t - self.range).expm1() / whole, ball(t).expm1() * (-ball(self.range)).exp() / whole
        fewer, left = low_mass / high_mass, ball(level - k * t).exp()
        total, weight, further = Ball(0), high_mass**k, ball(self.range).exp()
        for i in range(min(low + 1, math.ceil((k * t - level) / self.range))):  # while losses kt - iε₀ exceed ε
            total += weight * (1 - left)
            weight, left = weight * fewer * (k - i) / (i + 1), left * further
        return total

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse, certified by two evaluations."""
        target, most = Enclosure.exactly(delta), Enclosure.exactly(self.range * self.count)
        if delta >= 1 or self.count == 0:
            return ZERO
        if delta == 0:
            return most
        guess = self._guessed_epsilon(math.log(target.upper or 1e-320), most.lower)
        found = invert_decreasing(self.delta, target, guess, 0.0, most.upper, gap=2.0**-36)
        return Enclosure(found.lower, min(found.upper, most.upper))

    def _guessed_epsilon(self, log_delta: float, most: float) -> float:
        """Where floats see δ; or what ρ says, where they see nothing."""
        rho, places = float(self.range) ** 2 * self.count / 8, np.arange(self.count)

        def excess(level: float) -> float:
            within = places[places < self.count - level / float(self.range)]
            with np.errstate(all="ignore"):
                values = self._guesses(level, within)
            best = np.nanmax(values, initial=0.0)
            return math.log(best) - log_delta if best > 0.0 else -1.0

        high = min(rho + 2 * math.sqrt(rho * max(-log_delta, 0.0)), most)
        return root(excess, 0.0, high)


@dataclass(frozen=True, slots=True)
class ConcentratedSeries(Profile):
    r"""All that is known of runs of bounded ranges through $\rho=\sum\varepsilon_i^2/8$: from above."""

    rho: Fraction

    def delta(self, epsilon: Real) -> Enclosure:
        r"""At most $e^{-(\varepsilon-\rho)^2/4\rho}$ beyond ρ."""
        if self.rho == 0 or epsilon <= self.rho:
            return ZERO if self.rho == 0 else UNIT_INTERVAL
        beyond = Fraction(epsilon) - self.rho
        return Enclosure(0.0, enclose(lambda: (-ball(beyond * beyond / (4 * self.rho))).exp()).upper)

    def epsilon(self, delta: Real) -> Enclosure:
        r"""At most $\rho+2\sqrt{\rho\ln(1/\delta)}$."""
        if delta >= 1 or self.rho == 0:
            return ZERO
        if delta == 0:
            return NON_NEGATIVE
        return Enclosure(0.0, enclose(lambda: ball(self.rho) + 2 * (ball(self.rho) * -ball(delta).log()).sqrt()).upper)


@dataclass(frozen=True, slots=True)
class AdaptiveSeries(Profile):
    """Runs of several ranges, each chosen after the outputs before it, on a grid from above and from below."""

    kinds: Kinds
    adaptivity: Adaptivity
    """Whether an analyst may choose each t after the outputs before it; from below, that matters."""
    ends: Side = Side.BOTH

    def from_below(self) -> AdaptiveSeries:
        """Not followed from above."""
        return replace(self, ends=Side.LOWER)

    def to(self, tolerance: float) -> Profile:
        """At a glance, only what ρ says."""
        return self if tolerance < GLANCED else ConcentratedSeries(self.spread_above)

    @property
    def most(self) -> Fraction:
        """The greatest total loss."""
        return sum((e * n for e, n in self.kinds), Fraction(0))

    @property
    def spread_above(self) -> Fraction:
        """The same ρ, exactly."""
        return sum((e * e * n for e, n in self.kinds), Fraction(0)) / 8

    def delta(self, epsilon: Real) -> Enclosure:
        """Read off a grid that reaches beyond ε."""
        if epsilon >= self.most:
            return ZERO
        level, rho = Enclosure.exactly(epsilon), spread(self.kinds)
        rarity = max(level.upper - rho, 0.0) ** 2 / (4 * rho)
        reach = self._reach(max(level.upper + 2 * math.sqrt(rho), rho + 2 * math.sqrt(rho * (rarity + 7))))
        wanted = Wanted(math.exp(-rarity), level.upper)
        lower = max((curve.delta_below(level.upper) for curve in self._below(reach, wanted)), default=0.0)
        upper = min((curve.delta_above(level.lower) for curve in self._above(reach, wanted)), default=1.0)
        return Enclosure(lower, upper)

    def epsilon(self, delta: Real) -> Enclosure:
        """Read off a grid that reaches beyond any ε needed."""
        most = Enclosure.exactly(self.most)
        if delta >= 1:
            return ZERO
        if delta == 0:
            return most
        target, rho = Enclosure.exactly(delta), spread(self.kinds)
        if target.lower < 1e-250:
            raise Declined("so small a δ is left to the bounds")
        reach = self._reach(rho + 2 * math.sqrt(rho * (7 - math.log(target.lower))))
        wanted = Wanted(target.upper)
        upper = min((curve.epsilon_above(target.lower) for curve in self._above(reach, wanted)), default=math.inf)
        lower = max((curve.epsilon_below(target.upper) for curve in self._below(reach, wanted)), default=0.0)
        return Enclosure(lower, min(upper, most.upper))

    def roughly(self, delta: Real) -> Enclosure | None:
        r"""About what a Gaussian of the same ρ costs; for members, such as randomized response, that is about right."""
        if not 0.0 < delta < 1.0:
            return None
        mu, aim = math.sqrt(2 * spread(self.kinds)), float(delta)

        def excess(epsilon: float) -> float:
            near, far = (math.erfc((epsilon / mu + side * mu / 2) / math.sqrt(2)) / 2 for side in (-1, 1))
            return near - math.exp(min(epsilon, 700.0)) * far - aim

        most = float(self.most)
        found = root(excess, 0.0, min(mu * (mu + 40), most), tolerance=1e-3)
        return Enclosure(0.85 * min(found, most / 2), min(1.15 * found, most) if found < most / 2 else most)

    def _reach(self, wanted: float) -> float:
        """Rounded up to an eighth of an octave, so that similar questions share a grid."""
        return math.exp(math.ceil(8 * math.log2(wanted)) / 8 * math.log(2))

    def _above(self, reach: float, wanted: Wanted) -> tuple[GridValues, ...]:
        if Side.UPPER not in self.ends:
            return ()
        if self.adaptivity is Adaptivity.FIXED:
            return above_fixed(self.kinds, reach, wanted)
        return above(self.kinds, reach)

    def _below(self, reach: float, wanted: Wanted) -> tuple[GridValues, ...]:
        return (below_fixed if self.adaptivity is Adaptivity.FIXED else below)(self.kinds, reach, wanted)


@composes("BR-FIXED", DDR20.at("Thm. 3"), side=Side.BOTH, adaptivity=Adaptivity.FIXED, cost=2)
def fixed_selections(parts: Parts[BoundedRange]) -> Profile:
    r"""For $k$ mechanisms of bounded range $\varepsilon_0$ that are all fixed in advance,
    $$\delta(\varepsilon) = \max_{0\le l<k}\sum_{i\le l}\binom kiq^{k-i}(1-q)^i\left(1-e^{\varepsilon-kt+i
    \varepsilon_0}\right)_+,\quad t=\frac{\varepsilon+(l+1)\varepsilon_0}{k+1},\ q=\frac{1-e^{t-\varepsilon_0}}
    {1-e^{-\varepsilon_0}}.$$
    Of two $t$ with one sum equal ones are the worst, and the derivative in the common $t$ has one zero for each $l$.
    """
    kinds = _kinds(parts)
    if len(kinds) > 1:
        raise Declined(f"needs one range throughout, and there are {len(kinds)}")
    if kinds and kinds[0][1] > MOST_RUNS:
        raise Declined(f"beyond {MOST_RUNS} runs the optimum is not listed")
    return FixedSeries(*kinds[0]) if kinds else FixedSeries(Fraction(0), 0)


@composes("BR-SERIES", DDR20.at("Sec. 5"), side=Side.BOTH, cost=4)
def adaptive_selections(parts: Parts[BoundedRange]) -> Profile:
    r"""Mechanisms of bounded ranges $\varepsilon_j$, each chosen after the outputs before it, cost no more than
    $V_k(\varepsilon)$, with $V_0(x)=(1-e^x)_+$ and $V_j(x)=\max_{0\le t\le\varepsilon_j}q_tV_{j-1}(x-t)
    +(1-q_t)V_{j-1}(x+\varepsilon_j-t)$, in the worst order; some analyst reaches it. The recursion is followed on a
    grid, from above by chords and from below by choices on the grid; kinds that are followed apart compose like pairs.
    """
    kinds = _kinds(parts)
    if sum(n for _, n in kinds) <= 1:
        return FixedSeries(*kinds[0]) if kinds else FixedSeries(Fraction(0), 0)
    return AdaptiveSeries(kinds, parts.adaptivity)


def _kinds(parts: Parts[BoundedRange]) -> Kinds:
    """Every range with its count; what costs nothing is left out."""
    total: dict[Fraction, int] = {}
    for g, n in parts.items:
        if g.epsilon != 0 and n != 0:
            total[Fraction(g.epsilon)] = total.get(Fraction(g.epsilon), 0) + n
    if not all(RANGES[0] <= e <= RANGES[1] for e in total):
        raise Declined("ranges this small or large are left to the bounds")
    return tuple(sorted(total.items()))
