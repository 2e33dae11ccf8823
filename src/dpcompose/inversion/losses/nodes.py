r"""One step's law as weighted nodes, and its tilted transform with every rounding error bounded.

A step's finite privacy loss $L$ has, under $P$, a law of mass $1-d$ (the *deficit* $d$ is what leaks or was trimmed).
Nodes $(l_j, w_j)$ represent it in the sense that for $z = t + iv$, $|v|$ up to some reach,

$$\Bigl|\mathbb E[e^{zL}] - \sum_j w_j e^{z l_j}\Bigr| \le q(v)\,\mathbb E[e^{tL}] + \tau .$$

For a finite law $q = \tau = 0$; for a density the nodes are a quadrature rule and the strip or ellipse argument of its
file gives $q$ and $\tau$. All arithmetic below is proportional to $|e^{tl}-1|$ or to $v|l-c|$, never to 1, so $k =
10^7$ steps amplify rounding errors of relevant size only.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dpcompose.inversion.losses.nodes_by_fft import gridded
from dpcompose.inversion.losses.nodes_by_tables import doubling_error, transform
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Complexes, Floats, Integers, inner, multiples, short

MOST_PRODUCTS = 20_000_000
"""With more pairs of a node and a frequency than this, an FFT is faster."""
NEAR = 48
MANY = 200_000
SCATTERED = 1
"""How many times fewer terms a direct sum over scattered frequencies must have to be preferred to all frequencies."""
FEW_NODES = 64
"""With no more nodes than this direct sums are faster than any FFT."""
ACCURATE, COARSE = 14, 6
"""Lagrange orders for values and for mere bounds."""
_ZERO = np.zeros(1)


@dataclass(frozen=True, eq=False)
class Nodes:
    """A step's law under P. Errors are absolute for losses and log-weights (so relative for weights).

    The laws of many steps are one `Nodes` too, with a row for each step and a column wherever one step has a number.
    """

    losses: Floats
    loss_error: Floats
    log_weights: Floats
    weight_error: Floats
    deficit: float | Floats = 0.0
    deficit_error: float | Floats = 0.0
    quadrature: Callable[[Floats], Floats] = np.zeros_like
    """$q(v)$, relative to the moment at the tilt."""
    mass_quadrature: float | Floats = 0.0
    """The same for the total mass ($z = 0$), with the dropped tails, absolute."""
    log_tail: float | Floats = -math.inf
    """$\\ln\\tau$: what the nodes leave out of the tilted law, absolute."""
    at: Callable[[float], Nodes] | None = None
    """The same nodes with the errors that they have at another tilt, where these are known."""

    @cached_property
    def quadrature_at_zero(self) -> Floats:
        """$q(0)$."""
        return self.quadrature(_ZERO)

    def exponents(self, tilt: float) -> tuple[Floats, Floats]:
        """$x = tl$ at each node, and an upper bound on its error."""
        x = tilt * self.losses
        return x, tilt * self.loss_error + 2.0 * UNIT_ROUNDOFF * np.abs(x)

    def excess(self, x: Floats, x_error: Floats) -> tuple[Floats, Floats]:
        r"""The terms of $M - 1 = \sum_j w_j(e^{x_j}-1) - d$, and an upper bound on the error of each.

        A term errs by $|w(e^x-1)|$ times the relative errors of its factors, plus $w\,e^{x^+}$ times the error of $x$.
        """
        w, tilted = np.exp(self.log_weights), np.exp(self.log_weights + x)
        heavy = x > 1.0
        terms = np.where(heavy, tilted - w, w * np.expm1(np.minimum(x, 1.0)))
        error = np.abs(terms) * (self.weight_error + 2.0 * LIBM) + np.maximum(w, tilted) * x_error
        error += np.where(heavy, tilted * (2.0 * UNIT_ROUNDOFF * np.abs(self.log_weights) + 2.0 * LIBM), 0.0)
        error += np.where(heavy, w * (2.0 * self.weight_error + LIBM), 0.0)
        return terms, error

    def moment_error(self, excess: float | Floats, summed: float | Floats) -> Any:
        """An upper bound on the error of $M$, from $M-1$ and the errors of its terms added up."""
        missing = self.deficit_error + self.mass_quadrature
        return summed + missing + 3.0 * UNIT_ROUNDOFF * (np.abs(excess) + self.deficit)

    def log_moment_error(self, log_moment: float | Floats, relative: float | Floats) -> Floats:
        r"""An upper bound on the error of $\ln M$: rounding (relative to $M$), tail and quadrature together.

        The last refers to the true moment, hence the division.
        """
        strip = self.quadrature_at_zero
        total = (relative + self.outside(log_moment) + strip) * SLACK / (1.0 - np.minimum(strip, 0.5))
        known = -np.log1p(-np.minimum(total, 0.5)) + LIBM * np.abs(log_moment)
        return np.where(total < 0.5, known, math.inf)

    def outside(self, log_moment: float | Floats) -> Any:
        r"""$\tau e^{-K}$: an upper bound on the share of the tilted law that the nodes leave out."""
        return np.exp(np.minimum(self.log_tail - log_moment, 0.0))


class TiltedArrays(ABC):
    """Nodes under the law with density proportional to $e^{tl}$, of one step or of many."""

    nodes: Nodes
    tilt: float

    @property
    @abstractmethod
    def moments(self) -> tuple[Any, Any]:
        r"""$K = \ln M(t)$, and an upper bound on its absolute error."""

    @property
    @abstractmethod
    def centre(self) -> Any:
        """A short float near the tilted mean. The identities hold for any centre; this one is best."""

    @cached_property
    def weights(self) -> Floats:
        """The tilted weights $p_j = w_j e^{tl_j - K}$."""
        weights: Floats = np.exp(self.nodes.log_weights + self.tilt * self.nodes.losses - self.moments[0])
        return weights

    @cached_property
    def error_terms(self) -> tuple[Any, Any, Any, Any]:
        r"""Sums over nodes that the error of the characteristic function is made of: with $d = |l-c|$, and $r$ and $e$
        the relative errors of weights and the errors of losses, $\sum pdr$, $\sum pr$, $\sum pd$ and $\sum p(e+3ud)$.
        """
        n, p = self.nodes, self.weights
        log_moment, log_moment_error = self.moments
        d = np.abs(n.losses - self.centre)
        relative = n.weight_error + self.tilt * n.loss_error + LIBM + log_moment_error
        relative += 2.0 * UNIT_ROUNDOFF * (np.abs(self.tilt * n.losses) + np.abs(n.log_weights) + np.abs(log_moment))
        return (
            along(p, d * relative),
            along(p, relative),
            along(p, d),
            along(p, n.loss_error + 3.0 * UNIT_ROUNDOFF * d),
        )

    def transform_error(self, spacing: float, indices: Integers, length: int) -> Floats:
        r"""An upper bound on the error of $\varphi - 1$, if no sum in it is longer than `length`:

        $$\sum_j p_j\bigl[\min(v|d_j|,2)\,r_j + v\,e_j + \beta v|d_j|\bigr]
          + \gamma\min\bigl(3v\textstyle\sum p|d|,\,8\bigr) + q(v) + q(0) + 2\tau e^{-K},$$

        $\gamma$ being the rounding of a complex dot product, and $\beta$ that of `powers`.
        """
        v = multiples(spacing, indices)
        first, second, spread, shift = self.error_terms
        gamma = 3.0 * (length + 20) * UNIT_ROUNDOFF
        error: Floats = np.minimum(v * first, 2.0 * second) + gamma * np.minimum(3.0 * v * spread, 8.0)
        error += v * (shift + doubling_error(indices) * spread)
        error += self.nodes.quadrature(v) + self.nodes.quadrature_at_zero + 2.0 * self.nodes.outside(self.moments[0])
        error *= SLACK
        return error


def along(p: Floats, x: Floats) -> Any:
    """The inner product with each row, as a column; of two vectors, as one number."""
    return inner(p, x) if p.ndim == 1 else (p * x).sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class TiltedNodes(TiltedArrays):
    """One step, tilted: its log-moment and its characteristic function."""

    nodes: Nodes
    tilt: float

    @property
    def is_exact(self) -> bool:
        """Whether the nodes are the law's own atoms."""
        return self.nodes.quadrature is np.zeros_like

    def beside(self, tilt: float) -> TiltedNodes | None:
        """The same step at another tilt, by the same nodes, if they are laid for that, too."""
        return None if self.nodes.at is None else TiltedNodes(self.nodes.at(tilt), tilt)

    @cached_property
    def moments(self) -> tuple[float, float]:
        r"""$K = \ln M(t)$, and an upper bound on its absolute error; the sum of all terms is exact up to its last
        rounding (`fsum`).
        """
        n = self.nodes
        effort.count(40 * n.losses.size)
        x, x_error = n.exponents(self.tilt)
        if n.deficit > 0.5 or float((n.log_weights + x).max()) > 500.0:
            return self._direct_moment(x, x_error)
        terms, error = n.excess(x, x_error)
        excess = math.fsum(terms.tolist()) - float(n.deficit)
        if excess <= -1.0:
            return math.inf, math.inf
        log_moment = math.log1p(excess)
        relative = n.moment_error(excess, float(error.sum())) / (1.0 + excess)
        return log_moment, float(n.log_moment_error(log_moment, relative)[0])

    def _direct_moment(self, x: Floats, x_error: Floats) -> tuple[float, float]:
        """For a small part of a law (a band of jumps), or a huge moment, the plain sum is the accurate one."""
        n = self.nodes
        top = float((n.log_weights + x).max())
        tilted = np.exp(n.log_weights + x - top)
        error = tilted * (
            n.weight_error + x_error + 3.0 * UNIT_ROUNDOFF * (np.abs(n.log_weights) + abs(top)) + 2.0 * LIBM
        )
        total = math.fsum(tilted.tolist())
        log_moment = top + math.log(total)
        relative = float(error.sum()) / total
        return log_moment, float(n.log_moment_error(log_moment, relative)[0]) + UNIT_ROUNDOFF * abs(top)

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""
        return self.moments[0]

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        return self.moments[1]

    @cached_property
    def centre(self) -> float:
        """A short float near the tilted mean."""
        return short(inner(self.weights, self.nodes.losses))

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi(v) - 1$ at $v = m\Delta$ for the given indices $m$, centred at `centre`, and an upper bound on the
        error.
        """
        if (seen := self._seen.get(spacing)) is not None and np.isin(indices, seen[0], assume_unique=True).all():
            places = np.searchsorted(seen[0], indices)
            return seen[1][places], seen[2][places]
        n = self.nodes
        if n.losses.size * int(indices[-1]) > MOST_PRODUCTS and indices.size > NEAR:
            return self._many(spacing, indices)
        values, length = transform(n.losses - self.centre, self.weights, spacing, indices)
        return values, self.transform_error(spacing, indices, length)

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:
        """Bound the modulus by a coarse FFT, or directly where nodes or frequencies are few."""
        nodes = self.nodes.losses.size
        if nodes <= FEW_NODES or SCATTERED * indices.size * nodes < int(indices[-1]):
            excess, doubt = self.characteristic(spacing, indices)
            self._seen[spacing] = indices, excess, doubt
            return np.log(np.minimum(np.abs(1.0 + excess) * (1.0 + 1e-12) + doubt, 1.0))
        values, error = self.gridded(spacing, int(indices[-1]), ACCURATE if nodes < MANY else COARSE)
        return np.log(np.minimum(np.abs(values[indices]) * (1.0 + 1e-12) + error[indices], 1.0))

    @cached_property
    def _seen(self) -> dict[float, tuple[Integers, Complexes, Floats]]:
        """What was computed for the bounds, which values share."""
        return {}

    def _many(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        """The first frequencies, where errors count most, one by one; the others by one FFT."""
        near, near_error = self.characteristic(spacing, indices[:NEAR])
        values, error = self.gridded(spacing, int(indices[-1]), ACCURATE)
        return np.concatenate([near, values[indices[NEAR:]] - 1.0]), np.concatenate([near_error, error[indices[NEAR:]]])

    def gridded(self, spacing: float, last: int, order: int) -> tuple[Complexes, Floats]:
        r"""$\varphi$ itself at every frequency up to a last one, by one FFT, with a bound on the error."""
        key = (spacing, last, order)
        if key not in self._grids:
            self._grids.clear()
            self._grids[key] = self._gridded(spacing, last, order)
        return self._grids[key]

    @cached_property
    def _grids(self) -> dict[tuple[float, int, int], tuple[Complexes, Floats]]:
        """The last FFT, which bounds and values share."""
        return {}

    def _gridded(self, spacing: float, last: int, order: int) -> tuple[Complexes, Floats]:
        n, v = self.nodes, multiples(spacing, np.arange(last + 1, dtype=np.int64))
        values, error = gridded(n.losses - self.centre, self.weights, spacing, last, order)
        _, second, _, shift = self.error_terms
        error = error + 2.0 * second + v * shift + n.quadrature(v) + n.quadrature_at_zero
        return values, error * SLACK + 2.0 * n.outside(self.log_moment)


def quick_cumulants(losses: Floats, log_weights: Floats, tilt: float) -> Cumulants:
    """$K, K', K''$ of a sub-probability on atoms, to a few digits: for choosing, not for certifying."""
    effort.count(3000 + 2 * losses.size)
    a = log_weights + tilt * losses
    top = float(a.max())
    p = np.exp(a - top)
    total = float(p.sum())
    mean = inner(p, losses) / total
    curvature = inner(p, (losses - mean) ** 2) / total
    value = math.log(total) + top
    if abs(value) < 1.0:
        value = math.log1p(inner(np.exp(log_weights), np.expm1(np.minimum(tilt * losses, 700.0))))
    return Cumulants(value, mean, curvature)
