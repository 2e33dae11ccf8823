r"""One step with its outcomes cut along the loss, for few steps: what each cell holds of $P$ and of $Q$.

Edges lie at $a + hj$. Of a cell $[e_j, e_{j+1})$ two numbers are enough:

$$p_j = P(\text{cell}),\qquad x_j = \int_{\text{cell}}(1-e^{e_j-l})\,dP = p_j - e^{e_j}Q(\text{cell}),$$

the second computed from its integrand, so that nothing cancels. Both come with bounds on their errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from dpcompose.numerics.enclosure import ZERO, Enclosure
from dpcompose.numerics.rounding import Floats


class Mesh(NamedTuple):
    """The edges `offset + span * (first + i)` for `i` from 0 to `cells`."""

    offset: float
    span: float
    first: int
    cells: int

    @classmethod
    def over(cls, offset: float, span: float, low: float, high: float) -> Mesh:
        """The mesh whose cells cover `low` to `high`, with at least one cell."""
        first, last = math.floor((low - offset) / span - 1e-6), math.ceil((high - offset) / span + 1e-6)
        return cls(offset, span, first, max(last - first, 1))

    @property
    def edges(self) -> Floats:
        """All of them, from the lowest."""
        return self.offset + self.span * np.arange(self.first, self.first + self.cells + 1, dtype=np.float64)

    @property
    def lowest(self) -> float:
        """The first edge."""
        return self.offset + self.span * self.first


class Cells(NamedTuple):
    """What the cells of a mesh hold, and what lies outside. `mass` and `excess` are values, with the errors below."""

    mass: Floats
    excess: Floats
    mass_error: float
    """An upper bound on the relative error of every mass."""
    excess_error: Floats
    """Upper bounds on the absolute errors of the excesses, cell by cell."""
    blur: float
    """An upper bound on how far, in loss, an outcome may lie outside the cell in which it is counted."""
    under: float
    """An upper bound on the probability below the first edge."""
    over: Enclosure = ZERO
    """The probability of a finite loss beyond the last edge."""
    over_image: Enclosure = ZERO
    r"""$\int e^{-l}dP$ over the same."""
    log_over_image: float = math.inf
    """An upper bound on its logarithm, for where no float holds it."""
    kept: float = 1.0
    """A lower bound on the probability of a finite loss."""
    image: float = 1.0
    r"""A lower bound on $\int e^{-l}dP$ over all finite losses from the first edge on."""


class Sketch(NamedTuple):
    """Losses and weights for searches; nothing of them is certified."""

    losses: Floats
    weights: Floats


class Divisible(Protocol):
    """A step that can be cut."""

    @property
    def atoms(self) -> Sequence[float]:
        """Single losses that have a probability of their own."""

    @property
    def least(self) -> float:
        """A lower bound on all losses."""

    def reach(self, log_mass: float) -> tuple[float, float]:
        """Losses beyond which about `exp(log_mass)` lies, on either side; the ends, where they come first."""

    def sketch(self, log_mass: float) -> Sketch:
        """Quick nodes down to about that probability."""

    def cut(self, mesh: Mesh, log_mass: float) -> Cells:
        """The cells; up to about `exp(log_mass)` of what is below the last edge may count as `under`."""
