"""Each kind of loss as pieces that can be cut into cells, where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, singledispatch

import numpy as np

from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.cells import Divisible
from dpcompose.inversion.few_steps.laplace_cells import LaplaceStep
from dpcompose.inversion.few_steps.normal_cells import NormalStep
from dpcompose.inversion.losses.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.losses.finite import ListedLoss
from dpcompose.inversion.losses.gaussian import GaussianSum
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import Direction, LossSum
from dpcompose.inversion.losses.randomized_response import TwoPointSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF
from dpcompose.numerics.unreachable import OutOfReach

Pieces = Sequence[tuple[Divisible, int]]
MOST_KINDS = 12
"""Above this number of kinds of steps their atoms do not fit on one lattice, and a line is no longer slow."""
GREATEST = 600.0
FARTHEST = 700.0
"""Losses whose exponentials floats still hold: with some to spare, and with none, which is enough for listed sums."""
WIDEST_NOISE = 1000
"""Discrete Gaussians with more noise are not listed integer by integer."""
LOG_FAINT = -690.0
"""Atoms whose weight has a smaller logarithm are left out, and made up for where sums are read."""


@singledispatch
def pieces(summand: LossSum) -> Pieces:
    """The steps of one sum."""
    raise OutOfReach(f"{type(summand).__name__} cannot be cut")


@pieces.register
def _(summand: GaussianSum) -> Pieces:
    """Normal steps together are one."""
    if not summand.mu_squared <= GREATEST**2:
        raise OutOfReach("too far apart")
    return [(NormalStep(summand.mu_squared, 1, Direction.REMOVE), 1)]


@pieces.register
def _(summand: TwoPointSum) -> Pieces:
    if summand.sizes.size > MOST_KINDS:
        raise OutOfReach("too many different steps")
    _check(float(summand.sizes.max()), FARTHEST)
    found: list[tuple[Divisible, int]] = []
    for size, count in zip(summand.sizes.tolist(), summand.counts.tolist(), strict=True):
        losses = np.array([-size, size])
        weights = 1.0 / (1.0 + np.exp(-losses))
        found.append(
            (AtomStep(losses, weights, summand.size_error * size, 4.0 * LIBM + 2.0 * UNIT_ROUNDOFF * size), int(count))
        )
    return found


@pieces.register
def _(summand: Repeated) -> Pieces:
    return [(step(summand.loss), summand.count)]


@singledispatch
def step(loss: object) -> Divisible:
    """One step, so that it can be cut."""
    raise OutOfReach(f"{type(loss).__name__} cannot be cut")


@step.register
@lru_cache(maxsize=1024)
def _(loss: SampledGaussianLoss) -> Divisible:
    if not loss.window.is_open:
        raise OutOfReach("a trimmed step is not cut")
    return NormalStep(1 / Fraction(loss.noise_std) ** 2, loss.rate, loss.direction)


def _check(greatest: float, most: float = GREATEST) -> None:
    if not greatest <= most:
        raise OutOfReach("a loss beyond what floats can exponentiate")


@step.register
def _(loss: SampledLaplaceLoss) -> Divisible:
    _check(float(loss.size))
    return LaplaceStep(loss.size, loss.rate, loss.direction)


@step.register
def _(loss: LaplaceLoss) -> Divisible:
    _check(float(loss.size))
    return LaplaceStep(loss.size, 1, Direction.REMOVE)


@step.register
@lru_cache(maxsize=4)
def _(loss: DiscreteGaussianLoss) -> Divisible:
    """Atoms down to 1e-290; `bracket.LEAST_MASS` and `enumerated.UNDERFLOW` make up for the others."""
    if loss.noise_std > WIDEST_NOISE:
        raise OutOfReach("too many atoms to be listed")
    nodes = loss.nodes(0.0, 680.0)
    keep = nodes.log_weights > LOG_FAINT
    losses, weights = nodes.losses[keep], np.exp(nodes.log_weights[keep])
    _check(float(np.abs(losses).max()))
    return AtomStep(losses, weights, float(np.max(nodes.loss_error)), float(np.max(nodes.weight_error)))


@step.register
def _(loss: ListedLoss) -> Divisible:
    keep = loss.weights > 0.0
    losses, weights = loss.losses[keep], loss.weights[keep]
    loss_error = float(np.max(loss.loss_error)) + 2.0 * UNIT_ROUNDOFF * float(np.abs(losses).max(initial=0.0))
    return AtomStep(losses, weights, loss_error, float(np.max(loss.weight_error)))
