"""Steps are counted for a question and for those asked for its sake, and for nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import dpcompose as dpc
from dpcompose.errors import Declined
from dpcompose.exact import range_plans
from dpcompose.numerics import effort
from dpcompose.prove import claims


def test_a_question_counts_what_is_asked_for_its_sake() -> None:
    with effort.question():
        effort.count(effort.PATIENCE)
        assert not effort.is_worn_out()
        with effort.question():
            effort.count(1)
            assert effort.is_worn_out()
        assert effort.is_worn_out()
    with effort.question():
        assert not effort.is_worn_out()


def test_nobody_counts_outside_a_question() -> None:
    effort.count(10 * effort.PATIENCE)
    assert not effort.is_worn_out()


@pytest.mark.slow
def test_a_question_that_takes_long_is_answered_with_what_is_known() -> None:
    plan = 30 * dpc.Laplace(scale=9) + 7 * dpc.Sampled(dpc.Gaussian(noise_std=2), rate=0.1) + dpc.Exponential(epsilon=1)
    patient = dpc.delta(plan, 1)
    with effort.question():
        effort.count(2 * effort.PATIENCE)
        hasty = dpc.delta(plan, 1)
    assert hasty.lower <= patient.lower <= patient.upper <= hasty.upper
    assert hasty.upper < 1
    assert dpc.compare(plan, epsilon=1).best.upper <= hasty.upper


@contextmanager
def _in_parts() -> Iterator[None]:
    """A part that can be done without, of something else that can."""
    try:
        with effort.dispensable():
            yield
    except Declined:
        pytest.fail("a part was declined, and the rest taken for the whole")


def test_what_takes_too_long_is_declined_as_a_whole() -> None:
    with effort.question():
        with pytest.raises(Declined, match="too long"), effort.dispensable(), _in_parts():
            effort.count(2 * effort.LIMIT)
        effort.count(effort.LIMIT + effort.SPARE)  # what the question needs is never broken off
        with effort.dispensable():
            effort.count(effort.SPARE / 2)  # short answers are still heard
        with pytest.raises(Declined), effort.dispensable():
            effort.count(2 * effort.SPARE)
        effort.count(effort.LIMIT)
        with effort.dispensable():
            effort.count(effort.LAST / 2)  # and very short ones later still
        with pytest.raises(Declined), effort.dispensable():
            effort.count(2 * effort.LAST)


def test_the_more_parts_the_fewer_places_each_is_read_at() -> None:
    assert effort.shared(64, 4) == 64
    with effort.question():
        effort.about(effort.FULLY_READ)
        effort.about(10**6)  # of another question, for the sake of this one
        assert effort.shared(64, 4) == 64
    for parts, places in ((0, 64), (2 * effort.FULLY_READ, 32), (15 * effort.FULLY_READ, 4), (10**6, 4)):
        with effort.question():
            effort.about(parts)
            assert effort.shared(64, 4) == places
    assert effort.shared(64, 4) == 64


MIXTURES = [
    dpc.MixtureOfGaussians(noise_std=4 + i, sensitivities=(0, 1, 2), probabilities=(0.5, 0.25, 0.25)) for i in range(32)
]
BEFORE: dict[str, Callable[[], object]] = {
    "each alone": lambda: [dpc.epsilon(part, delta=1e-6) for part in MIXTURES],
    "as many": lambda: dpc.epsilon(sum(MIXTURES[:30], dpc.Composition()), delta=1e-6),
    "on a sample": lambda: dpc.epsilon(dpc.Sampled(sum(MIXTURES, dpc.Composition()), rate=0.5), delta=1e-6),
}


@pytest.mark.slow
@pytest.mark.parametrize("before", BEFORE)
def test_how_a_part_was_read_for_others_changes_no_answer(before: str) -> None:
    """Of 32 parts each is read at fewer places, of two in full, whatever was asked before."""
    plans = [MIXTURES[0] + MIXTURES[1], sum(MIXTURES, dpc.Composition())]
    fresh = []
    for plan in plans:
        claims._FACTS.forget()
        fresh.append(dpc.epsilon(plan, delta=1e-6).enclosure)
    claims._FACTS.forget()
    BEFORE[before]()
    assert [dpc.epsilon(plan, delta=1e-6).enclosure for plan in reversed(plans)] == fresh[::-1]
    assert [dpc.epsilon(plan, delta=1e-6).enclosure for plan in plans] == fresh


@pytest.mark.slow
def test_plans_that_were_cut_short_are_not_remembered() -> None:
    """Whoever asks without patience gets fewer intervals of t; the next gets all of them."""
    selections = (dpc.Exponential(epsilon=0.5), 4), (dpc.Exponential(epsilon=0.75), 5)
    plan = dpc.Composition(selections, adaptivity=dpc.FIXED)
    with effort.question():
        effort.count(1.2 * effort.PATIENCE)
        hasty = dpc.epsilon(plan, delta=1e-3)
    patient = dpc.epsilon(plan, delta=1e-3)
    range_plans.above_fixed.cache_clear()
    assert dpc.epsilon(plan, delta=1e-3).enclosure == patient.enclosure
    assert patient.lower <= patient.upper < hasty.upper


@pytest.mark.slow
def test_a_worn_out_question_still_hears_who_says_something() -> None:
    """The noise is so small beside 10⁹ that what is heard first says nothing."""
    lost = dpc.Group(dpc.MixtureOfGaussians(noise_std=0.3, sensitivities=(7, 0), probabilities=(0.5, 0.5)), size=10**6)
    found = dpc.epsilon(10 * lost + 10**6 * dpc.DiscreteGaussian(noise_std=2, sensitivity=10**9), delta=1e-300)
    assert 1e23 < found.lower <= found.upper < 1.3e23


@pytest.mark.slow
def test_what_was_broken_off_is_not_remembered() -> None:
    plan = dpc.Sampled(2 * dpc.Laplace(scale=2) + dpc.Exponential(epsilon=0.25), rate=0.25)
    with effort.question():
        effort.count(2 * effort.LIMIT - effort.SPARE)
        hasty = dpc.delta(plan, 0.1)
        with pytest.raises(Declined), effort.dispensable():
            effort.count(2 * effort.SPARE)
    patient = dpc.delta(plan, 0.1)
    assert patient.upper <= hasty.upper
    assert patient.upper == dpc.delta(plan, 0.1).upper


def test_a_profile_read_off_tables_is_counted() -> None:
    """Each reading of the sum of two tables walks through the smaller one."""
    plan = 2000 * dpc.BlackBox(epsilon=0.01) + 2000 * dpc.BlackBox(epsilon=0.02)
    with effort.question():
        dpc.delta(plan, 1)
        counted = effort._asked.get()
        assert counted is not None
        assert counted.steps > 300 * 2000
