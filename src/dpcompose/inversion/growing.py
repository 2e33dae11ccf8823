r"""What a profile keeps while its composition grows: the line or the lattice of the last answer is asked first.

A new line is built when the old one no longer gives the tolerance, which happens as often as the total grows by some
factor. Where there is no line, since steps are few, the answers before tell where to look for the next one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from dpcompose.inversion.few_steps.kept_lattice import KeptLattice, KeptSteps
from dpcompose.inversion.few_steps.lattice_answer import FewSteps
from dpcompose.inversion.line.kept_line import PATIENT_GROWTH, WORTH_KNOWING, KeptLine
from dpcompose.inversion.line.search import GIVEN_UP
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.methods import SmallSum
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.unreachable import TooManyNodes


@dataclass(eq=False)
class Memory:
    """The line of the last answer, for one order of the pair and one target."""

    line: KeptLine | None = None
    rest: float = 0.0
    """The number of steps from which on a line is looked for again."""
    lattices: list[KeptLattice] = field(default_factory=list)
    """The last lattice, where steps are few."""
    answers: tuple[float, ...] = ()
    """The last two."""

    def expected(self) -> float | None:
        """As far beyond the last answer as that was beyond the one before."""
        before, *last = self.answers or (0.0,)
        return max(2.0 * last[0] - before, 0.5 * last[0]) or None if last else None

    def answered(self, found: Enclosure) -> None:
        """Keep an answer that is tight enough to tell where the next one is."""
        if found.gap <= WORTH_KNOWING:
            self.answers = (*self.answers[-1:], found.upper)

    def small(self, found: SmallSum | None) -> SmallSum | None:
        """Few steps find the lattice of the last answer."""
        return KeptSteps(found.pieces, self.lattices) if isinstance(found, FewSteps) else found

    def solve(self, summands: Sequence[LossSum], low: float, high: float, tolerance: float) -> Enclosure | None:
        """ε from the kept line, or from a new one; None where neither is tight enough."""
        if not low > 0.0:
            return None
        found = self._read(summands, low, high)
        steps = sum(s.steps for s in summands)
        if found.gap > tolerance and steps >= self.rest:
            with suppress(*GIVEN_UP, TooManyNodes):
                self.line = KeptLine.build(summands, math.log(low), tolerance)
            found = self._read(summands, low, high)
            self.rest = PATIENT_GROWTH * steps if found.gap > tolerance else 0.0
        return found if found.gap <= tolerance else None

    def _read(self, summands: Sequence[LossSum], low: float, high: float) -> Enclosure:
        with suppress(*GIVEN_UP, TooManyNodes):
            if self.line is not None:
                return self.line.read(summands, low, high)
        return Enclosure(0.0, math.inf)
