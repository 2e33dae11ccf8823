"""One step under a tilt: its log-moment and its characteristic function, kind by kind, against the law in balls."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from flint import acb, arb, ctx
from rounding import laws
from rounding.cases import KINDS, Cases, decimal, transformed
from rounding.measure import POINTS, SIDE, Gauge, Row

from dpcompose.inversion import LaplaceLoss
from dpcompose.inversion.losses.discrete_gaussian import WideDiscreteGaussian
from dpcompose.inversion.losses.protocols import TiltedStep
from dpcompose.numerics.rounding import short

SPREAD = SIDE**2 * 2 // 5 - 1


def log_moments(cases: Cases) -> Callable[[Gauge], None]:
    """The logarithm of the moment at a ladder of tilts, up to the greatest of each case."""

    def check(gauge: Gauge) -> None:
        for case in cases():
            step = short(case.tilt / SIDE**2)
            with ctx.workprec(laws.BITS):
                truths = laws.moments(case.law(case.tilt, 0.0), step, SIDE)
                for j, truth in enumerate(truths[1:], start=1):
                    tilted = case.loss.step(j * step, 0.0, 1e-16)
                    gauge.see(arb(tilted.log_moment) - truth.log(), tilted.log_moment_error, case.loss, j * step)

    return check


def characteristics(cases: Cases) -> Callable[[Gauge], None]:
    """All frequencies of a ladder at once, then a few scattered ones, which are summed in another way."""

    def check(gauge: Gauge) -> None:
        together, scattered = (np.arange(*a, dtype=np.int64) for a in ((1, SIDE**2), (3, SIDE**2, SPREAD)))
        with ctx.workprec(laws.BITS):
            for case, step, spacing, truths in transformed(cases):
                for indices in (together, scattered):
                    compare(gauge, step, spacing, indices, truths, case.loss)

    return check


def compare(
    gauge: Gauge, step: TiltedStep, spacing: float, indices: np.ndarray, truths: list[acb], *point: object
) -> None:
    """The characteristic function less 1, at the given multiples of a spacing."""
    values, errors = step.characteristic(spacing, indices)
    for m, value, error in zip(indices.tolist(), values.tolist(), errors.tolist(), strict=True):
        gauge.see(acb(value.real, value.imag) + 1 - truths[m], error, *point, step.tilt, m * spacing)


def laplace_moment(size: arb, z: acb) -> acb:
    """The closed form of Laplace noise."""
    s = z + acb(0.5)
    return ((z * size).exp() + (-(z + 1) * size).exp() + (-size / 2).exp() * (s * size).sinh() / s) / 2


def laplace_log_moments(gauge: Gauge) -> None:
    """With nodes, and where one atom is nearly everything."""
    random = np.random.default_rng(47)
    with ctx.workprec(400):
        for _ in range(POINTS):
            size, tilt = decimal(random, -12, 2.8), 10.0 ** random.uniform(-8.0, 6.0)
            step = LaplaceLoss(size).step(tilt, 0.0, 1e-16)
            truth = laplace_moment(laws.number(size), acb(tilt)).real.log()
            gauge.see(arb(step.log_moment) - truth, step.log_moment_error, size, tilt)


def laplace_characteristics(gauge: Gauge) -> None:
    random = np.random.default_rng(48)
    with ctx.workprec(400):
        for _ in range(50):
            size, tilt = decimal(random, -8, 2.5), 10.0 ** random.uniform(-6.0, 5.0)
            reach = 10.0 ** random.uniform(0.0, 3.0) / float(size)
            spacing, e = short(reach / 200), laws.number(size)
            step = LaplaceLoss(size).step(tilt, reach, 1e-16)
            base = laplace_moment(e, acb(tilt))
            truths = [
                laplace_moment(e, acb(arb(tilt), u)) / base * acb(0, -u * arb(step.centre)).exp()
                for u in (arb(spacing) * m for m in range(201))
            ]
            compare(gauge, step, spacing, np.arange(1, 201, dtype=np.int64), truths, size)


def wide_moduli(gauge: Gauge) -> None:
    """The bound on the modulus of a wide discrete Gaussian."""
    random = np.random.default_rng(49)
    with ctx.workprec(560):
        for _ in range(POINTS // SIDE**2 + 1):
            noise, tilt = decimal(random, 0.79, 0.87), 10.0 ** random.uniform(-1.0, 1.0)
            step = WideDiscreteGaussian(float(noise), 2.0**-53, 1, tilt)
            spacing = short(1.1 * math.pi * float(noise) ** 2 / SIDE**2)
            law = laws.discrete_gaussian(noise, 1, tilt, 28.0)
            truths = laws.characteristic(law, tilt, step.centre, spacing, SIDE)
            bounds = step.log_modulus(spacing, np.arange(1, SIDE**2, dtype=np.int64))
            for m, bound in enumerate(bounds.tolist(), start=1):
                gauge.see_below(abs(truths[m]).log(), bound, 1e-12 * (1 + abs(bound)), noise, tilt, m * spacing)


ROWS = [
    *(Row(f"{kind}: log-moment", f"{where}.log_moment", log_moments(cases)) for kind, (where, cases) in KINDS.items()),
    *(
        Row(f"{kind}: transform", f"{where}.characteristic", characteristics(cases))
        for kind, (where, cases) in KINDS.items()
    ),
    Row("Laplace: log-moment", "TiltedLaplace.log_moment", laplace_log_moments),
    Row("Laplace: transform", "TiltedLaplace.characteristic", laplace_characteristics),
    Row("wide discrete Gaussian: modulus", "WideDiscreteGaussian.log_modulus", wide_moduli),
]
