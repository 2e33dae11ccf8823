"""Finite pairs under replace one, held against an analyst who chooses after every output how the next run faces.

The oracle is the recursion V(x, k) = max over the pairs (P, Q) that a run may be of Σ P·V(xQ/P, k − 1), with
V(x, 0) = max(1 − x, 0), in exact fractions: the greatest δ at ε = ln x that any such analyst reaches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose import kernel
from dpcompose.parts import faced
from dpcompose.theorems.loss import either_way

Law = tuple[Fraction, ...]
Run = tuple[tuple[Law, Law], ...]
"""The pairs that a run may be."""
SILENT = dpc.RandomizedResponse(epsilon=0, adjacency=dpc.REPLACE_ONE)
"""Costs nothing, and names the relation."""
F = Fraction
STEEP: tuple[Law, Law] = (F(9, 10), F(1, 10)), (F(1, 2), F(1, 2))
RARE: tuple[Law, Law] = (F(1, 100), F(9, 100), F(9, 10)), (F(1, 1000), F(99, 1000), F(9, 10))
LEAKY: tuple[Law, Law] = (F(1, 20), F(15, 20), F(4, 20)), (F(0), F(10, 20), F(10, 20))
NAMED = {"steep": STEEP, "rare": RARE, "leaky": LEAKY}


def either(pair: tuple[Law, Law]) -> Run:
    return pair, pair[::-1]


def on_a_sample(pair: tuple[Law, Law], share: Fraction) -> Run:
    """What replaced records give, the others giving one law or the other."""
    found = []
    for others in pair:
        laws = [tuple((1 - share) * o + share * x for o, x in zip(others, law, strict=True)) for law in pair]
        found += [(laws[0], laws[1]), (laws[1], laws[0])]
    return tuple(found)


def best(runs: Sequence[Run], x: Fraction) -> Fraction:
    """The greatest δ at ε = ln x; x is infinite as None."""

    @cache
    def value(x: Fraction, left: int) -> Fraction:
        if left == 0:
            return max(1 - x, F(0))
        return max(
            sum((p * value(x * q / p, left - 1) for p, q in zip(first, second, strict=True) if p), F(0))
            for first, second in runs[left - 1]
        )

    return value(x, len(runs))


def around(epsilon: float) -> tuple[Fraction, Fraction]:
    """Two fractions with e^ε between them."""
    return F(math.exp(epsilon)) * (1 - F(1, 2**40)), F(math.exp(epsilon)) * (1 + F(1, 2**40))


def held(subject: dpc.Mechanism, runs: Sequence[Run], epsilon: float, wide: float = 1e300) -> None:
    """No analyst reaches more than is said; and where ends are near to each other, none is far below."""
    found = dpc.delta(subject, epsilon=epsilon)
    low, high = around(epsilon)
    truth = best(runs, high), best(runs, low)
    assert found.upper >= truth[0] * (1 - F(1, 2**30))
    assert found.lower <= truth[1] * (1 + F(1, 2**30))
    assert found.upper <= wide * truth[1] + F(1, 10**12)
    for row in dpc.compare(subject, epsilon=epsilon).rows:
        if row.delta is not None:
            assert row.delta >= truth[0] * (1 - F(1, 2**30)), row.theorem


def listed(pair: tuple[Law, Law]) -> dpc.Mechanism:
    return dpc.DiscretePair(p=pair[0], q=pair[1])


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("name", NAMED)
def test_no_choice_of_facings_costs_more(name: str, count: int, epsilon: float) -> None:
    held(count * listed(NAMED[name]) + SILENT, [either(NAMED[name])] * count, epsilon, wide=1.35)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("name", NAMED)
def test_no_choice_costs_more_on_a_sample_of_fixed_size(name: str, epsilon: float) -> None:
    drawn = dpc.SampledWithoutReplacement(listed(NAMED[name]), size=3, of=10)
    held(3 * drawn, [on_a_sample(NAMED[name], F(3, 10))] * 3, epsilon)


EVEN: tuple[Law, Law] = (F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))
BESIDE = {"even": EVEN, "far": ((F(99, 100), F(1, 100)), (F(1, 100), F(99, 100)))}


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("other", BESIDE)
@pytest.mark.parametrize("name", NAMED)
def test_a_single_run_may_face_as_the_outputs_of_others_suggest(name: str, other: str, epsilon: float) -> None:
    """One asymmetric run beside one that is the same in both orders: who has seen this one chooses how it faces."""
    even = BESIDE[other]
    plan = listed(NAMED[name]) + listed(even) + SILENT
    for runs in permutations([either(NAMED[name]), (even,)]):
        held(plan, runs, epsilon)
    settled = dpc.Composition(plan.parts, adaptivity=dpc.FIXED)
    first, second = (best([(pair,), (even,)], F(math.exp(epsilon))) for pair in either(NAMED[name]))
    found = dpc.delta(settled, epsilon=epsilon)
    assert found.lower <= max(first, second) * (1 + F(1, 2**30))
    assert max(first, second) * (1 - F(1, 2**30)) <= found.upper <= max(first, second) * F(1001, 1000) + F(1, 10**12)


def test_a_choice_after_looking_is_found() -> None:
    """The fault is planted: a single asymmetric run is turned together with the whole, whatever is run beside it."""

    def together(subject: dpc.Mechanism, items: Any) -> tuple[Any, bool]:
        parts, _ = faced(subject, items)
        return parts, sum(n for g, n in parts.items if g.facing_either_way() is None) <= 1

    with patch.object(kernel, "faced", together), pytest.raises((AssertionError, dpc.Contradiction)):
        test_a_single_run_may_face_as_the_outputs_of_others_suggest("steep", "even", 0.0)


def law(size: int) -> st.SearchStrategy[Law]:
    weights = st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any)
    return weights.map(lambda found: tuple(F(w, sum(found)) for w in found))


@cases(40)
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(law(n), law(n))), st.integers(1, 3), st.floats(0, 3))
def test_any_pair(pair: tuple[Law, Law], count: int, epsilon: float) -> None:
    held(count * listed(pair) + SILENT, [either(pair)] * count, epsilon)
    drawn = dpc.SampledWithoutReplacement(listed(pair), size=1, of=2)
    held(2 * drawn, [on_a_sample(pair, F(1, 2))] * 2, epsilon / 4)


@pytest.mark.parametrize("name", NAMED)
def test_the_dominating_pair_is_a_law_and_as_low_as_dots_allow(name: str) -> None:
    p, q = NAMED[name]
    (found,) = {step.law for step in [_dominating(listed(NAMED[name]))]}
    atoms = [(loss.ratio, F(float(mass))) for loss, mass in found.atoms()]
    assert sum((mass for _, mass in atoms), F(float(found.leak()))) == pytest.approx(1, abs=1e-12)
    for x in [F(1), F(11, 10), F(2), F(5), F(20)]:
        larger = max(sum((max(a - x * b, F(0)) for a, b in zip(*pair, strict=True)), F(0)) for pair in ((p, q), (q, p)))
        drawn = sum((mass * max(1 - x / ratio, 0) for ratio, mass in atoms), F(float(found.leak())))
        assert larger * (1 - F(1, 10**9)) <= drawn + F(1, 10**14)
        assert drawn <= larger * (1 + F(1, 10**9)) + F(1, 10**12)


def _dominating(pair: Any) -> Any:
    from dpcompose.prove.claims import facts_towards

    (claim,) = (c for c in facts_towards(pair, dpc.notions.LossTransform) if c.theorem.id == "X-EITHER")
    return claim.guarantee.forward


def test_a_forgotten_order_is_found() -> None:
    """The fault is planted: only the order that is not listed is asked."""
    whole = either_way._heights

    def forgetful(pair: Any, levels: Sequence[float]) -> tuple[list[float], list[float]]:
        _, backward = whole(pair, levels)
        return backward, backward

    turned = dpc.DiscretePair(p=(0.5, 0.5), q=(0.875, 0.125))
    with patch.object(either_way, "_heights", forgetful):
        either_way._law.cache_clear()
        with pytest.raises((AssertionError, dpc.Contradiction)):
            held(2 * turned + SILENT, [either(((F(1, 2), F(1, 2)), (F(7, 8), F(1, 8))))] * 2, 0.3)
    either_way._law.cache_clear()
