"""Sampling bends a hockey stick, dots dominate, and products are products: small finite pairs in exact fractions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

import dpcompose as dpc
from dpcompose.theorems.loss.dots import law_through
from oracles.brute_pairs import integers, listed, on_a_sample, run, times

Law = list[Any]
"""Probabilities as fractions, of Python or, where there are many to add, of flint."""


def stick(p: Law, q: Law, factor: Any) -> Any:
    return sum(max(a - factor * b, 0) for a, b in zip(p, q, strict=True))


def quickly(law: Iterable[Fraction]) -> Law:
    return [fmpq(x.numerator, x.denominator) for x in law]


def some_pair(rng: np.random.Generator) -> tuple[Law, Law]:
    def law() -> Law:
        weights = [int(w) for w in rng.choice([0, 1, 2, 3, 5, 8], 4)]
        weights[int(rng.integers(4))] += 1
        return [Fraction(w, sum(weights)) for w in weights]

    return law(), law()


def test_removing_bends_by_the_rate_and_adding_costs_no_more() -> None:
    """δ(ε) = q δ₀(ln(1+(e^ε−1)/q)) removed; added it is c δ₀(ln(qe^ε/c)), c = 1−(1−q)e^ε, of the other order."""
    rng = np.random.default_rng(11)
    for _ in range(300):
        (p, q), rate = some_pair(rng), Fraction(int(rng.integers(1, 10)), 10)
        factor = 1 + Fraction(int(rng.integers(0, 31)), 10)
        mixed = [(1 - rate) * b + rate * a for a, b in zip(p, q, strict=True)]
        bent = 1 + (factor - 1) / rate
        assert stick(mixed, q, factor) == rate * stick(p, q, bent)
        c = 1 - (1 - rate) * factor
        added = c * stick(q, p, rate * factor / c) if c > 0 else Fraction(0)
        assert stick(q, mixed, factor) == added <= rate * stick(q, p, bent)


@pytest.mark.slow
def test_the_hull_of_dots_dominates_both_orders_and_is_a_pair() -> None:
    rng = np.random.default_rng(12)
    for _ in range(100):
        p, q = some_pair(rng)
        levels = [0.0, *np.sort(rng.uniform(0.01, 3, int(rng.integers(1, 9)))).tolist()]
        factors = [Fraction(math.nextafter(math.exp(e) * (1 - 1e-12), 0)) for e in levels]
        heights = [max(stick(p, q, x), stick(q, p, x)) for x in factors]
        law = law_through([(e, min(float(h) * (1 + 1e-12), 1.0)) for e, h in zip(levels, heights, strict=True)])
        assert sum(mass for _, mass in law.ratios) + law.leaking == 1
        assert sum(mass / ratio for ratio, mass in law.ratios) == 1 - law.leaking
        first = quickly([*(mass for _, mass in law.ratios), law.leaking, Fraction(0)])
        second = quickly([*(mass / ratio for ratio, mass in law.ratios), Fraction(0), law.leaking])
        p, q = quickly(p), quickly(q)
        for x in (fmpq(n, 8) for n in range(8, 160)):
            assert (
                stick(first, second, x)
                == stick(second, first, x)
                >= max(stick(p, q, x), stick(q, p, x)) - fmpq(1, 10**9)
            )


WIDE = [(6, 1, 0.1), (12, 3, 0.4), (80, 1, 0.3), (150, 20, 0.05)]


@pytest.mark.parametrize("noise, shift, rate", WIDE)
def test_wide_discrete_noise_on_a_sample(noise: int, shift: int, rate: float) -> None:
    """Listed up to 3,000 integers, split and merged beyond."""
    pair = integers(lambda x: np.exp(-((x / noise) ** 2) / 2), shift, 9 * noise)
    m = dpc.Sampled(dpc.DiscreteGaussian(noise_std=noise, sensitivity=shift), rate=rate)
    for count, work in ((1, run([on_a_sample(pair, rate)])), (50, None)):
        epsilon = 0.5 * rate * shift / noise * math.sqrt(count)
        found = dpc.delta(count * m, epsilon)
        assert found.enclosure.gap <= 1e-4
        if work is not None:
            low, high = work.delta(epsilon)
            assert found.lower <= high
            assert low <= found.upper


def test_a_sampled_product_is_the_product_sampled() -> None:
    p, q = [0.5, 0.3, 0.2], [0.25, 0.25, 0.5]
    pair = listed(p, q)
    both = times(pair[0], pair[0])
    work = run([on_a_sample((both, both), 0.3)] * 2)
    found = dpc.delta(2 * dpc.Sampled(2 * dpc.DiscretePair(p=p, q=q), rate=0.3), 0.2)
    low, high = work.delta(0.2)
    assert found.lower <= high
    assert low <= found.upper
    assert found.enclosure.gap <= 1e-6


@pytest.mark.parametrize("least", [1e-3, 1e-17, 1e-300])
def test_levels_that_no_float_tells_apart_lose_no_mass(least: float) -> None:
    """e^ε rounds to the same number for all of them: the least bound is the one that holds there."""
    law = law_through([(least * i, 0.9 ** (i * i)) for i in range(60)])
    assert sum(mass for _, mass in law.ratios) + law.leaking == 1
