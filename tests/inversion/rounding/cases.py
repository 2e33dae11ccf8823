"""Steps of every kind beside their laws in balls, and what is computed of them once for several rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import numpy as np
from flint import acb, arb, ctx
from rounding import laws
from rounding.measure import SIDE

from dpcompose.inversion import (
    DiscreteGaussianLoss,
    ListedLoss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    geometric_loss,
    staircase_loss,
)
from dpcompose.inversion.losses.protocols import Direction, RepeatableLoss, TiltedStep
from dpcompose.inversion.losses.window import Window
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import short


class Case(NamedTuple):
    """A loss, its law for tilts up to the first number and frequencies up to the second, and the two numbers."""

    loss: RepeatableLoss
    law: Callable[[float, float], laws.Law]
    tilt: float
    reach: float


Cases = Callable[[], Iterator[Case]]


def decimal(random: np.random.Generator, low: float, high: float) -> Fraction:
    """A number of six digits, of any magnitude between two powers of ten; hardly ever a float."""
    size = 10.0 ** random.uniform(low, high)
    return Fraction(f"{size:.5e}")


def through(window: Window) -> Callable[[arb], arb]:
    """The share that a window lets pass, in balls."""

    def below(x: arb, edge: float) -> arb:
        if math.isinf(edge):
            return arb(1) if edge > 0 else arb(0)
        return ((x - arb(edge)) / (arb(window.fade) * arb(2).sqrt())).erfc() / 2

    return lambda x: below(x, window.cut) - below(x, window.floor)


def sampled_gaussians() -> Iterator[Case]:
    """Whole ones, then parts of them."""
    random = np.random.default_rng(41)
    for i in range(28):
        rate, noise = decimal(random, -6, -0.01), decimal(random, -0.6, 1.6)
        rate, direction = Fraction(1) if i % 14 == 0 else rate, list(Direction)[i % 2]
        remove = direction is Direction.REMOVE

        def law(t: float, v: float, q: Fraction = rate, s: Fraction = noise, r: bool = remove) -> laws.Law:
            return laws.sampled_gaussian(q, s, remove=r, tilt=t, reach=v)

        yield Case(SampledGaussianLoss(rate, noise, direction), law, 10.0 ** random.uniform(-1.0, 1.6), 25.0)
    yield from trimmed_gaussians()


def trimmed_gaussians() -> Iterator[Case]:
    """With the upper tail hidden, and what is hidden, in bands; then samples so rare that the tilt is huge."""
    random = np.random.default_rng(42)
    for i in range(5):
        rate, noise = decimal(random, -4, -0.01), decimal(random, -0.3, 0.3)
        bulk = SampledGaussianLoss(rate, noise, Direction.REMOVE).trimmed(-random.uniform(2.0, 60.0), 3 if i % 2 else 8)
        for loss in (bulk, *list(bulk.bands(-70.0)[0])[:2]):
            yield Case(loss, windowed(loss), 10.0 ** random.uniform(-1.0, 1.0), 15.0)
    for rate, tilt in ((Fraction(1, 10**6), 150.0), (Fraction(1, 10**5), 60.0)):
        loss = SampledGaussianLoss(rate, 1, Direction.REMOVE).trimmed(-25.0, 8)
        yield Case(loss, windowed(loss), tilt, 1000.0)


def windowed(loss: SampledGaussianLoss) -> Callable[[float, float], laws.Law]:
    """The law that a window shows."""

    def law(tilt: float, reach: float) -> laws.Law:
        shape, cut = through(loss.window), loss.window.cut
        return laws.sampled_gaussian(
            loss.rate, loss.noise_std, remove=True, tilt=tilt, reach=reach, window=shape, cut=cut
        )

    return law


def sampled_laplaces() -> Iterator[Case]:
    random = np.random.default_rng(43)
    for i in range(42):
        size, rate = decimal(random, -2, 0.6), Fraction(1) if i % 14 == 0 else decimal(random, -5, -0.01)
        direction = list(Direction)[i % 2]
        law = laws.sampled_laplace
        with ctx.workprec(laws.BITS):
            found = law(size, rate, remove=direction is Direction.REMOVE)
        yield Case(
            SampledLaplaceLoss(size, rate, direction),
            lambda _t, _v, found=found: found,
            10.0 ** random.uniform(-1.0, 1.5),
            min(30.0 / float(size), 150.0),
        )


def discrete_gaussians(low: float, high: float, seed: int) -> Cases:
    """Narrow ones are summed, wide ones have a closed form."""

    def cases() -> Iterator[Case]:
        random = np.random.default_rng(seed)
        for i in range(42):
            noise, sensitivity = decimal(random, low, high), 1 + i % 3

            def law(t: float, _v: float, s: Fraction = noise, d: int = sensitivity) -> laws.Law:
                return laws.discrete_gaussian(s, d, t)

            reach = 1.2 * math.pi * float(noise) ** 2 / sensitivity
            yield Case(DiscreteGaussianLoss(noise, sensitivity), law, 10.0 ** random.uniform(-1.0, 1.3), reach)

    return cases


def atoms(random: np.random.Generator, count: int) -> tuple[ListedLoss, laws.Law]:
    """Random atoms whose weights, and what leaks, are short and add up to 1."""
    parts = random.multinomial(2**30 - count - 1, random.dirichlet(np.full(count + 1, 0.3))) + 1
    weights, leak = parts[:-1] / 2.0**30, float(parts[-1]) / 2.0**30
    losses = random.normal(0.0, 10.0 ** random.uniform(-4.0, 0.7), count)
    loss = ListedLoss(losses, weights, Enclosure(leak, leak))
    with ctx.workprec(laws.BITS):
        return loss, [(arb(l), arb(w)) for l, w in zip(losses.tolist(), weights.tolist(), strict=True)]


def finite_laws() -> Iterator[Case]:
    random = np.random.default_rng(45)
    for i in range(42):
        loss, law = atoms(random, int(random.integers(2, 60)))
        if i % 3 == 0:  # its greatest losses hidden
            loss = loss.trimmed(math.log(0.1), 3)
            law = [(arb(l), arb(w)) for l, w in zip(loss.losses.tolist(), loss.weights.tolist(), strict=True)]
        reach = 200.0 / float(np.abs(loss.losses).max())
        yield Case(loss, lambda _t, _v, law=law: law, 10.0 ** random.uniform(-2.0, 1.5), reach)


def integer_noises() -> Iterator[Case]:
    """Geometric noise, the staircase, and both on a sample."""
    random = np.random.default_rng(46)
    for i in range(44):
        with ctx.workprec(laws.BITS):
            if i % 2:
                scale, sensitivity = decimal(random, -0.5, 1.5), int(random.integers(1, 12))
                loss, law = geometric_loss(scale, sensitivity), laws.geometric(scale, sensitivity)
            else:
                epsilon, gamma = decimal(random, -2, 1), decimal(random, -2, -0.01)
                loss, law = staircase_loss(epsilon, gamma), laws.staircase(epsilon, gamma)
            if i % 4 > 1:
                rate, direction = decimal(random, -3, -0.1), list(Direction)[i // 4 % 2]
                loss, law = (
                    loss.sampled(rate, direction),
                    laws.sampled(law, rate, remove=direction is Direction.REMOVE),
                )
        reach = 200.0 / float(np.abs(loss.losses).max())
        yield Case(loss, lambda _t, _v, law=law: law, 10.0 ** random.uniform(-1.0, 1.3), reach)


class Transformed(NamedTuple):
    """A step, and its characteristic function in balls at the multiples of a spacing."""

    case: Case
    step: TiltedStep
    spacing: float
    truths: list[acb]


@cache
def transformed(cases: Cases) -> list[Transformed]:
    """Of all cases, once for all who ask."""
    found = []
    with ctx.workprec(laws.BITS):
        for case in cases():
            spacing, step = short(case.reach / SIDE**2), case.loss.step(case.tilt, case.reach, 1e-16)
            law = case.law(case.tilt, case.reach)
            truths = laws.characteristic(law, case.tilt, step.centre, spacing, SIDE)
            found.append(Transformed(case, step, spacing, truths))
    return found


KINDS: dict[str, tuple[str, Cases]] = {
    "sampled Gaussian, whole or trimmed": ("TiltedNodes", sampled_gaussians),
    "sampled Laplace": ("TiltedNodes", sampled_laplaces),
    "discrete Gaussian": ("TiltedNodes", discrete_gaussians(-0.5, 0.77, 44)),
    "wide discrete Gaussian": ("WideDiscreteGaussian", discrete_gaussians(0.79, 1.5, 50)),
    "finite law": ("TiltedNodes", finite_laws),
    "integer noise, plain or sampled": ("TiltedNodes", integer_noises),
}
