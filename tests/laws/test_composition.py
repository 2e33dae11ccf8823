"""A composition costs what its parts cost, in whatever way it is written down."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from strategies import MECHANISMS, agree, compositions, deltas, epsilon_of, epsilons, named, small_deltas, some

TIGHT = 1e-6
every = pytest.mark.parametrize("cls", MECHANISMS, ids=named)


def same(one: dpc.Answer, other: dpc.Answer) -> bool:
    return one.enclosure == other.enclosure


@pytest.mark.slow
@every
@cases(20)
@given(data=st.data(), times=st.integers(0, 12), delta=deltas, epsilon=epsilons)
def test_saying_a_count_is_repeating(cls: type, data: st.DataObject, times: int, delta: Any, epsilon: Any) -> None:
    m = data.draw(some(cls))
    repeated = dpc.Composition((m,) * times)
    assert same(epsilon_of(times * m, delta), epsilon_of(repeated, delta))
    found = dpc.delta(repeated, epsilon=epsilon)
    assert same(dpc.delta(times * m, epsilon=epsilon), found)
    assert same(dpc.delta(sum([m] * times, dpc.Composition()), epsilon=epsilon), found)


SCALED = [dpc.Gaussian, dpc.Laplace, dpc.DiscreteGaussian, dpc.Geometric]


def scaled(m: Any, factor: int) -> Any:
    """The same mechanism in another unit; integer noise has only one unit, so a group of one stands in."""
    if isinstance(m, dpc.Gaussian):
        noise, shift = factor * Fraction(m.noise_std), factor * Fraction(m.sensitivity)
        return dpc.Gaussian(noise_std=noise, sensitivity=shift)
    if isinstance(m, dpc.Laplace):
        return dpc.Laplace(scale=factor * Fraction(m.scale), sensitivity=factor * Fraction(m.sensitivity))
    return dpc.Group(m, size=1)


@pytest.mark.parametrize("cls", SCALED, ids=named)
@cases(40)
@given(data=st.data(), left=st.integers(0, 8), right=st.integers(1, 8), delta=small_deltas, factor=st.integers(2, 9))
def test_parts_that_do_not_merge_cost_what_they_cost_merged(  # noqa: PLR0917 - drawn, not called
    cls: type, data: st.DataObject, left: int, right: int, delta: float, factor: int
) -> None:
    m = data.draw(some(cls))
    apart = left * m + right * scaled(m, factor)
    assert agree([epsilon_of(apart, delta), epsilon_of((left + right) * m, delta)])
    assert agree([dpc.delta(apart, epsilon=1), dpc.delta((left + right) * m, epsilon=1)])


@cases(60)
@given(st.floats(0.01, 4), st.integers(1, 8), st.integers(1, 8), small_deltas)
def test_the_same_law_under_three_names_costs_the_same(e: float, left: int, right: int, delta: float) -> None:
    names = [
        dpc.RandomizedResponse(epsilon=e),
        dpc.BlackBox(epsilon=e),
        dpc.Geometric(scale=1 / Fraction(e)),
        dpc.Staircase(epsilon=e, gamma=Fraction(1, 2)),
    ]
    answers = [epsilon_of(left * one + right * other, delta) for one in names for other in names]
    assert agree(answers)
    assert answers[0].enclosure.gap <= TIGHT or answers[0].upper <= 1e-12


@pytest.mark.parametrize("cls", [dpc.Gaussian, dpc.Laplace], ids=named)
@cases(400)
@given(data=st.data(), factor=st.integers(2, 10**6), count=st.integers(1, 9), delta=small_deltas)
def test_units_do_not_matter(cls: type, data: st.DataObject, factor: int, count: int, delta: float) -> None:
    m = data.draw(some(cls))
    assert same(epsilon_of(count * m, delta), epsilon_of(count * scaled(m, factor), delta))


@cases(500)
@given(st.floats(0.1, 20), st.integers(1, 30), small_deltas)
def test_a_gaussian_splits_into_noisier_ones(noise: float, parts: int, delta: float) -> None:
    whole = dpc.Gaussian(noise_std=parts * Fraction(noise), sensitivity=parts)
    assert same(
        epsilon_of(parts**2 * whole, delta), epsilon_of(dpc.Gaussian(noise_std=noise, sensitivity=parts), delta)
    )


@cases(40)
@given(st.data(), compositions(), deltas, epsilons)
def test_the_order_of_parts_does_not_matter(data: st.DataObject, c: dpc.Composition, delta: Any, epsilon: Any) -> None:
    shuffled = dpc.Composition(tuple(data.draw(st.permutations(c.parts))))
    assert agree([epsilon_of(c, delta), epsilon_of(shuffled, delta)])
    one, other = dpc.delta(c, epsilon=epsilon), dpc.delta(shuffled, epsilon=epsilon)
    assert agree([one, other])
    assert one.upper == pytest.approx(other.upper, rel=1e-5, abs=1e-11)


@cases(40)
@given(compositions(2, 6), compositions(2, 6), st.integers(0, 5), deltas)
def test_nesting_does_not_matter(a: dpc.Composition, b: dpc.Composition, times: int, delta: Any) -> None:
    nested = dpc.Composition(((dpc.Composition(((a, times), (b, 1))), 1), (a, 1)))
    flat = dpc.Composition(tuple((m, (times + 1) * n) for m, n in a.parts) + b.parts)
    one, other = epsilon_of(nested, delta), epsilon_of(flat, delta)
    assert agree([one, other])
    assert one.upper == pytest.approx(other.upper, rel=1e-5, abs=1e-11)


@pytest.mark.slow
@cases(20)
@given(compositions(), deltas, epsilons)
def test_an_empty_part_costs_nothing(c: dpc.Composition, delta: Any, epsilon: Any) -> None:
    assert same(epsilon_of(c + dpc.Composition(), delta), epsilon_of(c, delta))
    assert same(dpc.delta(c + 0 * dpc.Gaussian(noise_std=1), epsilon=epsilon), dpc.delta(c, epsilon=epsilon))


@cases(50)
@given(st.data(), compositions(3, 9), deltas, epsilons)
def test_a_part_costs_no_more_than_the_whole(data: st.DataObject, c: dpc.Composition, delta: Any, epsilon: Any) -> None:
    part = dpc.Composition(tuple((m, data.draw(st.integers(0, n))) for m, n in c.parts))
    assert epsilon_of(part, delta).lower <= epsilon_of(c, delta).upper
    assert dpc.delta(part, epsilon=epsilon).lower <= dpc.delta(c, epsilon=epsilon).upper


@cases(50)
@given(compositions(3, 9), compositions(3, 9), st.floats(0, 3), st.floats(0, 3))
def test_together_no_more_than_one_after_the_other(
    a: dpc.Composition, b: dpc.Composition, first: float, second: float
) -> None:
    """Basic composition of the two halves' exact readings is a bound on the whole, whatever they are."""
    whole = dpc.delta(a + b, epsilon=Fraction(first) + Fraction(second))
    assert whole.lower <= (dpc.delta(a, epsilon=first).upper + dpc.delta(b, epsilon=second).upper) * (1 + 1e-12)


@cases(150)
@given(some(dpc.DiscretePair), st.integers(1, 6), epsilons)
def test_merging_two_outcomes_costs_no_more(m: dpc.DiscretePair, count: int, epsilon: Any) -> None:
    merged = dpc.DiscretePair(p=[m.p[0] + m.p[1], *m.p[2:]], q=[m.q[0] + m.q[1], *m.q[2:]])
    assert dpc.delta(count * merged, epsilon=epsilon).lower <= dpc.delta(count * m, epsilon=epsilon).upper


@cases(150)
@given(some(dpc.DiscretePair), st.integers(1, 6), epsilons)
def test_renaming_inputs_or_outcomes_changes_nothing(m: dpc.DiscretePair, count: int, epsilon: Any) -> None:
    assume(count)
    swapped, reversed_ = dpc.DiscretePair(p=m.q, q=m.p), dpc.DiscretePair(p=m.p[::-1], q=m.q[::-1])
    assert agree([dpc.delta(count * x, epsilon=epsilon) for x in (m, swapped, reversed_)], slack=1e-12)
