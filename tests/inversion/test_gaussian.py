"""Gaussian mechanisms on the line, against the closed form in 60 digits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.inversion import GaussianLoss, profile
from references import gaussian


@cases(60)
@given(mu=st.floats(1e-3, 20.0), tail=st.floats(0.01, 20.0))
def test_delta_encloses_the_closed_form(mu: float, tail: float) -> None:
    epsilon = mu * tail + mu * mu / 2
    found = profile([(GaussianLoss(mu * mu), 1)]).delta(epsilon)
    truth = gaussian(mu * mu, epsilon)
    assert found.lower <= truth <= found.upper or (truth < 1e-320 and found.upper < 1e-300)
    assert found.gap < 1e-9 or found.upper < 1e-300


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.1, 1e-5, 1e-50, 1e-200, 1e-300])
@pytest.mark.parametrize("mu_squared", [1e-6, 0.01, 1.0, 25.0])
def test_epsilon_encloses_the_inverse(mu_squared: float, delta: float) -> None:
    found = profile([(GaussianLoss(mu_squared), 1)]).epsilon(delta)
    if found.upper == 0.0:
        assert gaussian(mu_squared, 0.0) <= delta
    else:
        assert gaussian(mu_squared, found.lower) >= delta >= gaussian(mu_squared, found.upper)
        assert found.gap < 1e-9


def test_many_gaussians_are_one() -> None:
    many = profile([(GaussianLoss(0.25), 3), (GaussianLoss(0.5), 2)]).epsilon(1e-6)
    assert many == profile([(GaussianLoss(1.75), 1)]).epsilon(1e-6)


@pytest.mark.parametrize("mu_squared", [1e-300, 1e-20, 1e8, 1e300])
@pytest.mark.parametrize("delta", [1e-300, 1e-9, 0.5, 1.0])
def test_extremes_are_sound_and_finite(mu_squared: float, delta: float) -> None:
    found = profile([(GaussianLoss(mu_squared), 1)]).epsilon(delta)
    assert 0.0 <= found.lower <= found.upper
    at_zero = profile([(GaussianLoss(mu_squared), 1)]).delta(0.0)
    assert 0.0 <= at_zero.lower <= math.erf(math.sqrt(mu_squared / 8)) * (1 + 1e-12)
    assert at_zero.upper >= math.erf(math.sqrt(mu_squared / 8)) * (1 - 1e-12)


def test_nothing_composed_costs_nothing() -> None:
    assert profile([]).epsilon(0.0).upper == 0.0
    assert profile([(GaussianLoss(1.0), 0)]).delta(0.0).upper == 0.0
