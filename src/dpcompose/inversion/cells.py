r"""A step seen through cells: two finite laws with the true one between them, by post-processing alone.

Cut the outcomes into cells of increasing loss, with probabilities $P_i$ and $Q_i$.

* *below*: report only the cell. That is post-processing, so the profile can only fall: atoms $\ln(P_i/Q_i)$
  of weight $P_i$.
* *above*: replace a cell with losses in $[l_i, l_{i+1}]$ by two atoms at its ends with the same $P$- and
  $Q$-mass. The cell is a mixture of such
  pairs, merged; so the profile can only grow. The upper end's weight is $b =
  (P_i-Q_ie^{l_i})/(1-e^{l_i-l_{i+1}})$, the lower end's
  $P_i - b$. An unbounded last cell has its upper end at $\infty$: a leak.

Both move the profile by a relative $O(k\,t(1+t)\,\mathbb E[h^2])$, $h$ the width of a cell in loss. No
frequency is too high for atoms, which makes
few steps easy, where quadrature would need too many nodes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from flint import arb, ctx

from dpcompose.inversion.finite import FiniteLoss
from dpcompose.inversion.rounding import LIBM, UNIT, Floats, short
from dpcompose.inversion.unreachable import Unreachable
from dpcompose.numerics.enclosure import Ball, Enclosure, ball

if TYPE_CHECKING:
    from dpcompose.inversion.sampled_gaussian import SampledGaussianLoss

BITS = 160
DROPPED = Enclosure(0.0, 1e-280)
"""Atoms too small for a float are left out below, and leak above."""
MOST_CELLS = 30_000


def cells(loss: SampledGaussianLoss, width: float, log_mass: float) -> tuple[FiniteLoss, FiniteLoss]:
    r"""The laws below and above, with cells of about `width` in $x$ and at most about `exp(log_mass)`
    beyond the last.
    """
    sigma = loss.numbers[2]
    reach = sigma * math.sqrt(-2.0 * min(log_mass, -2.0)) + 1.0
    count = math.ceil((2.0 * reach + 1.0) / width)
    if count > 5 * MOST_CELLS:
        raise Unreachable
    count = min(count, MOST_CELLS)
    step = short((2.0 * reach + 1.0) / count, 20)
    edges = step * (np.arange(count + 1.0) - math.floor(reach / step))
    p, q = _masses(loss, edges)
    ratio, ratio_error, _ = loss.log_ratio(edges)
    ends = loss.sign * ratio
    if loss.sign < 0.0:  # let losses increase
        p, q, ends, ratio_error = p[::-1], q[::-1], ends[::-1], ratio_error[::-1]
    return _below(p, q), _above(p, q, ends, ratio_error, loss)


def _masses(loss: SampledGaussianLoss, edges: Floats) -> tuple[Floats, Floats]:
    r"""$P$ and $Q$ of the cells between the edges and of both tails, correctly rounded."""
    with ctx.workprec(BITS):
        rate, scale = ball(loss.rate), ball(loss.noise_std) * arb(2).sqrt()
        plain = _differences([ball(x) / scale for x in edges.tolist()])
        shifted = _differences([(ball(x) - 1) / scale for x in edges.tolist()])
        mixed = [float(a + rate * (b - a)) for a, b in zip(plain, shifted, strict=True)]
    bare = np.array([float(a) for a in plain])
    return (np.array(mixed), bare) if loss.sign > 0.0 else (bare, np.array(mixed))


def _differences(points: list[Ball]) -> list[Ball]:
    """Normal probabilities between the points and beyond the ends, each from the side on which it does not
    cancel.
    """
    left = [(-x).erfc() / 2 if x < 0 else None for x in points]
    right = [None if x < 0 else x.erfc() / 2 for x in points]
    found = [(-points[0]).erfc() / 2]
    for i in range(len(points) - 1):
        a, b, c, d = left[i], left[i + 1], right[i], right[i + 1]
        if a is not None and b is not None:
            found.append(b - a)
        elif c is not None and d is not None:
            found.append(c - d)
        else:
            found.append(
                1 - (-points[i]).erfc() / 2 - points[i + 1].erfc() / 2
                if a is None
                else 1 - a - points[i + 1].erfc() / 2
            )
    return [*found, points[-1].erfc() / 2]


def _below(p: Floats, q: Floats) -> FiniteLoss:
    keep = (p > 1e-290) & (q > 1e-290)
    p, q = p[keep], q[keep]
    losses = np.log(p / q)
    return FiniteLoss(losses, p, DROPPED, LIBM * np.abs(losses) + 4.0 * UNIT, 2.0 * UNIT)


def _above(p: Floats, q: Floats, ends: Floats, ends_error: Floats, loss: SampledGaussianLoss) -> FiniteLoss:
    """Weights at the ends of the cells; where rounding leaves a doubt, mass moves up, which is the safe
    way.
    """
    low, high = ends[:-1], ends[1:]
    inner, inner_q = p[1:-1], q[1:-1]
    gap = np.maximum(-np.expm1(-(high - low)), 1e-300)
    # The error of P - Q e^l, relative to P, is that of l and a few roundings.
    doubt = inner * (4.0 * UNIT + LIBM + 2.0 * ends_error[:-1] + 2.0 * ends_error[1:]) * 2.0
    image = inner_q * np.exp(np.minimum(low, 700.0))
    excess = np.where(low < 700.0, inner - image + doubt, inner)
    moved = np.clip(np.minimum(excess / gap, 2.0) * (1.0 + 8.0 * UNIT), 0.0, inner)
    weights = np.concatenate([inner - moved, [0.0]]) + np.concatenate([[0.0], moved])
    leak = 0.0
    weights[0] += p[0]  # everything below the first edge moves up to it
    if math.isinf(loss.supremum):
        leak = float(p[-1])
    else:  # the last cell's losses end at the supremum
        ends, ends_error = np.append(ends, loss.supremum), np.append(ends_error, 0.0)
        weights = np.append(weights, p[-1])
    error = np.full(weights.shape, 8.0 * UNIT)
    scale = np.concatenate([[0.0], inner]) + np.concatenate([inner, [0.0]])
    error[: scale.size] += 8.0 * UNIT * scale / np.maximum(weights[: scale.size], 1e-300)
    keep = weights > 1e-290
    lost = Enclosure(leak * (1.0 - 4.0 * UNIT), leak * (1.0 + 4.0 * UNIT) + 1e-280)
    return FiniteLoss(ends[keep], weights[keep], lost, ends_error[keep], error[keep])
