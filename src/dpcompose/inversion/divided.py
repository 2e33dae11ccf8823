"""The steps of a sum as pieces that can be cut, where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from functools import lru_cache, singledispatch
from typing import Protocol

import numpy as np

from dpcompose.inversion.cut import Divisible
from dpcompose.inversion.cut_atoms import AtomStep
from dpcompose.inversion.cut_laplace import LaplaceStep
from dpcompose.inversion.cut_normal import NormalStep
from dpcompose.inversion.direction import Direction
from dpcompose.inversion.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.enumerated import MOST_WAYS, Enumerated, enumerated, ways
from dpcompose.inversion.few import FINEST, FewSteps
from dpcompose.inversion.finite import FiniteLoss
from dpcompose.inversion.gaussian import GaussianSum
from dpcompose.inversion.inside import LaplaceInside
from dpcompose.inversion.laplace import LaplaceLoss
from dpcompose.inversion.loss import Summand
from dpcompose.inversion.repeated import Repeated
from dpcompose.inversion.rounding import LIBM, UNIT
from dpcompose.inversion.sampled_gaussian import SampledGaussianLoss
from dpcompose.inversion.sampled_laplace import SampledLaplaceLoss
from dpcompose.inversion.two_point import TwoPointSum
from dpcompose.inversion.unreachable import Unreachable
from dpcompose.inversion.wide_discrete_gaussian import WIDE
from dpcompose.numerics.enclosure import Enclosure

Pieces = Sequence[tuple[Divisible, int]]
FEW, SEVERAL, MOST_FEW = 20, 200, 10**7
"""So few steps are cut before a line is tried; so many, instead of a line, where they are rare; and at most so many."""
MOST_KINDS, TOO_DIFFERENT = 12, 60
"""With so many kinds of steps their atoms do not fit on one lattice, and a line is no longer slow."""
GREATEST = 600.0
FARTHEST = 700.0
"""Losses whose exponentials floats still hold: with some to spare, and with none, which is enough for listed sums."""
SHARP = 1e-7
"""For gaps below this a line is tried before two lattices."""
WIDEST_NOISE, LOG_FAINT = 1000, -690.0
RARE, LEAST_NOISE, MOST_NOISE = 1e-4, 0.2, 50


class SmallSum(Protocol):
    """A sum that is answered without any line."""

    def delta(self, epsilon: float, tolerance: float) -> Enclosure:
        """δ(ε), the finite part."""

    def epsilon(
        self, low_target: float, high_target: float, tolerance: float, most: float, expected: float | None
    ) -> Enclosure:
        """ε at a δ known to lie between two numbers, no more than `most`; `expected` may say where to look first."""

    def curve(self, epsilons: Sequence[float], tolerance: float) -> dict[float, Enclosure]:
        """δ at many ε > 0."""

    def is_below(self, epsilon: float, delta: float) -> bool:
        """Whether δ(ε) is seen at the first glance to be no more than this."""


def divided(summands: Sequence[Summand]) -> list[tuple[Divisible, int]]:
    """Every step, with its count."""
    return [piece for summand in summands for piece in pieces(summand)]


def small_sum(summands: Sequence[Summand]) -> SmallSum | None:
    """Few ways in which the sum can come about, or few steps; or None."""
    plain = all(isinstance(s, GaussianSum) for s in summands)
    if plain or len(summands) > SEVERAL or sum(s.steps for s in summands) > MOST_FEW:
        return None
    try:
        parts = divided(summands)
    except Unreachable:
        return None
    match summands:
        case [Repeated(loss=LaplaceLoss(size=size), count=count)] if LaplaceInside.serves(size, count):
            return LaplaceInside(size, count)
    atoms = [(piece, count) for piece, count in parts if isinstance(piece, AtomStep)]
    if len(atoms) == len(parts) and ways(atoms) <= MOST_WAYS:
        return enumerated(atoms)
    if any(not float(np.abs(piece.losses).max(initial=0.0)) <= GREATEST for piece, _ in atoms):
        return None
    return FewSteps(parts) if sum(count for _, count in parts) <= MOST_FEW else None


class Way(Enum):
    """How to answer."""

    LINE = "line"
    SMALL = "small"


def ways_to(small: SmallSum | None, summands: Sequence[Summand], tolerance: float) -> tuple[Way, ...]:
    """The ways worth trying, the better first."""
    if small is None:
        return (Way.LINE,)
    steps = sum(s.steps for s in summands)
    alike = len(summands) <= TOO_DIFFERENT and steps <= SEVERAL
    if isinstance(small, Enumerated) or (alike and any(is_slow(s) for s in summands)):
        return (Way.SMALL,)
    if isinstance(small, LaplaceInside):
        return (Way.SMALL, Way.LINE)
    few = sum(1 if isinstance(s, GaussianSum) else s.steps for s in summands) < FEW
    if few and all(isinstance(piece, LaplaceStep) for piece, _ in divided(summands)):
        return (Way.SMALL,)  # half of their mass sits in atoms
    smooth = any(is_smooth(s) for s in summands)
    return (Way.SMALL, Way.LINE) if few and not smooth and tolerance >= SHARP else (Way.LINE, Way.SMALL)


def suffices(gap: float, way: Way, tolerance: float) -> bool:
    """Whether no other way need be tried: a line for few steps is slow, and two lattices do not come closer than so."""
    return gap <= (10.0 * tolerance if way is Way.SMALL else max(tolerance, FINEST))


def is_smooth(summand: Summand) -> bool:
    """Whether the transform decays fast, at first."""
    loss = summand.loss if isinstance(summand, Repeated) else None
    return isinstance(summand, GaussianSum) or (isinstance(loss, DiscreteGaussianLoss) and loss.noise_std >= WIDE)


def is_slow(summand: Summand) -> bool:
    """Whether some such steps have a transform that takes too long to follow."""
    loss = summand.loss if isinstance(summand, Repeated) else None
    if isinstance(loss, SampledGaussianLoss):
        return loss.rate < RARE or not LEAST_NOISE <= loss.noise_std <= MOST_NOISE
    return isinstance(loss, SampledLaplaceLoss)


@singledispatch
def pieces(summand: Summand) -> Pieces:
    """The steps of one sum."""
    raise Unreachable(f"{type(summand).__name__} cannot be cut")


@pieces.register
def _(summand: GaussianSum) -> Pieces:
    """All together are one."""
    if not summand.mu_squared <= GREATEST**2:
        raise Unreachable("too far apart")
    return [(NormalStep(summand.mu_squared, 1, Direction.REMOVE), 1)]


@pieces.register
def _(summand: TwoPointSum) -> Pieces:
    if summand.sizes.size > MOST_KINDS:
        raise Unreachable("too many different steps")
    _check(float(summand.sizes.max()), FARTHEST)
    found: list[tuple[Divisible, int]] = []
    for size, count in zip(summand.sizes.tolist(), summand.counts.tolist(), strict=True):
        losses = np.array([-size, size])
        weights = 1.0 / (1.0 + np.exp(-losses))
        found.append((AtomStep(losses, weights, summand.size_error * size, 4.0 * LIBM + 2.0 * UNIT * size), int(count)))
    return found


@pieces.register
def _(summand: Repeated) -> Pieces:
    return [(step(summand.loss), summand.count)]


@singledispatch
def step(loss: object) -> Divisible:
    """One step."""
    raise Unreachable(f"{type(loss).__name__} cannot be cut")


@step.register
@lru_cache(maxsize=1024)
def _(loss: SampledGaussianLoss) -> Divisible:
    if not loss.window.is_open:
        raise Unreachable("a trimmed step is not cut")
    return NormalStep(1 / Fraction(loss.noise_std) ** 2, loss.rate, loss.direction)


def _check(greatest: float, most: float = GREATEST) -> None:
    if not greatest <= most:
        raise Unreachable("a loss beyond what floats can exponentiate")


@step.register
def _(loss: SampledLaplaceLoss) -> Divisible:
    _check(float(loss.size))
    return LaplaceStep(loss.size, loss.rate, loss.direction)


@step.register
def _(loss: LaplaceLoss) -> Divisible:
    _check(float(loss.size))
    return LaplaceStep(loss.size, 1, Direction.REMOVE)


@step.register
def _(loss: DiscreteGaussianLoss) -> Divisible:
    """Atoms down to 1e-290; `between.LEAST_MASS` and `enumerated.UNDERFLOW` make up for the others."""
    if loss.noise_std > WIDEST_NOISE:
        raise Unreachable("too many atoms to be listed")
    nodes = loss.nodes(0.0, 680.0)
    keep = nodes.log_weights > LOG_FAINT
    losses, weights = nodes.losses[keep], np.exp(nodes.log_weights[keep])
    _check(float(np.abs(losses).max()))
    return AtomStep(losses, weights, float(np.max(nodes.loss_error)), float(np.max(nodes.weight_error)))


@step.register
def _(loss: FiniteLoss) -> Divisible:
    keep = loss.weights > 0.0
    losses, weights = loss.losses[keep], loss.weights[keep]
    loss_error = float(np.max(loss.loss_error)) + 2.0 * UNIT * float(np.abs(losses).max(initial=0.0))
    return AtomStep(losses, weights, loss_error, float(np.max(loss.weight_error)))
