"""Samples of fixed size against mechanisms written out: one run exactly, several whichever way each part faces."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.inversion import Direction
from dpcompose.mechanisms.randomized_response import ResponseLaw
from dpcompose.notions import Linear
from dpcompose.numerics.enclosure import enclose
from dpcompose.theorems.sampling.fixed_size_curve import FixedSizeCurve
from dpcompose.theorems.sampling.mirrored import MirroredFiniteCurve, MirroredLaplaceCurve, MirroredNormalCurve
from oracles.definitions import divergence, hockey_stick

ONE = dpc.REPLACE_ONE
ORACLE = mpf(10) ** -20
SIZES = [(1, 2), (3, 10), (10, 1000), (999, 1000)]


def response(categories: int) -> tuple[list[mpf], list[mpf]]:
    """Both laws of randomized response with ε = 1."""
    e = mp.e
    total = e + categories - 1
    one = [e / total] + [1 / total] * (categories - 1)
    return one, [one[1], one[0], *one[2:]]


def sampled(size: int, of: int, categories: int = 3) -> tuple[list[mpf], list[mpf]]:
    """The data with the record, where all other records say the second, and without."""
    p, q = response(categories)
    eta = mpf(size) / of
    return [(1 - eta) * b + eta * a for a, b in zip(p, q, strict=True)], q


def plan(size: int, of: int, categories: int = 3) -> dpc.Mechanism:
    return dpc.SampledWithoutReplacement(dpc.RandomizedResponse(epsilon=1, categories=categories), size=size, of=of)


@pytest.mark.parametrize("size, of", SIZES)
@pytest.mark.parametrize("epsilon", [0, 0.001, 0.3, 0.9])
def test_one_run_is_exact(size: int, of: int, epsilon: float) -> None:
    with mp.workdps(40):
        with_record, without = sampled(size, of)
        truth = max(hockey_stick(with_record, without, epsilon), hockey_stick(without, with_record, epsilon))
        found = dpc.delta(plan(size, of), epsilon=epsilon)
        assert found.lower - ORACLE <= truth <= found.upper + ORACLE
        assert found.enclosure.gap < 1e-9 or found.upper < 1e-12


@pytest.mark.parametrize("size, of", [(1, 2), (3, 10), (10, 1000)])
def test_several_runs_whichever_way_each_faces(size: int, of: int) -> None:
    with mp.workdps(40):
        there = sampled(size, of)
        worst = {epsilon: mpf(0) for epsilon in (0, 0.05, 0.4)}
        for facing in product([there, there[::-1]], repeat=3):
            first, second = ([math.prod(x) for x in product(*(pair[side] for pair in facing))] for side in (0, 1))
            for epsilon, known in worst.items():
                worst[epsilon] = max(known, hockey_stick(first, second, epsilon))
        for epsilon, truth in worst.items():
            found = dpc.delta(3 * plan(size, of), epsilon=epsilon)
            assert found.lower - ORACLE <= truth <= found.upper + ORACLE


@pytest.mark.parametrize("size, of", SIZES)
@pytest.mark.parametrize("order", [1.5, 2, 8, 30])
def test_divergences_lie_between_a_member_and_the_dominating_pair(size: int, of: int, order: float) -> None:
    with mp.workdps(40):
        with_record, without = sampled(size, of)
        found = dpc.renyi(plan(size, of), order=order)
        removed, added = divergence(with_record, without, order), divergence(without, with_record, order)
        assert found.upper >= max(removed, added) - ORACLE
        assert found.lower <= max(removed, added) + ORACLE


def mirrored(size: int, of: int) -> tuple[list[mpf], list[mpf]]:
    """The pair whose negative losses mirror its positive ones."""
    both = [(a, b) for a, b in zip(*sampled(size, of), strict=True) if a > b]
    first = [x for a, b in both for x in (a, b)]
    second = [x for a, b in both for x in (b, a)]
    return [*first, 1 - mp.fsum(first)], [*second, 1 - mp.fsum(second)]


@pytest.mark.parametrize("size, of", SIZES)
@pytest.mark.parametrize("order", [1, 1.5, 2, 8, 30])
def test_the_mirrored_finite_curve(size: int, of: int, order: float) -> None:
    with mp.workdps(40):
        first, second = mirrored(size, of)
        assert min(first) >= 0
        truth = divergence(first, second, order)
        found = enclose(lambda: MirroredFiniteCurve(ResponseLaw(1, 3), Fraction(size, of)).at(order))
        assert found.lower - ORACLE <= truth <= found.upper + ORACLE
        assert found.gap < 1e-12


def excess(x: mpf, order: mpf) -> mpf:
    if order == 1:
        return (x - 1) * mp.log(x)
    return x**order + x ** (1 - order) - 1 - x


@pytest.mark.parametrize("order", [1, 1.5, 4, 9.5])
@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(1, 2)])
def test_mirrored_noise(rate: Fraction, order: Any) -> None:
    with mp.workdps(40):
        q, a = mpf(rate.numerator) / rate.denominator, mpf(order)

        def closed(total: mpf) -> mpf:
            return total if order == 1 else mp.log1p(total) / (a - 1)

        normal = mpmath.quad(
            lambda z: mp.npdf(z) * excess(1 + q * mp.expm1(z - mpf(1) / 2), a), [mpf(1) / 2, 2, 5, 9, 15, 26]
        )
        laplace = mp.exp(-1) / 2 * excess(1 + q * mp.expm1(1), a) + mpmath.quad(
            lambda loss: mp.exp(-(loss + 1) / 2) / 4 * excess(1 + q * mp.expm1(loss), a), [0, 0.5, 1]
        )
        for curve, truth in (
            (MirroredNormalCurve(rate, Direction.REMOVE, 1), closed(normal)),
            (MirroredLaplaceCurve(rate, Direction.REMOVE, 1), closed(laplace)),
        ):
            found = enclose(lambda curve=curve: curve.at(order))  # type: ignore[misc]
            assert found.lower * (1 - 1e-15) <= truth <= found.upper * (1 + 1e-15)
            assert found.gap < 1e-12
            assert math.isclose(curve.guess(float(order)), truth, rel_tol=5e-2)


@pytest.mark.parametrize("order", [2, 3, 7, 40])
def test_the_general_bound_in_its_own_words(order: int) -> None:
    """Wang, Balle and Kasiviswanathan's sum, for a curve ρα, and above what is known of a Gaussian."""
    rho, eta = mpf(1) / 8, mpf(1) / 100
    with mp.workdps(40):
        total = eta**2 * mp.binomial(order, 2) * min(4 * mp.expm1(2 * rho), 2 * mp.exp(2 * rho)) + 2 * mp.fsum(
            eta**j * mp.binomial(order, j) * mp.exp((j - 1) * j * rho) for j in range(3, order + 1)
        )
        truth = mp.log1p(total) / (order - 1)
    found = enclose(lambda: FixedSizeCurve(Linear(Fraction(1, 8)), Fraction(1, 100)).at(order))
    assert found.lower * (1 - 1e-14) <= truth <= found.upper * (1 + 1e-14)
    sharper = enclose(lambda: MirroredNormalCurve(Fraction(1, 100), Direction.REMOVE, Fraction(1, 4)).at(order))
    assert sharper.upper <= found.lower * (1 + 1e-12)


def test_what_is_asked_of_it() -> None:
    gaussian = dpc.Gaussian(noise_std=2, adjacency=ONE)
    m = dpc.SampledWithoutReplacement(gaussian, size=10, of=1000)
    assert m.adjacency is ONE
    assert dpc.epsilon(m, delta=1e-5).enclosure.gap < 1e-9
    assert dpc.epsilon(1000 * m, delta=1e-5).upper < dpc.epsilon(1000 * gaussian, delta=1e-5).lower
    whole, none = (dpc.SampledWithoutReplacement(gaussian, size=size, of=1000) for size in (1000, 0))
    assert dpc.epsilon(3 * whole, delta=1e-5).enclosure == dpc.epsilon(3 * gaussian, delta=1e-5).enclosure
    assert dpc.epsilon(none, delta=0).upper == 0
    with pytest.raises(dpc.InvalidParameter, match=r"size.*1001.*at most the 1000 records"):
        dpc.SampledWithoutReplacement(gaussian, size=1001, of=1000)
    with pytest.raises(dpc.AdjacencyMismatch, match="replace_one"):
        dpc.SampledWithoutReplacement(dpc.Gaussian(noise_std=2), size=1, of=10)
