"""The subsampled Gaussian against its closed form (one step) and against integration on another line
(many).
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

from dpcompose.inversion import Direction, SampledGaussianLoss, profile
from references import sampled_gaussian, sampled_gaussian_once

# ε of DP-SGD, the greater of both directions, to ten digits.
TRAINING = [
    (0.01, 1.0, 1000, {1e-5: 1.828236667, 1e-10: 3.290443751, 1e-20: 6.361700204, 1e-50: 15.209761496}),
    (256 / 60000, 1.1, 14000, {1e-5: 2.375837627, 1e-10: 3.727394409, 1e-20: 5.669181093, 1e-50: 11.800858690}),
    (0.001, 0.6, 100_000, {1e-5: 6.112825184, 1e-10: 10.154469174, 1e-20: 17.586629878, 1e-50: 38.360551852}),
    (0.0001, 0.5, 1_000_000, {1e-5: 3.898153632, 1e-10: 7.961644128, 1e-20: 15.652829194, 1e-50: 37.780825518}),
    (0.1, 5.0, 10_000, {1e-5: 10.142922217, 1e-10: 14.502101793, 1e-20: 20.521124476, 1e-50: 32.317584968}),
    (0.5, 10.0, 1000, {1e-5: 7.545170734, 1e-10: 10.975259661, 1e-20: 15.698567531, 1e-50: 24.932552889}),
]


@pytest.mark.parametrize("rate, noise, steps, answers", TRAINING)
def test_training_runs(rate: float, noise: float, steps: int, answers: dict[float, float]) -> None:
    for delta, expected in answers.items():
        both = [profile([(SampledGaussianLoss(rate, noise, d), steps)]).epsilon(delta) for d in Direction]
        upper, lower = max(e.upper for e in both), max(e.lower for e in both)
        assert (upper - lower) / upper < 1e-9
        assert math.isclose(upper, expected, abs_tol=2e-9)


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("seed", range(8))
def test_many_steps_against_another_line(seed: int, direction: Direction) -> None:
    draw = random.Random(seed)  # noqa: S311 - test data
    rate, noise = 10 ** draw.uniform(-3, -0.2), 10 ** draw.uniform(-0.2, 0.8)
    steps, delta = int(10 ** draw.uniform(2.5, 5)), 10 ** draw.uniform(-14, -3)
    composed = profile([(SampledGaussianLoss(rate, noise, direction), steps)])
    epsilon = composed.epsilon(delta)
    if epsilon.upper > 60.0:
        pytest.skip("the reference would take too long")
    remove = direction is Direction.REMOVE
    truth = sampled_gaussian(rate, noise, remove=remove, count=steps, epsilon=epsilon.upper, digits=12)
    value, slack = float(truth.mid()), float(truth.rad()) + 1e-11 * float(truth.mid())
    assert value - slack <= delta
    found = composed.delta(epsilon.upper)
    assert found.lower <= value + slack
    assert value - slack <= found.upper
    assert found.gap < 1e-6


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("rate, noise, epsilon", [(0.5, 2.0, 0.3), (0.2, 1.0, 0.1), (0.9, 1.5, 0.5)])
def test_one_step_against_the_closed_form(rate: float, noise: float, epsilon: float, direction: Direction) -> None:
    found = profile([(SampledGaussianLoss(rate, noise, direction), 1)]).delta(epsilon, 1e-5)
    truth = sampled_gaussian_once(rate, noise, remove=direction is Direction.REMOVE, epsilon=epsilon)
    assert found.lower <= truth <= found.upper


@pytest.mark.parametrize(
    "rate, noise, steps, delta, expected",
    [
        (2.752e-4, 2.0799, 4970, 1.093049185e-22, 0.0925),
        (1.162e-4, 1.2497, 16500, 6.697e-23, 0.3),
        (0.0005009336979176147, 3.044331300433838, 285, 5.24e-13, 0.018196),
    ],
)
def test_heavy_tails_get_jumps(rate: float, noise: float, steps: int, delta: float, expected: float) -> None:
    found = profile([(SampledGaussianLoss(rate, noise, Direction.REMOVE), steps)]).epsilon(delta)
    assert found.gap < 2e-9
    assert math.isclose(found.upper, expected, rel_tol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("noise", [1e-3, 0.3, 1e3])
@pytest.mark.parametrize("rate", [1e-12, 1e-3, 1.0])
def test_extremes_are_sound(rate: float, noise: float, direction: Direction) -> None:
    for steps in (1, 10_000_000):
        composed = profile([(SampledGaussianLoss(rate, noise, direction), steps)])
        for delta in (0.0, 1e-300, 1e-6):
            epsilon = composed.epsilon(delta, 1e-2)
            assert 0.0 <= epsilon.lower <= epsilon.upper
        for place in (0.1,):
            found = composed.delta(place, 1e-2)
            assert 0.0 <= found.lower <= found.upper <= 1.0


@pytest.mark.parametrize("rate, noise, delta", [(0.5, 2.0, 1e-3), (0.2, 1.0, 1e-4), (0.01, 1.0, 1e-6)])
@pytest.mark.parametrize("direction", list(Direction))
def test_one_step_solved_for_epsilon(rate: float, noise: float, delta: float, direction: Direction) -> None:
    """So few steps go between two lattices."""
    found = profile([(SampledGaussianLoss(rate, noise, direction), 1)]).epsilon(delta, 1e-5)
    remove = direction is Direction.REMOVE
    assert sampled_gaussian_once(rate, noise, remove=remove, epsilon=found.lower) >= delta
    assert sampled_gaussian_once(rate, noise, remove=remove, epsilon=found.upper) <= delta
    assert found.gap < 1e-5


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("digits", [12, 16, 20, 40])
def test_rates_that_differ_from_one_by_less_than_floats_can_tell(digits: int, direction: Direction) -> None:
    """No float lies between such a rate and 1, yet a record that is missed once in a while bounds the loss."""
    rate, noise = 1 - Fraction(1, 10**digits), Fraction(1, 9)
    found = profile([(SampledGaussianLoss(rate, noise, direction), 1)])
    with mpmath.workdps(60):
        q, sigma = mpmath.mpf(rate.numerator) / rate.denominator, mpmath.mpf(1) / 9
        for epsilon in (20, 30, 36, 40, 44):
            e = mpmath.exp(mpmath.mpf(epsilon))
            ratio = ((e if direction is Direction.REMOVE else 1 / e) - (1 - q)) / q
            if ratio <= 0:
                truth = mpmath.mpf(0)
            else:
                side = -1 if direction is Direction.REMOVE else 1
                x = mpmath.mpf(1) / 2 + sigma**2 * mpmath.log(ratio)
                bare, shifted = mpmath.ncdf(side * x / sigma), mpmath.ncdf(side * (x - 1) / sigma)
                mixed = (1 - q) * bare + q * shifted
                truth = mixed - e * bare if direction is Direction.REMOVE else bare - e * mixed
            delta = found.delta(float(epsilon))
            assert delta.lower <= truth <= delta.upper
