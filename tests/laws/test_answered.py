"""Where the field has an answer there is one: samples and groups cost no more than any road over their parts says."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dpcompose as dpc

GRID, SIZE = 4e-7, 2**22
"""A thousand roundings of a loss to this grid move ε by less than a third of a percent of the least one asked for."""


def thousand_runs(sigma: float, rate: float, epsilon: float, rounding: object) -> float:
    """δ of 1,000 discrete Gaussians on a Poisson sample, the losses rounded to a grid and composed by one transform."""
    x = np.arange(-math.ceil(12 * sigma), math.ceil(12 * sigma) + 2)
    without, there = (np.exp(-((x - shift) ** 2) / (2 * sigma**2)) for shift in (0, 1))
    without, there = without / without.sum(), there / there.sum()
    mixed = (1 - rate) * without + rate * there
    places = rounding(np.log(mixed / without) / GRID).astype(np.int64)  # type: ignore[operator]
    law = np.bincount(places % SIZE, mixed, SIZE)
    composed = np.fft.irfft(np.fft.rfft(law) ** 1000, SIZE)
    losses = np.arange(SIZE) * GRID
    losses[SIZE // 2 :] -= SIZE * GRID
    return float((composed * np.maximum(-np.expm1(epsilon - losses), 0.0)).sum())


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [5, 5.1, 10, 30])
def test_sampled_discrete_gaussians_of_any_noise(sigma: float) -> None:
    """Within one percent of the truth, which lies between two roundings; 47.96 was reported for σ = 5.1."""
    found = dpc.epsilon(1000 * dpc.Sampled(dpc.DiscreteGaussian(noise_std=sigma), rate=0.01), 1e-6)
    assert found.upper <= found.lower * 1.01
    assert thousand_runs(sigma, 0.01, found.upper * 1.004, np.floor) <= 1e-6
    assert thousand_runs(sigma, 0.01, found.lower * 0.996, np.ceil) >= 1e-6


@pytest.mark.slow
def test_a_sampled_discrete_gaussian_is_calibrated() -> None:
    found = dpc.calibrate(
        lambda sigma: 1000 * dpc.Sampled(dpc.DiscreteGaussian(noise_std=sigma), rate=0.01), epsilon=0.117, delta=1e-6
    )
    assert 9.9 < float(found) < 10.1


NOISES = [dpc.Gaussian(noise_std=1), dpc.Laplace(scale=2), dpc.DiscreteGaussian(noise_std=7), dpc.BlackBox(rho=0.1)]


@pytest.mark.parametrize("inner", NOISES, ids=str)
def test_rates_of_nested_samples_multiply(inner: dpc.Mechanism) -> None:
    tenth = Fraction(1, 10)
    nested = dpc.Sampled(dpc.Sampled(dpc.Sampled(inner, rate=tenth), rate=1), rate=tenth)
    once = dpc.Sampled(inner, rate=tenth**2)
    assert dpc.epsilon(100 * nested, 1e-6).enclosure == dpc.epsilon(100 * once, 1e-6).enclosure


INNER = [
    10 * dpc.BlackBox(epsilon=0.1),
    10 * dpc.BlackBox(epsilon=0.1, delta=1e-8),
    dpc.Gaussian(noise_std=1) + dpc.Laplace(scale=2),
    dpc.BlackBox(rho=0.1) + dpc.RandomizedResponse(epsilon=0.5),
    3 * dpc.Exponential(epsilon=0.2) + dpc.Geometric(scale=4),
]


@pytest.mark.slow
@pytest.mark.parametrize("inner", INNER, ids=str)
@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_a_sampled_composition_costs_no_more_than_the_amplified_whole(inner: dpc.Mechanism, rate: float) -> None:
    """By any road: whatever (ε, δ) the composition inside has, sampling amplifies it."""
    for delta in (1e-3, 1e-6):
        whole = dpc.epsilon(inner, delta / rate).upper
        found = dpc.epsilon(dpc.Sampled(inner, rate=rate), delta).upper
        assert found <= math.log1p(rate * math.expm1(whole)) * (1 + 1e-6)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("boxes", [5, 40])
def test_without_delta_a_sampled_composition_costs_its_greatest_loss(boxes: int, count: int) -> None:
    """Basic composition, amplified, is reached by leaky randomized response."""
    truth = count * math.log1p(0.1 * math.expm1(boxes * 0.1))
    found = dpc.epsilon(count * dpc.Sampled(boxes * dpc.BlackBox(epsilon=0.1), rate=0.1), 0)
    assert truth * (1 - 1e-6) <= found.lower <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= found.upper <= truth * (1 + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("inner", INNER, ids=str)
@pytest.mark.parametrize("size", [2, 3])
def test_a_group_of_a_composition_costs_no_more_than_group_privacy_says(inner: dpc.Mechanism, size: int) -> None:
    for level in (0.05, 0.4):
        known = dpc.delta(inner, level).upper
        most = min(1.0, known * math.expm1(size * level) / math.expm1(level))
        assert dpc.delta(dpc.Group(inner, size=size), size * level).upper <= most * (1 + 1e-6)


def test_basic_composition_in_a_group() -> None:
    """10 boxes of (0.1, 1e-8) are (1, 1e-7)-DP, three of a group (3, 1e-7·(1 + e + e²))-DP."""
    found = dpc.epsilon(dpc.Group(10 * dpc.BlackBox(epsilon=0.1, delta=1e-8), size=3), 1.2e-6)
    assert found.upper <= 3


@pytest.mark.parametrize(
    "sampled",
    [
        dpc.Sampled(dpc.BlackBox(epsilon=1, delta=1e-6), rate=0.5),
        dpc.SampledWithoutReplacement(dpc.BlackBox(epsilon=1, delta=1e-6), size=1, of=2),
    ],
    ids=["Poisson", "fixed size"],
)
def test_amplification_at_its_own_delta(sampled: dpc.Mechanism) -> None:
    truth = math.log1p(0.5 * math.expm1(1))
    found = dpc.epsilon(sampled, 5e-7)
    assert found.lower <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= found.upper <= truth * (1 + 1e-9)


MIXTURES = [
    dpc.Gaussian(noise_std=3) + 5 * dpc.Laplace(scale=9),
    10 * dpc.Gaussian(noise_std=7) + 20 * dpc.BlackBox(epsilon=0.1, delta=1e-9),
    50 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01) + dpc.Gaussian(noise_std=5),
    100 * dpc.Laplace(scale=30) + 40 * dpc.RandomizedResponse(epsilon=0.05),
    30 * dpc.DiscreteGaussian(noise_std=9) + 30 * dpc.Gaussian(noise_std=9),
]


@pytest.mark.slow
@pytest.mark.parametrize("whole", MIXTURES, ids=str)
def test_mixtures_in_balls(whole: dpc.Mechanism) -> None:
    """Ball arithmetic answers what floats answer, and the two meet."""
    for ask in (lambda **how: dpc.epsilon(whole, 1e-5, **how), lambda **how: dpc.delta(whole, 1, **how)):
        floats, balls = ask(), ask(rigor="ball")
        assert max(floats.lower, balls.lower) <= min(floats.upper, balls.upper)
        assert balls.enclosure.gap <= 1e-3


def _slope(outcomes: int) -> tuple[list[float], list[float]]:
    """An asymmetric pair: a falling law against a uniform one."""
    falling = np.exp(-5 * np.arange(outcomes) / outcomes)
    return (falling / falling.sum()).tolist(), [1 / outcomes] * outcomes


@pytest.mark.parametrize("relation", [dpc.ADD_REMOVE, dpc.REPLACE_ONE], ids=lambda relation: relation.value)
@pytest.mark.parametrize("counts", [(2, 0), (1, 1), (3, 0), (10, 0), (100, 3)])
@pytest.mark.parametrize("outcomes", [3, 100, 400])
def test_pairs_cost_their_greatest_losses_at_no_delta(
    outcomes: int, counts: tuple[int, int], relation: dpc.Adjacency
) -> None:
    """Both ends are found, by whoever lists the sums, before patience wears out."""
    p, q = _slope(outcomes)
    pairs = dpc.DiscretePair(p=p, q=q, adjacency=relation), dpc.DiscretePair(p=q, q=p, adjacency=relation)
    whole = dpc.Composition(tuple((pair, n) for pair, n in zip(pairs, counts, strict=True) if n))
    forward, backward = (math.log(max(a / b for a, b in zip(*laws, strict=True))) for laws in ((p, q), (q, p)))
    facing = [n * forward + m * backward for n, m in (counts, counts[::-1])]
    greatest = max(facing) if relation is dpc.ADD_REMOVE else sum(counts) * max(forward, backward)
    found = dpc.epsilon(whole, 0)
    assert found.lower <= greatest * (1 + 1e-12)
    assert found.upper >= greatest * (1 - 1e-12)
    assert found.enclosure.gap <= 1e-6


@pytest.mark.slow
def test_patience_is_not_worn_out_by_one_end() -> None:
    """Whoever bounds the other end from below is heard before bounds from above are looked at again."""
    long = dpc.Geometric(scale=40, sensitivity=10**9)
    mixed = 10**9 * (10 * long + dpc.DiscreteGaussian(noise_std=0.3, sensitivity=2)) + 100 * dpc.PermuteAndFlip(
        epsilon=2.5
    )
    assert dpc.epsilon(mixed, 1e-6).lower > 2e10
