"""Correlated noise, selections and mixtures against their definitions."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import dp_accounting
import pytest
from dp_accounting import dp_event as ev
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.interop.dp_accounting import Accountant
from dpcompose.kernel import STANDARD
from oracles.definitions import divergence, real

ADD, REPLACE, SPECIAL = dp_accounting.NeighboringRelation


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8, 9, 16, 17, 100])
def test_a_tree_moves_every_complete_node_above_a_step(steps: int) -> None:
    leaves = 1
    while leaves < steps:
        leaves *= 2
    every = [range(start, start + size) for size in widths(leaves) for start in range(0, leaves, size)]
    nodes = [node for node in every if node.stop <= steps]
    moved = max(sum(leaf in node for node in nodes) for leaf in range(steps))
    tree = dpc.TreeAggregation(noise_std=5, steps=steps)
    plain = dpc.epsilon(moved * dpc.Gaussian(noise_std=5), delta=1e-6)
    assert dpc.epsilon(tree, delta=1e-6).enclosure == plain.enclosure
    theirs = dp_accounting.rdp.RdpAccountant(neighboring_relation=SPECIAL)
    event = ev.SingleEpochTreeAggregationDpEvent(5.0, steps)
    said = Accountant(SPECIAL).compose(event).get_epsilon(1e-6)
    assert said == plain.upper <= theirs.compose(event).get_epsilon(1e-6)


def widths(leaves: int) -> list[int]:
    return [2**level for level in range(leaves.bit_length())]


@pytest.mark.parametrize("bands", [(1,), (1, Fraction(1, 2)), (1, -2, Fraction(1, 3)), (0, 1)])
@pytest.mark.parametrize("steps, gap, most", [(7, 3, 3), (8, 4, 2), (5, 3, 1), (6, 3, 9), (3, 5, 2)])
def test_a_banded_matrix_moves_as_far_as_the_worst_participation(bands: Any, steps: int, gap: int, most: int) -> None:
    """Every set of steps that keeps its distance, and every choice of signs, written out."""
    matrix = [[bands[i - j] if 0 <= i - j < len(bands) else Fraction(0) for j in range(steps)] for i in range(steps)]
    worst = Fraction(0)
    for size in range(1, min(most, steps) + 1):
        for taken in combinations(range(steps), size):
            if all(b - a >= gap for a, b in pairwise(taken)):
                for signs in product([-1, 1], repeat=size):
                    moved = [sum(s * row[j] for s, j in zip(signs, taken, strict=True)) for row in matrix]
                    worst = max(worst, sum(x * x for x in moved))
    found = dpc.BandedMatrix(noise_std=3, coefficients=bands, steps=steps, separation=gap, participations=most)
    assert found.squared_sensitivity() == worst


@pytest.mark.parametrize("bad", [[], [1] * 9, ["x"], [math.nan], "abc"])
def test_bands_that_are_none_are_refused(bad: Any) -> None:
    with pytest.raises(dpc.InvalidParameter, match="coefficients"):
        dpc.BandedMatrix(noise_std=1, coefficients=bad, steps=8, separation=9)
    with pytest.raises(dpc.InvalidParameter, match="separation"):
        dpc.BandedMatrix(noise_std=1, coefficients=[1, 1], steps=8, separation=1)


def flipped(scores: tuple[int, ...], epsilon: mpf) -> list[mpf]:
    """Permute-and-flip over every order of the candidates, Δ = 1."""
    best, chances = max(scores), [mpf(0)] * len(scores)
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = mpf(1)
        for candidate in order:
            heads = mp.exp(-epsilon * (best - scores[candidate]) / 2)
            chances[candidate] += left * heads / len(orders)
            left *= 1 - heads
    return chances


def test_permute_and_flip_is_pure_and_reaches_its_member() -> None:
    e = mpf(3) / 2
    for before in product(range(3), repeat=3):
        for moves in product((-1, 0, 1), repeat=3):
            after = tuple(a + b for a, b in zip(before, moves, strict=True))
            worst = max(mp.log(p / q) for p, q in zip(flipped(before, e), flipped(after, e), strict=True))
            assert worst <= e * (1 + mpf(10) ** -30)
    x, y = flipped((0, -1), e)
    found = dpc.epsilon(dpc.PermuteAndFlip(epsilon=Fraction(3, 2)), delta=0)
    assert found.upper == 1.5
    assert 0 <= mp.log(x / y) - found.lower <= 1e-12


def test_noisy_selections_reach_their_members() -> None:
    e = mpf(3) / 2

    def laplace(scale: mpf) -> Any:
        return lambda z: mp.exp(-abs(z) / scale) / (2 * scale)

    def beyond(scale: mpf, t: mpf) -> mpf:
        return mp.exp(-t / scale) / 2 if t > 0 else 1 - mp.exp(t / scale) / 2

    with mp.workdps(20):
        b = 2 / e
        lost = mp.quad(lambda z: laplace(b)(z) * beyond(b, z + 1), [-60, -10, -1, 0, 10, 60])
        found = dpc.epsilon(dpc.ReportNoisyMax(epsilon=Fraction(3, 2)), delta=0)
        assert found.lower == pytest.approx(float(mp.log((1 - lost) / lost)), rel=1e-9)
        a, half = 2 / e, mpf(1) / 2
        wrong = mp.quad(lambda z: laplace(a)(z) * beyond(2 * a, z + half), [-90, -10, -half, 0, 10, 90])
        found = dpc.epsilon(dpc.AboveThreshold(epsilon=Fraction(3, 2)), delta=0)
        assert found.lower == pytest.approx(float(mp.log((1 - wrong) / wrong)), rel=1e-9)


def thresholds(values: tuple[int, ...], epsilon: mpf) -> list[mpf]:
    """The chance that each query is the first above 0, and that none is; Δ = 1."""
    a, b = 2 / epsilon, 4 / epsilon

    def below(t: mpf) -> mpf:
        return mp.exp(t / b) / 2 if t < 0 else 1 - mp.exp(-t / b) / 2

    def chance(above: int, z: mpf) -> mpf:
        first = mp.fprod(below(z - value) for value in values[:above])
        last = 1 - below(z - values[above]) if above < len(values) else 1
        return mp.exp(-abs(z) / a) / (2 * a) * first * last

    cuts = [-80, -20, *sorted({0, *values}), 20, 80]
    return [mp.quad(lambda z, above=above: chance(above, z), cuts) for above in range(len(values) + 1)]


@pytest.mark.parametrize(
    "values, moved", [((0,), (1,)), ((0, 0), (1, -1)), ((1, 0, 0), (0, 1, 1)), ((3, -2), (2, -1)), ((-4,), (-5,))]
)
def test_a_threshold_costs_its_own_noise_and_half(values: tuple[int, ...], moved: tuple[int, ...]) -> None:
    mechanism = dpc.AboveThreshold(epsilon=Fraction(3, 2))
    with mp.workdps(20):
        p, q = thresholds(values, mpf(3) / 2), thresholds(moved, mpf(3) / 2)
        assert abs(mp.fsum(p) - 1) < mpf(10) ** -12
        for order in (Fraction(3, 2), Fraction(2), Fraction(8), Fraction(60)):
            assert divergence(p, q, order) <= dpc.renyi(mechanism, order).upper * (1 + 1e-9)
    curve = STANDARD.theorems["above_threshold_curve"](mechanism).guarantee.curve
    x = 0.75  # Laplace noise whose ε is half of it
    law = math.log(8 / 15 * math.exp(7 * x) + 7 / 15 * math.exp(-8 * x)) / 7
    assert float(curve.at(8)) == pytest.approx(law + x)
    assert law + x < 1.5


MIXTURES = [((0, 1, 2), (0.5, 0.25, 0.25), 1), ((Fraction(1, 2), 3), (0.75, 0.25), 2)]


def mixture_delta(shifts: Any, chances: Any, sigma: Any, epsilon: float) -> mpf:
    """Both orders, each at the threshold where the likelihood ratio is e^±ε."""
    s, kinds = mpf(sigma), [(real(c), mpf(p)) for c, p in zip(shifts, chances, strict=True)]

    def ratio(x: mpf) -> mpf:
        return mp.fsum(p * mp.exp((c * x - c * c / 2) / s**2) for c, p in kinds)

    def crossing(level: mpf) -> mpf:
        low, high = mpf(-200), mpf(200)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if ratio(middle) < level else (low, middle)
        return low

    e, up, down = mp.exp(mpf(epsilon)), crossing(mp.exp(mpf(epsilon))), crossing(mp.exp(-mpf(epsilon)))
    one = mp.fsum(p * mp.ncdf((c - up) / s) for c, p in kinds) - e * mp.ncdf(-up / s)
    other = mp.ncdf(down / s) - e * mp.fsum(p * mp.ncdf((down - c) / s) for c, p in kinds)
    return max(one, other, mpf(0))


@pytest.mark.parametrize("shifts, chances, sigma", MIXTURES)
def test_a_mixture_of_gaussians_by_its_definition(shifts: Any, chances: Any, sigma: Any) -> None:
    mixture = dpc.MixtureOfGaussians(noise_std=sigma, sensitivities=shifts, probabilities=chances)
    for epsilon in (0.0, 0.5, 2.0):
        found, truth = dpc.delta(mixture, epsilon=epsilon), mixture_delta(shifts, chances, sigma, epsilon)
        assert found.lower <= truth <= found.upper
        assert found.upper <= truth * (1 + 1e-3) + 1e-12


@pytest.mark.slow
def test_a_mixture_beside_the_best_peer() -> None:
    event = ev.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25])
    coarse = dp_accounting.pld.PLDAccountant(value_discretization_interval=1e-2)  # on its usual grid it takes minutes
    theirs = coarse.compose(event, 10).get_epsilon(1e-6)
    ours = Accountant().compose(event, 10).epsilon(1e-6)
    assert ours.lower <= theirs <= ours.upper * 1.01
    assert ours.enclosure.gap <= 2e-4


def test_a_mixture_of_one_shift_is_a_sample() -> None:
    one = dpc.MixtureOfGaussians(noise_std=2, sensitivities=[0, 3, 3], probabilities=[0.5, 0.25, 0.25])
    sample = dpc.Sampled(dpc.Gaussian(noise_std=2, sensitivity=3), rate=Fraction(1, 2))
    assert dpc.epsilon(7 * one, delta=1e-6).enclosure == dpc.epsilon(7 * sample, delta=1e-6).enclosure


@pytest.mark.parametrize("given", [([], []), ([1], [1, 0]), ([-1], [1]), ([1], [0.5]), ("1", [1]), ([math.inf], [1])])
def test_what_is_no_mixture_is_refused(given: Any) -> None:
    with pytest.raises(dpc.InvalidParameter):
        dpc.MixtureOfGaussians(noise_std=1, sensitivities=given[0], probabilities=given[1])
