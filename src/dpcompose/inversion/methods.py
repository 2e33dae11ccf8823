"""Which method answers: a line for many steps, a lattice or a list for few, or one after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import Protocol

import numpy as np

from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.cells import Divisible
from dpcompose.inversion.few_steps.enumerated import MOST_WAYS, Enumerated, enumerated, ways
from dpcompose.inversion.few_steps.laplace_by_count import LaplaceInside
from dpcompose.inversion.few_steps.laplace_cells import LaplaceStep
from dpcompose.inversion.few_steps.lattice_answer import FINEST, FewSteps
from dpcompose.inversion.few_steps.pieces import GREATEST, pieces
from dpcompose.inversion.losses.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.losses.gaussian import GaussianSum
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.randomized_response import TwoPointSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.unreachable import OutOfReach

FEW = 20
"""Below this number of steps: two lattices first, then a line."""
SEVERAL = 200
"""Up to this number of steps whose transforms are slow: two lattices instead of a line."""
MOST_FEW = 10**7
"""Above this number of steps: no lattices at all."""
DIFFERENT = 20
"""Up to this number of summands no kind stands for another one."""
TOO_DIFFERENT = 60
"""Above this number of kinds of steps their atoms do not fit on one lattice, and a line is no longer slow."""
SHARP = 1e-7
"""For gaps below this a line is tried before two lattices."""
RARE = 1e-4
"""Below this rate the transform of a sampled Gaussian takes long to follow."""
LEAST_NOISE = 0.2
"""Below this noise, too."""
MOST_NOISE = 50
"""And above this one."""


DENSE = (LaplaceLoss, SampledGaussianLoss, SampledLaplaceLoss)
"""Losses with a density."""


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


def divided(summands: Sequence[LossSum]) -> list[tuple[Divisible, int]]:
    """Every step, with its count."""
    return [piece for summand in summands for piece in pieces(summand)]


def small_sum(summands: Sequence[LossSum]) -> SmallSum | None:
    """Few ways in which the sum can come about, or few steps; or None."""
    plain = all(isinstance(s, GaussianSum) for s in summands)
    if plain or len(summands) > SEVERAL or sum(s.steps for s in summands) > MOST_FEW:
        return None
    try:
        parts = divided(summands)
    except OutOfReach:
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


class Method(Enum):
    """The method that answers: a saddle line, or what serves small sums."""

    LINE = "line"
    SMALL = "small"


BY_LINE = (Method.LINE, Method.SMALL)


def goes_by_line(summands: Sequence[LossSum]) -> bool:
    """Whether a line comes first, as soon told: steps of several kinds, some with a density, and many or none slow; or
    atoms whose sums are too many to be listed.
    """
    steps = sum(1 if isinstance(s, GaussianSum) else s.steps for s in summands)
    many = steps > SEVERAL or (steps >= FEW and not any(is_slow(s) for s in summands))
    if any(has_density(s) for s in summands):
        return many and len(summands) > 1
    return many and math.prod(map(_fewest_ways, summands)) > MOST_WAYS


def _fewest_ways(summand: LossSum) -> int:
    """No more than the number of sums, if no step has fewer than two atoms."""
    match summand:
        case TwoPointSum(counts=counts):
            return math.prod(int(n) + 1 for n in counts.tolist())
        case Repeated(loss=DiscreteGaussianLoss(), count=count):
            return math.comb(count + 2, 2)
        case _:
            return summand.steps + 1


def has_density(summand: LossSum) -> bool:
    """Whether its losses are not all atoms."""
    return isinstance(summand, GaussianSum) or (isinstance(summand, Repeated) and isinstance(summand.loss, DENSE))


def ways_to(small: SmallSum | None, summands: Sequence[LossSum], tolerance: float) -> tuple[Method, ...]:
    """The ways worth trying, the better first."""
    if small is None:
        return (Method.LINE,)
    steps = sum(s.steps for s in summands)
    alike = len(summands) <= TOO_DIFFERENT and steps <= SEVERAL
    if isinstance(small, Enumerated) or (alike and any(is_slow(s) for s in summands)):
        return (Method.SMALL,)
    if isinstance(small, LaplaceInside):
        return (Method.SMALL, Method.LINE)
    few = sum(1 if isinstance(s, GaussianSum) else s.steps for s in summands) < FEW
    if few and all(isinstance(piece, LaplaceStep) for piece, _ in divided(summands)):
        return (Method.SMALL,)  # half of their mass sits in atoms
    smooth = any(is_smooth(s) for s in summands)
    return (Method.SMALL, Method.LINE) if few and not smooth and tolerance >= SHARP else BY_LINE


def suffices(gap: float, way: Method, tolerance: float) -> bool:
    """Whether no other way need be tried: a line for few steps is slow, and two lattices do not come closer than so."""
    return gap <= (10.0 * tolerance if way is Method.SMALL else max(tolerance, FINEST))


def is_smooth(summand: LossSum) -> bool:
    """Whether the transform decays fast, at first."""
    loss = summand.loss if isinstance(summand, Repeated) else None
    return isinstance(summand, GaussianSum) or isinstance(loss, DiscreteGaussianLoss)


def is_slow(summand: LossSum) -> bool:
    """Whether some such steps have a transform that takes too long to follow."""
    loss = summand.loss if isinstance(summand, Repeated) else None
    if not isinstance(loss, SampledGaussianLoss):
        return False
    return loss.rate < RARE or not LEAST_NOISE <= float(loss.noise_std) <= MOST_NOISE
