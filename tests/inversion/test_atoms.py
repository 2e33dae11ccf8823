"""Losses with atoms: randomized response, Laplace, finite pairs and mixtures, against exact sums."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from mpmath import mp, mpf

from dpcompose.inversion import GaussianLoss, LaplaceLoss, ListedLoss, Loss, TwoPointLoss, profile
from dpcompose.numerics.enclosure import Enclosure, Real
from references import atoms, gaussian, laplace_twice, sums, two_point, two_point_power


def check(parts: list[tuple[Loss, int]], epsilon: float, truth: mpf, gap: float) -> None:
    found = profile(parts).delta(epsilon, gap)
    assert found.lower <= truth <= found.upper
    assert found.gap <= gap


@pytest.mark.parametrize("size, count", [(0.1, 30), (1.0, 5), (0.5, 3), (0.01, 400), (3.0, 2), (0.3, 1)])
@pytest.mark.parametrize("part", [0.0, 0.2, 0.6, 0.93])
def test_equal_randomized_responses(size: float, count: int, part: float) -> None:
    epsilon = part * size * count
    check([(TwoPointLoss(size), count)], epsilon, atoms(two_point_power(size, count), epsilon), 1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_different_randomized_responses(seed: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - test data
    sizes = [10 ** draw.uniform(-2, 0.3) for _ in range(draw.randint(2, 11))]
    epsilon = draw.uniform(0.0, 0.9) * sum(sizes)
    with mp.workdps(30):
        truth = atoms(sums(*(two_point(s) for s in sizes)), epsilon)
    check([(TwoPointLoss(s), 1) for s in sizes], epsilon, truth, 1e-6)


def test_ten_thousand_different_responses_as_a_lattice() -> None:
    """Steps that are multiples of one number have an exact law on a lattice."""
    draw = random.Random(1)  # noqa: S311 - test data
    unit = 2.0**-9
    multiples = [draw.randint(1, 6) for _ in range(300)]
    law = np.zeros(2 * sum(multiples) + 1)
    law[0] = 1.0
    for m in multiples:
        p = 1.0 / (1.0 + math.exp(-m * unit))
        law = p * np.roll(law, 2 * m) + (1.0 - p) * law
    values = unit * (np.arange(law.size) - sum(multiples))
    for epsilon in (0.1, 0.5, 1.0):
        above = values > epsilon
        truth = float(law[above] @ -np.expm1(epsilon - values[above]))
        found = profile([(TwoPointLoss(m * unit), 1) for m in multiples]).delta(epsilon, 1e-6)
        assert found.lower * (1 - 1e-11) <= truth <= found.upper * (1 + 1e-11)
        assert found.gap < 1e-6


@pytest.mark.parametrize("size", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_one_laplace(size: float, part: float) -> None:
    epsilon = part * size
    check([(LaplaceLoss(size), 1)], epsilon, 1 - mp.exp((mpf(epsilon) - mpf(size)) / 2), 1e-5)


@pytest.mark.parametrize("size", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("part", [0.1, 0.4, 0.9])
def test_two_laplaces(size: float, part: float) -> None:
    epsilon = 2 * part * size
    check([(LaplaceLoss(size), 2)], epsilon, laplace_twice(size, epsilon), 1e-5)


def pair(seed: int, count: int) -> tuple[ListedLoss, dict[mpf, mpf]]:
    """A random finite pair with exact binary probabilities, as a loss and as a dictionary."""
    draw = np.random.default_rng(seed)
    p, q = (np.diff(np.sort(np.append(draw.integers(1, 2**20, count - 1), [0, 2**20]))) / 2**20 for _ in range(2))
    keep = (p > 0) & (q > 0)
    leak = float(p[~keep].sum())
    p, q = p[keep], q[keep]
    losses = np.log(p / q)
    error = 4e-16 * (1 + np.abs(losses))
    return ListedLoss(losses, p, Enclosure(leak, leak), loss_error=error), {
        mp.log(mpf(a) / mpf(b)): mpf(a) for a, b in zip(p.tolist(), q.tolist(), strict=True)
    }


@pytest.mark.parametrize("seed", range(8))
def test_finite_pairs(seed: int) -> None:
    loss, law = pair(seed, 2 + seed % 4)
    count = 1 + seed % 5
    with mp.workdps(30):
        exact = sums(*[law] * count)
        for part in (0.0, 0.3, 0.8):
            epsilon = part * float(max(exact))
            leak = 1 - (1 - mpf(loss.leak.lower)) ** count
            truth = leak + atoms(exact, epsilon)
            found = profile([(loss, count)]).delta(epsilon, 1e-6)
            assert found.lower <= truth <= found.upper
            assert found.gap < 1e-6


def test_many_atoms_agree_with_few() -> None:
    """Splitting every atom into many equal ones changes nothing, whichever transform is used."""
    loss, _ = pair(3, 6)
    losses, weights = np.repeat(loss.losses, 20_000), np.repeat(loss.weights, 20_000) / 20_000
    many = ListedLoss(losses, weights, loss.leak, loss_error=1e-14, weight_error=1e-15)
    few = profile([(loss, 40)]).epsilon(1e-4, 1e-6)
    split = profile([(many, 40)]).epsilon(1e-4, 1e-6)
    assert max(few.lower, split.lower) <= min(few.upper, split.upper)
    assert split.gap < 2e-6


@pytest.mark.parametrize("leak", [0.0, 1e-4])
def test_a_mixture_by_conditioning(leak: float) -> None:
    """Gaussian and randomized response: condition on the responses."""
    epsilon = 1.5
    with mp.workdps(40):
        finite = mp.fsum(p * gaussian(0.4, epsilon - float(s)) for s, p in two_point_power(0.25, 8).items())
        truth = mpf(leak) + (1 - mpf(leak)) * finite
    parts: list[tuple[Loss, int]] = [(GaussianLoss(0.1), 4), (TwoPointLoss(0.25), 8)]
    found = profile(parts, Enclosure(leak, leak)).delta(epsilon)
    assert found.lower <= truth <= found.upper
    assert found.gap < 1e-9


def test_leak_alone_decides_small_delta() -> None:
    composed = profile([(TwoPointLoss(0.5), 3)], Enclosure(1e-6, 1e-6))
    assert composed.epsilon(1e-7).lower == math.inf
    top = composed.epsilon(1e-6)
    assert top.lower <= 1.5 <= top.upper
    assert composed.delta(2.0) == Enclosure(1e-6, 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-6, 0.1, 50.0, 1e5])
@pytest.mark.parametrize("count", [1, 7, 10_000_000])
@pytest.mark.parametrize("kind", [TwoPointLoss, LaplaceLoss])
def test_extremes_are_sound(kind: type[TwoPointLoss | LaplaceLoss], size: Real, count: int) -> None:
    composed = profile([(kind(size), count)])
    for delta in (0.0, 1e-300, 1e-9, 0.3):
        epsilon = composed.epsilon(delta, 1e-4)
        assert 0.0 <= epsilon.lower <= epsilon.upper <= float(size) * count * (1 + 1e-9)
    for epsilon_at in (0.0, 1e5):
        found = composed.delta(epsilon_at, 1e-4)
        assert 0.0 <= found.lower <= found.upper <= 1.0
