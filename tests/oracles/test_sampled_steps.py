"""Sampled steps: one run by the bent hockey stick of its own profile, many by the order of sampling and composing."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

import dpcompose as dpc

INNER = {
    "geometric": dpc.Geometric(scale=2, sensitivity=3),
    "black box": dpc.BlackBox(epsilon=0.5, delta=0.001),
    "response of 4": dpc.RandomizedResponse(epsilon=1, categories=4),
}


@pytest.mark.parametrize("rate", [0.02, 0.4])
@pytest.mark.parametrize("name", INNER)
def test_removing_a_record_bends_the_hockey_stick(name: str, rate: float) -> None:
    """(1-q)Q + qP against Q has δ(ε) = q δ_inner(ln(1 + (e^ε - 1)/q)); adding one costs no more at small ε here."""
    epsilon = 0.05
    level = math.log1p(math.expm1(epsilon) / rate)
    inner = dpc.delta(INNER[name], level)
    found = dpc.delta(dpc.Sampled(INNER[name], rate=rate), epsilon)
    assert found.upper >= rate * inner.lower * (1 - 1e-9)
    if rate < 0.1:  # where removing is the worse of the two
        assert found.lower <= rate * inner.upper * (1 + 1e-9)
        assert found.enclosure.gap <= 1e-5


@pytest.mark.parametrize("inner", [dpc.Laplace(scale=2), *INNER.values()], ids=["laplace", *INNER])
def test_many_sampled_steps_cost_more_with_the_rate_and_less_than_unsampled(inner: dpc.Mechanism) -> None:
    costs = [dpc.epsilon(100 * dpc.Sampled(inner, rate=rate), 0.05) for rate in (0.01, 0.05, 0.2)]
    whole = dpc.epsilon(100 * inner, 0.5)
    assert all(a.upper <= b.lower for a, b in pairwise(costs))
    assert all(a.enclosure.gap <= 1e-4 for a in costs)
    assert whole.lower > 0
