r"""Mechanisms whose losses are finitely many points of a lattice: two-sided geometric noise, and the staircase."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcompose.inversion.losses.finite import ListedLoss
from dpcompose.inversion.losses.protocols import Lattice
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF

LIGHT = 1e-300


def lost(kept: NDArray[np.bool_]) -> Enclosure:
    """Atoms too light for floats: between nothing and all of their mass may leak."""
    return Enclosure(0.0, 2.0 * LIGHT * float(np.sum(~kept)))


def geometric_loss(scale: Real, sensitivity: int) -> ListedLoss:
    r"""Noise with $P(x) \propto r^{|x|}$, $r = e^{-1/\text{scale}}$, on an integer query of sensitivity $\Delta$.

    The loss is $(|x-\Delta|-|x|)/\text{scale}$: $\Delta/\text{scale}$ for $x \le 0$ (probability $1/(1+r)$),
    $-\Delta/\text{scale}$ for $x \ge \Delta$ ($r^\Delta/(1+r)$), and $(\Delta-2x)/\text{scale}$ in between
    ($r^x(1-r)/(1+r)$).
    """
    size = float(ball(1) / ball(scale))
    x = np.arange(sensitivity + 1, dtype=np.float64)
    top = enclose(lambda: 1 / (1 + (-ball(1) / ball(scale)).exp()))
    share = enclose(lambda: (ball(1) / ball(scale) / 2).tanh())  # (1-r)/(1+r)
    weights = share.upper * np.exp(-size * x)
    weights[0] = top.upper
    weights[-1] = top.upper * np.exp(-size * sensitivity)
    losses = size * (sensitivity - 2.0 * x)
    weight_error = LIBM + 4.0 * UNIT_ROUNDOFF * (2.0 + size * x)
    lattice = Lattice(-size * sensitivity, 2.0 * size, 2.0 * UNIT_ROUNDOFF)
    keep = weights > LIGHT
    return ListedLoss(
        losses[keep], weights[keep], lost(keep), 4.0 * UNIT_ROUNDOFF * np.abs(losses[keep]), weight_error[keep], lattice
    )


def staircase_loss(epsilon: Real, gamma: Real) -> ListedLoss:
    r"""The staircase mechanism: the loss is $\pm\varepsilon$ or 0.

    With $g = \min(\gamma,1-\gamma)$ and $A = (1-e^{-\varepsilon})/\bigl(2(\gamma+e^{-\varepsilon}(1-\gamma))\bigr)$,
    $P(L=\varepsilon) = \frac12+Ag$, $P(L=-\varepsilon) = e^{-\varepsilon}(\frac12+Ag)$, and the rest is at 0.
    """

    def level() -> tuple[Ball, Ball, Ball]:
        e, c = (-ball(epsilon)).exp(), ball(gamma)
        height = (1 - e) / (2 * (c + e * (1 - c)))
        least = c if gamma <= 0.5 else 1 - c
        rest = height * (1 - 2 * c) * e if gamma <= 0.5 else height * (2 * c - 1)
        return ball(1) / 2 + height * least, rest, e * (ball(1) / 2 + height * least)

    weights = np.array([float(enclose(lambda i=i: level()[i]).upper) for i in range(3)])  # type: ignore[misc]
    size = float(ball(epsilon))
    losses = np.array([size, 0.0, -size])
    keep = weights > LIGHT
    lattice = Lattice(-size, size, 2.0 * UNIT_ROUNDOFF)
    return ListedLoss(
        losses[keep],
        weights[keep],
        lost(keep),
        2.0 * UNIT_ROUNDOFF * np.abs(losses[keep]),
        4.0 * UNIT_ROUNDOFF,
        lattice,
    )
