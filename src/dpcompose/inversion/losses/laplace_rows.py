r"""Many different Laplace mechanisms at once, a row for each, by closed forms: no nodes, and no quadrature errors.

With $s = t+\frac12+iv$, tilted atoms $a = \frac12e^{t\varepsilon_0-K}$ and $b = \frac12e^{-(t+1)\varepsilon_0-K}$,
and $d = \pm\varepsilon_0-c$,

$$\varphi = a\Bigl(1+\frac1{2s}\Bigr)e^{iv(\varepsilon_0-c)} + b\Bigl(1-\frac1{2s}\Bigr)e^{-iv(\varepsilon_0+c)} .$$

Its rounding is of the order of 1, not of $v\varepsilon_0$, which is little for thousands of steps and much for
millions: no more than `most_equal` ones are stacked. Since most of the mass lies in two atoms, no decay shows how soon
the product of many vanishes, but their moduli do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.losses.decay import Layers, level_sets
from dpcompose.inversion.losses.laplace import CELLS, LaplaceLoss
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.inversion.losses.rows import TOO_LARGE, LaidAnew, total_of_rows
from dpcompose.numerics import effort
from dpcompose.numerics.legendre import panels
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Complexes, Floats, Integers, all_short, multiples

LEAST_SIZE, GREATEST_SIZE = 1e-6, 10.0
"""Steps whose ε₀ lies outside are followed by themselves."""
QUICK_PANELS = 2
"""Panels of the rule for uncertified values."""
AT_ONCE = 100_000
"""About as many moduli are held at once."""
LEAST_SQUARE = 1e-290
"""No square of a modulus is said to be less."""


@dataclass(frozen=True, eq=False)
class TiltedLaplaceRows:
    """Many steps, tilted, a row for each."""

    size: Floats
    size_error: Floats
    tilt: float

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        r"""$K = \ln M(t)$ of each, and a bound on its error.

        $M-1$ is $\frac12(e^{t\varepsilon_0}-1) + \frac12e^{-\varepsilon_0}(e^{-t\varepsilon_0}-1)$ and, from the
        density, $\frac12e^{-\varepsilon_0/2}\bigl(\frac{\sinh((t+1/2)\varepsilon_0)}{t+1/2} -
        2\sinh(\varepsilon_0/2)\bigr)$; each function errs by a few units, and by what its argument does.
        """
        e, t = self.size, self.tilt
        r = t + 0.5
        terms = (
            0.5 * np.expm1(t * e),
            0.5 * np.exp(-e) * np.expm1(-t * e),
            0.5 * np.exp(-0.5 * e) * np.sinh(r * e) / r,
            -np.exp(-0.5 * e) * np.sinh(0.5 * e),
        )
        excess = terms[0] + terms[1] + terms[2] + terms[3]
        # An argument x is off by 3u + its share of the size's error, which moves expm1, sinh by (1+|x|) times that.
        off = (3.0 * UNIT_ROUNDOFF + self.size_error) * (2.0 + 2.0 * (r + 1.0) * e) + 4.0 * LIBM + 8.0 * UNIT_ROUNDOFF
        error = off * sum(np.abs(term) for term in terms) * SLACK
        log_moment = np.log1p(excess)
        known = (r * e < TOO_LARGE) & (excess > -0.5) & (error < 0.25 * (1.0 + excess))
        found = 2.0 * error / (1.0 + excess) + LIBM * np.abs(log_moment)
        return np.where(known, log_moment, math.inf), np.where(known, found, math.inf)

    @cached_property
    def _atoms(self) -> tuple[Floats, Floats, Floats]:
        """The tilted atoms, and a bound on their relative errors."""
        e, t, (k, k_error) = self.size, self.tilt, self.moments
        off = (8.0 * UNIT_ROUNDOFF + self.size_error) * ((t + 1.0) * e + np.abs(k)) + k_error + 8.0 * LIBM
        return 0.5 * np.exp(t * e - k), 0.5 * np.exp(-(t + 1.0) * e - k), off

    @cached_property
    def centre(self) -> Floats:
        r"""Short floats near the tilted means, $K' = (M(t))'/M(t)$."""
        e, r = self.size, self.tilt + 0.5
        up, down, _ = self._atoms
        top, bottom = 0.5 * up / r, 0.5 * down / r
        return all_short(e * (up - down) + (top * (e - 1.0 / r) + bottom * (e + 1.0 / r)))

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi(v) - 1$ of each step, centred at its `centre`, and an upper bound on the error."""
        e, c, v = self.size, self.centre, multiples(spacing, indices)
        effort.count(40 * len(e) * v.size)
        up, down, off = self._atoms
        pole = 0.5 / (self.tilt + 0.5 + 1j * v)
        value = up * (1.0 + pole) * np.exp(1j * (v * (e - c))) + down * (1.0 - pole) * np.exp(-1j * (v * (e + c))) - 1.0
        phase = v * ((4.0 * UNIT_ROUNDOFF + self.size_error) * (e + np.abs(c)))
        return value, 2.0 * (up + down) * (off + phase) * SLACK + 4.0 * UNIT_ROUNDOFF

    def log_modulus(self, spacing: float, indices: Integers, counts: Floats) -> Floats:
        r"""An upper bound on $\sum k\ln|\varphi|$ of all steps, from $|\varphi|^2 = A^2+B^2+2AB\cos(2v\varepsilon_0+
        \theta)$.
        """
        v, total = multiples(spacing, indices), np.zeros(indices.shape)
        up, down, off = self._atoms
        effort.count(20 * len(up) * v.size)
        pole = 0.5 / (self.tilt + 0.5 + 1j * v)
        larger, lesser, angle = np.abs(1.0 + pole), np.abs(1.0 - pole), np.angle(1.0 + pole) - np.angle(1.0 - pole)
        for part in np.array_split(np.arange(len(up)), min(max(1, len(up) * v.size // AT_ONCE), len(up))):
            a, b, turned = up[part] * larger, down[part] * lesser, 2.0 * v * self.size[part]
            square = a * a + b * b + 2.0 * a * b * np.cos(turned + angle)
            doubt = 4.0 * (2.0 * off[part] + 32.0 * LIBM + (4.0 * UNIT_ROUNDOFF + self.size_error[part]) * turned)
            square += doubt * (a + b) ** 2
            total += (counts[part] * np.log(np.clip(square, LEAST_SQUARE, 1.0))).sum(axis=0)
        total *= 0.5 * (1.0 - 1e-12)
        return total


@dataclass(frozen=True, eq=False)
class LaplaceRows(LaidAnew):
    r"""Steps of any $\varepsilon_0$ that is neither tiny nor huge."""

    size: Floats
    size_error: Floats

    deficit = 0.0, 0.0
    has_jumps = False
    most_equal = 1000

    @classmethod
    def of(cls, losses: Sequence[LaplaceLoss]) -> LaplaceRows:
        """These steps, one a row."""
        numbers = np.array([(loss.number, loss.number_error) for loss in losses])
        return cls(numbers[:, :1], numbers[:, 1:])

    @staticmethod
    def key(loss: LaplaceLoss) -> str | None:
        """Which rows may lie together; None where a step is better followed by itself."""
        return "rows" if LEAST_SIZE <= loss.number <= GREATEST_SIZE else None

    @staticmethod
    def place(loss: LaplaceLoss) -> float:  # noqa: ARG004 - no nodes are needed
        """Any rows may share a stack."""
        return 1.0

    def trimmed(self, log_mass: Floats, sharpness: int) -> LaplaceRows:  # noqa: ARG002 - bounded losses
        """The same: there are no far tails to take away."""
        return self

    @cached_property
    def _quick(self) -> tuple[Floats, Floats]:
        e = self.size
        places, w = panels(-1.0, 1.0, QUICK_PANELS)
        losses = e * np.append(places, [1.0, -1.0])
        log_weights = np.log(0.25 * e * np.append(w, [1.0, 1.0])) + 0.5 * (losses - e)
        log_weights[:, -2:] = math.log(0.5) - e * np.array([0.0, 1.0])
        return losses, log_weights

    def cumulants(self, tilt: float, counts: Floats) -> Cumulants:
        """Uncertified K, K' and K'' of all together, for searches."""
        return total_of_rows(*self._quick, tilt, counts)

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedLaplaceRows:  # noqa: ARG002 - closed forms
        """The certified laws at this tilt."""
        return TiltedLaplaceRows(self.size, self.size_error, tilt)

    def layers(self, tilt: float, moments: tuple[Floats, Floats]) -> Layers:
        """Uniform pieces under each density: see `LaplaceLoss.layers`."""
        e, (k, error) = self.size, moments
        edges = e * np.linspace(-1.0, 1.0, CELLS + 1)
        log_f = (tilt + 0.5) * edges - 0.5 * e - math.log(4.0)
        blur = 1e-9 + (16.0 * UNIT_ROUNDOFF + self.size_error) * (tilt + 1.0) * e
        atoms = 0.5 * np.exp(tilt * e - (k - error) + blur) * (1.0 + np.exp(-(2.0 * tilt + 1.0) * e))
        top = np.exp(log_f[:, -1:] - (k - error) + blur)
        heights = np.exp(log_f[:, :-1] - (k + error) - blur)
        return level_sets(np.diff(edges) * (1.0 - 1e-12), heights, np.minimum(atoms, 1.0), 2.0 * top)
