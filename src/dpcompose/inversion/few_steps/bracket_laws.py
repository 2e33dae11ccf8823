r"""Two laws on a lattice with a step's law between them.

The profile is a mean of $(1-e^{\varepsilon-s-l})_+$ over the loss $l$ of one step, whatever the rest $s$ may be: a
function that increases in $l$ and is convex in $e^{-l}$. Let a cell $[e_j, e_{j+1})$ have the mass $p_j$ and the
excess $x_j = \int(1-e^{e_j-l})dP$.

* *above*: the chord. Both ends of the cell share $p_j$ so that $\int e^{-l}dP$ stays: the upper end gets
  $x_j/(1-e^{-h})$.
* *below*: merging (Jensen), then rounding down (monotony). A part $\lambda_j$ of each cell goes to its lower edge, the
  rest to its upper edge; outcomes that meet at $e_j$ are merged, and may be counted there if together they do not lie
  below it: $\lambda_jx_j \ge (1-\lambda_{j-1})\,d_{j-1}$ with the deficit $d_{j-1} = \int(e^{e_j-l}-1)dP$ of the cell
  below. From the top down, as much as possible goes up.

Both move the profile by $O(h^2)$ a step. Doubts about masses and excesses are settled upwards above, downwards below.

Where to put a lattice: on the heaviest spot of a law.

A law may have most of its mass in a core narrower than a cell, or end abruptly. Rounded down (`below`), all of that
would lose up to a cell's width a step, unless a lattice point lies exactly where it merges to. Nothing here is
certified: any lattice is valid.
"""

from __future__ import annotations

import numpy as np

from dpcompose.inversion.few_steps.cells import Cells, Divisible, Mesh
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Floats
from dpcompose.numerics.search import root

FAINT = 1e-290


def above(cells: Cells, span: float) -> Floats:
    """The greater law: weights at the edges."""
    mass = cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT_ROUNDOFF)
    share = -np.expm1(-span)
    moved = np.minimum((cells.excess + cells.excess_error) / share * (1.0 + 16.0 * UNIT_ROUNDOFF), mass)
    weights = np.zeros(mass.size + 1)
    weights[:-1] = mass - moved
    weights[1:] += moved
    weights[0] += cells.under
    weights *= 1.0 + 8.0 * UNIT_ROUNDOFF
    weights[weights < FAINT] = FAINT
    return weights


def upper_weights(cells: Cells, span: float) -> Floats:
    r"""Upper bounds on the weights of the chord, at either end of a cell: any positive function convex in $e^{-l}$
    has no smaller a sum over them than its mean over the cells.
    """
    mass = cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT_ROUNDOFF)
    share = -np.expm1(-span)
    most = np.minimum((cells.excess + cells.excess_error) / share * (1.0 + 16.0 * UNIT_ROUNDOFF), mass)
    least = np.clip((cells.excess - cells.excess_error) / share * (1.0 - 16.0 * UNIT_ROUNDOFF), 0.0, mass)
    weights = np.zeros(mass.size + 1)
    weights[:-1] = mass - least
    weights[1:] += most
    weights *= 1.0 + 8.0 * UNIT_ROUNDOFF
    return weights


def below(cells: Cells, span: float) -> Floats:
    """The lesser law: weights at the edges."""
    mass = cells.mass * (1.0 - cells.mass_error - 4.0 * UNIT_ROUNDOFF)
    excess = np.maximum(cells.excess - cells.excess_error, 0.0)
    stays = share_kept_low(cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT_ROUNDOFF), excess, span)
    weights = np.zeros(mass.size + 1)
    weights[:-1] = stays * mass
    weights[1:] += (1.0 - stays) * mass
    weights *= 1.0 - 8.0 * UNIT_ROUNDOFF
    weights[weights < FAINT] = 0.0
    return weights


def share_kept_low(most: Floats, excess: Floats, span: float, top: float = 1.0) -> Floats:
    r"""$\lambda_j$, from the `top` down: $1-\lambda_j = \min(1, \lambda_{j+1}x_{j+1}/d_j)$, masses given from above
    and excesses from below.
    """
    # The deficit at the upper edge, e^h((1-e^{-h})p - x), rounded up: the product first, as most of it may cancel.
    share = -np.expm1(-span) * (1.0 + 16.0 * UNIT_ROUNDOFF)
    deficit = np.exp(span) * np.maximum(share * most - excess, 0.0) * (1.0 + 32.0 * UNIT_ROUNDOFF) + FAINT
    ratios = excess[1:] / deficit[:-1] * (1.0 - 8.0 * UNIT_ROUNDOFF)
    stays = np.ones(ratios.size + 1)  # where nothing is above to be merged with, all stays
    stays[-1] = top
    stay, before = top, ratios.size
    places = np.flatnonzero(ratios > 0.0)[::-1]
    found = []
    for place, ratio in zip(places.tolist(), ratios[places].tolist(), strict=True):
        up = ratio * (stay if place == before - 1 else 1.0)
        stay = min(1.0 - up + UNIT_ROUNDOFF, 1.0) if up < 1.0 else 0.0  # rounded up: little may go up where much stays
        before = place
        found.append(stay)
    stays[places] = found
    return stays


NEIGHBOURS = 60
"""Cells above the spot that still matter for the share that stays in each: the memory of that recursion is short."""
EXACTLY, EVALUATIONS = 1e-7, 40
"""How near the spot a lattice point is brought, in cells, and how often it is tried."""


def best_offset(piece: Divisible, span: float, log_mass: float) -> float:
    r"""A place $m$ near the most massive window where the surplus of the cell above $m$, beside what it sends up, just
    makes up for the deficit of the whole cell below; or any place, where there is none.
    """
    sketch = piece.sketch(log_mass)
    order = np.argsort(sketch.losses, kind="stable")
    losses = sketch.losses[order]
    mass = np.concatenate([[0.0], np.cumsum(sketch.weights[order])])
    ends = np.searchsorted(losses, losses + span, side="right")
    middle = float(losses[int(np.argmax(mass[ends] - mass[:-1]))])

    def imbalance(share: float) -> float:
        cells = piece.cut(Mesh(middle + share * span, span, -1, NEIGHBOURS + 1), log_mass)
        stays = share_kept_low(cells.mass, cells.excess, span, top=0.5)
        deficit = np.exp(span) * (-np.expm1(-span) * cells.mass[0] - cells.excess[0])
        return float(stays[1] * cells.excess[1] - deficit)

    return middle + root(imbalance, 0.0, 1.0, EXACTLY, EVALUATIONS) * span
