"""Regions against brute force, the source's own figures, and the laws of data processing."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose.regions import Order, is_private, region, single_region, within
from regions.exact_pairs import Pair, errors, hockey_stick, image, least_fnr, maps, pairs

RATES = st.fractions(0, 1, max_denominator=40)


def pair_of(pair: Pair) -> dpc.DiscretePair:
    return dpc.DiscretePair(p=pair[0], q=pair[1])


@pytest.mark.parametrize("k, epsilon, delta", [(1, "0.5", "0"), (2, "0.5", "0"), (5, "0.5", "0.05"), (4, "2", "1e-6")])
def test_the_vertices_are_those_of_the_figure(k: int, epsilon: str, delta: str) -> None:
    """KOV-FIG2: (1−δ)^k (P[Bin(k,p) < j], P[Bin(k,q) ≥ j])."""
    found = region(k * dpc.BlackBox(epsilon=Fraction(epsilon), delta=Fraction(delta)))
    assert len(found.vertices) == k + 2
    with mp.workdps(40):
        q = 1 / (1 + mp.exp(mp.mpf(epsilon)))
        kept = (1 - mp.mpf(delta)) ** k
        mass = [mp.binomial(k, i) * q**i * (1 - q) ** (k - i) for i in range(k + 1)]
        for j, (fnr, fpr) in enumerate(found.vertices):
            missed = kept * mp.fsum(mass[k - i] for i in range(j))
            alarmed = kept * mp.fsum(mass[j:])
            assert mp.mpf(fnr.lower) - 1e-30 <= missed <= mp.mpf(fnr.upper) + 1e-30
            assert mp.mpf(fpr.lower) - 1e-30 <= alarmed <= mp.mpf(fpr.upper) + 1e-30
            assert fnr.upper - fnr.lower < 1e-15


@given(pairs(4), RATES, RATES)
@cases(80)
def test_what_a_pair_reaches_is_decided_exactly(pair: Pair, fnr: Fraction, fpr: Fraction) -> None:
    found = region(pair_of(pair), Order.FORWARD)
    x, y = (fnr, fpr) if fnr + fpr <= 1 else (1 - fnr, 1 - fpr)
    reached = least_fnr(pair, y) <= x
    assert found.contains(fnr, fpr) is reached
    assert found.contains(1 - fnr, 1 - fpr) is reached


@given(pairs(4))
@cases(40)
def test_every_test_lies_in_the_region_of_either_order(pair: Pair) -> None:
    either, back = region(pair_of(pair)), region(pair_of(pair), Order.BACKWARD)
    for fnr, fpr in errors(pair):
        assert either.contains(fnr, fpr) is True
        assert either.contains(fpr, fnr) is True
        assert back.contains(fpr, fnr) is True


@given(st.data())
@cases(60)
def test_processing_shrinks_the_region(data: st.DataObject) -> None:
    pair = data.draw(pairs(5))
    rows = data.draw(maps(len(pair[0])))
    processed = (image(pair[0], rows), image(pair[1], rows))
    for order in Order:
        small, large = region(pair_of(processed), order), region(pair_of(pair), order)
        assert (small <= large) is True
        assert (large >= small) is True
        assert small.area.lower <= large.area.upper


@given(pairs(4), pairs(4))
@cases(60)
def test_inclusion_is_what_the_hockey_sticks_say(first: Pair, second: Pair) -> None:
    bends = {Fraction(1, 1000), Fraction(1000)}
    for pair in (first, second):
        bends |= {x / y for x, y in zip(*pair, strict=True) if y}
    smaller = all(hockey_stick(first, s) <= hockey_stick(second, s) for s in bends)
    found = region(pair_of(first), Order.FORWARD) <= region(pair_of(second), Order.FORWARD)
    assert found is smaller


@given(pairs(4), pairs(4), RATES, RATES)
@cases(40)
def test_an_intersection_holds_what_both_hold(first: Pair, second: Pair, fnr: Fraction, fpr: Fraction) -> None:
    one, two = region(pair_of(first)), region(pair_of(second))
    both = one.intersect(two)
    assert both.contains(fnr, fpr) is (one.contains(fnr, fpr) and two.contains(fnr, fpr))
    assert (both <= one) is True
    assert (both <= two) is True
    assert both.area.lower <= min(one.area.upper, two.area.upper)


@given(pairs(4), st.floats(-3, 3))
@cases(60)
def test_a_tangent_touches(pair: Pair, level: float) -> None:
    """KOV-FIG3: P_FA = −e^t P_MD + 1 − d_t."""
    line = region(pair_of(pair), Order.FORWARD).tangent(level)
    with mp.workdps(40):
        slope = mp.exp(mp.mpf(level))
        least = min(mp.mpf(y.numerator) / y.denominator + slope * x.numerator / x.denominator for x, y in errors(pair))
        assert line.intercept.lower <= least <= line.intercept.upper
    assert line.intercept.upper - line.intercept.lower < 1e-12
    assert line.fpr(0).lower <= line.intercept.upper


def test_the_tangents_of_the_figure() -> None:
    """HOCKEY-01: P = (.6, .3, .1), Q = (.2, .3, .5), t = ½."""
    p, q = ([Fraction(x, 10) for x in law] for law in ((6, 3, 1), (2, 3, 5)))
    m = dpc.DiscretePair(p=p, q=q)
    for order, known in (
        (Order.FORWARD, 0.27025574585997437),
        (Order.BACKWARD, 0.33512787292998718),
        (Order.EITHER, 0.33512787292998718),
    ):
        intercept = region(m, order).tangent(Fraction(1, 2)).intercept
        assert intercept.lower - 1e-15 <= 1 - known <= intercept.upper + 1e-15
        assert intercept.upper - intercept.lower < 1e-14


CURVED = [
    dpc.Gaussian(noise_std=1.0),
    dpc.Laplace(scale=1.0),
    2 * dpc.Laplace(scale=1.0) + 3 * dpc.Laplace(scale=1.0),
    30_000 * dpc.BlackBox(epsilon=0.005, delta=1e-7),
]


@pytest.mark.parametrize("mechanism", CURVED, ids=str)
def test_a_curved_region_lies_between_its_polygons(mechanism: dpc.Mechanism) -> None:
    found = region(mechanism, tolerance=1e-3)
    assert found.vertices == ()
    assert 0 < found.area.upper - found.area.lower < 5e-3
    assert len(found.inner) > 10
    for fnr, fpr in (*found.inner[::7], (0.0, 1.0), (1.0, 0.0), (0.5, 0.5)):
        assert found.contains(fnr, fpr) is True
    corners = [(Fraction(x), Fraction(y)) for x, y in found.below.corners if x > 0 and y > 0]
    for fnr, fpr in corners[::7]:
        assert found.contains(fnr * Fraction(99, 100), fpr * Fraction(99, 100)) is False
        assert found.contains(1 - fnr * Fraction(99, 100), 1 - fpr * Fraction(99, 100)) is False
    assert (region(mechanism, tolerance=1e-2) <= found) is True
    wider = region(mechanism + dpc.Gaussian(noise_std=0.5)) if "Gaussian" in str(mechanism) else None
    assert wider is None or (found <= wider) is True


def test_the_area_of_a_gaussian_region() -> None:
    """1 − 2∫Φ(Φ⁻¹(1−α)−μ)dα = 2Φ(μ/√2) − 1."""
    found = region(dpc.Gaussian(noise_std=1.0))
    assert found.area.lower <= 2 * mp.ncdf(1 / mp.sqrt(2)) - 1 <= found.area.upper
    assert found.area.upper - found.area.lower < 2e-4


def test_single_facts() -> None:
    """KOV-FIG1."""
    found, facts = region(dpc.BlackBox(epsilon=1)), single_region(1)
    corner = found.vertices[1]
    assert abs(corner.fnr.lower - 0.26894142136999512) < 1e-15
    assert abs(facts.corner().lower - 0.26894142136999512) < 1e-15
    assert abs(facts.total_variation().lower - 0.46211715726000975) < 1e-15
    assert facts.axis_intercept() == 1


def test_the_two_inequalities() -> None:
    """KOV-T2.1 and KOV-C2.3."""
    assert within(0.3, 0.3, epsilon=1, delta=0) is True
    assert within(0.26, 0.26, epsilon=1, delta=0) is False
    assert within(0, Fraction(9, 10), epsilon=1, delta=Fraction(1, 10)) is True
    assert within(0, Fraction(89, 100), epsilon=10**300, delta=Fraction(1, 10)) is False
    assert within(0.5, 0, epsilon=0, delta=0.5) is True
    assert is_private(dpc.Laplace(scale=1.0), 1) is True
    assert is_private(dpc.Laplace(scale=1.0), 0.999) is False
    assert is_private(dpc.Gaussian(noise_std=1.0), 5) is False
    assert is_private(dpc.Gaussian(noise_std=1.0), 5, 1e-5) is True


@given(pairs(4), st.fractions(1, 4, max_denominator=6))
@cases(40)
def test_closeness_is_that_every_test_satisfies_both_inequalities(pair: Pair, factor: Fraction) -> None:
    distance = max(hockey_stick(pair, factor), hockey_stick((pair[1], pair[0]), factor))
    sides = [(y + factor * x, x + factor * y) for x, y in errors(pair)]
    assert 1 - distance == min(min(side) for side in sides)


def test_nearly_private_regions_are_told_apart() -> None:
    nothing, little = region(dpc.Composition()), region(dpc.Gaussian(noise_std=1000.0))
    assert (nothing <= little) is True
    assert (little <= nothing) is False
    assert (region(dpc.NameAndShame(delta=0.2)) <= region(dpc.NameAndShame(delta=1))) is True
    same = region(dpc.Gaussian(noise_std=3.0)) <= region(dpc.Gaussian(noise_std=3.0))
    assert same is True
    assert (region(dpc.Gaussian(noise_std=2.0)) <= region(dpc.BlackBox(epsilon=0.1))) is False
