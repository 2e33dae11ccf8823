"""Shuffled reports of local randomizers against every count of every value, written out."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases


def excess(p: Any, q: Any, epsilon: float) -> float:
    """Both orders of a finite pair, the worse."""
    e = math.exp(epsilon)
    return max(float(np.maximum(p - e * q, 0).sum()), float(np.maximum(q - e * p, 0).sum()))


def clones(people: int, local: float) -> tuple[Any, Any]:
    """The pair of stronger clones, every number of clones of both kinds written out."""
    x = math.exp(local)
    rate, most = 2 / (x + 1), x / (x + 1)
    p, q = np.zeros((people + 1, people + 1)), np.zeros((people + 1, people + 1))
    for c in range(people):
        chance = math.comb(people - 1, c) * rate**c * (1 - rate) ** (people - 1 - c)
        for a in range(c + 1):
            both = chance * math.comb(c, a) / 2**c
            p[a + 1, c - a] += both * most
            p[a, c - a + 1] += both * (1 - most)
            q[a + 1, c - a] += both * (1 - most)
            q[a, c - a + 1] += both * most
    return p, q


def responses(local: float, inputs: tuple[int, ...]) -> Any:
    """How many of the reports of binary randomized response are 1."""
    x = math.exp(local)
    law = np.array([1.0])
    for bit in inputs:
        one = x / (x + 1) if bit else 1 / (x + 1)
        law = np.convolve(law, [1 - one, one])
    return law


@pytest.mark.parametrize("people, local", [(2, 0.5), (7, 1.0), (30, 2.0)])
def test_shuffled_reports_by_every_count(people: int, local: float) -> None:
    reports = dpc.Shuffled(dpc.RandomizedResponse(epsilon=local, adjacency=dpc.REPLACE_ONE), of=people)
    for epsilon in (0.0, 0.1, 0.4):
        found = dpc.delta(reports, epsilon=epsilon)
        assert found.upper == pytest.approx(excess(*clones(people, local), epsilon), rel=1e-6)
        for ones in range(people):
            rest = (1,) * ones + (0,) * (people - 1 - ones)
            truth = excess(responses(local, (0, *rest)), responses(local, (1, *rest)), epsilon)
            assert truth <= found.upper
            if not ones:
                assert found.lower <= truth * (1 + 1e-6) + 1e-12
                assert found.lower >= truth * (1 - 1e-4)
                assert epsilon == 0 or dpc.epsilon(reports, truth).lower >= epsilon * (1 - 1e-3)


@pytest.mark.parametrize("people, local, share", [(1000, 1, 0.9), (1000, 0.5, 0.9), (10_000, 1, 0.9), (10_000, 1, 0.5)])
def test_what_hardly_any_count_tells_is_not_said_of_the_ends_of_a_list(people: int, local: float, share: float) -> None:
    """Far out in δ, where few counts are listed: the lower end against all counts, their chances by logarithms."""
    reports = dpc.Shuffled(dpc.RandomizedResponse(epsilon=local, adjacency=dpc.REPLACE_ONE), of=people)
    level, n = share * local, people - 1
    others = [
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) - i * local - n * math.log1p(math.exp(-local))
        for i in range(people)
    ]
    x = math.exp(local)
    chances = np.exp(others)
    here, before = np.append(chances, 0.0), np.insert(chances, 0, 0.0)
    silent, said = (x * here + before) / (x + 1), (here + x * before) / (x + 1)
    truth = max(float(np.maximum(a - math.exp(level) * b, 0).sum()) for a, b in ((silent, said), (said, silent)))
    found = dpc.delta(reports, epsilon=level)
    assert found.lower <= truth * (1 + 1e-9) + 1e-300
    assert found.upper >= truth * (1 - 1e-9)


@st.composite
def local_laws(draw: st.DrawFn) -> tuple[Fraction, list[list[Fraction]]]:
    """Three laws of a report on three to five values, at most a factor x apart, and x."""
    x = draw(st.sampled_from([Fraction(3, 2), Fraction(2), Fraction(4), Fraction(12)]))
    values = draw(st.lists(st.tuples(*[st.sampled_from([0, 0, 1, 1, Fraction(1, 2)])] * 3), min_size=3, max_size=5))
    weights = draw(st.lists(st.integers(1, 20), min_size=len(values), max_size=len(values)))
    laws = [[w * (1 + (x - 1) * v[i]) for v, w in zip(values, weights, strict=True)] for i in range(3)]
    laws = [[mass / sum(law) for mass in law] for law in laws]
    return max(a / b for one in laws for other in laws for a, b in zip(one, other, strict=True)), laws


def multisets(laws: list[list[Fraction]]) -> Counter[tuple[int, ...]]:
    """The law of shuffled reports: how often each value occurs, with exact probabilities."""
    found = Counter({(0,) * len(laws[0]): Fraction(1)})
    for law in laws:
        longer: Counter[tuple[int, ...]] = Counter()
        for counts, chance in found.items():
            for value, mass in enumerate(law):
                longer[(*counts[:value], counts[value] + 1, *counts[value + 1 :])] += chance * mass
        found = longer
    return found


@cases(60)
@given(local_laws(), st.integers(2, 6), st.sampled_from([0.0, 0.1, 0.3, 0.6, 0.9]))
def test_no_randomizer_costs_more_than_its_clones(
    drawn: tuple[Fraction, list[list[Fraction]]], people: int, share: float
) -> None:
    """Also where laws differ by less than all of ε, at which the proof in the paper has a gap."""
    most, (first, second, other) = drawn
    assume(most > 1)
    local = Fraction(math.nextafter(math.log(most), math.inf))
    epsilon = float(local) * share
    bound = dpc.delta(dpc.Shuffled(dpc.BlackBox(epsilon=local), of=people), epsilon=epsilon).upper
    p, q = (multisets([law] + [other] * (people - 1)) for law in (first, second))
    level = Fraction(math.exp(epsilon))
    truth = max(sum(max(a[y] - level * b[y], Fraction(0)) for y in a) for a, b in ((p, q), (q, p)))
    assert float(truth) <= bound * (1 + 1e-9) + 1e-15
