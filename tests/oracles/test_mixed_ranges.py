"""Selections of several bounded ranges against analysts in exact fractions, in every order, and laws on grids."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, pairwise, permutations, product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.signal import fftconvolve

import dpcompose as dpc
from cases import daily
from dpcompose.exact import range_plans
from dpcompose.exact.bounded_range import GridValues, RangeGrid
from dpcompose.exact.fewer_ranges import MANY, MOST, fewer_above, fewer_below
from dpcompose.exact.range_grids import Wanted
from dpcompose.exact.range_laws import FixedRuns, UpperLaw


def up(x: Fraction) -> float:
    return math.nextafter(math.log(x) * (1 + 1e-15), math.inf)


def splits(ratio: Fraction, parts: int):
    """Factors of u with mean one, (a, aR), and the probability of the first; e^ε is R, and a goes from 1/R to 1."""
    for i in range(parts + 1):
        a = 1 / ratio + (1 - 1 / ratio) * Fraction(i, parts)
        yield a, a * ratio, (a * ratio - 1) / (a * (ratio - 1))


def analyst(ratios, counts, u, parts):
    """The greatest δ at ln u of whoever chooses, after each output, both the next range and a among so many."""

    @cache
    def best(left, u):
        if not any(left):
            return max(1 - u, Fraction(0))
        found = Fraction(0)
        for i, ratio in enumerate(ratios):
            if left[i]:
                rest = tuple(n - (j == i) for j, n in enumerate(left))
                for low, high, q in splits(ratio, parts):
                    found = max(found, q * best(rest, u * low) + (1 - q) * best(rest, u * high))
        return found

    return best(tuple(counts), u)


def planner(ratios, counts, u, parts):
    """The same for whoever chooses everything in advance, each run's own a."""

    def value(plan):
        outcomes = [(Fraction(1), u)]
        for low, high, q in plan:
            outcomes = [(p * m, v * f) for p, v in outcomes for m, f in ((q, low), (1 - q, high))]
        return sum(p * max(1 - v, Fraction(0)) for p, v in outcomes)

    each = [list(combinations_with_replacement(splits(r, parts), n)) for r, n in zip(ratios, counts, strict=True)]
    return max(value([one for part in plan for one in part]) for plan in product(*each))


def dense(wholes, x, parts=240):
    """About the greatest δ of whoever chooses one after the other in this order: the last run in closed form."""
    x = np.asarray(x, dtype=float)
    e = wholes[0]
    if len(wholes) == 1:
        one = np.expm1((np.clip(x, -e, e) - e) / 2) ** 2 / -np.expm1(-e)
        return np.where(x < -e, -np.expm1(np.minimum(x, 0)), np.where(x > e, 0.0, one))
    t = e * (np.arange(parts + 1) / parts)
    q = np.expm1(t - e) / np.expm1(-e)
    values = q * dense(wholes[1:], x[..., None] - t, parts)
    values += (1 - q) * dense(wholes[1:], x[..., None] + e - t, parts)
    return values.max(axis=-1)


def densely_planned(wholes, counts, x):
    """About the greatest δ of whoever gives the runs of each range one t in advance."""

    def value(shares):
        losses, masses = np.zeros(1), np.ones(1)
        for e, n, share in zip(wholes, counts, np.clip(shares, 1e-9, 1 - 1e-12), strict=True):
            q, low = math.expm1((share - 1) * e) / math.expm1(-e), np.arange(n + 1)
            weights = np.array([math.comb(n, i) * q ** (n - i) * (1 - q) ** i for i in low])
            losses = np.add.outer(losses, n * share * e - low * e).ravel()
            masses = np.multiply.outer(masses, weights).ravel()
        return float(masses @ np.maximum(-np.expm1(np.minimum(x - losses, 0)), 0))

    places = np.linspace(0.02, 0.999, 60 if len(wholes) == 2 else 16)
    starts = sorted(product(places, repeat=len(wholes)), key=value)[-3:]
    refined = [minimize(lambda s: -value(s), start, method="Nelder-Mead", options={"xatol": 1e-7}) for start in starts]
    return max(-r.fun for r in refined)


def mixed(ratios, counts, mode):
    return dpc.Composition(
        tuple((dpc.Exponential(epsilon=up(r)), n) for r, n in zip(ratios, counts, strict=True)), mode
    )


CASES = [
    ((Fraction(3, 2), Fraction(2)), (1, 1)),
    ((Fraction(5, 4), Fraction(4)), (1, 1)),
    ((Fraction(11, 10), Fraction(2)), (2, 1)),
    ((Fraction(6, 5), Fraction(2)), (1, 2)),
    ((Fraction(21, 20), Fraction(11, 10), Fraction(3, 2)), (1, 1, 1)),
    ((Fraction(2), Fraction(5, 2), Fraction(3)), (1, 1, 1)),
]


@pytest.mark.parametrize("ratios,counts", CASES)
@pytest.mark.parametrize("place", [0, 0.3, 0.7, 0.9])
def test_no_order_and_no_choice_exceeds_the_series(ratios, counts, place):
    """From above nobody in exact fractions; from below at most what a dense search finds in the best order."""
    most = math.prod(r**n for r, n in zip(ratios, counts, strict=True))
    u = Fraction(float(most) ** place).limit_denominator(1000)
    u = max(u, Fraction(1))
    parts = 24 if sum(counts) == 2 else 8
    worst = analyst(ratios, counts, u, parts)
    level = math.log(u) * (1 - 1e-14)
    found = dpc.delta(mixed(ratios, counts, dpc.ADAPTIVE), epsilon=level)
    assert float(worst) <= found.upper * (1 + 1e-15)
    wholes = [math.log(r) for r, n in zip(ratios, counts, strict=True) for _ in range(n)]
    assert found.lower <= max(float(dense(order, level)) for order in set(permutations(wholes))) * (1 + 1e-3)


@pytest.mark.parametrize("ratios,counts", CASES)
@pytest.mark.parametrize("place", [0, 0.3, 0.7, 0.9])
def test_no_plan_exceeds_the_fixed_series(ratios, counts, place):
    most = math.prod(r**n for r, n in zip(ratios, counts, strict=True))
    u = max(Fraction(float(most) ** place).limit_denominator(1000), Fraction(1))
    parts = 40 if sum(counts) == 2 else 10
    worst = planner(ratios, counts, u, parts)
    level = math.log(u) * (1 - 1e-14)
    found = dpc.delta(mixed(ratios, counts, dpc.FIXED), epsilon=level)
    assert float(worst) <= found.upper * (1 + 1e-15)
    planned = densely_planned([math.log(r) for r in ratios], counts, level)
    assert found.lower <= planned * (1 + 1e-4)
    assert planned * (1 - 1e-9) <= found.upper


@pytest.mark.slow
@pytest.mark.parametrize("ratios,counts", CASES)
def test_kinds_apart_are_no_less_than_in_any_order(ratios, counts):
    """The join of one law for each kind, which the plans use where the product of counts is too great."""
    kinds = tuple((Fraction(up(r)), n) for r, n in zip(ratios, counts, strict=True))
    joined = range_plans._apart([(kind,) for kind in kinds], kinds, 40.0)
    assert joined is not None
    most = math.prod(r**n for r, n in zip(ratios, counts, strict=True))
    for place in daily((0, 0.25, 0.5, 0.75, 0.95), 2):
        u = max(Fraction(float(most) ** place).limit_denominator(1000), Fraction(1))
        level = math.log(u) * (1 - 1e-14)
        assert float(analyst(ratios, counts, u, 8)) <= joined.delta_above(level)
        for curve in range_plans.above_fixed(kinds, 2.0 * len(kinds), Wanted(1e-3, level)):
            assert float(planner(ratios, counts, u, 12 if sum(counts) < 3 else 6)) <= curve.delta_above(level)


def chords(values, x):
    h = values.grid.spacing
    place = min(max(x / h, -values.grid.left), values.grid.right)
    i = min(math.floor(place), values.grid.right - 1)
    a, b = values.values[i + values.grid.left], values.values[i + 1 + values.grid.left]
    return a + (b - a) * math.expm1((place - i) * h) / math.expm1(h)


@pytest.mark.parametrize("spacing", [1e-4, 0.03, 0.5])
def test_a_law_has_no_less_than_the_profile(spacing):
    """Its positive parts, summed in plain order, against the chords between the values it was made of."""
    grid = RangeGrid(spacing, 40, 60)
    x = np.arange(-40, 61) * spacing
    width = 12 * spacing
    values = GridValues(grid, np.array([-math.expm1(-width * math.log1p(math.exp(-v / width))) for v in x]))
    law = UpperLaw.of(values)
    assert law.masses.min() >= 0
    assert law.masses.sum() + law.infinite >= 1
    assert law.masses.sum() + law.infinite <= 1 + 1e-9
    for level in np.linspace(-39, 59, 57) * spacing:
        profile = sum(m * max(-math.expm1(level - loss), 0) for m, loss in zip(law.masses, x, strict=True))
        assert profile + law.infinite >= chords(values, level) * (1 - 1e-13)
        assert profile + law.infinite <= chords(values, level) * (1 + 1e-8)


def test_values_on_another_grid_are_their_chords():
    fine = RangeGrid(0.05, 60, 60)
    values = GridValues(fine, np.array([1 / (1 + math.exp(v)) for v in np.arange(-60, 61) * 0.05]))
    for spacing in (0.02, 0.05, 0.13):
        other = RangeGrid(spacing, 20, 20)
        found = values.above_on(other)
        for x, value in zip(np.arange(-20, 21) * spacing, found.values, strict=True):
            assert chords(values, x) <= value <= chords(values, x) * (1 + 1e-8)
    wider = values.above_on(RangeGrid(0.5, 12, 12)).values
    assert all(b <= a for a, b in pairwise(wider))
    u = math.exp(-6 + 3)  # of V(u = 0) = 1 and the first value, at x = −3
    assert wider[0] == pytest.approx(1 - u * (1 - values.values[0]), rel=1e-6)
    assert wider[-1] >= values.values[-1]


@pytest.mark.parametrize("count", [1, 7, 300, 20000])
@pytest.mark.parametrize("share", [0.3, 0.55, 0.97])
def test_probabilities_of_fixed_runs_are_below_the_binomial(count, share):
    whole = Fraction(3, 10)
    runs = FixedRuns.of(whole, count, share)
    e = float(whole) * (1 - 2.0**-50)
    t = Fraction(share * e)
    import mpmath as mp

    with mp.workdps(40):
        q = mp.expm1(mp.mpf(t.numerator) / t.denominator - mp.mpf(e)) / mp.expm1(-mp.mpf(e))
        for loss, mass in list(zip(runs.losses, runs.masses, strict=True))[:: max(len(runs.masses) // 30, 1)]:
            low = round((count * float(t) - loss) / e)
            exact = mp.binomial(count, low) * q ** (count - low) * (1 - q) ** low
            assert mass <= exact
            if exact > 1e-200:
                assert mass >= exact * (1 - 1e-8)
    assert runs.masses.sum() == pytest.approx(1, abs=1e-8)


def drawn(seed):
    draw = np.random.default_rng(seed)
    sizes = [float(f"{e:.3g}") for e in np.exp(draw.uniform(math.log(0.001), math.log(3), draw.choice([2, 3])))]
    parts = tuple((dpc.Exponential(epsilon=e), int(draw.choice([1, 2, 3, 10, 100, 1000]))) for e in sizes)
    return parts, float(draw.choice([1e-3, 1e-6, 1e-9, 1e-12]))


@pytest.mark.slow
@pytest.mark.parametrize("mode", [dpc.ADAPTIVE, dpc.FIXED])
@pytest.mark.parametrize("seed", daily(range(24), 3))
def test_mixed_ranges_are_known_within_a_twentieth(mode, seed):
    parts, delta = drawn(seed)
    found = dpc.epsilon(dpc.Composition(parts, mode), delta=delta)
    assert found.enclosure.gap <= 0.05
    again = dpc.delta(dpc.Composition(parts, mode), epsilon=(found.lower + found.upper) / 2)
    assert again.lower <= delta * 3
    assert again.upper >= delta / 3
    assert dpc.delta(dpc.Composition(parts, mode), epsilon=found.upper).lower <= delta
    assert dpc.delta(dpc.Composition(parts, mode), epsilon=found.lower * (1 - 1e-12)).upper >= delta


def many_kinds(seed, count, low=0.01, high=0.3):
    rng = np.random.default_rng(seed)
    return tuple(
        sorted(
            (Fraction(e), int(n)) for e, n in zip(rng.uniform(low, high, count), rng.integers(1, 4, count), strict=True)
        )
    )


@pytest.mark.parametrize("count", [MANY, MANY + 1, 40, 300, MOST + 500])
def test_fewer_ranges_cost_no_less_or_no_more_run_by_run(count):
    kinds = many_kinds(count, count)
    spelled = [e for e, n in kinds for _ in range(n)]
    above, below = fewer_above(kinds), fewer_below(kinds)
    for fewer, is_right in ((above, lambda e, f: f >= e), (below, lambda e, f: f <= e)):
        assert list(fewer) == sorted(fewer)
        assert all(is_right(e, f) for e, f in zip(spelled, (e for e, n in fewer for _ in range(n)), strict=True))
    assert (above == below == kinds) if count <= MANY else (len(above) < count and len(below) < count)


@pytest.mark.parametrize("ranges,count", [((0.0113, 0.011), 10), ((0.0113, 0.011), 1), ((0.3, 0.28, 0.29), 5)])
@pytest.mark.parametrize("level", [0, 0.5, 2])
def test_near_ranges_cost_no_more_than_is_known_of_the_greatest(ranges, count, level):
    """Level in units of the root of 2ρ."""
    mixed = sum((count * dpc.Exponential(epsilon=e) for e in ranges), dpc.Composition())
    alike = len(ranges) * count * dpc.Exponential(epsilon=ranges[0])
    epsilon = level * ranges[0] * math.sqrt(len(ranges) * count) / 2
    assert dpc.delta(mixed, epsilon).upper <= dpc.delta(alike, epsilon).upper * (1 + 1e-9)


@pytest.mark.parametrize("adaptivity", [dpc.ADAPTIVE, dpc.FIXED], ids=["adaptive", "fixed"])
@pytest.mark.parametrize("count", [14, 60])
def test_many_ranges_hold_every_plan_and_are_near(count, adaptivity):
    """Plans of one share t/ε each, their sums listed on a grid with losses rounded down, stay below the upper end; and
    the ends are within a tenth.
    """
    kinds = many_kinds(3, count)
    found = dpc.epsilon(dpc.Composition(tuple((dpc.Exponential(epsilon=e), n) for e, n in kinds), adaptivity), 1e-6)
    h = found.upper / 20_000
    for share in (0.4, 0.5, 0.55, 0.6, 0.7):
        masses, bottom = np.ones(1), 0
        for e, n in kinds:
            for _ in range(n):
                t = share * float(e)
                q = math.expm1(t - float(e)) / math.expm1(-float(e))
                up, down = math.floor(t / h), math.floor((t - float(e)) / h)
                step = np.zeros(up - down + 1)
                step[-1], step[0] = q, 1 - q
                masses, bottom = fftconvolve(masses, step), bottom + down
        losses = (bottom + np.arange(masses.size)) * h
        delta = float(np.maximum(masses, 0) @ np.maximum(-np.expm1(found.upper - losses), 0))
        assert delta <= 1e-6 * (1 + 1e-3)
    assert found.enclosure.gap <= 0.1
