"""Sampled steps: one run by the bent hockey stick of its own profile, many by what more sampling must cost."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

import dpcompose as dpc
from dpcompose.inversion import Direction
from dpcompose.mechanisms.geometric import GeometricLaw
from dpcompose.mechanisms.randomized_response import ResponseLaw
from dpcompose.theorems.loss.finite_laws import LeakyLaw, SampledListed
from dpcompose.theorems.loss.inverted import Inverted

LAWS = {
    "geometric": (dpc.Geometric(scale=2, sensitivity=3), GeometricLaw(2, 3)),
    "black box": (dpc.BlackBox(epsilon=0.5, delta=0.001), LeakyLaw(0.5, 0.001)),
    "response of 4": (dpc.RandomizedResponse(epsilon=1, categories=4), ResponseLaw(1, 4)),
}


@pytest.mark.parametrize("rate", [0.02, 0.4])
@pytest.mark.parametrize("name", LAWS)
def test_removing_a_record_bends_the_hockey_stick(name: str, rate: float) -> None:
    """(1-q)Q + qP against Q has δ(ε) = q δ_inner(ln(1 + (e^ε - 1)/q))."""
    inner, law = LAWS[name]
    epsilon = 0.005
    truth = dpc.delta(inner, math.log1p(math.expm1(epsilon) / rate))
    step = SampledListed(law, rate, Direction.REMOVE, law)
    found = Inverted(((step, 1),), ((step, 1),), ()).delta(epsilon)
    assert found.lower <= rate * truth.upper * (1 + 1e-9)
    assert rate * truth.lower * (1 - 1e-9) <= found.upper
    assert found.gap <= 1e-4
    assert dpc.delta(dpc.Sampled(inner, rate=rate), epsilon).upper >= rate * truth.lower * (1 - 1e-9)


@pytest.mark.parametrize("inner", [dpc.Laplace(scale=2), *(m for m, _ in LAWS.values())], ids=["laplace", *LAWS])
def test_many_sampled_steps_cost_more_with_the_rate(inner: dpc.Mechanism) -> None:
    costs = [dpc.epsilon(100 * dpc.Sampled(inner, rate=rate), 1e-3) for rate in (0.02, 0.1, 0.4)]
    assert all(a.upper <= b.upper for a, b in pairwise(costs))
    assert all(a.lower <= b.lower for a, b in pairwise(costs))
