"""Filters: caps fixed in advance, each by itself, and never overstepped by anyone on any path."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpcompose as dpc
from cases import cases
from dpcompose.filters import NAMES, Filter, filter_of, stated
from dpcompose.kernel import Side
from dpcompose.notions import ApproxDP
from filters.analysts import chooser, converted, gaussian, greatest_rho
from filters.asked import caps_or_reason
from oracles.definitions import hockey_stick, response
from strategies import epsilon_of, leaves, under

targets = st.tuples(
    st.fractions(Fraction(1, 100), 8, max_denominator=1000),
    st.sampled_from([Fraction(1, 10**k) for k in (2, 3, 5, 6, 9, 12)]),
)


def steps_that_fit(book: Filter, mechanism: dpc.Mechanism) -> int:
    """How many spends are admitted, one after the other."""
    spent, cost, count = book.nothing, book.cost(mechanism), 0
    while book.admits(spent, cost):
        spent, count = tuple(s + c for s, c in zip(spent, cost, strict=True)), count + 1
    return count


@pytest.mark.parametrize(
    "name, mechanism, fit",
    [
        ("basic", dpc.BlackBox(epsilon=0.01), 100),
        ("zcdp", dpc.BlackBox(epsilon=0.01), 487),
        ("zcdp", dpc.Laplace(scale=100), 487),
        ("gdp", dpc.Gaussian(noise_std=100), 560),
        ("renyi", dpc.Gaussian(noise_std=100), 487),
    ],
)
def test_nothing_is_lost_with_steps_that_leak_nothing(name: str, mechanism: Any, fit: int) -> None:
    assert steps_that_fit(filter_of(name, epsilon=1, delta=1e-6), mechanism) == fit


@pytest.mark.parametrize("tenth", [dpc.BlackBox(epsilon=0.1), dpc.Laplace(scale=10), dpc.Geometric(scale=10)])
@pytest.mark.parametrize("allowed", [0.3, Fraction(3, 10)])
def test_three_tenths_are_three_tenths(tenth: Any, allowed: Any) -> None:
    book = filter_of("basic", epsilon=allowed, delta=0)
    assert steps_that_fit(book, tenth) == 3
    units, cap = book.whole(book.cost(tenth)), book.whole_caps()
    assert 3 * units[0] == cap[0]


def test_three_thirds_are_one() -> None:
    assert steps_that_fit(filter_of("basic", epsilon=1, delta=0), dpc.Geometric(scale=3)) == 3


def test_noise_that_is_run_is_the_binary_number_it_runs_with() -> None:
    assert filter_of("basic", epsilon=1, delta=0).cost(dpc.Laplace(scale=0.7))[0] >= 1 / Fraction(0.7)
    assert stated(dpc.Laplace(scale=0.7)) == dpc.Laplace(scale=0.7)
    assert stated(2 * dpc.BlackBox(epsilon=0.1)) == 2 * dpc.BlackBox(epsilon=Fraction(1, 10))


# ---------------------------------------------------------------- caps, against a conversion of their own


@cases(25)
@given(targets, st.sampled_from([0, Fraction(1, 10), Fraction(9, 10)]))
def test_the_cap_on_rho_is_the_greatest_that_converts(target: Any, share: Any) -> None:
    epsilon, delta = target
    book = filter_of("zcdp", epsilon=epsilon, delta=delta, leak=share * delta)
    left = (delta - book.leak) / (1 - book.leak)
    e, d, rho = (mpf(x.numerator) / x.denominator for x in (epsilon, left, book.caps[0]))
    assert converted(rho, e) <= d * (1 + mpf(10) ** -12)
    assert converted(rho * (1 + mpf(10) ** -6), e) > d
    assert book.leak == share * delta


@cases(25)
@given(targets)
def test_the_cap_on_mu_is_the_greatest_that_fits(target: Any) -> None:
    epsilon, delta = target
    cap = filter_of("gdp", epsilon=epsilon, delta=delta).caps[0]
    e, d, rho = (mpf(x.numerator) / x.denominator for x in (epsilon, delta, cap / 2))
    assert gaussian(rho, e) <= d
    assert gaussian(rho * (1 + mpf(10) ** -6), e) > d


@cases(15)
@given(targets, st.lists(st.integers(2, 64), min_size=1, max_size=4, unique=True))
def test_a_budget_curve_converts_at_one_of_its_orders(target: Any, orders: Any) -> None:
    epsilon, delta = target
    book = caps_or_reason("renyi", epsilon=epsilon, delta=delta, orders=orders)
    if isinstance(book, str):  # too low an order converts nothing to so small an ε and δ
        assert "No caps of the filter renyi" in book
        return
    assert book.orders == tuple(map(Fraction, sorted(orders)))

    def at(a: Fraction, cap: Fraction) -> mpf:
        order, r = mpf(a.numerator) / a.denominator, mpf(cap.numerator) / cap.denominator
        e = mpf(epsilon.numerator) / epsilon.denominator
        return mp.exp((order - 1) * (r - e) + order * mp.log1p(-1 / order) - mp.log(order - 1))

    best = min(at(a, cap) for a, cap in zip(book.orders, book.caps, strict=False))
    assert best <= mpf(delta.numerator) / delta.denominator * (1 + mpf(10) ** -12)
    assert len({cap / a for a, cap in zip(book.orders, book.caps, strict=False)}) <= len(orders)


@pytest.mark.parametrize("name", NAMES)
def test_the_guarantee_is_that_of_the_caps_and_says_why(name: str) -> None:
    promise = filter_of(name, epsilon=1, delta=1e-6).guarantee
    assert (promise.epsilon, promise.delta) == (1, Fraction(1, 10**6))
    assert promise.claim.upper_by is not None
    assert Side.UPPER in promise.claim.upper_by.side
    assert "on every path" in str(promise)
    assert "@misc" in promise.cite()


@pytest.mark.parametrize("name", NAMES)
def test_kept_caps_make_the_same_filter_and_higher_ones_prove_nothing(name: str) -> None:
    book = filter_of(name, epsilon=1, delta=1e-6)
    again = Filter(name, book.epsilon, book.delta, book.caps, book.orders, book.adjacency)
    assert again == book
    assert again.guarantee == book.guarantee
    raised = Filter(name, book.epsilon, book.delta, tuple(2 * c for c in book.caps), book.orders)
    with pytest.raises(dpc.DPError, match="do not prove"):
        _ = raised.guarantee


# ------------------------------------------------------------------------------ analysts who look first


@pytest.mark.slow
def test_a_frontier_is_overspent_by_whoever_trades_after_looking() -> None:
    """Admit while ε(Σρ, Σδ) fits: every path does, and δ(1) is 1.20e-6 where 1e-6 was promised."""
    epsilon, delta = mpf(1), mpf(10) ** -6
    star = greatest_rho(epsilon, delta)
    assert float(star) == pytest.approx(0.024356, abs=1e-6)
    chance = mpf("9.99e-7")
    assert converted(mpf("0.6") * star, epsilon) * (1 - chance) + chance <= delta, "the frontier admits it"
    assert float(chooser(mpf("0.6") * star, mpf("0.4") * star, chance, epsilon)) == pytest.approx(1.202e-6, rel=2e-3)


def test_fixed_caps_refuse_that_path() -> None:
    book = filter_of("zcdp", epsilon=1, delta=1e-6)
    first = dpc.BlackBox(rho=Fraction(6, 10) * book.caps[0])
    assert book.admits(book.nothing, book.cost(first))
    assert book.admits(book.cost(first), book.cost(dpc.BlackBox(rho=Fraction(399, 1000) * book.caps[0])))
    assert not book.admits(book.cost(first), book.cost(dpc.NameAndShame(delta=9.99e-7)))


@pytest.mark.parametrize("share", ["0.01", "0.5", "0.99"])
def test_within_fixed_caps_choosing_gains_nothing(share: str) -> None:
    book = filter_of("zcdp", epsilon=1, delta=1e-6, leak=Fraction(share) / 10**6)
    rho, chance = (mpf(c.numerator) / c.denominator for c in book.caps)
    greedy = chance + (1 - chance) * chooser(rho * 3 / 5, rho * 2 / 5, mpf(0), mpf(1))
    assert max(greedy, chooser(rho * 3 / 5, rho * 2 / 5, chance, mpf(1))) <= mpf(10) ** -6


LOUD = (dpc.RandomizedResponse(epsilon=0.2), dpc.RandomizedResponse(epsilon=1.2))
RARE = (dpc.RandomizedResponse(epsilon=0.2), dpc.NameAndShame(delta=0.13931))


def two_paths() -> mpf:
    """δ(1) of whoever goes on loudly after a loss of 0.2, and else reveals everything with a chance of 0.13931."""
    p, q = response(Fraction(1, 5), 2)
    loud_p, loud_q = response(Fraction(6, 5), 2)
    path = p[0] * hockey_stick(loud_p, loud_q, Fraction(4, 5))
    one = [p[0] * x for x in loud_p] + [p[1] * path, mpf(0), p[1] * (1 - path)]
    other = [q[0] * x for x in loud_q] + [mpf(0), q[1] * path, q[1] * (1 - path)]
    return hockey_stick(one, other, Fraction(1))


@pytest.mark.parametrize("name", ["basic", "zcdp", "renyi"])
@pytest.mark.parametrize("leak", [0, 0.05, 0.13931, 0.1394])
def test_no_filter_admits_both_paths_below_their_true_cost(name: str, leak: float) -> None:
    """Each path alone composes to δ(1) = 0.139310 exactly; both together, chosen after looking, to 0.202022."""
    assert float(two_paths()) == pytest.approx(0.202022, abs=1e-6)
    for path in (LOUD, RARE):
        assert dpc.delta(dpc.Composition(path), epsilon=1).upper <= 0.139311
    book = filter_of(name, epsilon=1, delta=0.2020, leak=0 if name == "basic" else leak)
    admitted = [book.admits(book.cost(path[0]), book.cost(path[1])) for path in (LOUD, RARE)]
    assert not all(admitted)


@cases(60)
@given(
    st.lists(leaves(), min_size=1, max_size=4),
    st.sampled_from(["basic", "zcdp", "renyi", "gdp"]),
    st.sampled_from([(1, 1e-6), (3, 1e-3), (Fraction(1, 2), Fraction(1, 100))]),
    st.booleans(),
)
def test_a_plan_that_fits_costs_no_more_than_the_guarantee(steps: Any, name: str, target: Any, leaky: bool) -> None:
    """The oracle is the exact engine: what fits along one path, fixed in advance, never exceeds the target."""
    epsilon, delta = target
    leak = Fraction(delta) / 3 if leaky and name in {"zcdp", "renyi"} else 0
    book = filter_of(name, epsilon=epsilon, delta=delta, leak=leak)
    spent, kept = book.nothing, []
    for step in (under(m, dpc.ADD_REMOVE) for m in steps):
        try:
            cost = book.cost(step)
        except dpc.DPError:
            continue
        if book.admits(spent, cost):
            spent, kept = tuple(s + c for s, c in zip(spent, cost, strict=True)), [*kept, step]
    if kept:
        assert epsilon_of(dpc.Composition(tuple(kept)), delta).lower <= float(epsilon) * (1 + 1e-12)


# ------------------------------------------------------------------------------------------- blocks


RUN = 1000 * dpc.Sampled(dpc.Gaussian(noise_std=10), rate=0.01)


@pytest.mark.parametrize("name, leak", [("basic", 0), ("zcdp", 1e-7), ("renyi", 0)])
def test_a_fixed_block_is_one_step_read_as_cheaply_as_may_be(name: str, leak: float) -> None:
    book = filter_of(name, epsilon=1, delta=1e-6, leak=leak)
    one = book.cost(dpc.Sampled(dpc.Gaussian(noise_std=10), rate=0.01))
    whole = book.cost(RUN)
    assert not book.admits(book.nothing, tuple(1000 * c for c in one)) or name == "renyi"
    assert book.admits(book.nothing, whole)
    assert all(w <= 1000 * c for w, c in zip(whole, one, strict=True)) or name != "renyi"


@pytest.mark.parametrize("epsilon", [0.05, 0.12, 0.5])
def test_what_a_block_costs_covers_what_it_does(epsilon: float) -> None:
    book = filter_of("zcdp", epsilon=1, delta=1e-6, leak=1e-7)
    rho, leak = book.cost(RUN)
    assert dpc.delta(RUN, epsilon).lower <= dpc.delta(dpc.BlackBox(rho=rho, delta=leak), epsilon).upper


def test_a_block_that_is_capped_inside_by_another_notion_is_read_by_its_cap() -> None:
    """Inside only Σε is capped: one step may take all of it, so the ρ of its parts is no bound."""
    inside = dpc.Composition(((dpc.BlackBox(epsilon=Fraction(1, 100)), 100),), dpc.FULLY_ADAPTIVE, ApproxDP)
    rho, _ = filter_of("zcdp", epsilon=5, delta=1e-6).cost(inside)
    assert rho >= filter_of("zcdp", epsilon=5, delta=1e-6).cost(dpc.BlackBox(epsilon=1))[0]
