r"""Where to put a lattice: on the heaviest spot of a law.

A law may have most of its mass in a core narrower than a cell, or end abruptly. Rounded down (`beside.below`), all of
that would lose up to a cell's width a step, unless a lattice point lies exactly where it merges to. Nothing here is
certified: any lattice is valid.
"""

from __future__ import annotations

import numpy as np

from dpcompose.inversion.beside import staying
from dpcompose.inversion.cut import Divisible, Mesh

NEIGHBOURS = 60
"""Cells above the spot that still matter for the share that stays in each: the memory of that recursion is short."""
EVALUATIONS = 40


def heaviest(piece: Divisible, span: float, log_mass: float) -> float:
    r"""A place $m$ near the most massive window where the surplus of the cell above $m$, beside what it sends up, just
    makes up for the deficit of the whole cell below; or any place, where there is none.
    """
    sketch = piece.sketch(log_mass)
    order = np.argsort(sketch.losses, kind="stable")
    losses = sketch.losses[order]
    mass = np.concatenate([[0.0], np.cumsum(sketch.weights[order])])
    ends = np.searchsorted(losses, losses + span, side="right")
    middle = float(losses[int(np.argmax(mass[ends] - mass[:-1]))])

    def imbalance(place: float) -> float:
        cells = piece.cut(Mesh(place, span, -1, NEIGHBOURS + 1), log_mass)
        stays = staying(cells.mass, cells.excess, span, top=0.5)
        deficit = np.exp(span) * (-np.expm1(-span) * cells.mass[0] - cells.excess[0])
        return float(stays[1] * cells.excess[1] - deficit)

    low, high = middle, middle + span
    at_low, at_high = imbalance(low), imbalance(high)
    if not at_low > 0.0 > at_high:
        return middle
    for _ in range(EVALUATIONS):  # Illinois
        place = low + (high - low) * at_low / (at_low - at_high)
        found = imbalance(place)
        if found > 0.0:
            low, at_low, at_high = place, found, 0.5 * at_high
        else:
            high, at_high, at_low = place, found, 0.5 * at_low
        if high - low <= 1e-7 * span or abs(found) <= 1e-9 * span * (mass[-1] or 1.0):
            break
    return low
