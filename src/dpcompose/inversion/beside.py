r"""Two laws on a lattice with a step's law between them.

The profile is a mean of $(1-e^{\varepsilon-s-l})_+$ over the loss $l$ of one step, whatever the rest $s$ may be: a
function that increases in $l$ and is convex in $e^{-l}$. Let a cell $[e_j, e_{j+1})$ have the mass $p_j$ and the excess
$x_j = \int(1-e^{e_j-l})dP$.

* *above*: the chord. Both ends of the cell share $p_j$ so that $\int e^{-l}dP$ stays: the upper end gets
  $x_j/(1-e^{-h})$.
* *below*: merging (Jensen), then rounding down (monotony). A part $\lambda_j$ of each cell goes to its lower edge, the
  rest to its upper edge; outcomes that meet at $e_j$ are merged, and may be counted there if together they do not lie
  below it: $\lambda_jx_j \ge (1-\lambda_{j-1})\,d_{j-1}$ with the deficit $d_{j-1} = \int(e^{e_j-l}-1)dP$ of the cell
  below. From the top down, as much as possible goes up.

Both move the profile by $O(h^2)$ a step. Doubts about masses and excesses are settled upwards above, downwards below.
"""

from __future__ import annotations

import numpy as np

from dpcompose.inversion.cut import Cells
from dpcompose.inversion.rounding import UNIT, Floats

FAINT = 1e-290


def above(cells: Cells, span: float) -> Floats:
    """The greater law: weights at the edges."""
    mass = cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT)
    share = -np.expm1(-span)
    moved = np.minimum((cells.excess + cells.excess_error) / share * (1.0 + 16.0 * UNIT), mass)
    weights = np.zeros(mass.size + 1)
    weights[:-1] = mass - moved
    weights[1:] += moved
    weights[0] += cells.under
    weights *= 1.0 + 8.0 * UNIT
    weights[weights < FAINT] = FAINT
    return weights


def generous(cells: Cells, span: float) -> Floats:
    r"""At least the weights of the chord, at either end of a cell: any positive function convex in $e^{-l}$ has no
    smaller a sum over them than its mean over the cells.
    """
    mass = cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT)
    share = -np.expm1(-span)
    most = np.minimum((cells.excess + cells.excess_error) / share * (1.0 + 16.0 * UNIT), mass)
    least = np.clip((cells.excess - cells.excess_error) / share * (1.0 - 16.0 * UNIT), 0.0, mass)
    weights = np.zeros(mass.size + 1)
    weights[:-1] = mass - least
    weights[1:] += most
    weights *= 1.0 + 8.0 * UNIT
    return weights


def below(cells: Cells, span: float) -> Floats:
    """The lesser law: weights at the edges."""
    mass = cells.mass * (1.0 - cells.mass_error - 4.0 * UNIT)
    excess = np.maximum(cells.excess - cells.excess_error, 0.0)
    stays = staying(cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT), excess, span)
    weights = np.zeros(mass.size + 1)
    weights[:-1] = stays * mass
    weights[1:] += (1.0 - stays) * mass
    weights *= 1.0 - 8.0 * UNIT
    weights[weights < FAINT] = 0.0
    return weights


def staying(most: Floats, excess: Floats, span: float, top: float = 1.0) -> Floats:
    r"""$\lambda_j$, from the `top` down: $1-\lambda_j = \min(1, \lambda_{j+1}x_{j+1}/d_j)$, masses given from above and
    excesses from below.
    """
    # The deficit at the upper edge, e^h((1-e^{-h})p - x), rounded up: the product first, as most of it may cancel.
    share = -np.expm1(-span) * (1.0 + 16.0 * UNIT)
    deficit = np.exp(span) * np.maximum(share * most - excess, 0.0) * (1.0 + 32.0 * UNIT) + FAINT
    ratios = excess[1:] / deficit[:-1] * (1.0 - 8.0 * UNIT)
    stay, found = top, []
    for ratio in ratios[::-1].tolist():
        up = stay * ratio
        stay = min(1.0 - up + UNIT, 1.0) if up < 1.0 else 0.0  # rounded up: little may go up where much stays
        found.append(stay)
    return np.array([*found[::-1], top])
