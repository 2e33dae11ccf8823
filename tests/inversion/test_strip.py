"""How fast a subsampled Gaussian grows off the real line: both bounds against the integral itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import log_ndtr, logsumexp

from dpcompose.inversion import Direction, SampledGaussianLoss
from dpcompose.inversion.losses.sampled_gaussian.quadrature import ALL_BLOCKS, best_rule, ends, log_right
from dpcompose.inversion.losses.sampled_gaussian.strip import block_peaks, crude, greatest_turn, sharp

Frequencies = tuple[float, ...]
CASES = [
    (rate, noise, direction, tilt)
    for rate in (1e-5, 0.01, 0.4)
    for noise in (0.6, 1.65, 8.0)
    for direction in Direction
    for tilt in (0.5, 20.0, 900.0)
]


def log_integrals(loss: SampledGaussianLoss, r: float, frequencies: Frequencies, y: float, x: np.ndarray) -> np.ndarray:
    """The logarithms of ∫|n X^s| dx along the line at height y, one for each frequency, by a sum over many points."""
    q, _, sigma, _ = loss.numbers
    z = (x - 0.5 + 1j * y) / sigma**2
    with np.errstate(over="ignore", invalid="ignore"):
        logarithm = np.where(
            z.real > 300.0, z + math.log(q), np.log(1.0 - q + q * np.exp(np.minimum(z.real, 300.0) + 1j * z.imag))
        )
    still, turn = r * logarithm.real - 0.5 * (x**2 - y**2) / sigma**2, np.abs(logarithm.imag)
    return np.array([logsumexp(still + v * turn) for v in frequencies]) + math.log(float(x[1] - x[0]))


@pytest.mark.slow
@pytest.mark.parametrize("rate, noise, direction, tilt", CASES)
def test_neither_bound_is_exceeded(rate: float, noise: float, direction: Direction, tilt: float) -> None:
    """At several heights and frequencies, for the whole law."""
    loss = SampledGaussianLoss(rate, noise, direction)
    r = loss.exponent(tilt)
    left, right = ends(loss, r, 60.0)
    blocks = np.concatenate([np.linspace(left, right, 385), right + noise * ALL_BLOCKS[1:]])
    bound = sharp(loss, r, blocks, log_right(loss, float(blocks[-1]), r, 1e-7 * noise) + 1.0)
    x = np.linspace(left - 5.0 * noise, right + 5.0 * noise, 40_001)
    (log_law,) = log_integrals(loss, r, (0.0,), 0.0, x)
    for share in (0.05, 0.3, 0.7):
        width, frequencies = share * math.pi * noise**2, (0.0, 3.0, 400.0)
        truths = np.maximum(*(log_integrals(loss, r, frequencies, part * width, x) for part in (1.0, 0.6))) - log_law
        for v, truth in zip(frequencies, truths.tolist(), strict=True):
            assert bound(width, v) >= truth - 1e-6
            assert float(crude(loss, width, r, v)) >= truth - 1e-6


@pytest.mark.parametrize("rate, noise, direction, tilt", CASES)
def test_no_block_rises_above_its_peak(rate: float, noise: float, direction: Direction, tilt: float) -> None:
    """Also under a steep window."""
    loss = SampledGaussianLoss(rate, noise, direction).trimmed(-40.0, 8)
    r = loss.exponent(tilt)
    left, right = ends(loss, r, 40.0)
    places = np.linspace(left, right + 3.0 * noise, 60)
    peaks = block_peaks(loss, places, r)
    for a, b, peak in zip(places[:-1], places[1:], peaks, strict=True):
        x = np.linspace(a, b, 200)
        window = log_ndtr((loss.window.cut - x) / loss.window.fade) if math.isfinite(loss.window.cut) else 0.0
        inside = r * loss.log_ratio(x)[0] - 0.5 * (x / noise) ** 2 + window
        assert float(inside.max()) <= peak + 1e-6 * (1.0 + abs(peak))


def test_the_greatest_turn() -> None:
    """No angle up to θ turns further."""
    g = np.array([0.0, 1e-9, 0.2, 0.5, 0.7, 1.0])
    for theta in (0.1, 1.0, 2.0, 3.0):
        angles = np.linspace(0.0, theta, 2001)
        turns = np.angle(1.0 - g[:, None] + g[:, None] * np.exp(1j * angles)).max(axis=1)
        assert (greatest_turn(g, theta) >= turns - 1e-12).all()
        assert (greatest_turn(g, theta) <= turns + 1e-5).all()


def test_rare_samples_need_few_nodes() -> None:
    """Where nothing turns, the step is many times wider than the crude bound allows."""
    loss = SampledGaussianLoss(1.9e-5, 1.65, Direction.REMOVE).trimmed(-45.0, 8)
    step, width, _ = best_rule(loss, 1602.0, 2000.0, 1e-16)
    alone = 2.0 * math.pi * width / (38.0 + float(crude(loss, width, 1602.0, 2000.0)))
    assert step > 4.0 * alone
