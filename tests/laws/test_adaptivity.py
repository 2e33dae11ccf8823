"""Who may choose what, and when: filters, relations, and one order of one pair."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpcompose as dpc
from cases import cases
from dpcompose.description import Composition
from dpcompose.kernel import STANDARD, Verb
from dpcompose.notions import GDP, ZCDP, ApproxDP, Renyi
from oracles.definitions import hockey_stick, response
from strategies import (
    LEAVES,
    deltas,
    epsilon_of,
    epsilons,
    leaves,
    mechanisms,
    small_deltas,
    some,
    sound,
    together,
    under,
)

parts = st.lists(st.tuples(mechanisms(), st.integers(1, 9)), min_size=1, max_size=2).map(together)
FILTERS = [None, ZCDP, ApproxDP, Renyi, GDP]


@cases(50)
@given(parts, st.sampled_from(FILTERS), deltas, epsilons)
def test_more_freedom_never_costs_less(made_of: Any, notion: Any, delta: Any, epsilon: Any) -> None:
    planned = Composition(made_of, dpc.ADAPTIVE)
    free = Composition(made_of, dpc.FULLY_ADAPTIVE, notion)
    assert epsilon_of(free, delta).upper >= epsilon_of(planned, delta).lower
    assert dpc.delta(free, epsilon=epsilon).upper >= dpc.delta(planned, epsilon=epsilon).lower
    assert sound(dpc.delta(free, epsilon=epsilon), most=1)


@cases(60)
@given(parts, deltas)
def test_queries_may_adapt_at_no_cost(made_of: Any, delta: Any) -> None:
    fixed, adaptive = Composition(made_of, dpc.FIXED), Composition(made_of, dpc.ADAPTIVE)
    assert epsilon_of(fixed, delta).enclosure == epsilon_of(adaptive, delta).enclosure


@cases(80)
@given(parts, st.sampled_from(FILTERS), small_deltas)
def test_a_filter_promises_by_its_own_notion_alone(made_of: Any, notion: Any, delta: float) -> None:
    """No minimum is taken across filters: the whole lineage of the safe end sums one notion."""
    answer = epsilon_of(Composition(made_of, dpc.FULLY_ADAPTIVE, notion), delta)
    if answer.upper_by is None:
        return
    sums = [c for _, c in answer.upper_by.lineage() if c.theorem.verb is Verb.COMPOSES and c.subject.adaptivity == 2]
    assert {c.theorem.types[0] for c in sums} == {notion or ZCDP}


NOT_FILTERS = ["optimal_homogeneous", "optimal_heterogeneous", "finite_composition", "laplace_composition"]


@pytest.mark.parametrize("name", NOT_FILTERS)
def test_optimal_composition_is_no_filter(name: str) -> None:
    assert STANDARD.theorems[name].adaptivity < dpc.FULLY_ADAPTIVE


def true_adaptive_delta(first: Any, target: Any) -> tuple[mpf, mpf]:
    """The counterexample: what every path composes to, and what the analyst who chooses among them gets.

    Randomized response with ε₁; after the outcome of loss +ε₁ another with ε* + ε₁, after the other
    name-and-shame with the δ* that makes both paths compose to (ε*, δ*).
    """
    p, q = response(first, 2)
    loud_p, loud_q = response(target + first, 2)
    path = p[0] * hockey_stick(loud_p, loud_q, target - first)
    one = [p[0] * x for x in loud_p] + [p[1] * path, mpf(0), p[1] * (1 - path)]
    other = [q[0] * x for x in loud_q] + [mpf(0), q[1] * path, q[1] * (1 - path)]
    return path, hockey_stick(one, other, target)


def test_paths_that_pass_one_by_one_can_fail_together() -> None:
    path, truth = true_adaptive_delta(Fraction(1, 5), Fraction(1))
    assert float(path) == pytest.approx(0.139310, abs=1e-6)
    assert float(truth) == pytest.approx(0.202022, abs=1e-6)
    assert mp.almosteq(truth, path * (1 + 1 / (1 + mp.exp(mpf(1) / 5))), 1e-40)


LOUD = (dpc.RandomizedResponse(epsilon=0.2), dpc.RandomizedResponse(epsilon=1.2))
RARE = (dpc.RandomizedResponse(epsilon=0.2), dpc.NameAndShame(delta=0.13931))


@pytest.mark.parametrize("notion", [None, ZCDP, ApproxDP, Renyi])
def test_every_filter_covers_the_counterexample(notion: Any) -> None:
    """A cap that admits both paths admits the analyst who chooses between them; it must promise δ(1) ≥ 0.2020."""
    _, truth = true_adaptive_delta(Fraction(1, 5), Fraction(1))
    cap = Composition(((LOUD[0], 1), (LOUD[1], 1), (RARE[1], 1)), dpc.FULLY_ADAPTIVE, notion)
    assert dpc.delta(cap, epsilon=1).upper >= truth
    for path in (LOUD, RARE):
        planned = dpc.delta(Composition(path), epsilon=1)
        assert planned.upper < truth, "the planned path alone does cost less"
        free = dpc.compare(Composition(path, dpc.FULLY_ADAPTIVE, notion), epsilon=1)
        used = {row.theorem for row in free.rows if row.value is not None}
        assert not used & {"KOV-3.3", "X-HET", "X-FIN", "X-LINE", "KOV-3.4", "KOV-3.5", "X-SHARP", "SM-1.1"}
        assert free.best.upper >= planned.lower


def test_a_filter_is_named_once_and_kept() -> None:
    boxes = Composition(((dpc.BlackBox(epsilon=0.1), 100),), dpc.FULLY_ADAPTIVE, ApproxDP)
    assert dpc.epsilon(boxes, delta=1e-6).upper >= 10
    assert (boxes + dpc.BlackBox(epsilon=0.1)).filter is ApproxDP
    with pytest.raises(dpc.InvalidParameter, match="same filter"):
        boxes + Composition((dpc.BlackBox(epsilon=0.1),), dpc.FULLY_ADAPTIVE, GDP)
    with pytest.raises(dpc.InvalidParameter, match="only where adaptivity is FULLY_ADAPTIVE"):
        Composition((), dpc.ADAPTIVE, ZCDP)


@pytest.mark.parametrize("wrap", [lambda c: 1 * c, lambda c: Composition((c,)), lambda c: Composition(((c, 2),))])
def test_a_filter_is_kept_inside(wrap: Any) -> None:
    """Basic composition caps Σε; the zCDP of the same plan is smaller, and was never capped."""
    boxes = Composition(((dpc.BlackBox(epsilon=0.1), 100),), dpc.FULLY_ADAPTIVE, ApproxDP)
    assert dpc.epsilon(wrap(boxes), delta=1e-6).upper >= 10


@cases(100)
@given(leaves(), leaves())
def test_relations_do_not_mix(one: Any, other: Any) -> None:
    assume(one.adjacency is not None and other.adjacency is not None)
    with pytest.raises(dpc.AdjacencyMismatch, match="neighbouring relations"):
        under(one, dpc.ADD_REMOVE) + under(other, dpc.REPLACE_ONE)
    with pytest.raises(dpc.AdjacencyMismatch, match="replace_one"):
        dpc.Sampled(under(one, dpc.REPLACE_ONE), rate=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("cls", LEAVES, ids=lambda c: c.__name__)
@cases(13)
@given(data=st.data(), count=st.integers(1, 9), delta=deltas, epsilon=epsilons)
def test_the_relation_changes_no_number_by_itself(
    cls: type, data: st.DataObject, count: int, delta: Any, epsilon: Any
) -> None:
    """Sensitivities are stated under the relation: the same numbers under either cost the same, or no less."""
    m = data.draw(some(cls))
    added, replaced = (count * under(m, relation) for relation in (dpc.ADD_REMOVE, dpc.REPLACE_ONE))
    assert epsilon_of(replaced, delta).upper >= epsilon_of(added, delta).lower
    assert dpc.delta(replaced, epsilon=epsilon).upper >= dpc.delta(added, epsilon=epsilon).lower


LOPSIDED = dpc.DiscretePair(p=[0.5, 0.5], q=[0.1, 0.9])


def test_one_pair_one_order() -> None:
    answer = dpc.delta(2 * LOPSIDED, epsilon=1)
    assert answer.lower <= 0.2335 + 5e-5
    assert answer.upper >= 0.2335 - 5e-5
    assert answer.upper < 0.3141, "both orders mixed would be another, larger quantity"


def test_under_replace_one_a_lopsided_pair_may_face_either_way() -> None:
    answer = dpc.delta(2 * under(LOPSIDED, dpc.REPLACE_ONE), epsilon=1)
    assert answer.upper >= 0.3141 - 5e-5
