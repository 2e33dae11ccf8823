"""Cards against formulas written by hand in mpmath, at random inputs (the same ones every time)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from mpmath import isinf, mpf

import golden.by_hand_losses
import golden.by_hand_noise  # noqa: F401 - both add their formulas
from cases import scaled
from dpcompose import Enclosure
from dpcompose.formulas import cards, formula
from golden.by_hand import ORACLES

TRIALS = scaled(5)
Draw = Callable[[random.Random], Any]


def decimal(low: float, high: float) -> Draw:
    """A decimal of six digits, evenly on the scale of logarithms."""
    return lambda r: f"{math.exp(r.uniform(math.log(low), math.log(high))):.6g}"


def whole(low: int, high: int) -> Draw:
    return lambda r: r.randint(low, high)


def several(draw: Draw, low: int, high: int) -> Draw:
    return lambda r: [draw(r) for _ in range(r.randint(low, high))]


def masses(r: random.Random) -> list[str]:
    cuts = [0, *sorted(r.randint(0, 100) for _ in range(3)), 100]
    return [f"{b - a}e-2" for a, b in pairwise(cuts)]


DRAWS: dict[str, Draw] = {
    "k": whole(1, 40),
    "n": whole(1, 40),
    "T": whole(1, 30),
    "r": whole(1, 200),
    "rows": whole(1, 200),
    "sens": whole(2, 6),
    "eps": decimal(0.01, 3),
    "eps0": decimal(0.02, 0.5),
    "target_eps": decimal(0.01, 4),
    "delta": decimal(1e-9, 0.1),
    "delta0": decimal(1e-12, 1e-9),
    "delta_target": decimal(1e-6, 0.5),
    "delta_prime": decimal(1e-12, 0.9),
    "delta_tilde": decimal(1e-12, 0.9),
    "Q": decimal(1e-12, 0.9),
    "sigma": decimal(0.3, 30),
    "sigma0": decimal(0.3, 30),
    "Delta": decimal(0.1, 3),
    "growth": decimal(0.8, 1.3),
    "alpha": decimal(1.05, 100),
    "scale_over_sens": decimal(0.2, 50),
    "rdp_eps": decimal(0.01, 5),
    "gamma": decimal(0.05, 0.99),
    "ratio": decimal(1.01, 3),
    "w": decimal(5, 500),
    "eta": decimal(0.1, 0.9),
    "nu": decimal(1e-3, 0.5),
    "s": whole(1, 500),
    "at": lambda r: f"{r.uniform(-3, 3):.4f}",
    "z": lambda r: f"{r.uniform(-2, 3):.4f}",
    "eps_list": several(decimal(0.01, 1), 1, 7),
    "groups": lambda r: [[decimal(0.05, 1)(r), r.randint(1, 4)] for _ in range(2)],
    "gaussian_sigmas": several(decimal(0.5, 20), 0, 4),
    "laplace_scales": several(decimal(0.5, 20), 0, 4),
    "rr_eps": several(decimal(0.01, 2), 0, 4),
    "pure_eps": several(decimal(0.01, 2), 0, 4),
    "P_X": masses,
    "P_Y": masses,
}

SPECIAL: dict[tuple[str, str], Draw] = {
    ("JL-CAL", "n"): whole(1000, 10**7),
    ("RDP-OPT-RR", "n"): whole(40, 80),
    ("RDP-OPT-RR", "eps"): decimal(0.05, 0.5),
    ("RDP-OPT-RR", "delta"): decimal(1e-6, 0.01),
    ("RDP-OPT-LAPLACE", "n"): whole(50, 500),
    ("RDP-OPT-LAPLACE", "delta"): decimal(1e-6, 0.01),
    ("LAPLACE", "k"): whole(1, 2),
    ("GEOM", "k"): whole(1, 8),
    ("STAIR-COMP", "k"): whole(1, 12),
    ("STAIR", "eps"): decimal(0.5, 8),
    ("KOV-FIG2", "k"): whole(1, 10),
    ("KMAX", "delta"): decimal(1e-7, 0.01),
    ("SMITH-GAUSS-CAL", "eps"): decimal(0.1, 30),
    ("KOV-4.3", "eps"): decimal(0.1, 200),
}

UNTRIED = {"ERR-INTERP", "ERR-MISREAD34", "GAUSS-SIGMA", "SMITH-3.1"}
"""Tested elsewhere, by what they must satisfy."""


def drawn(card: str, r: random.Random) -> dict[str, Any]:
    given = {name: SPECIAL.get((card, name), DRAWS.get(name, whole(0, 0)))(r) for name in _required(card)}
    if "delta_list" in given:
        given["delta_list"] = [decimal(1e-9, 1e-3)(r) for _ in given["eps_list"]]
    if "i" in given:
        given["i"] = r.randint(0, given["k"] // 2)
    return given


def _required(card: str) -> list[str]:
    found = formula(card)
    return [name for name in found.inputs if name not in found.optional]


def as_mpf(value: Any) -> Any:
    if isinstance(value, list):
        return [as_mpf(item) for item in value]
    return mpf(Fraction(value).numerator) / Fraction(value).denominator if isinstance(value, str) else value


def agrees(found: object, truth: Any) -> bool:
    """Inside, and the enclosure narrow; mpmath's own error is below 1e-40 relative, or 1e-50."""
    if isinstance(truth, bool | str):
        return found == truth
    if isinstance(truth, list):
        return isinstance(found, Sequence) and len(found) == len(truth) and all(map(agrees, found, truth))
    if isinf(truth):
        return found == Enclosure(math.inf, math.inf)
    slack = abs(truth) * mpf(10) ** -40 + mpf(10) ** -45
    if isinstance(found, Enclosure):
        narrow = mpf(found.upper) - mpf(found.lower) <= max(abs(truth) * mpf(10) ** -9, mpf(10) ** -20)
        return bool(narrow and mpf(found.lower) - slack <= truth <= mpf(found.upper) + slack)
    assert isinstance(found, int | Fraction)
    return bool(abs(mpf(found.numerator) / found.denominator - truth) <= slack)


def test_every_card_is_tried_or_said_to_be_tested_elsewhere() -> None:
    assert set(ORACLES) | UNTRIED == set(cards())
    assert not set(ORACLES) & UNTRIED


@pytest.mark.slow
@pytest.mark.parametrize("card", sorted(ORACLES))
def test_the_card_encloses_what_mpmath_says(card: str) -> None:
    r = random.Random(f"by hand: {card}")  # noqa: S311 - cases, not secrets
    for _ in range(TRIALS):
        given = drawn(card, r)
        found = formula(card)(**given)
        for key, truth in ORACLES[card](**{name: as_mpf(value) for name, value in given.items()}).items():
            assert agrees(found[key], truth), (key, given, found[key], truth)
