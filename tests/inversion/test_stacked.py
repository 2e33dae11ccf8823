"""Many different steps in arrays: nothing but the time may tell them from the same steps one by one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dpcompose.inversion import Direction, LaplaceLoss, SampledGaussianLoss, SampledLaplaceLoss, profile
from dpcompose.inversion.line import search
from dpcompose.inversion.losses import rows as by_rows
from dpcompose.inversion.losses import stacked as module
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.losses.stacked import Stack, stacked
from dpcompose.inversion.losses.window import Window

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def gaussians(direction: Direction, rate: float, count: int = 24) -> list[LossSum]:
    """Different rates, noises and counts."""
    random = np.random.default_rng(count)
    return [
        Repeated(
            SampledGaussianLoss(rate * random.uniform(0.5, 2.0), random.uniform(0.7, 4.0), direction),
            int(random.integers(1, 6)),
        )
        for _ in range(count)
    ]


def laplaces(direction: Direction, rate: float, count: int = 24) -> list[LossSum]:
    """Different rates, sizes and counts."""
    random = np.random.default_rng(count)
    return [
        Repeated(
            SampledLaplaceLoss(random.uniform(0.1, 6.0), rate * random.uniform(0.5, 2.0), direction),
            int(random.integers(1, 6)),
        )
        for _ in range(count)
    ]


def plain_laplaces(count: int = 24) -> list[LossSum]:
    """Different sizes and counts."""
    random = np.random.default_rng(count)
    return [Repeated(LaplaceLoss(random.uniform(0.01, 4.0)), int(random.integers(1, 6))) for _ in range(count)]


KINDS = [gaussians, laplaces]
CASES = [kind(direction, rate) for kind in KINDS for direction in Direction for rate in (0.2, 0.01, 0.001)]
CASES.append(plain_laplaces())


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stacks of eight rows, from the ninth step on."""
    monkeypatch.setattr(module, "MANY", 8)
    monkeypatch.setattr(module, "SEVERAL", 8)
    for rows in module.kinds().values():
        monkeypatch.setattr(rows, "tallest", 8)


@pytest.mark.slow
@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("summands", CASES)
@pytest.mark.parametrize("log_mass", [None, -20.0])
def test_a_stack_is_the_sum_of_its_steps(summands: list[LossSum], log_mass: float | None) -> None:
    """Moments, centres and transforms agree within both bounds; no bound on the decay is far off."""
    pile = stacked(summands)
    assert len(pile) >= 3
    if log_mass is not None:
        pile = [s.trimmed(log_mass, 3) for s in pile]
    for s in pile:
        assert isinstance(s, Stack)
        alone: list[LossSum] = list(s.members)
        if log_mass is not None and s.trim_lost:
            edges = s.rows.window
            alone = [_through(m, c.item(), f.item()) for m, c, f in zip(s.members, edges.cut, edges.fade, strict=True)]
        for tilt in (0.5, 6.0):
            whole, parts = s.tilted(tilt, 40.0, 1e-17), [m.tilted(tilt, 40.0, 1e-17) for m in alone]
            room = whole.log_moment_error + sum(p.log_moment_error for p in parts)
            assert room < 1e-9 * (1.0 + abs(whole.log_moment))
            assert abs(whole.log_moment - math.fsum(p.log_moment for p in parts)) <= room
            for indices in (np.arange(1, 60), np.arange(5, 6000, 640)):
                found = whole.logarithm(2.0**-7, indices)
                each = [p.logarithm(2.0**-7, indices) for p in parts]
                drift = 2.0**-7 * indices * (whole.centre - sum(p.centre for p in parts))
                turned = found.phase + drift - sum(e.phase for e in each)
                allowed = found.error + sum(e.error for e in each) + 1e-12
                known = allowed < 0.1  # where a transform cannot be told from 0, a bound stands in for it
                assert known[0]
                assert (np.abs(found.modulus - sum(e.modulus for e in each)) <= allowed)[known].all()
                assert (np.abs(np.sin(0.5 * turned)) <= allowed)[known].all()
                assert (whole.log_bound(2.0**-7, indices) >= found.modulus - found.error)[known].all()
            frequencies = np.array([0.5, 5.0, 50.0])
            decay, each_decay = whole.log_decay(frequencies), sum(p.log_decay(frequencies) for p in parts)
            assert (decay <= 0.0).all()
            assert (decay <= 0.9 * each_decay).all()
            assert (decay >= whole.logarithm(0.5, np.array([1, 10, 100])).modulus - 1e-9).all()


def _through(summand: Repeated, cut: float, fade: float) -> Repeated:
    assert isinstance(summand.loss, SampledGaussianLoss)
    return Repeated(replace(summand.loss, window=Window(cut=cut, fade=fade)), summand.count)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("summands", CASES)
def test_what_is_trimmed_is_no_more_than_said(summands: list[LossSum]) -> None:
    """The bound on the lost probability holds the exact one of every step, and is close to it."""
    for s in stacked(summands):
        trimmed = s.trimmed(-30.0, 8)
        assert isinstance(trimmed, Stack)
        if not trimmed.trim_lost:
            continue
        edges = trimmed.rows.window
        exact = [
            _through(m, c.item(), f.item()).trim_lost
            for m, c, f in zip(trimmed.members, edges.cut, edges.fade, strict=True)
        ]
        assert sum(exact) * (1.0 - 1e-9) <= trimmed.trim_lost <= sum(exact) * (1.0 + 1e-9)
        assert trimmed.trim_lost <= math.exp(-29.0)


@pytest.mark.slow
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("kind,rate", [(gaussians, 0.05), (gaussians, 0.004), (laplaces, 0.05), (laplaces, 0.03)])
def test_answers_are_the_same(
    kind: Callable[[Direction, float, int], list[LossSum]],
    direction: Direction,
    rate: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Enclosures of one ε, in arrays and one by one; both narrow."""
    losses = [(s.loss, s.count) for s in kind(direction, rate, 40) if isinstance(s, Repeated)]
    apart = profile(losses).epsilon(1e-6, 1e-7)
    monkeypatch.setattr(module, "MANY", 8)
    seen = []
    monkeypatch.setattr(search, "stacked", lambda s: seen.append(stacked(s)) or seen[-1])
    together = profile(losses).epsilon(1e-6, 1e-7)
    assert any(isinstance(s, Stack) for s in seen[0])
    assert together.gap < 1e-6
    assert max(apart.lower, together.lower) <= min(apart.upper, together.upper)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("direction", Direction)
def test_by_ffts_the_same(direction: Direction, monkeypatch: pytest.MonkeyPatch) -> None:
    """An FFT for each row and tables of powers agree within both bounds, which stay small."""
    indices = np.arange(1, 3000)
    for s in stacked(gaussians(direction, 0.001)):
        assert isinstance(s, Stack)
        found = []
        for most in (0, 10**12):
            monkeypatch.setattr(by_rows, "MOST_PRODUCTS", most)
            found.append(s.rows.tilted(6.0, 100.0, 1e-17).characteristic(2.0**-5, indices))
        (values, error), (others, other_error) = found
        assert (np.abs(values - others) <= error + other_error).all()
        assert (values != others).any()
        assert error[:, :300].max() < 1e-11
        assert error.max() < 1e-3
