"""What is drawn, before it is drawn: plain values against independent ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import numpy as np
import pytest

import dpcompose as dpc
from dpcompose import plots
from dpcompose.errors import InvalidParameter, NotProvable
from golden.reading import VECTORS

STEP = dpc.BlackBox(epsilon=Fraction("0.1"), delta=Fraction("0.001"))
GAUSSIANS = [v for v in VECTORS if v["card"] == "RDP-OPT-GAUSS"]


def test_growth_encloses_optimal_composition_by_summation() -> None:
    found = plots.growth(STEP, (3, 1, 7), Fraction("0.05"))
    assert found.at == (1, 3, 7)
    for k, enclosure in zip(found.at, found.truth, strict=True):
        delta = 1 - (1 - mp.mpf("0.001")) ** k * (1 - pure(k, mp.mpf("0.1"), enclosure.upper))
        assert delta <= mp.mpf("0.05") * (1 + mp.mpf("1e-9"))
    assert found.of("KOV-3.3").values == tuple(e.upper for e in found.truth)
    assert found.of("KOV-3.1").values == pytest.approx((0.1, 0.3, 0.7))


def pure(k: int, epsilon: Any, t: float) -> Any:
    """δ of k randomized responses at t, from the definition."""
    q = 1 / (1 + mp.exp(epsilon))
    losses = [((k - 2 * i) * epsilon, mp.binomial(k, i) * (1 - q) ** (k - i) * q**i) for i in range(k + 1)]
    return sum(w * (1 - mp.exp(t - loss)) for loss, w in losses if loss > t)


def test_theorems_that_speak_only_of_nothing_are_left_out() -> None:
    found = plots.growth(dpc.Gaussian(noise_std=20), (0, 10), 1e-6)
    assert {series.theorem for series in found.series} <= {"RDP-CONV", "RDP-CKS", "ZCDP-CONV", "X-GAUSS", "X-LINE"}
    assert found.truth[0].upper == 0.0
    free = plots.growth(dpc.BlackBox(epsilon=0), (0, 1), 1e-6)
    assert free.of("KOV-3.1").values == (0.0, 0.0)


def test_the_loosest_theorem_comes_first() -> None:
    found = plots.growth(STEP, (30,), Fraction("0.05"))
    last = [series.values[-1] for series in found.series]
    assert last == sorted(last, key=lambda value: -(value or 0))
    assert found.series[0].theorem == "KOV-3.1"


def test_a_profile_reaches_to_where_only_the_leak_is_left() -> None:
    found = plots.profile(30 * STEP)
    leak = 1 - (1 - 0.001) ** 30
    assert found.at[0] == 0
    assert found.truth[-1].upper == pytest.approx(leak, rel=1e-6)
    assert found.truth[0].upper > 5 * leak
    deltas = [e.upper for e in found.truth]
    assert deltas == sorted(deltas, reverse=True)


def test_a_profile_of_what_reveals_everything_has_a_range() -> None:
    found = plots.profile(dpc.NameAndShame(delta=1))
    assert all(e.upper == 1.0 for e in found.truth)


def test_chosen_theorems_alone_are_kept_also_by_their_other_names() -> None:
    found = plots.profile(30 * STEP, (0, 3), ("DRV-3.16", "KOV-3.3"))
    assert {series.theorem for series in found.series} == {"KOV-3.1", "KOV-3.3"}
    with pytest.raises(InvalidParameter, match=r"theorems = 'KOV-9' is not allowed: expected one of .*KOV-3\.3"):
        plots.profile(30 * STEP, (0,), ("KOV-9",))
    with pytest.raises(InvalidParameter, match=r"expected one of KOV-3\.1, KOV-3\.3\.$"):
        found.of("SM-1.1")


@pytest.mark.parametrize(
    "ask",
    [
        lambda: plots.growth(STEP, ()),
        lambda: plots.growth(STEP, range(10**6)),
        lambda: plots.growth(STEP, (-1,)),
        lambda: plots.growth(STEP, (1.5,)),
        lambda: plots.growth(STEP, (1,), 2),
        lambda: plots.profile(STEP, (-1,)),
        lambda: plots.profile(STEP, (math.nan,)),
        lambda: plots.tradeoff(STEP, (1.1,)),
        lambda: plots.renyi_curve(STEP, orders=(0.5,)),
        lambda: plots.family(STEP, ()),
        lambda: plots.tangents(STEP, (math.inf,)),
        lambda: plots.losses(STEP, bins=0),
    ],
)
def test_places_that_cannot_be_asked_are_refused(ask: Any) -> None:
    with pytest.raises(InvalidParameter, match="is not allowed: expected"):
        ask()


def test_boundaries_never_cut_off_what_a_theorem_leaves_possible() -> None:
    mechanism = 30 * STEP
    found = plots.boundaries(mechanism, np.linspace(0, 4, 9), ("KOV-3.2", "KOV-3.3"))
    exact = dpc.region(mechanism)
    for boundary in found.each:
        for fnr, fpr in boundary.corners:
            assert fpr <= exact.least_fpr(fnr).upper * (1 + 1e-12)
    assert [boundary.theorem for boundary in found.each] == ["KOV-3.2", "KOV-3.3"]


def test_boundaries_of_an_empty_promise_are_the_corner() -> None:
    found = plots.boundaries(dpc.NameAndShame(delta=1), (0, 1))
    assert {boundary.corners for boundary in found.each} == {((0.0, 0.0),)}


def test_the_trade_off_of_a_gaussian() -> None:
    found = plots.tradeoff(4 * dpc.Gaussian(noise_std=2), (0, 0.05, 0.5, 1))
    for alpha, beta in zip(found.alphas, found.betas, strict=True):
        exact = mp.ncdf(mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(alpha)) - 1)
        assert beta.lower <= float(exact) * (1 + 1e-12)
        assert beta.upper >= float(exact) * (1 - 1e-12)
        assert beta.upper - beta.lower <= 1e-6


@pytest.mark.parametrize("vector", GAUSSIANS, ids=lambda v: v["id"])
def test_best_orders_of_gaussians(vector: dict[str, Any]) -> None:
    given, expected = vector["inputs"], vector["outputs"]
    mechanism = given["n"] * dpc.Gaussian(noise_std=Fraction(given["sigma"]), sensitivity=Fraction(given["Delta"]))
    found = plots.renyi_curve(mechanism, Fraction(given["delta"]), (2, 3))
    assert [e.upper for e in found.divergences] == pytest.approx(
        [2 * float(expected["rho"]), 3 * float(expected["rho"])]
    )
    for converted, name in zip(found.converted, ("mironov", "cks"), strict=True):
        assert converted.best
        assert converted.best.order.upper == pytest.approx(float(expected[f"alpha_{name}"]), rel=1e-9)
        assert converted.best.epsilon.upper == pytest.approx(float(expected[f"eps_{name}"]), rel=1e-9)
        assert min(converted.epsilons) >= float(expected[f"eps_{name}"]) * (1 - 1e-12)


def test_a_bounded_curve_may_have_no_best_order() -> None:
    found = plots.renyi_curve(10 * dpc.Laplace(scale=2), 1e-5)
    assert found.converted[0].theorem == "RDP-CONV"
    assert found.converted[0].best is None


def test_a_leak_leaves_less_delta_for_the_orders() -> None:
    leaky = plots.renyi_curve(STEP, Fraction("0.002"), (2,))
    tight = plots.renyi_curve(dpc.BlackBox(epsilon=Fraction("0.1")), Fraction("0.002"), (2,))
    hopeless = plots.renyi_curve(STEP, Fraction("0.001"), (2,))
    assert tight.converted[1].epsilons < leaky.converted[1].epsilons < hopeless.converted[1].epsilons == (math.inf,)
    assert hopeless.converted[1].best is None
    assert leaky.divergences[0].lower == math.inf


def test_without_a_renyi_curve_there_is_none_to_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        @staticmethod
        def of(_notion: object) -> list[object]:
            return []

    monkeypatch.setattr("dpcompose.curves.renyi_orders.known", lambda _: Nothing)
    with pytest.raises(NotProvable, match="Rényi"):
        plots.renyi_curve(STEP)


def test_losses_of_responses_are_binomial() -> None:
    found = plots.losses(3 * dpc.RandomizedResponse(epsilon=1))
    p = 1 / (1 + math.exp(-1))
    expected = [(3 - 2 * i, math.comb(3, i) * p ** (3 - i) * (1 - p) ** i) for i in range(4)]
    assert sorted(found.atoms, reverse=True) == [pytest.approx(atom, rel=1e-12) for atom in expected]
    assert found.infinite == 0
    leaky = plots.losses(2 * dpc.BlackBox(epsilon=1, delta=Fraction("0.1")))
    assert leaky.infinite == pytest.approx(0.19, rel=1e-12)
    assert sum(mass for _, mass in leaky.atoms) == pytest.approx(0.81, rel=1e-12)


def test_losses_of_gaussians_are_normal() -> None:
    found = plots.losses(4 * dpc.Gaussian(noise_std=2), bins=80)
    cumulated = np.cumsum(found.mass) + float(mp.ncdf(found.edges[0] - 0.5))
    expected = [float(mp.ncdf(edge - 0.5)) for edge in found.edges[1:]]
    assert np.abs(cumulated - expected).max() < 2e-3
    assert found.edges == tuple(-edge for edge in reversed(found.edges))


def test_losses_in_one_order_of_an_asymmetric_pair() -> None:
    found = plots.losses(dpc.DiscretePair(p=[Fraction(1, 2), Fraction(1, 2)], q=[Fraction(1, 10), Fraction(9, 10)]))
    assert sorted(found.atoms) == [pytest.approx((math.log(5 / 9), 0.5)), pytest.approx((math.log(5), 0.5))]


def test_what_costs_nothing_loses_nothing() -> None:
    found = plots.losses(dpc.BlackBox(epsilon=0))
    assert found.atoms == ((0.0, 1.0),)
    assert plots.losses(dpc.Composition()).atoms == ((0.0, 1.0),)


class Found:
    """What an audit hands over, as far as a picture looks at it."""

    vertices = ((0.1, 0.2), (0.5, 0.6))
    confidence = 0.9


def test_an_overlay_tells_what_refutes() -> None:
    found = plots.overlay(dpc.BlackBox(epsilon=Fraction("0.5")), Found())
    assert found.refuting == ((0.1, 0.2),)
    assert found.confidence == 0.9
    assert issubclass(Found, plots.Reached)
    assert not issubclass(dpc.Region, plots.Reached)


def test_values_are_plain() -> None:
    assert plots.growth(STEP, (1, 2)) == plots.growth(STEP, (2, 1))
    assert hash(plots.profile(STEP, (0, 1))) == hash(plots.profile(STEP, (1, 0)))
