r"""Shuffled reports of local randomizers: each of the others is, now and then, a clone of the one who is replaced.

Of $C\sim\mathrm{Bin}(n-1,2p)$ clones, $p=1/(e^{\varepsilon_0}+1)$, $A\sim\mathrm{Bin}(C,\frac12)$ are of the first
kind, and the person is one more of the first kind, with odds $e^{\varepsilon_0}$, or of the second. Two laws that are
apart by the whole of $\varepsilon_0$ wherever they differ give this at once; that no other laws cost more is derived in
the documentation (*Shuffled reports*), since the proof in the paper has a gap there.

Given $c$ clones, $a$ of the first kind and $b=c+1-a$ of the second have the ratio
$(e^{\varepsilon_0}a+b)/(a+e^{\varepsilon_0}b)$, which is $e^\varepsilon$ at the share $\beta$ of $c+1$, and
$$\mathrm{P}_0-e^\varepsilon\mathrm{P}_1=\sum_{a>\beta(c+1)}\binom{c+1}a2^{-c}\,(a-\beta(c+1))
\frac{(e^{\varepsilon_0}-1)(1+e^\varepsilon)}{(1+e^{\varepsilon_0})(c+1)}:$$
terms that are positive, each a product of factors, so floats add them with a small relative error (`SLACK`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpcompose.errors import Declined
from dpcompose.exact.atoms import LogFraction
from dpcompose.inversion import ListedLoss
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.batches.shuffled import Shuffled
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY
from dpcompose.notions import Alone, ApproxDP, LossTransform, SymmetricProfile
from dpcompose.numerics import effort
from dpcompose.numerics.binomial_tail import at_least
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.numerics.rounding import inner
from dpcompose.sources import FMT23, HERE
from dpcompose.theorems.loss.finite_laws import Listed

BITS = 128
SLACK = 2.0**-28
"""More than 10⁷ roundings of products and sums of positive floats can do, relatively."""
CLASSES, LEAST_CLASSES = 64, 4
"""Numbers of clones that are told apart, and how many are at least; fewer clones cost more, so each class counts as
its least.
"""
DEVIATIONS = 11.0
MOST_PEOPLE = 10**7
"""More people cost no more: one more report is one more to hide among."""
RANGE = (Fraction(1, 10**6), Fraction(15))
CELLS = 1000
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clones(SymmetricProfile):
    """The upper bound on δ by stronger clones; both ends enclose this bound, not the truth."""

    local: Fraction
    people: int
    classes: int
    """How many numbers of clones are told apart."""

    def delta(self, epsilon: Real) -> Enclosure:
        """Over the classes of how many clones there are."""
        if epsilon >= self.local:
            return ZERO
        with ctx.workprec(BITS):
            e, x = ball(epsilon).exp(), ball(self.local).exp()
            share = (e * x - 1) / ((x - 1) * (e + 1))
            factor = float((x - 1) * (1 + e) / (1 + x))
            found = math.fsum(chance * factor * _given(clones, share) for clones, chance in _classes(self))
        return Enclosure(found * (1.0 - SLACK), min(found * (1.0 + SLACK) + 1e-300, 1.0))

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse; no loss exceeds that of one report."""
        if delta >= 1:
            return ZERO
        if delta <= 0:
            return Enclosure.exactly(self.local)
        top = Enclosure.exactly(self.local).upper
        guess = top / math.sqrt(1.0 + self.people / 16.0)
        return invert_decreasing(self.delta, Enclosure.exactly(delta), guess, 0.0, top, gap=1e-7)


def _given(clones: int, share: Ball) -> float:
    r"""$\sum_{a>\beta(c+1)}\binom{c+1}a2^{-c}(a-\beta(c+1))/(c+1)$; at a whole number the term is 0 either way."""
    place, n = share * (clones + 1), clones + 1
    least = math.floor(math.nextafter(float(place.lower()), 0.0)) + 1  # perhaps one too early, which adds nothing
    if least > n:
        return 0.0
    ahead = max(float((least - place).upper()), 0.0)
    steps = min(n - least, math.ceil(5.5 * math.sqrt(n)) + 20)  # e^{-2·5.5²} is left
    effort.count(3000 + 2 * steps)
    i = np.arange(steps, dtype=np.float64)
    ratios = (n - least - i) / (least + i + 1.0)
    terms = np.concatenate([[1.0], np.cumprod(ratios)])
    total = inner(terms, ahead + np.arange(steps + 1.0))
    left = n - least - steps
    if left > 0:  # beyond, terms fall at least as fast as the last ratio says
        r = left / (least + steps + 1.0)
        total += float(terms[-1]) * ((ahead + steps) * r / (1.0 - r) + r / (1.0 - r) ** 2)
    return float((_log_ways(n, least) - clones * Ball(2).log()).exp()) * total / n


def _log_ways(n: int, k: int) -> Ball:
    return Ball(n + 1).lgamma() - Ball(k + 1).lgamma() - Ball(n - k + 1).lgamma()


def _masses(draws: int, chance: Ball) -> tuple[int, Floats, float]:
    """The probabilities of a binomial number around its mean, from which number on, and the mass that is left out."""
    rate = float(chance)
    reach = DEVIATIONS * math.sqrt(draws * rate * (1 - rate)) + DEVIATIONS
    low, high = max(0, math.floor(draws * rate - reach)), min(draws, math.ceil(draws * rate + reach))
    mode = min(max(round(draws * rate), low), high)
    centre = float((_log_ways(draws, mode) + mode * chance.log() + (draws - mode) * (1 - chance).log()).exp())
    odds = float(chance / (1 - chance))
    up, down = np.arange(mode, high, dtype=np.float64), np.arange(mode, low, -1, dtype=np.float64)
    above = np.cumprod((draws - up) / (up + 1.0) * odds)
    below = np.cumprod(down / (draws - down + 1.0) / odds)
    outside = 1 - at_least(low, draws, chance) + at_least(high + 1, draws, chance)
    return low, centre * np.concatenate([below[::-1], [1.0], above]), float(outside.upper())


@lru_cache(maxsize=1024)
def _classes(shuffle: Clones) -> tuple[tuple[int, float], ...]:
    """How many clones at least, with what probability; outside the usual numbers there may be none."""
    chance = 2 / (ball(shuffle.local).exp() + 1)
    low, masses, outside = _masses(shuffle.people - 1, chance)
    width = max(1, math.ceil(masses.size / shuffle.classes))
    starts = range(0, masses.size, width)
    found = [(low + start, float(masses[start : start + width].sum())) for start in starts]
    return ((0, outside), *found) if outside else tuple(found)


def _pure(m: Shuffled, inner: ApproxDP) -> tuple[Fraction, int]:
    if inner.delta != 0:
        raise Declined("clones are known for randomizers of pure differential privacy")
    if m.of < 2 or not RANGE[0] <= inner.epsilon <= RANGE[1]:
        raise Declined("nobody to hide among, or randomizers so loud or faint, are left to the bounds")
    return Fraction(inner.epsilon), min(m.of, MOST_PEOPLE)


@describes("CLONES", HERE.at("Shuffled reports"), relations=REPLACE_ONE_ONLY)
def stronger_clones(m: Shuffled, inner: ApproxDP) -> Alone:
    r"""With $\varepsilon_0$-DP local randomizers, $C\sim\mathrm{Bin}(n-1,\frac{2}{e^{\varepsilon_0}+1})$,
    $A\sim\mathrm{Bin}(C,\frac12)$ and $D\sim\mathrm{Bern}(\frac{e^{\varepsilon_0}}{e^{\varepsilon_0}+1})$, the shuffled
    reports are post-processing of $(A+D,\,C-A+1-D)$ against $(A+1-D,\,C-A+D)$.
    """
    return Alone(Clones(*_pure(m, inner), effort.shared(CLASSES, LEAST_CLASSES)))


@dataclass(frozen=True, slots=True)
class CountLaw:
    """How many of the reports are 1, where the others all hold 0: binary randomized response, counted."""

    local: Fraction
    people: int
    forward: bool

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Not listed one by one."""
        raise Declined("counts are kept as floats")

    def leak(self) -> Ball:
        """Every count occurs on both inputs."""
        return Ball(0)


@dataclass(frozen=True, slots=True)
class Counted(Listed):
    """A pair below: the counts, neighbouring ones together where there are many."""

    law: CountLaw

    def loss(self) -> ListedLoss:
        """Every group of counts with its loss and its probability."""
        return _counted(self.law)


@lru_cache(maxsize=1024)
def _counted(law: CountLaw) -> ListedLoss:
    with ctx.workprec(BITS):
        wrong = 1 / (ball(law.local).exp() + 1)
        low, masses, outside = _masses(law.people - 1, wrong)
    p = float(wrong)
    here, before = np.append(masses, 0.0), np.insert(masses, 0, 0.0)
    # Where fewer or more ones are left out the count at that end may come of them: its ratio is not known.
    below, above = low > 0, low + masses.size < law.people
    here, before = (found[int(below) : found.size - int(above)] for found in (here, before))
    outside += (below * float(masses[0]) + above * float(masses[-1])) * (1.0 + SLACK)
    silent, said = (1 - p) * here + p * before, p * here + (1 - p) * before
    width = max(1, math.ceil(silent.size / CELLS))
    starts = np.arange(0, silent.size, width)
    first, second = (np.add.reduceat(law_of, starts) for law_of in ((said, silent) if law.forward else (silent, said)))
    return ListedLoss(
        np.log(first / second),
        first,
        Enclosure(0.0, min(2.0 * outside, 1.0)),
        np.full(first.size, 4.0 * SLACK),
        np.full(first.size, 2.0 * SLACK),
        None,
    )


@describes("CLONES-MEMBER", FMT23.at("Sec. 5"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def counted_responses(m: Shuffled, inner: ApproxDP) -> LossTransform:
    r"""Binary randomized response, where all others hold 0: the shuffled reports say how many are 1,
    $\mathrm{Bin}(n-1,p)+\mathrm{Bern}(p)$ against $\mathrm{Bin}(n-1,p)+\mathrm{Bern}(1-p)$ with
    $p=1/(e^{\varepsilon_0}+1)$.
    """
    local, people = _pure(m, inner)
    if people < m.of:
        raise Declined("so many reports are not counted")
    forward, backward = (Counted(CountLaw(local, people, forward=way)) for way in (True, False))
    return LossTransform(forward, backward, leak=0, turned=None)


__all__ = ["Clones", "CountLaw", "Counted"]
