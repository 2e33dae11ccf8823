"""The auditor on every sampler of releases: a true claim stands, an understated one is caught; and each law fits.

The bytes are fixed, so each test passes always or never; no seed was chosen. A fair sampler fails one of these with
probability 1e-4 (goodness of fit) or 1e-6 (a true claim refuted) over the seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import mpmath as mp
import numpy as np
import polars as pl
import pytest
from scipy.special import chdtrc

import dpcompose as dpc
from dpcompose import audit, release
from dpcompose.release.ask.quantiles import chosen, gaps
from dpcompose.release.sampling import (
    bernoulli,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    practical_gamma,
    staircase,
)
from dpcompose.release.sampling.testing import RepeatableBytesForTests

F = Fraction
DRAWS = 100_000
RARE = 1e-4
SURE = 1 - 1e-6
GAMMA = practical_gamma(1)


@dataclass(frozen=True)
class Sampler:
    """Noise, how far a neighbour shifts it, what it promises at δ, and half of that."""

    draw: Callable[[int, RepeatableBytesForTests], np.ndarray]
    shift: int
    claim: dpc.Mechanism
    understated: dpc.Mechanism
    delta: float
    height: Callable[[int], mp.mpf]
    """P(z), up to a factor."""


def stair(epsilon: int, steps: int) -> Callable[[int], mp.mpf]:
    """P(⌊X/g⌋ = z) of the staircase on a grid with so many cells a step: its density, integrated over a cell."""
    b, g = mp.exp(-epsilon), mp.mpf(GAMMA.numerator) / GAMMA.denominator

    def mass(x: mp.mpf) -> mp.mpf:
        """∫ of the density up to x ≥ 0 steps, with 1 as the height of the first."""
        whole = mp.floor(x)
        inside = x - whole
        return (g + b * (1 - g)) * (1 - b**whole) / (1 - b) + b**whole * (min(inside, g) + b * max(inside - g, 0))

    def height(z: int) -> mp.mpf:
        cell = z if z >= 0 else -1 - z
        return mass(mp.mpf(cell + 1) / steps) - mass(mp.mpf(cell) / steps)

    return height


SAMPLERS = {
    "discrete Laplace": Sampler(
        lambda n, source: discrete_laplace(F(5, 2), n, source),
        2,
        dpc.Geometric(scale=F(5, 2), sensitivity=2),
        dpc.Geometric(scale=5, sensitivity=2),
        0,
        lambda z: mp.exp(-mp.mpf(2) / 5 * abs(z)),
    ),
    "difference of geometrics": Sampler(
        lambda n, source: geometric(3, n, source) - geometric(3, n, source),
        3,
        dpc.Geometric(scale=3, sensitivity=3),
        dpc.Geometric(scale=6, sensitivity=3),
        0,
        lambda z: mp.exp(-mp.mpf(abs(z)) / 3),
    ),
    "discrete Gaussian": Sampler(
        lambda n, source: discrete_gaussian(F(3, 2), n, source),
        2,
        dpc.DiscreteGaussian(noise_std=F(3, 2), sensitivity=2),
        dpc.DiscreteGaussian(noise_std=3, sensitivity=2),
        0.05,
        lambda z: mp.exp(-(mp.mpf(z) ** 2) * 2 / 9),
    ),
    "narrow discrete Gaussian": Sampler(
        lambda n, source: discrete_gaussian(F(1, 2), n, source),
        1,
        dpc.DiscreteGaussian(noise_std=F(1, 2)),
        dpc.DiscreteGaussian(noise_std=1),
        0.02,
        lambda z: mp.exp(-(mp.mpf(z) ** 2) * 2),
    ),
    "staircase": Sampler(
        lambda n, source: staircase(1, 1, GAMMA, F(1, 8), n, source),
        8,
        dpc.Staircase(epsilon=1, gamma=GAMMA),
        dpc.Staircase(epsilon=F(1, 2), gamma=GAMMA),
        0,
        stair(1, 8),
    ),
}


def verdicts(found: audit.Audit, claim: object, understated: object) -> tuple[bool, bool]:
    return found.verdict(claim).violated, found.verdict(understated).violated


@pytest.mark.parametrize("name", SAMPLERS)
def test_the_auditor_accepts_what_noise_promises_and_catches_half_of_it(name: str) -> None:
    s = SAMPLERS[name]
    here, there = (s.draw(DRAWS, RepeatableBytesForTests(seed)) for seed in (11, 12))
    found = audit.lower_bound(here + s.shift, there, delta=s.delta, confidence=SURE)
    assert verdicts(found, s.claim, s.understated) == (False, True)
    assert found.verdict((dpc.epsilon(s.claim, delta=s.delta).upper / 2, s.delta)).violated


@pytest.mark.parametrize("name", SAMPLERS)
def test_noise_has_its_law(name: str) -> None:
    s = SAMPLERS[name]
    draws = s.draw(DRAWS, RepeatableBytesForTests(21))
    reach = int(np.abs(draws).max()) + 1
    heights = np.array([float(s.height(z)) for z in range(-8 * reach, 8 * reach + 1)])
    law = heights / heights.sum()
    seen = np.bincount(draws + 8 * reach, minlength=len(law))
    assert chi_square(seen, law * DRAWS) > RARE
    # Massart: the empirical distribution function strays this far with probability RARE at most, whatever the law.
    astray = np.abs(np.cumsum(seen) / DRAWS - np.cumsum(law)).max()
    assert astray < math.sqrt(math.log(2 / RARE) / (2 * DRAWS))


def chi_square(seen: np.ndarray, due: np.ndarray) -> float:
    """The p-value; cells in which few are due count as one."""
    large = due >= 20
    counts, means = np.append(seen[large], seen[~large].sum()), np.append(due[large], due[~large].sum())
    return float(chdtrc(len(means) - 1, ((counts - means) ** 2 / np.maximum(means, 1e-9)).sum()))


def test_the_fit_would_notice_a_law_that_is_off_by_a_fiftieth() -> None:
    s = SAMPLERS["discrete Laplace"]
    draws = discrete_laplace(F(255, 100), DRAWS, RepeatableBytesForTests(21))
    law = np.array([float(s.height(z)) for z in range(-400, 401)])
    assert chi_square(np.bincount(draws + 400, minlength=801), law / law.sum() * DRAWS) < RARE


def test_coins_answer_as_randomly_as_they_say() -> None:
    yes, no = (bernoulli(p, DRAWS, RepeatableBytesForTests(31)) for p in (F(3, 4), F(1, 4)))
    found = audit.lower_bound(yes.astype(int), no.astype(int), delta=0, confidence=SURE)
    true = math.log(3) * (1 + 1e-9)
    assert verdicts(found, (true, 0), (true / 2, 0)) == (False, True)


@pytest.mark.slow
def test_a_quantile_is_chosen_as_privately_as_it_says() -> None:
    """One row in the middle, and one more on its right: what lies left loses a rank, what lies right gains one."""
    source, scale = RepeatableBytesForTests(41), F(2)  # one row moves a gap by 1, so the range is 2·1/2 = 1
    rows = np.zeros(1031, dtype=np.int64)
    rows[1000] = 1
    more = rows.copy()
    more[1030] = 1

    def points(counts: np.ndarray) -> list[int]:
        return [chosen(gaps(counts, F(1, 2)), scale, source) for _ in range(20_000)]

    found = audit.lower_bound(points(more), points(rows), delta=0, confidence=SURE, event=audit.AtLeast(1001.0))
    assert verdicts(found, dpc.Exponential(epsilon=1), dpc.Exponential(epsilon=F(1, 2))) == (False, True)


KEYS = 20_000


def counted(present: int, **options: object) -> release.Release:
    """A histogram of so many keys, the first of which have one unit each: as many runs on either neighbour."""
    frame = pl.DataFrame({"user": range(present), "key": range(present)})
    source = RepeatableBytesForTests(51 + present)
    return release.histogram(frame, by="key", unit="user", max_groups=1, source=source, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_histogram_of_known_keys_keeps_its_promise() -> None:
    with_one, without = (counted(n, epsilon=1, keys=range(KEYS)) for n in (KEYS, 1))
    here, there = list(with_one.values.values()), list(without.values.values())[1:]
    found = audit.lower_bound(here, there, delta=0, confidence=SURE)
    assert verdicts(found, with_one.mechanism, (0.5, 0)) == (False, True)


def test_a_threshold_reveals_a_lonely_key_as_often_as_it_says() -> None:
    shown = counted(KEYS, epsilon=1, delta=F(1, 20))
    outcomes = [*shown.values.values(), *[-1] * (KEYS - len(shown.values))]  # −1: not shown
    found = audit.lower_bound(outcomes, [-1] * KEYS, delta=0.05, confidence=SURE)
    assert 0 < len(shown.values) < KEYS // 20
    assert not found.verdict((1.0, 0.05)).violated
    leak = len(shown.values) / KEYS
    assert found.verdict((1.0, leak / 2)).violated
