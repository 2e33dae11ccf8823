"""Sums of finite laws against every outcome of the product, one by one, and their building blocks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.exact.atoms import coprime_base
from dpcompose.exact.binomial import two_point_delta, two_point_epsilon
from dpcompose.exact.finite import sum_delta, sum_epsilon
from dpcompose.exact.states import power
from dpcompose.numerics.enclosure import Enclosure, ball
from oracles.finite_laws import Pair, Response


def number(x: Fraction | float) -> mpmath.mpf:
    top, bottom = Fraction(x).as_integer_ratio()
    return mpmath.mpf(top) / bottom


def every_outcome(pairs: Sequence[Pair], level: float) -> Fraction:
    """The sum of (P - e^t Q)_+ over all outcomes, in 60 digits."""
    with mpmath.workdps(60):
        scale, total = mpmath.exp(number(level)), mpmath.mpf(0)
        for outcome in itertools.product(*(list(zip(pair.p, pair.q, strict=True)) for pair in pairs)):
            p = math.prod(x for x, _ in outcome)
            q = math.prod(y for _, y in outcome)
            total += max(number(p) - scale * number(q), 0)
        return total


def distributions(size: int) -> st.SearchStrategy[tuple[Fraction, ...]]:
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    return weights.map(lambda w: tuple(Fraction(x, sum(w)) for x in w))


pairs = st.integers(2, 4).flatmap(lambda n: st.builds(Pair, distributions(n), distributions(n)))


@given(st.lists(pairs, min_size=1, max_size=5), st.sampled_from([0.0, 0.1, 0.7, 2.0]))
@cases(60)
def test_profile_of_pairs_is_the_sum_over_outcomes(several: list[Pair], level: float) -> None:
    found, truth = sum_delta([(pair, 1) for pair in several], level), every_outcome(several, level)
    with mpmath.workdps(60):
        assert found.lower - mpmath.mpf(10) ** -50 <= truth <= found.upper + mpmath.mpf(10) ** -50
    assert found.gap <= 1e-12 or found.upper < 1e-40


@given(st.lists(pairs, min_size=1, max_size=4), st.floats(0.0, 1.0))
@cases(60)
def test_inverse_of_pairs_is_where_outcomes_meet_the_mass(several: list[Pair], mass: float) -> None:
    found = sum_epsilon([(pair, 1) for pair in several], Enclosure(mass, mass))
    leak = 1 - math.prod(1 - sum((p for p, q in zip(x.p, x.q, strict=True) if not q), Fraction(0)) for x in several)
    with mpmath.workdps(60):
        slack = mpmath.mpf(10) ** -50
        if leak > mass:
            assert found == Enclosure(math.inf, math.inf)
            return
        assert found.lower == 0.0 or every_outcome(several, found.lower) >= number(mass) - slack
        if math.isfinite(found.upper):
            assert every_outcome(several, found.upper) <= number(mass) + slack
        else:
            assert abs(leak - Fraction(mass)) < Fraction(1, 10**100)  # a tie that no precision decides


@given(st.lists(pairs, min_size=1, max_size=3), st.lists(st.integers(0, 3), min_size=3, max_size=3))
@cases(30)
def test_counts_are_repetitions(several: list[Pair], counts: list[int]) -> None:
    counted = [(pair, n) for pair, n in zip(several, counts, strict=False)]
    written_out = [pair for pair, n in counted for _ in range(n)]
    found, truth = sum_delta(counted, 0.25), every_outcome(written_out, 0.25)
    with mpmath.workdps(60):
        assert found.lower - mpmath.mpf(10) ** -50 <= truth <= found.upper + mpmath.mpf(10) ** -50


@given(st.integers(1, 400), st.fractions(Fraction(1, 50), 2), st.floats(0.0, 1.0))
@cases(40)
def test_one_response_agrees_with_the_binomial_sum(count: int, e: Fraction, share: float) -> None:
    level = Fraction(share) * count * e
    one, other = sum_delta([(Response(e), count)], level), two_point_delta(count, e, level)
    assert one & other  # an empty intersection raises
    mass = Enclosure(1e-7, 1e-7)
    assert sum_epsilon([(Response(e), count)], mass) & two_point_epsilon(count, e, mass)


@given(st.lists(st.integers(1, 5000), max_size=8))
def test_coprime_base_factors_what_it_was_made_of(numbers: list[int]) -> None:
    base = coprime_base(numbers)
    assert all(math.gcd(a, b) == 1 for a, b in itertools.combinations(base, 2))
    for n in numbers:
        rest = n
        for b in base:
            while rest % b == 0:
                rest //= b
        assert rest == 1


@pytest.mark.parametrize("losses", [(0, 1, 2), (0, 1, 5), (-3, 0, 2, 7)])
@pytest.mark.parametrize("count", [3, 700])
def test_powers_add_up_to_one_and_have_the_right_mean(losses: tuple[int, ...], count: int) -> None:
    size = len(losses) * (len(losses) + 1) // 2
    mean = sum((Fraction(i + 1, size) * loss for i, loss in enumerate(losses)), Fraction(0))
    with ctx.workprec(128):
        found = power({loss: ball(Fraction(i + 1, size)) for i, loss in enumerate(losses)}, count)
        total = sum(found.values(), arb(0))
        moment = sum((mass * loss for loss, mass in found.items()), arb(0))
        assert total.contains(1)
        assert moment.contains(ball(count * mean))
        assert max(Enclosure.of(total).gap, Enclosure.of(moment).gap) < 1e-12
