"""Many steps followed by a few of them: every part of the remainder is needed, and the whole is a bound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpcompose.inversion import Direction, SampledGaussianLoss, profile
from dpcompose.inversion.losses.rows import TiltedRows
from dpcompose.inversion.losses.sampled_gaussian import representatives as module
from dpcompose.inversion.losses.sampled_gaussian import rows as by_rows
from dpcompose.inversion.losses.sampled_gaussian.representatives import (
    Combined,
    Densities,
    densities,
    remainders,
    shares,
    spanning,
)
from dpcompose.inversion.losses.sampled_gaussian.rows import SampledGaussianRows
from dpcompose.numerics.rounding import Floats, Integers

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ROWS = 160


def rows(direction: Direction, rate: float, noise: float = 1.0, log_mass: float | None = -35.0) -> SampledGaussianRows:
    """Different rates and noises, trimmed or not."""
    random = np.random.default_rng(7)
    losses = [
        SampledGaussianLoss(rate * random.uniform(0.4, 2.0), noise * random.uniform(0.8, 1.5), direction)
        for _ in range(ROWS)
    ]
    found = SampledGaussianRows.of(losses)
    return found if log_mass is None else found.trimmed(np.full((ROWS, 1), log_mass), 3)


def directly(these: SampledGaussianRows, tilt: float, reach: float) -> TiltedRows:
    """Each by itself, whatever that takes."""
    return these.laid(tilt, reach, 1e-16)


def laid(these: SampledGaussianRows, tilt: float) -> Densities:
    """The densities at common places."""
    found = densities(these, tilt, directly(these, tilt, 0.0).moments[0])
    assert found is not None
    return found


CASES = [
    (Direction.REMOVE, 0.001, 1.0, -35.0, 5.0, 200.0),
    (Direction.REMOVE, 0.0002, 1.0, -35.0, 10.0, 900.0),
    (Direction.REMOVE, 0.02, 0.7, -35.0, 2.0, 60.0),
    (Direction.REMOVE, 0.3, 1.0, -35.0, 1.0, 40.0),
    (Direction.REMOVE, 0.001, 5.0, -35.0, 300.0, 2500.0),
    (Direction.REMOVE, 0.01, 1.0, None, 1.5, 80.0),
    (Direction.ADD, 0.02, 1.0, None, 6.0, 400.0),
    (Direction.ADD, 0.3, 2.0, None, 2.0, 100.0),
]


@pytest.mark.parametrize("direction,rate,noise,log_mass,tilt,reach", CASES)
def test_combinations_are_what_each_is_by_itself(  # noqa: PLR0917 - one case
    direction: Direction, rate: float, noise: float, log_mass: float | None, tilt: float, reach: float
) -> None:
    """Transforms agree within both bounds, which stay small; few rows span the others."""
    these = rows(direction, rate, noise, log_mass)
    near, far = directly(these, tilt, 0.0), directly(these, tilt, reach)
    combined = module.combined(these, near, lambda few: directly(few, tilt, reach))
    assert isinstance(combined, Combined)
    assert len(combined.chosen) < ROWS // 2
    spacing, indices = reach / 512.0, np.array([1, 2, 3, 8, 40, 150, 333, 512])
    values, error = combined.characteristic(spacing, indices)
    others, other_error = far.characteristic(spacing, indices)
    drift = spacing * indices * (far.centre - combined.centre)
    turned = (1.0 + others) * np.exp(1j * drift) - 1.0
    assert (np.abs(values - turned) <= error + other_error + 1e-15 * (1.0 + np.abs(drift))).all()
    assert error[:, 0].max() < 1e-11
    assert error.max() < 1e-8


def true_remainder(these: SampledGaussianRows, tilt: float, chosen: Integers, coefficients: Floats) -> Floats:
    r"""$\int|R_i|\omega$ by a fine rule over a wide range."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DEPTH", 60.0)
        patch.setattr(module, "NEED", 300.0)
        patch.setattr(module, "MOST_NODES", 10**5)
        fine = laid(these, tilt)
    found: Floats = np.abs(fine.values - coefficients @ fine.values[chosen]).sum(axis=-1, keepdims=True) * fine.spacing
    return found


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("most", [3, 8, 20])
def test_the_remainder_is_bounded_and_matters(direction: Direction, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By however few all are followed, the remainder is no less than what is missing, and not needlessly more; without
    it transforms are wrong.
    """
    monkeypatch.setattr(module, "MOST", most)
    monkeypatch.setattr(module, "GREATEST", 1.0)
    these, tilt = rows(direction, 0.01, log_mass=-35.0 if direction is Direction.REMOVE else None), 3.0
    combined = module.combined(these, directly(these, tilt, 0.0), lambda few: directly(few, tilt, 80.0))
    assert combined is not None
    assert len(combined.chosen) == most
    truth = true_remainder(these, tilt, combined.chosen, combined.coefficients)
    assert (truth <= combined.remainder).all()
    missing = np.delete(np.arange(ROWS), combined.chosen)
    assert (combined.remainder[missing].max() <= 10.0 * truth[missing].max()).all()
    far, indices = directly(these, tilt, 80.0), np.arange(1, 200, 7)
    others, doubt = far.characteristic(0.4, indices)
    turned = (1.0 + others) * np.exp(1j * 0.4 * indices * (far.centre - combined.centre)) - 1.0
    values, error = combined.characteristic(0.4, indices)
    assert (np.abs(values - turned) <= error + doubt).all()
    careless = replace(combined, remainder=np.zeros_like(combined.remainder))
    values, error = careless.characteristic(0.4, indices)
    assert (np.abs(values - turned) > error + doubt).any()


@pytest.mark.parametrize("term", ["strip", "range"])
def test_what_lies_between_the_nodes_and_beyond_them_matters(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a coarse rule, or a short one, the nodes alone tell too small a remainder."""
    monkeypatch.setattr(module, "NEED", 3.0 if term == "strip" else 72.0)
    monkeypatch.setattr(module, "DEPTH", 38.0 if term == "strip" else 0.5)
    monkeypatch.setattr(by_rows, "FEW", 10**6)
    these, tilt = rows(Direction.REMOVE, 0.01), 3.0
    seen = laid(these, tilt)
    chosen, along = spanning(seen.values)
    most = len(chosen) if term == "strip" else 20
    chosen, coefficients = chosen[:most], shares(chosen[:most], along[:, :most])
    truth = true_remainder(these, tilt, chosen, coefficients)
    assert (truth <= remainders(seen, chosen, coefficients)).all()
    nothing = np.zeros_like(seen.sum_beyond)
    careless = (
        seen._replace(strip=seen.strip - 1e3)
        if term == "strip"
        else seen._replace(sum_beyond=nothing, integral_beyond=nothing)
    )
    assert (truth > remainders(careless, chosen, coefficients)).any()


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.004, 0.0015])
def test_answers_are_the_same(rate: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enclosures of one ε, by a few and each by itself; both narrow."""
    random = np.random.default_rng(3)
    losses = [
        (SampledGaussianLoss(rate * random.uniform(0.5, 1.5), random.uniform(0.8, 1.5), Direction.REMOVE), 4)
        for _ in range(200)
    ]
    monkeypatch.setattr(by_rows, "WORTH", 100)
    taken, whole = [], module.combined

    def noted(*given: Any) -> Combined | None:
        taken.append(whole(*given))
        return taken[-1]

    monkeypatch.setattr(module, "combined", noted)
    together = profile(losses).epsilon(1e-6, 1e-6)
    assert any(isinstance(each, Combined) for each in taken)
    monkeypatch.setattr(by_rows, "FEW", 10**6)
    apart = profile(losses).epsilon(1e-6, 1e-6)
    assert max(together.gap, apart.gap) < 1e-5
    assert max(apart.lower, together.lower) <= min(apart.upper, together.upper)
