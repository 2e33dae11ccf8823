"""A line kept while a composition grows says what a line of its own would say."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.inversion import Direction, LaplaceLoss, SampledGaussianLoss, profile
from dpcompose.inversion.few_steps.kept_lattice import KeptLattice
from dpcompose.inversion.few_steps.normal_cells import NormalStep
from dpcompose.inversion.growing import Memory
from dpcompose.inversion.line.kept_line import KeptLine
from dpcompose.inversion.line.running_sums import Addend, Tally
from dpcompose.inversion.losses.stacked import MANY

KINDS = [
    *(dpc.Gaussian(noise_std=noise) for noise in (20, 40)),
    *(dpc.Laplace(scale=scale) for scale in (50, 70)),
    *(dpc.BlackBox(epsilon=epsilon, delta=1e-12) for epsilon in (0.01, 0.03)),
    dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01),
    dpc.Sampled(dpc.Gaussian(noise_std=5), rate=0.1),
]


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-6, 1e-9])
def test_every_answer_agrees_with_one_made_anew(delta: float) -> None:
    """Sixty events of eight kinds, one at a time and then by the hundred."""
    draw, total = random.Random(5), dpc.online()  # noqa: S311 - data
    for event in range(60):
        total.add(draw.choice(KINDS), 1 if event < 40 else 100)
        found = total.epsilon(delta)
        assert found.enclosure.gap <= 1e-6
        if event % 3 == 0:
            alone = dpc.epsilon(total.plan, delta)
            assert max(found.lower, alone.lower) <= min(found.upper, alone.upper)


@pytest.mark.slow
def test_many_different_steps_keep_a_line_too() -> None:
    """More than are followed by themselves in a single answer: each keeps its place on the line."""
    many = profile([(SampledGaussianLoss(0.01, 1 + i / 500, Direction.REMOVE), 2) for i in range(MANY + 10)])
    line = KeptLine.build(many.summands, math.log(1e-6), 1e-6)
    assert line is not None
    assert len(line.trimmed) == MANY + 10
    kept, alone = line.read(many.summands, 1e-6, 1e-6), many.epsilon(1e-6, 1e-7)
    assert kept.gap <= 1e-6
    assert max(kept.lower, alone.lower) <= min(kept.upper, alone.upper)


def test_a_line_is_read_again() -> None:
    """One line serves from fifty steps to seventy; at a thousand another one is built, not a wider answer given."""
    memory = Memory()

    def epsilon(count: int) -> float:
        parts = [(SampledGaussianLoss(0.05, 1.5, Direction.REMOVE), count), (LaplaceLoss(0.05), count)]
        plain = profile(parts)
        found = replace(plain, memory=memory).epsilon(1e-6, 1e-7)
        alone = plain.epsilon(1e-6, 1e-9)
        assert found.gap <= 1e-7
        assert found.lower <= alone.upper
        assert alone.lower <= found.upper
        return found.upper

    first = epsilon(50)
    line = memory.line
    assert isinstance(line, KeptLine)
    assert first < epsilon(60) < epsilon(70)
    assert memory.line is line
    epsilon(1000)
    assert memory.line is not line


def test_what_trimming_took_away_counts() -> None:
    """A line trimmed for fewer steps may not understate a million of them."""
    loss = SampledGaussianLoss(0.001, 0.7, Direction.REMOVE)
    few, many = (profile([(loss, count)]) for count in (1000, 1_000_000))
    line = KeptLine.build(few.summands, -13.8, 1e-6)
    assert line is not None
    wide = line.read(many.summands, 1e-6, 1e-6)
    truth = many.epsilon(1e-6, 1e-9)
    assert wide.lower <= truth.upper
    assert truth.lower <= wide.upper


RARE = [dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=rate) for noise in (0.8, 1.0, 1.3) for rate in (0.01, 0.003)]


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-5, 1e-9])
def test_few_steps_find_the_lattice_of_the_answer_before(delta: float) -> None:
    draw, total = random.Random(3), dpc.online()  # noqa: S311 - data
    before = 0.0
    for _ in range(9):
        total.add(draw.choice(RARE))
        found = total.epsilon(delta)
        alone = dpc.epsilon(total.plan, delta)
        assert found.enclosure.gap <= 1e-6
        assert max(found.lower, alone.lower) <= min(found.upper, alone.upper)
        assert found.upper >= before
        before = found.lower


def test_a_lattice_is_kept_as_long_as_it_holds() -> None:
    pieces = [(NormalStep(Fraction(1), Fraction(1, 100), Direction.REMOVE), 9)]
    more = [*pieces, (NormalStep(Fraction(4, 9), Fraction(1, 50), Direction.REMOVE), 1)]
    lattice = KeptLattice.build(pieces, 0.5, math.log(1e-15), 1e-3)
    assert lattice.holds(pieces)
    assert lattice.holds(more)
    assert lattice.products[0].steps == 10
    assert not lattice.holds(pieces)  # fewer
    size = lattice.products[0].size
    many = [(pieces[0][0], 30), more[1]]
    assert lattice.holds(many)
    assert lattice.products[0].size > size
    alone = KeptLattice.build(many, 0.5, math.log(1e-15), 1e-3)
    for epsilon in (0.2, 0.3, 0.35):
        apart, together = lattice.between(), alone.between()
        assert apart.lower(epsilon) <= together.upper(epsilon)
        assert together.lower(epsilon) <= apart.upper(epsilon)
        assert 0.0 < apart.upper(epsilon) < 1.01 * apart.lower(epsilon)


def test_a_tally_grows_and_starts_again() -> None:
    """Sums added one by one agree with sums made at once, to within the rounding they state."""
    draw = np.random.default_rng(8)
    addends = {name: Addend(draw.normal(size=(3, 5)), draw.normal(size=11)) for name in "abcdef"}
    tally, counts = Tally(5), dict.fromkeys("abcdef", 0)
    for _ in range(200):
        counts[str(draw.choice(list(counts)))] += int(draw.integers(1, 1000))
        tally = tally.extended([(name, n) for name, n in counts.items() if n], addends.__getitem__)
    exact = [math.fsum(n * addends[name].numbers[0] for name, n in counts.items())]
    assert tally.terms >= 190
    assert tally.totals().log_moment == pytest.approx(exact[0], abs=tally.rounding * tally.number_sizes[0])
    fewer = tally.extended([("a", 1)], addends.__getitem__)
    assert fewer is not tally
    assert fewer.totals().log_moment == addends["a"].numbers[0]
