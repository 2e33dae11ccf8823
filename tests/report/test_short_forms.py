"""Answers in one line, in few digits, and with their reasons."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose import report
from dpcompose.kernel import Side
from dpcompose.numerics.enclosure import Enclosure

STEP = dpc.BlackBox(epsilon=Fraction("0.1"), delta=Fraction("0.001"))
ANSWER = dpc.epsilon(30 * STEP, delta=Fraction("0.05"))
positive = st.floats(1e-300, 1e300)


@cases(100)
@given(positive, positive, st.integers(1, 20), st.sampled_from(Side))
def test_few_digits_never_understate_the_loss(a: float, b: float, digits: int, side: Side) -> None:
    """At most one unit of the last digit away from the safe end, on its safe side."""
    answer = dpc.Answer("x", Enclosure(min(a, b), max(a, b)), None, None, safe_side=side)
    shown = Fraction(format(answer, f".{digits}g"))
    safe = Fraction(answer.safe)
    assert shown >= safe if side is Side.UPPER else shown <= safe
    assert abs(shown - safe) <= safe / 10 ** (digits - 1)


def test_an_answer_in_one_line() -> None:
    assert repr(ANSWER) == "<Answer ε ∈ [0.846302, 0.846303] by KOV-3.3>"
    assert f"{ANSWER:.3g}" == "0.847"
    assert f"{ANSWER}" == str(ANSWER)
    assert f"{dpc.advantage(STEP):.2g}" == f"{dpc.advantage(STEP).safe:.2g}"


@pytest.mark.parametrize("form", ["d", ".0g", ">9", ".3f"])
def test_another_form_is_refused(form: str) -> None:
    with pytest.raises(dpc.InvalidParameter, match="significant digits"):
        format(ANSWER, form)


def test_no_result_fills_the_screen() -> None:
    many = dpc.epsilon(30 * STEP, delta=[0.05, 0.06, 0.07, 0.08])
    for result in (ANSWER, many, dpc.compare(30 * STEP, delta=0.05)):
        assert "\n" not in repr(result)
        assert len(repr(result)) <= 120
    assert repr(many).startswith("<4 answers: [")


def test_an_answer_gives_its_reasons() -> None:
    assert ANSWER.explain() == report.explain(ANSWER) == dpc.explain(ANSWER)
    assert "KOV-3.3" in dpc.compare(30 * STEP, delta=0.05).explain()


def test_growth_profile_and_judge_are_public() -> None:
    assert dpc.growth(STEP, (1, 30), Fraction("0.05")).at == (1, 30)
    assert dpc.profile(STEP, (0, 1)).at == (0, 1)
    assert dpc.judge(STEP, 1, Fraction("0.002")).holds
