"""Many different steps at once: each row of the arrays against the law of its step in balls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from rounding import laws
from rounding.cases import Case, decimal, windowed
from rounding.measure import Row
from rounding.steps import characteristics, log_moments

from dpcompose.inversion import SampledGaussianLoss, SampledLaplaceLoss
from dpcompose.inversion.losses.protocols import Direction, RepeatableLoss
from dpcompose.inversion.losses.rows import TiltedRows
from dpcompose.inversion.losses.sampled_gaussian.rows import EdgeColumn, SampledGaussianRows
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceRows
from dpcompose.inversion.losses.window import WHOLE
from dpcompose.numerics.precision import ctx


@dataclass(frozen=True)
class OneOfMany:
    """A step that is computed in an array, as the second of three rows."""

    loss: Any
    rows: Any

    def step(self, tilt: float, reach: float, error: float) -> OneTilted:
        """The row of this step."""
        return OneTilted(self.rows.tilted(tilt, reach, error))


@dataclass(frozen=True)
class OneTilted:
    """The same, tilted."""

    rows: TiltedRows

    @property
    def tilt(self) -> float:
        """The tilt."""
        return self.rows.tilt

    @property
    def log_moment(self) -> float:
        """The log-moment."""
        return float(self.rows.moments[0][1, 0])

    @property
    def log_moment_error(self) -> float:
        """The bound on its error."""
        return float(self.rows.moments[1][1, 0])

    @property
    def centre(self) -> float:
        """The centre."""
        return float(self.rows.centre[1, 0])

    def characteristic(self, spacing: float, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The characteristic function less 1, and the bound on its error."""
        values, error = self.rows.characteristic(spacing, indices)
        return values[1], error[1]


def sampled_gaussians() -> Iterator[Case]:
    """Whole ones, and every third with its upper tail hidden, between two others."""
    random = np.random.default_rng(45)
    for i in range(42):
        rate, noise, direction = decimal(random, -6, -0.31), decimal(random, -0.6, 1.4), list(Direction)[i % 2]
        loss = SampledGaussianLoss(rate, noise, direction)
        loss = loss.trimmed(-random.uniform(8.0, 60.0), 3 if i % 2 else 8) if i % 3 == 0 else loss
        rows = SampledGaussianRows.of(
            [
                replace(loss, rate=rate * f, noise_std=noise * s)
                for f, s in ((1, Fraction(11, 10)), (1, 1), (Fraction(1, 3), 1))
            ]
        )
        if loss.window is not WHOLE:
            rows = replace(rows, window=EdgeColumn(*(np.full((3, 1), n) for n in (loss.window.cut, loss.window.fade))))

        def law(t: float, v: float, q: Fraction = rate, s: Fraction = noise, d: Direction = direction) -> laws.Law:
            return laws.sampled_gaussian(q, s, remove=d is Direction.REMOVE, tilt=t, reach=v)

        known = law if loss.window is WHOLE else windowed(loss)
        step = cast(RepeatableLoss, OneOfMany(loss, rows))
        yield Case(step, known, 10.0 ** random.uniform(-1.0, 1.3), 25.0)


def sampled_laplaces() -> Iterator[Case]:
    """Each between two others."""
    random = np.random.default_rng(46)
    for i in range(42):
        size, rate, direction = decimal(random, -2, 0.6), decimal(random, -6, -0.31), list(Direction)[i % 2]
        loss = SampledLaplaceLoss(size, rate, direction)
        others = ((1, Fraction(11, 10)), (1, 1), (Fraction(1, 3), 1))
        rows = SampledLaplaceRows.of([replace(loss, rate=rate * f, size=size * s) for f, s in others])
        with ctx.workprec(laws.BITS):
            found = laws.sampled_laplace(size, rate, remove=direction is Direction.REMOVE)
        step = cast(RepeatableLoss, OneOfMany(loss, rows))
        reach = min(30.0 / float(size), 150.0)
        yield Case(step, lambda _t, _v, found=found: found, 10.0 ** random.uniform(-1.0, 1.5), reach)


ROWS = [
    Row("sampled Laplaces in one array: log-moments", "TiltedRows.moments", log_moments(sampled_laplaces)),
    Row("sampled Laplaces in one array: transforms", "TiltedRows.characteristic", characteristics(sampled_laplaces)),
    Row("sampled Gaussians in one array: log-moments", "TiltedRows.moments", log_moments(sampled_gaussians)),
    Row("sampled Gaussians in one array: transforms", "TiltedRows.characteristic", characteristics(sampled_gaussians)),
]
