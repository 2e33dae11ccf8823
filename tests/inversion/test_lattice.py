"""Lattice laws: geometric noise, staircase, discrete Gaussian, against exact sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mpmath import mp, mpf

from dpcompose.inversion import DiscreteGaussianLoss, ListedLoss, geometric_loss, profile, staircase_loss
from dpcompose.numerics.enclosure import Enclosure
from references import atoms, sums


def geometric(scale: float, sensitivity: int) -> dict[mpf, mpf]:
    r = mp.exp(-1 / mpf(scale))
    law: dict[mpf, mpf] = {}
    for x in range(-600, 601):
        loss = (abs(x - sensitivity) - abs(x)) / mpf(scale)
        law[loss] = law.get(loss, mpf(0)) + r ** abs(x) * (1 - r) / (1 + r)
    return law


def discrete_gaussian(noise: float, sensitivity: int) -> dict[mpf, mpf]:
    s = mpf(noise)
    weights = {x: mp.exp(-(mpf(x) ** 2) / (2 * s**2)) for x in range(-60, 61)}
    total = mp.fsum(weights.values())
    return {(sensitivity**2 - 2 * sensitivity * x) / (2 * s**2): w / total for x, w in weights.items()}


@pytest.mark.parametrize("scale, sensitivity", [(2.0, 1), (3.0, 2), (5.0, 7)])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_geometric_noise(scale: float, sensitivity: int, count: int) -> None:
    with mp.workdps(40):
        exact = sums(*[geometric(scale, sensitivity)] * count)
        for part in (0.0, 0.31, 0.5, 0.95):
            epsilon = part * sensitivity * count / scale
            truth = atoms(exact, epsilon)
            found = profile([(geometric_loss(scale, sensitivity), count)]).delta(epsilon)
            assert found.lower <= truth <= found.upper
            assert found.gap < 1e-9


@pytest.mark.parametrize("noise, sensitivity", [(1.0, 1), (2.5, 2), (0.4, 1)])
@pytest.mark.parametrize("count", [1, 2])
def test_discrete_gaussian(noise: float, sensitivity: int, count: int) -> None:
    with mp.workdps(40):
        exact = sums(*[discrete_gaussian(noise, sensitivity)] * count)
        for epsilon in (0.0, 0.7, 2.0, 5.0):
            truth = atoms(exact, epsilon)
            found = profile([(DiscreteGaussianLoss(noise, sensitivity), count)]).delta(epsilon)
            assert found.lower <= truth <= found.upper
            assert found.gap < 1e-9


def test_many_discrete_gaussians_resemble_one_gaussian() -> None:
    found = profile([(DiscreteGaussianLoss(30.0), 1000)]).epsilon(1e-6)
    assert found.gap < 1e-9
    assert math.isclose(found.upper, 5.2, rel_tol=0.1)


@pytest.mark.parametrize("gamma", [0.2, 0.5, 0.8])
def test_staircase_weights_are_a_law(gamma: float) -> None:
    """Both P and Q have mass 1, and the density really is a staircase."""
    loss = staircase_loss(1.0, gamma)
    assert math.isclose(float(loss.weights.sum()), 1.0, rel_tol=1e-14)
    assert math.isclose(math.fsum((loss.weights * [math.exp(-x) for x in loss.losses]).tolist()), 1.0, rel_tol=1e-14)
    e = math.exp(-1.0)
    height = (1 - e) / (2 * (gamma + e * (1 - gamma)))
    expected = 0.5 + sum(
        height * (1 if x < gamma else e) / 10_000
        for x in ((i + 0.5) / 10_000 for i in range(10_000))
        if (x < gamma) and (1 - x >= gamma)
    )
    assert math.isclose(float(loss.weights[0]), expected, rel_tol=1e-3)


def test_lattice_and_smoothing_agree() -> None:
    lattice = geometric_loss(4.0, 3)
    plain = ListedLoss(
        lattice.losses, lattice.weights, loss_error=lattice.loss_error, weight_error=lattice.weight_error
    )
    exact, smooth = (profile([(x, 50)]).epsilon(1e-5, 1e-7) for x in (lattice, plain))
    assert smooth.lower <= exact.upper
    assert exact.lower <= smooth.upper
    assert exact.gap < 1e-7


@pytest.mark.parametrize("delta", [0.0, 5e-324, 1e-305, 1e-300])
def test_a_leak_that_may_exceed_delta_leaves_no_finite_upper_end(delta: float) -> None:
    """Atoms too light for floats may leak: below their mass nothing finite is certain."""
    light = ListedLoss(np.array([1.0, -1.0]), np.array([0.7, 0.3]), Enclosure(0.0, 1e-290))
    found = profile([(light, 3)]).epsilon(delta)
    assert found.upper == math.inf
    assert found.lower < math.inf
