"""Batches and repeated runs against their definitions: outcomes written out, densities added up on a fine grid."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.theorems.batches.blends import Blend, OneBox

R, Z = dpc.REPLACE_ONE, dpc.ZERO_OUT
LEVELS = (0.0, 0.1, 1.0)


def excess(p: Any, q: Any, epsilon: float) -> float:
    """Both orders of a finite pair, the worse."""
    e = math.exp(epsilon)
    return max(float(np.maximum(p - e * q, 0).sum()), float(np.maximum(q - e * p, 0).sum()))


def normal(grid: Any, mean: float, sigma: float) -> Any:
    return np.exp(-(((grid - mean) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))


GRID = np.linspace(-40, 40, 400_001)
CELL = GRID[1] - GRID[0]


def mixture(kinds: dict[float, float], sigma: float) -> Any:
    return CELL * sum(weight * normal(GRID, mean, sigma) for mean, weight in kinds.items())


def encloses(mechanism: dpc.Mechanism, p: Any, q: Any, levels: Any = LEVELS, *, reached: float | None = None) -> None:
    """No bound lies below an instance, nor the lower end above; `reached` says by how much the instance is missed."""
    for epsilon in levels:
        truth, found = excess(p, q, epsilon), dpc.delta(mechanism, epsilon=epsilon)
        assert truth <= found.upper * (1 + 1e-6) + 1e-12, (epsilon, truth, found)
        assert reached is None or found.upper <= truth * (1 + reached) + 1e-12, (epsilon, truth, found)


@pytest.mark.slow
@pytest.mark.parametrize("size, of, sigma", [(3, 4, 1.5), (10, 1000, 2.0)])
def test_a_record_may_be_drawn_several_times(size: int, of: int, sigma: float) -> None:
    """A query that counts the draws of one record."""
    chances = {float(k): math.comb(size, k) * (1 / of) ** k * (1 - 1 / of) ** (size - k) for k in range(size + 1)}
    drawn = dpc.SampledWithReplacement(dpc.Gaussian(noise_std=sigma, adjacency=R), size=size, of=of)
    p, q = mixture(chances, sigma), mixture({0.0: 1.0}, sigma)
    encloses(drawn, p, q)
    for epsilon in LEVELS:
        found, published = dpc.delta(drawn, epsilon=epsilon), theorem_10(size, of, sigma, epsilon)
        assert found.lower <= published * (1 + 1e-9)
        assert found.upper <= published * (1 + 1e-6) + 1e-15


@pytest.mark.slow
def test_many_runs_on_many_draws_are_answered_before_patience_is_worn_out() -> None:
    """A record may be drawn forty times: the bound has as many terms, at a hundred levels."""
    drawn = dpc.SampledWithReplacement(dpc.Gaussian(noise_std=2, adjacency=R), size=50, of=100)
    found = dpc.epsilon(10 * drawn, delta=1e-5)
    assert 3 < found.lower < found.upper < 10


def test_what_underflows_in_a_sum_of_profiles_still_counts() -> None:
    least = math.ulp(0.0)
    tiny = Blend(tuple((0.3, OneBox(Fraction(1), Enclosure(least, least))) for _ in range(3)))
    assert tiny.delta(2) == Enclosure(0.0, 3 * least)
    negligible = Blend(
        ((0.5, OneBox(Fraction(1), Enclosure.exactly(0))), (1e-20, OneBox(Fraction(9), Enclosure.exactly(0))))
    )
    for level in (0, 0.3, 0.999, 1.0 - 2.0**-53, 2):
        exact = 0.5 * box(1, level) + mpf(1e-20) * box(9, level)
        found = negligible.delta(level)
        assert found.lower <= exact <= found.upper <= exact * (1 + 1e-11), level


def test_where_every_chance_is_faint_all_is_lost() -> None:
    """A record drawn some hundred thousand times: no number of draws up to forty has a chance that counts."""
    assert Blend((), 0.5).deltas((0, 1)) == [Enclosure(0.5 * (1 - 2.0**-40), 0.5 * (1 + 2.0**-40))] * 2
    assert Blend((), 0.5).epsilon(0.4).lower == math.inf
    assert Blend((), 0.5).epsilon(0.6) == Enclosure(0.0, 0.0)
    many = dpc.SampledWithReplacement(dpc.BlackBox(epsilon=1, adjacency=R), size=10**6, of=2)
    assert dpc.delta(2 * many, epsilon=1).upper == 1


def box(size: int, level: float) -> mpf:
    """Randomized response, once."""
    with mp.workdps(50):
        return max(-mp.expm1(mpf(level) - size), mpf(0)) / (1 + mp.exp(-size))


def theorem_10(size: int, of: int, sigma: float, epsilon: float) -> mpf:
    """The published sum, in fifty digits."""
    with mp.workdps(50):
        rate = 1 - (1 - mpf(1) / of) ** size
        level = mp.log1p(mp.expm1(mpf(epsilon)) / rate)
        total = mpf(0)
        for k in range(1, size + 1):
            mu = k / mpf(sigma)
            tail = mp.ncdf(mu / 2 - level / mu) - mp.exp(level) * mp.ncdf(-mu / 2 - level / mu)
            total += mp.binomial(size, k) * mpf(of) ** -k * (1 - mpf(1) / of) ** (size - k) * tail
        return total


def test_draws_of_a_black_box_by_every_outcome() -> None:
    """Randomized response to whether the record was drawn: it is as private as the box, and every outcome is listed."""
    size, of, e = 3, 4, math.exp(0.7)
    drawn = sum(0 in draws for draws in product(range(of), repeat=size)) / of**size
    said = np.array([e / (1 + e), 1 / (1 + e)])
    p, q = drawn * said + (1 - drawn) * said[::-1], said[::-1]
    encloses(dpc.SampledWithReplacement(dpc.BlackBox(epsilon=0.7), size=size, of=of), p, q, (0.0, 0.2))


def batches(records: dict[str, float], rate: float, limit: int) -> dict[float, float]:
    """Every sample, every way to cut it, and the sum of what is left."""
    found: dict[float, float] = {}
    names = list(records)
    for coins in product((0, 1), repeat=len(names)):
        taken = [name for name, coin in zip(names, coins, strict=True) if coin]
        chance = rate ** len(taken) * (1 - rate) ** (len(names) - len(taken))
        ways = list(combinations(taken, min(limit, len(taken))))
        for kept in ways:
            total = sum(records[name] for name in kept)
            found[total] = found.get(total, 0.0) + chance / len(ways)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("others, rate, limit", [(-1.0, 0.3, 2), (-1.0, 0.6, 1), (0.0, 0.2, 4), (1.0, 0.3, 2)])
def test_a_truncated_sample_by_every_batch(others: float, rate: float, limit: int) -> None:
    rest = {f"r{i}": others for i in range(5)}
    without, added = batches(rest, rate, limit), batches({**rest, "x": 1.0}, rate, limit)
    for relation, neighbour in ((dpc.ADD_REMOVE, without), (Z, batches({**rest, "x": 0.0}, rate, limit))):
        inner = dpc.Gaussian(noise_std=1.5, adjacency=relation)
        cut = dpc.TruncatedSample(inner, rate=rate, limit=limit, of=6)
        encloses(cut, mixture(added, 1.5), mixture(neighbour, 1.5))
        if not others and relation is dpc.ADD_REMOVE:
            truth = excess(mixture(added, 1.5), mixture(neighbour, 1.5), 0.1)
            assert dpc.delta(cut, epsilon=0.1).lower == pytest.approx(truth, rel=1e-6)


@pytest.mark.parametrize("rate, sigma, moved", [(0.1, 1.0, 2.0), (0.3, 2.0, 1.0), (0.5, 0.7, 0.5)])
def test_a_replaced_record_of_a_sample_by_its_densities(rate: float, sigma: float, moved: float) -> None:
    """On a line, at its ends the truth itself; elsewhere no more."""
    summed = dpc.SampledSum(dpc.Gaussian(noise_std=sigma, sensitivity=moved, adjacency=R), rate=rate, contribution=1)

    def law(place: float) -> Any:
        return mixture({0.0: 1 - rate}, sigma) + mixture({place: rate}, sigma)

    p, q = law(1.0), law(1.0 - moved)
    encloses(summed, p, q, reached=1e-5)
    for epsilon in LEVELS:
        assert dpc.delta(summed, epsilon=epsilon).lower <= excess(p, q, epsilon) * (1 + 1e-6) + 1e-12
    encloses(summed, law(0.9), law(max(0.9 - moved, -1.0)))


@pytest.mark.slow
def test_two_replaced_records_of_samples_by_their_densities() -> None:
    summed = dpc.SampledSum(dpc.Gaussian(noise_std=1, sensitivity=2, adjacency=R), rate=0.2, contribution=1)
    encloses(2 * summed, *twice(2.0, 1.0, 0.2), levels=(0.5,), reached=1e-3)


def twice(moved: float, sigma: float, rate: float) -> tuple[Any, Any]:
    """Two runs on a coarse grid, whose cells are kept apart."""
    coarse = np.linspace(-9, 9, 1201)
    step = coarse[1] - coarse[0]
    one, other = (
        step * ((1 - rate) * normal(coarse, 0.0, sigma) + rate * normal(coarse, place, sigma))
        for place in (1.0, 1.0 - moved)
    )
    return np.outer(one, one).ravel(), np.outer(other, other).ravel()


def test_an_epoch_of_two_batches_by_its_densities() -> None:
    """A record that adds 1, or is blank, in one of two batches, where the others take 1 away."""
    grid = np.linspace(-7, 9, 1601)
    cell, sigma = grid[1] - grid[0], 1.0
    still, blank, loud = (cell * normal(grid, mean, sigma) for mean in (0.0, 1.0, 2.0))
    p = (np.outer(loud, still) + np.outer(still, loud)).ravel() / 2
    q = (np.outer(blank, still) + np.outer(still, blank)).ravel() / 2
    epoch = dpc.ShuffledBatches(dpc.Gaussian(noise_std=sigma, adjacency=Z), batches=2)
    for epsilon in (0.0, 0.5, 1.5):
        found, truth = dpc.delta(epoch, epsilon=epsilon), excess(p, q, epsilon)
        assert found.lower <= truth * (1 + 1e-5) <= found.upper * (1 + 1e-4)


BATCHES = {
    "drawn": dpc.SampledWithReplacement(dpc.Laplace(scale=2, adjacency=R), size=5, of=50),
    "cut": dpc.TruncatedSample(dpc.Gaussian(noise_std=2), rate=0.1, limit=12, of=100),
    "cut boxes": dpc.TruncatedSample(dpc.BlackBox(epsilon=0.5, delta=1e-9), rate=0.1, limit=12, of=100),
    "replaced": dpc.SampledSum(dpc.Gaussian(noise_std=2, sensitivity=2, adjacency=R), rate=0.1, contribution=1),
    "epoch": dpc.ShuffledBatches(dpc.Gaussian(noise_std=2, adjacency=Z), batches=10),
    "reports": dpc.Shuffled(dpc.RandomizedResponse(epsilon=1, adjacency=R), of=200),
    "best": dpc.RepeatAndSelect(dpc.Laplace(scale=5), mean=4, shape=1),
    "best of a Poisson number": dpc.RepeatAndSelect(dpc.Gaussian(noise_std=9), mean=4),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BATCHES)
def test_more_of_it_costs_no_less(name: str) -> None:
    """In the count, in δ, and whichever question is asked; and no more than all of it told."""
    one = BATCHES[name]
    once, more = dpc.epsilon(one, delta=1e-5), dpc.epsilon(3 * one, delta=1e-5)
    assert 0 <= once.lower <= once.upper
    assert once.lower <= more.upper <= 3 * dpc.epsilon(one, delta=1e-5 / 3).upper * (1 + 1e-9)
    assert dpc.epsilon(one, delta=1e-4).lower <= once.upper
    assert dpc.delta(one, epsilon=once.upper).lower <= 1e-5
    assert dpc.delta(one, epsilon=once.upper).upper <= 1e-5 * (1 + 1e-4)


NUMBERS = {
    "geometric": (1, lambda g: lambda x: g * x / (1 - (1 - g) * x), lambda g: 1 / g),
    "logarithmic": (
        0,
        lambda g: lambda x: math.log1p(-(1 - g) * x) / math.log(g),
        lambda g: (1 / g - 1) / math.log(1 / g),
    ),
    "negative binomial": (
        2,
        lambda g: lambda x: ((1 - (1 - g) * x) ** -2 - 1) / (g**-2 - 1),
        lambda g: 2 * (1 - g) / (g * (1 - g**2)),
    ),
    "poisson": (None, lambda m: lambda x: math.exp(m * (x - 1)), lambda m: m),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("seed", range(2))
def test_the_best_of_several_runs_by_its_law(name: str, seed: int) -> None:
    """Outcomes in their order; the best is y if all runs are at most y, and not all below it."""
    shape, generating, mean = NUMBERS[name]
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
    q = 0.5 * p + 0.5 * q
    setting = 3.0 if shape is None else 0.3

    def best(law: Any) -> Any:
        f, below = generating(setting), np.append(0.0, np.cumsum(law))
        below[-1] = 1.0
        values = np.array([f(x) for x in below])
        return np.append(values[1:] - values[:-1], values[0])  # nothing was run, at last

    pair = dpc.DiscretePair(p=p.tolist(), q=q.tolist(), adjacency=dpc.ADD_REMOVE)
    level, leak = 0.1, excess(p, q, 0.1)
    runs = {"mean": mean(setting), "shape": shape}
    for inner in (pair, dpc.BlackBox(epsilon=level, delta=leak * (1 + 1e-9))):
        chosen = dpc.RepeatAndSelect(inner, **runs)
        for epsilon in (0.3, 1.5):
            assert excess(best(p), best(q), epsilon) <= dpc.delta(chosen, epsilon=epsilon).upper * (1 + 1e-9)


def test_every_run_counts_for_delta() -> None:
    """A peer adds the δ of one run once, however many there are."""
    chosen = dpc.RepeatAndSelect(dpc.BlackBox(epsilon=0.1, delta=1e-6), mean=100, shape=1)
    truth = 1 - (0.01 * (1 - 1e-6)) / (1 - 0.99 * (1 - 1e-6))  # some run strikes, and that is the best
    assert truth > 0.99e-4
    assert truth <= dpc.delta(chosen, epsilon=50).upper <= 1e-4 * (1 + 1e-9)


@pytest.mark.parametrize(
    "make",
    [
        lambda: dpc.SampledWithReplacement(dpc.Gaussian(noise_std=1), size=1, of=2),
        lambda: dpc.TruncatedSample(dpc.Gaussian(noise_std=1, adjacency=R), rate=0.1, limit=1, of=2),
        lambda: dpc.SampledSum(dpc.Gaussian(noise_std=1), rate=0.1, contribution=1),
        lambda: dpc.SampledSum(dpc.Laplace(scale=1, adjacency=R), rate=0.1, contribution=1),
        lambda: dpc.ShuffledBatches(dpc.Gaussian(noise_std=1), batches=3),
        lambda: dpc.Shuffled(dpc.Gaussian(noise_std=1), of=3),
        lambda: dpc.RepeatAndSelect(dpc.Gaussian(noise_std=1), mean=0.5, shape=1),
    ],
)
def test_what_does_not_belong_together_is_refused(make: Any) -> None:
    with pytest.raises((dpc.AdjacencyMismatch, dpc.InvalidParameter)):
        make()
