r"""The Laplace mechanism with $\varepsilon_0$ = sensitivity / scale.

Under $P$ the loss is $\varepsilon_0$ with probability $\frac12$, $-\varepsilon_0$ with probability
$\frac12e^{-\varepsilon_0}$, and has the density $\frac14e^{(l-\varepsilon_0)/2}$ in between. Atoms and Gauss–Legendre
panels make nodes of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.losses.decay import Layers, level_sets
from dpcompose.inversion.losses.nodes import Nodes, TiltedNodes, quick_cumulants
from dpcompose.inversion.losses.protocols import Cumulants, Loss, LossSum
from dpcompose.inversion.losses.randomized_response import TwoPointLoss
from dpcompose.inversion.losses.repeated import repeat
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real
from dpcompose.numerics.legendre import RADII, log_error, on_ladder, panels
from dpcompose.numerics.rounding import (
    LIBM,
    SLACK,
    UNIT_ROUNDOFF,
    Complexes,
    Floats,
    Integers,
    multiples,
    nearest,
    short,
)
from dpcompose.numerics.unreachable import TooManyNodes

MOST_PANELS = 2000
NEAR = 20.0
r"""Up to $v\varepsilon_0 = 20$ the nodes are the more accurate, beyond it the closed form is."""
CELLS = 96


@dataclass(frozen=True)
class LaplaceLoss:
    r"""One Laplace mechanism; `size` is $\varepsilon_0$, its greatest loss."""

    size: Real

    leak = ZERO
    lattice = None
    is_unbounded = False
    trim_lost = 0.0

    @property
    def number(self) -> float:
        r"""$\varepsilon_0$ as a float."""
        return self._number[0]

    @property
    def number_error(self) -> float:
        """The relative error of `number`."""
        return self._number[1]

    @cached_property
    def _number(self) -> tuple[float, float]:
        return nearest(self.size)

    @property
    def supremum(self) -> float:
        """An upper bound on every finite loss."""
        return Enclosure.exactly(self.size).upper

    @property
    def total_variation(self) -> float:
        r"""$1-e^{-\varepsilon_0/2}$."""
        return min(1.0, -math.expm1(-0.5 * self._number[0]) * (1.0 + 1e-12))

    def dominating(self) -> Sequence[tuple[Loss, int]]:
        """Pure DP: randomized response is the worst of it."""
        return [(TwoPointLoss(self.size), 1)]

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """The sum of all these steps."""
        return repeat([part for part in cast(Sequence[tuple[LaplaceLoss, int]], parts) if part[0].size > 0])

    def trimmed(self, log_mass: float, sharpness: int) -> LaplaceLoss:  # noqa: ARG002 - bounded loss
        """With its far upper tail taken away, if it has one."""
        return self

    def bands(self, log_mass: float) -> tuple[Sequence[LaplaceLoss], float]:  # noqa: ARG002 - nothing is hidden
        """What trimming hides, in bands."""
        return [], 0.0

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        nodes = self._nodes(4)
        return nodes.losses, nodes.log_weights

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        return quick_cumulants(*self._quick, tilt)

    def step(self, tilt: float, reach: float, error: float) -> TiltedLaplace:
        """The certified law of one step at this tilt."""
        near = min(reach, NEAR / self.number)
        if (tilt + 0.5) * self.number > 5.0 * NEAR:  # all but the top atom is negligible
            return TiltedLaplace(self, tilt, None)
        return TiltedLaplace(self, tilt, TiltedNodes(self.nodes(tilt, near, error), tilt))

    def nodes(self, tilt: float, reach: float, error: float) -> Nodes:
        """The number of panels that keeps the phase within a panel moderate."""
        count = max(1, math.ceil(math.hypot(tilt + 0.5, reach) * self._number[0] / 5.0))
        while float(self._quadrature(count, tilt)(np.array([reach]))[0]) > math.log(error) and count <= MOST_PANELS:
            count = math.ceil(1.3 * count)
        if count > MOST_PANELS:
            raise TooManyNodes(count)
        log_bound = self._quadrature(count, tilt)
        plain = self._nodes(count)
        return Nodes(
            plain.losses,
            plain.loss_error,
            plain.log_weights,
            plain.weight_error,
            quadrature=lambda v: np.exp(np.minimum(on_ladder(log_bound, v), 0.0)),
            mass_quadrature=math.exp(min(float(self._quadrature(count, 0.0)(np.zeros(1))[0]), 0.0)),
        )

    def _nodes(self, count: int) -> Nodes:
        e, e_error = self._number
        l, w = panels(-e, e, count)  # noqa: E741
        losses = np.concatenate([l, [e, -e]])
        log_weights = np.concatenate([np.log(0.25 * w) + 0.5 * (l - e), [math.log(0.5), math.log(0.5) - e]])
        loss_error = np.full(losses.shape, (8.0 * UNIT_ROUNDOFF + e_error) * e)
        weight_error = (
            16.0 * UNIT_ROUNDOFF
            + 2.0 * LIBM * (1.0 + np.abs(log_weights))
            + (2.0 * e_error + 8.0 * UNIT_ROUNDOFF) * (1.0 + e)
        )
        return Nodes(losses, loss_error, log_weights, weight_error)

    def _quadrature(self, count: int, tilt: float) -> Callable[[Floats], Floats]:
        r"""$\ln q(v)$: on a panel $l = m + ay$ the integrand is $\frac14ae^{-\varepsilon_0/2}e^{sl}$, $s =
        t+\frac12+iv$, entire, and on the ellipse $|e^{say}| \le
        e^{a((t+1/2)(\varrho+1/\varrho)+v(\varrho-1/\varrho))/2}$. The moment is at least its top atom,
        $\frac12e^{t\varepsilon_0}$.
        """
        e = self._number[0]
        half = e / count
        grow, turn = 0.5 * (RADII + 1.0 / RADII), 0.5 * (RADII - 1.0 / RADII)
        # Σ over panels of e^{(t+½)m} is at most the sum of a geometric series below e^{(t+½)(ε0-a)}.
        ratio = (2.0 * tilt + 1.0) * half
        series = min(math.log(count), -math.log(-math.expm1(-ratio)))
        constant = math.log(0.5 * half) - 0.5 * e + (tilt + 0.5) * (e - half) + series - tilt * e

        def log_quadrature(v: Floats) -> Floats:
            return constant + log_error(half * ((tilt + 0.5) * grow + np.multiply.outer(v, turn)))

        return log_quadrature

    def layers(self, tilt: float, log_moment: Enclosure) -> Layers:
        r"""The tilted density $\frac14e^{(t+1/2)l-\varepsilon_0/2-K}$ increases: the left end of a cell is its
        infimum, TV is twice its top.
        """
        e = self._number[0]
        edges = np.linspace(-e, e, CELLS + 1)
        log_f = (tilt + 0.5) * edges - 0.5 * e - math.log(4.0)
        blur = 1e-9 + 16.0 * UNIT_ROUNDOFF * (tilt + 1.0) * e
        atoms = 0.5 * math.exp(tilt * e - log_moment.lower) * (1.0 + math.exp(-(2.0 * tilt + 1.0) * e)) * math.exp(blur)
        top = math.exp(float(log_f[-1]) - log_moment.lower + blur)
        heights = np.exp(log_f[:-1] - log_moment.upper - blur)
        return level_sets(np.diff(edges) * (1.0 - 1e-12), heights, atoms=min(atoms, 1.0), variation=2.0 * top)


@dataclass(frozen=True, eq=False)
class TiltedLaplace:
    """One step, tilted: nodes at low frequencies, the closed form at high ones."""

    loss: LaplaceLoss
    tilt: float
    low: TiltedNodes | None

    @property
    def is_exact(self) -> bool:
        """Whether there is no quadrature."""
        return self.low is None

    def beside(self, tilt: float) -> TiltedLaplace | None:  # noqa: ARG002 - laid anew
        """None: other tilts have nodes of their own."""
        return None

    @property
    def log_moment(self) -> float:
        r"""From the nodes, or $t\varepsilon_0 + \ln\bigl(\frac12 + \frac14/(t+\frac12)\bigr)$ where
        $e^{-(2t+1)\varepsilon_0}$ is far below rounding.
        """
        if self.low is not None:
            return self.low.log_moment
        return self.tilt * self.loss.number + math.log(0.5 + 0.25 / (self.tilt + 0.5))

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        if self.low is not None:
            return self.low.log_moment_error
        return (2.0 * UNIT_ROUNDOFF + self.loss.number_error) * self.tilt * self.loss.number + 4.0 * LIBM

    @property
    def centre(self) -> float:
        """Where the characteristic function is centred."""
        return short(self.loss.cumulants(self.tilt).slope) if self.low is None else self.low.centre

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        """The characteristic function less 1, with its error."""
        frequencies = multiples(spacing, indices)
        split = int(np.searchsorted(frequencies * self.loss.number, NEAR)) if self.low is not None else 0
        far, far_error = self._closed(frequencies[split:])
        if self.low is None or not split:
            return far, far_error
        near, near_error = self.low.characteristic(spacing, indices[:split])
        return np.concatenate([near, far]), np.concatenate([near_error, far_error])

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:  # noqa: ARG002
        """The trivial bound 0: nothing cheaper than the decay is needed."""
        return np.zeros(indices.shape)

    def _closed(self, v: Floats) -> tuple[Complexes, Floats]:
        r"""$\varphi = (a + f/s)e^{iv(\varepsilon_0-c)} + (b - g/s)e^{-iv(\varepsilon_0+c)}$, $s = t+\frac12+iv$, with
        the tilted atoms $a, b$ and the densities $f, g$ beside them.
        """
        e, t, c = self.loss.number, self.tilt, self.centre
        top, bottom = math.exp(t * e - self.log_moment), math.exp(-(t + 1.0) * e - self.log_moment)
        pole = 1.0 / (t + 0.5 + 1j * v)
        up, down = top * (0.5 + 0.25 * pole), bottom * (0.5 - 0.25 * pole)
        value = up * np.exp(1j * (v * (e - c))) + down * np.exp(-1j * (v * (e + c))) - 1.0
        size = top + bottom
        phase = v * ((4.0 * UNIT_ROUNDOFF + self.loss.number_error) * (e + abs(c)))
        relative = self.log_moment_error + 8.0 * LIBM + (8.0 * UNIT_ROUNDOFF + self.loss.number_error) * (t + 1.0) * e
        return value, size * (relative + phase) * SLACK + 4.0 * UNIT_ROUNDOFF
