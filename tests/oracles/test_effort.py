"""Steps are counted for a question and for those asked for its sake, and for nobody else."""

from __future__ import annotations

import dpcompose as dpc
from dpcompose.numerics import effort


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


def test_a_question_that_takes_long_is_answered_with_what_is_known() -> None:
    plan = 30 * dpc.Laplace(scale=9) + 7 * dpc.Sampled(dpc.Gaussian(noise_std=2), rate=0.1) + dpc.Exponential(epsilon=1)
    patient = dpc.delta(plan, 1)
    with effort.question():
        effort.count(2 * effort.PATIENCE)
        hasty = dpc.delta(plan, 1)
    assert hasty.lower <= patient.lower <= patient.upper <= hasty.upper
    assert hasty.upper < 1
    assert dpc.compare(plan, epsilon=1).best.upper <= hasty.upper
