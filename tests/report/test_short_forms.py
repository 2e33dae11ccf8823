"""Answers in one line, in few digits, and with their reasons."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose import report
from dpcompose.kernel import STANDARD, Side
from dpcompose.notions import Guarantee
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
    assert repr(dpc.epsilon(STEP, delta=[])) == "<0 answers>"


def test_an_answer_gives_its_reasons() -> None:
    assert ANSWER.explain() == report.explain(ANSWER) == dpc.explain(ANSWER)
    assert "KOV-3.3" in dpc.compare(30 * STEP, delta=0.05).explain()


@pytest.mark.parametrize(
    "text",
    [
        "Sampled(BlackBox(epsilon=1), rate=0.1)",
        "5 * Sampled(DiscretePair(p=[0.75, 0.25], q=[0.25, 0.75]), rate=0.5)",
        "3 * Sampled(Laplace(scale=1), rate=0.1) + Gaussian(noise_std=2)",
        "3 * MixtureOfGaussians(noise_std=1, sensitivities=[0, 1, 2], probabilities=[0.8, 0.1, 0.1])",
    ],
)
def test_no_class_is_named_in_an_explanation(text: str) -> None:
    notions = {notion for theorem in STANDARD.theorems.values() for notion in theorem.types}
    classes = {notion.__name__ for notion in notions if issubclass(notion, Guarantee)} - {
        "GDP",
        "Renyi",
    }  # those are words, too
    said = dpc.epsilon(text, delta=1e-6).explain().partition("Sources")[0]
    assert " ⊢ " in said
    assert not classes & set(re.findall(r"\w+", said))


def test_several_results_have_few_digits_too() -> None:
    many, compared = dpc.epsilon(30 * STEP, delta=[0.05, 0.06]), dpc.compare(30 * STEP, delta=Fraction("0.05"))
    assert f"{many:.3g}" == ", ".join(f"{answer:.3g}" for answer in many)
    assert f"{many}" == str(many)
    assert f"{compared:.3g}" == f"{ANSWER:.3g}"
    assert f"{compared}" == str(compared)


@pytest.mark.parametrize(
    "family, kept",
    [
        ("Laplace(scale=?)", lambda shown, known: shown >= known.value),
        ("? * Laplace(scale=9)", lambda s, k: s <= k.value),
    ],
)
def test_a_found_value_in_few_digits_still_meets_its_target(family: str, kept: Any) -> None:
    found = dpc.calibrate(family, epsilon=Fraction(100, 7), delta=0)
    assert kept(Fraction(f"{found:.2g}"), found)
    assert f"{found}" == str(found)
    assert found.explain() == found.answer.explain()
    with pytest.raises(dpc.InvalidParameter, match="significant digits"):
        format(found, "d")


def test_growth_profile_and_judge_are_public() -> None:
    assert dpc.growth(STEP, (1, 30), Fraction("0.05")).at == (1, 30)
    assert dpc.profile(STEP, (0, 1)).at == (0, 1)
    assert dpc.judge(STEP, 1, Fraction("0.002")).holds
