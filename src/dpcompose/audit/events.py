"""Events: sets of outputs. An event is fixed before the outputs are seen on which it is counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dpcompose.audit.clopper_pearson import Trials
from dpcompose.parameters import short

Numbers = NDArray[np.float64]
Outputs = Numbers | Sequence[Hashable]
_SHOWN = 4


class Event(ABC):
    """A set of outputs."""

    numeric: ClassVar[bool] = True
    """Whether the event is about numbers."""

    @abstractmethod
    def happened(self, outputs: Any) -> int:
        """How many of the outputs lie in the event."""

    def count(self, outputs: Any) -> Trials:
        """How many of how many outputs lie in the event."""
        return Trials(self.happened(outputs), len(outputs))


@dataclass(frozen=True, slots=True)
class AtLeast(Event):
    """The output is a number of at least the threshold."""

    threshold: float

    def happened(self, outputs: Numbers) -> int:
        """How many outputs are at least the threshold."""
        return int(np.count_nonzero(outputs >= self.threshold))

    def __str__(self) -> str:
        return f"output ≥ {short(self.threshold)}"


@dataclass(frozen=True, slots=True)
class AtMost(Event):
    """The output is a number of at most the threshold."""

    threshold: float

    def happened(self, outputs: Numbers) -> int:
        """How many outputs are at most the threshold."""
        return int(np.count_nonzero(outputs <= self.threshold))

    def __str__(self) -> str:
        return f"output ≤ {short(self.threshold)}"


@dataclass(frozen=True, slots=True)
class Between(Event):
    """The output is a number in one of the chosen cells; cell `i` begins at `cuts[i-1]` and ends before `cuts[i]`."""

    cuts: tuple[float, ...]
    cells: frozenset[int]

    def happened(self, outputs: Numbers) -> int:
        """How many outputs lie in the chosen cells."""
        sizes = cell_sizes(np.array(self.cuts), outputs)
        return int(sizes[sorted(self.cells)].sum())

    def __str__(self) -> str:
        ends = ("-∞", *(f"{short(cut)}" for cut in self.cuts), "∞")
        runs = _runs(sorted(self.cells))
        return "output in " + _some([f"[{ends[first]}, {ends[last + 1]})" for first, last in runs], " or ")


@dataclass(frozen=True, slots=True)
class OneOf(Event):
    """The output is one of these outcomes."""

    numeric: ClassVar[bool] = False
    outcomes: frozenset[Hashable]

    def happened(self, outputs: Sequence[Hashable]) -> int:
        """How many outputs are among these."""
        return sum(output in self.outcomes for output in outputs)

    def __str__(self) -> str:
        return "output in {" + _some(sorted(f"{outcome!r:.40}" for outcome in self.outcomes), ", ") + "}"


def cell_sizes(cuts: Numbers, outputs: Numbers) -> NDArray[np.int64]:
    """The number of outputs in each of the cells between the cuts."""
    cells = np.searchsorted(cuts, outputs, side="right")
    return np.bincount(cells, minlength=len(cuts) + 1).astype(np.int64)


def _runs(cells: list[int]) -> list[tuple[int, int]]:
    """Runs of neighbouring cells: the first and the last cell of each."""
    runs: list[tuple[int, int]] = []
    for cell in cells:
        if runs and runs[-1][1] == cell - 1:
            runs[-1] = (runs[-1][0], cell)
        else:
            runs.append((cell, cell))
    return runs


def _some(items: list[str], separator: str) -> str:
    more = len(items) - _SHOWN
    shown = items[:_SHOWN] + ([f"{more} more"] if more > 0 else [])
    return separator.join(shown)


__all__ = ["AtLeast", "AtMost", "Between", "Event", "Numbers", "OneOf", "Outputs", "cell_sizes"]
