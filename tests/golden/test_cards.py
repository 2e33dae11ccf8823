"""Every golden vector through its card."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from dpcompose import Enclosure
from dpcompose.formulas import cards, formula
from golden.reading import VECTORS, agrees, cases

ALL = list(cases(("outputs", "outputs_f64_inputs")))

BOUNDS = {
    "DRV-3.20": ["eps_prime"],
    "SMITH-1.1": ["eps_tilde"],
    "KOV-3.4": ["branch2", "branch3", "eps_tilde"],
    "KOV-3.5": ["branch2", "branch3", "eps_tilde"],
    "SHARP": ["branch2", "branch3", "eps_tilde"],
    "MIR-P4": ["exponent_prop4", "bound_prop4", "exponent_sharp", "bound_sharp"],
    "MIR-C1": ["formula_value"],
    "RDP-RR": ["tanh_zcdp", "sech_bound"],
    "RDP-CONV-EPS": ["mironov_eps", "cks_eps"],
    "RDP-CONV-DELTA": ["mironov_delta", "cks_delta"],
    "RDP-OPT-GAUSS": ["eps_mironov", "eps_cks"],
    "RDP-OPT-RR": ["eps_mironov", "eps_cks"],
    "RDP-OPT-LAPLACE": ["eps_mironov", "eps_cks"],
    "UNLEARN": ["best_eps"],
}
"""Closed forms that promise: never below their own true value, and hardly above."""


def test_there_is_a_card_for_every_vector() -> None:
    assert {vector["card"] for vector in VECTORS} == set(cards())
    assert len(cards()) == 55


@pytest.mark.parametrize("card, given, expected", [c[1:] for c in ALL], ids=[c[0] for c in ALL])
def test_the_card_says_what_the_vector_says(card: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = formula(card)(**given)
    for key, value in expected.items():
        if not key.startswith("WRONG_"):
            assert agrees(found[key], value), (key, found[key], value)
    for key in BOUNDS.get(card, []):
        if expected[key] != "inf":
            truth, bound = Fraction(expected[key]), Fraction(_enclosure(found[key]).upper)
            assert truth * (1 - Fraction(1, 10**48)) <= bound <= truth * (1 + Fraction(1, 10**12))


def _enclosure(found: object) -> Enclosure:
    assert isinstance(found, Enclosure)
    return found


WRONG = [c for c in ALL if any(key.startswith("WRONG_") for key in c[3])]


@pytest.mark.parametrize("card, given, expected", [c[1:] for c in WRONG], ids=[c[0] for c in WRONG])
def test_misprints_are_never_returned(card: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = formula(card)(**given)
    assert not any(key.startswith("WRONG_") for key in found)
    rights = [Fraction(v) for k, v in expected.items() if not k.startswith("WRONG_") and isinstance(v, str)]
    for key, value in expected.items():
        wrong = Fraction(value) if key.startswith("WRONG_") else None
        if wrong is None or any(abs(wrong - right) <= right * Fraction(1, 10**9) for right in rights):
            continue  # a misprint that does not matter here
        for output in found.values():
            if isinstance(output, Enclosure) and math.isfinite(output.upper):
                assert wrong not in output
