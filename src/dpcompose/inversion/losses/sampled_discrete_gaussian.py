r"""Discrete Gaussian noise on a Poisson sample, listed integer by integer or in groups of them.

Without the record the noise is about 0, $Q(x)\propto e^{-x^2/2\sigma^2}$, with it about $\Delta$, and the likelihood
ratio of the mixture is $X = 1+q(e^y-1)$ with $y = (2\Delta x-\Delta^2)/2\sigma^2$. Where there are many integers,
neighbours are grouped. To *merge* a group is to process the output, so the merged pair costs no more. To *split* it,
each integer's mass goes to the group's two ends in such shares that both laws keep what they have: forgetting which
end it was gives $X$ back, so the split pair costs no less. Both are what sampling makes of the pair without it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import cast

import numpy as np

from dpcompose.inversion.losses.finite import ListedLoss
from dpcompose.inversion.losses.protocols import Direction, Loss, LossSum
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Floats, Integers, nearest

REACH = 22.0
"""How many deviations around both centres are followed: beyond lies less than 1e-100, which may leak."""
MOST_LISTED = 3_000
"""Up to as many integers each is listed by itself; more are grouped."""
MOST_INTEGERS = 2_500_000
"""Noise that reaches further is not followed."""
BULK = 8.0
"""How many deviations around both centres are divided finely."""
GROUPS = 500
"""How many groups a deviation has there; beyond, a quarter of that."""


class Grouping(Enum):
    """What becomes of neighbouring integers."""

    LISTED = auto()
    MERGED = auto()
    SPLIT = auto()


def integers(noise_std: Real, sensitivity: int) -> int:
    """How many integers lie within reach of the noise, about either centre."""
    return 2 * math.ceil(REACH * float(noise_std)) + sensitivity + 1


@dataclass(frozen=True)
class SampledDiscreteGaussianLoss:
    """One step, in one direction."""

    rate: Real
    noise_std: Real
    sensitivity: int
    direction: Direction
    grouping: Grouping

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of all these steps."""
        steps = cast(Sequence[tuple[SampledDiscreteGaussianLoss, int]], parts)
        return ListedLoss.gather([(step.listed(), count) for step, count in steps])

    def listed(self) -> ListedLoss:
        """Every loss, or every group's, with its errors."""
        return _listed(self)

    def atoms(self) -> ListedLoss:
        """Every loss, or every group's, computed anew."""
        q, q_error = nearest(self.rate)
        excess, off, masses, mass_error = self._pair()
        ratio = 1.0 + q * excess
        doubt = q * (off + np.abs(excess) * (q_error + UNIT_ROUNDOFF)) / ratio
        near, rounding = ratio > 0.5, 2.0 * UNIT_ROUNDOFF / ratio
        logs = np.where(near, np.log1p(np.maximum(q * excess, -0.5)), np.log(ratio))
        log_error = (doubt + np.where(near, 0.0, rounding) + LIBM * np.abs(logs)) * SLACK
        remove = self.direction is Direction.REMOVE
        return ListedLoss(
            logs if remove else -logs,
            masses * ratio if remove else masses,
            Enclosure(0.0, self._beyond()),
            log_error,
            (mass_error + (doubt + rounding if remove else 0.0)) * SLACK,
        )

    def _beyond(self) -> float:
        r"""An upper bound on the mass of either law out of reach: $2e^{-R^2/2}/(1-e^{-R/\sigma})$, the normaliser being
        above 1.
        """
        return 2.0 * math.exp(-0.5 * REACH**2) * (2.0 + float(self.noise_std) / REACH)

    def _pair(self) -> tuple[Floats, Floats, Floats, Floats]:
        r"""$e^y-1$ with its absolute error, and the mass without the record with its relative error."""
        sigma, sigma_error = nearest(self.noise_std)
        far = math.ceil(REACH * sigma)
        x = np.arange(-far, far + self.sensitivity + 1, dtype=np.float64)
        exponent = 0.5 * (x / sigma) ** 2
        # By Poisson's formula the normaliser is σ√2π, to 3e^{-2π²σ²} relatively; σ exceeds 2 here.
        masses = np.exp(-exponent) / (sigma * math.sqrt(2.0 * math.pi))
        relative = 8.0 * UNIT_ROUNDOFF + 2.0 * sigma_error
        error = relative * (2.0 + exponent) + 2.0 * LIBM
        step = self.sensitivity / sigma**2
        y = (x - 0.5 * self.sensitivity) * step
        if self.grouping is Grouping.LISTED:
            return *_expm1(y, relative), masses, error
        starts = _starts(x.size, sigma)
        sizes = np.diff(np.append(starts, x.size))
        most = np.maximum.reduceat(error, starts) + (float(np.max(sizes)) + 4.0) * UNIT_ROUNDOFF
        if self.grouping is Grouping.MERGED:
            return _merged(*_expm1(y, relative), masses, most, starts)
        ends = np.append(y[starts], y[-1] + step)
        return *_expm1(ends, relative + 2.0 * UNIT_ROUNDOFF), *_split(
            masses, step, most + 8.0 * (relative + LIBM), sizes
        )


def _starts(count: int, sigma: float) -> Integers:
    """Where groups begin: short ones where nearly all mass is, longer ones in the tails."""
    bulk = math.ceil((REACH - BULK) * sigma)
    size = max(1, math.floor(sigma / GROUPS))
    left = np.arange(0, bulk, 4 * size)
    middle = np.arange(bulk, count - bulk, size)
    return np.concatenate([left, middle, np.arange(count - bulk, count, 4 * size)])


@lru_cache(maxsize=32)
def _listed(step: SampledDiscreteGaussianLoss) -> ListedLoss:
    return step.atoms()


def _expm1(y: Floats, relative: float) -> tuple[Floats, Floats]:
    r"""$e^y-1$, off by its own rounding and by $|y|\max(1, e^y)$ times that of $y$."""
    found = np.expm1(y)
    return found, LIBM * np.abs(found) + relative * np.abs(y) * np.exp(np.maximum(y, 0.0))


def _merged(
    excess: Floats, off: Floats, masses: Floats, most: Floats, starts: Integers
) -> tuple[Floats, Floats, Floats, Floats]:
    """The mean of the ratio over each group, and the mass of all of it."""
    total = np.add.reduceat(masses, starts)
    mean = np.add.reduceat(masses * excess, starts) / total
    size = np.add.reduceat(masses * np.abs(excess), starts) / total
    doubt = np.add.reduceat(masses * off, starts) / total + 3.0 * most * size
    return mean, doubt * SLACK, total, most


def _split(masses: Floats, step: float, most: Floats, sizes: Integers) -> tuple[Floats, Floats]:
    """Each mass shared between its group's lower end and the next group's, as they keep the mean of the ratio."""
    starts = np.cumsum(sizes) - sizes
    place = step * (np.arange(masses.size) - np.repeat(starts, sizes))
    width = step * np.repeat(sizes, sizes)
    above = np.expm1(place) / np.expm1(width)
    below = np.exp(place) * np.expm1(width - place) / np.expm1(width)
    found, error = np.zeros(sizes.size + 1), np.append(most, 0.0)
    found[:-1] += np.add.reduceat(masses * below, starts)
    found[1:] += np.add.reduceat(masses * above, starts)
    error[1:] = np.maximum(error[1:], most)
    return found, error * SLACK + 16.0 * step * float(np.max(sizes)) * UNIT_ROUNDOFF


__all__ = ["MOST_INTEGERS", "MOST_LISTED", "Grouping", "SampledDiscreteGaussianLoss", "integers"]
