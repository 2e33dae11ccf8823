"""`--digits`: as many as are wanted, and both ends rounded outward."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

import dpcompose as dpc

PLAN = "100 * Gaussian(noise_std=50)"
ASKED = {
    "epsilon": ("--delta", "1e-6"),
    "delta": ("--epsilon", "1/2"),
    "renyi": ("--order", "8"),
    "beta": ("--alpha", "1/10"),
}


def truth(question: str) -> dpc.Answer:
    given = {"epsilon": Fraction(1, 10**6), "delta": Fraction(1, 2), "renyi": 8, "beta": Fraction(1, 10)}[question]
    answer: dpc.Answer = getattr(dpc, question)(PLAN, given)
    return answer


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("digits", [1, 3, 6, 12, 17])
def test_both_ends_are_rounded_outward(question: str, digits: int, run) -> None:
    code, shown, _ = run(question, PLAN, *ASKED[question], "--digits", str(digits))
    ends = re.search(r"∈ \[([^,]+), ([^]]+)\]", shown)
    assert code == 0
    assert ends is not None
    lower, upper = map(Fraction, ends.groups())
    exact = truth(question)
    assert lower <= Fraction(exact.lower) <= Fraction(exact.upper) <= upper
    unit = Fraction(10) ** (1 - digits)
    assert upper - lower <= Fraction(exact.upper) * (2 * unit + Fraction(exact.enclosure.gap))


@pytest.mark.parametrize("digits", ["0", "18", "2.5", "many", "-3"])
def test_other_numbers_of_digits_are_refused_before_anything_is_computed(digits: str, run) -> None:
    code, shown, refusal = run("epsilon", PLAN, "--delta", "1e-6", "--digits", digits)
    assert (code, shown) == (2, "")
    assert "digits" in refusal
    assert "a whole number from 1 to 17" in refusal
