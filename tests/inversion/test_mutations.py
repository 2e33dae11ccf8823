"""Every error term is needed: leave one out, and a crafted composition is answered wrongly."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp, mpf

from dpcompose.inversion import Direction, GaussianLoss, LaplaceLoss, SampledGaussianLoss, TwoPointLoss, profile
from dpcompose.inversion.line.jumps import JumpExpansion, best_line, expand
from dpcompose.inversion.line.lattice_line import LatticeLine
from dpcompose.inversion.line.line import Line, Sandwich
from dpcompose.inversion.line.spectrum import Goal, total_cumulants
from dpcompose.inversion.losses.nodes import TiltedNodes
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.saddle import at_epsilon
from references import atoms, gaussian, sums, two_point


def coarse(summands: list[LossSum], epsilon: float, relative: float = 0.01) -> Goal:
    """A goal so coarse that every error is visible."""
    saddle = at_epsilon(total_cumulants(summands), epsilon)
    return Goal(saddle, epsilon, saddle.log_delta, relative)


def gaussian_line(epsilon: float) -> Line:
    summands = list(GaussianLoss.gather([(GaussianLoss(1.0), 1)]))
    line = best_line(summands, coarse(summands, epsilon))
    assert isinstance(line, Line)
    return line


def test_aliasing_matters() -> None:
    epsilon = 2.0
    line, truth = gaussian_line(epsilon), float(mp.log(gaussian(1.0, epsilon)))
    assert line.read(epsilon).log_lower <= truth <= line.read(epsilon).log_upper
    assert replace(line, aliases=()).read(epsilon).log_lower > truth


def test_truncation_matters() -> None:
    """Cut a line at a third of its frequencies; with the tail bound of that cut it is sound, without it is
    not.
    """
    epsilon = 2.0
    line, truth = gaussian_line(epsilon), float(mp.log(gaussian(1.0, epsilon)))
    keep = line.frequencies.size // 3
    short = replace(
        line,
        frequencies=line.frequencies[:keep],
        amplitude=line.amplitude[:keep],
        angle=line.angle[:keep],
        amplitude_error=line.amplitude_error[:keep],
        tail=float(line.amplitude[keep:].sum()) + line.tail,
    )
    sound, careless = short.read(epsilon), replace(short, tail=0.0, aliases=()).read(epsilon)
    assert sound.log_lower <= truth <= sound.log_upper
    assert not careless.log_lower <= truth <= careless.log_upper


@pytest.mark.parametrize("term", ["quadrature", "tail"])
def test_quadrature_and_its_range_matter(term: str) -> None:
    """A coarse rule, or a short one, misses the moment by more than rounding."""
    q, s, order = mpf("0.25"), mpf(1), 5
    moment = mp.fsum(
        mp.binomial(order, j) * (1 - q) ** (order - j) * q**j * mp.exp(mpf(j * (j - 1)) / (2 * s**2))
        for j in range(order + 1)
    )
    loss = SampledGaussianLoss(0.25, 1.0, Direction.REMOVE)
    step = loss.step(order - 1.0, 0.0, 1e-2)
    assert abs(step.log_moment - mp.log(moment)) <= step.log_moment_error
    without = replace(step.nodes, quadrature=np.zeros_like, mass_quadrature=0.0, log_tail=-math.inf)
    if term == "tail":
        fine = loss.step(order - 1.0, 0.0, 1e-16)
        keep = slice(0, fine.nodes.losses.size * 2 // 3)
        without = replace(
            fine.nodes,
            losses=fine.nodes.losses[keep],
            loss_error=fine.nodes.loss_error[keep],
            log_weights=fine.nodes.log_weights[keep],
            weight_error=fine.nodes.weight_error[keep],
        )
    careless = TiltedNodes(without, order - 1.0)
    assert abs(careless.log_moment - mp.log(moment)) > careless.log_moment_error


def test_the_trimmed_mass_matters() -> None:
    whole = [(SampledGaussianLoss(0.2, 1.0, Direction.REMOVE), 20)]
    epsilon = 2.0
    truth = profile(whole).delta(epsilon)
    bulk = [s.trimmed(math.log(truth.upper) - 4.0, 3) for s in SampledGaussianLoss.gather(whole)]
    goal = coarse(list(bulk), epsilon, 1e-9)
    line = best_line(bulk, goal)
    lost = sum(b.trim_lost for b in bulk)
    careless, careful = (
        JumpExpansion([(0.0, line)], 0.0).read(epsilon),
        JumpExpansion([(0.0, line)], lost).read(epsilon),
    )
    assert careless.log_upper < math.log(truth.lower) <= careful.log_upper
    restored = expand(bulk, goal).read(epsilon)  # the jumps put it back
    assert restored.log_lower <= math.log(truth.upper)
    assert math.log(truth.lower) <= restored.log_upper
    assert restored.log_upper - restored.log_lower < 1e-6


def test_smoothing_matters() -> None:
    """Either smoothed line alone, taken for the truth, is wrong on its own side."""
    sizes = [0.3, 0.5, 0.9]
    epsilon = 0.7  # an atom: 0.9 + 0.3 - 0.5
    summands = list(TwoPointLoss.gather([(TwoPointLoss(s), 1) for s in sizes]))
    line = best_line(summands, coarse(summands, epsilon, 1e-6))
    assert isinstance(line, Sandwich)
    beside = epsilon + 1.3e-4  # half a smoothing width off the atom, where the lower line is worst
    with mp.workdps(30):
        law = sums(*(two_point(s) for s in sizes))
        at, off = (float(mp.log(atoms(law, e))) for e in (epsilon, beside))
    for place, truth in ((epsilon, at), (beside, off)):
        assert line.read(place).log_lower <= truth <= line.read(place).log_upper
    assert replace(line.above, tail=0.0, aliases=()).read(epsilon).log_lower > at
    assert replace(line.below, tail=0.0, aliases=()).read(beside).log_upper < off


def test_an_odd_number_of_lattice_points_matters() -> None:
    """Moving one frequency out of an exact finite sum is noticed."""
    summands = list(TwoPointLoss.gather([(TwoPointLoss(0.4), 9)]))
    line = best_line(summands, coarse(summands, 0.4, 1e-9))
    assert isinstance(line, LatticeLine)
    inner = line.line
    broken = replace(
        inner,
        frequencies=inner.frequencies[:-1],
        amplitude=inner.amplitude[:-1],
        angle=inner.angle[:-1],
        amplitude_error=inner.amplitude_error[:-1],
    )
    with mp.workdps(30):
        truth = float(mp.log(atoms(sums(*[two_point(0.4)] * 9), 0.4)))
    assert line.read(0.4).log_lower <= truth <= line.read(0.4).log_upper
    wrong = LatticeLine(broken, line.lattice, line.top).read(0.4)
    assert not wrong.log_lower <= truth <= wrong.log_upper


def test_the_decay_bound_is_a_bound() -> None:
    """Wherever the characteristic function is evaluated, the certified decay lies above it."""
    losses = [
        SampledGaussianLoss(0.1, 1.0, Direction.REMOVE).trimmed(-40.0),
        SampledGaussianLoss(0.3, 0.7, Direction.ADD),
        LaplaceLoss(0.8),
    ]
    for loss in losses:
        for tilt in (0.5, 4.0, 30.0):
            tilted = Repeated(loss, 1).tilted(tilt, 60.0, 1e-14)
            indices = np.arange(1, 600, dtype=np.int64)
            values, error = tilted.step.characteristic(0.1, indices)
            size = np.log(np.abs(1.0 + values) + error)
            assert np.all(size <= tilted.log_decay(0.1 * indices) + 1e-9)
