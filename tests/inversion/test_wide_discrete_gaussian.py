"""Discrete Gaussian noise without its atoms, against the sum over its atoms."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.inversion.losses.discrete_gaussian import WIDE, DiscreteGaussianLoss, WideDiscreteGaussian

CASES = [(6.0, 1, 0.3), (6.0, 3, 7.7), (11.5, 2, 40.0), (25.0, 1, 3.25)]


def transform(sigma: float, sensitivity: int, z: complex) -> mpmath.mpc:
    """The moment function of the loss at z, integer by integer: all that matter at this tilt."""
    reach = int(30 * sigma + abs(complex(z).real) * sensitivity + 10)
    top = bottom = mpmath.mpf(0)
    for x in range(-reach, reach + 1):
        height = mpmath.exp(-(mpmath.mpf(x) ** 2) / (2 * mpmath.mpf(sigma) ** 2))
        loss = sensitivity * (mpmath.mpf(sensitivity) - 2 * x) / (2 * mpmath.mpf(sigma) ** 2)
        top, bottom = top + height * mpmath.exp(mpmath.mpmathify(z) * loss), bottom + height
    return top / bottom


@pytest.mark.slow
@pytest.mark.parametrize("sigma, sensitivity, tilt", CASES)
def test_moments_and_transform(sigma: float, sensitivity: int, tilt: float) -> None:
    """Within the stated errors, which are small."""
    step = WideDiscreteGaussian(sigma, 0.0, sensitivity, tilt)
    with mpmath.workdps(50):
        moment = transform(sigma, sensitivity, tilt)
        assert abs(mpmath.log(moment).real - step.log_moment) <= step.log_moment_error
        period = 2.0 * math.pi * sigma**2 / sensitivity
        spacing = 2.0 ** math.floor(math.log2(period / 40.0))
        indices = np.array([1, 2, 5, 9, 14, 39, 40, 43, 61, 80, 81, 119], dtype=np.int64)  # up to three periods
        excess, error = step.characteristic(spacing, indices)
        bound = step.log_modulus(spacing, indices)
        for m, f, e, b in zip(indices.tolist(), excess, error, bound, strict=True):
            u = spacing * m
            turned = transform(sigma, sensitivity, complex(tilt, u)) / moment * mpmath.exp(-1j * u * step.centre)
            assert abs(turned - 1 - complex(f)) <= e
            assert e < 1e-11
            assert abs(turned) <= mpmath.exp(b) + mpmath.mpf(10) ** -40


def test_after_a_period_it_comes_back_turned() -> None:
    step = WideDiscreteGaussian(6.0, 0.0, 1, 1.25)
    period = 2.0 * math.pi * 36.0
    excess, error = step.characteristic(period, np.array([1, 2, 4], dtype=np.int64))
    assert np.abs(excess + 1.0 - np.array([-1j, -1.0, 1.0])).max() <= 1e-11
    assert error.max() <= 1e-9
    assert step.log_modulus(period, np.array([1], dtype=np.int64))[0] >= -1e-9


@pytest.mark.parametrize("delta", [1e-3, 1e-10, 1e-100])
@pytest.mark.parametrize("count", [1, 7])
def test_both_ways_agree_where_they_meet(count: int, delta: float) -> None:
    """Just below the threshold atoms are listed, just above they are not; σ decides smoothly."""
    listed, free = (
        dpc.epsilon(count * dpc.DiscreteGaussian(noise_std=noise), delta) for noise in (WIDE * (1 - 1e-9), WIDE)
    )
    assert listed.lower <= free.upper * (1 + 1e-7)
    assert free.lower <= listed.upper * (1 + 1e-7)


@pytest.mark.parametrize("noise", [1e5, 1e8, 1e10])
def test_wide_noise_costs_what_the_continuous_one_costs(noise: float) -> None:
    """To six digits and more, in no time."""
    steps = 100 * int(noise)
    found = dpc.epsilon(steps * dpc.DiscreteGaussian(noise_std=noise), 1e-9)
    smooth = dpc.epsilon(steps * dpc.Gaussian(noise_std=noise), 1e-9)
    assert found.enclosure.gap <= 1e-6
    assert found.upper == pytest.approx(smooth.upper, rel=1e-5)


def test_narrow_noise_still_lists_its_atoms() -> None:
    """Below the threshold Poisson's other terms count."""
    assert not isinstance(DiscreteGaussianLoss(3.0).step(1.0, 1.0, 1e-16), WideDiscreteGaussian)
    assert isinstance(DiscreteGaussianLoss(30.0).step(1.0, 1.0, 1e-16), WideDiscreteGaussian)
