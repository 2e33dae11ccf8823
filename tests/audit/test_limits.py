"""Confidence limits and what they say about ε, against mpmath."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from cases import cases
from dpcompose.audit.clopper_pearson import (
    Trials,
    confidence_level,
    least_log_odds,
    lower_tail,
    most_log_odds,
    upper_tail,
)
from dpcompose.audit.readings import ANY, GAUSSIAN, Point
from dpcompose.errors import InvalidParameter

SLACK = mpf("1e-50")
"""What sixty digits may lose."""


def odds_to_probability(t: float) -> mpf:
    return 1 / (1 + mp.exp(-mpf(t)))


def tail(hits: int, total: int, p: mpf) -> mpf:
    """P[Bin(total, p) >= hits], as the plain sum."""
    with mp.workdps(60):
        return mp.fsum(mp.binomial(total, k) * p**k * (1 - p) ** (total - k) for k in range(hits, total + 1))


@cases(40)
@given(data=st.data(), total=st.integers(1, 300), t=st.floats(-8, 8))
def test_tails_enclose_the_plain_sum(data: st.DataObject, total: int, t: float) -> None:
    hits = data.draw(st.integers(0, total))
    with mp.workdps(60):
        truth = tail(hits, total, odds_to_probability(t))
        found = upper_tail(Trials(hits, total), t)
        assert found.lower * (1 - SLACK) <= truth <= found.upper * (1 + SLACK)
        assert found.upper - found.lower <= 1e-9 * found.upper + 1e-300
        complement = lower_tail(Trials(hits - 1, total), t) if hits else None
        if complement:
            assert complement.lower <= 1 - truth + SLACK
            assert complement.upper >= 1 - truth - SLACK


@cases(40)
@given(data=st.data(), total=st.integers(1, 300), level=st.sampled_from([0.3, 0.025, 1e-6, 1e-40]))
def test_a_limit_is_valid_and_no_looser_than_a_billionth(data: st.DataObject, total: int, level: float) -> None:
    hits = data.draw(st.integers(1, total))
    t = least_log_odds(Trials(hits, total), Fraction(level))
    with mp.workdps(60):
        assert tail(hits, total, odds_to_probability(t)) <= level
        assert tail(hits, total, odds_to_probability(t + 1e-8 * (1 + abs(t)))) > level


@pytest.mark.parametrize("total, hits", [(10**6, 3), (10**6, 999_990)])
def test_limits_of_large_counts_are_those_of_the_beta_law(total: int, hits: int) -> None:
    t = least_log_odds(Trials(hits, total), Fraction(1, 40))
    with mp.workdps(40):
        if hits < 100:
            below = mp.fsum(
                mp.binomial(total, k) * odds_to_probability(t) ** k * (1 - odds_to_probability(t)) ** (total - k)
                for k in range(hits)
            )
            found = 1 - below
        else:
            p = odds_to_probability(t)
            found = mp.fsum(mp.binomial(total, k) * p**k * (1 - p) ** (total - k) for k in range(hits, total + 1))
        assert found <= mpf(1) / 40
        assert found >= mpf(1) / 40 * (1 - mpf("1e-6"))


def test_ends_are_trivial_where_nothing_is_known() -> None:
    level = Fraction(1, 40)
    assert least_log_odds(Trials(0, 10), level) == -math.inf
    assert most_log_odds(Trials(10, 10), level) == math.inf
    assert least_log_odds(Trials(1, 10**9), Fraction(1, 10**400)) == -math.inf
    assert most_log_odds(Trials(3, 10), level) == -least_log_odds(Trials(7, 10), level)


def test_a_billion_trials_take_no_time() -> None:
    t = least_log_odds(Trials(5 * 10**8, 10**9), Fraction(1, 40))
    assert -1.3e-4 < t < -1.2e-4  # -1.96 standard deviations of 2/sqrt(1e9)


def test_levels_are_exact() -> None:
    assert confidence_level(0.95) == 1 - Fraction(0.95)
    for bad in (0, 1, -0.5, 1.5, math.nan, "0.95", True):
        with pytest.raises(InvalidParameter, match="confidence = "):
            confidence_level(bad)


@cases(60)
@given(
    a=st.integers(-30000, 30000).map(lambda i: i / 1024),
    b=st.integers(-30000, 30000).map(lambda i: i / 1024),
    delta=st.sampled_from([0, 1e-300, 1e-9, 0.01, 0.5, 0.999, 1]),
)
def test_any_mechanism_reads_the_better_of_the_two_orders(a: float, b: float, delta: float) -> None:
    found = ANY.epsilon(Point(a, b), delta)
    with mp.workdps(50):
        p, q = odds_to_probability(a), odds_to_probability(b)
        orders = [(p - delta) / q, (1 - q - delta) / (1 - p)]
        truth = max([mpf(0), *(mp.log(ratio) for ratio in orders if ratio > 0)])
        assert found <= truth
        assert found >= truth * (1 - mpf("1e-9")) - mpf("1e-12")


@pytest.mark.parametrize("a, b", [(1.0, -1.0), (-3.0, -5.5), (9.0, 4.0), (30.0, -30.0)])
def test_gaussian_reading_inverts_the_normal_profile(a: float, b: float) -> None:
    with mp.workdps(50):
        root = mp.sqrt(2)
        p, q = odds_to_probability(a), odds_to_probability(b)
        mu = root * (mp.erfinv(2 * p - 1) - mp.erfinv(2 * q - 1))
        assert GAUSSIAN.mu(Point(a, b)) <= mu <= GAUSSIAN.mu(Point(a, b)) * (1 + 1e-9)
        t = mpf(GAUSSIAN.epsilon(Point(a, b), 1e-5))
        delta = mp.ncdf(-t / mu + mu / 2) - mp.exp(t) * mp.ncdf(-t / mu - mu / 2)
        assert delta >= mpf(1e-5)  # at a smaller ε the truth has a larger δ
        assert delta <= mpf(1e-5) * (1 + 1e-6)


def test_readings_say_nothing_where_nothing_is_known() -> None:
    for reading in (ANY, GAUSSIAN):
        for point in (Point(-math.inf, -3.0), Point(3.0, math.inf), Point(-1.0, 1.0), Point(0.0, 0.0)):
            assert reading.epsilon(point, 0) == 0.0
        assert reading.epsilon(Point(3.0, -3.0), 1) == 0.0


def test_points_round_outward() -> None:
    point = Point(-1.0, -3.0)
    with mp.workdps(40):
        assert point.likely <= odds_to_probability(-1.0) <= point.likely * (1 + 1e-9)
        assert point.unlikely >= odds_to_probability(-3.0) >= point.unlikely * (1 - 1e-9)
        assert point.missed >= 1 - odds_to_probability(-1.0)
    assert Point(-math.inf, math.inf).likely == 0.0
    assert Point(-math.inf, math.inf).unlikely == 1.0
