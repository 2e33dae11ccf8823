r"""Few steps with few atoms: every way in which the sum can come about.

A law of atoms $l_j$ with weights $w_j$, $k$ times, has the sums $\sum n_jl_j$ with weights $\frac{k!}{\prod n_j!}\prod
w_j^{n_j}$. Relative errors of weights add up to $k$ times that of one; so do errors of losses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.pointwise import Pointwise
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats

MOST_WAYS = 200_000
"""The greatest number of sums that are listed."""
MOST_STEPS = 1000
"""The greatest count of one kind of step that is listed."""
MOST_ATOMS = 100
"""The greatest number of atoms of one kind of step that is listed."""
UNDERFLOW = 1e-300


def ways(pieces: Sequence[tuple[AtomStep, int]]) -> int:
    """How many sums there are, as far as that matters."""
    found = 1
    for piece, count in pieces:
        small = count <= MOST_STEPS and piece.losses.size <= MOST_ATOMS
        found *= math.comb(count + piece.losses.size - 1, count) if small else MOST_WAYS + 1
        if found > MOST_WAYS:
            break
    return found


@dataclass(frozen=True, eq=False)
class Enumerated(Pointwise):
    """All sums with their weights."""

    losses: Floats
    weights: Floats
    loss_error: float
    weight_error: float

    @cached_property
    def farthest(self) -> float:  # type: ignore[override]
        """Beyond the greatest of all sums."""
        greatest = float(self.losses.max())
        return max(greatest + 2.0 * self.loss_error + 16.0 * UNIT_ROUNDOFF * abs(greatest), 1e-300)

    def _value(self, epsilon: float) -> float:
        above = self.losses > epsilon
        return float((self.weights[above] * -np.expm1(epsilon - self.losses[above])).sum())

    def lower(self, epsilon: float) -> float:
        """A lower bound on δ(ε)."""
        return max(
            0.0, self._value(epsilon + self.loss_error + 4.0 * UNIT_ROUNDOFF * abs(epsilon)) * (1.0 - self.weight_error)
        )

    def upper(self, epsilon: float) -> float:
        """An upper bound on δ(ε)."""
        value = self._value(epsilon - self.loss_error - 4.0 * UNIT_ROUNDOFF * abs(epsilon)) * (1.0 + self.weight_error)
        return min(1.0, value + UNDERFLOW * self.losses.size)  # in this order 1 also stands for what floats have lost


def enumerated(pieces: Sequence[tuple[AtomStep, int]]) -> Enumerated:
    """List every value of the sum with its weight, one kind of step at a time."""
    losses, logs, loss_error, weight_error = np.zeros(1), np.zeros(1), 0.0, 0.0
    for piece, count in pieces:
        more, more_logs = _shared_out(piece, count)
        losses = np.add.outer(losses, more).reshape(-1)
        logs = np.add.outer(logs, more_logs).reshape(-1)
        loss_error += count * (piece.loss_error + 8.0 * UNIT_ROUNDOFF * float(np.abs(piece.losses).max()))
        # Of the logarithms: n ln w and ln n!, each rounded, and their sums.
        size = count * (float(np.abs(np.log(piece.weights)).max()) + math.log(count + 1.0))
        weight_error += (
            count * (piece.weight_error + LIBM) + (2.0 * LIBM + 4.0 * UNIT_ROUNDOFF * piece.losses.size) * size
        )
    weight_error = math.expm1(min((weight_error + 2.0 * LIBM + 64.0 * UNIT_ROUNDOFF) * 1.01, 700.0)) * 1.01
    return Enumerated(losses, np.exp(logs), loss_error * 1.01, weight_error)


def _shared_out(piece: AtomStep, count: int) -> tuple[Floats, Floats]:
    """Every way to share `count` steps out among the atoms: sums, and logarithms of their weights."""
    left = np.array([count])
    factorials = np.array([math.log(math.factorial(n)) for n in range(count + 1)])
    losses, logs = np.zeros(1), np.full(1, factorials[count])
    atoms = list(zip(piece.losses.tolist(), np.log(piece.weights).tolist(), strict=True))
    for place, log_weight in atoms[:-1]:
        repeats = left + 1
        taken = np.arange(int(repeats.sum())) - np.repeat(np.cumsum(repeats) - repeats, repeats)
        losses = np.repeat(losses, repeats) + taken * place
        logs = np.repeat(logs, repeats) + taken * log_weight - factorials[taken]
        left = np.repeat(left, repeats) - taken
    place, log_weight = atoms[-1]
    return losses + left * place, logs + left * log_weight - factorials[left]
