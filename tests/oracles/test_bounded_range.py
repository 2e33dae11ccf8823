"""Selections of bounded range against analysts that are played out outcome by outcome, and against dense searches."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import mpmath as mp
import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.mechanisms.exponential import TwoLosses, WorstSelection
from dpcompose.theorems.bounded_range import FixedSeries


def outcomes(whole, t):
    """(P, Q) of the high and of the low outcome of the member with losses t and t − ε."""
    q = (1 - mp.exp(t - whole)) / (1 - mp.exp(-whole))
    return (q, q * mp.exp(-t)), (1 - q, (1 - q) * mp.exp(whole - t))


def one_run(whole, x):
    """The largest δ of one run at any level x, by trying members."""
    if x >= whole:
        return 0.0
    return max(member(whole, t, x) for t in np.linspace(0, whole, 4001))


def member(whole, t, x):
    q = -math.expm1(t - whole) / -math.expm1(-whole)
    p = q * math.exp(-t)
    return max(q - math.exp(x) * p, 0) + max((1 - q) - math.exp(x) * (1 - p), 0)


def series(*parts, mode=dpc.ADAPTIVE):
    return dpc.Composition(tuple((dpc.Exponential(epsilon=e), n) for e, n in parts), mode)


@pytest.mark.parametrize("whole", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.7, 0.99])
def test_one_run_is_the_worst_member(whole, share):
    found = dpc.delta(dpc.Exponential(epsilon=whole), epsilon=share * whole, tolerance=1e-9)
    worst = one_run(whole, share * whole)
    assert worst <= found.upper * (1 + 1e-12)  # the search is in floats
    assert worst == pytest.approx(found.upper, rel=1e-4)
    assert found.lower == pytest.approx(found.upper, rel=1e-6)


@pytest.mark.parametrize("level", [0.5, 149.0, 151.0, 499.0, 650.0])
def test_guesses_of_a_fixed_plan_are_its_values(level):
    """Where e^ε and the probability beside it are no floats, too; whoever is far from the best guess is left out."""
    series = FixedSeries(Fraction(6, 5), 1000)
    places = np.arange(0, 900, 37)
    with np.errstate(all="ignore"):
        guesses = series._guesses(level, places)
    seen = 0
    for place, guess in zip(places.tolist(), guesses.tolist(), strict=True):
        value = float(series._value(Fraction(level), place).mid())
        if guess > 1e-250:
            seen += 1
            assert guess == pytest.approx(value, rel=1e-8)
    assert seen


@pytest.mark.slow
@pytest.mark.parametrize("whole,count", [(0.5, 2), (2.0, 2), (0.1, 3), (1.0, 3)])
def test_a_fixed_plan_is_worst_with_equal_members(whole, count):
    x = 0.6 * whole * count
    plan = series((whole, count), mode=dpc.FIXED)
    worst = 0.0
    for shares in product(np.linspace(0, 0.98, 15), repeat=count):
        members = [outcomes(whole, s * whole) for s in shares]
        delta = sum(
            max(math.prod(o[0] for o in each) - math.exp(x) * math.prod(o[1] for o in each), 0)
            for each in product(*members)
        )
        worst = max(worst, float(delta))
    found = dpc.delta(plan, epsilon=x)
    assert worst <= found.upper * (1 + 1e-12)
    equal = max(
        float(
            sum(
                max(math.prod(o[0] for o in each) - math.exp(x) * math.prod(o[1] for o in each), 0)
                for each in product(outcomes(whole, s * whole), repeat=count)
            )
        )
        for s in np.linspace(0, 0.999, 400)
    )
    assert found.lower <= equal * (1 + 1e-3)
    assert equal <= found.upper * (1 + 1e-12)


@pytest.mark.parametrize("first,second", [(1.0, 1.0), (0.3, 1.0), (1.0, 0.3), (0.1, 0.05)])
def test_two_runs_chosen_one_after_the_other(first, second):
    """By a dense search over the first member, then the best second one in closed form."""
    x = 0.4 * (first + second)

    def after(level):
        if level >= second:
            return 0.0
        if level <= -second:
            return -math.expm1(level)
        return math.expm1((level - second) / 2) ** 2 / -math.expm1(-second)

    worst = 0.0
    for t in np.linspace(0, first, 20001):
        q = math.expm1(t - first) / math.expm1(-first)
        worst = max(worst, q * after(x - t) + (1 - q) * after(x + first - t))
    found = dpc.delta(series((first, 1), (second, 1)), epsilon=x)
    assert worst <= found.upper * (1 + 1e-12)
    assert found.upper <= 1.02 * max(worst, found.lower)
    assert found.lower <= 1.5 * worst  # the other order may be worse


def played(draw, wholes, x):
    """δ of an analyst who chooses members at random after every outcome, played out."""

    def tree(rest, p, q):
        if not rest:
            return max(p - mp.exp(x) * q, 0)
        t = draw.random() * rest[0]
        return sum(tree(rest[1:], p * a, q * b) for a, b in outcomes(rest[0], t))

    return float(tree(wholes, mp.mpf(1), mp.mpf(1)))


@pytest.mark.parametrize("seed", range(8))
def test_no_analyst_exceeds_the_series(seed):
    draw = np.random.default_rng(seed)
    wholes = draw.choice([0.1, 0.25, 1.0, 3.0], 4).tolist()
    x = draw.uniform(0, 0.9) * sum(wholes)
    kinds = tuple((e, wholes.count(e)) for e in sorted(set(wholes)))
    found = dpc.delta(series(*kinds), epsilon=x)
    for _ in range(40):
        draw.shuffle(wholes)
        assert played(draw, wholes, x) <= found.upper


@pytest.mark.parametrize("whole", [Fraction(1, 100), Fraction(1), Fraction(8)])
def test_the_pair_beside_others_exceeds_every_member(whole):
    pair = [(float(loss), float(mass)) for loss, mass in WorstSelection(whole).atoms()]
    assert sum(mass for _, mass in pair) == pytest.approx(1, abs=1e-9)
    assert sum(mass * math.exp(-loss) for loss, mass in pair) == pytest.approx(1, abs=1e-9)
    for share in (Fraction(1, 10), Fraction(1, 2), Fraction(15, 16)):
        law = [(float(loss), float(mass)) for loss, mass in TwoLosses(whole, whole * share).atoms()]
        assert sum(mass * math.exp(-loss) for loss, mass in law) == pytest.approx(1, abs=1e-9)
        for x in np.linspace(-float(whole), float(whole), 41):
            below, above = (
                sum(mass * max(-math.expm1(x - loss), 0) for loss, mass in each if loss > x) for each in (law, pair)
            )
            assert below <= above * (1 + 1e-9) + 1e-15


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [((1.0, 2),), ((0.1, 10),), ((0.1, 100),), ((3.0, 10),), ((10.0, 5),), ((0.1, 5), (0.5, 3)), ((0.3, 1), (1.0, 1))],
)
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-12])
@pytest.mark.parametrize("mode", [dpc.FIXED, dpc.ADAPTIVE])
def test_series_are_known_from_both_sides(parts, delta, mode):
    found = dpc.epsilon(series(*parts, mode=mode), delta=delta)
    assert found.enclosure.gap <= (0.05 if mode is dpc.ADAPTIVE or len(parts) == 1 else 0.08)
    fixed = dpc.epsilon(series(*parts, mode=dpc.FIXED), delta=delta)
    assert fixed.lower <= dpc.epsilon(series(*parts), delta=delta).upper


@pytest.mark.parametrize(
    "other", [5 * dpc.Gaussian(noise_std=4), 10 * dpc.Laplace(scale=10), 1 * dpc.Geometric(scale=3)]
)
def test_beside_other_mechanisms(other):
    for delta in (1e-2, 1e-6):
        assert dpc.epsilon(10 * dpc.Exponential(epsilon=0.1) + other, delta=delta).enclosure.gap <= 0.15
