"""At δ = 0 the cost of finitely many bounded losses is the greatest of their sums, which pencil and paper know."""

from __future__ import annotations

import math
from fractions import Fraction

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


def test_in_balls_it_is_known_as_well() -> None:
    plan, truth = WORKS["Laplace beside responses"]
    found = dpc.epsilon(plan, delta=0, rigor="ball")
    assert found.lower <= truth <= found.upper
    assert found.enclosure.gap <= 1e-4


def test_many_different_steps_have_their_greatest_losses_at_once() -> None:
    plan = sum((dpc.Laplace(scale=1 + n / 4) + dpc.Staircase(epsilon=n / 8) for n in range(1, 25)), dpc.Composition())
    truth = sum(1 / (1 + n / 4) + n / 8 for n in range(1, 25))
    found = dpc.epsilon(plan, delta=0)
    assert found.lower <= truth * (1 + 1e-14)
    assert truth * (1 - 1e-14) <= found.upper
    assert found.enclosure.gap <= 1e-4


@pytest.mark.parametrize("exponent", [1, 3, 20, 100, 200, 290])
@pytest.mark.parametrize("rate", [1e-9, 0.02, 0.5])
def test_a_bound_that_no_float_holds_is_not_infinite(rate: float, exponent: int) -> None:
    """However large a finite loss is, three of it are no more than three times as much."""
    drawn = dpc.SampledWithReplacement(
        dpc.Laplace(scale=Fraction(1, 10**exponent), adjacency=dpc.REPLACE_ONE), size=2, of=round(2 / rate)
    )
    for plan in (3 * drawn, 3 * dpc.Sampled(dpc.Laplace(scale=Fraction(1, 10**exponent)), rate=rate)):
        found = dpc.epsilon(plan, delta=0)
        assert found.lower <= 6 * 10.0**exponent * (1 + 1e-12)
        assert found.upper < math.inf


def test_no_bound_is_taken_for_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault is planted: where no upper bound on a loss is known, it is said to exceed every number."""
    from dpcompose.inversion import SampledLaplaceLoss

    monkeypatch.setattr(SampledLaplaceLoss, "supremum", math.inf)
    monkeypatch.setattr(SampledLaplaceLoss, "is_unbounded", True)
    with pytest.raises(dpc.Contradiction):
        test_a_bound_that_no_float_holds_is_not_infinite(0.02, 100)


def test_a_bound_from_below_that_contradicts_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A greatest loss is planted that is twice as large as it is."""
    from dpcompose.theorems.loss.inverted import Inverted

    monkeypatch.setattr(Inverted, "greatest_loss", lambda _: 13.0)
    with pytest.raises(dpc.Contradiction):
        dpc.epsilon(WORKS["Laplace beside responses"][0], delta=0)
