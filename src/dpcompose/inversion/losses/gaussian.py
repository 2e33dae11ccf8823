r"""The Gaussian mechanism: $L \sim N(\mu^2/2, \mu^2)$, so any number of them is one with $\mu^2 = \sum\mu_i^2$."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.losses.protocols import Cumulants, Logarithm, Loss, LossSum
from dpcompose.numerics.enclosure import ZERO, Real
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Floats, Integers, multiples, nearest


@dataclass(frozen=True)
class GaussianLoss:
    r"""One Gaussian mechanism with $\mu$ = sensitivity / noise; `mu_squared` is $\mu^2$, exactly."""

    mu_squared: Real

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """Add the variances, exactly."""
        losses = cast(Sequence[tuple[GaussianLoss, int]], parts)
        total = sum((count * Fraction(loss.mu_squared) for loss, count in losses), Fraction(0))
        return [GaussianSum(total, sum(count for _, count in losses))] if total else []


@dataclass(frozen=True)
class GaussianSum:
    """The sum of the losses of Gaussian mechanisms."""

    mu_squared: Fraction
    steps: int

    leak = ZERO
    lattice = None
    supremum = math.inf
    trim_lost = 0.0

    @property
    def is_unbounded(self) -> bool:
        """Whether some finite loss exceeds every number: wherever anything is lost."""
        return self.mu_squared > 0 and self.steps > 0

    @cached_property
    def _number(self) -> float:
        return nearest(self.mu_squared)[0]

    @property
    def total_variation(self) -> float:
        r"""$\mathrm{erf}(\mu/2\sqrt2)$, at most $\mu/\sqrt{2\pi}$."""
        return min(1.0, math.sqrt(self._number) * 0.398942280402)

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        v = self._number
        return Cumulants(0.5 * tilt * (tilt + 1.0) * v, (tilt + 0.5) * v, v)

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedGaussian:  # noqa: ARG002 - closed form
        """The certified law at this tilt."""
        return TiltedGaussian(self._number, tilt)

    def trimmed(self, log_mass: float, sharpness: int) -> GaussianSum:  # noqa: ARG002 - the tail is light
        """With its far upper tail taken away, if it has one."""
        return self

    def jumps(self, log_mass: float) -> tuple[Sequence[Loss], float]:  # noqa: ARG002 - nothing is hidden
        """What trimming hides, put into separate laws."""
        return [], 0.0

    def fewer(self, count: int) -> GaussianSum:
        """The sum without some of its steps."""
        raise NotImplementedError(count)

    def dominating(self) -> Sequence[LossSum]:
        """The sum itself: nothing is simpler."""
        return [self]


@dataclass(frozen=True)
class TiltedGaussian:
    r"""$K = t(t+1)\mu^2/2$ and, centred at $(2t+1)\mu^2/2$, $\varphi(u) = e^{-\mu^2u^2/2}$."""

    variance: float
    tilt: float

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""
        return 0.5 * self.tilt * (self.tilt + 1.0) * self.variance

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        return 6.0 * UNIT_ROUNDOFF * self.log_moment

    @property
    def centre(self) -> float:
        """Where the characteristic function is centred."""
        return (self.tilt + 0.5) * self.variance

    @property
    def centre_error(self) -> float:
        """An upper bound on the absolute error of `centre`."""
        return 4.0 * UNIT_ROUNDOFF * self.centre

    def logarithm(self, spacing: float, indices: Integers) -> Logarithm:
        """The logarithm of the characteristic function, with its error."""
        frequencies = multiples(spacing, indices)
        modulus = -0.5 * self.variance * frequencies * frequencies
        return Logarithm(modulus, np.zeros_like(modulus), -8.0 * UNIT_ROUNDOFF * modulus)

    def log_decay(self, frequencies: Floats) -> Floats:
        r"""Upper bounds on $\ln|\varphi|$ at and beyond each frequency."""
        return -0.5 * (1.0 - 1e-12) * self.variance * frequencies * frequencies

    def beside(self, tilt: float) -> TiltedGaussian | None:  # noqa: ARG002 - closed form
        """None: there are no nodes to be shared."""
        return None

    def reaching(self, reach: float, error: float) -> TiltedGaussian:  # noqa: ARG002 - closed form
        """This law itself, which holds at every frequency."""
        return self

    def log_bound(self, spacing: float, indices: Integers) -> Floats:
        r"""Cheap upper bounds on $\ln|\varphi|$, frequency by frequency."""
        return self.log_decay(multiples(spacing, indices))
