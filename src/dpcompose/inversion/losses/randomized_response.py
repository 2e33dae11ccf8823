r"""Randomized response: the loss is $\pm\varepsilon_0$, the worst that pure $\varepsilon_0$-DP allows.

Any number of them, equal or not, is one vectorised sum. Under the tilt, $\pm\varepsilon_0$ have probabilities $p$ and
$1-p$ with $2p-1 = \tanh((t+\frac12)\varepsilon_0)$ and $4p(1-p) = \mathrm{sech}^2((t+\frac12)\varepsilon_0)$, so

$$\varphi(u) = \cos u\varepsilon_0 + i(2p-1)\sin u\varepsilon_0,\qquad |\varphi|^2 = 1 -
4p(1-p)\sin^2u\varepsilon_0 .$$
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from dpcompose.inversion.losses.protocols import Cumulants, Lattice, Logarithm, Loss, LossSum
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import ZERO, Real
from dpcompose.numerics.rounding import (
    LIBM,
    SLACK,
    UNIT_ROUNDOFF,
    Floats,
    Integers,
    combined,
    inner,
    multiples,
    nearest,
    times,
    total_up,
)

CHUNK = 200_000
SUBSET = 256
FEW_KINDS = 16
"""Sums of at most this number of different steps are formed exactly."""


@dataclass(frozen=True)
class TwoPointLoss:
    r"""One randomized response with loss $\pm$ `size`."""

    size: Real

    @classmethod
    def gather(cls, parts: Sequence[tuple[Loss, int]]) -> Sequence[LossSum]:
        """Equal steps once, with their count."""
        counts: dict[Real, int] = {}
        for loss, count in cast(Sequence[tuple[TwoPointLoss, int]], parts):
            if loss.size > 0:
                counts[loss.size] = counts.get(loss.size, 0) + count
        if not counts:
            return []
        numbers = [nearest(step) for step in counts]
        return [
            TwoPointSum(
                np.array([value for value, _ in numbers]),
                np.array([float(count) for count in counts.values()]),
                max(error for _, error in numbers),
                sum(counts.values()),
            )
        ]


@dataclass(frozen=True, eq=False)
class TwoPointSum:
    """A sum of randomized responses: distinct steps and how often each occurs."""

    sizes: Floats
    counts: Floats
    size_error: float
    steps: int

    leak = ZERO
    is_unbounded = False
    trim_lost = 0.0

    @property
    def lattice(self) -> Lattice | None:
        r"""Equal steps: $-k\varepsilon_0 + 2\varepsilon_0\mathbb Z$."""
        if self.sizes.size > 1:
            return None
        size = float(self.sizes[0])
        return Lattice(-size * float(self.counts[0]), 2.0 * size, self.size_error + UNIT_ROUNDOFF)

    @property
    def supremum(self) -> float:
        """An upper bound on every finite loss."""
        if self.size_error or self.sizes.size > FEW_KINDS:
            return math.fsum((self.counts * self.sizes).tolist()) * (1.0 + 8.0 * UNIT_ROUNDOFF)
        return total_up([times(int(k), e) for k, e in zip(self.counts.tolist(), self.sizes.tolist(), strict=True)])

    @property
    def total_variation(self) -> float:
        r"""A step has $\tanh(\varepsilon_0/2)$."""
        none = inner(self.counts, np.log1p(-np.minimum(np.tanh(0.5 * self.sizes), 1.0 - 1e-16)))
        return min(1.0, -math.expm1(none * (1.0 + 1e-12)) * (1.0 + 1e-12))

    def cumulants(self, tilt: float) -> Cumulants:
        """Uncertified K, K' and K'' at a tilt, for searches."""
        effort.count(3000 + 20 * self.sizes.size)
        e, k = self.sizes, self.counts
        shape = np.tanh((tilt + 0.5) * e)
        spread = np.cosh(np.minimum((tilt + 0.5) * e, 350.0)) ** -2.0
        return Cumulants(inner(k, _log_moments(e, tilt)), inner(k, e * shape), inner(k, e * e * spread))

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedTwoPoint:  # noqa: ARG002 - closed form
        """The certified law at this tilt."""
        return TiltedTwoPoint(self, tilt)

    def trimmed(self, log_mass: float, sharpness: int) -> TwoPointSum:  # noqa: ARG002 - nothing to trim
        """With its far upper tail taken away, if it has one."""
        return self

    def jumps(self, log_mass: float) -> tuple[Sequence[Loss], float]:  # noqa: ARG002 - nothing is hidden
        """What trimming hides, put into separate laws."""
        return [], 0.0

    def fewer(self, count: int) -> TwoPointSum:
        """The sum without some of its steps."""
        raise NotImplementedError(count)

    def dominating(self) -> Sequence[LossSum]:
        """Steps of a simpler kind that together cost at least as much."""
        return [self]


def _log_moments(e: Floats, t: float) -> Floats:
    r"""$K = \ln\bigl(1 + 2\sinh(\tfrac{t\varepsilon}2)\sinh(\tfrac{(t+1)\varepsilon}2)/\cosh\tfrac\varepsilon2\bigr)$,
    or, where that overflows, $t\varepsilon + \ln(1+e^{-(2t+1)\varepsilon}) - \ln(1+e^{-\varepsilon})$.
    """
    small = np.minimum(e, 1.0 / (t + 1.0))
    near = np.log1p(2.0 * np.sinh(0.5 * t * small) * np.sinh(0.5 * (t + 1.0) * small) / np.cosh(0.5 * small))
    far = t * e + np.log1p(np.exp(-(2.0 * t + 1.0) * e)) - np.log1p(np.exp(-e))
    return np.where(e * (t + 1.0) <= 1.0, near, far)


@dataclass(frozen=True, eq=False)
class TiltedTwoPoint:
    """A sum of two-point losses, tilted."""

    total: TwoPointSum
    tilt: float

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""
        return math.fsum((self.total.counts * _log_moments(self.total.sizes, self.tilt)).tolist())

    @cached_property
    def log_moment_error(self) -> float:
        r"""Each form errs by a few units of its largest part; $|\partial K/\partial\varepsilon_0| \le t+2$."""
        e, k, t = self.total.sizes, self.total.counts, self.tilt
        near = e * (t + 1.0) <= 1.0
        size = np.where(near, np.abs(_log_moments(e, t)), t * e + 2.0 * np.exp(-np.minimum(e, 700.0)))
        parameter = self.total.size_error * (t + 2.0) * e
        return inner(k, size * 5.0 * LIBM + parameter) * SLACK + UNIT_ROUNDOFF * abs(self.log_moment)

    @cached_property
    def _centres(self) -> Floats:
        return self.total.sizes * np.tanh((self.tilt + 0.5) * self.total.sizes)

    @cached_property
    def _spread(self) -> Floats:
        r"""$\mathrm{sech}^2$, not $1-\tanh^2$."""
        spread: Floats = np.cosh(np.minimum((self.tilt + 0.5) * self.total.sizes, 350.0)) ** -2.0
        return spread

    @property
    def centre(self) -> float:
        """Where the characteristic function is centred."""
        return math.fsum((self.total.counts * self._centres).tolist())

    @property
    def centre_error(self) -> float:
        """An upper bound on the absolute error of `centre`."""
        return 2.0 * UNIT_ROUNDOFF * inner(self.total.counts, self._centres)

    def logarithm(self, spacing: float, indices: Integers) -> Logarithm:
        r"""Sum over the steps, in slices that fit the cache.

        With $\theta = u\varepsilon_0$ off by $\nu$ relatively, $|\partial\ln\varphi/\partial\theta| \le 1/|\varphi|$
        bounds its effect.
        """
        u = multiples(spacing, indices)
        pieces = [self._slice(part) for part in np.array_split(u, max(1, u.size * self.total.sizes.size // CHUNK))]
        return Logarithm(*(np.concatenate(column) for column in zip(*pieces, strict=True)))

    def _slice(self, u: Floats) -> Logarithm:
        e, k, spread = self.total.sizes, self.total.counts, self._spread
        shape = np.tanh((self.tilt + 0.5) * e)
        angle = np.multiply.outer(u, e)
        sine, cosine = np.sin(angle), np.cos(angle)
        lost = spread * sine * sine
        square = np.where(lost < 0.5, 1.0 - lost, cosine * cosine + (shape * sine) ** 2)
        square = np.maximum(square, 1e-300)
        modulus = np.where(lost < 0.5, 0.5 * np.log1p(-np.minimum(lost, 0.5)), 0.5 * np.log(square))
        turn = np.multiply.outer(u, self._centres)
        phase = np.arctan2(shape * sine, cosine) - turn
        input_error = (4.0 * UNIT_ROUNDOFF + self.total.size_error) * angle * 2.0
        rounding = 8.0 * LIBM * (lost + np.abs(sine)) + LIBM * (np.abs(modulus) + np.abs(phase)) + UNIT_ROUNDOFF * turn
        relative = (input_error + rounding) / np.sqrt(square) + input_error
        size = combined(np.abs(modulus), k) + combined(np.abs(phase), k)
        error = combined(np.log1p(relative), k) + (e.size + 2) * UNIT_ROUNDOFF * size
        return Logarithm(combined(modulus, k), combined(phase, k), error * SLACK)

    def log_decay(self, frequencies: Floats) -> Floats:
        """The trivial bound 0: two atoms never decay."""
        return np.zeros(frequencies.shape)

    def beside(self, tilt: float) -> TiltedTwoPoint | None:  # noqa: ARG002 - closed form
        """None: there are no nodes to be shared."""
        return None

    def reaching(self, reach: float, error: float) -> TiltedTwoPoint:  # noqa: ARG002 - closed form
        """This law itself, which holds at every frequency."""
        return self

    def log_bound(self, spacing: float, indices: Integers) -> Floats:
        r"""$\ln|\varphi| \le -G/2$, $G(u) = \sum_ik_ic_i\sin^2u\varepsilon_i$, $c = \mathrm{sech}^2$.

        While $u\varepsilon_{max} \le \pi/2$, $\sin x \ge 2x/\pi$. Beyond, a subset of the steps on a grid, less what
        its slope ($|G'| \le \sum kc\varepsilon$) can take away within half a grid step: true revivals of equal steps
        are kept, not missed.
        """
        u = multiples(spacing, indices)
        e, weight = self.total.sizes, self.total.counts * self._spread
        near = u * float(e.max()) <= 0.5 * math.pi
        bound = -2.0 / math.pi**2 * inner(weight, e * e) * u * u * (1.0 - 1e-9)
        if np.all(near):
            return bound
        chosen = np.linspace(0, e.size - 1, min(SUBSET, e.size)).astype(np.int64)
        e, weight = np.sort(e)[chosen], weight[np.argsort(self.total.sizes)][chosen]
        slope = inner(weight, e)
        step = max(0.25 * float(weight.sum()) / slope, spacing)
        grid = step * np.arange(math.ceil(float(u[-1]) / step) + 1)
        gain = np.concatenate(
            [
                combined(np.sin(np.multiply.outer(part, e)) ** 2, weight)
                for part in np.array_split(grid, max(1, grid.size * e.size // CHUNK))
            ]
        )
        far = -0.5 * np.maximum(gain - 0.51 * step * slope - 1e-9 * float(weight.sum()), 0.0)
        nearest_grid = np.rint(u / step).astype(np.int64)
        return np.where(near, bound, far[np.minimum(nearest_grid, grid.size - 1)])
