"""Next to no noise on a sample: ε in the hundreds and thousands, where no float holds e^ε, by closed forms."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from cases import daily
from dpcompose.kernel import Side
from wild import said

pytestmark = pytest.mark.slow
RATES = (Fraction(9, 10), Fraction(1, 2), Fraction(1, 100))
ROUNDING = mpf(10) ** -15
DIGITS = 60


def inside(rate: Fraction, epsilon: float) -> mpf:
    """The loss without sampling that becomes ε on the sample."""
    q = mpf(rate.numerator) / rate.denominator
    return mp.log((mp.expm1(mpf(epsilon)) + q) / q)


def normal(shift: float, rate: Fraction, epsilon: float) -> mpf:
    """Q times the profile of the Gaussian where the sampled loss exceeds ε: the order in which a record is removed."""
    at = inside(rate, epsilon)
    first, second = (mp.erfc((at / shift + side * mpf(shift) / 2) / mp.sqrt(2)) / 2 for side in (-1, 1))
    return mpf(rate.numerator) / rate.denominator * (first - mp.exp(at) * second)


def laplace(size: float, rate: Fraction, epsilon: float) -> mpf:
    """The same of Laplace noise, whose losses are no greater than the size."""
    short = mpf(size) - inside(rate, epsilon)
    return -mpf(rate.numerator) / rate.denominator * mp.expm1(-short / 2) if short > 0 else mpf(0)


WORKS = {
    f"normal noise, shift {shift}, at {z} deviations": (
        dpc.Gaussian(noise_std=1, sensitivity=shift),
        normal,
        shift,
        shift * shift / 2 + z * shift,
    )
    for shift in (20, 36, 38, 53, 100, 400)
    for z in (-2, 0, 4.75)
} | {
    f"Laplace noise, size {size}, at {share} of it": (
        dpc.Laplace(scale=1, sensitivity=size),
        laplace,
        size,
        size * share,
    )
    for size in (100, 650, 720, 1000, 10_000)
    for share in (0.5, 0.98)
}


RARE = [(Fraction(1, 10 ** (90 + i // 4)), 2 ** (560 + 2 * i)) for i in range(150)]
"""Probabilities and likelihood ratios: without the record they occur so seldom that no float holds it."""


def rare() -> dpc.Mechanism:
    """What reveals much, hardly ever."""
    p, q = [mass for mass, _ in RARE], [mass / ratio for mass, ratio in RARE]
    return dpc.DiscretePair(p=[*p, 1 - sum(p)], q=[*q, 1 - sum(q)])


def exactly(runs: int, epsilon: float) -> mpf:
    """The profile of some of them: a term for each sum of losses."""
    atoms = [(mpf(mass.numerator) / mass.denominator, mp.log(ratio)) for mass, ratio in RARE]
    left = 1 - sum(mass for mass, _ in RARE)
    rest = 1 - sum(mass / ratio for mass, ratio in RARE)
    kept = mpf(left.numerator) / left.denominator
    atoms.append((kept, mp.log(kept) - mp.log(mpf(rest.numerator) / rest.denominator)))
    sums = [(mp.fprod(m for m, _ in each), mp.fsum(loss for _, loss in each)) for each in product(atoms, repeat=runs)]
    return mp.fsum(mass * -mp.expm1(epsilon - loss) for mass, loss in sums if loss > epsilon)


@pytest.mark.parametrize("epsilon", [400.0, 558.0, 575.0, 590.0, 597.0])
@pytest.mark.parametrize("runs", [1, 2])
def test_outputs_that_no_float_tells_from_impossible(runs: int, epsilon: float) -> None:
    with mp.workdps(DIGITS):
        truth = exactly(runs, epsilon)
        for claim, found in said(runs * rare(), Side.BOTH, epsilon):
            assert found.lower <= truth * (1 + ROUNDING), claim.theorem.id
            assert found.upper >= truth * (1 - ROUNDING), claim.theorem.id


@pytest.mark.parametrize("name,rate", daily(product(WORKS, RATES), 7), ids=str)
def test_every_claim_of_one_run_and_of_several(name: str, rate: Fraction) -> None:
    """One run by the closed form; several by what is said from above and from below, at once."""
    inner, exact, size, epsilon = WORKS[name]
    step = dpc.Sampled(inner, rate=rate)
    with mp.workdps(DIGITS):
        truth = exact(size, rate, epsilon)
        for claim, found in said(1 * step, Side.LOWER, epsilon):
            assert found.lower <= truth * (1 + ROUNDING), claim.theorem.id
        for claim, found in said(1 * step, Side.UPPER, epsilon):
            assert found.upper >= truth * (1 - ROUNDING), claim.theorem.id
        several = dpc.compare(3 * step, epsilon=epsilon).best
        assert several.upper >= truth * (1 - ROUNDING)
        assert several.lower <= min(3 * dpc.delta(step, epsilon / 3).upper, 1)
