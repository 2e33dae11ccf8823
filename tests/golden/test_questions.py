"""The golden vectors through the public questions: `epsilon`, `delta`, `renyi`, `compare`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import dpcompose as dpc
from golden.reading import agrees, cases

Inputs = dict[str, Any]
Asked = Callable[[Inputs], dict[str, Any]]


def exactly(value: Any) -> Any:
    """Text as the exact number it writes."""
    if isinstance(value, list):
        return [exactly(item) for item in value]
    return Fraction(value) if isinstance(value, str) else value


def boxes(given: Inputs) -> dpc.Mechanism:
    """The black boxes a vector speaks of."""
    if "groups" in given:
        return sum((n * dpc.BlackBox(epsilon=e) for e, n in given["groups"]), dpc.Composition())
    if "eps_list" in given:
        pairs = zip(given["eps_list"], given["delta_list"], strict=True)
        return given.get("repeat", 1) * sum((dpc.BlackBox(epsilon=e, delta=d) for e, d in pairs), dpc.Composition())
    return given.get("k", given.get("n")) * dpc.BlackBox(epsilon=given["eps"], delta=given.get("delta", 0))


def gaussians(given: Inputs) -> dpc.Mechanism:
    return given.get("k", given.get("n")) * dpc.Gaussian(noise_std=given["sigma"], sensitivity=given["Delta"])


def laplaces(given: Inputs) -> dpc.Mechanism:
    return given["n"] * dpc.Laplace(scale=given["scale_over_sens"])


def epsilon(mechanism: dpc.Mechanism, delta: Any) -> dpc.Enclosure:
    return dpc.epsilon(mechanism, delta=delta, tolerance=1e-10).enclosure


def delta(mechanism: dpc.Mechanism, level: Any) -> dpc.Enclosure:
    return dpc.delta(mechanism, epsilon=level, tolerance=1e-10).enclosure


def row(theorem: str, mechanism: dpc.Mechanism, total: Any) -> dpc.Enclosure | str:
    """A theorem's own value at a total δ, not capped by any other."""
    rows = dpc.compare(mechanism, delta=total).rows
    found = next(row for row in rows if theorem in {row.theorem, *row.aliases})
    return found.enclosure if found.enclosure is not None else "undefined"


QUESTIONS: dict[str, Asked] = {
    "KOV-3.3-profile": lambda g: {"delta_total": delta(boxes(g), g["target_eps"])},
    "KOV-3.3-inverse": lambda g: {"eps_g": epsilon(boxes(g), g["delta_target"])},
    "BASIC": lambda g: {"eps": row("DRV-3.16", boxes(g), sum(g["delta_list"]))},
    "DRV-3.20": lambda g: {"eps_prime": row("DRV-3.20", boxes(g), g["k"] * g["delta"] + g["delta_prime"])},
    "SMITH-1.1": lambda g: {"eps_tilde": row("SM-1.1", boxes(g), g["k"] * g["delta"] + g["delta_prime"])},
    "KOV-3.4": lambda g: {"eps_tilde": row("KOV-3.4", boxes(g), g["delta_total"])},
    "KOV-3.5": lambda g: {"eps_tilde": row("KOV-3.5", boxes(g), g["delta_total"])},
    "SHARP": lambda g: {"eps_tilde": row("X-SHARP", boxes(g), g["delta_total"])},
    "HET-EXACT": lambda g: {
        "delta_at_target_eps": delta(boxes(g), g["target_eps"]),
        "eps_at_delta_target": epsilon(boxes(g), g["delta_target"]),
    },
    "HET-GROUP": lambda g: {
        "delta_at_target_eps": delta(boxes(g), g["target_eps"]),
        "eps_at_delta_target": epsilon(boxes(g), g["delta_target"]),
    },
    "GAUSS-DELTA": lambda g: {"delta": delta(gaussians(g), g["target_eps"])},
    "GAUSS-EPS": lambda g: {"eps": epsilon(gaussians(g), g["delta_target"])},
    "LAPLACE": lambda g: {"delta": delta(g["k"] * dpc.Laplace(scale=1, sensitivity=g["eps"]), g["target_eps"])},
    "GEOM": lambda g: {
        "delta": delta(g["k"] * dpc.Geometric(scale=g["sens"] / g["eps"], sensitivity=g["sens"]), g["target_eps"])
    },
    "STAIR-COMP": lambda g: {
        "delta": delta(g["k"] * dpc.Staircase(epsilon=g["eps"], gamma=g["gamma"]), g["target_eps"])
    },
    "RDP-GAUSS": lambda g: {"rdp": dpc.renyi(gaussians(g), order=g["alpha"]).enclosure},
    "RDP-LAPLACE": lambda g: {"rdp": dpc.renyi(laplaces(g), order=g["alpha"]).enclosure},
    "RDP-RR": lambda g: {"rdp_exact_rr": dpc.renyi(boxes(g), order=g["alpha"]).enclosure},
    "RDP-OPT-GAUSS": lambda g: {
        "eps_mironov": row("RDP-CONV", gaussians(g), g["delta"]),
        "eps_cks": row("RDP-CKS", gaussians(g), g["delta"]),
        "eps_exact": epsilon(gaussians(g), g["delta"]),
    },
    "RDP-OPT-RR": lambda g: {
        "eps_mironov": row("RDP-CONV", boxes(g | {"delta": 0}), g["delta"]),
        "eps_cks": row("RDP-CKS", boxes(g | {"delta": 0}), g["delta"]),
        "eps_exact": epsilon(boxes(g | {"delta": 0}), g["delta"]),
    },
    "RDP-OPT-LAPLACE": lambda g: {
        "eps_mironov": row("RDP-CONV", laplaces(g), g["delta"]),
        "eps_cks": row("RDP-CKS", laplaces(g), g["delta"]),
    },
    "SMITH-NS": lambda g: {"delta_total": delta(g["k"] * dpc.NameAndShame(delta=g["delta"]), 0)},
    "HOCKEY": lambda g: {"delta_sym": delta(dpc.DiscretePair(p=g["P_X"], q=g["P_Y"]), g["eps"])},
    "MIR-C1": lambda g: {
        "eps_prime": row("MIR-C1", boxes(g | {"delta": 0}), g["delta"]),
        "exact_eps": epsilon(boxes(g | {"delta": 0}), g["delta"]),
    },
}

SEARCHED = {"eps_mironov", "eps_cks"}
"""Bounds from the best order a search finds: sound at any order, and here as good as at the best one."""


def close_above(answer: dpc.Enclosure | str, expected: str) -> bool:
    truth = Fraction(expected)
    return isinstance(answer, dpc.Enclosure) and truth <= answer.upper <= truth * (1 + Fraction(1, 10**12))


VACUOUS = {"SMITH-1.1-08"}
"""A total δ of 11: no question to ask."""

ASKED = [c for c in cases() if c[1] in QUESTIONS and c[0] not in VACUOUS]


@pytest.mark.parametrize("card, given, expected", [c[1:] for c in ASKED], ids=[c[0] for c in ASKED])
def test_the_question_gets_the_vector_for_an_answer(card: str, given: Inputs, expected: Inputs) -> None:
    asked = {key: exactly(value) for key, value in given.items()}
    if "delta_tilde" in given:  # the question takes the total δ, of which 50 digits are known
        asked["delta_total"] = Fraction(expected["delta_total"])
    found = QUESTIONS[card](asked)
    for key, answer in found.items():
        right = close_above if key in SEARCHED else agrees
        assert right(answer, expected[key]), (key, answer, expected[key])


def test_every_question_is_asked() -> None:
    assert {card for _, card, _, _ in ASKED} == set(QUESTIONS)
