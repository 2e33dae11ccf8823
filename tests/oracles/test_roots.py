"""Inverses against functions whose inverse is known, and float searches against minima that are."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.roots import invert_decreasing, invert_increasing, largest_integer
from dpcompose.numerics.search import argmin, bracket, root

positive = st.floats(min_value=1e-150, max_value=1e150)
anywhere = st.sampled_from([0.0, 1.0, 1e-300, 1e300, math.inf, math.nan, -5.0])


def square(x: float) -> Enclosure:
    return Enclosure.exactly(Fraction(x) ** 2)


def minus_square(x: float) -> Enclosure:
    return Enclosure.exactly(-(Fraction(x) ** 2))


@cases(60)
@given(positive, anywhere, positive)
def test_an_inverse_is_proven_and_tight_whatever_the_guess(value, wild, scale):
    for guess in (wild, math.sqrt(value), math.sqrt(value) * scale):
        up = invert_increasing(square, Enclosure(value, value), guess, 0.0, math.inf)
        down = invert_decreasing(minus_square, Enclosure(-value, -value), guess, 0.0, math.inf)
        for found in (up, down):
            assert Fraction(found.lower) ** 2 <= Fraction(value) <= Fraction(found.upper) ** 2
            assert found.gap < 1e-13


@cases(60)
@given(positive)
def test_a_good_guess_takes_two_evaluations(value):
    calls = []

    def counted(x: float) -> Enclosure:
        calls.append(x)
        return minus_square(x)

    invert_decreasing(counted, Enclosure(-value, -value), math.sqrt(value), 0.0, math.inf)
    assert len(calls) == 2


@cases(60)
@given(st.floats(min_value=0.1, max_value=10), st.floats(min_value=0, max_value=1), st.floats(min_value=0, max_value=1))
def test_an_unsure_function_and_target_give_the_hull(y, blur, width):
    def vague(t: float) -> Enclosure:
        return Enclosure(-t - blur, -t + blur)

    found = invert_decreasing(vague, Enclosure(-y - width, -y), y, 0.0, 100.0)
    least, most = max(y - blur, 0.0), y + width + blur
    assert found.lower <= least + 1e-15
    assert found.upper >= most - 1e-14
    assert found.lower == pytest.approx(least, rel=1e-9, abs=1e-300)
    assert found.upper == pytest.approx(most, rel=1e-9)


def test_answers_outside_the_range_are_its_ends():
    here = Enclosure(3.0, 3.0)
    assert invert_increasing(Enclosure.exactly, here, 1.0, 0.0, 2.0) == Enclosure(2.0, 2.0)
    assert invert_increasing(Enclosure.exactly, here, 1.0, 5.0, 9.0) == Enclosure(5.0, 5.0)
    assert invert_decreasing(lambda t: Enclosure.exactly(-t), Enclosure(-3.0, -3.0), 1.0, 5.0, 9.0) == Enclosure(5, 5)


def test_a_function_that_says_nothing_proves_nothing():
    silent = Enclosure(-math.inf, math.inf)
    assert invert_decreasing(lambda _: silent, Enclosure(0.0, 0.0), 1.0, 0.5, 7.0) == Enclosure(0.5, 7.0)


@pytest.mark.parametrize("guess", [0.0, 1.0, 1e300, math.inf, math.nan])
@pytest.mark.parametrize("falls_at", [1e299, 1e307, math.inf])
def test_no_level_is_said_to_do_that_was_not_seen_to(falls_at, guess):
    calls = []

    def late(t: float) -> Enclosure:
        calls.append(t)
        return Enclosure.exactly(0 if t >= falls_at else 1)

    found = invert_decreasing(late, Enclosure(0.5, 0.5), guess, 0.0, math.inf)
    assert found.lower <= falls_at <= found.upper
    assert falls_at < math.inf or len(calls) < 20
    assert falls_at == math.inf or found.gap < 1e-13


def test_a_plateau_at_the_target_is_entered_from_the_left():
    stairs = invert_decreasing(lambda t: Enclosure.exactly(-math.floor(t)), Enclosure(-2.0, -2.0), 2.7, 0.0, 9.0)
    assert stairs.lower <= 2.0 <= stairs.upper
    assert stairs.gap < 1e-12


@cases(60)
@given(st.integers(0, 10**18), st.integers(-5, 10**19), st.integers(1, 3))
def test_the_largest_integer_is_exact_where_the_function_is(limit, guess, power):
    sure, possible = largest_integer(
        lambda k: Enclosure.exactly(Fraction(k**power, 2)), Enclosure(limit, limit), guess, 0, 10**20
    )
    bound = Fraction(Enclosure(limit, limit).lower)
    assert Fraction(sure**power, 2) <= bound < Fraction((possible + 1) ** power, 2)
    assert possible - sure <= max(1, sure >> 50)


def test_the_largest_integer_at_the_ends():
    assert largest_integer(lambda _: Enclosure(5.0, 5.0), Enclosure(1.0, 1.0), 3, 0, 10) == (-1, -1)
    assert largest_integer(lambda _: Enclosure(0.0, 0.0), Enclosure(1.0, 1.0), 3, 0, 10) == (10, 10)
    assert largest_integer(lambda k: Enclosure(k - 0.5, k + 0.5), Enclosure(100.0, 101.0), 3, 0, 999) == (99, 101)


@cases(60)
@given(st.floats(min_value=1e-6, max_value=1e6))
def test_argmin_finds_a_valley_among_failures(place):
    def valley(x: float) -> float:
        if x > 3e6:
            return math.nan
        return math.log(x / place) ** 2 + 0.001 * math.cos(x)

    found = argmin(valley, 1e-9, 1e9)
    assert valley(found) <= 0.02  # a ripple can mislead a bracket more than once, never out of the valley
    assert argmin(lambda x: abs(x - place), 1e-9, 1e9) == pytest.approx(place, rel=1e-6)


def test_argmin_at_the_ends_and_nowhere():
    assert argmin(lambda x: x, 1.0, 5.0) == 1.0
    assert argmin(lambda x: -x, 1.0, 5.0) == 5.0
    assert 1.0 <= argmin(lambda _: math.inf, 1.0, 5.0) <= 5.0
    assert argmin(lambda x: 1 / (x - x), 1.0, 1.0) == 1.0


@cases(60)
@given(st.floats(min_value=1e-9, max_value=1e9), st.floats(min_value=1e-12, max_value=1e12))
def test_roots_and_brackets_surround_the_sign_change(place, guess):
    low, high = bracket(lambda x: place - x, guess, 0.0, 1e300)
    assert low <= place <= high
    assert root(lambda x: place**3 - x**3, 0.0, 4 * place) == pytest.approx(place, rel=1e-9)
