"""The parts of few steps: cells against integrals, two lattices around a law, and every error term left out once."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp, mpf

from dpcompose.inversion import Direction
from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.bracket_laws import above, below, share_kept_low
from dpcompose.inversion.few_steps.cells import Cells, Divisible, Mesh
from dpcompose.inversion.few_steps.convolution import Composed, LatticeLaw, compose
from dpcompose.inversion.few_steps.laplace_cells import LaplaceStep
from dpcompose.inversion.few_steps.lattice_answer import FewSteps
from dpcompose.inversion.few_steps.normal_cells import NormalStep
from dpcompose.numerics.enclosure import Enclosure
from references import sampled_gaussian_twice

REMOVE = Direction.REMOVE
ROUNDING = 1e-15


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
    stays = share_kept_low(mass, excess, span)
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
    assert epsilon > 0.01 * size
    exact = mp.fsum(
        mpf(t) * -mp.expm1(mpf(epsilon) - mpf("0.01") * j)
        for j, t in zip(places.tolist(), _three(weights).tolist(), strict=False)
        if 0.01 * j > epsilon
    )
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


@pytest.mark.parametrize("deviations", [0.0, 1.0, 3.0, 9.0])
def test_what_the_others_pull_back_counts(deviations: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lattice that ends where others may still pull a sum back, beside one that ends where they cannot."""
    steps, epsilon = FewSteps([(NormalStep(Fraction(1), 0.02, REMOVE), 200)]), 0.8
    monkeypatch.setattr("dpcompose.inversion.few_steps.meshes.WORTHWHILE", math.inf)
    strict = steps.between(epsilon, 0.0, -60.0, 4e-4)
    monkeypatch.setattr("dpcompose.inversion.few_steps.meshes.WORTHWHILE", 0.0)
    monkeypatch.setattr("dpcompose.inversion.few_steps.meshes.DEVIATIONS", deviations)
    early = steps.between(epsilon, 0.0, -60.0, 4e-4)
    assert early.steps[0].highest < strict.steps[0].highest
    assert epsilon > early.limit
    assert strict.lower(epsilon) <= early.upper(epsilon)
    assert early.lower(epsilon) <= strict.upper(epsilon)
    forgetful = replace(early, limit=math.inf).upper(epsilon)
    if deviations == 0.0:
        assert forgetful < strict.lower(epsilon)
    if deviations > 8.0:
        assert early.upper(epsilon) <= forgetful * (1.0 + 1e-9)


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
