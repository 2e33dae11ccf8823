"""More noise never costs more, more of anything else never costs less, and a larger δ never needs a larger ε."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.parameters import Param, Whole, declared
from strategies import MECHANISMS, deltas, epsilon_of, epsilons, having, mechanisms, named, small_deltas, some

GROWS = {
    "epsilon",
    "delta",
    "rho",
    "mu",
    "sensitivity",
    "rate",
    "size",
    "steps",
    "participations",
    "mean",
    "contribution",
}
SHRINKS = {"noise_std", "scale", "categories", "of", "separation", "batches"}
NEITHER = {"gamma", "shape", "limit"}  # a shape, of stairs or of numbers of runs, and a size at which samples are cut
FELT = {"noise_std", "scale", "sensitivity", "epsilon", "mu"}
"""Twice as much of these must show, in an answer that is tight."""


def parameters() -> Iterator[Any]:
    """Every parameter of every mechanism."""
    for cls in MECHANISMS:
        for name in declared(cls):
            assert name in GROWS | SHRINKS | NEITHER, f"say how the cost of {cls.__name__} depends on {name}"
            if name not in NEITHER:
                yield pytest.param(cls, name, id=f"{cls.__name__}-{name}")


def grown(param: Param, value: Any, factor: Fraction) -> Any:
    """A larger value of the parameter, if there is one."""
    larger = Fraction(value) * factor if value else Fraction(param.typical[1])
    return min(math.ceil(larger) if isinstance(param, Whole) else larger, param.high)


def ordered(cls: type, name: str, m: Any, factor: Fraction) -> tuple[Any, Any]:
    """Two mechanisms that differ in one parameter, the one that costs no more first."""
    value = grown(declared(cls)[name], getattr(m, name), factor)
    other = replace(m, **{name: min(value, m.of) if name == "size" and hasattr(m, "of") else value})
    return (other, m) if name in SHRINKS else (m, other)


def tight(answer: dpc.Answer, most: float) -> bool:
    return answer.lower > 1e-9 and answer.upper < most and answer.enclosure.gap <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("cls, name", list(parameters()))
@cases(25)
@given(st.data(), st.fractions(1, 4), st.integers(1, 12), small_deltas, epsilons)
def test_in_every_parameter(  # noqa: PLR0917 - drawn, not called
    cls: type, name: str, data: st.DataObject, factor: Fraction, count: int, delta: float, epsilon: Any
) -> None:
    m = data.draw(having(cls, name))
    less, more = ordered(cls, name, m, factor)
    assert epsilon_of(count * less, delta).lower <= epsilon_of(count * more, delta).upper
    assert dpc.delta(count * less, epsilon=epsilon).lower <= dpc.delta(count * more, epsilon=epsilon).upper


def is_felt(cls: type, name: str) -> bool:
    """A staircase is laid out for its sensitivity, so that costs the same at any."""
    return name in FELT and (cls, name) != (dpc.Staircase, "sensitivity")


@pytest.mark.parametrize("cls, name", [case for case in parameters() if is_felt(*case.values)])
@cases(25)
@given(st.data(), st.integers(1, 12), small_deltas)
def test_a_tight_answer_feels_every_parameter(
    cls: type, name: str, data: st.DataObject, count: int, delta: float
) -> None:
    m = data.draw(having(cls, name).filter(lambda m: getattr(m, name)))
    less, more = (epsilon_of(count * x, delta) for x in ordered(cls, name, m, Fraction(2)))
    if tight(less, math.inf) and tight(more, math.inf):
        assert less.upper < more.lower


@cases(40)
@given(mechanisms(), st.integers(0, 30), st.integers(0, 30), deltas, epsilons)
def test_in_the_count(m: dpc.Mechanism, fewer: int, further: int, delta: Any, epsilon: Any) -> None:
    more = fewer + further
    assert epsilon_of(fewer * m, delta).lower <= epsilon_of(more * m, delta).upper
    assert dpc.delta(fewer * m, epsilon=epsilon).lower <= dpc.delta(more * m, epsilon=epsilon).upper


@pytest.mark.slow
@pytest.mark.parametrize("cls", MECHANISMS, ids=named)
@cases(25)
@given(
    st.data(), st.integers(1, 12), st.lists(deltas, min_size=2, max_size=2), st.lists(epsilons, min_size=2, max_size=2)
)
def test_in_the_question(cls: type, data: st.DataObject, count: int, at: list[Any], beyond: list[Any]) -> None:
    m = count * data.draw(some(cls))
    least, most = sorted(at, key=Fraction)
    assert epsilon_of(m, most).lower <= epsilon_of(m, least).upper
    near, far = sorted(beyond, key=Fraction)
    assert dpc.delta(m, epsilon=far).lower <= dpc.delta(m, epsilon=near).upper


@cases(100)
@given(having(dpc.BlackBox, "renyi"), st.floats(1, 3), st.integers(1, 9), small_deltas)
def test_in_a_table_of_divergences(m: Any, factor: float, count: int, delta: float) -> None:
    more = dpc.BlackBox(renyi={a: Fraction(r) * Fraction(factor) for a, r in m.renyi})
    fewer_orders = dpc.BlackBox(renyi=dict(m.renyi[:1]))
    answer = epsilon_of(count * m, delta)
    assert answer.lower <= epsilon_of(count * more, delta).upper
    assert answer.lower <= epsilon_of(count * fewer_orders, delta).upper


@cases(60)
@given(mechanisms(), st.floats(1, 20), st.floats(0, 20))
def test_a_divergence_grows_with_its_order(m: dpc.Mechanism, order: float, further: float) -> None:
    try:
        low, high = dpc.renyi(3 * m, order=order), dpc.renyi(3 * m, order=order + further)
    except dpc.NotProvable:
        return
    assert 0 <= low.lower <= high.upper
