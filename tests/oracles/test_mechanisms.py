"""Every finite mechanism against its definition: the probabilities of two neighbouring outputs, written out."""

from __future__ import annotations

from typing import Any

import pytest
from mpmath import mp

import dpcompose as dpc
from oracles.definitions import divergence, hockey_stick, joined, product
from oracles.finite_pairs import FINITE, LEVELS, ORDERS, ROUNDING, close, gathered, holds, laws_of


@pytest.mark.parametrize("name", FINITE)
def test_the_oracles_are_distributions(name: str) -> None:
    for law in laws_of(name):
        assert abs(mp.fsum(law) - 1) < ROUNDING
        assert min(law) >= 0


@pytest.mark.parametrize("epsilon", LEVELS)
@pytest.mark.parametrize("name", FINITE)
def test_one_run(name: str, epsilon: Any) -> None:
    assert close(dpc.delta(FINITE[name][0], epsilon=epsilon), hockey_stick(*laws_of(name), epsilon))


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("name", FINITE)
def test_several_runs(name: str, count: int) -> None:
    one, other = gathered(laws_of(name))
    if len(one) ** count > 3000:
        count = 2  # a listing of all transcripts must end
    laws = product(one, other, count)
    for epsilon in (0, 0.75, 2):
        assert close(dpc.delta(count * FINITE[name][0], epsilon=epsilon), hockey_stick(*laws, epsilon))


MIXED = [
    ("response of 5", "lopsided pair"),
    ("lopsided pair", "leaking pair"),
    ("black box", "name and shame"),
    ("geometric at 3", "steep staircase"),
    ("pure black box", "response"),
]


@pytest.mark.parametrize("names", MIXED, ids=" + ".join)
def test_mixtures(names: tuple[str, str]) -> None:
    laws = joined(gathered(laws_of(name)) for name in names)
    whole = FINITE[names[0]][0] + FINITE[names[1]][0]
    for epsilon in LEVELS:
        assert holds(dpc.delta(whole, epsilon=epsilon), hockey_stick(*laws, epsilon))
    for target in (0.3, 0.05):
        answer = dpc.epsilon(whole, delta=target)
        assert hockey_stick(*laws, min(answer.upper, 10**6)) <= target + ROUNDING or answer.upper == mp.inf
        below = min(answer.lower * (1 - 1e-9), 10**6)
        assert below <= 0 or hockey_stick(*laws, below) >= target - ROUNDING


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", FINITE)
def test_divergences(name: str, order: Any) -> None:
    answer = dpc.renyi(FINITE[name][0], order=order)
    assert holds(answer, divergence(*laws_of(name), order))
