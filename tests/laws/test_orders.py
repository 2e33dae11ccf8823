"""The law of orders: forward, backward and either, each against Neyman and Pearson's test from its definition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import pytest
from mpmath import mpf

import dpcompose as dpc
from dpcompose.regions import Order, alpha, beta, region, tpr
from oracles.definitions import response
from oracles.finite_pairs import FINITE, laws_of
from oracles.ordered_pairs import (
    Pair,
    Worst,
    drawn,
    encloses,
    exactly,
    least_miss,
    no_more,
    split,
    together,
    turned,
)
from strategies import under

pytestmark = pytest.mark.slow
F = Fraction
RATES = (F(1, 100), F(1, 5), F(4445, 10_000), F(9, 10))
STEEP: Pair = ([F(9, 10), F(1, 10)], [F(1, 2), F(1, 2)])
ODD: Pair = ([F(1, 10), F(3, 10), F(6, 10)], [F(5, 10), F(4, 10), F(1, 10)])


def listed(pair: Pair, relation: Any = None) -> dpc.Mechanism:
    return dpc.DiscretePair(p=pair[0], q=pair[1], adjacency=relation)


def keeps(subject: dpc.Mechanism, pairs: list[Pair], rates: tuple[Any, ...] = RATES) -> None:
    """Every reading in each order, the first law of each pair being that of the first input."""
    choices = {
        Order.FORWARD: pairs,
        Order.BACKWARD: [turned(pair) for pair in pairs],
        Order.EITHER: [order for pair in pairs for order in (pair, turned(pair))],
    }
    for order, among in choices.items():
        for rate, found in zip(rates, beta(subject, rates, order=order), strict=True):
            truth = min(least_miss(pair, rate) for pair in among)
            assert encloses(found, truth), (order, rate, truth, found)
            assert found.upper - found.lower < 1e-3, "an enclosure that says nothing cannot fail"
        rate = rates[1]
        truth = min(least_miss(pair, rate) for pair in among)
        assert encloses(tpr(subject, rate, order=order), 1 - truth), (order, rate)
        assert no_more(alpha(subject, truth, order=order).lower, rate)
        known = region(subject, order)
        for pair in among:
            inside = least_miss(pair, rate) + F(1, 10**12)  # pairs here are fractions near the law, a hair off its edge
            assert known.contains(inside, rate) is not False
    for level in (0, 1):
        truth = Worst(tuple(choices[Order.EITHER])).delta(level)
        assert encloses(dpc.delta(subject, epsilon=level), truth)


WORKS: dict[str, tuple[dpc.Mechanism, list[Pair]]] = {
    "one pair": (listed(STEEP), [STEEP]),
    "one pair under replace one": (listed(ODD, dpc.REPLACE_ONE), [ODD]),
    "a product": (2 * listed(STEEP) + listed(ODD), [together([STEEP, STEEP, ODD])]),
    "a long pair": (listed(split(ODD, 2001)), [ODD]),
    "sampled": (dpc.Sampled(listed(STEEP), rate=0.5), [drawn(F(1, 2), STEEP), turned(drawn(F(1, 2), turned(STEEP)))]),
    "sampled twice": (
        2 * dpc.Sampled(listed(ODD), rate=0.25),
        [together([drawn(F(1, 4), ODD)] * 2), together([turned(drawn(F(1, 4), turned(ODD)))] * 2)],
    ),
    "sampled, beside a pair": (
        dpc.Sampled(listed(ODD), rate=0.25) + listed(STEEP),
        [together([drawn(F(1, 4), ODD), STEEP]), together([turned(drawn(F(1, 4), turned(ODD))), STEEP])],
    ),
    "sampled in a sample of all": (
        dpc.Sampled(dpc.Sampled(listed(STEEP), rate=1), rate=0.5),
        [drawn(F(1, 2), STEEP), turned(drawn(F(1, 2), turned(STEEP)))],
    ),
}


@pytest.mark.parametrize("name", WORKS)
def test_finite_pairs_in_each_order(name: str) -> None:
    keeps(*WORKS[name])


@pytest.mark.parametrize("name", FINITE)
def test_every_finite_kind_in_each_order(name: str) -> None:
    keeps(FINITE[name][0], [exactly(laws_of(name))], RATES[:2])


NAMING: Pair = ([F(0), F(1)], [F(1), F(0)])


@pytest.mark.parametrize("other", [turned(STEEP), NAMING, ODD], ids=["mirrored", "naming", "odd"])
def test_a_composition_on_a_sample_is_read_like_its_product(other: Pair) -> None:
    """Whether a pair is one in both orders does not depend on how it is written down."""
    apart = dpc.Sampled(listed(STEEP) + listed(other), rate=F(1, 10))
    whole = dpc.Sampled(listed(together([STEEP, other])), rate=F(1, 10))
    for order in Order:
        for first, second in zip(beta(apart, RATES, order=order), beta(whole, RATES, order=order), strict=True):
            assert max(first.lower, second.lower) <= min(first.upper, second.upper), order


SYMMETRIC = [name for name in FINITE if "pair" not in name]


@pytest.mark.parametrize("name", SYMMETRIC)
def test_every_finite_kind_on_a_poisson_sample(name: str) -> None:
    """The first input is the one with the record."""
    keeps(dpc.Sampled(FINITE[name][0], rate=0.25), [drawn(F(1, 4), exactly(laws_of(name)))], RATES[:2])


@pytest.mark.parametrize("name", SYMMETRIC)
def test_every_finite_kind_on_a_sample_of_fixed_size(name: str) -> None:
    """Neighbours of which one gives the second law occur, whichever of them comes first."""
    subject = dpc.SampledWithoutReplacement(under(FINITE[name][0], dpc.REPLACE_ONE), size=1, of=4)
    pair = drawn(F(1, 4), exactly(laws_of(name)))
    for order in Order:
        found = beta(subject, RATES[1], order=order)
        either = min(least_miss(pair, RATES[1]), least_miss(turned(pair), RATES[1]))
        assert no_more(found.lower, either)
        assert found.upper <= 1 - RATES[1] + 1e-12


Cdf = Callable[[mpf], mpf]


def crossing(cdf: Cdf, mass: mpf) -> mpf:
    """Where a continuous distribution function reaches a mass."""
    low, high = mpf(-60), mpf(60)
    for _ in range(150):
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle) < mass else (low, middle)
    return (low + high) / 2


def normal(shift: float, std: float) -> Cdf:
    return lambda x: mp.ncdf((x - shift) / mpf(std))


def laplace(shift: float, scale: float) -> Cdf:
    def cdf(x: mpf) -> mpf:
        z = (x - shift) / mpf(scale)
        return mp.exp(z) / 2 if z < 0 else 1 - mp.exp(-z) / 2

    return cdf


NOISES: dict[str, tuple[dpc.Mechanism, Cdf, Cdf]] = {
    "steep Gaussian": (dpc.Gaussian(noise_std=0.3), normal(1, 0.3), normal(0, 0.3)),
    "Gaussian": (dpc.Gaussian(noise_std=1.5), normal(1, 1.5), normal(0, 1.5)),
    "Laplace": (dpc.Laplace(scale=0.8), laplace(1, 0.8), laplace(0, 0.8)),
}


@pytest.mark.parametrize("rate", [0.2, 0.9])
@pytest.mark.parametrize("name", NOISES)
def test_noise_on_a_poisson_sample(name: str, rate: float) -> None:
    """The likelihood ratio grows along the line: the best tests are half lines."""
    m, there, without = NOISES[name]
    subject = dpc.Sampled(m, rate=rate)
    with mp.workdps(40):
        q = mpf(rate)

        def mixed(x: mpf) -> mpf:
            return q * there(x) + (1 - q) * without(x)

        for level in (0.01, 0.4445):
            a = mpf(level)
            forward = 1 - without(crossing(mixed, a))  # rejected on the left, where the record speaks least
            backward = mixed(crossing(without, 1 - a))
            for order, truth in (
                (Order.FORWARD, forward),
                (Order.BACKWARD, backward),
                (Order.EITHER, min(forward, backward)),
            ):
                found = beta(subject, level, order=order)
                assert encloses(found, truth), (order, level, truth, found)
                assert found.upper - found.lower < 1e-5


def test_a_bound_for_one_placement_of_the_record_does_not_bound_the_other() -> None:
    """A sampled pair beside a sampled sum that is known from above only: the record may be in either input."""
    leaking: Pair = ([F(1), F(0)], [F(5, 6), F(1, 6)])
    spoken = dpc.RandomizedResponse(epsilon=F(1, 5), categories=3)
    with mp.workdps(60):
        three = exactly(response(F(1, 5), 3))
    beside = dpc.Sampled(spoken + listed(([F(1, 4), F(3, 4)],) * 2), rate=F(1, 2))
    subject = beside + dpc.Sampled(listed(leaking), rate=F(1, 100))
    pairs = [
        together([drawn(F(1, 2), three), drawn(F(1, 100), leaking)]),
        together([turned(drawn(F(1, 2), turned(three))), turned(drawn(F(1, 100), turned(leaking)))]),
    ]
    for order, among in ((Order.FORWARD, pairs), (Order.BACKWARD, [turned(pair) for pair in pairs])):
        for rate, found in zip(RATES, beta(subject, RATES, order=order), strict=True):
            truth = min(least_miss(pair, rate) for pair in among)
            assert encloses(found, truth), (order, rate, truth, found)
