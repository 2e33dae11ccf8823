"""Few steps on two lattices: against closed forms, integrals, lists, lines, and with every error term left out."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from mpmath import mp, mpf

import dpcompose as dpc
from dpcompose.inversion import (
    Direction,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    SampledGaussianLoss,
    SampledLaplaceLoss,
    TwoPointLoss,
    profile,
)
from dpcompose.inversion.beside import above, below, staying
from dpcompose.inversion.composed import Composed, LatticeLaw, compose
from dpcompose.inversion.cut import Cells, Divisible, Mesh
from dpcompose.inversion.cut_atoms import AtomStep
from dpcompose.inversion.cut_laplace import LaplaceStep
from dpcompose.inversion.cut_normal import NormalStep
from dpcompose.inversion.divided import divided
from dpcompose.inversion.enumerated import Enumerated, enumerated
from dpcompose.inversion.few import FewSteps
from dpcompose.numerics.enclosure import Enclosure
from references import atoms, laplace_twice, sampled_gaussian_once, sums, two_point

REMOVE, ADD = Direction.REMOVE, Direction.ADD
ROUNDING = 1e-15


def few(*parts: tuple[Loss, int]) -> FewSteps:
    return FewSteps(divided(profile(parts).summands))


def holds(found: Enclosure, truth: mpf, gap: float) -> None:
    assert found.lower <= truth <= found.upper
    assert found.gap <= gap


def sampled_gaussian_at(rate: float, noise: float, epsilon: mpf, *, remove: bool) -> mpf:
    """One step at any ε, also below 0."""
    if remove and mp.exp(epsilon) <= 1 - mpf(rate):
        return 1 - mp.exp(epsilon)
    return sampled_gaussian_once(rate, noise, remove=remove, epsilon=epsilon)


def sampled_gaussian_twice(rate: float, noise: float, epsilon: float, *, remove: bool) -> mpf:
    """Condition on the first step: its outcome is an integral, the second is closed."""
    q, s = mpf(rate), mpf(noise)

    def inner(x: mpf) -> mpf:
        ratio = 1 - q + q * mp.exp((x - mpf(1) / 2) / s**2)
        weight = mp.npdf(x, 0, s) * (ratio if remove else 1)
        loss = mp.log(ratio) if remove else -mp.log(ratio)
        return weight * sampled_gaussian_at(rate, noise, mpf(epsilon) - loss, remove=remove)

    with mp.workdps(22):
        places = [s * i for i in range(-10, 11)] + [1 + s * i for i in range(-10, 11)]
        end = mp.exp(mpf(epsilon)) / (1 - q) if remove else mp.exp(-mpf(epsilon)) / (1 - q)
        if end - 1 + q > 0:  # where the second step stops mattering
            places.append(s**2 * mp.log((end - 1 + q) / q) + mpf(1) / 2)
        return mp.quad(inner, sorted({mpf(x) for x in places}), maxdegree=4)


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
    loss = FiniteLoss(np.array([1.0, -2.0]), np.array([0.9, 0.1]), loss_error=0.0, weight_error=1e-16)
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


# ---------------------------------------------------------------------------------------------- cells


def cell_by_cell(step: Divisible, mesh: Mesh, masses: list[mpf], excesses: list[mpf]) -> None:
    cells = step.cut(mesh, -80.0)
    for j, (mass, excess) in enumerate(zip(masses, excesses, strict=True)):
        assert abs(cells.mass[j] - mass) <= cells.mass_error * mass + 1e-40
        assert abs(cells.excess[j] - excess) <= cells.excess_error[j] + cells.blur * mass * 2 + 1e-40
        assert cells.excess_error[j] <= 1e-12 * mass + 1e-30


@pytest.mark.parametrize("rate, noise", [(0.3, 1.0), (1e-5, 0.4), (1, 2.0), (0.9, 30.0)])
def test_cells_of_normal_noise(rate: float, noise: float) -> None:
    step = NormalStep(1 / Fraction(noise) ** 2, rate, REMOVE)
    low, high = step.reach(-20.0)
    mesh = Mesh(low, (high - low) / 7, 0, 7)
    q, s = mpf(rate), mpf(noise)

    def place(loss: mpf) -> mpf:
        odds = (mp.exp(loss) - 1 + q) / q
        return s**2 * mp.log(odds) + mpf(1) / 2 if odds > 0 else -mp.inf

    with mp.workdps(60):
        cuts = [place(mpf(x)) for x in mesh.edges.tolist()]
        bare = [mp.ncdf(b / s) - mp.ncdf(a / s) for a, b in pairwise(cuts)]
        with_record = [mp.ncdf((b - 1) / s) - mp.ncdf((a - 1) / s) for a, b in pairwise(cuts)]
        masses = [(1 - q) * a + q * b for a, b in zip(bare, with_record, strict=True)]
        excesses = [
            m - mp.exp(mpf(x)) * a for m, x, a in zip(masses, mesh.edges.tolist()[:-1], bare, strict=True)
        ]  # fmt: skip
        cell_by_cell(step, mesh, masses, excesses)


@pytest.mark.parametrize("direction", list(Direction))
def test_cells_of_laplace_noise(direction: Direction) -> None:
    size, rate = 2.0, 0.25
    step = LaplaceStep(size, rate, direction)
    low, high = step.reach(-20.0)
    mesh = Mesh(low, (high - low) / 5, 0, 6)
    sign = 1 if direction is REMOVE else -1
    with mp.workdps(40):
        q, e = mpf(rate), mpf(size)

        def plain(loss: mpf) -> mpf:
            odds = (mp.exp(sign * loss) - 1 + q) / q
            return min(max(mp.log(odds), -e), e) if odds > 0 else -e

        def under(a: mpf, b: mpf, power: int) -> mpf:
            """The integral of the density without the record, times X^power."""
            return mp.quad(lambda y: mp.exp(-(y + e) / 2) / 4 * (1 - q + q * mp.exp(y)) ** power, [a, b])

        def atom(y: mpf, power: int) -> mpf:
            return (mp.exp(-max(y, mpf(0))) / 2) * (1 - q + q * mp.exp(y)) ** power

        cuts = [plain(mpf(x)) for x in mesh.edges.tolist()]
        p, r = (1, 0) if direction is REMOVE else (0, 1)
        masses, excesses = [], []
        for j, (a, b) in enumerate(pairwise(cuts)):
            y = {0: -sign * e, 5: sign * e}.get(j)
            mass, image = (abs(under(a, b, k)) + (atom(y, k) if y is not None else 0) for k in (p, r))
            masses.append(mass)
            excesses.append(mass - mp.exp(mpf(mesh.edges[j])) * image)
        cell_by_cell(step, mesh, masses, excesses)


def test_a_law_lies_between_its_lattices() -> None:
    """For one step δ on either lattice is a sum, and so is the truth."""
    generator = np.random.default_rng(3)
    for _ in range(20):
        losses = np.sort(generator.normal(0.0, 1.0, 40))
        weights = generator.dirichlet(np.ones(40))
        span = float(generator.uniform(0.01, 0.8))
        first = math.floor(losses[0] / span) - 1
        mesh = Mesh(0.0, span, first, math.ceil(losses[-1] / span) - first + 1)
        cells = AtomStep(losses, weights, 0.0, 0.0).cut(mesh, -50.0)
        upper, lower = above(cells, span), below(cells, span)
        for epsilon in np.linspace(-2.0, 2.5, 60).tolist():
            truth = float(weights @ np.maximum(-np.expm1(epsilon - losses), 0.0))
            gain = np.maximum(-np.expm1(epsilon - mesh.edges), 0.0)
            assert float(lower @ gain) <= truth + ROUNDING
            assert truth <= float(upper @ gain) + ROUNDING


def test_outcomes_counted_at_an_edge_do_not_lie_below_it() -> None:
    """The condition under which parts of neighbouring cells may be merged into a lattice point."""
    generator = np.random.default_rng(4)
    span = 0.1
    mass = generator.dirichlet(np.ones(30))
    excess = mass * -math.expm1(-span) * generator.uniform(0.0, 1.0, 30)
    stays = staying(mass, excess, span)
    deficit = math.exp(span) * (-math.expm1(-span) * mass - excess)
    assert np.all(stays[1:] * excess[1:] >= (1 - stays[:-1]) * deficit[:-1] - 1e-18)
    assert stays[-1] == 1.0
    assert 0.2 < float(stays.mean()) < 0.9


# ---------------------------------------------------------------------------------------------- what is left out shows


def spread(weights: np.ndarray, count: int, tilt: float) -> Composed:
    return compose([LatticeLaw(weights, 0.0, count)], 0.01, tilt)


def test_the_rounding_of_the_transform_matters() -> None:
    """Read far from where the tilt put the mass, almost nothing but rounding is left."""
    size, count = 4096, 3
    weights = np.exp(-0.02 * np.arange(size))
    weights /= weights.sum()
    composed, epsilon = spread(weights, count, 0.01), 60.0
    places = np.arange(count * size)
    log_binomial = np.log(0.5 * (places + 1.0) * (places + 2.0))  # below `size` no weight is cut off
    terms = np.exp(3 * math.log(weights[0]) + log_binomial - 0.02 * places)
    assert epsilon > 0.01 * size
    exact = mp.fsum(
        mpf(t) * -mp.expm1(mpf(epsilon) - mpf("0.01") * j)
        for j, t in zip(places.tolist(), _three(weights).tolist(), strict=False)
        if 0.01 * j > epsilon
    )
    assert terms[0] > 0.0
    assert composed.lower(epsilon, 0.0) <= exact <= composed.upper(epsilon, 0.0)
    careless = replace(composed, error=0.0, relative=0.0)
    assert not careless.lower(epsilon, 0.0) <= exact <= careless.upper(epsilon, 0.0)


def _three(weights: np.ndarray) -> np.ndarray:
    """A threefold convolution term by term: all terms positive, so every weight has its digits."""
    return np.convolve(np.convolve(weights, weights), weights)


def test_what_leaves_the_window_matters() -> None:
    """A window too short for the sum folds it; only the bound on what is outside keeps the lower end sound."""
    weights = np.full(64, 1.0 / 64.0)
    whole = spread(weights, 4, 5.0)
    folded = whole.law.reshape(-1, 128).sum(axis=0)
    outside = float(np.abs(whole.law[128:]).sum())
    narrow = replace(whole, law=folded, wrapped=outside)
    epsilon = 0.2
    assert narrow.lower(epsilon, 0.0) <= whole.lower(epsilon, 0.0)
    assert whole.upper(epsilon, 0.0) <= narrow.upper(epsilon, 0.0)
    assert replace(narrow, wrapped=0.0).lower(epsilon, 0.0) > whole.upper(epsilon, 0.0)
    beyond = replace(whole, start=200, law=whole.law[200:])
    assert beyond.upper(epsilon, 0.0) < whole.lower(epsilon, 0.0)  # without the bound on what is left of the window
    held = replace(beyond, wrapped=float(whole.law[:200].sum()))
    assert held.upper(epsilon, 0.0) >= whole.upper(epsilon, 0.0)


def test_what_lies_beyond_the_lattice_matters() -> None:
    step, epsilon = NormalStep(Fraction(1), 0.1, REMOVE), 0.5
    pair = FewSteps([(step, 2)]).between(epsilon, 0.0, -40.0, 1e-3)
    truth = sampled_gaussian_twice(0.1, 1.0, epsilon, remove=True)
    assert pair.lower(epsilon) <= truth <= pair.upper(epsilon)
    assert replace(pair, over=Enclosure(0.0, 0.0)).upper(epsilon) < truth
    assert replace(pair, over_image=Enclosure(0.0, 0.0)).lower(epsilon) > truth


def test_places_that_are_off_matter() -> None:
    """A lattice moved by a hair, and a reading that knows by how much."""
    weights = np.array([0.25, 0.5, 0.25])
    moved = replace(spread(weights, 2, 1.0), lowest=1e-6)
    exact = spread(weights, 2, 1.0)
    assert moved.lower(0.015, 0.0) > exact.upper(0.015, 0.0)
    assert moved.lower(0.015, 1e-6) <= exact.upper(0.015, 0.0)


def test_what_lies_below_the_lattice_is_not_forgotten() -> None:
    cells = Cells(np.array([0.5]), np.array([0.02]), 0.0, np.zeros(1), 0.0, 0.5)
    assert float(above(cells, 0.1).sum()) >= 1.0
    assert float(below(cells, 0.1).sum()) <= 0.5


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
