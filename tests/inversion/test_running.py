"""A line kept while a composition grows says what a line of its own would say."""

from __future__ import annotations

import random

import pytest

import dpcompose as dpc
from dpcompose.inversion import Direction, LaplaceLoss, SampledGaussianLoss, profile
from dpcompose.inversion.running import KeptLine, Memory, Recalling

KINDS = [
    *(dpc.Gaussian(noise_std=noise) for noise in (20, 40)),
    *(dpc.Laplace(scale=scale) for scale in (50, 70)),
    *(dpc.BlackBox(epsilon=epsilon, delta=1e-12) for epsilon in (0.01, 0.03)),
    dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01),
    dpc.Sampled(dpc.Gaussian(noise_std=5), rate=0.1),
]


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


def test_a_line_is_read_again() -> None:
    """One line serves from fifty steps to seventy; at a thousand another one is built, not a wider answer given."""
    memory = Memory()

    def epsilon(count: int) -> float:
        parts = [(SampledGaussianLoss(0.05, 1.5, Direction.REMOVE), count), (LaplaceLoss(0.05), count)]
        plain = profile(parts)
        found = Recalling(plain.summands, plain.further_leak, memory).epsilon(1e-6, 1e-7)
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
