"""Sums of steps: closed forms, powers, and what adding up costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import acb, arb, ctx
from rounding import laws
from rounding.cases import decimal
from rounding.measure import POINTS, Gauge, Row
from rounding.steps import laplace_moment

from dpcompose.inversion import GaussianLoss, LaplaceLoss, TwoPointLoss
from dpcompose.inversion.line.line import Alias
from dpcompose.inversion.line.spectrum import Period, Spectrum
from dpcompose.inversion.losses.protocols import Logarithm, LossSum, TiltedSum
from dpcompose.inversion.losses.repeated import Repeated, power
from dpcompose.inversion.renyi import renyi_divergence
from dpcompose.numerics.enclosure import ZERO
from dpcompose.numerics.rounding import short

Parts = list[tuple[Fraction, int]]


def see_logarithm(
    gauge: Gauge, found: Logarithm, truths: list[acb], shift: arb, spacing: float, *point: object
) -> None:
    r"""$\varphi = e^{m+i\theta}(1+\eta)$ with $\ln(1+|\eta|)$ at most the error; what `centre_error` moves counts too.

    `truths` are logarithms, of any branch, of the function at the multiples of the spacing from 1 on.
    """
    columns = (found.modulus, found.phase, found.error)
    for m, (modulus, phase, error, truth) in enumerate(zip(*(c.tolist() for c in columns), truths, strict=True), 1):
        allowed = arb(error).exp() * (1 + shift * spacing * m) - 1
        gauge.see((truth - acb(modulus, phase)).exp() - 1, allowed, m * spacing, *point)


def two_points(seed: int, rounds: int) -> Iterator[tuple[Parts, TiltedSum, float]]:
    """Sums of a few kinds of randomized response under all kinds of tilts."""
    random = np.random.default_rng(seed)
    for i in range(rounds):
        low = random.uniform(-9.0, 2.0)
        parts = [(decimal(random, low, low + 1.0), int(10 ** random.uniform(0, 6))) for _ in range(1 + i % 5)]
        (total,) = TwoPointLoss.gather([(TwoPointLoss(s), k) for s, k in parts])
        tilt = 10.0 ** random.uniform(-8.0, 6.0)
        yield parts, total.tilted(tilt, 0.0, 0.0), tilt


def two_point_log_moments(gauge: Gauge) -> None:
    with ctx.workprec(400):
        for parts, tilted, tilt in two_points(61, POINTS):
            truth, t = arb(0), arb(tilt)
            for size, count in parts:
                e = laws.number(size)
                truth += count * (((t + 1) * e).exp() + (-t * e).exp()).log() - count * (1 + e.exp()).log()
            gauge.see(arb(tilted.log_moment) - truth, tilted.log_moment_error, parts, tilt)


def two_point_transforms(gauge: Gauge) -> None:
    r"""$\ln\varphi$ at frequencies up to several turns of the smallest step; the centre is its own float."""
    with ctx.workprec(500):
        for parts, tilted, tilt in two_points(62, 100):
            spacing = short(20.0 / float(min(size for size, _ in parts)) / 107)
            found = tilted.logarithm(spacing, np.arange(1, 108, dtype=np.int64))
            truths = []
            for m in range(1, 108):
                u, log = arb(spacing) * m, acb(0, -arb(spacing) * m * arb(tilted.centre))
                for size, count in parts:
                    e = laws.number(size)
                    up = 1 / (1 + (-(2 * arb(tilt) + 1) * e).exp())
                    log += count * (acb(up) * acb(0, u * e).exp() + acb(1 - up) * acb(0, -u * e).exp()).log()
                truths.append(log)
            see_logarithm(gauge, found, truths, arb(tilted.centre_error), spacing, parts, tilt)


def two_point_bounds(gauge: Gauge) -> None:
    """A cheap bound on the modulus, with revivals."""
    with ctx.workprec(300):
        for parts, tilted, tilt in two_points(63, 50):
            spacing = short(20.0 / float(min(size for size, _ in parts)) / 210)
            bounds = tilted.log_bound(spacing, np.arange(1, 211, dtype=np.int64))
            for m, bound in enumerate(bounds.tolist(), start=1):
                truth = arb(0)
                for size, count in parts:
                    e = laws.number(size)
                    fade = 1 / ((arb(tilt) + arb(0.5)) * e).cosh() ** 2 * (arb(spacing) * m * e).sin() ** 2
                    truth += count * (-fade).log1p() / 2
                gauge.see_below(truth, arb(bound) + 1e-290, abs(truth) * 1e-9, parts, tilt, m * spacing)


def gaussian_sums(gauge: Gauge) -> None:
    """Moment and transform of a normal loss, whose variance is a fraction."""
    random = np.random.default_rng(64)
    with ctx.workprec(200):
        for _ in range(POINTS // 10):
            mu, tilt = decimal(random, -100, 50), 10.0 ** random.uniform(-8.0, 8.0)
            (total,) = GaussianLoss.gather([(GaussianLoss(mu), 3)])
            tilted, v, t = total.tilted(tilt, 0.0, 0.0), 3 * laws.number(mu), arb(tilt)
            gauge.see(arb(tilted.log_moment) - t * (t + 1) * v / 2, tilted.log_moment_error, mu, tilt)
            gauge.see(arb(tilted.centre) - (t + arb(0.5)) * v, tilted.centre_error, mu, tilt)
            spacing = short(10.0 ** random.uniform(-1.0, 1.0) / math.sqrt(3.0 * float(mu)))
            found = tilted.logarithm(spacing, np.arange(1, 11, dtype=np.int64))
            truths = [acb(-v * (arb(spacing) * m) ** 2 / 2) for m in range(1, 11)]
            see_logarithm(gauge, found, truths, arb(0), 0.0, mu, tilt)


def powers(gauge: Gauge) -> None:
    r"""$(1+f)^k$ for $f$ from minute to nearly $-1$, itself off by a stated error in a random direction."""
    random = np.random.default_rng(65)
    with ctx.workprec(300):
        for count in (1, 2, 3, 20, 1000, 12345, 10**6, 10**7):
            size = 10.0 ** random.uniform(-12.0, 0.0, POINTS // 8)
            excess = size * np.exp(1j * random.uniform(0.0, 2.0 * math.pi, size.size)) - np.where(size > 0.1, 0.5, 0.0)
            excess = np.where(np.abs(1.0 + excess) > 1.0, -np.abs(excess) * 0.5 + 0.5j * excess.imag, excess)
            excess[:4] = [-1.0 + 1e-9j, -1.0 + 1e-17j, -0.5, 1e-40j]
            error = np.abs(1.0 + excess) * 10.0 ** random.uniform(-17.0, 1.0, size.size)
            error[::2] = 0.0  # half of them show the rounding alone
            found = power(excess, error, count)
            turned = np.exp(1j * random.uniform(0.0, 2.0 * math.pi, size.size))
            columns = (excess, error * 0.999, turned, found.modulus, found.phase, found.error)
            for f, e, turn, modulus, phase, bound in zip(*(c.tolist() for c in columns), strict=True):
                truth = (acb(f.real, f.imag) + acb(turn.real, turn.imag) / abs(acb(turn.real, turn.imag)) * e + 1).log()
                difference = (truth * count - acb(modulus, phase)).exp() - 1
                gauge.see(difference, arb(bound).exp() - 1, f, e, count)


def repeated_moments(gauge: Gauge) -> None:
    """Many equal steps: moments and centres are multiplied."""
    random = np.random.default_rng(66)
    with ctx.workprec(400):
        for _ in range(POINTS // 2):
            size, tilt, count = decimal(random, -8, 2.5), 10.0 ** random.uniform(-6, 6), int(10 ** random.uniform(0, 7))
            tilted = Repeated(LaplaceLoss(size), count).tilted(tilt, 0.0, 1e-17)
            truth = count * laplace_moment(laws.number(size), acb(tilt)).real.log()
            gauge.see(arb(tilted.log_moment) - truth, tilted.log_moment_error, size, tilt, count)
            gauge.see(arb(tilted.centre) - count * arb(tilted.step.centre), tilted.centre_error, size, tilt, count)


def mixtures(seed: int, rounds: int) -> Iterator[tuple[list[LossSum], Parts, float]]:
    """Gaussian and Laplace mechanisms together: the parts are sizes with counts, the Gaussian first."""
    random = np.random.default_rng(seed)
    for _ in range(rounds):
        parts = [(decimal(random, -6, 1), int(10 ** random.uniform(0, 7))) for _ in range(3)]
        (first,) = GaussianLoss.gather([(GaussianLoss(parts[0][0]), parts[0][1])])
        others = [Repeated(LaplaceLoss(size), count) for size, count in parts[1:]]
        yield [first, *others], parts, 10.0 ** random.uniform(-3.0, 2.0)


def log_mixed(parts: Parts, z: acb) -> acb:
    """The logarithm of the moment of a mixture."""
    (v, k), *others = parts
    log = k * laws.number(v) * z * (z + 1) / 2
    for size, count in others:
        log += count * laplace_moment(laws.number(size), z).log()
    return log


def spectra(gauge: Gauge) -> None:
    """The whole composition: moment, centre and transform."""
    nowhere = Alias(0.0, 1.0)
    with ctx.workprec(300):
        for summands, parts, tilt in mixtures(67, 100):
            variance = sum(s.cumulants(tilt).curvature for s in summands)
            spacing = short(0.06 / math.sqrt(variance))
            tilted = [s.tilted(tilt, 110 * spacing, 1e-17) for s in summands]
            spectrum = Spectrum(tilt, Period(spacing, 0.0, 2.0 * tilt), tilted, nowhere, nowhere)
            base, (moment, moment_error) = log_mixed(parts, acb(tilt)), spectrum.log_moment
            centre, centre_error = spectrum.centre
            gauge.see(arb(moment) - base.real, moment_error, parts, tilt)
            found, truths = spectrum.logarithm(np.arange(1, 108, dtype=np.int64)), []
            for m in range(1, 108):
                u = arb(spacing) * m
                truths.append(log_mixed(parts, acb(arb(tilt), u)) - base - acb(0, u * arb(centre)))
            see_logarithm(gauge, found, truths, arb(centre_error), spacing, parts, tilt)


def divergences(gauge: Gauge) -> None:
    r"""Rényi: $K(\alpha-1)/(\alpha-1)$ of a Gaussian mechanism and a randomized response, enclosed."""
    random = np.random.default_rng(68)
    with ctx.workprec(300):
        for _ in range(POINTS):
            mu, size, count = decimal(random, -12, 4), decimal(random, -9, 2.5), int(10 ** random.uniform(0, 7))
            order = 1.0 + float(10.0 ** random.uniform(-12.0, 5.0))
            summands = [
                *GaussianLoss.gather([(GaussianLoss(mu), 1)]),
                *TwoPointLoss.gather([(TwoPointLoss(size), count)]),
            ]
            found, t, e = renyi_divergence(summands, ZERO, order), arb(order) - 1, laws.number(size)
            truth = laws.number(mu) * (t + 1) / 2
            truth += count * ((((t + 1) * e).exp() + (-t * e).exp()) / (1 + e.exp())).log() / t
            gauge.see_between(found.lower, truth, found.upper, mu, size, count, order)


ROWS = [
    Row("two points: log-moment", "TiltedTwoPoint.log_moment", two_point_log_moments),
    Row("two points: transform", "TiltedTwoPoint.logarithm", two_point_transforms),
    Row("two points: modulus", "TiltedTwoPoint.log_bound", two_point_bounds, 0.0),
    Row("Gaussian: log-moment, transform", "TiltedGaussian", gaussian_sums),
    Row("powers of a transform", "repeated.power", powers),
    Row("many equal steps", "TiltedRepeated", repeated_moments),
    Row("the whole composition", "Spectrum", spectra),
    Row("Rényi divergence", "renyi.renyi_divergence", divergences),
]
