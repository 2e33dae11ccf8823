"""The laws bite: well-known bugs, planted one by one, are caught by a law or by a contradiction at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest

import dpcompose as dpc
from dpcompose.kernel import STANDARD, Parts
from dpcompose.notions import GDP, ZCDP, ApproxDP, Renyi, SumOfCurves
from dpcompose.theorems.approx.closed_forms import BasicComposition
from dpcompose.theorems.approx.steps import Steps


@contextmanager
def planted(name: str, proof: Callable[..., Any]) -> Iterator[None]:
    """The library with another proof under an old theorem's name."""
    wrong = replace(STANDARD.theorems[name], proof=proof)
    with patch.dict(STANDARD.theorems, {name: wrong}), patch.object(STANDARD, "_found", {}):
        yield


def repeats(m: dpc.Mechanism, other: dpc.Mechanism, delta: float) -> bool:
    """The law of repetition: ten of one kind cost what five of each of two names for it cost."""
    counted, apart = dpc.compare(10 * m, delta=delta).best, dpc.compare(5 * m + 5 * other, delta=delta).best
    return counted.lower <= apart.upper and apart.lower <= counted.upper


ONE, SAME = dpc.Gaussian(noise_std=2), dpc.Gaussian(noise_std=4, sensitivity=2)


def gdp_without_counts(parts: Parts[GDP]) -> GDP:
    return GDP(sum((Fraction(g.mu_squared) for g, _ in parts.items), Fraction(0)))


def zcdp_without_counts(parts: Parts[ZCDP]) -> ZCDP:
    return ZCDP(sum((Fraction(g.rho) for g, _ in parts.items), Fraction(0)))


def renyi_without_counts(parts: Parts[Renyi]) -> Renyi:
    return Renyi(SumOfCurves(tuple((g.curve, 1) for g, _ in parts.items)))


def basic_without_counts(parts: Parts[ApproxDP]) -> BasicComposition:
    return BasicComposition(Steps.of(Parts(tuple((g, 1) for g, _ in parts.items))))


def variance_for_deviation(m: dpc.Gaussian) -> GDP:
    return GDP(Fraction(m.sensitivity) / Fraction(m.noise_std))


def half_the_budget(parts: Parts[ApproxDP]) -> BasicComposition:
    return BasicComposition(
        Steps.of(Parts(tuple((ApproxDP(Fraction(g.epsilon) / 2, g.delta), n) for g, n in parts.items)))
    )


def mu_for_rho(g: GDP) -> ZCDP:
    return ZCDP(Fraction(g.mu_squared) / 4)


def scaled_pure(m: dpc.Laplace) -> ApproxDP:
    return ApproxDP(Fraction(m.sensitivity) / Fraction(m.scale) / 3, 0)


BOXES = 10 * dpc.BlackBox(epsilon=0.3)
CAUGHT_AT_RUN_TIME = [
    ("zcdp_adds", zcdp_without_counts, 10 * ONE),
    ("renyi_adds", renyi_without_counts, 10 * ONE),
    ("basic_composition", basic_without_counts, BOXES),
    ("basic_composition", half_the_budget, BOXES),
    ("gdp_to_zcdp", mu_for_rho, 10 * ONE),
    ("laplace_is_pure", scaled_pure, 3 * dpc.Laplace(scale=1)),
]


@pytest.mark.parametrize("name, wrong, subject", CAUGHT_AT_RUN_TIME, ids=lambda x: getattr(x, "__name__", ""))
def test_two_theorems_contradict_each_other(name: str, wrong: Any, subject: dpc.Mechanism) -> None:
    dpc.compare(subject, delta=1e-6)
    with planted(name, wrong), pytest.raises(dpc.Contradiction, match="says at most"):
        dpc.compare(subject, delta=1e-6)
    dpc.compare(subject, delta=1e-6)


def test_dropped_counts_break_the_law_of_repetition() -> None:
    """Where one wrong theorem feeds every other there is no contradiction; the law still sees it."""
    assert repeats(ONE, SAME, 1e-6)
    with planted("gdp_adds", gdp_without_counts), planted("zcdp_adds", zcdp_without_counts):
        caught = False
        try:
            caught = not repeats(ONE, SAME, 1e-6)
        except dpc.Contradiction:
            caught = True
    assert caught


def test_variance_for_standard_deviation_is_seen_in_mixed_units() -> None:
    """With σ² for σ every reading of a Gaussian is wrong alike; another unit, or an exact neighbour, tells."""
    with planted("gaussian_is_gdp", variance_for_deviation):
        scaled = dpc.epsilon(SAME, delta=1e-6), dpc.epsilon(ONE, delta=1e-6)
        assert scaled[0].enclosure == scaled[1].enclosure  # Δ/σ has no unit either: this law alone is blind
        quarter = dpc.epsilon(16 * dpc.Gaussian(noise_std=4), delta=1e-6)
        assert quarter.lower > dpc.epsilon(dpc.Gaussian(noise_std=1), delta=1e-6).upper  # splitting is not


def test_variance_for_deviation_beside_an_independent_theorem_contradicts_at_run_time() -> None:
    """A Gaussian known by two independent descriptions: planting the bug in one makes them disagree."""

    def gaussian_is_zcdp(m: dpc.Gaussian) -> ZCDP:
        """The mechanism is Δ²/2σ²-zCDP; here σ² is read as σ."""
        return ZCDP(Fraction(m.sensitivity) ** 2 / (2 * Fraction(m.noise_std) ** 4))

    correct = STANDARD.theorems["discrete_gaussian_is_zcdp"]
    second = replace(correct, proof=gaussian_is_zcdp)
    with (
        patch.dict(STANDARD.theorems, {"gaussian_is_zcdp": second}),
        patch.object(STANDARD, "_found", {}),
        pytest.raises(dpc.Contradiction, match="ZCDP-CONV"),
    ):
        dpc.compare(10 * ONE, delta=1e-6)


def test_nothing_planted_stays() -> None:
    assert STANDARD.theorems["gdp_adds"].proof.__module__.startswith("dpcompose")
    assert repeats(ONE, SAME, 1e-6)
