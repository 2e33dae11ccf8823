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
