"""The ball tier: narrower than the float tier, inside it, and around independent references."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import acb, arb, ctx
from mpmath import mp

from dpcompose.inversion import (
    Direction,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    TwoPointLoss,
    profile,
)
from dpcompose.inversion.line.in_balls import step_in_balls
from dpcompose.numerics.enclosure import Enclosure
from references import gaussian, two_point_power

WORKS: list[tuple[list[tuple[Loss, int]], float]] = [
    ([(SampledGaussianLoss(0.01, 1.0, Direction.REMOVE), 1000)], 2.0),
    ([(SampledGaussianLoss(0.01, 1.0, Direction.ADD), 1000)], 1.0),
    ([(LaplaceLoss(0.1), 1000)], 19.0),
    ([(GaussianLoss(0.3), 3), (TwoPointLoss(0.1), 4)], 2.5),
]


@pytest.mark.parametrize("parts, epsilon", WORKS)
def test_both_tiers_agree(parts: list[tuple[Loss, int]], epsilon: float) -> None:
    floats, balls = profile(parts).delta(epsilon), profile(parts).delta_in_balls(epsilon)
    assert max(floats.lower, balls.lower) <= min(floats.upper, balls.upper)
    assert balls.gap < 1e-11


def test_balls_around_the_closed_form() -> None:
    for epsilon in (0.5, 3.0, 30.0):
        found = profile([(GaussianLoss(1.0), 1)]).delta_in_balls(epsilon)
        assert found.lower <= gaussian(1.0, epsilon) <= found.upper
        assert found.gap < 1e-11


def test_balls_around_a_mixture() -> None:
    with mp.workdps(40):
        truth = mp.fsum(p * gaussian(0.5, 1.2 - float(s)) for s, p in two_point_power(0.25, 6).items())
    leak = Enclosure(1e-5, 1e-5)
    found = profile([(GaussianLoss(0.5), 1), (TwoPointLoss(0.25), 6)], leak).delta_in_balls(1.2)
    assert found.lower <= 1e-5 + (1 - 1e-5) * float(truth) * (1 + 1e-13)
    assert 1e-5 + (1 - 1e-5) * float(truth) * (1 - 1e-13) <= found.upper


def test_epsilon_in_balls() -> None:
    composed = profile([(SampledGaussianLoss(0.02, 1.5, Direction.REMOVE), 500)])
    found = composed.epsilon_in_balls(1e-6)
    assert found.gap < 2e-9
    assert found.lower <= composed.epsilon(1e-6).upper


def test_atoms_alone_are_smoothed() -> None:
    first, second = two_point_power(0.5, 3), two_point_power(0.3, 2)
    with mp.workdps(40):
        sums = [(a + b, p * q) for a, p in first.items() for b, q in second.items()]
        truth = mp.fsum(p * max(-mp.expm1(mp.mpf(0.4) - s), 0) for s, p in sums)
    found = profile([(TwoPointLoss(0.5), 3), (TwoPointLoss(0.3), 2)]).delta_in_balls(0.4)
    assert found.lower <= truth <= found.upper
    assert found.gap < 1e-3


SMOOTHED: list[tuple[list[tuple[Loss, int]], float, float]] = [
    ([(LaplaceLoss(1.0), 3), (TwoPointLoss(0.5), 2)], 1.0, 1e-3),
    ([(LaplaceLoss(0.5), 1), (TwoPointLoss(0.1), 30)], 1.0, 1e-5),
    ([(DiscreteGaussianLoss(3, 1), 10), (LaplaceLoss(0.5), 1)], 1.0, 1e-4),
    ([(DiscreteGaussianLoss(Fraction(2, 5), 1), 2), (LaplaceLoss(0.5), 1)], 1.0, 0.02),
    ([(SampledLaplaceLoss(1, 0.1, Direction.REMOVE), 20)], 0.5, 0.05),
    ([(SampledLaplaceLoss(1, 0.1, Direction.ADD), 20)], 0.5, 0.05),
    ([(SampledLaplaceLoss(Fraction(1, 2), 0.3, Direction.ADD), 5), (GaussianLoss(0.2), 1)], 0.5, 0.01),
    ([(DiscreteGaussianLoss(8, 2), 5), (GaussianLoss(0.01), 1)], 0.3, 1e-5),
]


@pytest.mark.slow
@pytest.mark.parametrize("parts, epsilon, gap", SMOOTHED)
def test_what_floats_answer_balls_answer(parts: list[tuple[Loss, int]], epsilon: float, gap: float) -> None:
    """Atoms, discrete Gaussians and sampled Laplace steps in mixtures: wider, and around the same number."""
    composed = profile(parts)
    floats, balls = composed.delta(epsilon, 1e-6), composed.delta_in_balls(epsilon, 1e-6)
    assert max(floats.lower, balls.lower) <= min(floats.upper, balls.upper)
    assert balls.gap < gap


@pytest.mark.slow
@pytest.mark.parametrize("noise, shift", [(Fraction(1, 3), 1), (1, 1), (Fraction(5, 2), 3), (40, 1)])
def test_discrete_gaussian_transform_in_balls(noise: Fraction, shift: int) -> None:
    """Poisson's formula against the sum over the outcomes."""
    with ctx.workprec(200), mp.workdps(50):
        transform = step_in_balls(DiscreteGaussianLoss(noise, shift), 1.5, 10.0)
        s2, reach = (
            mp.mpf(noise.numerator) ** 2 / noise.denominator**2,
            range(-60 * math.ceil(noise), 60 * math.ceil(noise)),
        )
        weights = {x: mp.exp(-x * x / (2 * s2)) for x in reach}
        for u in (0.0, 0.7, 3.0, 9.5):
            terms = (
                w * mp.exp((1.5 + 1j * mp.mpf(u)) * (shift * shift - 2 * shift * x) / (2 * s2))
                for x, w in weights.items()
            )
            truth, found = mp.fsum(terms) / mp.fsum(weights.values()), transform(acb(1.5, u))
            error = abs(mp.mpc(found.real.mid().str(45, radius=False), found.imag.mid().str(45, radius=False)) - truth)
            assert error <= abs(truth) * mp.mpf(10) ** -35
            assert found.real.rad() < arb(10) ** -30 * abs(found)


def test_a_small_tilt_is_not_rounded_beside_1() -> None:
    """Over so many steps the last digit of 1 + t would show; the truth is from `tests/references`, on another line."""
    loss = SampledGaussianLoss(Fraction(379, 1000), Fraction(33, 100), Direction.REMOVE)
    found = profile([(loss, 2_696_168)]).delta_in_balls(3342410.0256031197)
    assert found.lower <= 9.3998651942448e-6 * (1.0 + 1e-13)
    assert found.upper >= 9.3998651942448e-6 * (1.0 - 1e-13)
    assert found.gap <= 1e-11


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        [(SampledGaussianLoss(0.01, 1.0, Direction.REMOVE), 1000)],
        [(LaplaceLoss(Fraction(1, 10)), 1000)],
        [(LaplaceLoss(Fraction(1, 10)), 300), (SampledGaussianLoss(0.02, 2.0, Direction.ADD), 500)],
    ],
)
def test_balls_take_over_where_floats_miss_the_tolerance(
    parts: list[tuple[Loss, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tolerance that rounding forbids is met all the same, inside of what floats say."""
    composed = profile(parts)
    epsilon = composed.epsilon(1e-6, 1e-6).upper
    found = composed.delta(epsilon, 1e-13)
    back = composed.epsilon(found.upper, 1e-13)
    monkeypatch.setattr("dpcompose.inversion.line.escalation.delta_by_balls", lambda _s, _e, known, _t: known)
    floats = composed.delta(epsilon, 1e-13)
    assert floats.gap > 1e-13 >= found.gap
    assert floats.lower <= found.lower <= found.upper <= floats.upper
    assert back.gap <= 1e-12
    assert back.lower <= epsilon * (1.0 + 1e-15)
