r"""The k-fold sum of one step: $\varphi^k$ from $\varphi - 1$, without losing what small quantities carry."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from dpcompose.inversion.losses.decay import NO_DECAY, Layers
from dpcompose.inversion.losses.protocols import Cumulants, Lattice, Logarithm, LossSum, RepeatableLoss, TiltedStep
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, ball, enclose
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Complexes, Floats, Integers, multiples, times

S = TypeVar("S", bound=RepeatableLoss)

RUNGS = 128
"""Frequencies on the ladder at which the decay of one kind of step is bounded."""


def power(excess: Complexes, error: Floats, count: int | Floats) -> Logarithm:
    r"""$k\ln\varphi$ from $f = \varphi - 1$ and $|\tilde f - f| \le e$.

    $|\tilde\varphi^k - \varphi^k| \le |\tilde\varphi|^k\bigl((1+e/|\tilde\varphi|)^k - 1\bigr)$, whatever the branch
    of the logarithm, because $k$ is an integer. $\ln|\varphi|$ is $\tfrac12\ln(1 + 2\Re f + |f|^2)$ near 1 and
    $\ln|1+f|$ where that would cancel. Where $\varphi$ cannot be told from 0, its modulus bound stands in for it.
    """
    re, im = excess.real, excess.imag
    size = np.hypot(1.0 + re, im)
    square = 2.0 * re + re * re + im * im
    near = size > 0.5
    e = error + 24.0 * UNIT_ROUNDOFF * np.abs(excess)
    lost = e > 0.5 * size
    with np.errstate(divide="ignore"):
        modulus = np.where(near, 0.5 * np.log1p(np.maximum(square, -0.75)), np.log(size))
        modulus = np.where(lost, np.log(size + e), modulus)
    phase = np.where(lost, 0.0, np.arctan2(im, 1.0 + re))
    relative = np.where(lost, 2.0, e / np.where(lost, 1.0, size))
    rounding = (LIBM + 2.0 * UNIT_ROUNDOFF) * (np.abs(modulus) + np.abs(phase))
    return Logarithm(count * modulus, count * phase, count * (np.log1p(relative) + rounding) * SLACK)


@dataclass(frozen=True, eq=False)
class TiltedRepeated:
    """`count` independent copies of one step, tilted."""

    loss: RepeatableLoss
    step: TiltedStep
    count: int
    before: TiltedRepeated | None = None
    """The same, laid for another reach."""

    @cached_property
    def layers(self) -> Layers:
        """Uniform pieces under the density, for its decay, however far the quadrature reaches."""
        if self.before is not None:
            return self.before.layers
        k, error = self.step.log_moment, self.step.log_moment_error
        return self.loss.layers(self.step.tilt, Enclosure(k - error, k + error))

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""
        return self.count * self.step.log_moment

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        return self.count * self.step.log_moment_error + 2.0 * UNIT_ROUNDOFF * abs(self.log_moment)

    @property
    def centre(self) -> float:
        """Where the characteristic function is centred."""
        return self.count * self.step.centre

    @property
    def centre_error(self) -> float:
        """An upper bound on the absolute error of `centre`."""
        return UNIT_ROUNDOFF * abs(self.centre)

    def beside(self, tilt: float) -> TiltedRepeated | None:
        """The same at another tilt, by the same nodes."""
        step = self.step.beside(tilt)
        return None if step is None else TiltedRepeated(self.loss, step, self.count)

    def reaching(self, reach: float, error: float) -> TiltedRepeated:
        """The same law, for frequencies up to another reach."""
        if self.step.is_exact:
            return self
        return replace(self, step=self.loss.step(self.step.tilt, reach, error), before=self)

    def logarithm(self, spacing: float, indices: Integers) -> Logarithm:
        """The logarithm of the characteristic function, with its error."""
        excess, error = self.step.characteristic(spacing, indices)
        return power(excess, error, self.count)

    def log_decay(self, frequencies: Floats) -> Floats:
        r"""Upper bounds on $\ln|\varphi|$ at and beyond each frequency."""
        return self.count * self.layers.log_decay(frequencies) * (1.0 - 1e-12)

    def log_bound(self, spacing: float, indices: Integers) -> Floats:
        """The decay beyond the next lower rung of a ladder of frequencies; atoms, which do not decay, are evaluated
        coarsely.
        """
        if self.layers is NO_DECAY:
            return self.count * self.step.log_modulus(spacing, indices)
        frequencies = multiples(spacing, indices)
        rungs = np.geomspace(frequencies[0], frequencies[-1], RUNGS)
        rungs[0] = frequencies[0]
        return self.log_decay(rungs)[np.searchsorted(rungs, frequencies, side="right") - 1]


@dataclass(frozen=True)
class Repeated:
    """`count` independent copies of one step."""

    loss: RepeatableLoss
    count: int

    @property
    def lattice(self) -> Lattice | None:
        """Sums of lattice points are lattice points."""
        one = self.loss.lattice
        return one and Lattice(self.count * one.offset, one.span, one.error + UNIT_ROUNDOFF)

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return self.count

    @cached_property
    def leak(self) -> Enclosure:
        """The probability of an infinite loss."""
        return power_of_leak(self.loss.leak, self.count)

    @property
    def supremum(self) -> float:
        """An upper bound on every finite loss."""
        return times(self.count, self.loss.supremum)

    @property
    def is_unbounded(self) -> bool:
        """Whether some finite loss exceeds every number."""
        return self.count > 0 and self.loss.is_unbounded

    @property
    def total_variation(self) -> float:
        """An upper bound on the total variation distance."""
        return union(self.loss.total_variation, self.count)

    @property
    def trim_lost(self) -> float:
        """An upper bound on the probability removed by trimming."""
        return union(self.loss.trim_lost, self.count)

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        k = self.count
        value, slope, curvature = self.loss.cumulants(tilt)
        return Cumulants(k * value, k * slope, k * curvature)

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedRepeated:
        """The certified law at this tilt."""
        return TiltedRepeated(self.loss, self.loss.step(tilt, reach, error), self.count)

    def trimmed(self, log_mass: float, sharpness: int) -> Repeated:
        """With its far upper tail taken away, if it has one."""
        return Repeated(self.loss.trimmed(log_mass - math.log(self.count), sharpness), self.count)

    def jumps(self, log_mass: float) -> tuple[Sequence[RepeatableLoss], float]:
        """What trimming hides, put into separate laws."""
        bands, beyond = self.loss.bands(log_mass - math.log(self.count))
        return bands, union(beyond, self.count)

    def fewer(self, count: int) -> Repeated:
        """This sum without `count` of its steps."""
        return Repeated(self.loss, self.count - count)

    def dominating(self) -> Sequence[LossSum]:
        """Something simpler that is worse, as often; or itself."""
        worse = self.loss.dominating()
        if any(loss is self.loss for loss, _ in worse):
            return [self]
        return [summand for loss, count in worse for summand in type(loss).gather([(loss, count * self.count)])]


def union(probability: float, count: int) -> float:
    """A float at or above $1 - (1-p)^k$."""
    if probability >= 1.0:
        return 1.0
    return min(1.0, -math.expm1(count * math.log1p(-probability)) * (1.0 + 1e-12))


def power_of_leak(leak: Enclosure, count: int) -> Enclosure:
    """$1 - (1-p)^k$, outward rounded."""
    return leak if leak.upper == 0.0 else _chance([leak], count)


def any_leak(leaks: Sequence[Enclosure]) -> Enclosure:
    r"""$1 - \prod(1-p_i)$, outward rounded: the chance that something leaks."""
    some = [leak for leak in leaks if leak.upper > 0.0]
    if len(some) < 2:
        return some[0] if some else ZERO
    return _chance(some, 1)


def _chance(leaks: Sequence[Enclosure], count: int) -> Enclosure:
    """Each end by itself: where one of them is 1, so is the end."""

    def at(ends: Sequence[float]) -> Enclosure:
        def formula() -> Ball:
            return -((count * sum(((-ball(p)).log1p() for p in ends), ball(0))).expm1())

        return Enclosure(1.0, 1.0) if max(ends) >= 1.0 else enclose(formula)

    lower, upper = at([leak.lower for leak in leaks]).lower, at([leak.upper for leak in leaks]).upper
    return Enclosure(min(max(lower, 0.0), 1.0), min(upper, 1.0))


def repeat(parts: Sequence[tuple[S, int]]) -> Sequence[Repeated]:
    """Group equal steps: a step that occurs a thousand times is transformed once."""
    counts: Counter[RepeatableLoss] = Counter()
    for loss, count in parts:
        counts[loss] += count
    return [Repeated(loss, count) for loss, count in counts.items() if count]
