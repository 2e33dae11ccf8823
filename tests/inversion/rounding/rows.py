"""Many different steps at once: each row of the arrays against the law of its step in balls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
from flint import acb, arb
from rounding import laws
from rounding.cases import Case, decimal, windowed
from rounding.measure import POINTS, Gauge, Row
from rounding.steps import characteristics, compare, laplace_moment, log_moments

from dpcompose.inversion import LaplaceLoss, SampledGaussianLoss, SampledLaplaceLoss
from dpcompose.inversion.losses.laplace_rows import LaplaceRows, TiltedLaplaceRows
from dpcompose.inversion.losses.protocols import Direction, RepeatableLoss, TiltedStep
from dpcompose.inversion.losses.rows import TiltedRows
from dpcompose.inversion.losses.sampled_gaussian.rows import EdgeColumn, SampledGaussianRows
from dpcompose.inversion.losses.sampled_laplace_rows import SampledLaplaceRows
from dpcompose.inversion.losses.window import WHOLE
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import short

ROUGH = 1e-9
"""Bounds on moduli are raised by about this."""


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

    rows: TiltedRows | TiltedLaplaceRows

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


def laplaces(seed: int, points: int) -> Iterator[tuple[Fraction, float, float, TiltedLaplaceRows]]:
    """The size of the second of three rows, a tilt, and a frequency up to which the transform is looked at."""
    random = np.random.default_rng(seed)
    for _ in range(points):
        size, tilt = decimal(random, -6, 1), 10.0 ** random.uniform(-6.0, 2.5)
        tilt = min(tilt, 400.0 / float(size))
        steps = [LaplaceLoss(size * f) for f in (Fraction(11, 10), Fraction(1), Fraction(1, 3))]
        reach = 10.0 ** random.uniform(-2.0, 3.0) / float(size)
        yield size, tilt, reach, LaplaceRows.of(steps).tilted(tilt, reach, 1e-16)


def laplace_log_moments(gauge: Gauge) -> None:
    with ctx.workprec(400):
        for size, tilt, _, rows in laplaces(47, POINTS):
            step, truth = OneTilted(rows), laplace_moment(laws.number(size), acb(tilt)).real.log()
            gauge.see(arb(step.log_moment) - truth, step.log_moment_error, size, tilt)


def laplace_truths(size: Fraction, tilt: float, spacing: float, centre: float) -> list[acb]:
    """The characteristic function at the first multiples of a spacing."""
    e = laws.number(size)
    base = laplace_moment(e, acb(tilt))
    places = [arb(spacing) * m for m in range(201)]
    return [laplace_moment(e, acb(arb(tilt), u)) / base * acb(0, -u * arb(centre)).exp() for u in places]


def laplace_characteristics(gauge: Gauge) -> None:
    with ctx.workprec(400):
        for size, tilt, reach, rows in laplaces(48, 50):
            step, spacing = OneTilted(rows), short(reach / 200)
            truths = laplace_truths(size, tilt, spacing, step.centre)
            compare(gauge, cast(TiltedStep, step), spacing, np.arange(1, 201, dtype=np.int64), truths, size)


def laplace_moduli(gauge: Gauge) -> None:
    counts = np.array([[0.0], [1.0], [0.0]])
    with ctx.workprec(400):
        for size, tilt, reach, rows in laplaces(49, 50):
            spacing = short(reach / 200)
            bounds = rows.log_modulus(spacing, np.arange(1, 201, dtype=np.int64), counts)
            for truth, bound in zip(laplace_truths(size, tilt, spacing, 0.0)[1:], bounds.tolist(), strict=True):
                gauge.see_below(abs(truth), arb(bound).exp(), ROUGH, size, tilt)


ROWS = [
    Row("Laplaces in one array: log-moments", "TiltedLaplaceRows.moments", laplace_log_moments),
    Row("Laplaces in one array: transforms", "TiltedLaplaceRows.characteristic", laplace_characteristics),
    Row("Laplaces in one array: moduli", "TiltedLaplaceRows.log_modulus", laplace_moduli, 0.0),
    Row("sampled Laplaces in one array: log-moments", "TiltedRows.moments", log_moments(sampled_laplaces)),
    Row("sampled Laplaces in one array: transforms", "TiltedRows.characteristic", characteristics(sampled_laplaces)),
    Row("sampled Gaussians in one array: log-moments", "TiltedRows.moments", log_moments(sampled_gaussians)),
    Row("sampled Gaussians in one array: transforms", "TiltedRows.characteristic", characteristics(sampled_gaussians)),
]
