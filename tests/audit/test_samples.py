"""Broken mechanisms are caught, and right ones are not accused more often than stated."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

import dpcompose as dpc
from cases import scaled
from dpcompose import audit
from dpcompose.audit.outputs import scattered

Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
SIGMA = 3.7304085  # Gaussian(noise_std=SIGMA) costs ε = 1 at δ = 1e-5


def laplace(shift: float, scale: float) -> Draw:
    return lambda generator, n: shift + generator.laplace(0.0, scale, n)


def gaussian(shift: float, std: float) -> Draw:
    return lambda generator, n: shift + generator.normal(0.0, std, n)


def response(p: float) -> Draw:
    return lambda generator, n: (generator.random(n) < p).astype(np.float64)


def named(delta: float) -> Draw:
    """A name with probability δ, else nothing of interest."""
    return lambda generator, n: np.where(generator.random(n) < delta, 7.0, generator.random(n))


BROKEN = {
    "Laplace with half the scale": (laplace(1, 0.5), laplace(0, 0.5), 0, 20_000, dpc.Laplace(scale=1)),
    "variance in place of deviation": (
        gaussian(1, math.sqrt(SIGMA)),
        gaussian(0, math.sqrt(SIGMA)),
        1e-5,
        200_000,
        dpc.Gaussian(noise_std=SIGMA),
    ),
    "sensitivity off by two": (gaussian(2, 2), gaussian(0, 2), 1e-5, 100_000, dpc.Gaussian(noise_std=2)),
    "ten runs claimed as one": (
        lambda g, n: (1 + g.laplace(0, 5, (n, 10))).mean(1),
        lambda g, n: g.laplace(0, 5, (n, 10)).mean(1),
        0,
        20_000,
        dpc.Laplace(scale=5),
    ),
    "name and shame": (named(0.01), named(0.0), 1e-5, 20_000, "BlackBox(epsilon=1, delta=1e-5)"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mechanism_is_caught(name: str) -> None:
    first, second, delta, n, claim = BROKEN[name]
    generator = np.random.default_rng(20)
    for _ in range(3):
        found = audit.lower_bound(first(generator, n), second(generator, n), delta=delta, confidence=0.99)
        verdict = found.verdict(claim)
        assert verdict.violated
        assert str(verdict).startswith("VIOLATED")
        assert found.verdict((50.0, delta)).violated is False


def test_the_gaussian_hypothesis_sees_more() -> None:
    generator = np.random.default_rng(4)
    first, second = gaussian(1, math.sqrt(SIGMA))(generator, 5000), gaussian(0, math.sqrt(SIGMA))(generator, 5000)
    plain = audit.lower_bound(first, second, delta=1e-5)
    gauss = audit.lower_bound(first, second, delta=1e-5, reading=audit.GAUSSIAN)
    assert plain.epsilon < 1.0 < gauss.epsilon < 2.2
    assert "Gaussian" in gauss.witness.assumes
    assert "Gaussian" not in plain.witness.assumes


RIGHT = {
    "Laplace": (laplace(1, 1), laplace(0, 1), 0, 1.0, audit.ANY),
    "randomized response": (response(0.75), response(0.25), 0, math.log(3), audit.ANY),
    "name and shame": (named(0.05), named(0.0), 0.05, 0.0, audit.ANY),
    "Gaussian, read as one": (gaussian(1, SIGMA), gaussian(0, SIGMA), 1e-5, 1.0, audit.GAUSSIAN),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_mechanism_is_accused_no_more_often_than_stated(name: str) -> None:
    """500 runs by day at confidence 0.9; sorted outputs must not spoil the split."""
    first, second, delta, epsilon, reading = RIGHT[name]
    generator = np.random.default_rng(5)
    alarms, runs = 0, scaled(500)
    for i in range(runs):
        pair = first(generator, 400), second(generator, 400)
        a, b = (np.sort(side) for side in pair) if i % 2 else pair
        alarms += audit.lower_bound(a, b, delta=delta, confidence=0.9, reading=reading).epsilon > epsilon + 1e-6
    assert alarms <= runs // 10


@pytest.mark.slow
@pytest.mark.parametrize("p, q, delta", [(0.75, 0.25, 0), (0.6, 0.5, 0.05), (0.2, 0.02, 0.01), (0.05, 0.0, 0.05)])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_exact_false_alarm_rate_of_a_fixed_event(p: float, q: float, delta: float, confidence: float) -> None:
    """Every possible pair of counts of 24 and 30 trials, weighted by its probability."""
    orders = [(p - delta) / q if q else 0.0, (1 - q - delta) / (1 - p)]
    truth = max(0.0, *(math.log(ratio) for ratio in orders if ratio > 0))
    rate = 0.0
    for h, k in product(range(25), range(31)):
        counts = {"true_positives": h, "false_negatives": 24 - h, "false_positives": k, "true_negatives": 30 - k}
        if audit.from_counts(**counts, delta=delta, confidence=confidence).epsilon > truth + 1e-9:
            rate += float(binom.pmf(h, 24, p) * binom.pmf(k, 30, q))
    assert rate <= 1 - confidence


@pytest.mark.slow
def test_all_points_of_a_region_hold_at_once() -> None:
    """Laplace with ε = 1: at a false-positive rate x the false-negative rate is at least max(1-ex, (1-x)/e)."""
    generator = np.random.default_rng(6)
    wrong = 0
    for _ in range(200):
        found = audit.region(laplace(1, 1)(generator, 1000), laplace(0, 1)(generator, 1000), confidence=0.9, points=8)
        assert 2 <= len(found) <= 8
        least = np.maximum(0, np.maximum(1 - math.e * found.fpr, (1 - found.fpr) / math.e))
        wrong += bool(np.any(found.fnr < least - 1e-9))
        assert (found.epsilon(0) > 1.0) == bool(np.any(found.fnr < least - 1e-9))
    assert wrong <= 20


def test_a_region_of_a_strong_leak_is_useful() -> None:
    generator = np.random.default_rng(7)
    found = audit.region(laplace(1, 0.25)(generator, 20_000), laplace(0, 0.25)(generator, 20_000))
    assert found.epsilon(0) > 3.5
    assert found.epsilon(1) == 0.0
    assert found.vertices == tuple(zip(found.fnr, found.fpr, strict=True))


def test_outcomes_need_no_order() -> None:
    generator = np.random.default_rng(8)
    words = np.array(["red", "green", "blue"])
    first, second = generator.choice(words, 5000, p=[0.7, 0.2, 0.1]), generator.choice(words, 5000, p=[0.1, 0.2, 0.7])
    for a, b in (
        (first, second),
        (first.tolist(), second.tolist()),
        ([(w, 1) for w in first], [(w, 1) for w in second]),
    ):
        found = audit.lower_bound(a, b, delta=0)
        assert 1.6 < found.epsilon < math.log(7)
    assert "'red'" in str(audit.lower_bound(first.tolist(), second.tolist(), delta=0))


@pytest.mark.slow
def test_vectors_go_through_a_score() -> None:
    generator = np.random.default_rng(9)
    first, second = generator.normal(1, 1, (5000, 3)), generator.normal(0, 1, (5000, 3))
    found = audit.lower_bound(list(first), list(second), delta=1e-5, score=lambda row: float(row.sum()))
    assert 2.0 < found.epsilon < 8.1  # μ = √3
    with pytest.raises(ValueError, match="give a score"):
        audit.lower_bound(first, second, delta=0)
    with pytest.raises(ValueError, match="give a score"):
        audit.lower_bound(first.tolist(), second.tolist(), delta=0)


def test_a_callable_is_run_on_both_inputs_in_turn() -> None:
    generator = np.random.default_rng(10)
    calls: list[int] = []

    def mechanism(count: int) -> float:
        calls.append(count)
        return count + generator.laplace(0, 0.5)

    found = audit.experiment(mechanism, 10, 11, runs=4000, delta=0)
    assert calls[:4] == [10, 11, 10, 11]
    assert len(calls) == 8000
    assert found.verdict((1.0, 0)).violated
    assert not found.verdict((2.0, 0)).violated


def test_an_event_fixed_beforehand_is_counted_on_everything() -> None:
    found = audit.lower_bound([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 0.0], delta=0, event=audit.AtLeast(1.0))
    assert found.witness.document()["first"]["hits"] == 4
    assert found.witness.document()["second"] == pytest.approx(
        {"hits": 1, "total": 4, "probability_at_most": 0.8058795}, rel=1e-6
    )
    below = audit.lower_bound(range(30), range(30, 60), delta=0, event=audit.AtMost(29))
    least = 0.025 ** (1 / 30)
    assert below.epsilon == pytest.approx(math.log(least / (1 - least)), rel=1e-8)
    with pytest.raises(ValueError, match="not numbers"):
        audit.lower_bound(["a", "b"], ["c", "d"], delta=0, event=audit.AtLeast(1.0))


def test_the_order_of_the_inputs_does_not_matter_much() -> None:
    generator = np.random.default_rng(11)
    a, b = laplace(1, 0.5)(generator, 5000), laplace(0, 0.5)(generator, 5000)
    one, other = (audit.lower_bound(x, y, delta=0).epsilon for x, y in ((a, b), (b, a)))
    assert 1.5 < one < 2.0
    assert 1.5 < other < 2.0


def test_one_audit_answers_for_every_delta() -> None:
    found = audit.from_counts(true_positives=90, false_negatives=10, false_positives=5, true_negatives=95, delta=0)
    deltas = [0, 1e-9, 0.1, 0.5, 0.9, 1]
    bounds = [found.witness.epsilon(delta) for delta in deltas]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[0] == found.epsilon
    assert bounds[-1] == 0.0


def test_halves_share_nothing_and_are_scattered() -> None:
    order = scattered(10_001)
    assert sorted(order.tolist()) == list(range(10_001))
    half = np.sort(order[:5000])
    assert abs(half.mean() - 5000) < 150  # three deviations
    steps = np.bincount(np.diff(half))
    assert 0.45 < steps[1] / 5000 < 0.55  # a fair coin, not every second one
    assert (scattered(10_001) == order).all()


def test_extreme_outputs_have_answers() -> None:
    same = audit.lower_bound([0.0] * 100, [0.0] * 100, delta=0)
    assert same.epsilon == 0.0
    apart = audit.lower_bound([math.inf] * 100, [-math.inf] * 100, delta=0)
    assert apart.epsilon == pytest.approx(math.log(0.025 ** (1 / 50) / (1 - 0.025 ** (1 / 50))), rel=1e-8)
    few = audit.lower_bound([1, 2], [3, 4], delta=0)
    assert few.epsilon == 0.0
    whole = audit.lower_bound([True] * 60, [False] * 60, delta=1)
    assert whole.epsilon == 0.0
