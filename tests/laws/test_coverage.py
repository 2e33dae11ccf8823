"""Every kind of mechanism, alone, repeated, and mixed with every other: all four questions have a narrow answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest

import dpcompose as dpc

LOPSIDED = dpc.DiscretePair(p=[0.3, 0.3, 0.4], q=[0.25, 0.35, 0.4])
MIRRORED = dpc.DiscretePair(p=[0.55, 0.45], q=[0.45, 0.55])
KINDS: dict[str, dpc.Mechanism] = {
    "black box": dpc.BlackBox(epsilon=0.1, delta=1e-6),
    "pure black box": dpc.BlackBox(epsilon=0.1),
    "response": dpc.RandomizedResponse(epsilon=0.1),
    "response of 5": dpc.RandomizedResponse(epsilon=0.1, categories=5),
    "name and shame": dpc.NameAndShame(delta=1e-7),
    "Gaussian": dpc.Gaussian(noise_std=5.0),
    "Laplace": dpc.Laplace(scale=10.0),
    "geometric": dpc.Geometric(scale=10.0),
    "geometric at 4": dpc.Geometric(scale=20.0, sensitivity=4),
    "discrete Gaussian": dpc.DiscreteGaussian(noise_std=3.0),
    "staircase": dpc.Staircase(epsilon=0.1),
    "lopsided pair": LOPSIDED,
    "mirrored pair": MIRRORED,
    "sampled Gaussian": dpc.Sampled(dpc.Gaussian(noise_std=1.0), rate=0.01),
    "sampled Laplace": dpc.Sampled(dpc.Laplace(scale=1.0), rate=0.01),
    "sampled black box": dpc.Sampled(dpc.BlackBox(epsilon=0.5, delta=1e-6), rate=0.01),
    "sampled pure box": dpc.Sampled(dpc.BlackBox(epsilon=0.5), rate=0.01),
    "sampled GDP box": dpc.Sampled(dpc.BlackBox(mu=0.5), rate=0.01),
    "sampled geometric": dpc.Sampled(dpc.Geometric(scale=2.0, sensitivity=3), rate=0.01),
    "sampled lopsided pair": dpc.Sampled(LOPSIDED, rate=0.01),
    "sampled mirrored pair": dpc.Sampled(MIRRORED, rate=0.01),
}
LEAKING = {"black box", "name and shame", "sampled black box"}
ORDERS = (1.5, 2, 8, 64)
QUESTIONS: dict[str, Callable[[dpc.Mechanism], dpc.Answer]] = {
    "epsilon": lambda m: dpc.epsilon(m, delta=1e-3),
    "delta": lambda m: dpc.delta(m, epsilon=0.5),
    "advantage": dpc.advantage,
}
PROMISED, NEGLIGIBLE = 1e-6, 1e-12


def narrow(answer: dpc.Answer, promised: float = PROMISED) -> bool:
    """Whether the two ends are as close as promised, and the upper one is finite where the truth is."""
    assert 0 <= answer.lower <= answer.upper
    return answer.enclosure.gap <= promised or answer.upper - answer.lower <= NEGLIGIBLE or answer.lower == math.inf


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("count", [1, 50, 10**4, 10**7])
@pytest.mark.parametrize("kind", KINDS)
def test_one_kind(kind: str, count: int, question: str) -> None:
    answer = QUESTIONS[question](count * KINDS[kind])
    assert answer.upper < math.inf or answer.lower == math.inf
    assert narrow(answer)


@pytest.mark.parametrize("kind", KINDS)
def test_divergences_add_up_exactly(kind: str) -> None:
    for order in ORDERS:
        one = dpc.renyi(KINDS[kind], order=order)
        assert narrow(one, 1e-12)
        assert (one.lower == math.inf) == (kind in LEAKING)
        for count in (50, 10**4, 10**7):
            many = dpc.renyi(count * KINDS[kind], order=order)
            assert narrow(many, 1e-12)
            assert many.lower <= count * one.upper * (1 + 1e-15)
            assert many.upper >= count * one.lower * (1 - 1e-15)


MIXTURES = list(combinations(KINDS, 2))


@pytest.mark.parametrize("kinds", MIXTURES, ids=" + ".join)
def test_divergences_of_mixtures(kinds: tuple[str, str]) -> None:
    whole = 30 * KINDS[kinds[0]] + 20 * KINDS[kinds[1]]
    answer = dpc.renyi(whole, order=8)
    assert narrow(answer, 1e-12)
    assert (answer.lower == math.inf) == bool(LEAKING & set(kinds))
    each = [dpc.renyi(count * KINDS[kind], order=8) for kind, count in zip(kinds, (30, 20), strict=True)]
    assert answer.lower <= sum(part.upper for part in each)
    assert answer.upper >= max(part.lower for part in each) * (1 - 1e-15)


@pytest.mark.parametrize("kinds", MIXTURES[::13], ids=" + ".join)
def test_mixtures(kinds: tuple[str, str]) -> None:
    whole = 30 * KINDS[kinds[0]] + 20 * KINDS[kinds[1]]
    answer = dpc.epsilon(whole, delta=1e-3)
    assert narrow(answer, 1e-4)
    assert dpc.delta(whole, epsilon=answer.upper).lower <= 1e-3
    assert answer.upper >= max(
        dpc.epsilon(n * KINDS[k], delta=1e-3).lower for k, n in zip(kinds, (30, 20), strict=True)
    )


def test_which_input_has_the_record_is_not_said() -> None:
    """A lopsided pair beside a sample: the larger of both possibilities, by their transforms one by one."""
    turned = dpc.DiscretePair(p=LOPSIDED.q, q=LOPSIDED.p)
    sampled = dpc.Sampled(dpc.Gaussian(noise_std=1.0), rate=0.2)
    here, there = (dpc.epsilon(5 * pair + 60 * sampled, delta=1e-3) for pair in (LOPSIDED, turned))
    assert narrow(here)
    assert here.enclosure == there.enclosure
    alone, other = (dpc.epsilon(40 * dpc.Sampled(pair, rate=0.3), delta=1e-3) for pair in (LOPSIDED, turned))
    assert narrow(alone)
    assert alone.enclosure == other.enclosure


@pytest.mark.parametrize("rate", [Fraction(1, 10), 0.6])
def test_a_sampled_pair_is_the_worst_of_its_four_readings(rate: float) -> None:
    q, p = ([Fraction(x) / sum(map(Fraction, law)) for x in law] for law in (LOPSIDED.q, LOPSIDED.p))
    mixed = [(1 - Fraction(rate)) * b + Fraction(rate) * a for a, b in zip(p, q, strict=True)]
    turned = [(1 - Fraction(rate)) * a + Fraction(rate) * b for a, b in zip(p, q, strict=True)]
    listed = [dpc.delta(40 * dpc.DiscretePair(p=one, q=two), epsilon=0.1) for one, two in ((mixed, q), (turned, p))]
    found = dpc.delta(40 * dpc.Sampled(LOPSIDED, rate=rate), epsilon=0.1)
    assert narrow(found)
    assert found.lower <= max(a.upper for a in listed)
    assert found.upper >= max(a.lower for a in listed)


def test_under_replace_one_a_lopsided_pair_says_why_it_stands_alone() -> None:
    whole = 3 * dpc.DiscretePair(p=LOPSIDED.p, q=LOPSIDED.q, adjacency=dpc.REPLACE_ONE)
    rows = {row.theorem: row for row in dpc.compare(whole, delta=1e-3).rows}
    assert rows["X-FIN"].value is None
    assert "either way" in rows["X-FIN"].reason
    assert narrow(dpc.epsilon(3 * dpc.DiscretePair(p=MIRRORED.p, q=MIRRORED.q, adjacency=dpc.REPLACE_ONE), delta=1e-3))


def test_the_moments_accountant_is_one_row_of_the_comparison() -> None:
    """What accounting by Rényi divergences alone gives for a DP-SGD run, certified, and above the exact answer."""
    rows = {row.theorem: row.value for row in dpc.compare(1000 * KINDS["sampled Gaussian"], delta=1e-5).rows}
    exact = dpc.epsilon(1000 * KINDS["sampled Gaussian"], delta=1e-5)
    moments, sharper = rows["RDP-CONV"], rows["RDP-CKS"]
    assert moments is not None
    assert sharper is not None
    assert exact.upper < sharper < moments < 2 * exact.upper
