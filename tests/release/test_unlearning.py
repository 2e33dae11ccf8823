"""The example of certified unlearning: its certificate against exact Gaussians, its card, and a run."""

from __future__ import annotations

import importlib.util
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import dpcompose as dpc

ROOT = Path(__file__).parents[2]
F = Fraction


def loaded() -> ModuleType:
    """The example, as a module."""
    spec = importlib.util.spec_from_file_location("unlearning_example", ROOT / "examples" / "unlearning.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


example = loaded()


@pytest.mark.parametrize("steps", [1, 2, 10, 200])
@pytest.mark.parametrize("factor", [F(25, 26), F(1, 2), F(999, 1000)])
def test_the_parts_cover_the_whole_distance_and_hardly_more(steps: int, factor: Fraction) -> None:
    distance = F(1, 20)
    parts = [F(a) for a in example.shifts(distance, factor, steps)]
    assert len(parts) == steps
    covered = sum(factor ** (steps - 1 - t) * a for t, a in enumerate(parts))
    assert 0 <= covered - factor**steps * distance <= factor**steps * distance * F("1e-12")
    least = (factor**steps * distance) ** 2 / sum(factor ** (2 * s) for s in range(steps))
    assert least * F("0.999999999999") <= sum(a**2 for a in parts) <= least * F("1.000000000001")


def exact_mu(curvatures: np.ndarray, length: float, gap: np.ndarray, noise_std: float, steps: int) -> float:
    """For a quadratic loss the two results are normal with one covariance; how far apart, in deviations."""
    factors = 1 - length * curvatures
    deviations = noise_std * np.sqrt(sum(factors ** (2 * s) for s in range(steps)))
    return float(np.linalg.norm(factors**steps * gap / deviations))


@pytest.mark.parametrize("steps", [1, 7, 60])
def test_ridge_regression_is_forgotten_at_least_as_well_as_certified(steps: int) -> None:
    draw, least, most, noise_std = np.random.default_rng(1), 2.0, 50.0, 0.03
    factor = 1 - F(least) / F(most)
    parts = example.shifts(F(1, 4), factor, steps)
    certified = sum(F(a) ** 2 for a in parts) ** F(1, 2) / noise_std
    for _ in range(50):
        curvatures = draw.uniform(least, most, size=6)
        gap = draw.normal(size=6)
        gap *= 0.25 / np.linalg.norm(gap)
        assert exact_mu(curvatures, 1 / most, gap, noise_std, steps) <= certified * (1 + 1e-9)
    flat = exact_mu(np.full(6, least), 1 / most, gap, noise_std, steps)
    assert flat == pytest.approx(certified, rel=1e-9)  # no smaller certificate would do


def test_ridge_regression_itself_walks_as_the_exact_normals_say() -> None:
    draw, steps, noise_std = np.random.default_rng(2), 20, 0.05
    features, labels = draw.normal(size=(30, 3)), draw.normal(size=30)
    curvature = features.T @ features + 2 * np.eye(3)
    length = 1 / float(np.linalg.eigvalsh(curvature).max())
    start = np.linalg.solve(curvature, features.T @ labels) + np.array([0.2, -0.1, 0.1])
    theta = np.tile(start, (20_000, 1))
    for _ in range(steps):
        slope = theta @ curvature - features.T @ labels
        theta = theta - length * slope + noise_std * draw.normal(size=theta.shape)
    values, vectors = np.linalg.eigh(curvature)
    seen = (theta @ vectors).std(axis=0)
    said = noise_std * np.sqrt(sum((1 - length * values) ** (2 * s) for s in range(steps)))
    assert np.abs(seen / said - 1).max() < 0.03


@pytest.fixture(scope="module")
def tasks() -> tuple[object, object]:
    before = example.made(400, seed=1)
    return before, example.Task(before.features[3:], before.labels[3:])


def test_a_step_brings_models_closer_and_rows_pull_no_further_than_assumed(tasks: tuple[object, object]) -> None:
    before, after = tasks
    draw, c, length = np.random.default_rng(3), float(example.contraction(after)), 1 / float(after.smoothness)
    for _ in range(50):
        a, b = draw.normal(size=(2, example.FEATURES)) * 5
        moved = (a - length * after.gradient(a)) - (b - length * after.gradient(b))
        assert np.linalg.norm(moved) <= c * np.linalg.norm(a - b) * (1 + 1e-12)
    start, again = before.fitted(), after.fitted()
    assert np.abs(after.gradient(again)).max() < 1e-9
    assert np.linalg.norm(before.features, axis=1).max() < 1
    assert 0 < np.linalg.norm(start - again) <= 3 / float(example.PENALTY)


def test_the_certificate_is_the_sum_of_the_steps() -> None:
    factor, steps, noise = F(25, 26), 40, F(1, 50)
    parts = example.shifts(F(1, 20), factor, steps)
    mechanism = example.forgetting(parts, noise)
    # Growing parts under equal noise are equal parts under shrinking noise, which is what the card is about.
    card = dpc.formula("UNLEARN")(T=steps, sigma0=noise / F(parts[0]), growth=factor, alpha=8, delta=F("1e-5"))
    rows = {row.theorem: row.epsilon for row in dpc.compare(mechanism, delta=F("1e-5")).rows}
    assert rows["RDP-CONV"] == pytest.approx(card["best_eps"].upper, rel=1e-9)
    assert dpc.renyi(mechanism, 8).upper == pytest.approx(card["rdp_total_at_alpha"].upper, rel=1e-9)
    assert dpc.epsilon(mechanism, F("1e-5")).upper < rows["RDP-CKS"] < rows["RDP-CONV"]


@pytest.mark.parametrize("epsilon", [F("0.1"), F(1), F(4)])
def test_the_noise_is_enough_and_hardly_less_is_not(epsilon: Fraction) -> None:
    parts = example.shifts(F(1, 20), F(25, 26), 30)
    noise = example.calibrated(parts, epsilon)
    assert dpc.delta(noise.mechanism, epsilon).upper <= example.DELTA
    less = example.forgetting(parts, float(noise) * (1 - 1e-5))
    assert dpc.delta(less, epsilon).lower > example.DELTA


@pytest.mark.slow
def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(example, "STEPS", (1, 25))
    example.main()
    said = capsys.readouterr().out
    rows = [line.split() for line in said.splitlines() if line.strip()[:1].isdigit() and len(line.split()) == 7]
    assert len(rows) == 6
    assert all(float(row[3]) <= float(row[0]) for row in rows)  # certified within the target
    assert all(float(long[6]) < float(short[6]) for short, long in zip(rows[::2], rows[1::2], strict=True))
    assert (tmp_path / "out" / "unlearning.png").stat().st_size > 10_000
