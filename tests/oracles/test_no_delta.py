"""At δ = 0 the cost of finitely many bounded losses is the greatest of their sums, which pencil and paper know."""

from __future__ import annotations

import math

import pytest

import dpcompose as dpc

PAIR = dpc.DiscretePair(p=(0.5, 0.25, 0.25), q=(0.25, 0.25, 0.5))
WORKS = {
    "Laplace beside responses": (5 * dpc.Laplace(scale=1) + 3 * dpc.RandomizedResponse(epsilon=0.5), 6.5),
    "two scales": (3 * dpc.Laplace(scale=1) + 2 * dpc.Laplace(scale=2), 4.0),
    "integers": (100 * dpc.Geometric(scale=10) + 3 * dpc.Laplace(scale=6), 10.5),
    "stairs": (4 * dpc.Staircase(epsilon=0.25) + 4 * dpc.Laplace(scale=4), 2.0),
    "a pair": (10 * PAIR + 10 * dpc.Laplace(scale=2), 10 * math.log(2) + 5),
    "a sample": (
        20 * dpc.Sampled(dpc.Laplace(scale=1), rate=0.125) + dpc.BlackBox(epsilon=0.5),
        20 * math.log1p(0.125 * math.expm1(1)) + 0.5,
    ),
}


@pytest.mark.parametrize("name", WORKS)
def test_what_few_kinds_cost_without_any_delta(name: str) -> None:
    plan, truth = WORKS[name]
    found = dpc.epsilon(plan, delta=0)
    assert found.lower <= truth * (1 + 1e-14)
    assert truth * (1 - 1e-14) <= found.upper
    assert found.enclosure.gap <= 1e-4


def test_a_bound_from_below_that_contradicts_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said of a δ next to nothing is planted: that the plan costs twice as much as it does."""
    from dpcompose.prove import answer

    plan = 5 * dpc.Laplace(scale=1) + 3 * dpc.RandomizedResponse(epsilon=0.5)
    dear = dpc.epsilon(2 * plan, delta=0)
    whole = answer.least_epsilon
    monkeypatch.setattr(answer, "least_epsilon", lambda facts, delta, *rest: dear if delta else whole(facts, 0, *rest))
    with pytest.raises(dpc.Contradiction):
        answer.least_epsilon(answer.known(plan), 0, 1e-6, answer.refinement(1e-6, "float"))
