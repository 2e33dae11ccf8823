"""Any two kinds of mechanisms together are enclosed about as tightly as each alone."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest

import dpcompose as dpc

pytestmark = pytest.mark.slow

PAIR = dpc.DiscretePair(
    p=[Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], q=[Fraction(2, 5), Fraction(3, 10), Fraction(3, 10)]
)
KINDS = {
    "black box": dpc.BlackBox(epsilon=0.1, delta=1e-9),
    "response": dpc.RandomizedResponse(epsilon=0.3),
    "gaussian": dpc.Gaussian(noise_std=3),
    "laplace": dpc.Laplace(scale=7),
    "geometric": dpc.Geometric(scale=5, sensitivity=2),
    "narrow integers": dpc.DiscreteGaussian(noise_std=4),
    "wide integers": dpc.DiscreteGaussian(noise_std=25),
    "staircase": dpc.Staircase(epsilon=0.2),
    "pair": PAIR,
    "sampled gaussian": dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01),
    "sampled laplace": dpc.Sampled(dpc.Laplace(scale=1), rate=0.05),
    "sampled black box": dpc.Sampled(dpc.BlackBox(epsilon=1, delta=1e-9), rate=0.1),
    "sampled geometric": dpc.Sampled(dpc.Geometric(scale=2), rate=0.02),
    "sampled pair": dpc.Sampled(PAIR, rate=0.1),
}
COUNTS = [(1, 1), (2, 30), (50, 2000)]
WIDE = 1e-3
"""Integer noise beside a few sampled steps is neither on a lattice nor smooth."""


@cache
def alone(kind: str, count: int) -> float:
    """At most the ε of one kind by itself."""
    return dpc.epsilon(count * KINDS[kind], 1e-6).lower


@pytest.mark.parametrize("first, second", list(combinations(KINDS, 2)))
def test_two_kinds_together(first: str, second: str) -> None:
    uncertain = {"integers", "sampled"} <= set(f"{first} {second}".split())
    for counts in COUNTS:
        work = dpc.Composition(list(zip((KINDS[first], KINDS[second]), counts, strict=True)))
        found = dpc.epsilon(work, 1e-6)
        assert found.enclosure.gap <= (WIDE if uncertain else 1e-5), counts
        assert found.upper >= max(alone(first, counts[0]), alone(second, counts[1]))
