"""How any sketch is made: the budget is charged and the source tested, then the data is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dpcompose.release.charge import Budget, Charge
from dpcompose.release.sampling import RandomSource, watched
from dpcompose.release.sketches.noise import Floats, on_grid
from dpcompose.release.sketches.store import blocks, place


@dataclass(frozen=True, slots=True)
class Draft:
    """A sketch to be made: its size, its grid, its price, and the function that fills it."""

    lines: int
    rows: int
    step: float
    charge: Charge
    look: Callable[[], None]
    """Refuses data of the wrong type or shape; nothing is drawn or charged yet."""
    fill: Callable[[Floats, RandomSource], None]
    """Fills an array of zeros: the noise first, so that nothing without noise is ever stored."""

    def made(self, budget: Budget | None, source: RandomSource, into: str | Path | None) -> Floats:
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
