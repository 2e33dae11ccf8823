"""Filters at their edges: whole units, targets out of reach, mechanisms they cannot read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.filters import NAMES, Filter, filter_of, unit_of
from filters.asked import caps_or_reason


@cases(200)
@given(st.fractions(Fraction(1, 10**40), 10**12), st.fractions(0, 1))
def test_units_are_decimal_and_small_and_rounding_goes_the_safe_way(cap: Fraction, share: Fraction) -> None:
    unit = unit_of(cap)
    assert 10**17 <= cap / unit < 10**18 < 2**63
    assert unit in {Fraction(10) ** k for k in range(-70, 20)}
    book = Filter("basic", cap, Fraction(0), (cap, Fraction(0)))
    (most, none), (cost, _) = book.whole_caps(), book.whole((share * cap, Fraction(0)))
    assert most * unit <= cap < (most + 1) * unit
    assert (cost - 1) * unit < share * cap <= cost * unit
    assert none == 0
    assert book.whole((Fraction(0), Fraction(1, 10**300)))[1] == 1, "nothing is allowed, so the least leak is too much"


@pytest.mark.parametrize(
    "given_, words",
    [
        ({"name": "pld", "epsilon": 1, "delta": 1e-6}, "expected basic or zcdp or renyi or gdp"),
        ({"name": "zcdp", "epsilon": 1, "delta": 0}, "with δ = 0 take basic"),
        ({"name": "gdp", "epsilon": 1, "delta": 1}, "less than 1"),
        ({"name": "zcdp", "epsilon": 1, "delta": 1e-6, "leak": 1e-6}, "more than the leak"),
        ({"name": "gdp", "epsilon": 1, "delta": 1e-6, "leak": 1e-7}, "sets no share of δ apart"),
        ({"name": "zcdp", "epsilon": 1, "delta": 1e-6, "orders": [2]}, "only with the filter renyi"),
        ({"name": "renyi", "epsilon": 1, "delta": 1e-6, "orders": [1, 2]}, "orders above 1"),
        ({"name": "renyi", "epsilon": 1, "delta": 1e-6, "orders": []}, "1 to 32 orders"),
        ({"name": "zcdp", "epsilon": -1, "delta": 1e-6}, "epsilon = -1"),
        ({"name": "zcdp", "epsilon": float("nan"), "delta": 1e-6}, "epsilon = nan"),
        ({"name": "zcdp", "epsilon": 1, "delta": 2}, "delta = 2"),
    ],
)
def test_a_filter_that_cannot_be_is_refused(given_: Any, words: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match=words):
        filter_of(given_.pop("name"), **given_)


def test_what_a_filter_cannot_read_is_said() -> None:
    with pytest.raises(dpc.DPError, match="gdp cannot read Laplace"):
        filter_of("gdp", epsilon=1, delta=1e-6).cost(dpc.Laplace(scale=10))
    with pytest.raises(dpc.AdjacencyMismatch, match="does not add up"):
        filter_of("zcdp", epsilon=1, delta=1e-6).cost(dpc.Laplace(scale=10, adjacency=dpc.REPLACE_ONE))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", [(0, 1e-6), (1e-9, 1e-300), (1e-300, 0.999), (1e6, 1e-6), (10**30, 1e-200)])
def test_every_target_has_caps_or_a_reason(name: str, target: Any) -> None:
    book = caps_or_reason(name, epsilon=target[0], delta=target[1])
    if isinstance(book, str):
        assert "No caps" in book
        return
    assert book.guarantee.claim.upper <= book.delta or name == "basic"
