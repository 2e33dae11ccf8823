"""Theorems against each other, against the exact optimum, and against their own lineage."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

import dpcompose as dpc
from cases import cases
from dpcompose.kernel import STANDARD, SameAs, Side, Verb
from dpcompose.notions import Profile
from dpcompose.prove.claims import known
from dpcompose.prove.narrowing import WORTH_WHILE
from oracles.definitions import leaky_responses
from strategies import (
    MECHANISMS,
    agree,
    compositions,
    deltas,
    epsilon_of,
    epsilons,
    named,
    small_deltas,
    some,
    under,
)

every = pytest.mark.parametrize("cls", MECHANISMS, ids=named)
ROUNDING = mpf(10) ** -50  # of the oracle, which works with sixty digits
steps = st.tuples(st.floats(0.001, 3), st.sampled_from([0, 0, 1e-6, 0.01]) | st.floats(0, 0.2), st.integers(1, 6))


def boxes(kinds: list[tuple[float, float, int]]) -> dpc.Composition:
    return dpc.Composition(tuple((dpc.BlackBox(epsilon=e, delta=d), n) for e, d, n in kinds))


@cases(300)
@given(st.lists(steps, min_size=1, max_size=3), st.floats(0, 6))
def test_no_theorem_says_less_than_the_worst_black_boxes_cost(kinds: list[Any], epsilon: float) -> None:
    truth = leaky_responses(kinds, epsilon)
    compared = dpc.compare(boxes(kinds), epsilon=epsilon)
    values = {row.theorem: row.value for row in compared.rows if row.value is not None}
    assert values
    assert all(value + ROUNDING >= truth for value in values.values()), (truth, values)
    assert compared.best.lower - ROUNDING <= truth <= compared.best.upper + ROUNDING
    assert compared.best.enclosure.gap < 1e-9 or compared.best.upper < 1e-12


@cases(100)
@given(st.lists(steps, min_size=1, max_size=3), small_deltas)
def test_at_every_theorems_epsilon_the_worst_black_boxes_keep_delta(kinds: list[Any], delta: float) -> None:
    compared = dpc.compare(boxes(kinds), delta=delta)
    for row in compared.rows:
        if row.value is not None and math.isfinite(row.value):
            assert leaky_responses(kinds, row.value) <= delta + ROUNDING, row.theorem
    below = compared.best.lower
    if 0 < below < math.inf:
        assert leaky_responses(kinds, below * (1 - 1e-9)) >= delta


@cases(20)
@given(compositions(3, 9), deltas, epsilons)
def test_no_two_theorems_contradict_each_other(c: dpc.Composition, delta: Any, epsilon: Any) -> None:
    """`compare` evaluates them all, and raises where an upper bound falls below a lower one."""
    for found, quick in (
        (dpc.compare(c, epsilon=epsilon), dpc.delta(c, epsilon=epsilon)),
        (dpc.compare(c, delta=delta), epsilon_of(c, delta)),
    ):
        assert quick.lower <= found.best.upper
        assert found.best.lower <= quick.upper
        assert found.best.upper <= quick.upper
        assert all(row.value is None or row.value >= found.best.lower for row in found.rows)
        assert all((row.value is None) == bool(row.reason) for row in found.rows)


@pytest.mark.slow
@every
@cases(30)
@given(data=st.data(), count=st.integers(1, 9), delta=small_deltas)
def test_there_and_back(cls: type, data: st.DataObject, count: int, delta: float) -> None:
    m = count * data.draw(some(cls))
    answer = epsilon_of(m, delta)
    if answer.upper <= 10**300:
        assert dpc.delta(m, epsilon=answer.upper).lower <= delta
    below = answer.lower * (1 - 1e-9)
    if 0 < below < math.inf:
        assert dpc.delta(m, epsilon=below).upper >= delta


@pytest.mark.slow
@every
@cases(20)
@given(data=st.data(), count=st.integers(1, 9), epsilon=st.floats(0.01, 8))
def test_back_and_there(cls: type, data: st.DataObject, count: int, epsilon: float) -> None:
    m = count * data.draw(some(cls))
    answer = dpc.delta(m, epsilon=epsilon)
    assert epsilon_of(m, answer.upper).lower <= epsilon
    below = answer.lower * (1 - 1e-9)
    if below > 0:
        assert epsilon_of(m, below).upper >= epsilon


@every
@cases(25)
@given(data=st.data(), count=st.integers(1, 9), other=some(dpc.Gaussian) | some(dpc.BlackBox))
def test_every_claim_can_be_made_again_and_rests_on_descriptions(
    cls: type, data: st.DataObject, count: int, other: dpc.Mechanism
) -> None:
    m = data.draw(some(cls))
    whole = count * m + (other if m.adjacency is None else under(other, m.adjacency))
    claims = known(whole).claims
    assert claims
    for claim in claims:
        claim.check()
        for _, step in claim.lineage():
            assert step.premises or step.theorem.verb in (Verb.DESCRIBES, Verb.COMPOSES)
            assert step.theorem.verb is not Verb.COMPOSES or isinstance(step.subject, dpc.Composition)
            assert all(step.side in premise.side for premise in step.premises), "stronger than what it rests on"
            assert step.side in step.theorem.side


@every
@cases(13)
@given(data=st.data(), count=st.integers(0, 9), delta=deltas)
def test_an_answer_says_who_is_behind_each_end(cls: type, data: st.DataObject, count: int, delta: Any) -> None:
    answer = epsilon_of(count * data.draw(some(cls)), delta)
    if answer.upper_by is not None:
        assert Side.UPPER in answer.upper_by.side
        assert isinstance(answer.upper_by.guarantee, Profile)
        found = answer.upper_by.guarantee.epsilon(Fraction(delta))
        spared = 2 * WORTH_WHILE * (answer.upper - answer.lower)  # ends that do not meet are followed no further
        assert found.upper == answer.upper or found.lower <= answer.upper <= found.upper + spared
        assert all(f"@misc{{{c.theorem.source.key}," in answer.cite() for _, c in answer.upper_by.lineage())
        assert all(c.theorem.id in answer.because for _, c in answer.upper_by.lineage()) or answer.lower == math.inf
    if answer.lower > 0:
        assert answer.lower_by is not None
        assert Side.LOWER in answer.lower_by.side


@pytest.mark.parametrize("theorem", STANDARD.theorems.values(), ids=lambda t: t.proof.__name__)
def test_every_theorem_states_its_mathematics_and_its_page(theorem: Any) -> None:
    assert len(theorem.statement) > 20
    assert theorem.source.where
    assert theorem.types[-1] is not SameAs or theorem.verb is not Verb.IMPLIES  # a cost is carried over by POST alone
    assert theorem.id


@cases(15)
@given(compositions(3, 6), st.lists(deltas, min_size=1, max_size=4), st.lists(epsilons, min_size=1, max_size=4))
def test_a_sequence_of_questions_is_each_of_them(c: dpc.Composition, at: list[Any], beyond: list[Any]) -> None:
    many = dpc.delta(c, epsilon=beyond)
    assert all(agree([a, dpc.delta(c, epsilon=e)]) for a, e in zip(many, beyond, strict=True))
    assert len(many) == len(beyond)
    try:
        answers = dpc.epsilon(c, delta=at)
    except dpc.NotProvable:
        return
    assert list(answers.upper) == [dpc.epsilon(c, delta=d).upper for d in at]
