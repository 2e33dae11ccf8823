"""The exact profile of a covariance sketch, against quadrature, simulation and Rényi bounds."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import dpcompose as dpc
from dpcompose.release.sketches import random_shift_delta
from dpcompose.release.sketches.profile import MOST_ROWS
from dpcompose.theorems.renyi.conversions import CanonneKamathSteinke
from dpcompose.theorems.sketches import covariance_renyi


@cache
def mixture(rows: int, width: float, t: float) -> mp.mpf:
    """The mean of the Gaussian profile over χ², integrated from its definition."""
    with mp.workdps(40):
        n, w, e = mp.mpf(rows) / 2, mp.mpf(width), mp.mpf(t)

        def gauss(c: mp.mpf) -> mp.mpf:
            mu = mp.sqrt(c) / w
            return mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)

        def weighted(c: mp.mpf) -> mp.mpf:
            return mp.exp((n - 1) * mp.log(c) - c / 2 - n * mp.log(2) - mp.loggamma(n)) * gauss(c)

        cuts = [mp.mpf(10) ** -15, *(rows * f for f in (0.01, 0.1, 0.3, 0.6, 0.9, 1.2, 1.6, 2.2, 3, 5, 10, 40))]
        # Scaled to order one, since the tolerance of the quadrature is absolute.
        peak = max(weighted(c) for c in cuts[1:])
        return peak * mp.quad(lambda c: weighted(c) / peak, [*cuts, 40 * rows + 400])


def test_the_oracle_knows_a_case_by_hand() -> None:
    # r = 2, t = 0: the loss is X/a − Y/b with exponential X and Y, so δ = b/(a+b) − a/(a+b) = 1/√(1+4w²).
    assert float(mixture(2, 3.0, 0.0)) == pytest.approx(1 / math.sqrt(37), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows, width, t",
    [
        (2, 1.0, 0.5),
        (2, 0.2, 3.0),
        (10, 5.0, 1.0),
        (30, 25.8, 1.0),
        (118, 47.6, 1.0),
        (120, 1000.0, 0.01),
        (4, 0.3, 2.0),
    ],
)
def test_the_closed_form_is_the_mean_over_chi_square(rows: int, width: float, t: float) -> None:
    found, truth = random_shift_delta(rows, width, t), mixture(rows, width, t)
    assert found.gap < 1e-14
    assert float(truth) == pytest.approx(found.upper, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("rows, width, t", [(1, 2.0, 0.5), (31, 25.8, 1.0), (119, 47.6, 1.0)])
def test_an_odd_number_of_rows_lies_between_its_neighbours(rows: int, width: float, t: float) -> None:
    found, truth = random_shift_delta(rows, width, t), mixture(rows, width, t)
    assert found.lower <= truth <= found.upper
    assert found.lower == random_shift_delta(rows - 1, width, t).lower
    assert found.upper == random_shift_delta(rows + 1, width, t).upper


@pytest.mark.parametrize("rows, width", [(2, 0.5), (40, 7.0), (400, 33.0)])
def test_without_epsilon_the_profile_is_a_beta_law(rows: int, width: float) -> None:
    # X/(X+Y) is Beta(r/2, r/2), and X/a > Y/b where it exceeds a/(a+b).
    with mp.workdps(40):
        root = mp.sqrt(1 + 4 * mp.mpf(width) ** 2)
        low, high = (root - 1) / (2 * root), (root + 1) / (2 * root)
        truth = mp.betainc(mp.mpf(rows) / 2, mp.mpf(rows) / 2, low, high, regularized=True)
    assert float(truth) == pytest.approx(random_shift_delta(rows, width, 0).upper, rel=1e-13)


@pytest.mark.parametrize("rows, width, t", [(30, 25.8, 1.0), (120, 50.0, 0.5), (600, 200.0, 2.0)])
def test_the_exact_profile_is_below_what_renyi_orders_prove(rows: int, width: float, t: float) -> None:
    def bound(order: float) -> float:
        r = covariance_renyi(rows, width, order).upper
        if math.isinf(r):
            return math.inf
        balls = (dpc.numerics.enclosure.ball(x) for x in (order, r, t))
        return math.exp(float(CanonneKamathSteinke.log_delta(*balls)))

    best = min(bound(1 + 1.1**i) for i in range(-40, 60))
    found = random_shift_delta(rows, width, t)
    assert found.upper < best
    assert found.lower > best / 30  # one order never loses more here


@pytest.mark.parametrize(
    "rows, width, t, expected",
    [(0, 1, 1, 0.0), (4, 0, 1, 1.0), (4, math.inf, 1, 0.0), (4, 1, math.inf, 0.0), (1, 0, 5, None)],
)
def test_the_ends_of_the_profile(rows: int, width: float, t: float, expected: float | None) -> None:
    found = random_shift_delta(rows, width, t)
    if expected is None:  # no row is certain to differ: between nothing and all
        assert (found.lower, found.upper) == (0.0, 1.0)
    else:
        assert found.lower == found.upper == expected


@pytest.mark.parametrize(
    "rows, width, t", [(100, 1e9, 0), (100, 1e-9, 3), (100, 1e100, 1e-3), (100, 50, 1e5), (2, 1, 1e300)]
)
def test_extreme_profiles_stay_probabilities(rows: int, width: float, t: float) -> None:
    found = random_shift_delta(rows, width, t)
    assert 0 <= found.lower <= found.upper <= 1
    assert found.upper - found.lower < 1e-12


def test_the_profile_falls_with_width_and_epsilon_and_grows_with_rows() -> None:
    def delta(rows: int, width: float, t: float) -> float:
        return random_shift_delta(rows, width, t).upper

    assert delta(10, 5, 1) > delta(10, 5.01, 1)
    assert delta(10, 5, 1) > delta(10, 5, 1.01)
    assert delta(10, 5, 1) < delta(12, 5, 1)


@pytest.mark.parametrize("arguments", [(-1, 1, 1), (2, -1, 1), (2, math.nan, 1), (2, 1, -1), (2, 1, math.nan)])
def test_a_profile_of_nonsense_is_refused(arguments: tuple[Any, ...]) -> None:
    with pytest.raises(dpc.InvalidParameter, match="is not allowed: expected"):
        random_shift_delta(*arguments)


def test_too_many_rows_are_left_alone() -> None:
    with pytest.raises(dpc.Declined, match="rows"):
        random_shift_delta(MOST_ROWS + 2, 1, 1)


def simulated(a: float, width: float, rows: int, t: float, size: int) -> tuple[float, float]:
    """δ of the mechanism itself, a row (a, 0) that becomes (a, 1): the mean of (1 − e^(t−loss))₊, and its error."""
    draw = np.random.default_rng(5)
    before = np.array([[a * a, 0.0], [0.0, 0.0]]) + width**2 * np.eye(2)
    after = np.array([[a * a, a], [a, 1.0]]) + width**2 * np.eye(2)
    y = draw.multivariate_normal(np.zeros(2), after, size=(size, rows))
    losses = stats.multivariate_normal(cov=after).logpdf(y) - stats.multivariate_normal(cov=before).logpdf(y)
    cost = np.maximum(-np.expm1(t - losses.reshape(size, rows).sum(axis=1)), 0)
    return float(cost.mean()), float(cost.std() / math.sqrt(size))


@pytest.mark.slow
def test_no_row_costs_more_than_the_profile_and_a_long_one_costs_as_much() -> None:
    bound = random_shift_delta(4, 2.0, 0.5)
    seen = {a: simulated(a, 2.0, 4, 0.5, 200_000) for a in (0.0, 1.0, 3.0, 1000.0)}
    for delta, error in seen.values():
        assert delta < bound.upper + 4 * error
    assert seen[1000.0][0] == pytest.approx(bound.upper, abs=4 * seen[1000.0][1])
    assert seen[0.0][0] < 0.5 * bound.upper  # so that the bound is not met everywhere
