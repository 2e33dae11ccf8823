r"""A mixture of Gaussians, by the chords of its profile.

In units of σ, $P=\sum p_iN(a_i,1)$ against $Q=N(0,1)$ has the ratio $\rho(u)=\sum p_ie^{a_iu-a_i^2/2}$, which grows
with $u$. So $\delta$ at the ratio $\rho(u)$ is $h=P(x>u)-\rho(u)Q(x>u)$, and its slope there is $-Q(x>u)$. The chords
between finitely many ratios lie above $\delta$, and are the profile of a pair with those ratios, which dominates.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np

from dpcompose.errors import Declined
from dpcompose.exact.atoms import LogFraction, value
from dpcompose.inversion import ListedLoss
from dpcompose.kernel import Side, describes
from dpcompose.mechanisms.mixture_of_gaussians import MixtureOfGaussians, positive
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY
from dpcompose.notions import LossTransform
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.precision import ctx
from dpcompose.sources import HERE
from dpcompose.theorems.loss.finite_laws import Listed, in_floats

BITS = 192
REACH = 38.0
"""Standard deviations to either side: beyond them lies less than the least float."""
FINE, LEAST = 64, 4
"""Places in a standard deviation, and how many there are at least."""
MOST_KINDS = 200
RANGE = (Fraction(1, 100), Fraction(10))
"""Greatest shifts, in σ, that are followed closely; others are left to the bounds."""


@dataclass(frozen=True, slots=True)
class ChordedMixture:
    """One order of the pair whose profile the chords are; `forward` is with the record against without."""

    shifts: tuple[tuple[Fraction, Fraction], ...]
    """(a, p): a shift in σ, and its probability."""
    forward: bool
    fine: int
    """Places in a standard deviation."""

    @classmethod
    def of(cls, shifts: tuple[tuple[Fraction, Fraction], ...], *, forward: bool) -> ChordedMixture:
        """At as many places as there is patience for."""
        return cls(shifts, forward, effort.shared(FINE, LEAST))

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Each ratio with its probability."""
        ratios, turns, _ = _chords(self.shifts, self.fine)
        if self.forward:
            return [(LogFraction(r), ball(r) * turn) for r, turn in zip(ratios, turns, strict=True)]
        return [(LogFraction(1 / r), turn) for r, turn in zip(ratios, turns, strict=True)]

    def leak(self) -> Ball:
        """What lies beyond the last ratio, or before the first."""
        _, _, (beyond, before) = _chords(self.shifts, self.fine)
        return beyond if self.forward else before


@dataclass(frozen=True, slots=True)
class Chorded(Listed):
    """A pair above the mixture: the chords, as the engine wants them."""

    law: ChordedMixture

    def loss(self) -> ListedLoss:
        """The atoms as floats with their errors."""
        return _above(self.law)


@dataclass(frozen=True, slots=True)
class Binned(Listed):
    """A pair below the mixture: outputs told only by the cell of the grid they fall into."""

    law: ChordedMixture

    def loss(self) -> ListedLoss:
        """Every cell with its probabilities on both inputs."""
        return _below(self.law)


@lru_cache(maxsize=1024)
def _above(law: ChordedMixture) -> ListedLoss:
    with ctx.workprec(BITS):
        return in_floats([(value(loss), mass) for loss, mass in law.atoms()], Enclosure.of(law.leak()))


@lru_cache(maxsize=1024)
def _below(law: ChordedMixture) -> ListedLoss:
    with ctx.workprec(BITS):
        cells = _cells(law.shifts, law.fine)
        losses = [((p / q).log(), p) if law.forward else ((q / p).log(), q) for p, q in cells]
        return in_floats(losses, Enclosure(0.0, 0.0))


@lru_cache(maxsize=256)
def _cells(shifts: tuple[tuple[Fraction, Fraction], ...], fine: int) -> list[tuple[Ball, Ball]]:
    """The probabilities of every cell with the record and without; both orders ask for them."""
    kinds = [(ball(a), ball(p)) for a, p in shifts]
    ends = [None, *map(ball, _grid(float(shifts[-1][0]), fine).tolist()), None]
    return [
        (sum((p * _between(u, v, a) for a, p in kinds), Ball(0)), _between(u, v, Ball(0))) for u, v in pairwise(ends)
    ]


@lru_cache(maxsize=256)
def _chords(
    shifts: tuple[tuple[Fraction, Fraction], ...], fine: int
) -> tuple[list[Fraction], list[Ball], tuple[Ball, Ball]]:
    """The ratios, by how much the slope of the chords rises at each, and the mass beyond and before them."""
    with ctx.workprec(BITS):
        ratios, heights = _points(shifts, fine)
        xs, ys = [Ball(0), *map(ball, ratios)], [Ball(1), *heights]
        slopes = [(b - a) / (v - u) for (u, v), (a, b) in zip(pairwise(xs), pairwise(ys), strict=True)]
        turns = [after - before for before, after in pairwise([*slopes, Ball(0)])]
        return ratios, turns, (heights[-1].nonnegative_part(), (1 + slopes[0]).nonnegative_part())


def _points(shifts: tuple[tuple[Fraction, Fraction], ...], fine: int) -> tuple[list[Fraction], list[Ball]]:
    """Ratios in floats, and δ at each of them."""
    kinds = [(ball(a), ball(p)) for a, p in shifts]
    ratios: list[Fraction] = []
    found: list[tuple[Ball, Ball, Ball]] = []
    for u in map(ball, _grid(float(shifts[-1][0]), fine).tolist()):
        rho = sum((p * (a * u - a * a / 2).exp() for a, p in kinds), Ball(0))
        near = Fraction(float(rho))
        if ratios and near <= ratios[-1]:
            continue
        ratios.append(near)
        found.append((rho, sum((p * tail(u - a) for a, p in kinds), Ball(0)), tail(u)))
    heights = []
    for i, (r, (rho, first, second)) in enumerate(zip(ratios, found, strict=True)):
        # beside ρ(u) the curve leaves its tangent by no more than the slope changes between the neighbours
        bent = abs(ball(r) - rho) * (found[max(i - 1, 0)][2] - found[min(i + 1, len(found) - 1)][2])
        heights.append(first - ball(r) * second + Ball(0).union(bent.upper()))
    return ratios, heights


def _grid(greatest: float, fine: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Fine where the mass is, coarser towards both ends."""
    inner = np.arange(-9.0, greatest + 9.0, 1 / fine)
    outer = np.arange(9.0, REACH, 8 / fine)[1:]
    return np.concatenate([-outer[::-1], inner, greatest + outer])


def _between(low: Ball | None, high: Ball | None, mean: Ball) -> Ball:
    """The probability of an interval, from the nearer tail so that no digits cancel; None is infinity."""
    if high is None:
        return tail(low - mean) if low is not None else Ball(1)
    if low is None:
        return tail(mean - high)
    if high - mean < 0:
        return tail(mean - high) - tail(mean - low)
    return tail(low - mean) - tail(high - mean)


def tail(u: Ball) -> Ball:
    """The probability that a normal output exceeds u, accurate in the upper tail."""
    effort.count(700)
    return (u / Ball(2).sqrt()).erfc() / 2


@describes("MOG-CHORDS", HERE.at("Mixtures of Gaussians"), relations=ADD_REMOVE_ONLY)
def mixture_transform(m: MixtureOfGaussians) -> LossTransform:
    r"""The chords of $\delta$ between finitely many likelihood ratios lie above it, and are the profile of a pair with
    finitely many losses, in both orders.
    """
    forward, backward = map(Chorded, _orders(m))
    return LossTransform(forward, backward, leak=0, turned=(backward, forward))


@describes("MOG-CELLS", HERE.at("Mixtures of Gaussians"), side=Side.LOWER, relations=ADD_REMOVE_ONLY)
def binned_mixture_transform(m: MixtureOfGaussians) -> LossTransform:
    r"""Telling only the cell into which an output falls is a map of the outputs, and maps do not increase $\delta$: the
    pair of the cells' probabilities costs no more.
    """
    forward, backward = map(Binned, _orders(m))
    return LossTransform(forward, backward, leak=0, turned=(backward, forward))


def followed(m: MixtureOfGaussians) -> tuple[tuple[Fraction, Fraction], ...]:
    """The shifts, in σ, of a mixture that is followed closely, each with its probability."""
    if m.noise_std == 0:
        raise Declined("there is no noise")
    if len(positive(m)[0]) < 2:
        raise Declined("known exactly already")
    shifts = tuple((c / Fraction(m.noise_std), p) for c, p in m.shifts().items())
    if len(shifts) > MOST_KINDS or not RANGE[0] <= shifts[-1][0] <= RANGE[1]:
        raise Declined("mixtures of so many or so extreme shifts are left to the bounds")
    return shifts


def _orders(m: MixtureOfGaussians) -> tuple[ChordedMixture, ChordedMixture]:
    shifts = followed(m)
    return ChordedMixture.of(shifts, forward=True), ChordedMixture.of(shifts, forward=False)


__all__ = ["Binned", "Chorded", "ChordedMixture", "followed", "tail"]
