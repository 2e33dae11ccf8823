"""Scaled chi-squares against mpmath: the definition by quadrature, its gammas, and the Rényi integrals."""

import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.exact.chisquare import MOST_ROWS, random_shift_renyi, scaled_chisquare_delta, scaled_normal_renyi
from dpcompose.numerics.enclosure import Enclosure


def exact(x):
    x = Fraction(x)
    with mp.workdps(150):
        return mp.mpf(x.numerator) / x.denominator


def holds(enclosure, truth):
    return mp.mpf(enclosure.lower) <= truth <= mp.mpf(enclosure.upper)


def oracle(rows, ratio, t):
    """Both directions through mpmath's gammas, thresholds from equating the two densities."""
    with mp.workdps(150):
        s, R, t = mp.mpf(rows) / 2, exact(ratio), exact(t)
        high, low = (s * mp.log(R) + t) / (R - 1), (s * mp.log(R) - t) / (R - 1)

        def upper(x):
            return mp.gammainc(s, x, mp.inf, regularized=True)

        def lower(x):
            return mp.gammainc(s, 0, x, regularized=True) if x > 0 else mp.mpf(0)

        return upper(high) - mp.exp(t) * upper(R * high), lower(R * low) - mp.exp(t) * lower(low)


# Fifty digits, computed with mpmath at eighty: rows, ratio, t, large against small, small against large.
DELTA = [
    (1, "1.1", "0.1", "0.0067012579288826427869103586510842297978311690921194", "0"),
    (119, "1.0261512", "1", "9.9984750875901813053893389088567492614282969266072e-7",
     "7.0358856139718983132739298381436791649026270927524e-14"),
    (119, "1.1", "0", "0.28642265490760309735629963607650885973109870680992",
     "0.28642265490760309735629963607650885973109870680992"),
    (10, "2", "3", "0.14861335882040310369424026937026625933336849978324",
     "0.00021980684222023686769410855749831154572488041690382"),
    (119, "1.5", "20", "0.00028378869588860641211405153569885259248801919034267",
     "3.9416200067143120077523490667405509562592574170771e-23"),
]  # fmt: skip
# order, w, rows, large against small, small against large (ratio 1 + 2/w), random shift of scale w
RENYI = [
    ("2", "76.5", 119, "0.040682023720671795959011979761229113498371337149258",
     "0.038634797023200525857208447206103919049366299888725",
     "0.020337534912811167871271617228219138821715645153977"),
    ("10", "52", 119, "0.56340048956874900597437301327678383115170518728626",
     "0.34365136932595763269529069559146080712038299720251",
     "0.22378970080354482651598821425453534329885659472298"),
    ("60", "52", 1, None, "0.0090522789893118308091662185835965087537995544131001", None),
]  # fmt: skip


@pytest.mark.parametrize("rows, ratio, t, large, small", DELTA)
def test_fifty_digits(rows, ratio, t, large, small):
    for found, value in zip(scaled_chisquare_delta(rows, Fraction(ratio), Fraction(t)), (large, small), strict=True):
        assert Fraction(value) in found
        assert found.gap < 1e-14


@pytest.mark.parametrize("order, w, rows, values", [(a, w, r, v) for a, w, r, *v in RENYI])
def test_fifty_digits_of_renyi(order, w, rows, values):
    found = (
        *scaled_normal_renyi(rows, 1 + 2 / Fraction(w), Fraction(order)),
        random_shift_renyi(rows, Fraction(w), Fraction(order)),
    )
    for enclosure, value in zip(found, values, strict=True):
        if value is None:
            assert enclosure == Enclosure(math.inf, math.inf)
        else:
            assert Fraction(value) in enclosure
            assert enclosure.gap < 1e-14


@pytest.mark.parametrize("rows, ratio, t", [(1, 1.5, 0.1), (3, 4.0, 0.5), (12, 1.25, 0.0), (12, 1.25, 0.4)])
def test_the_definition_by_quadrature(rows, ratio, t):
    def density(x):
        return x ** (mp.mpf(rows) / 2 - 1) * mp.exp(-x / 2) / (2 ** (mp.mpf(rows) / 2) * mp.gamma(mp.mpf(rows) / 2))

    with mp.workdps(30):
        factor = mp.exp(t)
        high = (rows * mp.log(ratio) + 2 * t) / (1 - 1 / mp.mpf(ratio))
        low = max((rows * mp.log(ratio) - 2 * t) / (1 - 1 / mp.mpf(ratio)), 0)
        large = mp.quad(lambda x: density(x / ratio) / ratio - factor * density(x), [high, 2 * high + 9, 60, 400, 2000])
        # the substitution x = y^2 tames the density of one row at 0
        small = mp.quad(lambda y: 2 * y * (density(y * y) - factor * density(y * y / ratio) / ratio), [0, mp.sqrt(low)])
    for found, value in zip(scaled_chisquare_delta(rows, ratio, t), (large, small), strict=True):
        assert abs(value - found.upper) < 1e-12


@cases(60)
@given(
    st.integers(1, 400),
    st.floats(min_value=-6, max_value=2).map(lambda e: 1.0 + 10.0**e),
    st.floats(min_value=-3, max_value=12),
)
def test_both_directions_enclose_the_truth(rows, ratio, z):
    # z deviations of the log ratio, so that the values are neither all 0 nor all 1
    t = max(0.0, z * math.sqrt(rows / 2) * min(ratio - 1.0, 3.0))
    for found, truth in zip(scaled_chisquare_delta(rows, ratio, t), oracle(rows, ratio, t), strict=True):
        assert holds(found, truth)
        assert found.gap < 1e-13 or truth < 1e-300


@pytest.mark.parametrize("rows, ratio, t", [
    (10**5, 1.001, 0.5), (10**5 + 1, 1.01, 20.0), (999, 1.2, 3.0), (10**4, 1.05, 40.0), (10**5, 1 + 1e-9, 1e-6),
])  # fmt: skip
def test_many_rows_stay_tight(rows, ratio, t):
    large, small = scaled_chisquare_delta(rows, ratio, t)
    assert max(large.gap, small.gap) < 1e-13
    # about a normal profile of mu = (R - 1) sqrt(r / 2), which the two directions surround
    assert 0.0 < small.upper <= large.lower < 1.0


@cases(60)
@given(st.floats(min_value=-3, max_value=2).map(lambda e: 1.0 + 10.0**e), st.floats(min_value=1.0, max_value=40.0))
def test_renyi_by_its_integral(ratio, order):
    large, small = scaled_normal_renyi(1, ratio, order)
    with mp.workdps(80):
        R, a = exact(ratio), exact(order)
        if order == 1:
            truth = ((R - 1 - mp.log(R)) / 2, (mp.log(R) - 1 + 1 / R) / 2)
        else:
            # the integral of N(0,R)^a N(0,1)^(1-a) is a normal one, of precision a/R + 1 - a; and the other way
            integrals = (a / R + 1 - a, R ** (-a / 2)), (a + (1 - a) / R, R ** (-(1 - a) / 2))
            truth = tuple(mp.log(c / mp.sqrt(p)) / (a - 1) if p > 0 else mp.inf for p, c in integrals)
    for found, value in zip((large, small), truth, strict=True):
        assert holds(found, value)
        assert found.gap < 1e-14


@pytest.mark.parametrize("scale, order", [(10.0, 2.0), (10.0, 9.5), (3.0, 1.25)])
def test_the_random_shift_by_quadrature(scale, order):
    # given the draw g, the divergence integral is exp(a(a-1) g^2 / (2 w^2))
    with mp.workdps(30):
        a, w = mp.mpf(order), mp.mpf(scale)
        moment = 2 * mp.quad(lambda g: mp.npdf(g) * mp.exp(a * (a - 1) * g * g / (2 * w * w)), [0, 3, 10, 30, 90])
        truth = 7 * mp.log(moment) / (a - 1)
    assert abs(truth - random_shift_renyi(7, scale, order).upper) < 1e-12


def test_the_corners():
    nothing, certain, infinite = Enclosure(0.0, 0.0), Enclosure(1.0, 1.0), Enclosure(math.inf, math.inf)
    assert scaled_chisquare_delta(0, 2, 0) == scaled_chisquare_delta(5, 1, 0) == (nothing, nothing)
    assert scaled_chisquare_delta(5, 2, math.inf) == (nothing, nothing)
    assert scaled_chisquare_delta(5, math.inf, 1) == (certain, certain)
    assert scaled_chisquare_delta(3, 2, 2)[1] == nothing
    assert scaled_normal_renyi(5, 1, 3) == scaled_normal_renyi(0, 2, 3) == (nothing, nothing)
    assert scaled_normal_renyi(2, 2, math.inf)[0] == infinite
    assert holds(scaled_normal_renyi(2, 2, math.inf)[1], mp.log(2))
    assert random_shift_renyi(1, 0, 2) == random_shift_renyi(1, 2, math.inf) == infinite
    assert random_shift_renyi(0, 1, 2) == random_shift_renyi(1, math.inf, 2) == nothing
    assert random_shift_renyi(8, 2, 1) == certain
    with mp.workdps(60):
        large, small = oracle(4, 2, 1)
        for found, other in zip(scaled_chisquare_delta(4, 2, -1), (small, large), strict=True):
            assert holds(found, 1 - mp.exp(-1) + mp.exp(-1) * other)


def test_refusals():
    with pytest.raises(Declined, match="at most"):
        scaled_chisquare_delta(MOST_ROWS + 1, 2, 0)
    for call in (
        lambda: scaled_chisquare_delta(1, 0.5, 0),
        lambda: scaled_chisquare_delta(-1, 2, 0),
        lambda: scaled_chisquare_delta(1, 2, math.nan),
        lambda: scaled_normal_renyi(1, 2, 0.5),
        lambda: random_shift_renyi(1, -2, 2),
    ):
        with pytest.raises(InvalidParameter, match="is not allowed"):
            call()
