"""Many draws against their law. The bytes are fixed, so each test passes always or never.

A fair sampler fails a single one of these with probability 1e-4 over the choice of the seed; none was chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import chdtrc

from dpcompose.release.sampling import (
    OS,
    Integers,
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    staircase,
    uniform_below,
)
from dpcompose.release.sampling.lookup import FEW
from dpcompose.release.sampling.testing import RepeatableBytesForTests, SilentBytesForTests

F = Fraction
DRAWS = 200_000
RARE = 1e-4
Height = Callable[[int], mpmath.mpf]


def p_value(draws: Integers, height: Height, reach: int) -> float:
    """Chi-square of counts on −reach…reach against heights that need not be normalised; small cells are pooled."""
    values = range(-reach, reach + 1)
    heights = np.array([float(height(z)) for z in values])
    expected = heights / heights.sum() * len(draws)
    counts = np.array([np.count_nonzero(draws == z) for z in values])
    assert counts.sum() == len(draws)  # `reach` leaves out less than one draw
    large = expected >= 20
    seen = np.append(counts[large], counts[~large].sum())
    due = np.append(expected[large], expected[~large].sum())
    seen, due = seen[due > 0], due[due > 0]
    if due[-1] < 20 and len(due) > 1:
        seen, due = np.append(seen[:-2], seen[-2:].sum()), np.append(due[:-2], due[-2:].sum())
    return float(chdtrc(max(len(due) - 1, 1), ((seen - due) ** 2 / due).sum()))


def laplace_height(scale: Fraction) -> Height:
    return lambda z: mpmath.exp(-abs(z) * mpmath.mpf(scale.denominator) / scale.numerator)


def gaussian_height(sigma: Fraction) -> Height:
    return lambda z: mpmath.exp(-(z**2) / (2 * mpmath.mpf(sigma.numerator) ** 2 / sigma.denominator**2))


@pytest.mark.parametrize("scale", [F(1, 3), F(1), F(5, 2), F(20)])
def test_discrete_laplace(scale: Fraction) -> None:
    draws = discrete_laplace(scale, DRAWS, RepeatableBytesForTests(1))
    assert p_value(draws, laplace_height(scale), int(20 * scale) + 20) > RARE


@pytest.mark.parametrize("scale", [F(1, 3), F(1), F(5, 2), F(20)])
def test_geometric(scale: Fraction) -> None:
    draws = geometric(scale, DRAWS, RepeatableBytesForTests(2))
    height = laplace_height(scale)
    assert p_value(draws, lambda z: height(z) if z >= 0 else mpmath.mpf(0), int(20 * scale) + 20) > RARE


@pytest.mark.parametrize("sigma", [F(1, 3), F(1), F(5, 2), F(20), F(2, 7)])
def test_discrete_gaussian(sigma: Fraction) -> None:
    draws = discrete_gaussian(sigma, DRAWS, RepeatableBytesForTests(3))
    assert p_value(draws, gaussian_height(sigma), int(8 * sigma) + 8) > RARE


@pytest.mark.parametrize("scale", [10**6 + 1, 10**9])
def test_wide_noise_in_its_leading_and_in_its_last_digits(scale: int) -> None:
    cell = scale // 4
    laplace = discrete_laplace(scale, DRAWS, RepeatableBytesForTests(15))
    gauss = discrete_gaussian(scale, DRAWS, RepeatableBytesForTests(16))
    step = mpmath.mpf(cell) / scale

    def height(z: int) -> mpmath.mpf:
        """A cell on the left is its mirror image moved out by one."""
        return mpmath.exp(-z * step) if z >= 0 else mpmath.exp(-~z * step - mpmath.mpf(1) / scale)

    assert p_value(laplace // cell, height, 120) > RARE
    # The sum over a cell and the integral from half a step before it differ by less than 1/scale².
    half = mpmath.mpf(1) / (2 * scale)
    edge = [mpmath.ncdf(mpmath.mpf(z * cell) / scale - half) for z in range(-40, 42)]
    assert p_value(gauss // cell, lambda z: edge[z + 41] - edge[z + 40], 40) > RARE
    for draws in (laplace, gauss):
        assert p_value(draws % 256, lambda z: mpmath.mpf(0 <= z < 256), 256) > RARE
        assert p_value(draws // 256 % 64, lambda z: mpmath.mpf(0 <= z < 64), 64) > RARE


@pytest.mark.slow
def test_the_slow_path_has_the_same_law() -> None:
    source = RepeatableBytesForTests(4)
    laplace = np.concatenate([discrete_laplace(F(7, 2), FEW - 1, source) for _ in range(150)])
    assert p_value(laplace, laplace_height(F(7, 2)), 100) > RARE
    gauss = np.concatenate([discrete_gaussian(F(7, 2), 15, source) for _ in range(150)])
    assert p_value(gauss, gaussian_height(F(7, 2)), 100) > RARE


def test_a_table_of_middle_size_has_the_same_law() -> None:
    source = RepeatableBytesForTests(5)
    draws = np.concatenate([discrete_gaussian(F(80), 1000, source) for _ in range(40)])
    assert p_value(draws // 10, cell_of_ten(gaussian_height(F(80))), 100) > RARE


def cell_of_ten(height: Height) -> Height:
    return lambda z: mpmath.fsum(height(10 * z + i) for i in range(10))


@pytest.mark.parametrize("probability", [F(1, 3), F(1, 2), F(9, 10), F(1, 1000), F(0), F(1)])
def test_bernoulli(probability: Fraction) -> None:
    tossed = bernoulli(probability, DRAWS, RepeatableBytesForTests(6))
    assert tossed.dtype == np.bool_
    assert within_five_deviations(tossed.sum(), DRAWS, float(probability))


@pytest.mark.parametrize("gamma", [F(0), F(1, 100), F(1), F(7, 2), F(10**6)])
def test_bernoulli_exp(gamma: Fraction) -> None:
    tossed = bernoulli_exp(gamma, DRAWS, RepeatableBytesForTests(7))
    assert within_five_deviations(tossed.sum(), DRAWS, float(mpmath.exp(-float(gamma))))


def within_five_deviations(count: int, draws: int, p: float) -> bool:
    return abs(count - draws * p) <= 5 * (draws * p * (1 - p)) ** 0.5


@pytest.mark.parametrize("bound", [1, 2, 3, 100, 257, 1000])
def test_uniform_below(bound: int) -> None:
    draws = uniform_below(bound, DRAWS, RepeatableBytesForTests(8))
    assert p_value(draws, lambda z: mpmath.mpf(0 <= z < bound), bound) > RARE


@pytest.mark.parametrize("bound", [2**62 + 1, 2**63, 2**63 + 1, 3**100])
def test_uniform_below_large_bounds(bound: int) -> None:
    draws = uniform_below(bound, 20_000, RepeatableBytesForTests(9))
    assert all(0 <= z < bound for z in draws.tolist())
    slices = np.array([int(z) * 64 // bound for z in draws])
    assert p_value(slices, lambda z: mpmath.mpf(0 <= z < 64), 64) > RARE


@pytest.mark.parametrize("gamma", [F(0), F(3, 10), F(1, 2), F(1)])
@pytest.mark.parametrize("grid", [F(1, 4), F(3, 10)])
def test_staircase(gamma: Fraction, grid: Fraction) -> None:
    draws = staircase(F(1), F(1), gamma, grid, DRAWS, RepeatableBytesForTests(10))
    fine = 60  # both grids and both parts are whole numbers of 1/60

    def height(cell: int) -> mpmath.mpf:
        start = int((cell if cell >= 0 else ~cell) * grid * fine)
        pieces = range(start, start + int(grid * fine))
        first = int((gamma or 1) * fine)
        return mpmath.fsum(mpmath.exp(-(piece // fine + (piece % fine >= first))) for piece in pieces)

    assert p_value(draws, height, 100) > RARE


@pytest.mark.parametrize("size", [F(1, 2), F(30), F(10) ** 5, F(10) ** 9, F(10) ** 25])
def test_moments_at_every_size(size: Fraction) -> None:
    """Means within 5 deviations of 0; second moments within 5 of theirs."""
    with mpmath.workdps(60):
        r = mpmath.exp(-mpmath.mpf(size.denominator) / size.numerator)
        laplace_second = float(2 * r / (1 - r) ** 2 / mpmath.mpf(float(size)) ** 2)
    reach = range(-40, 41)
    weights = {z: mpmath.exp(-(mpmath.mpf(z) ** 2) / (2 * float(size) ** 2)) for z in reach}
    small = float(sum(z * z * w for z, w in weights.items()) / sum(weights.values()) / float(size) ** 2)
    gaussian_second = small if size < 1 else 1.0
    for sample, second, fourth in (
        (discrete_laplace, laplace_second, 24 if size > 1 else 40),
        (discrete_gaussian, gaussian_second, 3 if size > 1 else 16),
    ):
        count = 100_000 if size < 10**18 else 5000
        x = (sample(size, count, RepeatableBytesForTests(11)) / float(size)).astype(float)
        assert abs(x.mean()) < 5 * (second / count) ** 0.5
        assert abs((x**2).mean() - second) < 5 * (fourth / count) ** 0.5


def test_noise_is_symmetric() -> None:
    for sample in (discrete_laplace, discrete_gaussian):
        draws = sample(F(3), DRAWS, RepeatableBytesForTests(12))
        up, down = np.count_nonzero(draws > 0), np.count_nonzero(draws < 0)
        assert within_five_deviations(up, up + down, 0.5)
    stairs = staircase(F(1), F(1), F(1, 2), F(1, 7), DRAWS, RepeatableBytesForTests(13))
    assert within_five_deviations(np.count_nonzero(stairs >= 0), DRAWS, 0.5)


@pytest.mark.parametrize("lag", [1, 2, 7])
@pytest.mark.parametrize("sample", [discrete_laplace, discrete_gaussian, geometric])
def test_draws_at_different_places_are_independent(sample: Callable[..., Integers], lag: int) -> None:
    draws = np.clip(sample(F(2), DRAWS, RepeatableBytesForTests(14)), -3, 3) + 3
    pairs = np.zeros((7, 7))
    np.add.at(pairs, (draws[:-lag], draws[lag:]), 1)
    pairs = pairs[np.ix_(pairs.sum(1) > 0, pairs.sum(0) > 0)]
    due = np.outer(pairs.sum(1), pairs.sum(0)) / pairs.sum()
    freedom = (pairs.shape[0] - 1) * (pairs.shape[1] - 1)
    assert chdtrc(freedom, ((pairs - due) ** 2 / due).sum()) > RARE


def test_a_wrong_law_would_be_seen() -> None:
    draws = discrete_laplace(F(5, 2), DRAWS, RepeatableBytesForTests(1))
    assert p_value(draws, laplace_height(F(51, 20)), 200) < RARE
    assert p_value(draws + 1, laplace_height(F(5, 2)), 200) < RARE


def test_the_operating_system_gives_noise_too() -> None:
    assert len(set(discrete_gaussian(10**9, 100, OS).tolist())) > 90
    assert not np.array_equal(discrete_laplace(10**9, 100), discrete_laplace(10**9, 100))


@pytest.mark.parametrize("size", [1, FEW, 5000])
def test_a_silent_source_gives_no_noise(size: int) -> None:
    silent = SilentBytesForTests()
    for scale in (F(1, 3), F(10), F(10) ** 9, F(10) ** 40):
        for sample in (geometric, discrete_laplace, discrete_gaussian):
            assert not sample(scale, size, silent).any()
    assert not staircase(F(1), F(1), F(1, 3), F(1, 100), size, silent).any()
    assert not uniform_below(1000, size, silent).any()
