"""Pairs with thousands of outcomes, kept as floats, against sums of exact fractions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

import dpcompose as dpc
from dpcompose.mechanisms.discrete_pair import PairLaw
from dpcompose.mechanisms.long_pair import LONG, LongPairLaw, divergence

OUTCOMES = LONG + 100


def distribution(seed: int, spread: float) -> list[float]:
    """Masses that add up to about 1, some of them none."""
    draw = random.Random(seed)  # noqa: S311 - data
    raw = [math.exp(spread * draw.gauss(0.0, 1.0)) * (draw.random() > 0.001) for _ in range(OUTCOMES)]
    return normalised(raw)


def normalised(masses: list[float]) -> list[float]:
    """Divided by the sum."""
    total = math.fsum(masses)
    return [x / total for x in masses]


def exactly(masses: list[float]) -> list[mpmath.mpf]:
    """Divided by the exact sum."""
    total = sum(map(Fraction, masses))
    scale = mpmath.mpf(total.denominator) / total.numerator
    return [x * scale for x in masses]


def hockey_stick(p: list[float], q: list[float], epsilon: float) -> mpmath.mpf:
    """δ by its definition, the larger of both orders, after dividing by the exact sums."""
    with mpmath.workdps(40):
        a, b, scale = exactly(p), exactly(q), mpmath.exp(mpmath.mpf(epsilon))
        orders = ([x - scale * y for x, y in zip(*pair, strict=True)] for pair in ((a, b), (b, a)))
        return max(mpmath.fsum(x for x in terms if x > 0) for terms in orders)


PAIRS = [(distribution(1, 0.1), distribution(2, 0.1)), (distribution(3, 2.0), distribution(4, 0.5))]
SUPPORTED = [([x or 1e-9 for x in p], [x or 1e-9 for x in q]) for p, q in PAIRS]
"""The same without impossible outcomes, up to a sum that is off by less than is forgiven."""


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS + SUPPORTED)
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 1.0, 4.0])
def test_one_run_is_the_hockey_stick(pair: tuple[list[float], list[float]], epsilon: float) -> None:
    p, q = (normalised(side) for side in pair)
    truth = hockey_stick(p, q, epsilon)
    found = dpc.delta(dpc.DiscretePair(p=p, q=q), epsilon)
    assert found.lower <= truth * (1 + mpmath.mpf(2) ** -60)
    assert truth <= found.upper * (1 + mpmath.mpf(2) ** -60)
    assert found.upper - found.lower <= 1e-5 * found.upper


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 1.5, 2, 8, 64, Fraction(1001, 1000)])
@pytest.mark.parametrize("pair", SUPPORTED)
def test_divergences(pair: tuple[list[float], list[float]], order: float) -> None:
    """Against forty digits."""
    p, q = (normalised(side) for side in pair)
    with mpmath.workdps(40):
        a, b = exactly(p), exactly(q)
        alpha = mpmath.mpf(Fraction(order).numerator) / Fraction(order).denominator
        if order == 1:
            truth = mpmath.fsum(x * mpmath.log(x / y) for x, y in zip(a, b, strict=True))
        else:
            moment = mpmath.fsum(x**alpha * y ** (1 - alpha) for x, y in zip(a, b, strict=True))
            truth = mpmath.log(moment) / (alpha - 1)
    found = divergence(LongPairLaw(tuple(p), tuple(q)), order)
    assert found.lower <= truth <= found.upper
    assert found.gap < 1e-9


def test_floats_err_no_more_than_they_say() -> None:
    """Every loss against the logarithm of the exact ratio."""
    p, q = PAIRS[1]
    atoms = LongPairLaw(tuple(p), tuple(q)).floats()
    exact = sorted(PairLaw(tuple(p), tuple(q)).ratios().items(), key=lambda item: (item[0] is None, item[0] or 0))
    leak = next((mass for ratio, mass in exact if ratio is None), Fraction(0))
    assert atoms.leak.lower <= leak <= atoms.leak.upper
    assert leak > 0
    with mpmath.workdps(40):
        truths = [mpmath.log(mpmath.mpf(r.numerator) / r.denominator) for r, _ in exact if r is not None]
    order = atoms.losses.argsort()
    assert len(truths) == len(order)
    for loss, error, truth in zip(atoms.losses[order], atoms.loss_error[order], truths, strict=True):
        assert abs(truth - loss) <= error
        assert error < 1e-13


def test_outcomes_too_light_for_floats_may_leak() -> None:
    """A mass of 10^-400 is not nothing."""
    p = [1.0 / OUTCOMES] * OUTCOMES
    light = [Fraction(1, OUTCOMES)] * (OUTCOMES - 1) + [Fraction(1, 10**400)]
    found = LongPairLaw(tuple(p), tuple(light)).floats()
    assert found.leak.lower == 0.0
    assert found.leak.upper >= 1.0 / OUTCOMES


@pytest.mark.parametrize("delta", [0, 1e-30, 1e-300])
def test_only_the_greatest_losses_count_at_a_tiny_delta(delta: float) -> None:
    """Three runs: three times the greatest loss, up to ln(1 − δ/m³)."""
    p, q = (normalised(side) for side in SUPPORTED[0])
    top, bottom = sum(map(Fraction, p)), sum(map(Fraction, q))
    most = max(max(Fraction(a) / Fraction(b), 1 / (Fraction(a) / Fraction(b))) for a, b in zip(p, q, strict=True))
    assert abs(top / bottom - 1) < 1e-15
    found = dpc.epsilon(3 * dpc.DiscretePair(p=p, q=q), delta)
    assert found.lower <= 3 * math.log(most) * (1 + 1e-12)
    assert found.upper >= 3 * math.log(most) * (1 - 1e-9)
    assert found.enclosure.gap < 1e-6
