"""Trade-off functions against brute force over all events, mpmath, and their own laws."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

import dpcompose as dpc
from cases import cases
from dpcompose.kernel import Side
from dpcompose.regions import Order, alpha, beta, region
from dpcompose.regions.closed import NormalTradeoff
from dpcompose.regions.envelope import Envelope
from dpcompose.regions.levels import Levels
from dpcompose.regions.orders import both_orders, worst_pair
from regions.exact_pairs import Pair, least_fnr, pairs, together

LEVELS = st.fractions(0, 1, max_denominator=60)
CURVED = [
    dpc.Gaussian(noise_std=1.0),
    10 * dpc.Gaussian(noise_std=20.0),
    dpc.Laplace(scale=1.0),
    3 * dpc.Laplace(scale=2.0),
    30_000 * dpc.BlackBox(epsilon=0.005, delta=1e-6),
]
KNOWN = [
    *CURVED,
    30 * dpc.BlackBox(epsilon=0.1, delta=0.001),
    dpc.BlackBox(epsilon=0.3) + 2 * dpc.BlackBox(epsilon=0.7, delta=0.01),
    5 * dpc.Geometric(scale=2.0, sensitivity=3),
    dpc.DiscreteGaussian(noise_std=2.0),
    3 * dpc.RandomizedResponse(epsilon=1.0, categories=4),
    dpc.NameAndShame(delta=0.3),
    2 * dpc.DiscretePair(p=[0.5, 0.3, 0.2, 0.0], q=[0.1, 0.3, 0.4, 0.2]),
]


def normal_tradeoff(noise: float, level: float) -> mp.mpf:
    """Φ(Φ⁻¹(1 − α) − 1/σ)."""
    with mp.workdps(60):
        a, start = mp.mpf(level), -float(ndtri(level))
        z = mp.findroot(lambda x: mp.log(mp.ncdf(-x)) - mp.log(a), start)
        return mp.ncdf(z - 1 / mp.mpf(noise))


@given(pairs(4), LEVELS)
@cases(80)
def test_each_order_of_a_pair_is_the_best_of_all_tests(pair: Pair, level: Fraction) -> None:
    m = dpc.DiscretePair(p=pair[0], q=pair[1])
    forward, backward = least_fnr(pair, level), least_fnr((pair[1], pair[0]), level)
    assert forward in beta(m, level, order=Order.FORWARD).enclosure
    assert backward in beta(m, level, order=Order.BACKWARD).enclosure
    either = beta(m, level)
    assert min(forward, backward) in either.enclosure
    assert either.upper - either.lower < 1e-13


@given(pairs(3), pairs(2), LEVELS)
@cases(30)
def test_a_product_of_pairs_is_the_best_of_all_tests(first: Pair, second: Pair, level: Fraction) -> None:
    m = dpc.DiscretePair(p=first[0], q=first[1]) + dpc.DiscretePair(p=second[0], q=second[1])
    truth = least_fnr(together(first, second), level)
    assert truth in beta(m, level, order=Order.FORWARD).enclosure


@pytest.mark.parametrize("noise", [0.05, 0.5, 1.0, 3.0, 1000.0])
def test_a_gaussian_has_the_closed_form(noise: float) -> None:
    levels = [1e-300, 1e-20, 1e-6, 0.01, 0.05, 0.5, 0.7, 0.99, 0.999999]
    found = beta(dpc.Gaussian(noise_std=noise), levels)
    for level, answer in zip(levels, found, strict=True):
        truth = normal_tradeoff(noise, level)
        assert answer.lower <= truth <= answer.upper
        assert answer.upper - answer.lower <= 1e-11 * answer.upper + 1e-300


@pytest.mark.parametrize("step", [0.01, 1.0, 7.0, 40.0])
def test_one_laplace_has_the_closed_form(step: float) -> None:
    levels = [0.0, 1e-12, 0.001, 0.1, 0.3, 0.5, 0.8, 1.0]
    found = beta(dpc.Laplace(scale=1.0, sensitivity=step), levels)
    for level, answer in zip(levels, found, strict=True):
        a, e = mp.mpf(level), mp.exp(-mp.mpf(step))
        truth = 1 - a / e if a < e / 2 else e / (4 * a) if a <= 0.5 else e * (1 - a)
        assert answer.lower <= truth <= answer.upper
        assert answer.upper - answer.lower < 1e-14


@pytest.mark.parametrize("noise", [5.0, 1.0, 0.25])
def test_lines_and_knees_enclose_what_the_closed_form_says(noise: float) -> None:
    orders = both_orders(dpc.Gaussian(noise_std=noise))
    assert isinstance(orders.forward, NormalTradeoff)
    levels = np.array([1e-9, 1e-4, 0.02, 0.3, 0.6, 0.95])
    lower, upper = orders.forward.polygons.between(levels, levels, 1e-6)
    for level, low, high in zip(levels, lower, upper, strict=True):
        assert low <= normal_tradeoff(noise, float(level)) <= high
        assert high - low <= 1e-5 * high + 1e-12


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_lines_and_knees_enclose_the_corners_of_a_discrete_law(count: int) -> None:
    m = count * dpc.BlackBox(epsilon=0.4, delta=0.01)
    orders = both_orders(m)
    levels = np.linspace(0, 1, 21)
    exact_low, exact_high = orders.forward.between(levels, levels, 0.0)
    asked = Levels(worst_pair(orders.facts, Order.EITHER), lasts=True)
    lower, upper = Envelope(asked, asked).between(levels, levels, 1e-6)
    assert np.all(lower <= exact_high)
    assert np.all(exact_low <= upper)
    assert np.max(upper - lower) < 1e-4


HUGE = [
    3 * dpc.Laplace(scale=1e-300),
    10 * dpc.BlackBox(epsilon=1e300) + dpc.Gaussian(noise_std=1),
    2 * dpc.Gaussian(noise_std=1e-160) + dpc.Laplace(scale=1),
    dpc.Gaussian(noise_std=1e-160),
    3 * dpc.Sampled(dpc.Laplace(scale=1e-2, sensitivity=30), rate=0.1),
]


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", HUGE, ids=str)
def test_losses_beyond_all_measure_are_no_leak(mechanism: dpc.Mechanism) -> None:
    """A test that never errs under the first input always errs under the second, where every output has two causes."""
    for order in Order:
        assert beta(mechanism, 0, order=order).upper == 1
        assert dpc.tpr(mechanism, 0, order=order).lower == 0
    assert dpc.region(mechanism).contains(1, 0)
    assert not dpc.region(mechanism).contains(0.5, 0)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", KNOWN, ids=str)
def test_the_function_is_convex_and_falls_from_at_most_one_to_zero(mechanism: dpc.Mechanism) -> None:
    levels = [Fraction(i, 16) for i in range(17)]
    found = beta(mechanism, levels)
    assert found.upper[0] <= 1
    assert found.lower[-1] == found.upper[-1] == 0
    assert np.all(found.lower <= 1 - np.array(levels, dtype=float) + 1e-15)
    for order in (Order.FORWARD, Order.BACKWARD):
        each = beta(mechanism, levels, order=order)
        assert np.all(each.lower[1:] <= each.upper[:-1])
        assert np.all(each.lower[1:-1] <= (each.upper[:-2] + each.upper[2:]) / 2)
        assert np.all(found.lower <= each.upper)


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", KNOWN, ids=str)
@pytest.mark.parametrize("order", Order)
def test_the_inverse_undoes_the_function(mechanism: dpc.Mechanism, order: Order) -> None:
    for level in (0.01, 0.2, 0.45):
        there = beta(mechanism, level, order=order)
        assert alpha(mechanism, there.upper, order=order).lower <= level
        if there.lower > 0:
            assert alpha(mechanism, there.lower, order=order).upper >= level * (1 - 1e-6) or there.lower == 0


@pytest.mark.parametrize("mechanism", CURVED, ids=str)
def test_many_points_agree_with_one(mechanism: dpc.Mechanism) -> None:
    levels = np.linspace(0.001, 0.999, 9)
    many = beta(mechanism, levels)
    assert len(many) == 9
    for level, answer in zip(levels, many, strict=True):
        one = beta(mechanism, float(level))
        assert max(one.lower, answer.lower) <= min(one.upper, answer.upper)
        assert answer.upper - answer.lower <= 2e-6 * answer.upper + 1e-11


def test_the_safe_end_of_an_error_is_the_lower_one() -> None:
    answer = beta(30 * dpc.BlackBox(epsilon=0.1, delta=0.001), alpha=0.05)
    assert answer.safe == float(answer) == answer.lower
    assert answer.safe_side is Side.LOWER
    assert "KOV-3.3" in answer.because
    assert "KOV15" in answer.cite()
    assert np.array_equal(
        beta(dpc.Gaussian(noise_std=1), [0.1, 0.2]).safe, beta(dpc.Gaussian(noise_std=1), [0.1, 0.2]).lower
    )


def test_nothing_is_interpolated_across_a_jump() -> None:
    m = dpc.NameAndShame(delta=0.25)
    assert beta(m, 0).enclosure.lower <= 0.75 <= beta(m, 0).enclosure.upper
    assert beta(m, Fraction(3, 4)).upper < 1e-15
    assert beta(m, 0.7499).lower > 0


@pytest.mark.parametrize(
    "mechanism, level, low, high",
    [
        (dpc.NameAndShame(delta=1), 0, 0, 0),
        (dpc.Composition(), 0.25, 0.75, 0.75),
        (dpc.BlackBox(epsilon=0), 0.25, 0.75, 0.75),
        (dpc.Gaussian(noise_std=0), 0.25, 0, 0),
        (dpc.Gaussian(noise_std=1), 0, 1, 1),
        (dpc.Gaussian(noise_std=1), 1, 0, 0),
        (dpc.BlackBox(epsilon=700.0), 0.5, 0, 1e-300),
        (10**9 * dpc.BlackBox(epsilon=1e-9), 0.5, 0.4999, 0.5),
    ],
    ids=str,
)
def test_the_ends_of_the_range(mechanism: dpc.Mechanism, level: float, low: float, high: float) -> None:
    found = beta(mechanism, level)
    assert found.lower <= high
    assert found.upper >= low
    assert found.lower >= low * (1 - 1e-12)
    assert found.upper <= high * (1 + 1e-12) + 1e-299
    assert region(mechanism).area.lower >= 0


@pytest.mark.parametrize("rare", [Fraction(5e-324), Fraction(1, 10**320), Fraction(1, 10**300)])
@pytest.mark.parametrize("left", [Fraction(1, 10**16), Fraction(1, 10**12), Fraction(1, 10**10)])
def test_an_error_below_all_floats_is_not_none(rare: Fraction, left: Fraction) -> None:
    """What is nearly always seen through errs a little still: α = 1 − `left` leaves β = left · rare / 10⁻⁹."""
    often = Fraction(1, 10**9)
    law = (often, 1 - often - rare, rare)
    pair = dpc.DiscretePair(p=law, q=law[::-1])
    for mechanism in (pair, pair + dpc.DiscretePair(p=(1,), q=(1,)), 2 * dpc.Sampled(pair, rate=Fraction(1, 2))):
        errs, detects = beta(mechanism, 1 - left), dpc.tpr(mechanism, 1 - left)
        assert errs.upper > 0
        assert detects.lower < 1
    assert Fraction(beta(pair, 1 - left).lower) <= left * rare / often <= Fraction(beta(pair, 1 - left).upper)


@pytest.mark.parametrize("step", [700, 740, 745, 800])
@pytest.mark.parametrize("level", [0.25, 0.5, 0.9, 1 - 1e-10, 1 - 2.0**-53])
def test_faint_errors_of_one_laplace(step: int, level: float) -> None:
    found = beta(dpc.Laplace(scale=1, sensitivity=step), level)
    with mp.workdps(60):
        exact = mp.exp(-step) * (mp.mpf(1) / (4 * mp.mpf(level)) if level <= 0.5 else 1 - mp.mpf(level))
    assert found.lower <= exact <= found.upper
