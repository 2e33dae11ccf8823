"""OpenDP's measurements in, our compositions out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.interop.profiles import dominating_pair, hull
from late import Late
from oracles.definitions import hockey_stick, real

pytestmark = pytest.mark.slow

dp, ours = Late("opendp.prelude"), Late("dpcompose.interop.opendp")


@pytest.fixture(scope="module", autouse=True)
def enabled() -> None:
    dp.enable_features("contrib", "honest-but-curious")


def space() -> tuple[Any, Any]:
    """Real numbers, and how far they are apart."""
    return dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def test_every_measure_is_read_as_what_it_promises() -> None:
    laplace, gaussian = dp.m.make_laplace(*space(), scale=2.0), dp.m.make_gaussian(*space(), scale=2.0)
    assert ours.from_measurement(laplace, 1.0) == dpc.BlackBox(epsilon=0.5)
    assert ours.from_measurement(gaussian, 1.0) == dpc.BlackBox(rho=0.125)
    assert ours.from_measurement(dp.c.make_approximate(gaussian), 1.0) == dpc.BlackBox(rho=0.125, delta=0.0)
    fixed = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(gaussian), 1e-6)
    epsilon, delta = fixed.map(1.0)
    assert ours.from_measurement(fixed, 1.0) == dpc.BlackBox(epsilon=epsilon, delta=delta)


def test_a_composition_of_theirs_costs_here_what_it_costs_there() -> None:
    several = dp.c.make_composition([dp.m.make_gaussian(*space(), scale=3.0)] * 5)
    here = dpc.epsilon(ours.from_measurement(several, 1.0), delta=1e-6)
    there = dp.c.make_zCDP_to_approxDP(several).map(1.0).epsilon(1e-6)
    assert here.upper <= there * (1 + 1e-6)
    assert here.lower >= dpc.epsilon(5 * dpc.Gaussian(noise_std=3), delta=1e-6).lower * (1 - 1e-6)


def test_relations_follow_their_metrics() -> None:
    domain = dp.vector_domain(dp.atom_domain(T=int))
    counting = dp.t.make_count(domain, dp.symmetric_distance()) >> dp.m.then_laplace(scale=1.0)
    assert ours.from_measurement(counting, 1) == dpc.BlackBox(epsilon=1.0, adjacency=dpc.ADD_REMOVE)
    assert ours.from_measurement(counting, 3) == dpc.BlackBox(epsilon=3.0, adjacency=dpc.ADD_REMOVE)


def test_a_profile_becomes_a_pair_that_dominates_it() -> None:
    profile = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space(), scale=1.0)).map(1.0)
    pair = ours.from_map("SmoothedMaxDivergence", profile)
    assert isinstance(pair, dpc.DiscretePair)
    p, q = [real(x) for x in pair.p], [real(x) for x in pair.q]
    for epsilon in (0.0, 0.01, 0.3, 1.0, 2.5, 7.7):
        assert hockey_stick(p, q, Fraction(epsilon)) >= min(profile.delta(epsilon), truth(epsilon)) * (1 - 1e-12)
    once = dpc.epsilon(pair, delta=1e-6)
    assert once.upper == pytest.approx(profile.epsilon(1e-6), rel=1e-3)
    assert once.upper >= dpc.epsilon(dpc.Gaussian(noise_std=1), delta=1e-6).lower
    thrice = dpc.epsilon(3 * pair, delta=1e-6)
    assert thrice.upper >= dpc.epsilon(3 * dpc.Gaussian(noise_std=1), delta=1e-6).lower


def truth(epsilon: float) -> mpf:
    """δ of a Gaussian with μ = 1, which every sound profile of it exceeds."""
    e = mpf(epsilon)
    return mp.ncdf(mpf(1) / 2 - e) - mp.exp(e) * mp.ncdf(-mpf(1) / 2 - e)


def test_a_hull_stays_above_every_convex_curve_below_the_points() -> None:
    points = [(Fraction(x), Fraction(y, 10)) for x, y in ((0, 10), (1, 7), (2, 6), (3, 2), (4, 3), (5, 1))]
    found = dict(hull(points))
    assert found == {0: 1, 1: Fraction(7, 10), 3: Fraction(1, 5), 5: Fraction(1, 10)}


def test_a_curve_that_promises_nothing_costs_everything() -> None:
    assert dpc.epsilon(dominating_pair(lambda _: 1.0, [0.5, 1.0]), delta=0.5).lower == math.inf
    with pytest.raises(dpc.InvalidParameter, match="delta"):
        dominating_pair(lambda _: -0.5, [1.0])


def test_our_compositions_go_out_as_profiles() -> None:
    plan = 10 * dpc.Gaussian(noise_std=5)
    profile = ours.to_profile(plan)
    assert profile.delta(1.0) == dpc.delta(plan, epsilon=1.0).upper
    assert profile.epsilon(1e-6) >= dpc.epsilon(plan, delta=1e-6).lower
    assert profile.epsilon(1e-6) == pytest.approx(dpc.epsilon(plan, delta=1e-6).upper, rel=1e-6)


@pytest.mark.parametrize("measure, promised", [("RenyiDivergence", 1.0), ("", 1.0), ("os.system", 1.0)])
def test_a_measure_that_is_not_known_is_refused(measure: str, promised: Any) -> None:
    with pytest.raises(dpc.InvalidParameter, match="output_measure"):
        ours.from_map(measure, promised)


def test_an_infinite_promise_is_none() -> None:
    assert dpc.epsilon(ours.from_map("MaxDivergence", math.inf), delta=0.5).lower == math.inf


def test_what_is_no_measurement_is_refused() -> None:
    with pytest.raises(dpc.InvalidParameter, match="a measurement of OpenDP"):
        ours.from_measurement(3)
