"""Rates, errors, odds: against brute force and closed forms."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.regions import accuracy, advantage, bayes_error, beta, posterior, posterior_odds, tpr
from regions.exact_pairs import Pair, errors, pairs


@given(pairs(4), st.fractions(0, 1, max_denominator=12))
@cases(60)
def test_the_best_guess_about_a_pair(pair: Pair, prior: Fraction) -> None:
    m = dpc.DiscretePair(p=pair[0], q=pair[1])
    wrong = min(min(prior * y + (1 - prior) * x, prior * x + (1 - prior) * y) for x, y in errors(pair))
    found, right = bayes_error(m, prior), accuracy(m, prior)
    assert wrong in found.enclosure
    assert 1 - wrong in right.enclosure
    assert found.upper - found.lower < 1e-12
    assert (found.safe, right.safe) == (found.lower, right.upper)


@given(pairs(4))
@cases(40)
def test_the_advantage_is_the_total_variation(pair: Pair) -> None:
    found = advantage(dpc.DiscretePair(p=pair[0], q=pair[1]))
    assert sum(abs(x - y) for x, y in zip(*pair, strict=True)) / 2 in found.enclosure
    assert found.safe == found.upper


def test_a_gaussian_attacker() -> None:
    m = dpc.Gaussian(noise_std=1.0)
    truth = 2 * mp.ncdf(0.5) - 1
    assert advantage(m).lower <= truth <= advantage(m).upper
    assert accuracy(m).lower <= (1 + truth) / 2 <= accuracy(m).upper
    assert bayes_error(m, 0).enclosure == bayes_error(m, 1).enclosure == dpc.Enclosure(0.0, 0.0)
    found = bayes_error(m, Fraction(1, 10))
    with mp.workdps(30):
        t = mp.log(9)
        delta = mp.ncdf(mp.mpf(1) / 2 - t) - 9 * mp.ncdf(-mp.mpf(1) / 2 - t)
        assert found.lower <= (1 - delta) / 10 <= found.upper


def test_true_and_false_positives() -> None:
    m = dpc.Gaussian(noise_std=1.0)
    for level in (0.001, 0.05, 0.5):
        one, other = tpr(m, level), beta(m, level)
        assert abs(one.lower + other.upper - 1) < 1e-15
        assert one.safe == one.upper
        assert "X-GAUSS" in one.because
    many = tpr(m, [0.001, 0.05])
    assert np.array_equal(many.safe, many.upper)


@pytest.mark.parametrize("k", [1, 3])
def test_responses_move_the_odds_by_all_their_epsilon(k: int) -> None:
    found = posterior_odds(k * dpc.BlackBox(epsilon=1), prior_odds=2)
    assert found.lower <= 2 * math.exp(k) <= found.upper
    assert found.upper - found.lower < 1e-13 * found.upper
    half = posterior(k * dpc.BlackBox(epsilon=1))
    assert half.lower <= math.exp(k) / (1 + math.exp(k)) <= half.upper


@pytest.mark.parametrize("chance", [0.4, 0.01, 1e-5])
def test_gaussian_odds_are_the_quantile_of_the_loss(chance: float) -> None:
    """The loss is N(μ²/2, μ²)."""
    found = posterior_odds(dpc.Gaussian(noise_std=0.5), delta=chance)
    with mp.workdps(30):
        z = mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(chance))
        truth = mp.exp(2 + 2 * z)
    assert found.lower <= truth <= found.upper
    assert found.upper < found.lower * 1.01


@given(pairs(4), st.fractions(0, Fraction(9, 10), max_denominator=20))
@cases(15)
def test_odds_beyond_the_bound_are_rare(pair: Pair, chance: Fraction) -> None:
    found = posterior_odds(dpc.DiscretePair(p=pair[0], q=pair[1]), delta=chance)
    ratios = [(x / y if y else None, x) for laws in (pair, pair[::-1]) for x, y in zip(*laws, strict=True)]
    both = [ratios[: len(pair[0])], ratios[len(pair[0]) :]]
    levels = sorted({Fraction(1), *(r for r, _ in ratios if r is not None and r > 1)})
    enough = [s for s in levels if all(sum(x for r, x in law if r is None or r > s) <= chance for law in both)]
    truth = enough[0] if enough else math.inf
    assert found.lower <= truth <= found.upper


def test_what_leaks_gives_infinite_odds() -> None:
    m = dpc.NameAndShame(delta=0.01)
    assert posterior_odds(m, delta=0.001).lower == math.inf
    assert posterior(m, delta=0.001).enclosure == dpc.Enclosure(1.0, 1.0)
    assert posterior_odds(m, delta=0.02).upper < 1.0001
    assert posterior_odds(m, prior_odds=0, delta=0).enclosure == dpc.Enclosure(0.0, 0.0)
    assert posterior(m, prior=1).enclosure == dpc.Enclosure(1.0, 1.0)
    assert posterior(m, prior=0).upper == 0
