"""Blanking a record costs what removing it costs: the same pair, under another name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from strategies import LEAVES, epsilon_of, named, small_deltas, some, under


@pytest.mark.slow
@pytest.mark.parametrize("cls", LEAVES, ids=named)
@cases(10)
@given(st.data(), small_deltas, st.sampled_from([1, 3]))
def test_a_blank_record_is_one_that_is_not_there(cls: type, data: st.DataObject, delta: float, count: int) -> None:
    mechanism = data.draw(some(cls))
    removed, blank = (under(mechanism, relation) for relation in (dpc.ADD_REMOVE, dpc.ZERO_OUT))
    for one, other in ((removed, blank), (dpc.Sampled(removed, rate=0.3), dpc.Sampled(blank, rate=0.3))):
        assert other.adjacency is dpc.ZERO_OUT
        assert epsilon_of(count * one, delta).enclosure == epsilon_of(count * other, delta).enclosure


def test_relations_do_not_mix() -> None:
    blank = dpc.Gaussian(noise_std=1, adjacency=dpc.ZERO_OUT)
    with pytest.raises(dpc.AdjacencyMismatch, match="add_remove and zero_out"):
        blank + dpc.Gaussian(noise_std=1)
    with pytest.raises(dpc.AdjacencyMismatch, match="not for zero_out"):
        dpc.SampledWithoutReplacement(blank, size=1, of=2)


LAPLACE = dpc.Laplace(scale=1)


@pytest.mark.parametrize(
    "inner", [LAPLACE, 2 * LAPLACE, LAPLACE + dpc.BlackBox(epsilon=1), 3 * dpc.Group(LAPLACE, size=2)]
)
def test_a_wrapper_keeps_the_relation_of_what_is_inside(inner: dpc.Mechanism) -> None:
    """Of one mechanism or of several: a relation is never taken for another one."""
    with pytest.raises(dpc.AdjacencyMismatch, match="not for add_remove"):
        dpc.SampledWithoutReplacement(inner, size=1, of=2)
    assert dpc.Sampled(inner, rate=0.5).adjacency is dpc.ADD_REMOVE


@pytest.mark.parametrize("count", [1, 2])
def test_a_sample_of_a_composition_knows_its_relation(count: int) -> None:
    blank, replaced = (dpc.Laplace(scale=1, adjacency=relation) for relation in (dpc.ZERO_OUT, dpc.REPLACE_ONE))
    assert dpc.Sampled(dpc.Composition(((blank, count),)), rate=0.5).adjacency is dpc.ZERO_OUT
    with pytest.raises(dpc.AdjacencyMismatch, match="not for replace_one"):
        dpc.Sampled(dpc.Composition(((replaced, count),)), rate=0.5)
    free = dpc.SampledWithoutReplacement(dpc.Composition(((dpc.BlackBox(epsilon=1), count),)), size=1, of=2)
    assert free.mechanism.adjacency is dpc.REPLACE_ONE
