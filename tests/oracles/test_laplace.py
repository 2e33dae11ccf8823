"""The Laplace sum against the definition (quadrature), a triple sum, and a convolution step at any count."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.exact.laplace import (
    MOST_COORDINATES,
    laplace_atoms,
    laplace_cdf,
    laplace_delta,
    laplace_density,
    laplace_epsilon,
    laplace_mean,
)
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.gamma import gamma_lower


def exact(x):
    x = Fraction(x)
    with mp.workdps(120):
        return mp.mpf(x.numerator) / x.denominator


def holds(enclosure, truth):
    return mp.mpf(enclosure.lower) <= truth <= mp.mpf(enclosure.upper)


def triple_sum(count, step, t):
    """Count atoms at the far end (m), inner coordinates (n) and corners of their cube (i); alternating."""
    with mp.workdps(120):
        tau, e = (count * Fraction(step) - Fraction(t)) / 2, exact(step)
        total = mp.mpf(0)
        for m in range(count + 1):
            for n in range(count - m + 1):
                ways = math.comb(count, m) * math.comb(count - m, n)
                for i in range(n + 1):
                    x = exact(tau - (m + i) * Fraction(step))
                    if x <= 0:
                        break
                    total += ways * (-1) ** i * math.comb(n, i) * mp.exp(-(m + i) * e) * cube(n, x)
        return total / mp.mpf(2) ** count


def cube(n, x):
    if n == 0:
        return -mp.expm1(-2 * x)
    falling = 1 - mp.exp(-x) * mp.fsum(x**j / mp.factorial(j) for j in range(n))
    rising = (-1) ** n * (1 - mp.exp(x) * mp.fsum((-x) ** j / mp.factorial(j) for j in range(n)))
    return falling - mp.exp(-2 * x) * rising


def one(step, t):
    """One coordinate: the profile at any t."""
    if t >= step:
        return mp.mpf(0)
    return -mp.expm1((t - step) / 2) if t >= -step else -mp.expm1(t)


# Fifty digits, computed with mpmath at eighty: count, step, t, delta.
CASES = [
    (1, "1", "0", "0.39346934028736657639620046500881954655808186451281"),
    (1, "1", "0.5", "0.22119921692859513175482973302167935270322770957386"),
    (1, "1", "1", "0"),
    (2, "1", "0", "0.44818083824283651760671434475780869883128330345235"),
    (2, "1", "1", "0.24183667535920822049525058126102443319760233064102"),
    (3, "0.5", "0.75", "0.10732935469531931243640711810071965304874297693608"),
    (5, "1", "2", "0.31390381094984760283080490662862556100320533497892"),
    (10, "0.5", "2", "0.12547683656272456824863589598624024985749786452318"),
    (10, "0.1", "0.9", "0.00011796148258529085748368176215102930653827542904388"),
    (8, "5", "30", "0.63486185577320029494613233803294816289181026266446"),
    (3, "10", "25", "0.69987672378137003016141078397944695259302868253731"),
]


@pytest.mark.parametrize("count, step, t, value", CASES)
def test_fifty_digits(count, step, t, value):
    found = laplace_delta(count, Fraction(step), Fraction(t))
    assert Fraction(value) in found
    assert found.gap < 1e-14


@pytest.mark.parametrize("step, t", [(1.0, 0.25), (0.125, 0.0), (6.0, 5.0)])
def test_the_definition_by_quadrature(step, t):
    def excess(x):
        return max(mp.exp(-abs(x)) / 2 - mp.exp(t) * mp.exp(-abs(x - step)) / 2, 0)

    with mp.workdps(30):
        edge = (mp.mpf(step) - t) / 2  # left of it the first density is the larger by e^t
        gap = mp.quad(excess, [-100, -10, 0, edge])
    assert abs(gap - laplace_delta(1, step, t).upper) < 1e-13


@pytest.mark.parametrize("step, t", [(1.0, 0.25), (0.125, 0.2), (3.0, 0.0), (3.0, 4.5)])
def test_two_coordinates_by_convolution(step, t):
    with mp.workdps(30):
        kinks = sorted({-step, step, *(x for x in (t - step, t + step) if -step < x < step)})
        inner = mp.quad(lambda x: mp.exp((x - step) / 2) / 4 * one(step, t - x), kinks)
        gap = one(step, t - step) / 2 + mp.exp(-step) / 2 * one(step, t + step) + inner
    assert abs(gap - laplace_delta(2, step, t).upper) < 1e-14 * gap + 1e-20


@pytest.mark.slow
@pytest.mark.parametrize("count, step, share", [(25, 0.3, 0.2), (100, 0.05, 0.1), (300, 1.0, 0.45)])
def test_one_more_coordinate_by_convolution(count, step, share):
    # Gauss-Legendre between the kinks; the profile of many coordinates is smooth.
    t = share * count * step
    inner = sum(
        w * step * math.exp((x * step - step) / 2) / 4 * laplace_delta(count - 1, step, t - x * step).upper
        for x, w in zip(*np.polynomial.legendre.leggauss(12), strict=True)
    )
    below = laplace_delta(count - 1, step, t - step).upper / 2
    above = math.exp(-step) / 2 * laplace_delta(count - 1, step, t + step).upper
    assert laplace_delta(count, step, t).upper == pytest.approx(below + above + inner, rel=1e-9)


@cases(60)
@given(
    st.integers(1, 9),
    st.floats(min_value=-6, max_value=1.5).map(lambda e: 10.0**e),
    st.one_of(st.just(0.0), st.floats(min_value=0, max_value=1)),
    st.sampled_from([1, 7]),
)
def test_delta_encloses_the_triple_sum(count, step, share, divisor):
    step = Fraction(step) / divisor
    t = float(count * step) * share
    found = laplace_delta(count, step, t)
    assert holds(found, max(triple_sum(count, step, t), mp.mpf(0)))
    assert found.gap < 1e-14


@cases(60)
@given(
    st.integers(1, 7),
    st.floats(min_value=-4, max_value=1).map(lambda e: 10.0**e),
    st.one_of(st.floats(min_value=-300, max_value=-0.01).map(lambda e: 10.0**e), st.floats(0.001, 0.9)),
)
def test_epsilon_is_proven_at_both_ends(count, step, delta):
    found = laplace_epsilon(count, step, delta)
    assert triple_sum(count, step, min(Fraction(found.upper), count * Fraction(step))) <= exact(delta)
    assert found.lower == 0.0 or triple_sum(count, step, found.lower) > exact(delta)
    assert found.upper <= Enclosure.exactly(count * Fraction(step)).upper
    assert found.gap < 1e-12


def test_many_coordinates_stay_tight_and_monotone():
    values = [laplace_delta(k, 0.125, 2.0) for k in (17, 50, 111, 200, MOST_COORDINATES)]
    assert all(v.gap < 1e-14 for v in values)
    assert all(a.upper < b.lower for a, b in pairwise(values))
    assert laplace_epsilon(100, 0.1, 1e-6).gap < 1e-12


def test_the_corners():
    nothing = Enclosure(0.0, 0.0)
    assert laplace_delta(0, 1, 0) == laplace_delta(5, 0, 0) == laplace_delta(5, 1, 5) == nothing
    assert laplace_delta(5, 1, math.inf) == nothing
    assert laplace_delta(5, math.inf, 1) == Enclosure(1.0, 1.0)
    assert laplace_epsilon(5, 1, 0) == Enclosure(5.0, 5.0)
    assert laplace_epsilon(5, 1, 1) == laplace_epsilon(5, 1, 0.9) == laplace_epsilon(0, 1, 0) == nothing
    assert laplace_epsilon(5, math.inf, 0.5) == Enclosure(math.inf, math.inf)
    assert laplace_epsilon(5, 1, Enclosure(0.0, 0.1)) == Enclosure(laplace_epsilon(5, 1, 0.1).lower, 5.0)
    assert laplace_delta(20, 5e-324, 0).upper < 1e-320
    assert laplace_delta(20, 1e300, 1e299).lower > 0.999
    assert laplace_epsilon(3, Fraction(10) ** 400, 0.5).upper == math.inf
    with mp.workdps(60):
        assert holds(laplace_delta(4, 1, -2), 1 - mp.exp(-2) + mp.exp(-2) * triple_sum(4, 1, 2))


def test_refusals():
    with pytest.raises(Declined, match="at most"):
        laplace_delta(MOST_COORDINATES + 1, 1, 0)
    for call in (
        lambda: laplace_delta(1, -1, 0),
        lambda: laplace_delta(-1, 1, 0),
        lambda: laplace_delta(1, 1, math.nan),
    ):
        with pytest.raises(InvalidParameter, match="is not allowed"):
            call()


# Fifty digits, computed with mpmath at eighty: step, point, atom, density, distribution, mean.
LAW = [
    ("1", "0", "0.18393972058572116079776188508073043372290556551588",
     "0.15163266492815835590094988374779511336047953387180",
     "0.30326532985631671180189976749559022672095906774359",
     "0.36787944117144232159552377016146086744581113103177"),
    ("3", "2.9", "0.024893534183931971489671207825030888315849796094212",
     "0.23780735612517850227285632994491304016427186233509",
     "0.47561471225035700454571265988982608032854372467019",
     "2.0497870683678639429793424156500617766316995921884"),
    ("0.001", "0", "0.49950024991668749583402767858382798735117795118004",
     "0.24987503124479231764323459162638830625618155575622",
     "0.49975006248958463528646918325277661251236311151243",
     "4.9983337499166805535716765597470235590236008205905e-7"),
]  # fmt: skip


@pytest.mark.parametrize("step, at, values", [(a, b, c) for a, b, *c in LAW])
def test_the_law_of_one_log_ratio(step, at, values):
    s, x = Fraction(step), Fraction(at)
    atom, density, below, mean = values
    assert laplace_atoms(s)[0] == Enclosure(0.5, 0.5)
    for found, value in (
        (laplace_atoms(s)[1], atom),
        (laplace_density(s, x), density),
        (laplace_cdf(s, x), below),
        (laplace_mean(s), mean),
    ):
        assert Fraction(value) in found
        assert found.gap < 1e-15
    assert laplace_cdf(s, -2 * s) == laplace_density(s, 2 * s) == Enclosure(0.0, 0.0)
    assert laplace_cdf(s, s) == Enclosure(1.0, 1.0)


@cases(60)
@given(st.floats(min_value=-150, max_value=5).map(lambda e: 10.0**e))
def test_the_mean_does_not_cancel(step):
    with mp.workdps(400):
        truth = exact(step) + mp.expm1(-exact(step))
    found = laplace_mean(step)
    assert holds(found, truth)
    assert found.gap < 1e-15


@cases(60)
@given(st.fractions(min_value=Fraction(1, 2), max_value=40, max_denominator=2), st.floats(min_value=1e-3, max_value=90))
def test_the_incomplete_gamma_function(shape, x):
    with ctx.workprec(128), mp.workdps(60):
        found = gamma_lower(shape, arb(x))
        truth = mp.gammainc(exact(shape), 0, mp.mpf(x), regularized=True)
        assert holds(Enclosure.of(found), truth)
        assert found.rel_accuracy_bits() > 60
