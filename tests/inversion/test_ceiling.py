"""The cheap bound lies above the profile, and the second order is left out only where it does not count."""

from __future__ import annotations

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.inversion import Direction, GaussianLoss, LaplaceLoss, SampledGaussianLoss, TwoPointLoss, profile
from dpcompose.inversion.quick_bound import ceiling, is_below
from dpcompose.theorems.loss.inverted import Inverted

WORKS = [
    [(SampledGaussianLoss(0.01, 1.0, Direction.REMOVE), 1000)],
    [(SampledGaussianLoss(0.01, 1.0, Direction.ADD), 1000)],
    [(SampledGaussianLoss(0.3, 4.0, Direction.ADD), 200)],
    [(LaplaceLoss(0.1), 300), (TwoPointLoss(0.02), 100)],
    [(GaussianLoss(0.04), 9)],
]


@pytest.mark.parametrize("work", WORKS)
def test_above_the_profile(work: list[tuple[object, int]]) -> None:
    """Everywhere, and not by orders of magnitude."""
    whole = profile(work)
    places = [0.0, 0.3, 1.0, 2.0, 3.5, 5.0]
    high = ceiling(whole, places)
    truth = [whole.delta(e, 1e-4) for e in places]
    for bound, found in zip(high.tolist(), truth, strict=True):
        assert bound >= found.lower
        assert bound <= 200.0 * found.upper + 1e-300
        assert is_below(whole, places[0], 0.0) is False


@pytest.mark.parametrize("place", [0.5, 1.5, 3.0])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-9])
def test_a_verdict_is_never_wrong(place: float, delta: float) -> None:
    """What is said to be below is."""
    for work in WORKS:
        whole = profile(work)
        if is_below(whole, place, delta):
            assert whole.delta(place, 1e-4).lower <= delta


@pytest.mark.parametrize("rate", [0.01, 0.5])
@pytest.mark.parametrize("delta", [0.1, 1e-5, 1e-30])
def test_both_orders_count(rate: float, delta: float) -> None:
    """The larger of the two orders asked by themselves."""
    steps = [((SampledGaussianLoss(rate, 2.0, d), 400),) for d in Direction]
    whole = Inverted(*steps, leaks=()).to(1e-8)
    (pair,) = whole.pairs()
    alone = [order.epsilon(delta) for order in (pair.forward, pair.backward)]
    found = whole.epsilon(delta)
    assert found.lower <= max(e.upper for e in alone)
    assert found.upper >= max(e.lower for e in alone)
    assert found.upper - found.lower <= 1e-7 * max(found.upper, 1e-3)


def test_a_curve_is_its_points() -> None:
    """Asked at once or one by one, in order, both orders of the pair counted."""
    work = 1000 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01)
    places = np.linspace(0.0, 8.0, 25)
    curve = dpc.delta(work, places)
    assert len(curve) == 25
    for place, answer in zip(places.tolist(), curve, strict=True):
        alone = dpc.delta(work, place)
        assert max(answer.lower, alone.lower) <= min(answer.upper, alone.upper)
        assert answer.enclosure.gap <= 1e-6
    assert (np.diff(curve.upper) <= 0).all()


@pytest.mark.slow
def test_balls_confirm_floats() -> None:
    """The slow tier and the fast one enclose the same number."""
    work = 1000 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01)
    for fast, slow in (
        (dpc.epsilon(work, 1e-5, 1e-9), dpc.epsilon(work, 1e-5, 1e-9, rigor="ball")),
        (dpc.delta(work, 1.5, 1e-9), dpc.delta(work, 1.5, 1e-9, rigor="ball")),
    ):
        assert max(fast.lower, slow.lower) <= min(fast.upper, slow.upper)
        assert slow.enclosure.gap <= 1e-9


def test_no_third_rigor() -> None:
    """One sentence names what is allowed."""
    with pytest.raises(dpc.InvalidParameter, match="rigor = 'guess' is not allowed: expected 'float' or 'ball'"):
        dpc.epsilon(dpc.Laplace(scale=1), 0.1, rigor="guess")
