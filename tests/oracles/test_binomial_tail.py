"""Tails of binomial distributions against exact sums, and at the ends of every range."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import pytest

from dpcompose.numerics.binomial_tail import at_least
from dpcompose.numerics.enclosure import Enclosure, enclose

RATES = (Fraction(1, 10**9), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), 1 - Fraction(1, 10**9))


def tail(least: int, draws: int, rate: Fraction) -> Fraction:
    """P(Bin(n, q) ≥ k), summed."""
    return sum(
        (math.comb(draws, k) * rate**k * (1 - rate) ** (draws - k) for k in range(max(least, 0), draws + 1)), Fraction()
    )


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("draws", [1, 2, 7, 60])
def test_a_tail_holds_the_exact_sum_and_is_narrow(draws: int, rate: Fraction) -> None:
    for least in range(-1, draws + 2):
        found, exact = enclose(lambda k=least: at_least(k, draws, rate)), tail(least, draws, rate)
        assert found.lower <= exact <= found.upper, least
        assert found.gap <= 2.0**-40 or found.upper <= 1e-300, least  # fewer digits where floats have few


@pytest.mark.parametrize("rate", [0, 5e-324, 1e-16, 0.1, 0.9, 1 - 2.0**-53, 1])
def test_a_tail_of_any_size_is_known_at_once(rate: float) -> None:
    """10¹² draws: what is far from the mean is certain but for less than any float."""
    n, began = 10**12, time.process_time()
    for least in (0, 1, 2, 10**6, n // 2, n - 1, n, n + 1):
        found = enclose(lambda k=least: at_least(k, n, rate))
        assert -5e-324 <= found.lower <= found.upper <= 1 + 2.0**-52
        if least < n * rate / 2 or not least:
            assert found.lower >= 1 - 2.0**-52
        if least > 2 * n * rate + 10**6 or least > n:
            assert found.upper <= 5e-324
    assert time.process_time() - began < 20, "a limit for a hang only"


def test_chances_are_sums_of_what_is_exact() -> None:
    """Just where Chernoff's bound takes over: 2000 throws of a fair coin, next to e^-760."""
    for least in range(1770, 1800, 3):
        found = Enclosure.of(at_least(least, 2000, Fraction(1, 2)))
        assert found.lower <= tail(least, 2000, Fraction(1, 2)) <= found.upper
