"""Few steps on two lattices: against closed forms, integrals, lists, lines, and with every error term left out."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.exact.laplace import laplace_delta
from dpcompose.inversion import (
    Direction,
    GaussianLoss,
    LaplaceLoss,
    ListedLoss,
    Loss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    TwoPointLoss,
    profile,
)
from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.cells import Divisible
from dpcompose.inversion.few_steps.enumerated import Enumerated, enumerated
from dpcompose.inversion.few_steps.laplace_by_count import LaplaceInside
from dpcompose.inversion.few_steps.lattice_answer import FewSteps
from dpcompose.inversion.few_steps.normal_cells import NormalStep
from dpcompose.inversion.methods import divided
from dpcompose.numerics.enclosure import Enclosure
from references import (
    atoms,
    laplace_twice,
    sampled_gaussian_at,
    sampled_gaussian_once,
    sampled_gaussian_twice,
    sums,
    two_point,
)

REMOVE, ADD = Direction.REMOVE, Direction.ADD


def few(*parts: tuple[Loss, int]) -> FewSteps:
    return FewSteps(divided(profile(parts).summands))


def holds(found: Enclosure, truth: mpf, gap: float) -> None:
    assert found.lower <= truth <= found.upper
    assert found.gap <= gap


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize(
    "rate, noise", [(0.5, 2.0), (0.01, 1.0), (1e-6, 0.5), (0.9, 0.3), (0.2, 50.0), (1e-4, 0.2), (0.999, 5.0)]
)
def test_one_sampled_gaussian(rate: float, noise: float, direction: Direction) -> None:
    loss = SampledGaussianLoss(rate, noise, direction)
    top = min(profile([(loss, 1)]).supremum, 6.0 * rate / noise + (3.0 * rate if noise < 2.0 else 0.0))
    for part in (1e-3, 0.1, 0.5, 0.9):
        truth = sampled_gaussian_once(rate, noise, remove=direction is REMOVE, epsilon=part * top)
        holds(few((loss, 1)).delta(part * top, 1e-6), truth, 2e-6)


@pytest.mark.parametrize("delta", [0.1, 1e-3, 1e-6, 1e-20, 1e-100])
@pytest.mark.parametrize("rate, noise", [(0.5, 2.0), (0.01, 1.0), (1e-4, 0.5)])
def test_one_sampled_gaussian_solved(rate: float, noise: float, delta: float) -> None:
    found = few((SampledGaussianLoss(rate, noise, REMOVE), 1)).epsilon(delta, delta, 1e-6)
    if found.upper > 0.0:
        assert sampled_gaussian_once(rate, noise, remove=True, epsilon=found.lower) >= delta
    assert sampled_gaussian_at(rate, noise, mpf(found.upper), remove=True) <= delta
    assert found.gap <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("rate, noise, part", [(0.01, 1.0, 0.3), (0.3, 0.7, 0.6), (0.2, 3.0, 0.4), (1e-3, 0.4, 0.5)])
def test_two_sampled_gaussians(rate: float, noise: float, part: float, direction: Direction) -> None:
    loss = SampledGaussianLoss(rate, noise, direction)
    epsilon = part * min(2.0 * profile([(loss, 1)]).supremum, 2.0)
    truth = sampled_gaussian_twice(rate, noise, epsilon, remove=direction is REMOVE)
    holds(few((loss, 2)).delta(epsilon, 1e-6), truth, 1e-6)


def test_two_laplace_mechanisms() -> None:
    for size, epsilon in ((1.0, 0.3), (1.0, 1.9), (0.01, 0.012), (5.0, 7.0), (5.0, 0.0)):
        holds(few((LaplaceLoss(size), 2)).delta(epsilon, 1e-6), laplace_twice(size, epsilon), 1e-6)


@pytest.mark.parametrize("count", [1, 3, 8, 20])
@pytest.mark.parametrize("delta", [1e-3, 1e-9])
def test_laplace_mechanisms_against_their_closed_form(count: int, delta: float) -> None:
    """Another theorem answers many equal Laplace mechanisms exactly."""
    found = few((LaplaceLoss(Fraction(1, 2)), count)).epsilon(delta, delta, 1e-6, count * 0.5 * (1 + 1e-12))
    exact = dpc.epsilon(count * dpc.Laplace(scale=2), delta=delta, tolerance=1e-12)
    assert max(found.lower, exact.lower) <= min(found.upper, exact.upper)
    assert found.gap <= 1e-6


@pytest.mark.parametrize("direction", list(Direction))
def test_two_sampled_laplace_mechanisms(direction: Direction) -> None:
    """By listing: the density in many cells, each between its ends, both ways."""
    size, rate, cells = 1.0, 0.3, 400
    edges = np.linspace(-size, size, cells + 1)
    mass = 0.5 * np.exp(-0.5 * size) * -np.diff(np.exp(-0.5 * edges))
    ratio = 1 - rate + rate * np.exp(np.concatenate([edges, [size, -size]]))
    bare = np.concatenate([mass, [0.5 * math.exp(-size), 0.5]])
    low, high = np.append(ratio[:cells], ratio[-2:]), np.append(ratio[1 : cells + 1], ratio[-2:])
    sign = 1.0 if direction is REMOVE else -1.0
    weights = [bare * r if direction is REMOVE else bare for r in (low, high)]
    losses = [np.minimum(sign * np.log(low), sign * np.log(high)), np.maximum(sign * np.log(low), sign * np.log(high))]
    loss = SampledLaplaceLoss(size, rate, direction)
    epsilon = 0.4 * profile([(loss, 2)]).supremum
    bounds = [
        float((np.multiply.outer(w, w) * np.maximum(-np.expm1(epsilon - np.add.outer(l, l)), 0.0)).sum())
        for w, l in zip(weights, losses, strict=True)
    ]
    found = few((loss, 2)).delta(epsilon, 1e-6)
    assert bounds[0] < found.lower <= found.upper < bounds[1]
    assert found.gap <= 1e-6


def test_laws_of_atoms_against_lists() -> None:
    law = {mpf("0.7"): mpf("0.5"), mpf("0.1"): mpf("0.3"), mpf("-0.4"): mpf("0.1"), mpf("-0.9"): mpf("0.05")}
    losses, weights = (np.array([float(x) for x in side]) for side in (law.keys(), law.values()))
    step = AtomStep(losses, weights, 1e-16, 1e-15)
    total = sums(*[law] * 4, two_point(0.3), two_point(0.3))
    pieces: list[tuple[Divisible, int]] = [(step, 4), *divided(profile([(TwoPointLoss(0.3), 2)]).summands)]
    listed = enumerated([(piece, count) for piece, count in pieces if isinstance(piece, AtomStep)])
    for epsilon in (-1.0, 0.0, 0.5, 0.7, 1.5, 2.8, 3.0, 3.39):
        truth = atoms(total, epsilon)
        found = FewSteps(pieces).delta(epsilon, 1e-4)
        assert found.lower <= truth <= found.upper
        holds(listed.delta(epsilon, 1e-9), truth, 1e-11)
    assert FewSteps(pieces).delta(0.5, 1e-4).gap < 1e-3


def test_listed_sums_reach_their_greatest() -> None:
    """Near the greatest sum, and beyond it, where a line has nothing left."""
    loss = ListedLoss(np.array([1.0, -2.0]), np.array([0.9, 0.1]), loss_error=0.0, weight_error=1e-16)
    composed = profile([(loss, 3), (TwoPointLoss(0.25), 1)])
    assert isinstance(composed.small, Enumerated)
    top = mpf("0.9") ** 3 * mp.exp(mpf("0.25")) / (1 + mp.exp(mpf("0.25")))
    for below_top in (1e-3, 1e-9):
        epsilon = 3.25 - below_top
        holds(composed.delta(epsilon, 1e-9), top * -mp.expm1(mpf(epsilon) - mpf("3.25")), 1e-4)
    assert composed.delta(3.26, 1e-9).upper == 0.0
    found = composed.epsilon(1e-6, 1e-9)
    assert float(mpf("3.25") + mp.log1p(-mpf(1e-6) / top)) == pytest.approx(found.upper, rel=1e-9)


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("rate, noise, count", [(0.1, 1.0, 30), (0.3, 2.0, 25), (0.01, 0.8, 40)])
def test_more_steps_against_the_line(rate: float, noise: float, count: int, direction: Direction) -> None:
    loss = SampledGaussianLoss(rate, noise, direction)
    for delta in (1e-3, 1e-8):
        line = profile([(loss, count)]).epsilon(delta, 1e-9)
        found = few((loss, count)).epsilon(delta, delta, 1e-6, profile([(loss, count)]).supremum)
        assert max(found.lower, line.lower) <= min(found.upper, line.upper)
        assert found.gap <= 1e-6
        assert line.gap <= 1e-6


def test_mixtures_do_not_depend_on_how_they_are_cut() -> None:
    """A Gaussian in two parts, atoms on other lattices, more or less tolerance: all enclosures meet."""
    parts: list[tuple[Loss, int]] = [(LaplaceLoss(Fraction(1, 2)), 1), (SampledGaussianLoss(0.01, 1.0, REMOVE), 2)]
    parts += [(SampledLaplaceLoss(0.7, 0.1, REMOVE), 2), (GaussianLoss(0.25), 3)]
    whole = few(*parts).epsilon(1e-6, 1e-6, 1e-6)
    split = FewSteps([*divided(profile(parts[:3]).summands), (NormalStep(Fraction(3, 8), 1, ADD), 2)])
    for tolerance in (1e-2, 1e-4, 1e-6):
        found = split.epsilon(1e-6, 1e-6, tolerance)
        assert max(found.lower, whole.lower) <= min(found.upper, whole.upper)
        assert found.gap <= tolerance


def test_a_curve_agrees_with_single_answers() -> None:
    composed = profile([(SampledGaussianLoss(0.05, 1.0, REMOVE), 4)])
    places = [0.0, 0.01, 0.1, 0.12, 0.14, 0.5, 1.5, 3.0]
    for place, found in zip(places, composed.curve(places, 1e-6), strict=True):
        alone = composed.delta(place, 1e-6)
        assert max(found.lower, alone.lower) <= min(found.upper, alone.upper)
        assert found.gap <= 1e-6


@pytest.mark.parametrize("size, count", [("1/10", 1), ("1/10", 3), ("1/5", 70), ("1/100", 200), ("1/7", 90)])
def test_how_many_laplace_losses_fall_inside(size: str, count: int) -> None:
    """Against the sum of polynomials that another theorem takes."""
    step = Fraction(size)
    inside = LaplaceInside(step, count)
    for part in (0.0, 0.1, 0.345, 0.5):
        epsilon = part * float(count * step)
        exact = laplace_delta(count, step, Fraction(epsilon))
        found = inside.delta(epsilon, 1e-9)
        assert max(found.lower, exact.lower) <= min(found.upper, exact.upper)
        assert found.gap <= 1e-10


@pytest.mark.parametrize("size, count, delta", [("1/100", 1000, 1e-6), ("1/100", 1000, 1e-30), ("1/1000", 9000, 1e-6)])
def test_many_small_laplace_losses_against_the_line(size: str, count: int, delta: float) -> None:
    composed = profile([(LaplaceLoss(Fraction(size)), count)])
    found, line = composed.epsilon(delta, 1e-9), composed._solve(delta, delta, 1e-7)
    assert isinstance(composed.small, LaplaceInside)
    assert max(found.lower, line.lower) <= min(found.upper, line.upper)
    assert found.gap <= 1e-9


def test_those_beyond_the_most_inside_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    step, count, epsilon = Fraction(1, 5), 40, 2.0
    truth = laplace_delta(count, step, Fraction(epsilon))
    monkeypatch.setattr("dpcompose.inversion.few_steps.laplace_by_count.MOST_INSIDE", 6)
    inside = LaplaceInside(step, count)
    assert inside.lower(epsilon) <= truth.upper
    assert truth.lower <= inside.upper(epsilon)
    assert inside.upper(epsilon) - inside._enough(epsilon)[1] < truth.lower


def test_where_most_are_too_far_up_nothing_is_said() -> None:
    """At an ε far below 0 the sum is cut off before its greatest terms."""
    inside = LaplaceInside(Fraction(1, 10_000), 20_000)
    truth = -math.expm1(-0.5)  # all but certain: δ is at least 1 - e^ε
    for epsilon in (-0.5, -1.0, -1.9):
        assert inside.lower(epsilon) <= truth <= inside.upper(epsilon)


def test_those_far_up_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    step, count, epsilon = Fraction(1, 100), 200, 0.1
    truth = laplace_delta(count, step, Fraction(epsilon))
    monkeypatch.setattr("dpcompose.inversion.few_steps.laplace_by_count.DEVIATIONS", 1)
    inside = LaplaceInside(step, count)
    value, error, _ = inside._value(epsilon)
    assert value < truth.lower <= truth.upper <= value + error
    assert inside.lower(epsilon) <= truth.upper
    assert truth.lower <= inside.upper(epsilon)


# ---------------------------------------------------------------------------------------------- through the front door


@pytest.mark.parametrize("count", [1, 2, 5, 12])
@pytest.mark.parametrize(
    "mechanism",
    [
        dpc.Sampled(dpc.Gaussian(noise_std=1), rate=Fraction(1, 100)),
        dpc.Sampled(dpc.Laplace(scale=1), rate=Fraction(1, 100)),
        dpc.Sampled(dpc.Geometric(scale=1), rate=Fraction(1, 100)),
        dpc.Sampled(dpc.BlackBox(epsilon=1, delta=Fraction(1, 10**7)), rate=Fraction(1, 10)),
        dpc.Sampled(dpc.Gaussian(noise_std=30), rate=Fraction(1, 10**5)),
    ],
    ids=["gaussian", "laplace", "geometric", "black box", "rare"],
)
def test_few_sampled_steps_are_answered(mechanism: dpc.Mechanism, count: int) -> None:
    for delta in (1e-6, 1e-30):
        answer = dpc.epsilon(count * mechanism, delta=delta)
        tight = answer.enclosure.gap <= 1e-6 or answer.upper - answer.lower <= 1e-12
        assert tight or math.isinf(answer.lower)


def test_brute_force_of_sampled_responses() -> None:
    """Every outcome of four sampled randomized responses, in fractions."""
    ratio, q, count = Fraction(3), Fraction(1, 5), 4
    p = {Fraction(3): Fraction(3, 4), Fraction(1, 3): Fraction(1, 4)}  # likelihood ratio: probability with the record
    without = {r: w / r for r, w in p.items()}
    mixed = {r: (1 - q) * without[r] + q * p[r] for r in p}
    level = Fraction(11, 10)
    exact = [Fraction(0), Fraction(0)]
    for outcome in product(p, repeat=count):
        one, other = math.prod(mixed[r] for r in outcome), math.prod(without[r] for r in outcome)
        exact[0] += max(one - level * other, Fraction(0))
        exact[1] += max(other - level * one, Fraction(0))
    rr = dpc.RandomizedResponse(epsilon=math.log(float(ratio)), categories=2)
    found = dpc.delta(count * dpc.Sampled(rr, rate=q), epsilon=math.log(float(level)))
    assert float(max(exact)) == pytest.approx(found.upper, rel=1e-12)
