"""The papers' rules: their values by their formulas in mpmath, their verdicts by known counterexamples."""

from __future__ import annotations

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from calibration.plain_costs import noisy_gaussian_delta, number, response_delta
from cases import cases
from dpcompose.calibration.closed_forms import closed_forms


def formulas(k: int, epsilon: float, delta: float) -> dict[str, object]:
    e, d = number(epsilon), number(delta)
    log, plain = mp.log(mp.e + e / d), -mp.log(d)
    return {
        "KOV-4.1": e / (2 * mp.sqrt(k * log)),
        "KOV-4.2": mp.sqrt(8 * k * log) / e,
        "KOV-4.3": mp.sqrt(8 * k * log) / e,
        "X-CAL": (mp.sqrt(2 * plain + 2 * e) - mp.sqrt(2 * plain)) / mp.sqrt(k),
        "DR-3.21": e / (2 * mp.sqrt(2 * k * plain)),
    }


@cases(15)
@given(k=st.integers(1, 40), epsilon=st.floats(0.05, 30), exponent=st.floats(-10, -0.4))
def test_values_verdicts_and_the_exact_answer(k: int, epsilon: float, exponent: float) -> None:
    delta = 10.0**exponent
    found = closed_forms(steps=k, epsilon=epsilon, delta=delta)
    for name, value in formulas(k, epsilon, delta).items():
        row = found[name]
        assert number(row.value.lower) <= value * (1 + mp.mpf(10) ** -40)
        assert number(row.value.upper) >= value * (1 - mp.mpf(10) ** -40)
    for name, own in (("KOV-4.1", number(delta) / (2 * k)), ("X-CAL", 0), ("DR-3.21", 0)):
        row = found[name]
        if row.holds:
            assert response_delta(k, row.value.lower, epsilon, mp_fraction(own)) <= number(delta)
        assert response_delta(k, row.exact.lower, epsilon, mp_fraction(own)) <= number(delta) * (1 + mp.mpf(10) ** -12)
    gauss = found["KOV-4.3"]
    assert gauss.holds is bool(noisy_gaussian_delta(k, gauss.value.upper, epsilon) <= number(delta))
    assert noisy_gaussian_delta(k, gauss.exact.upper, epsilon) <= number(delta)
    assert gauss.holds == (gauss.waste >= 1)


def mp_fraction(x: object) -> float:
    """A little less than the number, as a float."""
    return float(x) * (1 - 1e-12) if x else 0


@pytest.mark.parametrize(
    "k, epsilon, delta, name, holds",
    [
        (100, 1, 1e-6, "KOV-4.1", True),
        (100, 40, 0.3, "KOV-4.1", False),
        (10_000, 40, 0.3, "KOV-4.1", False),
        (7, 100, 0.3, "KOV-4.3", False),
        (1, 83, 0.49, "KOV-4.3", True),
        (1, 83.1, 0.49, "KOV-4.3", False),
        (100, 40, 0.3, "DR-3.21", False),
        (100, 40, 0.3, "X-CAL", True),
        (100, 40, 0.3, "KOV-4.2", True),
    ],
)
def test_rules_hold_only_in_their_true_range(k: int, epsilon: float, delta: float, name: str, holds: bool) -> None:
    assert closed_forms(steps=k, epsilon=epsilon, delta=delta)[name].holds is holds


@pytest.mark.parametrize("epsilon, delta", [(0, 0), (0, 1e-6), (1, 0), (1, 1), (1e9, 1e-300), (1e-300, 1e-300)])
def test_every_legal_goal_gets_a_table(epsilon: float, delta: float) -> None:
    found = closed_forms(steps=3, epsilon=epsilon, delta=delta)
    assert len(found.rows) == 5
    assert all(0 <= row.value.lower <= row.value.upper for row in found.rows)
    assert all(len(line) <= 80 for line in str(found).splitlines())


def test_refusals() -> None:
    with pytest.raises(dpc.InvalidParameter, match="steps = 0"):
        closed_forms(steps=0, epsilon=1, delta=1e-6)
    with pytest.raises(dpc.InvalidParameter, match=r"expected one of KOV-4\.1"):
        closed_forms(steps=1, epsilon=1, delta=1e-6)["KOV-9"]
