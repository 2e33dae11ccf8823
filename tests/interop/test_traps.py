"""Our accountant in the place of dp_accounting's: the traps into which others fell."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product as pairs_of
from typing import Any

import dp_accounting
import pytest
from dp_accounting import dp_event as ev
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.interop.dp_accounting import Accountant, from_event
from oracles.definitions import hockey_stick, leaky_responses, product, real

ADD, REPLACE, SPECIAL = dp_accounting.NeighboringRelation


def accounted(event: Any, relation: Any = ADD, count: int = 1) -> Accountant:
    return Accountant(relation).compose(event, count)


def gaussian_epsilon(mu: Any, delta: float) -> mpf:
    """ε of N(0, 1) against N(μ, 1), by bisection of the closed form."""
    m = mpf(mu)

    def profile(e: mpf) -> mpf:
        return mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)

    return bisected(profile, delta, 200)


def bisected(profile: Any, delta: float, most: int) -> mpf:
    low, high = mpf(0), mpf(most)
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if profile(middle) <= delta else (middle, high)
    return high


def sampled_gaussian(rate: Any, sigma: Any, epsilon: mpf) -> mpf:
    """δ of (1−q)N(0, σ²) + qN(1, σ²) against N(0, σ²), the larger of both orders, integrated between the crossings."""
    q, s = real(rate), mpf(sigma)

    def one(e: mpf) -> mpf:  # the mixture first: the ratio exceeds e^ε beyond x
        x = s * s * mp.log((mp.exp(e) - 1 + q) / q) + mpf(1) / 2
        return (1 - q) * mp.ncdf(-x / s) + q * mp.ncdf(-(x - 1) / s) - mp.exp(e) * mp.ncdf(-x / s)

    def other(e: mpf) -> mpf:  # the mixture second: the ratio exceeds e^ε below x
        if mp.exp(-e) <= 1 - q:
            return mpf(0)
        x = s * s * mp.log((mp.exp(-e) - 1 + q) / q) + mpf(1) / 2
        return mp.ncdf(x / s) - mp.exp(e) * ((1 - q) * mp.ncdf(x / s) + q * mp.ncdf((x - 1) / s))

    return max(one(epsilon), other(epsilon))


# ------------------------------------------------------------------------------------------------- traps, one by one


@pytest.mark.parametrize("count", [1, 10, 100])
def test_randomized_response_counts_every_run(count: int) -> None:
    """dp_accounting 0.6.0 drops the count: it says as much of a hundred runs as of one."""
    event = ev.RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=2)
    said = accounted(event, REPLACE, count).get_epsilon(1e-5)
    one_by_one = Accountant(REPLACE)
    for _ in range(count):
        one_by_one.compose(event)
    assert said == one_by_one.get_epsilon(1e-5)
    # ¾ against ¼: the worst ε-DP mechanism with e^ε = 3
    kinds = [(Fraction(math.log(3)), 0, count)]
    delta_above = leaky_responses(kinds, Fraction(said))
    assert delta_above <= 1e-5 * (1 + 1e-9)
    assert leaky_responses(kinds, Fraction(said) * Fraction(999_999, 10**6)) > 1e-5 * (1 - 1e-9)


@pytest.mark.slow
def test_ten_runs_of_a_rare_lie() -> None:
    """dp_accounting 0.6.0 says 2.34 for what costs 23.35; the two buckets that neither input is in are one."""
    event = ev.RandomizedResponseDpEvent(noise_parameter=0.3, num_buckets=4)
    theirs = dp_accounting.pld.PLDAccountant(REPLACE).compose(event, 10).get_epsilon(1e-5)
    said = accounted(event, REPLACE, 10).get_epsilon(1e-5)
    other = real(0.3) / 4
    p, q = product([1 - 3 * other, other, 2 * other], [other, 1 - 3 * other, 2 * other], 10)
    assert hockey_stick(p, q, Fraction(said)) <= 1e-5
    assert hockey_stick(p, q, Fraction(said) - Fraction(1, 10**4)) > 1e-5
    assert (round(theirs, 2), round(said, 2)) == (2.34, 23.35)


@pytest.mark.parametrize("noise, buckets, truth", [(0.5, 1, 0), (0.0, 1, 0), (1.0, 7, 0), (0.0, 2, math.inf)])
def test_randomized_response_at_its_ends(noise: float, buckets: int, truth: float) -> None:
    event = ev.RandomizedResponseDpEvent(noise, buckets)
    for relation in (REPLACE, SPECIAL):
        assert accounted(event, relation, 3).get_epsilon(1e-5) == truth
    assert not Accountant(ADD).supports(event)


@pytest.mark.parametrize("buckets", [2, 3, 5])
def test_a_blank_answer_is_any_bucket(buckets: int) -> None:
    event = ev.RandomizedResponseDpEvent(0.25, buckets)
    k, p = buckets, mpf(1) / 4
    first = [1 - p + p / k] + [p / k] * (k - 1)
    one, other = product(first, [mpf(1) / k] * k, 4)
    for epsilon in (Fraction(0), Fraction(1, 2), Fraction(2)):
        said = accounted(event, SPECIAL, 4).delta(epsilon)
        truth = hockey_stick(one, other, epsilon)
        assert said.lower <= truth <= said.upper <= truth * (1 + 1e-5) + mpf(10) ** -12


def test_replacing_moves_a_sum_twice_as_far() -> None:
    """dp_accounting's Rényi accountant says 4.73 of σ = 1 under REPLACE_ONE; 9.997 is true."""
    event = ev.GaussianDpEvent(noise_multiplier=1.0)
    for relation, mu in ((ADD, 1), (SPECIAL, 1), (REPLACE, 2)):
        truth = gaussian_epsilon(mu, 1e-5)
        said = accounted(event, relation).get_epsilon(1e-5)
        assert truth * (1 - mpf(10) ** -12) <= said <= truth * (1 + mpf(10) ** -6)
    assert accounted(ev.LaplaceDpEvent(1.0), REPLACE).get_epsilon(0) == 2
    assert accounted(ev.DiscreteLaplaceDpEvent(0.5, 1), REPLACE).get_epsilon(0) == 1


def test_gaussians_on_one_sample_are_fused_before_it_is_drawn() -> None:
    """Sampled one by one they would cost more than on the one sample they share: 9/25 + 16/25 = 1."""
    both = ev.ComposedDpEvent([ev.GaussianDpEvent(5 / 4), ev.SelfComposedDpEvent(ev.GaussianDpEvent(2.5), 1)])
    event = ev.PoissonSampledDpEvent(0.1, both)
    mechanism = from_event(event)
    assert isinstance(mechanism, dpc.Sampled)
    assert isinstance(mechanism.mechanism, dpc.Gaussian)
    sigma = 1 / mp.sqrt(mpf(16) / 25 + mpf(4) / 25)
    assert 0 <= sigma - real(mechanism.mechanism.noise_std) <= sigma * mpf(2) ** -70
    said = accounted(event).get_epsilon(1e-5)
    truth = bisected(lambda e: sampled_gaussian(0.1, sigma, e), 1e-5, 20)
    assert truth <= said <= truth * (1 + mpf(10) ** -6)
    apart = ev.ComposedDpEvent([ev.PoissonSampledDpEvent(0.1, ev.GaussianDpEvent(5 / 4)), ev.GaussianDpEvent(2.5)])
    assert accounted(apart).get_epsilon(1e-5) > said


def test_two_gaussians_on_one_sample_by_numbers() -> None:
    """1 + ¼ = 5/4: ε is 2.74. dp_accounting's Rényi accountant says 3.17, its other one has no answer."""
    event = ev.PoissonSampledDpEvent(0.1, ev.ComposedDpEvent([ev.GaussianDpEvent(1.0), ev.GaussianDpEvent(2.0)]))
    said = accounted(event).get_epsilon(1e-6)
    truth = bisected(lambda e: sampled_gaussian(0.1, mp.sqrt(mpf(4) / 5), e), 1e-6, 20)
    assert truth <= said <= truth * (1 + mpf(10) ** -6)
    assert round(said, 2) == 2.74
    assert dp_accounting.rdp.RdpAccountant().compose(event).get_epsilon(1e-6) == pytest.approx(3.17, abs=0.005)
    assert not dp_accounting.pld.PLDAccountant().supports(event)


def test_the_rates_of_nested_samples_multiply() -> None:
    inner = ev.PoissonSampledDpEvent(0.25, ev.GaussianDpEvent(1.0))
    event = ev.PoissonSampledDpEvent(0.5, inner)
    assert from_event(event) == dpc.Sampled(dpc.Gaussian(noise_std=1.0), rate=Fraction(1, 8))
    assert from_event(event, REPLACE) == from_event(ev.PoissonSampledDpEvent(0.125, ev.GaussianDpEvent(1.0)), REPLACE)
    said = accounted(event).get_epsilon(1e-5)
    truth = bisected(lambda e: sampled_gaussian(Fraction(1, 8), 1, e), 1e-5, 20)
    assert truth <= said <= truth * (1 + mpf(10) ** -6)


@pytest.mark.parametrize("count", [2, 3, 7, 10])
def test_a_fused_noise_is_rounded_down(count: int) -> None:
    event = ev.PoissonSampledDpEvent(0.1, ev.SelfComposedDpEvent(ev.GaussianDpEvent(1.0), count))
    noise = from_event(event).mechanism.noise_std
    assert Fraction(noise) ** 2 < Fraction(1, count)
    assert Fraction(noise) ** 2 > Fraction(1, count) * (1 - Fraction(1, 2**70))


def test_noise_without_a_law_promises_nothing() -> None:
    assert accounted(ev.DiscreteLaplaceDpEvent(0.0, 1)).get_epsilon(0.5) == math.inf
    assert accounted(ev.DiscreteLaplaceDpEvent(0.0, 1)).get_delta(5) == 1
    assert accounted(ev.DiscreteLaplaceDpEvent(0.0, 0)).get_epsilon(0) == 0


@pytest.mark.slow
@pytest.mark.parametrize("a, b", [(1, 1), (1, 3), (2, 2), (3, 4)])
def test_noise_on_coordinates_costs_no_more_than_on_one(a: int, b: int) -> None:
    r"""Behind Laplace events, exactly: e^{-1/b} = ½, two coordinates moved by a and b against one by a + b."""
    half = Fraction(1, 2)

    def laws(shift: int) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
        reach = range(-40, 41 + shift)  # tails gathered at the ends, where the ratio no longer changes
        first = {z: (1 - half) / (1 + half) * half ** abs(z) for z in reach}
        second = {z: (1 - half) / (1 + half) * half ** abs(z - shift) for z in reach}
        return first, second

    one, other = laws(a + b)
    pairs = [laws(a), laws(b)]
    for x in (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5), Fraction(2) ** (a + b - 1)):
        alone = sum(max(one[z] - x * other[z], Fraction(0)) for z in one)
        together = sum(
            max(pairs[0][0][y] * pairs[1][0][z] - x * pairs[0][1][y] * pairs[1][1][z], Fraction(0))
            for y, z in pairs_of(pairs[0][0], pairs[1][0])
        )
        assert together <= alone + Fraction(1, 2**36)


def test_no_noise_is_infinite_and_a_leak_is_what_leaks() -> None:
    assert accounted(ev.GaussianDpEvent(0.0)).get_epsilon(0.99) == math.inf
    assert accounted(ev.LaplaceDpEvent(0.0)).get_epsilon(1e-5) == math.inf
    leaky = accounted(ev.PoissonSampledDpEvent(0.25, ev.GaussianDpEvent(0.0)))
    assert leaky.get_epsilon(0.2) == math.inf
    assert leaky.get_epsilon(0.2500001) == 0
    assert 0.25 <= leaky.get_delta(math.inf) <= 0.2500001


def test_delta_at_infinity_and_epsilon_at_zero() -> None:
    gaussian = accounted(ev.GaussianDpEvent(1.0), ADD, 10)
    assert gaussian.get_delta(math.inf) == 0
    assert gaussian.get_epsilon(0) == math.inf
    assert accounted(ev.ZCDpEvent(0.1, 0.05)).get_epsilon(0) == math.inf
    assert accounted(ev.LaplaceDpEvent(2.0), ADD, 10).get_epsilon(0) == 5
