"""Rényi curves from cumulants, against integrals and sums of the definitions at thirty digits."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpcompose as dpc
from cases import cases
from dpcompose.inversion import Direction
from dpcompose.mechanisms.discrete_pair import PairLaw
from dpcompose.notions import Curve
from dpcompose.numerics.enclosure import enclose
from dpcompose.theorems.renyi.discrete_gaussian_curve import DiscreteGaussianCurve
from dpcompose.theorems.renyi.finite_curves import FiniteCurve, SampledFiniteCurve
from dpcompose.theorems.renyi.sampled_curves import SampledLaplaceCurve
from dpcompose.theorems.renyi.sampled_normal_curve import SampledNormalCurve

REMOVE, ADD = Direction.REMOVE, Direction.ADD
ORDERS = (Fraction(1, 4), 0.9, 1, 1.5, 2, 3.7, 8, 64)
CLOSE = 1e-12
ORACLE = mpf(10) ** -18  # relative; the oracle works with thirty digits or more


def holds(curve: Curve, order: Any, truth: mpf) -> None:
    """The enclosure is narrow and contains the truth, but for the oracle's own error."""
    found = enclose(lambda: curve.at(order))
    slack = ORACLE * abs(truth) + mpf(10) ** -40
    assert found.lower <= truth + slack, (order, found, truth)
    assert found.upper >= truth - slack, (order, found, truth)
    assert found.gap < CLOSE
    assert math.isclose(curve.guess(float(order)), truth, rel_tol=2e-2, abs_tol=1e-12)  # it only chooses


def powered(x: mpf, order: Any, direction: Direction) -> mpf:
    """What the divergence is the mean of, without the part of mean zero."""
    y = x - 1
    if order == 1:
        return x * mpmath.log(x) - y if direction is REMOVE else y - mpmath.log(x)
    r = mpf(order) if direction is REMOVE else 1 - mpf(order)
    return mpmath.expm1(r * mpmath.log(x)) - r * y


def finished(excess: mpf, order: Any) -> mpf:
    return excess if order == 1 else mpmath.log1p(excess) / (mpf(order) - 1)


def number(x: Any) -> mpf:
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else mpf(x)


def normal_divergence(rate: Any, mu: Any, order: Any, direction: Direction) -> mpf:
    q, m, a = number(rate), number(mu), number(order)

    def density(z: mpf) -> mpf:
        x = 1 + q * mpmath.expm1(m * z - m * m / 2)
        return mpmath.npdf(z) * powered(x, a, direction)

    far = (a if direction is REMOVE else 1) * m
    ends = [-14 - m * (a if direction is ADD else 0), -6, -2, 0, 2, 6, *mpmath.linspace(far + 2, far + 15, 4)]
    more = [m / 2 - mpmath.log(q) / m] if q < 1 else []
    if far > 12:
        more += mpmath.linspace(8, far + 1, 12)
    return finished(mpmath.quad(density, sorted({*ends, *more})), a)


@pytest.mark.slow
@pytest.mark.parametrize("direction", [REMOVE, ADD])
@pytest.mark.parametrize("order", [Fraction(1, 4), 1, 1.5, 3.7, 8])
@pytest.mark.parametrize("rate, mu", [(0.01, 1), (Fraction(1, 2), 0.5)])
def test_the_sampled_gaussian(rate: Any, mu: Any, order: Any, direction: Direction) -> None:
    with mp.workdps(30):
        truth = normal_divergence(rate, mu, order, direction)
        holds(SampledNormalCurve(rate, direction, Fraction(mu) ** 2), order, truth)


@pytest.mark.parametrize("order", [2, 3, 8, 64, 200])
@pytest.mark.parametrize("rate, mu", [(0.01, 1), (0.3, 2), (1e-6, 0.1)])
def test_whole_orders_of_the_sampled_gaussian_are_binomial_sums(rate: float, mu: float, order: int) -> None:
    with mp.workdps(60):
        q, m = mpf(rate), mpf(mu)
        total = sum(
            mpmath.binomial(order, j) * (1 - q) ** (order - j) * q**j * mpmath.exp(j * (j - 1) * m * m / 2)
            for j in range(order + 1)
        )
        holds(SampledNormalCurve(rate, REMOVE, Fraction(mu) ** 2), order, mpmath.log(total) / (order - 1))


def laplace_divergence(rate: Any, step: Any, order: Any, direction: Direction) -> mpf:
    q, e, a = number(rate), number(step), number(order)

    def term(loss: mpf) -> mpf:
        return powered(1 + q * mpmath.expm1(loss), a, direction)

    inner = mpmath.quad(lambda x: mpmath.exp(-(x + e) / 2) * term(x), mpmath.linspace(-e, e, 9)) / 4
    return finished(inner + (mpmath.exp(-e) * term(e) + term(-e)) / 2, a)


@pytest.mark.slow
@pytest.mark.parametrize("direction", [REMOVE, ADD])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("rate, step", [(0.01, 1), (Fraction(1, 2), 0.1), (0.001, 5)])
def test_the_sampled_laplace(rate: Any, step: Any, order: Any, direction: Direction) -> None:
    with mp.workdps(30):
        truth = laplace_divergence(rate, step, order, direction)
        holds(SampledLaplaceCurve(rate, direction, step), order, truth)


@pytest.mark.parametrize("order", [*ORDERS, Fraction(7, 3)])
@pytest.mark.parametrize("noise, shift", [(0.1, 1), (0.4, 3), (0.999, 2), (1, 1), (7, 2)])
def test_the_discrete_gaussian(noise: float, shift: int, order: Any) -> None:
    with mp.workdps(60):
        s, a, far = mpf(noise), number(order), int(40 * noise) + 60 * shift
        heights = [mpmath.exp(-(mpf(x) ** 2) / (2 * s * s)) for x in range(-far, far + 1)]
        losses = [shift * (shift - 2 * mpf(x)) / (2 * s * s) for x in range(-far, far + 1)]
        total = mpmath.fsum(heights)
        if order == 1:
            truth = mpmath.fsum(h * v for h, v in zip(heights, losses, strict=True)) / total
        else:
            moments = (h * mpmath.exp((a - 1) * v) for h, v in zip(heights, losses, strict=True))
            truth = mpmath.log(mpmath.fsum(moments) / total) / (a - 1)
        found = enclose(lambda: DiscreteGaussianCurve(noise, shift).at(order))
        assert found.lower <= truth * (1 + ORACLE)
        assert found.upper >= truth * (1 - ORACLE)
        assert found.gap < CLOSE


fractions = st.integers(1, 30)
pairs = st.lists(st.tuples(fractions, fractions), min_size=2, max_size=4)
orders = st.sampled_from(ORDERS) | st.floats(0.05, 40).filter(lambda a: abs(a - 1) > 1e-3)


def divided(weights: list[int]) -> list[Fraction]:
    return [Fraction(w, sum(weights)) for w in weights]


def finite_divergence(p: list[Fraction], q: list[Fraction], order: Any) -> mpf:
    """By the definition, for two laws with the same support."""
    both = [(number(x), number(y)) for x, y in zip(p, q, strict=True)]
    if order == 1:
        return mpmath.fsum(x * mpmath.log(x / y) for x, y in both)
    a = number(order)
    return mpmath.log(mpmath.fsum(x**a * y ** (1 - a) for x, y in both)) / (a - 1)


@cases(60)
@given(pairs, orders)
def test_finite_pairs(weights: list[tuple[int, int]], order: Any) -> None:
    p, q = divided([a for a, _ in weights]), divided([b for _, b in weights])
    with mp.workdps(60):
        truth = finite_divergence(p, q, order)
        found = enclose(lambda: FiniteCurve(PairLaw(tuple(p), tuple(q)), PairLaw(tuple(q), tuple(p))).at(order))
        assert found.lower <= truth + mpf(10) ** -40
        assert found.upper >= truth - mpf(10) ** -40
        assert found.upper - found.lower <= CLOSE * found.upper + 1e-40


@cases(60)
@given(pairs, orders, st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(9, 10)]))
def test_sampled_finite_pairs(weights: list[tuple[int, int]], order: Any, rate: Fraction) -> None:
    p, q = divided([a for a, _ in weights]), divided([b for _, b in weights])
    mixed = [(1 - rate) * y + rate * x for x, y in zip(p, q, strict=True)]
    laws = PairLaw(tuple(p), tuple(q)), PairLaw(tuple(q), tuple(p))
    with mp.workdps(60):
        for direction, truth in (
            (REMOVE, finite_divergence(mixed, q, order)),
            (ADD, finite_divergence(q, mixed, order)),
        ):
            curve = SampledFiniteCurve(*laws, rate, direction)
            found = enclose(lambda curve=curve: curve.at(order))  # type: ignore[misc]
            assert found.lower <= truth + mpf(10) ** -40
            assert found.upper >= truth - mpf(10) ** -40
            assert found.upper - found.lower <= CLOSE * found.upper + 1e-40


def kept(p: list[Fraction], q: list[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """Both laws given that the outcome is possible under both."""
    common = [(x, y) for x, y in zip(p, q, strict=True) if x and y]
    top, bottom = sum(x for x, _ in common), sum(y for _, y in common)
    return [x / top for x, _ in common], [y / bottom for _, y in common]


@cases(60)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=4), orders)
def test_what_leaks_is_left_out(weights: list[tuple[int, int]], order: Any) -> None:
    first, second = [a for a, _ in weights], [b for _, b in weights]
    if not any(a and b for a, b in weights):
        return
    p, q = divided(first), divided(second)
    rate = Fraction(1, 5)
    mixed = [(1 - rate) * y + rate * x for x, y in zip(p, q, strict=True)]
    laws = PairLaw(tuple(p), tuple(q)), PairLaw(tuple(q), tuple(p))
    with mp.workdps(60):
        inside, outside = kept(mixed, q)
        for curve, truth in (
            (FiniteCurve(*laws), finite_divergence(*kept(p, q), order)),
            (SampledFiniteCurve(*laws, rate, REMOVE), finite_divergence(inside, outside, order)),
            (SampledFiniteCurve(*laws, rate, ADD), finite_divergence(outside, inside, order)),
        ):
            found = enclose(lambda curve=curve: curve.at(order))  # type: ignore[misc]
            assert found.lower <= truth + mpf(10) ** -40
            assert found.upper >= truth - mpf(10) ** -40


@cases(60)
@given(st.floats(0.01, 12), st.floats(1e-6, 1 - 1e-6), st.floats(1, 200))
def test_the_larger_reading_of_a_symmetric_pair_is_reported(loss: float, rate: float, order: float) -> None:
    """Removing costs more than adding where the pair is symmetric; what is said covers both."""
    with mp.workdps(60):
        q, often = mpf(rate), 1 / (1 + mpmath.exp(-mpf(loss)))
        plain = [1 - often, often]
        mixed = [(1 - q) * x + q * y for x, y in zip(plain, plain[::-1], strict=True)]
        remove, add = finite_divergence(mixed, plain, order), finite_divergence(plain, mixed, order)
        assert remove >= add * (1 - ORACLE) - mpf(10) ** -40
        found = dpc.renyi(dpc.Sampled(dpc.RandomizedResponse(epsilon=loss), rate=rate), order=order)
        assert found.lower <= remove + mpf(10) ** -40
        assert found.upper >= remove - mpf(10) ** -40


@cases(25)
@given(
    st.sampled_from([SampledLaplaceCurve, SampledNormalCurve]),
    st.floats(0.01, 6),
    st.floats(0.01, 0.9),
    st.floats(1, 40),
)
def test_removing_costs_more_than_adding(kind: type[Curve], size: float, rate: float, order: float) -> None:
    """From order 1 on, which is what the library reports; below it adding may cost more."""
    remove, add = (enclose(lambda d=d: kind(rate, d, size).at(order)) for d in (REMOVE, ADD))  # type: ignore[misc]
    assert remove.upper >= add.lower


def test_far_orders_and_extreme_noise_stay_between_bounds() -> None:
    """No more than without sampling; removing costs that less α/(α-1) ln 1/q at least, adding ln 1/(1-q) at most."""
    for curve, whole in (
        (SampledNormalCurve(0.01, REMOVE, 1), lambda a: a / 2),
        (SampledNormalCurve(0.01, ADD, 1), lambda a: a / 2),
        (SampledNormalCurve(1e-300, REMOVE, 10**100), lambda a: a / 2 * 10**100),
        (SampledNormalCurve(0.5, REMOVE, Fraction(1, 10**40)), lambda a: a / 2 / 10**40),
        (SampledLaplaceCurve(0.3, REMOVE, 10**300), lambda _: mpf(10) ** 300),
        (SampledLaplaceCurve(0.3, ADD, 10**6), lambda _: mpf(10) ** 6),
    ):
        previous, q = 0.0, mpf(curve.rate)
        for order in (1, 1.0001, 2, 5000, 10**6, 10**9):
            found, most = enclose(lambda curve=curve, order=order: curve.at(order)), whole(mpf(order))  # type: ignore[misc]
            if curve.direction is ADD:
                most = min(most, -mpmath.log1p(-q))
            elif order > 1:
                among = q / 4 if isinstance(curve, SampledLaplaceCurve) else q  # half of its outputs lose less
                assert found.upper >= most + mpf(order) / (order - 1) * mpmath.log(among)
            assert found.upper <= most * (1 + 1e-8)
            assert -1e-8 * found.upper <= found.lower < math.inf
            assert found.upper >= previous * (1 - 1e-9)
            previous = max(found.lower, 0.0)


@pytest.mark.parametrize("count", [1, 50, 10**7])
@pytest.mark.parametrize("rate, noise", [(0.01, 1.0), (0.2, 0.5), (1e-5, 3.0)])
def test_order_two_of_many_steps_in_closed_form(rate: float, noise: float, count: int) -> None:
    found = dpc.renyi(count * dpc.Sampled(dpc.Gaussian(noise_std=noise), rate=rate), order=2)
    with mp.workdps(40):
        truth = count * mpmath.log1p(mpf(rate) ** 2 * mpmath.expm1(1 / mpf(noise) ** 2))
        assert found.lower <= truth <= found.upper
    assert found.enclosure.gap < CLOSE


def test_in_a_mixture_each_order_adds_by_itself() -> None:
    """Two pairs that lean opposite ways: the larger sum is less than the sum of the larger."""
    one = dpc.DiscretePair(p=[Fraction(1, 2), Fraction(1, 2)], q=[Fraction(1, 10), Fraction(9, 10)])
    other = dpc.DiscretePair(p=one.q, q=one.p)
    with mp.workdps(40):
        p, q = [Fraction(x) for x in one.p], [Fraction(x) for x in one.q]
        there, back = finite_divergence(p, q, 8), finite_divergence(q, p, 8)
        same, mixed = dpc.renyi(2 * one, order=8), dpc.renyi(one + other, order=8)
        assert math.isclose(same.lower, 2 * max(there, back), rel_tol=1e-12)
        assert math.isclose(mixed.upper, there + back, rel_tol=1e-12)
        assert mixed.enclosure.gap < CLOSE
    turned = dpc.renyi(one + other + dpc.DiscretePair(p=one.p, q=one.q, adjacency=dpc.REPLACE_ONE), order=8)
    assert turned.upper >= 3 * max(there, back) * (1 - mpf(10) ** -12)  # each part may face either way
