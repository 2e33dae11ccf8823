"""How a sketch comes about, whatever it is of: the budget is asked, the source examined, and then the data is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dpcompose.release.charge import Budget, Charge
from dpcompose.release.sampling import Source, watched
from dpcompose.release.sketches.noise import Floats, on_grid
from dpcompose.release.sketches.store import blocks, place


@dataclass(frozen=True, slots=True)
class Draft:
    """A sketch that is about to be made: its size, its grid, what it costs, and how it is filled."""

    lines: int
    rows: int
    step: float
    charge: Charge
    look: Callable[[], None]
    """Refuse what cannot be sketched; nothing is drawn or charged yet."""
    fill: Callable[[Floats, Source], None]
    """Fill an array of zeros: the noise first, so that nothing without it is ever stored."""

    def made(self, budget: Budget | None, source: Source, into: str | Path | None) -> Floats:
        """The rows to publish. What does not fit is refused before the data is read; what fails later stays charged."""
        if budget is not None:
            budget.check(self.charge)
        drawing = watched(source)
        self.look()
        with place(self.lines, self.rows, into) as rows:
            if budget is not None:
                budget.spend(self.charge)
            self.fill(rows, drawing)
            for block in blocks(self.lines, self.rows):
                rows[block] = on_grid(rows[block], self.step)
        return rows


__all__ = ["Draft"]
