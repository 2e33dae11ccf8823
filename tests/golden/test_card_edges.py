"""Cards at the ends of their domains, what they refuse, and what their exact outputs must satisfy."""

from __future__ import annotations

import math
import pickle
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from dpcompose import Enclosure, InvalidParameter
from dpcompose.formulas import cards, formula

ZERO, ONE, INFINITE = Enclosure(0.0, 0.0), Enclosure(1.0, 1.0), Enclosure(math.inf, math.inf)

EDGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("KOV-3.3-grid", {"k": 0, "eps": 1, "delta": 1, "i": 0}, {"eps_g": 0, "delta_i": ZERO, "delta_total": ZERO}),
    ("KOV-3.3-profile", {"k": 5, "eps": 0, "delta": 0, "target_eps": 0}, {"delta_total": ZERO, "m": 0}),
    ("KOV-3.3-inverse", {"k": 3, "eps": 1, "delta": 1, "delta_target": 0.5}, {"eps_g": INFINITE}),
    ("KOV-3.3-inverse", {"k": 3, "eps": 1, "delta": 1, "delta_target": 1}, {"eps_g": ZERO}),
    ("KOV-3.3-inverse", {"k": 0, "eps": 1, "delta": 1, "delta_target": 0}, {"eps_g": ZERO}),
    ("BASIC", {"eps_list": [], "delta_list": []}, {"eps": 0, "delta_sum": 0, "delta_product": ZERO}),
    ("DRV-3.20", {"k": 3, "eps": 1, "delta": 0, "delta_prime": 0}, {"eps_prime": INFINITE}),
    (
        "HET-GROUP",
        {"groups": [["0.5", 0]], "target_eps": 0, "delta_target": 0},
        {"k_total": 0, "eps_at_delta_target": ZERO},
    ),
    ("KOV-3.4", {"k": 4, "eps": 0, "delta": 0, "delta_tilde": "0.1"}, {"branch2": ZERO, "eps_tilde": ZERO}),
    ("GAUSS-DELTA", {"k": 1, "sigma": 0, "Delta": 1, "target_eps": 9}, {"mu": INFINITE, "delta": ONE}),
    ("GAUSS-EPS", {"k": 0, "sigma": 0, "Delta": 1, "delta_target": 0}, {"mu": ZERO, "eps": ZERO}),
    ("GAUSS-SIGMA", {"k": 1, "eps": 1, "delta": 0, "Delta": 1}, {"mu_max": ZERO, "sigma_min": INFINITE}),
    ("GAUSS-SIGMA", {"k": 1, "eps": 1, "delta": 1, "Delta": 1}, {"mu_max": INFINITE, "sigma_min": ZERO}),
    ("LAPLACE", {"k": 10**9, "eps": "1e-9", "target_eps": 1}, {"delta": ZERO}),
    ("RDP-LAPLACE", {"alpha": 2, "scale_over_sens": 1, "n": 0}, {"rdp": ZERO}),
    ("RDP-CONV-EPS", {"alpha": 1, "rdp_eps": 1, "delta": "0.1"}, {"mironov_eps": INFINITE, "cks_eps": INFINITE}),
    (
        "RDP-OPT-RR",
        {"n": 3, "eps": 1, "delta": "1e-9"},
        {"alpha_mironov": INFINITE, "eps_mironov": Enclosure(3.0, 3.0)},
    ),
    ("UNLEARN", {"T": 0, "sigma0": 1, "growth": 1, "alpha": 2, "delta": 1}, {"best_eps": ZERO}),
    ("MIR-P4", {"n": 3, "eps": 1, "Q": 0}, {"exponent_prop4": INFINITE, "bound_prop4": ZERO, "bound_sharp": ZERO}),
    ("MIR-P10", {"alpha": 1, "rdp_eps": 1, "Q": "0.5"}, {"upper": ONE, "lower": ZERO}),
    ("SMITH-NS", {"k": 0, "delta": 1}, {"delta_total": ZERO, "basic": 0}),
    ("CAL-EXACT", {"k": 2, "delta0": "0.1", "eps": 1, "delta": "0.19"}, {"eps0_max": Enclosure(0.5, 0.5)}),
    ("CAL-EXACT", {"k": 2, "delta0": "0.1", "eps": 1, "delta": "0.18"}, {"eps0_max": "undefined"}),
    ("KMAX", {"eps0": 0, "eps": 1, "delta": 0}, {"k_max_exact": INFINITE, "delta_at_kmax": ZERO}),
    ("KMAX", {"eps0": "0.3", "eps": 1, "delta": 0}, {"k_max_exact": 3, "k_basic": 3, "delta_at_kmax": ZERO}),
    ("JL-RDP", {"alpha": 2, "w": 0, "rows": 1}, {"variance_rdp_worst": INFINITE}),
    (
        "JL-CAL",
        {"eta": 1, "nu": 1, "k": 1, "eps": 1, "delta": "0.1", "n": 2, "s": 1},
        {"w_le_n": False, "tau_exact": "undefined"},
    ),
    ("KOV-4.1", {"k": 100, "eps": 40, "delta": "0.3"}, {"certified": False}),
    ("KOV-4.1", {"k": 100, "eps": "0.5", "delta": "0.3"}, {"certified": True}),
    ("KOV-4.2", {"k": 10**5, "eps": 60, "delta": "0.01", "Delta": 1}, {"certified": False}),
    ("HOCKEY", {"P_X": [1, 0], "P_Y": [0, 1], "eps": 50}, {"delta_sym": ONE}),
]


@pytest.mark.parametrize("card, given, expected", EDGES)
def test_ends_of_a_domain(card: str, given: dict[str, Any], expected: dict[str, Any]) -> None:
    found = formula(card)(**given)
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize(
    "text", ["1e999999999", "1e-6000", "0x10", "nan", "inf", "1/0", "", "1" * 2000, "１", "1_0", "0.1 + 0.2", "-1"]
)
def test_text_that_is_no_bounded_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match="eps"):
        formula("SMITH-PL-RR")(eps=text)


@pytest.mark.parametrize(
    "value", [True, None, math.nan, math.inf, 10**400, Decimal("1e99999"), Decimal("NaN"), [1], b"1"]
)
def test_values_that_are_no_bounded_number_are_refused(value: object) -> None:
    with pytest.raises(InvalidParameter, match="eps"):
        formula("SMITH-PL-RR")(eps=value)


def test_a_refusal_names_what_is_allowed() -> None:
    with pytest.raises(InvalidParameter, match="such as KOV-"):
        formula("KOV-3.33")
    with pytest.raises(InvalidParameter, match="one of eps, delta"):
        formula("DR-3.17")(eps=1, delta=0, gamma=1)
    with pytest.raises(InvalidParameter, match="also delta"):
        formula("DR-3.17")(eps=1)
    with pytest.raises(InvalidParameter, match="k//2 = 2"):
        formula("KOV-3.3-grid")(k=5, eps=1, delta=0, i=3)
    with pytest.raises(InvalidParameter, match="as many as eps_list has"):
        formula("BASIC")(eps_list=[1, 2], delta_list=[0])
    with pytest.raises(InvalidParameter, match="100000"):
        formula("BASIC")(eps_list=[0] * (10**5 + 1), delta_list=[0])
    with pytest.raises(InvalidParameter, match="denominator"):
        formula("BASIC")(eps_list=[Fraction(1, 2**61 + 2 * i + 1) for i in range(2000)], delta_list=[0] * 2000)
    with pytest.raises(InvalidParameter, match="exactly 1"):
        formula("SMITH-3.1")(P_X=["0.5", "0.4"], P_Y=["0.5", "0.5"], exp_eps=2, delta="0.5")
    with pytest.raises(InvalidParameter, match="at least"):
        formula("SMITH-3.1")(P_X=[1, 0], P_Y=[0, 1], exp_eps=2, delta="0.5")


def test_all_ways_to_write_a_number_mean_the_same() -> None:
    card = formula("SMITH-PL-RR")
    assert card(eps="0.5") == card(eps=0.5) == card(eps=Fraction(1, 2)) == card(eps=Decimal("0.5")) == card(eps=" 1/2 ")
    assert card(eps="0.1") != card(eps=0.1) or card(eps="0.1").mean == card(eps=0.1).mean


def test_outputs_are_read_only_and_survive_a_pickle() -> None:
    found = formula("DR-3.17")(eps=1, delta="0.01")
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301 - our own
    assert found.max_tv_to_pure_pair == found["max_tv_to_pure_pair"]
    with pytest.raises(AttributeError, match="cannot be set"):
        found.eps = 1
    with pytest.raises(AttributeError, match="there are max_tv_to_pure_pair"):
        _ = found.eps


@pytest.mark.parametrize("name", cards())
def test_every_card_states_its_theorem(name: str) -> None:
    card = formula(name)
    assert card.name == name
    assert "$" in card.statement
    assert card.carries
    assert card.source.where
    assert all(entry.allowed and entry.symbol for entry in card.inputs.values())


def simplex(r: random.Random, size: int) -> list[Fraction]:
    weights = [r.choice([0, 1, 2, 3, 5, 8]) for _ in range(size)]
    weights[r.randrange(size)] += 1
    return [Fraction(w, sum(weights)) for w in weights]


def test_the_simulation_lemma_rebuilds_both_distributions() -> None:
    r = random.Random("simulation")  # noqa: S311 - cases, not secrets
    for _ in range(300):
        size = r.randint(1, 5)
        p, q, factor = (
            simplex(r, size),
            simplex(r, size),
            Fraction(r.choice([1, 2, 3, 7]), 1) * Fraction(r.choice([1, 3]), 1),
        )
        distance = max(
            sum((max(a - factor * b, Fraction(0)) for a, b in zip(x, y, strict=True)), Fraction(0))
            for x, y in ((p, q), (q, p))
        )
        delta = r.choice([distance, (1 + distance) / 2, Fraction(1)])
        found = formula("SMITH-3.1")(P_X=p, P_Y=q, exp_eps=factor, delta=delta)
        rows: list[Any] = [found.F_0, found.F_1, found.F_IamU, found.F_IamV]
        assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
        likely, unlikely = (1 - delta) * factor / (1 + factor), (1 - delta) / (1 + factor)
        for weights, target in (((likely, unlikely, delta, 0), p), ((unlikely, likely, 0, delta), q)):
            assert [sum(w * row[i] for w, row in zip(weights, rows, strict=True)) for i in range(size)] == target


@pytest.mark.parametrize("k", [1, 2, 7, 30, 31])
@pytest.mark.parametrize("target", ["0", "0.05", "0.1", "0.333", "2.9", "9"])
def test_interpolation_in_the_exponential_is_exact(k: int, target: str) -> None:
    found: Any = formula("ERR-INTERP")(k=k, eps="0.1", target_eps=target)
    assert found.delta.lower <= found.linear_in_exp_eps.upper
    assert found.linear_in_exp_eps.lower <= found.delta.upper
    assert found.SOUND_LOOSE_lower_grid_delta.upper >= found.delta.lower


@pytest.mark.parametrize("delta", ["1e-12", "1e-5", "0.3"])
def test_the_least_sigma_meets_delta_and_less_does_not(delta: str) -> None:
    found: Any = formula("GAUSS-SIGMA")(k=7, eps="0.8", delta=delta, Delta="1.5")
    asked = {"k": 7, "Delta": "1.5", "target_eps": "0.8"}
    enough: Any = formula("GAUSS-DELTA")(sigma=found.sigma_min.upper, **asked)
    little: Any = formula("GAUSS-DELTA")(sigma=found.sigma_min.lower * (1 - 1e-9), **asked)
    assert enough.delta.upper <= Fraction(delta) < little.delta.lower
