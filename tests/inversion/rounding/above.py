"""Bounds from one side: decay, distance, greatest loss, Chernoff; and sums that grow."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import acb, arb, ctx
from rounding import laws
from rounding.cases import (
    Cases,
    atoms,
    decimal,
    sampled_gaussians,
    sampled_laplaces,
    transformed,
)
from rounding.formulas import magnitude
from rounding.measure import POINTS, Gauge, Row
from rounding.steps import laplace_moment

from dpcompose.inversion import (
    GaussianLoss,
    LaplaceLoss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    TwoPointLoss,
    profile,
)
from dpcompose.inversion import quick_bound as ceiling
from dpcompose.inversion.line.running_sums import Addend, Numbers, Tally
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.inversion.losses.repeated import Repeated, TiltedRepeated
from dpcompose.inversion.losses.window import Window
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, short

TIGHT, ROUGH = 1e-12, 1e-9


def decays(cases: Cases) -> Callable[[Gauge], None]:
    """Beyond a frequency the transform is no greater than this: least of all at the frequency itself."""

    def check(gauge: Gauge) -> None:
        with ctx.workprec(laws.BITS):
            for case, step, spacing, truths in transformed(cases):
                bounds = TiltedRepeated(case.loss, step, 1).log_decay(spacing * np.arange(1.0, len(truths)))
                for truth, bound in zip(truths[1:], bounds.tolist(), strict=True):
                    gauge.see_below(abs(truth), arb(bound).exp(), ROUGH, case.loss, case.tilt)

    return check


def laplace_decay(gauge: Gauge) -> None:
    random = np.random.default_rng(101)
    with ctx.workprec(300):
        for _ in range(50):
            size, tilt = decimal(random, -2, 1), 10.0 ** random.uniform(-2.0, 1.0)
            spacing, e = short(10.0 ** random.uniform(-2.0, 0.0) / float(size)), laws.number(size)
            bounds = Repeated(LaplaceLoss(size), 1).tilted(tilt, 0.0, 1e-16).log_decay(spacing * np.arange(1.0, 201.0))
            base = laplace_moment(e, acb(tilt))
            for m, bound in enumerate(bounds.tolist(), start=1):
                truth = abs(laplace_moment(e, acb(arb(tilt), arb(spacing) * m)) / base)
                gauge.see_below(truth, arb(bound).exp(), ROUGH, size, tilt, m * spacing)


def distances(gauge: Gauge) -> None:
    """Total variation: of one step in closed form, of several at most the chance that any of them differs."""
    random = np.random.default_rng(102)
    with ctx.workprec(300):
        while gauge.points < POINTS:
            size, rate, noise = decimal(random, -6, 2.5), decimal(random, -9, -0.001), decimal(random, -3, 3)
            e, q, s = (laws.number(x) for x in (size, rate, noise))
            inner, apart = 1 - (-e / 2).exp(), (1 / (2 * s * arb(2).sqrt())).erf()
            (two,), (normal,) = (
                TwoPointLoss.gather([(TwoPointLoss(size), 3)]),
                GaussianLoss.gather([(GaussianLoss(1 / noise**2), 1)]),
            )
            sampled = SampledLaplaceLoss(size, rate, Direction.ADD)
            for bound, truth in (
                (LaplaceLoss(size).total_variation, inner),
                (sampled.total_variation, q * inner),
                (two.total_variation, 1 - (1 - (e / 2).tanh()) ** 3),
                (normal.total_variation, apart),
                (SampledGaussianLoss(rate, noise, Direction.REMOVE).total_variation, q * apart),
            ):
                if bound < 1.0:
                    gauge.see_below(truth, bound, TIGHT * truth, size, rate, noise)


def finite_distances(gauge: Gauge) -> None:
    random = np.random.default_rng(103)
    with ctx.workprec(200):
        for _ in range(POINTS):
            loss, law = atoms(random, int(random.integers(2, 8)))
            truth = arb(0)
            for l, w in law:
                truth += w * (1 - (-l).exp()) if l > 0 else 0
            gauge.see_below(truth, loss.total_variation, ROUGH * truth, loss.losses)


def greatest_losses(gauge: Gauge) -> None:
    """One kind many times, and up to a thousand different kinds."""
    random = np.random.default_rng(104)
    with ctx.workprec(200):
        for i in range(POINTS // 4):
            kinds = 1000 if i % 250 == 0 else int(random.integers(1, 6))
            parts = [(decimal(random, -4, 1), int(10 ** random.uniform(0, 6))) for _ in range(kinds)]
            plain, total = arb(0), arb(0)
            for size, count in parts:
                plain += count * laws.number(size)
                total += count * laws.number(size) * 2
            rate, size = decimal(random, -6, -0.001), parts[0][0]
            q, e = laws.number(rate), laws.number(size)
            laplaces, points = ([(kind(s), n) for s, n in parts] for kind in (LaplaceLoss, TwoPointLoss))
            for bound, truth in (
                (profile([*laplaces, *points]).supremum, total),
                (TwoPointLoss.gather(points)[0].supremum, plain),
                (SampledLaplaceLoss(size, rate, Direction.REMOVE).supremum, (q * e.expm1()).log1p()),
                (SampledGaussianLoss(rate, size, Direction.ADD).supremum, -(-q).log1p()),
            ):
                gauge.see_below(truth, bound, 100 * UNIT_ROUNDOFF * truth, parts[:3], kinds)


def chernoff_ceilings(gauge: Gauge) -> None:
    r"""$\ln\bigl(c(\tau)M(\tau)e^{-\tau\varepsilon}\bigr)$ of Gaussian mechanisms."""
    random = np.random.default_rng(105)
    with ctx.workprec(200):
        for mu, tilt in zip(magnitude(random, -6, 3, 200), magnitude(random, -3, 4, 200), strict=True):
            places = np.array(magnitude(random, -4, 4, POINTS // 200))
            found = ceiling._log_bound(profile([(GaussianLoss(mu), 1)]).summands, tilt, places)
            t = arb(tilt)
            constant = t * (t + 1) * mu / 2 + t * t.log() - (t + 1) * (t + 1).log()
            for epsilon, bound in zip(places.tolist(), found.tolist(), strict=True):
                size = abs(constant) + t * epsilon
                gauge.see_below(constant - t * epsilon, bound, 20 * UNIT_ROUNDOFF * size + TIGHT, mu, tilt, epsilon)


def hazards(gauge: Gauge) -> None:
    r"""$-(\ln\Phi((b-x)/w))'$, to nine digits."""
    random = np.random.default_rng(106)
    for fade, cut in zip(magnitude(random, -2, 2, 20), random.normal(0.0, 10.0, 20).tolist(), strict=True):
        x = cut + fade * random.uniform(-30.0, 100.0, POINTS // 20)
        found = Window(cut=cut, fade=fade).hazard(x)
        with ctx.workprec(300):
            for place, value in zip(x.tolist(), found.tolist(), strict=True):
                z = (arb(place) - arb(cut)) / arb(fade)
                density = (-(z**2) / 2).exp() / (2 * arb.pi()).sqrt()
                truth = density / ((z / arb(2).sqrt()).erfc() / 2) / arb(fade)
                gauge.see(arb(value) - truth, ROUGH * truth + 1e-100, place, cut, fade)


def tallies(gauge: Gauge) -> None:
    r"""$\sum_ik_ix_i$, added one by one."""
    random = np.random.default_rng(107)
    with ctx.workprec(200):
        for terms in (1, 2, 7, 50, 300):
            tally, width = Tally(POINTS // 5), POINTS // 5
            exact = [[arb(0)] * width, [arb(0)] * width]
            moment = arb(0)
            for _ in range(terms):
                curves = random.normal(0.0, 10.0 ** random.uniform(-6.0, 1.0), (3, width))
                curves[2] = 0.0
                numbers, count = random.normal(0.0, 1.0, len(Numbers._fields)), int(10 ** random.uniform(0, 7))
                numbers[[1, 3]] = 0.0
                tally.add(Addend(curves, numbers), count)
                moment += count * arb(float(numbers[0]))
                for row, sums in zip(curves.tolist(), exact, strict=False):
                    for m in range(0, width, 1 + terms // 20):
                        sums[m] += count * arb(row[m])
            found, total = tally.logarithm(), tally.totals()
            gauge.see(arb(total.log_moment) - moment, total.log_moment_error, terms)
            for m in range(0, width, 1 + terms // 20):
                for column, sums in ((found.modulus, exact[0]), (found.phase, exact[1])):
                    gauge.see(arb(float(column[m])) - sums[m], float(found.error[m]), terms, m)


ROWS = [
    Row("sampled Gaussian: decay", "density_layers", decays(sampled_gaussians), 0.0),
    Row("sampled Laplace: decay", "SampledLaplaceLoss.layers", decays(sampled_laplaces), 0.0),
    Row("Laplace: decay", "LaplaceLoss.layers", laplace_decay, 0.0),
    Row("total variation", "LossSum.total_variation", distances),
    Row("finite law: total variation", "ListedLoss.total_variation", finite_distances, 1e-8),
    Row("greatest loss", "LossSum.supremum", greatest_losses),
    Row("Chernoff's bound", "quick_bound.ceiling", chernoff_ceilings),
    Row("slope of a window", "Window.hazard", hazards),
    Row("a sum that grows", "running_sums.Tally", tallies),
]
