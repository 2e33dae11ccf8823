"""The normal profile and its inverses against mpmath, at hundreds of digits."""

import math
from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.errors import InvalidParameter
from dpcompose.exact.normal import normal_delta, normal_epsilon, normal_mu
from dpcompose.numerics.enclosure import Enclosure


def exact(x):
    x = Fraction(x)
    with mp.workdps(400):
        return mp.mpf(x.numerator) / x.denominator


def oracle(mu_squared, t):
    """The difference of two tails, which agree in as many digits as μ has zeros: a hundred digits beyond that."""
    square, t = exact(mu_squared), exact(t)
    with mp.workdps(100 + max(0, -int(mp.log10(square)))):
        mu = mp.sqrt(square)
        x, y = t / mu - mu / 2, t / mu + mu / 2
        return (mp.erfc(x / mp.sqrt(2)) - mp.exp(t) * mp.erfc(y / mp.sqrt(2))) / 2


def holds(enclosure, truth):
    return mp.mpf(enclosure.lower) <= truth <= mp.mpf(enclosure.upper)


def powers(least, most):
    return st.floats(min_value=least, max_value=most).map(lambda e: 10.0**e)


deltas = st.one_of(
    powers(-300, -1),
    st.floats(min_value=0.01, max_value=0.99),
    powers(-15, -1).map(lambda x: 1.0 - x),
    st.integers(1, 25).map(lambda n: Fraction(1, 10**n)),
    st.just(5e-324),
)
squares = st.one_of(powers(-24, 12), powers(-24, 12).map(lambda x: Fraction(x) / 3))


# Fifty digits, computed with mpmath at eighty: mu^2 and t, mu^2 and delta, epsilon and delta.
DELTA = [
    ("1", "0", "0.38292492254802620727540922121667547976720435110916"),
    ("1", "1", "0.12693673750664394580082962475776688041508065011200"),
    ("4", "3", "0.18381307654447215597010727020143692071534397015615"),
    ("1e-12", "0", "3.9894228040141605534492933419614835051724803919821e-7"),
    ("0.25", "2", "9.4391686349472337585112669640303943623533969709118e-6"),
    ("1.6", "10", "2.5277303122552250609804380248983300120470619896935e-14"),
    ("10000", "5000", "0.49601097601864319002362807799421544208849344549124"),
    ("1000", "500", "0.48739691539344355717508183879659590587166205102231"),
    ("400", "200", "0.48010238435167296840789149606405901688658869543620"),
]
EPSILON = [
    ("1", "1e-5", "4.3771780956812246276501162932420109131534385169724"),
    ("0.25", "1e-6", "2.2540846502197409350323642165748206571592398494096"),
    ("4", "1e-9", "13.534772219165537655456626837017171541693572546831"),
    ("1e-12", "1e-10", "3.3630157621380049323529979313088592471936014487117e-6"),
    ("1600", "0.999", "675.35022397925370132139705154039333980237834146181"),
]
MU = [
    ("1", "1e-5", "0.26805112321129421790303557237001373618860965790970"),
    ("1", "1e-6", "0.23670438066343570964812335351203697930242500740607"),
    ("10", "1e-5", "2.0004456204306324126115840021106288946213548692311"),
    ("0.5", "1e-100", "0.023849520232008525465118151017323908905197630338465"),
    ("50", "0.4", "9.8477731174972686659238232477216919360210517720267"),
]


@pytest.mark.parametrize(
    "function, first, second, value",
    [
        *((normal_delta, *case) for case in DELTA),
        *((normal_epsilon, *case) for case in EPSILON),
        *((normal_mu, *case) for case in MU),
    ],
)
def test_fifty_digits(function, first, second, value):
    found = function(Fraction(first), Fraction(second))
    assert Fraction(value) in found
    assert found.gap < 1e-13


@pytest.mark.parametrize("mu, t", [(1.0, 0.5), (0.25, 0.0), (3.0, 7.0), (1e-3, 1e-3)])
def test_the_definition_by_quadrature(mu, t):
    with mp.workdps(30):
        edge = mp.mpf(t) / mu + mp.mpf(mu) / 2  # from here on the moved density is the larger by e^t
        gap = mp.quad(lambda x: mp.npdf(x, mu) - mp.exp(t) * mp.npdf(x), [edge, edge + 2, edge + 8, edge + 40])
    found = normal_delta(Fraction(mu) ** 2, t)
    assert abs(gap - found.upper) < 1e-12 * gap


@cases(150)
@given(powers(-12, 6), st.floats(min_value=-10, max_value=37), st.sampled_from([1, 3]))
def test_delta_encloses_the_truth_to_fifteen_digits(mu, x, divisor):
    t = max(0.0, mu * (x + mu / 2))
    square = Fraction(mu * mu) / divisor
    found = normal_delta(square, t)
    truth = oracle(square, t)
    assert holds(found, truth)
    assert found.gap < 1e-15 or truth < 1e-299


@cases(150)
@given(powers(-12, 6), powers(-12, 9))
def test_delta_is_sound_anywhere(mu, t):
    found = normal_delta(mu * mu, t)
    assert 0.0 <= found.lower <= found.upper <= 1.0
    if t / mu < mu / 2 + 60:
        assert holds(found, oracle(mu * mu, t))
    else:
        assert found.upper <= math.ulp(0.0)


@cases(150)
@given(squares, deltas)
def test_epsilon_is_proven_at_both_ends(mu_squared, delta):
    found = normal_epsilon(mu_squared, delta)
    assert oracle(mu_squared, found.upper) <= exact(delta)
    assert found.lower == 0.0 or oracle(mu_squared, found.lower) > exact(delta)
    assert found.gap < 1e-13


@cases(150)
@given(st.one_of(powers(-12, 9), st.just(0.0), st.just(Fraction(1, 3))), deltas)
def test_mu_is_proven_at_both_ends(epsilon, delta):
    found = normal_mu(epsilon, delta)
    assert oracle(Fraction(found.lower) ** 2, epsilon) <= exact(delta)
    assert oracle(Fraction(found.upper) ** 2, epsilon) > exact(delta)
    assert found.gap < 1e-13 or found.upper < 1e-300


def test_the_corners():
    zero, one, infinite = Enclosure(0.0, 0.0), Enclosure(1.0, 1.0), Enclosure(math.inf, math.inf)
    assert normal_delta(0, 1) == normal_delta(1, math.inf) == zero
    assert normal_delta(math.inf, 5) == one
    assert normal_epsilon(0, 0) == normal_epsilon(1, 1) == normal_epsilon(1, 0.5) == zero
    assert normal_epsilon(1, 0) == normal_epsilon(math.inf, 0.5) == infinite
    assert normal_mu(1, 0) == zero
    assert normal_mu(1, 1) == infinite
    assert holds(normal_delta(1, -2), oracle(1, -2))
    assert normal_epsilon(Fraction(10) ** 700, 0.5).upper == math.inf
    assert normal_delta(Fraction(10) ** 700, 5).lower > 0.999
    assert normal_epsilon(Fraction(1, 10**700), Fraction(1, 10**400)).upper < 1e-300


def test_epsilon_is_sharp_where_delta_is_almost_that_of_zero():
    with mp.workdps(60):
        nearly = mp.erf(1 / mp.sqrt(8)) * (1 - mp.mpf(10) ** -30)
        delta = Fraction(int(nearly * 10**60), 10**60)
    found = normal_epsilon(1, delta)
    assert found.lower > 0
    assert found.gap < 1e-13
    assert oracle(1, found.upper) <= exact(delta) < oracle(1, found.lower)


def test_enclosures_go_in_and_come_out():
    wide = normal_epsilon(Enclosure(0.9, 1.1), Enclosure(1e-6, 1e-5))
    assert wide.lower == normal_epsilon(0.9, 1e-5).lower
    assert wide.upper == normal_epsilon(1.1, 1e-6).upper
    assert normal_epsilon(1, Enclosure(0.0, 1e-5)).upper == math.inf
    assert normal_delta(Enclosure(0.9, 1.1), 1) == normal_delta(0.9, 1) | normal_delta(1.1, 1)
    assert normal_mu(1, Enclosure(1e-6, 1e-5)) == normal_mu(1, 1e-6) | normal_mu(1, 1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: normal_delta(-1, 1),
        lambda: normal_delta(1, math.nan),
        lambda: normal_epsilon(math.nan, 0.1),
        lambda: normal_epsilon(1, -0.1),
        lambda: normal_mu(-1, 0.1),
    ],
)
def test_nonsense_is_refused(call):
    with pytest.raises(InvalidParameter, match="is not allowed"):
        call()
