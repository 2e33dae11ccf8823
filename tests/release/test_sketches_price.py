"""What a sketch costs: rows and widths, certified from both sides, beside what was published."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import dpcompose as dpc
from dpcompose.release.sketches import covariance_price, cut_price, random_shift_delta
from dpcompose.release.sketches.cut import variance_ratio
from dpcompose.release.sketches.price import ORDERS, Price, exact_rows, goal, missing, published_covariance_width
from dpcompose.theorems.sketches import ReweightedGraph, cut_delta
from release.test_sketches_profile import mixture

F = Fraction
GOAL: dict[str, Any] = {"eta": 0.5, "nu": F("0.05"), "epsilon": 1, "delta": F("1e-6")}


def test_no_edge_of_any_graph_changes_a_variance_by_more_than_the_ratio() -> None:
    draw, n, w, change = np.random.default_rng(3), 12, 5.0, 0.7
    complete = n * np.eye(n) - np.ones((n, n))
    seen = []
    for density in (0.0, 0.1, 0.5):
        weights = np.triu(draw.random((n, n)) * (draw.random((n, n)) < density), 1)
        weights += weights.T
        laplacian = np.diag(weights.sum(axis=0)) - weights
        inverse = np.linalg.pinv((1 - w / n) * laplacian + w / n * complete)
        for u, v in [(0, 1), (2, 7), (4, 11)]:
            edge = np.eye(n)[u] - np.eye(n)[v]
            seen.append(1 + change * (1 - w / n) * edge @ inverse @ edge)
    bound = float(variance_ratio(w, n, change))
    assert max(seen) == pytest.approx(bound, rel=1e-12)  # the graph without edges attains it
    assert min(seen) < 1 + 0.9 * (bound - 1)


def test_the_ratio_is_that_of_the_formula_card() -> None:
    price = cut_price(vertices=1000, **GOAL)
    card = ReweightedGraph(dpc.Enclosure(price.width, price.width), 1000)
    assert variance_ratio(price.width, 1000, 1) in card.variance_ratio()


@pytest.mark.parametrize("rows, eta", [(1, 0.5), (30, 0.5), (465, 0.2), (7, 0.999)])
def test_missing_rows_are_the_tails_of_chi_square(rows: int, eta: float) -> None:
    with mp.workdps(40):
        s, e = mp.mpf(rows) / 2, mp.mpf(eta)
        above = mp.gammainc(s, s * (1 + e), mp.inf, regularized=True)
        below = mp.gammainc(s, 0, s * (1 - e), regularized=True)
    assert float(above + below) == pytest.approx(missing(rows, eta).upper, rel=1e-13)


@pytest.mark.parametrize("eta, nu, queries", [(0.5, 0.05, 1), (0.2, 0.01, 100), (0.9, 0.3, 1), (0.1, 0.05, 10**6)])
def test_rows_are_enough_and_one_fewer_are_not(eta: float, nu: float, queries: int) -> None:
    wanted = goal(eta=eta, nu=nu, queries=queries, epsilon=1, delta=1e-6, change=1)
    rows = exact_rows(wanted)
    assert missing(rows, eta).upper <= wanted.failure
    assert missing(rows - 1, eta).lower > wanted.failure
    assert exact_rows(wanted, step=2) in {rows, rows + 1}
    assert rows < dpc.formula("JL-CAL")(eta=str(eta), nu=str(nu), k=queries, eps="1", delta="1e-6", n=10, s=1)["r"]


def cut_cost(price: Price, width: float) -> dpc.Enclosure:
    return cut_delta(price.rows, variance_ratio(width, 10**6, price.goal.change), price.goal.epsilon)[2]


def moved_cost(price: Price, width: float) -> dpc.Enclosure:
    return random_shift_delta(price.rows, F(width) / F(price.goal.change), price.goal.epsilon)


def added_cost(price: Price, width: float) -> dpc.Enclosure:
    return cut_delta(price.rows, 1 + (F(price.goal.change) / F(width)) ** 2, price.goal.epsilon)[2]


KINDS: list[tuple[Callable[..., Price], dict[str, Any], Callable[[Price, float], dpc.Enclosure]]] = [
    (cut_price, {"vertices": 10**6}, cut_cost),
    (covariance_price, {}, moved_cost),
    (covariance_price, {"adjacency": dpc.ADD_REMOVE}, added_cost),
]


@pytest.mark.parametrize("change", [1, 0.25])
@pytest.mark.parametrize("epsilon, delta", [(1, 1e-6), (0, 0.01), (0.1, 1e-12), (5, 1e-300), (100, 0.5), (1, 0.999)])
@pytest.mark.parametrize("kind, options, cost", KINDS)
def test_the_width_is_enough_and_hardly_less_is_not(  # noqa: PLR0917 - a case of the table
    kind: Any, options: dict[str, Any], cost: Any, epsilon: float, delta: float, change: float
) -> None:
    price = kind(eta=0.5, nu=0.05, epsilon=epsilon, delta=delta, change=change, **options)
    assert price.delta == cost(price, price.width)
    assert price.delta.upper <= delta
    assert cost(price, price.width * (1 - 1e-8)).lower > delta


def test_the_published_widths_are_many_times_larger() -> None:
    cut, moved = cut_price(vertices=10**6, **GOAL), covariance_price(**GOAL)
    assert cut.published_rows == moved.published_rows == 119
    assert 40 < cut.published_width.lower / cut.width < 200
    assert 300 < moved.published_width.lower / moved.width < 1000
    assert moved.width > 5 * covariance_price(adjacency=dpc.ADD_REMOVE, **GOAL).width


@pytest.mark.slow
def test_at_the_published_number_of_rows_the_widths_are_those_of_the_analysis() -> None:
    # 119 rows, ε = 1, δ = 1e-6: 76.5 suffices for cuts and 47.6 for covariances, where 4697 and 14205 are published.
    ratio, close = 1 + 2 / F("76.5"), 1 + 2 / F("76.4")
    assert cut_delta(119, ratio, 1)[2].upper < 1.005e-6
    assert cut_delta(119, close, 1)[2].lower > 1.01e-6
    assert float(mixture(119, 47.6, 1.0)) == pytest.approx(1e-6, rel=0.01)
    assert published_covariance_width(119, 1, F("1e-6")).upper == pytest.approx(14205, rel=1e-3)


def test_the_width_of_a_small_graph_stays_below_its_vertices() -> None:
    for n in (2, 10, 50):
        price = cut_price(vertices=n, eta=0.2, nu=0.01, epsilon=0.01, delta=1e-9)
        assert 0 < price.width < n
        assert not price.published_fits
        assert price.delta.upper <= 1e-9


def test_tau_is_the_formula_of_the_additive_error() -> None:
    price = cut_price(vertices=1000, **GOAL)
    exactly = F(price.goal.eta) * F(price.width) * 30 * 970 / (1000 - F(price.width))
    assert exactly <= F(price.tau(30)) <= exactly * F("1.000001")
    wide = covariance_price(**GOAL)
    assert F(wide.tau(2)) >= F(wide.goal.eta) * F(wide.width) ** 2 * 4


def test_what_is_charged_is_what_was_asked_for() -> None:
    price = cut_price(vertices=100, **GOAL)
    assert price.mechanism == dpc.BlackBox(epsilon=1, delta=F("1e-6"), adjacency=dpc.ADD_REMOVE)
    assert dpc.epsilon(price.mechanism, F("1e-6")).upper == 1
    assert "published: 119 rows" in str(price)


@pytest.mark.parametrize("order", [1, 2, 8, 60, 10**6])
def test_the_divergences_are_those_of_the_formula_card(order: int) -> None:
    moved, cut = covariance_price(**GOAL), cut_price(vertices=10**9, **GOAL)
    card = dpc.formula("JL-RDP")(alpha=order, w=moved.width, rows=moved.rows)
    assert moved.renyi(order) == card["variance_rdp_worst"]
    both = dpc.formula("JL-RDP")(alpha=order, w=cut.width, rows=cut.rows)
    larger = max(both[f"cut_rdp_{pair}"].upper for pair in ("large_vs_small", "small_vs_large"))
    assert cut.renyi(order).upper == pytest.approx(larger, rel=1e-6)  # the card has n infinite


@pytest.mark.parametrize("kind, options, _", KINDS)
def test_several_sketches_cost_less_by_their_divergences(kind: Any, options: dict[str, Any], _: Any) -> None:
    price = kind(**GOAL, **options)
    finer = price.by_renyi()
    assert all(math.isinf(price.renyi(order).upper) for order in ORDERS if order not in dict(finer.renyi))
    assert dpc.epsilon(10 * finer, 2e-5).upper < 0.5 * dpc.epsilon(10 * price.mechanism, 2e-5).upper
    assert price.delta.lower < dpc.delta(finer, 1).upper < 10 * price.delta.upper  # one order is never exact


@pytest.mark.parametrize(
    "changed, said",
    [
        ({"eta": 0}, "eta"),
        ({"eta": 1}, "eta"),
        ({"eta": math.nan}, "eta"),
        ({"nu": 0}, "nu"),
        ({"nu": 1}, "nu"),
        ({"queries": 0}, "queries"),
        ({"queries": 1.5}, "queries"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": 101}, "epsilon"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"delta": math.nan}, "delta"),
        ({"change": 0}, "change"),
        ({"eta": 0.001, "nu": 1e-9}, "larger eta"),
    ],
)
def test_goals_that_make_no_sense_are_refused(changed: dict[str, Any], said: str) -> None:
    for kind, options, _ in KINDS:
        with pytest.raises(dpc.InvalidParameter, match=said):
            kind(**{**GOAL, **options, **changed})


def test_other_refusals_of_a_price() -> None:
    with pytest.raises(dpc.InvalidParameter, match="vertices"):
        cut_price(vertices=1, **GOAL)
    with pytest.raises(dpc.InvalidParameter, match="adjacency"):
        covariance_price(adjacency="add_remove", **GOAL)  # type: ignore[arg-type]
    with pytest.raises(dpc.InvalidParameter, match="below the number of vertices"):
        cut_price(vertices=100, width=100, **GOAL)
    with pytest.raises(dpc.InvalidParameter, match="larger one"):
        cut_price(vertices=1000, width=10, **GOAL)
    with pytest.raises(dpc.NotProvable, match="No width"):
        covariance_price(**{**GOAL, "epsilon": 1e-300, "delta": 1e-300})
    assert cut_price(vertices=1000, width=100, **GOAL).width == 100
