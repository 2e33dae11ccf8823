"""The ends of every range, and totality: every legal question has an answer, soon."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from strategies import (
    LEAVES,
    MECHANISMS,
    agree,
    deltas,
    epsilon_of,
    epsilons,
    extreme,
    leaves,
    mechanisms,
    named,
    some,
    sound,
)

every = pytest.mark.parametrize("cls", MECHANISMS, ids=named)
SECONDS = 90  # of processor time: a limit for a hang only, since times never decide a test


@contextmanager
def limited(what: object) -> Iterator[None]:
    """Fail, rather than hang."""

    def late(*_: object) -> None:
        pytest.fail(f"no answer within {SECONDS} s: {what!r}")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def answered(m: dpc.Mechanism, delta: Any, epsilon: Any) -> None:
    """Both questions have an answer; a refusal is right only where no theorem gives any ε whatever."""
    with limited((m, delta, epsilon)):
        found = dpc.delta(m, epsilon=epsilon)
        assert sound(found, most=1)
        try:
            assert sound(dpc.epsilon(m, delta=delta))
        except dpc.NotProvable:
            assert dpc.delta(m, epsilon=10**300).upper > Fraction(delta)


@every
@cases(40)
@given(data=st.data(), delta=deltas, epsilon=epsilons)
def test_running_nothing_costs_nothing(cls: type, data: st.DataObject, delta: Any, epsilon: Any) -> None:
    nothing = 0 * data.draw(some(cls))
    assert dpc.epsilon(nothing, delta=delta).upper == 0
    assert dpc.delta(nothing, epsilon=epsilon).upper == 0
    assert dpc.renyi(nothing, order=2).upper == 0


@every
@cases(40)
@given(data=st.data(), count=st.integers(0, 9))
def test_everything_is_private_at_delta_one(cls: type, data: st.DataObject, count: int) -> None:
    assert epsilon_of(count * data.draw(some(cls)), 1).upper == 0


@every
@cases(40)
@given(data=st.data(), count=st.integers(1, 9))
def test_delta_zero_is_the_largest_loss_of_all(cls: type, data: st.DataObject, count: int) -> None:
    """At δ = 0 nothing but the sum of the largest losses will do; without a largest loss, nothing will."""
    m = data.draw(some(cls))
    answer = epsilon_of(count * m, 0)
    assert sound(answer)
    single = epsilon_of(m, 0)
    assert answer.lower <= count * single.upper * (1 + 1e-12)
    assert count * single.lower <= answer.upper * (1 + 1e-9)


@pytest.mark.slow
@every
@cases(20)
@given(data=st.data(), count=st.integers(1, 9))
def test_at_epsilon_zero_delta_is_a_distance(cls: type, data: st.DataObject, count: int) -> None:
    """δ(0) is the total variation: subadditive, and at most 1."""
    m = data.draw(some(cls))
    whole, single = dpc.delta(count * m, epsilon=0), dpc.delta(m, epsilon=0)
    assert sound(whole, most=1)
    assert single.lower <= whole.upper
    assert whole.lower <= count * single.upper * (1 + 1e-12)


@cases(75)
@given(leaves(), st.integers(1, 9), deltas, epsilons)
def test_sampling_nobody_and_everybody(m: dpc.Mechanism, count: int, delta: Any, epsilon: Any) -> None:
    nobody, everybody = count * dpc.Sampled(m, rate=0), count * dpc.Sampled(m, rate=1.0)
    assert dpc.epsilon(nobody, delta=delta).upper == 0
    assert dpc.delta(nobody, epsilon=epsilon).upper == 0
    assert agree([epsilon_of(everybody, delta), epsilon_of(count * m, delta)])
    assert agree([dpc.delta(everybody, epsilon=epsilon), dpc.delta(count * m, epsilon=epsilon)])


@pytest.mark.slow
@cases(75)
@given(leaves(), st.fractions(0, 1), st.integers(1, 9), deltas)
def test_sampling_never_costs_more(m: dpc.Mechanism, rate: Fraction, count: int, delta: Any) -> None:
    assert epsilon_of(count * dpc.Sampled(m, rate=rate), delta).lower <= epsilon_of(count * m, delta).upper


@pytest.mark.slow
@cases(75)
@given(mechanisms(), st.integers(1, 9), deltas, epsilons)
def test_a_group_of_one(m: dpc.Mechanism, count: int, delta: Any, epsilon: Any) -> None:
    one = count * dpc.Group(m, size=1)
    assert agree([epsilon_of(one, delta), epsilon_of(count * m, delta)])
    assert agree([dpc.delta(one, epsilon=epsilon), dpc.delta(count * m, epsilon=epsilon)])


NOISY = {dpc.Gaussian: "noise_std", dpc.DiscreteGaussian: "noise_std", dpc.Laplace: "scale", dpc.Geometric: "scale"}


@pytest.mark.parametrize("cls, noise", NOISY.items(), ids=named)
@pytest.mark.parametrize("delta", [0, 1e-9, 0.999])
def test_without_noise_everything_is_lost(cls: Any, noise: str, delta: float) -> None:
    for wrapped in (cls(**{noise: 0}), 3 * cls(**{noise: 0}), dpc.Group(cls(**{noise: 0}), size=2)):
        assert dpc.epsilon(wrapped, delta=delta).lower == math.inf
        assert dpc.delta(wrapped, epsilon=10**6).lower == 1
        assert "reveals" in dpc.epsilon(wrapped, delta=delta).because
    assert dpc.renyi(cls(**{noise: 0}), order=2).lower == math.inf


@pytest.mark.parametrize("cls, noise", NOISY.items(), ids=named)
@pytest.mark.parametrize("level", [0, 5e-324, 1, 10**150])
def test_without_sensitivity_nothing_is_lost(cls: Any, noise: str, level: float) -> None:
    silent = 5 * cls(**{noise: level, "sensitivity": 0})
    assert dpc.epsilon(silent, delta=0).upper == 0
    assert dpc.delta(silent, epsilon=0).upper == 0
    assert dpc.renyi(silent, order=1).upper == 0


@pytest.mark.parametrize("gamma", [None, 0, Fraction(1, 3), 1])
def test_a_staircase_without_sensitivity_costs_nothing(gamma: Any) -> None:
    assert dpc.epsilon(3 * dpc.Staircase(epsilon=1, sensitivity=0, gamma=gamma), delta=0).upper == 0


@pytest.mark.parametrize("cls", LEAVES, ids=named)
@cases(40)
@given(data=st.data(), count=st.sampled_from([1, 2, 1000, 10**9]), delta=deltas, epsilon=epsilons)
def test_every_leaf_is_total(cls: type, data: st.DataObject, count: int, delta: Any, epsilon: Any) -> None:
    answered(count * data.draw(some(cls, extreme)), delta, epsilon)


@pytest.mark.slow
@pytest.mark.parametrize("cls", [c for c in MECHANISMS if c not in LEAVES], ids=named)
@cases(50)
@given(data=st.data(), count=st.sampled_from([1, 2, 1000, 10**9]), delta=deltas, epsilon=epsilons)
def test_every_wrapper_is_total(cls: type, data: st.DataObject, count: int, delta: Any, epsilon: Any) -> None:
    answered(count * data.draw(some(cls, extreme)), delta, epsilon)


@pytest.mark.slow
@cases(30)
@given(st.lists(st.tuples(mechanisms(extreme), st.sampled_from([1, 7, 10**6])), max_size=3), deltas, epsilons)
def test_every_mixture_is_total(parts: list[Any], delta: Any, epsilon: Any) -> None:
    answered(dpc.Composition(tuple(parts)), delta, epsilon)


FAR = [5e-324, 1e-300, 1e-150, 1 - 2**-53]


@pytest.mark.slow
@every
@cases(20)
@given(data=st.data(), delta=st.sampled_from(FAR), epsilon=st.sampled_from([5e-324, 1e-300, 700, 1e6, 1e300, 10**300]))
def test_every_question_is_answered(cls: type, data: st.DataObject, delta: float, epsilon: float) -> None:
    answered(3 * data.draw(some(cls)), delta, epsilon)


@every
@cases(25)
@given(data=st.data(), order=st.sampled_from([1, 1 + 2**-52, 2, Fraction(7, 3), 1000, 10**9]))
def test_every_divergence_is_answered(cls: type, data: st.DataObject, order: Any) -> None:
    m = data.draw(some(cls) | some(cls, extreme))
    with limited((m, order)):
        try:
            assert sound(dpc.renyi(2 * m, order=order))
        except dpc.NotProvable:
            assert cls not in LEAVES
