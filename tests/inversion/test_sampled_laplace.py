"""The subsampled Laplace mechanism against direct integration, its parts, and its unsampled self."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from dpcompose.inversion import Direction, LaplaceLoss, SampledLaplaceLoss, profile
from dpcompose.inversion.losses.repeated import Repeated


def once(size: float, rate: float, epsilon: float, *, remove: bool) -> mpf:
    """One step, by integrating (p - e^ε q)+ over the noise."""
    a, q, e = mpf(size), mpf(rate), mp.exp(mpf(epsilon))

    def gain(x: mpf) -> mpf:
        zero, one = mp.exp(-abs(x) * a) * a / 2, mp.exp(-abs(x - 1) * a) * a / 2
        mixed = (1 - q) * zero + q * one
        return max(mixed - e * zero if remove else zero - e * mixed, mpf(0))

    return mp.quad(gain, [-20, -4, -1, 0, *[mpf(i) / 8 for i in range(1, 8)], 1, 5, 20], maxdegree=5)


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("size, rate", [(1.0, 0.3), (3.0, 0.5)])
def test_one_step(size: float, rate: float, direction: Direction) -> None:
    loss = SampledLaplaceLoss(size, rate, direction)
    for part in (0.1, 0.6):
        epsilon = part * loss.supremum
        truth = float(once(size, rate, epsilon, remove=direction is Direction.REMOVE))
        found = profile([(loss, 1)]).delta(epsilon, 1e-3)
        assert found.lower <= truth * (1 + 1e-5)
        assert truth * (1 - 1e-5) <= found.upper
        assert found.gap < 1e-2


@pytest.mark.parametrize("direction", list(Direction))
def test_sampling_everything_is_no_sampling(direction: Direction) -> None:
    sampled = profile([(SampledLaplaceLoss(0.1, 1.0, direction), 1000)]).epsilon(1e-6)
    plain = profile([(LaplaceLoss(0.1), 1000)]).epsilon(1e-6)
    assert max(sampled.lower, plain.lower) <= min(sampled.upper, plain.upper)
    assert sampled.gap < 1e-9


@pytest.mark.parametrize("direction", list(Direction))
def test_many_steps_by_the_moments(direction: Direction) -> None:
    """The certified cumulant function agrees with integration of the density."""
    size, rate, t = 0.7, 0.2, 3.0
    loss = SampledLaplaceLoss(size, rate, direction)
    a, q, r = mpf(size), mpf(rate), (1 + t if direction is Direction.REMOVE else -t)

    def ratio(l: mpf) -> mpf:
        return (1 - q + q * mp.exp(l)) ** r

    between = mp.quad(lambda l: mp.exp(-(l + a) / 2) / 4 * ratio(l), [-a, 0, a])
    moment = mp.exp(-a) / 2 * ratio(a) + ratio(-a) / 2 + between
    step = loss.step(t, 10.0, 1e-17)
    assert abs(step.log_moment - mp.log(moment)) <= step.log_moment_error + 1e-14
    assert step.log_moment_error < 1e-12
    found = profile([(loss, 3000)]).epsilon(1e-6)
    assert found.gap < 1e-9
    assert math.isfinite(found.upper)


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("tilt", [0.5, 6.0])
def test_decay_is_a_bound(direction: Direction, tilt: float) -> None:
    tilted = Repeated(SampledLaplaceLoss(1.0, 0.3, direction), 1).tilted(tilt, 80.0, 1e-14)
    indices = np.arange(1, 600, dtype=np.int64)
    values, error = tilted.step.characteristic(0.125, indices)
    assert np.all(np.log(np.abs(1.0 + values) + error) <= tilted.log_decay(0.125 * indices) + 1e-9)
