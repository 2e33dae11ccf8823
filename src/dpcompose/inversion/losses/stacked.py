"""Many different steps of one kind as one sum, followed in arrays; the same answers, without a loop over the steps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Protocol

import numpy as np

from dpcompose.inversion.losses.decay import Layers
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import Cumulants, Logarithm, LossSum, RepeatableLoss
from dpcompose.inversion.losses.repeated import RUNGS, Repeated, power
from dpcompose.inversion.losses.rows import TiltedSteps
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss
from dpcompose.numerics.enclosure import ZERO
from dpcompose.numerics.rounding import SLACK, UNIT_ROUNDOFF, Floats, Integers, multiples, total_up

MANY = 20
"""Up to this number of different steps of a kind that has jumps each is followed by itself, so that they can be put
back.
"""
SEVERAL = 8
"""The same for kinds that have none."""
ALIKE = 2.0
"""The greatest ratio of the places of a stack's rows."""


class LawRows(Protocol):
    """The laws of different steps, one a row."""

    has_jumps: bool
    """Whether something far up may have to be trimmed."""

    @property
    def deficit(self) -> tuple[float | Floats, float | Floats]:
        """What is trimmed of each, and a bound on its error."""

    def cumulants(self, tilt: float, counts: Floats) -> Cumulants:
        """Uncertified K, K' and K'' of all together, for searches."""

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedSteps:
        """The certified laws at this tilt."""

    def reaching(self, before: TiltedSteps, tilt: float, reach: float, error: float) -> TiltedSteps:
        """The same laws, for frequencies up to another reach."""

    def layers(self, tilt: float, moments: tuple[Floats, Floats]) -> Layers:
        """Uniform pieces under each density, for its decay."""

    def trimmed(self, log_mass: Floats, sharpness: int) -> LawRows:
        """Each with its far upper tail taken away, if it has one."""


@dataclass(frozen=True, eq=False)
class TiltedStack:
    """All steps of a stack, tilted."""

    rows: LawRows
    step: TiltedSteps
    counts: Floats
    before: TiltedStack | None = None
    """The same, laid for another reach."""

    @cached_property
    def layers(self) -> Layers:
        """Uniform pieces under each density, for its decay, however far the quadrature reaches."""
        if self.before is not None:
            return self.before.layers
        return self.rows.layers(self.step.tilt, self.step.moments)

    def _total(self, column: Floats) -> tuple[float, float]:
        """The sum over all steps, and a bound on its rounding."""
        terms = (self.counts * column).ravel().tolist()
        return math.fsum(terms), 2.0 * UNIT_ROUNDOFF * math.fsum(map(abs, terms))

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""
        return self._total(self.step.moments[0])[0]

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        return self._total(self.step.moments[1])[0] * SLACK + self._total(self.step.moments[0])[1]

    @property
    def centre(self) -> float:
        """Where the characteristic function is centred."""
        return self._total(self.step.centre)[0]

    @property
    def centre_error(self) -> float:
        """An upper bound on the absolute error of `centre`."""
        return self._total(self.step.centre)[1]

    def beside(self, tilt: float) -> TiltedStack | None:  # noqa: ARG002 - laid anew
        """None: other tilts have nodes of their own."""
        return None

    def reaching(self, reach: float, error: float) -> TiltedStack:
        """The same laws, for frequencies up to another reach."""
        return replace(self, step=self.rows.reaching(self.step, self.step.tilt, reach, error), before=self)

    def logarithm(self, spacing: float, indices: Integers) -> Logarithm:
        """The logarithm of the characteristic function, with its error."""
        modulus, phase, error = power(*self.step.characteristic(spacing, indices), self.counts)
        rounding = UNIT_ROUNDOFF * len(modulus) * (np.abs(modulus) + np.abs(phase)).sum(axis=0)
        return Logarithm(modulus.sum(axis=0), phase.sum(axis=0), (error.sum(axis=0) + rounding) * SLACK)

    def log_decay(self, frequencies: Floats) -> Floats:
        r"""Upper bounds on $\ln|\varphi|$ at and beyond each frequency."""
        total: Floats = (self.counts * self.layers.log_decay(frequencies)).sum(axis=0) * (1.0 - 1e-12)
        return total

    def log_bound(self, spacing: float, indices: Integers) -> Floats:
        """The moduli, or the decay beyond the next lower rung of a ladder of frequencies."""
        moduli = self.step.log_modulus(spacing, indices, self.counts)
        if moduli is not None:
            return moduli
        frequencies = multiples(spacing, indices)
        rungs = np.geomspace(frequencies[0], frequencies[-1], RUNGS // 4)
        rungs[0] = frequencies[0]
        return self.log_decay(rungs)[np.searchsorted(rungs, frequencies, side="right") - 1]


@dataclass(frozen=True, eq=False)
class Stack:
    """Independent steps, each with its count."""

    members: Sequence[Repeated]
    rows: LawRows

    leak = ZERO
    lattice = None

    @cached_property
    def counts(self) -> Floats:
        """How often each occurs, as a column."""
        return np.array([[float(m.count)] for m in self.members])

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return sum(m.count for m in self.members)

    @cached_property
    def supremum(self) -> float:
        """An upper bound on every finite loss."""
        return total_up([m.supremum for m in self.members])

    @property
    def is_unbounded(self) -> bool:
        """Whether some finite loss exceeds every number."""
        return any(m.is_unbounded for m in self.members)

    @property
    def total_variation(self) -> float:
        """An upper bound on the total variation distance."""
        return min(1.0, math.fsum(m.count * m.loss.total_variation for m in self.members) * (1.0 + 1e-12))

    @cached_property
    def trim_lost(self) -> float:
        """An upper bound on the probability removed by trimming."""
        lost, error = self.rows.deficit
        return min(1.0, float((self.counts * (lost + error)).sum()) * (1.0 + 1e-12))

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return self.rows.cumulants(tilt, self.counts)

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedStack:
        """The certified law at this tilt."""
        return TiltedStack(self.rows, self.rows.tilted(tilt, reach, error), self.counts)

    def trimmed(self, log_mass: float, sharpness: int) -> Stack:
        """With the far upper tail of each step taken away, if it has one."""
        return replace(self, rows=self.rows.trimmed(log_mass - np.log(self.counts * len(self.members)), sharpness))

    def jumps(self, log_mass: float) -> tuple[Sequence[RepeatableLoss], float]:  # noqa: ARG002 - too many kinds of them
        """Nothing is put back: all that is trimmed stays hidden."""
        return [], self.trim_lost

    def fewer(self, count: int) -> Stack:  # noqa: ARG002 - there are no jumps to be taken out
        """This sum itself."""
        return self

    def dominating(self) -> Sequence[LossSum]:
        """Something simpler that is worse, step by step."""
        return [worse for m in self.members for worse in m.dominating()]


@cache
def kinds() -> dict[type, Any]:
    """What is stacked, and on which rows; they are read where many different steps are."""
    from dpcompose.inversion.losses.laplace_rows import LaplaceRows
    from dpcompose.inversion.losses.sampled_gaussian.rows import SampledGaussianRows
    from dpcompose.inversion.losses.sampled_laplace_rows import SampledLaplaceRows

    return {
        LaplaceLoss: LaplaceRows,
        SampledGaussianLoss: SampledGaussianRows,
        SampledLaplaceLoss: SampledLaplaceRows,
    }


def stacked(summands: Sequence[LossSum]) -> Sequence[LossSum]:
    """The same sum, with many different steps of a kind put together."""
    if len(summands) <= min(MANY, SEVERAL):
        return summands
    groups: dict[tuple[type, Hashable], list[Repeated]] = defaultdict(list)
    others: list[LossSum] = []
    for s in summands:
        key = _key(s) if isinstance(s, Repeated) else None
        if isinstance(s, Repeated) and key is not None:
            groups[type(s.loss), key].append(s)
        else:
            others.append(s)
    for (kind, _), members in groups.items():
        rows = kinds()[kind]
        others += _in_stacks(rows, members) if len(members) > (MANY if rows.has_jumps else SEVERAL) else members
    return others


def _key(summand: Repeated) -> Hashable | None:
    """Which steps may lie on one stack with these; None where they are better followed by themselves."""
    rows = kinds().get(type(summand.loss))
    return rows.key(summand.loss) if rows is not None and summand.count <= rows.most_equal else None


def _in_stacks(rows: Any, members: Sequence[Repeated]) -> Sequence[Stack]:
    """Those that need about as many nodes in one."""
    parts: list[list[Repeated]] = []
    least = math.inf
    for place, m in sorted(((rows.place(m.loss), m) for m in members), key=lambda each: each[0]):
        if not parts or len(parts[-1]) == rows.tallest or place > ALIKE * least:
            parts.append([])
            least = place
        parts[-1].append(m)
    return [Stack(part, rows.of([m.loss for m in part])) for part in parts]
