"""Every reading of every kind, in every wrapper and under every relation: more is never said to cost less, one law
written in two ways is not told apart, and what is read in one way fits what is read in another.

Kinds come from the library, so that a new one inherits these laws. Both ends of every answer take part.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.regions import accuracy, advantage, bayes_error, beta, posterior, posterior_odds, tpr
from strategies import LEAVES, MECHANISMS, epsilon_of, named, some, under

pytestmark = pytest.mark.slow
every = pytest.mark.parametrize("cls", MECHANISMS, ids=named)
ALPHA, LEVEL, DELTA, ROUNDING = 0.2, 0.4, 1e-3, 1e-9


def divergence(m: dpc.Mechanism) -> dpc.Answer:
    try:
        return dpc.renyi(m, 2)
    except dpc.NotProvable:
        return dpc.Answer("D", dpc.Enclosure(0.0, math.inf), None, None)


COSTS: dict[str, Callable[[dpc.Mechanism], dpc.Answer]] = {
    "ε": lambda m: epsilon_of(m, DELTA),
    "δ": lambda m: dpc.delta(m, LEVEL),
    "D": divergence,
    "TPR": lambda m: tpr(m, ALPHA),
    "advantage": advantage,
    "accuracy": lambda m: accuracy(m, Fraction(1, 3)),
    "odds": lambda m: posterior_odds(m, delta=DELTA),
    "posterior": lambda m: posterior(m, delta=0.1),
}
"""The more, the less private."""
ERRORS: dict[str, Callable[[dpc.Mechanism], dpc.Answer]] = {
    "β": lambda m: beta(m, ALPHA),
    "Bayes error": lambda m: bayes_error(m, Fraction(1, 3)),
}
READINGS = COSTS | ERRORS
BESIDE = (
    dpc.DiscretePair(p=(Fraction(9, 10), Fraction(1, 10)), q=(Fraction(1, 2), Fraction(1, 2))),
    dpc.BlackBox(epsilon=0.3, delta=0.01),
    dpc.BlackBox(epsilon=5e-324),
)


def placed(m: dpc.Mechanism, relation: dpc.Adjacency) -> dpc.Mechanism:
    """Under a relation that is asked for, where a kind can be stated under it."""
    if type(m) not in LEAVES:
        return m
    try:
        return under(m, relation)
    except dpc.InvalidParameter:
        return m


def wrapped(m: dpc.Mechanism, way: str) -> dpc.Mechanism:
    """In a wrapper that takes it; a mechanism that fits any relation adopts that of the wrapper."""
    if "group" in way:
        m = dpc.Group(m, size=2)
    if "sample" in way:
        replaced = m.adjacency is dpc.REPLACE_ONE
        m = dpc.SampledWithoutReplacement(m, size=2, of=5) if replaced else dpc.Sampled(m, rate=0.4)
    return m


@st.composite
def works(draw: st.DrawFn, cls: type[dpc.Mechanism]) -> tuple[dpc.Mechanism, dpc.Mechanism, str]:
    """A mechanism somewhere, another part, and a reading: chosen evenly, where draws would begin with the first."""
    rng = random.Random(f"{cls.__name__} {draw(st.integers(0, 10**6))}")  # noqa: S311 - a draw, no secret
    m = placed(draw(some(cls)), rng.choice((dpc.ADD_REMOVE, dpc.REPLACE_ONE, dpc.ZERO_OUT)))
    way = rng.choice(("as it is", "as it is", "sample", "group", "sample of a group"))
    return wrapped(m, way) if cls in LEAVES else m, rng.choice(BESIDE), rng.choice(list(READINGS))


def test_every_reading_of_an_answer_is_here() -> None:
    """Whatever is exported and gives one answer about a mechanism alone is read, or inverts what is."""
    asked = {"epsilon", "delta", "renyi", "tpr", "advantage", "accuracy", "posterior_odds", "posterior", "beta"}
    known = {name for name in dpc.__all__ if _answers(getattr(dpc, name))}
    assert known <= asked | {"bayes_error", "alpha"}, known
    assert {field.name for field in fields(dpc.Answer)} >= {"enclosure", "upper_by", "lower_by"}


def _answers(what: Any) -> bool:
    said = getattr(what, "__annotations__", {})
    return callable(what) and "mechanism" in said and str(said.get("return", "")).startswith("Answer")


@every
@cases(2)
@given(data=st.data())
def test_a_further_part_never_lowers_what_is_lost(cls: type, data: st.DataObject) -> None:
    m, beside, reading = data.draw(works(cls))
    alone, whole = READINGS[reading](m), READINGS[reading](m + beside)
    if reading in ERRORS:
        alone, whole = whole, alone
    assert alone.lower <= whole.upper, (m, beside)


@every
@cases(1)
@given(data=st.data())
def test_a_sum_written_in_two_ways_is_one(cls: type, data: st.DataObject) -> None:
    m, _, reading = data.draw(works(cls))
    counted, written_out = READINGS[reading](2 * m), READINGS[reading](m + dpc.Group(m, size=1))
    assert max(counted.lower, written_out.lower) <= min(counted.upper, written_out.upper), m


@every
@cases(1)
@given(data=st.data())
def test_readings_fit_each_other(cls: type, data: st.DataObject) -> None:
    m, _, _ = data.draw(works(cls))
    level, mass = dpc.delta(m, LEVEL), epsilon_of(m, DELTA)
    apart, error, power = advantage(m), beta(m, ALPHA), tpr(m, ALPHA)
    assert meet(apart.lower, apart.upper, dpc.delta(m, 0))
    assert meet(1 - power.upper, 1 - power.lower, error)
    assert meet((1 - apart.upper) / 2, (1 - apart.lower) / 2, bayes_error(m))
    for truth, epsilon in ((level, LEVEL), (apart, 0.0)):  # no pair of errors lies below a line of the region
        assert 1 - truth.upper - math.exp(epsilon) * ALPHA <= error.upper + ROUNDING
    odds = posterior_odds(m, delta=DELTA)
    assert mass.lower > 700 or math.exp(mass.lower) <= odds.upper * (1 + ROUNDING)
    leaks_no_more_than_delta(m, mass)
    for compared, found in ((dpc.compare(m, epsilon=LEVEL), level), (dpc.compare(m, delta=DELTA), mass)):
        assert meet(compared.best.lower, compared.best.upper, found)
        assert all(row.value is None or row.value >= found.lower * (1 - ROUNDING) for row in compared.rows)


def leaks_no_more_than_delta(m: dpc.Mechanism, mass: dpc.Answer) -> None:
    """Where some ε holds at δ, outputs that rule an input out have no more than δ: whoever never errs one way errs
    the other way otherwise.
    """
    assert mass.upper == math.inf or beta(m, 0).upper >= 1 - DELTA


def meet(lower: float, upper: float, other: dpc.Answer) -> bool:
    slack = ROUNDING * max(1.0, min(upper, other.upper))
    return lower <= other.upper + slack and other.lower <= upper + slack
