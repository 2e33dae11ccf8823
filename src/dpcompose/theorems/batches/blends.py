"""Draws with replacement, and truncated samples: profiles of several rates and groups, added up by their chances."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from dpcompose.description import Adjacency
from dpcompose.errors import Declined
from dpcompose.exact.atoms import value
from dpcompose.inversion import Direction, ListedLoss, SampledGaussianLoss, SampledLaplaceLoss
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.batches.truncated import TruncatedSample
from dpcompose.mechanisms.batches.with_replacement import SampledWithReplacement
from dpcompose.mechanisms.group import grown
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY
from dpcompose.notions import GDP, Alone, ApproxDP, LaplaceLossLaw, LossTransform, Profile, SymmetricProfile
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.roots import invert_decreasing
from dpcompose.sources import BBG18, GANESH25
from dpcompose.theorems.approx.optimal import LeakyResponses
from dpcompose.theorems.approx.steps import Steps
from dpcompose.theorems.gdp import NormalProfile
from dpcompose.theorems.loss.exact_sums import LaplaceProfile
from dpcompose.theorems.loss.finite_laws import Listed, SampledListed, in_floats
from dpcompose.theorems.loss.gaussian_mixtures import BITS as CHORD_BITS
from dpcompose.theorems.loss.gaussian_mixtures import RANGE, ChordedMixture
from dpcompose.theorems.loss.transform import rational_root
from dpcompose.theorems.sampling.fixed_size import leaky, symmetric
from dpcompose.theorems.sampling.sampled_once import SampledOnceProfile

ROUNDING = 2.0**-40
NEGLIGIBLE = 2.0**-44
LEAST = math.ulp(0.0)
FAR = Fraction(745)
"""e to the minus so much is no float."""
MOST = 1e6
MOST_TIMES = 40
"""A record drawn more often than this counts as lost."""
FAINT = 1e-40
REMOVE, ADD = Direction.REMOVE, Direction.ADD


@dataclass(frozen=True, slots=True)
class OneBox(SymmetricProfile):
    r"""Leaky randomized response, once: $\delta+(1-\delta)(1-e^{\varepsilon-\varepsilon_0})/(1+e^{-\varepsilon_0})$."""

    range: Fraction
    leaks: Enclosure

    def delta(self, epsilon: Real) -> Enclosure:
        """In floats; a difference is exact before it is rounded."""
        if (left := Fraction(epsilon) - self.range) >= 0:
            return self.leaks
        pure = -math.expm1(float(max(left, -FAR))) / (1.0 + math.exp(-float(min(self.range, FAR))))
        low, high = (leak + (1.0 - leak) * pure for leak in (self.leaks.lower, self.leaks.upper))
        return _rounded(low, high, LEAST)

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse."""
        return LeakyResponses(Steps(((self.range, self.leaks, 1),))).epsilon(delta)


@dataclass(frozen=True, slots=True)
class Blend(Profile):
    """A sum of profiles, each times a chance; with what is left, everything is lost."""

    terms: tuple[tuple[float, Profile], ...]
    lost: float = 0.0

    def delta(self, epsilon: Real) -> Enclosure:
        """The sum, both ends rounded outward."""
        return self.deltas((epsilon,))[0]

    def deltas(self, epsilons: Sequence[Real]) -> list[Enclosure]:
        """The same at many levels, each of which leaves out terms that all together would add next to nothing."""
        low, high = [self.lost] * len(epsilons), [self.lost] * len(epsilons)
        waiting, left = list(range(len(epsilons))), _left([chance for chance, _ in self.terms])
        for (chance, profile), rest in zip(self.terms, left, strict=True):
            for i, found in zip(waiting, profile.deltas([epsilons[i] for i in waiting]), strict=True):
                low[i] += chance * found.lower
                high[i] += chance * found.upper
            for i in waiting:
                high[i] += rest if rest <= NEGLIGIBLE * low[i] else 0.0
            waiting = [i for i in waiting if rest > NEGLIGIBLE * low[i]]
        underflow = len(self.terms) * LEAST
        return [_rounded(*ends, underflow) for ends in zip(low, high, strict=True)]

    def epsilon(self, delta: Real) -> Enclosure:
        """Its inverse from above."""
        if delta >= 1:
            return ZERO
        target = Enclosure.exactly(delta)
        if target.upper <= self.lost:
            return Enclosure(math.inf, math.inf)
        if not self.terms:
            return Enclosure(0.0, 0.0 if target.lower > self.lost * (1.0 + 2.0 * ROUNDING) else math.inf)
        guess = self.terms[0][1].epsilon(delta).upper
        return invert_decreasing(self.delta, target, guess if guess < MOST else 1.0, 0.0, math.inf, gap=1e-10)


def _rounded(low: float, high: float, underflow: float) -> Enclosure:
    """Both ends outward: by a share for what was rounded, and by what underflow may have taken."""
    return Enclosure(
        min(max(low * (1.0 - ROUNDING) - underflow, 0.0), 1.0), min(high * (1.0 + ROUNDING) + underflow, 1.0)
    )


def _left(chances: Sequence[float]) -> list[float]:
    """What follows after each: sums from the end, so that the small are not lost beside the large."""
    return list(accumulate([0.0, *chances[:0:-1]]))[::-1] if chances else []


def _up(chance: Enclosure) -> float:
    return min(chance.upper, 1.0)


def _redrawn(m: SampledWithReplacement, of_group: Callable[[int], Profile]) -> Alone:
    r"""$\sum_kp_k\,\delta_k(\varepsilon_0)$ at $\varepsilon=\ln(1+\eta(e^{\varepsilon_0}-1))$."""
    if m.size < 2 or m.of < 2:
        raise Declined("a single draw, or a single record")
    rate = Fraction(_up(m.chance()))
    chances, beyond = m.times(MOST_TIMES)
    kept = [(k, p) for k, p in enumerate(chances, 1) if p.upper > FAINT]
    lost = beyond.upper + sum(p.upper for p in chances if p.upper <= FAINT)
    terms = tuple((_over(p.upper, rate), of_group(k)) for k, p in kept)
    return Alone(SampledOnceProfile(rate, Blend(terms, _over(lost * (1.0 + ROUNDING), rate))))


def _over(chance: float, rate: Fraction) -> float:
    """p/η, rounded up: on a sample a profile is bent, and multiplied by η."""
    return Enclosure.exactly(Fraction(chance) / rate).upper


@describes("X-WR", BBG18.at("Thm. 10"), relations=REPLACE_ONE_ONLY)
def redrawn_normal(m: SampledWithReplacement, inner: GDP) -> Alone:
    r"""A record is drawn $k$ times with probability $p_k$, and then moves a Gaussian $k$ times as far. With
    $\eta=1-p_0$: $\delta(\ln(1+\eta(e^{\varepsilon}-1)))\le\sum_{k\ge1}p_k\,\delta_{k\mu}(\varepsilon)$.
    """
    return _redrawn(m, lambda k: NormalProfile(k * k * Fraction(inner.mu_squared)))


@describes("X-WR", BBG18.at("Thm. 10"), relations=REPLACE_ONE_ONLY)
def redrawn_laplace(m: SampledWithReplacement, inner: LaplaceLossLaw) -> Alone:
    r"""A record is drawn $k$ times with probability $p_k$, and then moves Laplace noise $k$ times as far. With
    $\eta=1-p_0$: $\delta(\ln(1+\eta(e^{\varepsilon}-1)))\le\sum_{k\ge1}p_k\,\delta_{k}(\varepsilon)$.
    """
    return _redrawn(m, lambda k: LaplaceProfile(1, k * Fraction(inner.step)))


@describes("X-WR", BBG18.at("Thm. 10"), relations=REPLACE_ONE_ONLY)
def redrawn_black_box(m: SampledWithReplacement, inner: ApproxDP) -> Alone:
    r"""A record is drawn $k$ times with probability $p_k$, and an $(\varepsilon_0,\delta_0)$-DP mechanism then hides a
    group of $k$, $\delta_k$. With $\eta=1-p_0$:
    $\delta(\ln(1+\eta(e^{\varepsilon}-1)))\le\sum_{k\ge1}p_k\,\delta_{k}(\varepsilon)$.
    """
    return _redrawn(m, lambda k: _group_of(inner, k))


def _group_of(inner: ApproxDP, size: int) -> Profile:
    e = Fraction(inner.epsilon)
    delta = grown(inner.delta, e, size)
    return OneBox(size * e, delta if isinstance(delta, Enclosure) else Enclosure.exactly(delta))


def _least(m: SampledWithReplacement) -> Fraction:
    """A chance that a record surely has to be drawn, and not to be."""
    chance = m.chance()
    if m.size < 2 or not 0.0 < chance.lower < 1.0:
        raise Declined("a record is surely drawn, or a single time")
    return Fraction(chance.lower)


@describes("X-WR-MEMBER", BBG18.at("Thm. 10"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def redrawn_normal_member(m: SampledWithReplacement, inner: GDP) -> LossTransform:
    r"""A query that says whether the record was drawn at all, and moves by $\Delta$ if it was:
    $(1-\eta)N(0,1)+\eta N(\mu,1)$ against $N(0,1)$.
    """
    noise = 1 / rational_root(Fraction(inner.mu_squared))
    remove, add = (SampledGaussianLoss(_least(m), noise, direction) for direction in (REMOVE, ADD))
    return LossTransform(remove, add, leak=0, turned=None)


@describes("X-WR-MEMBER", BBG18.at("Thm. 10"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def redrawn_laplace_member(m: SampledWithReplacement, inner: LaplaceLossLaw) -> LossTransform:
    r"""A query that says whether the record was drawn at all, and moves by $\Delta$ if it was, with Laplace noise: the
    law of one run on a sample of rate $\eta$.
    """
    if inner.step == 0:
        raise Declined("nothing is lost")
    remove, add = (SampledLaplaceLoss(inner.step, _least(m), direction) for direction in (REMOVE, ADD))
    return LossTransform(remove, add, leak=0, turned=None)


@describes("X-WR-MEMBER", BBG18.at("Thm. 10"), side=Side.LOWER, relations=REPLACE_ONE_ONLY)
def redrawn_black_box_member(m: SampledWithReplacement, inner: ApproxDP) -> LossTransform:
    r"""Leaky randomized response to whether the record was drawn at all: one draw changes it, so it is
    $(\varepsilon,\delta)$-DP.
    """
    law = symmetric(leaky(inner))
    remove, add = (SampledListed(law, _least(m), direction, law) for direction in (REMOVE, ADD))
    return LossTransform(remove, add, leak=0, turned=None)


def _cut(m: TruncatedSample, one: Profile, two: Profile) -> Alone:
    if not m.is_cut():
        raise Declined("nothing is ever cut")
    full = enclose(m.full)
    rest = Enclosure.exactly(1 - Fraction(max(full.lower, 0.0))).upper
    within = m.within_a_full_one()
    terms = ((rest, SampledOnceProfile(Fraction(m.rate), one)), (_up(full), SampledOnceProfile(within, two)))
    return Alone(Blend(terms if within else terms[:1]))


@describes("X-TRUNC", GANESH25.at("Sec. 3"), relations=ADD_REMOVE_ONLY)
def cut_normal(m: TruncatedSample, inner: GDP) -> Alone:
    r"""With probability $1-\tau$ the others leave room, $\tau=\mathrm{P}(\mathrm{Bin}(n-1,q)\ge B)$, and the sample is
    Poisson's. Else the others' batch is a uniform $B$ of them, in which the record has, with probability
    $\bar q=\frac Bn\mathrm{P}(\mathrm{Bin}(n,q)>B)/\tau$, the place of another, twice as far away:
    $\delta\le(1-\tau)\,q\,\delta_\mu(\ln(1+\frac{e^\varepsilon-1}q))+\tau\,\bar q\,\delta_{2\mu}(\ln(1+
    \frac{e^\varepsilon-1}{\bar q}))$.
    """
    square = Fraction(inner.mu_squared)
    return _cut(m, NormalProfile(square), NormalProfile(4 * square))


@describes("X-TRUNC", GANESH25.at("Sec. 3"), relations=ADD_REMOVE_ONLY)
def cut_laplace(m: TruncatedSample, inner: LaplaceLossLaw) -> Alone:
    r"""With probability $1-\tau$ the others leave room, $\tau=\mathrm{P}(\mathrm{Bin}(n-1,q)\ge B)$, and the sample is
    Poisson's. Else the record has, with probability $\bar q=\frac Bn\mathrm{P}(\mathrm{Bin}(n,q)>B)/\tau$, the place of
    another: $\delta\le(1-\tau)\,q\,\delta_1(\ln(1+\frac{e^\varepsilon-1}q))+\tau\,\bar q\,\delta_2(\ln(1+
    \frac{e^\varepsilon-1}{\bar q}))$, $\delta_1$ and $\delta_2$ those of Laplace noise moved once and twice as far.
    """
    step = Fraction(inner.step)
    return _cut(m, LaplaceProfile(1, step), LaplaceProfile(1, 2 * step))


@describes("X-TRUNC", GANESH25.at("Sec. 3"), relations=ADD_REMOVE_ONLY)
def cut_black_box(m: TruncatedSample, inner: ApproxDP) -> Alone:
    r"""With probability $1-\tau$ the others leave room, $\tau=\mathrm{P}(\mathrm{Bin}(n-1,q)\ge B)$, and the sample is
    Poisson's. Else the record has, with probability $\bar q=\frac Bn\mathrm{P}(\mathrm{Bin}(n,q)>B)/\tau$, the place of
    another: $\delta\le(1-\tau)\,q\,\delta_1(\ln(1+\frac{e^\varepsilon-1}q))+\tau\,\bar q\,\delta_2(\ln(1+
    \frac{e^\varepsilon-1}{\bar q}))$, $\delta_1$ and $\delta_2$ being those of one record and of a group of two.
    """
    return _cut(m, _group_of(inner, 1), _group_of(inner, 2))


@dataclass(frozen=True, slots=True)
class EitherBatch(Listed):
    """A batch with room or a full one, whichever is told: the pair of each, times its chance."""

    law: ChordedMixture
    full: ChordedMixture
    chance: Enclosure

    def loss(self) -> ListedLoss:
        """The atoms of both."""
        return _either(self)


@lru_cache(maxsize=1024)
def _either(batch: EitherBatch) -> ListedLoss:
    with ctx.workprec(CHORD_BITS):
        full = ball(batch.chance)
        parts = ((1 - full, batch.law), (full, batch.full))
        atoms = [(value(loss), share * mass) for share, law in parts for loss, mass in law.atoms()]
        leak = sum((share * law.leak() for share, law in parts), Ball(0))
        return in_floats(atoms, Enclosure.of(leak))


@describes("X-TRUNC-PAIR", GANESH25.at("Sec. 3"), relations=frozenset({Adjacency.ADD_REMOVE}))
def cut_normal_pair(m: TruncatedSample, inner: GDP) -> LossTransform:
    r"""Told whether the others fill the batch, a removed record gives $(1-q)N(0,1)+qN(\mu,1)$ or
    $(1-\bar q)N(0,1)+\bar qN(2\mu,1)$ against $N(0,1)$, an added one the reverse; their chords dominate.
    """
    mu = rational_root(Fraction(inner.mu_squared))
    if not m.is_cut() or not (2 * mu <= RANGE[1] and mu >= RANGE[0] and m.rate >= 1e-9):
        raise Declined("nothing is ever cut, or a batch so loud or faint is left to the bounds")
    rate, within = Fraction(m.rate), m.within_a_full_one()
    room = ((Fraction(0), 1 - rate), (mu, rate))
    full = ((Fraction(0), 1 - within), (2 * mu, within))
    chance = enclose(m.full) & UNIT_INTERVAL
    remove, add = (
        EitherBatch(ChordedMixture.of(room, forward=way), ChordedMixture.of(full, forward=way), chance)
        for way in (True, False)
    )
    return LossTransform(remove, add, leak=0, turned=(add, remove))


__all__ = ["Blend", "EitherBatch"]
