"""Sums too large for tables: closed bounds and coarse lattices against exact sums."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from dpcompose.exact.atoms import scaled
from dpcompose.exact.berry_esseen import NormalApproximation
from dpcompose.exact.chernoff import inverse_bounds, profile_bounds
from dpcompose.exact.coarse import LoweredLaw, SpreadLaw
from dpcompose.exact.finite import sum_delta, sum_epsilon
from dpcompose.exact.tilted import Tilted
from dpcompose.numerics.enclosure import Ball, Enclosure
from oracles.finite_laws import Pair, Response, Staircase

LARGE = [
    ([(Response(Fraction(1, 100)), 3000)], 1),
    ([(Response(Fraction(1, 10)), 200), (Response(Fraction(1, 7)), 150)], 6),
    ([(Staircase(Fraction(1, 20), Fraction(1, 4)), 2000)], 3),
    ([(Pair((Fraction(3, 10), Fraction(7, 10)), (Fraction(31, 100), Fraction(69, 100))), 900)], 1),
]


@pytest.mark.parametrize("parts, level", LARGE)
def test_closed_bounds_hold_the_exact_value(parts: list[tuple[Response, int]], level: int) -> None:
    tilted, exact = Tilted(scaled(parts)), sum_delta(parts, level)
    assert exact.gap <= 1e-12
    wide = profile_bounds(tilted, Fraction(level))
    normal = NormalApproximation.near_level(tilted, float(level)).profile(Fraction(level))
    for bound in (wide, normal):
        assert 0.0 < bound.lower <= exact.lower <= exact.upper <= bound.upper < 1.0
    assert normal.gap < 0.8
    epsilon = sum_epsilon(parts, Enclosure(1e-6, 1e-6))
    closed = inverse_bounds(tilted, arb(1e-6), arb(1e-6))
    assert 0.0 < closed.lower <= epsilon.lower <= epsilon.upper <= closed.upper


@given(st.floats(0.001, 30.0), st.floats(0.0, 8.0))
@cases(60)
def test_every_tilt_is_valid(tilt: float, level: float) -> None:
    parts = [(Response(Fraction(1, 10)), 100), (Response(Fraction(1, 4)), 20)]
    bound = NormalApproximation.at(Tilted(scaled(parts)), tilt).profile(Fraction(level))
    assert bound & sum_delta(parts, level)


@pytest.mark.parametrize("step", [Fraction(1, 7), Fraction(1, 30), Fraction(1, 200)])
@pytest.mark.parametrize("level", [0, 1, 2])
def test_lattice_laws_lie_below_and_above(step: Fraction, level: int) -> None:
    parts = [(Response(Fraction(3, 17)), 9), (Staircase(Fraction(5, 13), Fraction(1, 5)), 6)]
    sums, exact = scaled(parts), sum_delta(parts, level)
    units = int(step * sums.denominator)
    unit = Fraction(1, sums.denominator)

    @dataclass(frozen=True)
    class InUnits:
        moved: LoweredLaw | SpreadLaw

        def atoms(self) -> list[tuple[Fraction, Ball]]:
            return [(loss * unit, mass) for loss, mass in self.moved.atoms()]

        def leak(self) -> Ball:
            return self.moved.leak()

    below = sum_delta([(InUnits(LoweredLaw(p, units)), p.count) for p in sums.parts], level)
    above = sum_delta([(InUnits(SpreadLaw(p, units, sums.denominator)), p.count) for p in sums.parts], level)
    assert below.lower <= exact.upper
    assert exact.lower <= above.upper
    assert above.upper - below.lower < 8 * step
    assert above.upper - exact.lower < 15 * step**2  # second order


def test_forty_different_responses_lie_between_lattices() -> None:
    parts = [(Response(Fraction(k, 97)), 1) for k in range(1, 41)]  # on a lattice: exact
    other = [(Response(Fraction(k, 97) + Fraction(1, 10**6 + k * k)), 1) for k in range(1, 41)]  # on none
    found, near = sum_epsilon(other, Enclosure(1e-6, 1e-6)), sum_epsilon(parts, Enclosure(1e-6, 1e-6))
    assert near.gap <= 2e-12
    assert found.lower - 1e-3 <= near.upper
    assert near.lower <= found.upper
    assert found.gap < 5e-3


@pytest.mark.slow
def test_more_than_any_table_is_answered() -> None:
    huge = [(Staircase(Fraction(1, 10**5), Fraction(1, 4)), 10**9)]
    found = sum_epsilon(huge, Enclosure(1e-6, 1e-6))
    assert found.gap < 1e-3
    delta = sum_delta(huge, found.upper)
    assert delta.lower <= 1e-6
    assert delta.gap < 1e-2
    many = [(Response(Fraction(100 + k, 10**5 + k)), 1) for k in range(3000)]
    assert sum_epsilon(many, Enclosure(1e-6, 1e-6)).gap < 0.1
