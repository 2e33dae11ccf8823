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
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.losses.nodes_by_fft import gridded
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
SPARSE = 16
"""Above this number of frequencies for each one that is asked for, those are computed one by one."""
ACCURATE = 14
"""Lagrange order for values."""
COARSE = 6
"""Lagrange order for mere bounds."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """A step's law under P. Errors are absolute for losses and log-weights (so relative for weights)."""

    losses: Floats
    loss_error: Floats
    log_weights: Floats
    weight_error: Floats
    deficit: float = 0.0
    deficit_error: float = 0.0
    quadrature: Callable[[Floats], Floats] = np.zeros_like
    """$q(v)$, relative to the moment at the tilt."""
    mass_quadrature: float = 0.0
    """The same for the total mass ($z = 0$), with the dropped tails, absolute."""
    log_tail: float = -math.inf
    """$\\ln\\tau$: what the nodes leave out of the tilted law, absolute."""


@dataclass(frozen=True, eq=False)
class TiltedNodes:
    """The law with density proportional to $e^{tl}$: its log-moment and its characteristic function."""

    nodes: Nodes
    tilt: float

    @cached_property
    def _moment(self) -> tuple[float, float]:
        r"""$K = \ln M(t)$ from $M - 1 = \sum_j w_j(e^{tl_j}-1) - d$, and a bound on its error.

        A term errs by $|w(e^x-1)|$ times the relative errors of its factors, plus $w\,e^{x^+}$ times the error of $x =
        tl$; the sum is exact up to its last rounding (`fsum`).
        """
        n, t = self.nodes, self.tilt
        effort.count(40 * n.losses.size)
        x = t * n.losses
        argument = t * n.loss_error + 2.0 * UNIT_ROUNDOFF * np.abs(x)
        if n.deficit > 0.5 or float((n.log_weights + x).max()) > 500.0:
            return self._direct_moment(x, argument)
        w, tilted = np.exp(n.log_weights), np.exp(n.log_weights + x)
        heavy = x > 1.0
        terms = np.where(heavy, tilted - w, w * np.expm1(np.minimum(x, 1.0)))
        error = np.abs(terms) * (n.weight_error + 2.0 * LIBM) + np.maximum(w, tilted) * argument
        error += np.where(heavy, tilted * (2.0 * UNIT_ROUNDOFF * np.abs(n.log_weights) + 2.0 * LIBM), 0.0)
        error += np.where(heavy, w * (2.0 * n.weight_error + LIBM), 0.0)
        total = math.fsum(terms.tolist()) - n.deficit
        if total <= -1.0:
            return math.inf, math.inf
        log_moment = math.log1p(total)
        bound = (
            float(error.sum()) + n.deficit_error + n.mass_quadrature + 3.0 * UNIT_ROUNDOFF * (abs(total) + n.deficit)
        )
        return log_moment, self._moment_error(log_moment, bound / (1.0 + total))

    def _direct_moment(self, x: Floats, argument: Floats) -> tuple[float, float]:
        """For a small part of a law (a band of jumps), or a huge moment, the plain sum is the accurate one."""
        n = self.nodes
        top = float((n.log_weights + x).max())
        tilted = np.exp(n.log_weights + x - top)
        error = tilted * (
            n.weight_error + argument + 3.0 * UNIT_ROUNDOFF * (np.abs(n.log_weights) + abs(top)) + 2.0 * LIBM
        )
        total = math.fsum(tilted.tolist())
        log_moment = top + math.log(total)
        return log_moment, self._moment_error(log_moment, float(error.sum()) / total) + UNIT_ROUNDOFF * abs(top)

    def _moment_error(self, log_moment: float, relative: float) -> float:
        """Rounding, tail and quadrature together; the last refers to the true moment, hence the division."""
        strip = float(self.nodes.quadrature(np.zeros(1))[0])
        tail = math.exp(min(self.nodes.log_tail - log_moment, 0.0))
        total = (relative + tail + strip) * SLACK / (1.0 - min(strip, 0.5))
        return -math.log1p(-total) + LIBM * abs(log_moment) if total < 0.5 else math.inf

    @property
    def log_moment(self) -> float:
        r"""$K(t) = \ln M(t)$, off by at most `log_moment_error`."""
        return self._moment[0]

    @property
    def log_moment_error(self) -> float:
        """An upper bound on the absolute error of `log_moment`."""
        return self._moment[1]

    @cached_property
    def weights(self) -> Floats:
        """The tilted weights $p_j = w_j e^{tl_j - K}$."""
        weights: Floats = np.exp(self.nodes.log_weights + self.tilt * self.nodes.losses - self.log_moment)
        return weights

    @cached_property
    def centre(self) -> float:
        """A short float near the tilted mean. The identities hold for any centre; this one is best."""
        return short(float(self.weights @ self.nodes.losses))

    @cached_property
    def _error_terms(self) -> tuple[float, float, float, float]:
        """Sums over nodes that the error of the characteristic function is made of."""
        n, p = self.nodes, self.weights
        d = np.abs(n.losses - self.centre)
        relative = n.weight_error + self.tilt * n.loss_error + LIBM + self.log_moment_error
        relative += 2.0 * UNIT_ROUNDOFF * (np.abs(self.tilt * n.losses) + np.abs(n.log_weights) + abs(self.log_moment))
        return (
            float(p @ (d * relative)),
            float(p @ relative),
            float(p @ d),
            float(p @ (n.loss_error + 3.0 * UNIT_ROUNDOFF * d)),
        )

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$\varphi(v) - 1$ at $v = m\Delta$ for the given indices $m$, centred at `centre`, and a bound on the error.

        $$|\text{error}| \le \sum_j p_j\bigl[\min(v|d_j|,2)\,r_j + v\,e_j + \beta v|d_j|\bigr]
          + \gamma\min\bigl(3v\textstyle\sum p|d|,\,8\bigr) + q(v) + q(0) + 2\tau e^{-K},$$

        with $d = l - c$, $r$ and $e$ the relative weight errors and the loss errors, $\gamma$ the rounding of a
        blocked complex dot product, and $\beta$ that of `powers`.
        """
        n, v = self.nodes, multiples(spacing, indices)
        if n.losses.size * int(indices[-1]) > MOST_PRODUCTS and indices.size > NEAR:
            return self._many(spacing, indices)
        values, length = _transform(n.losses - self.centre, self.weights, spacing, indices)
        first, second, spread, shift = self._error_terms
        gamma = 3.0 * (length + 20) * UNIT_ROUNDOFF
        error = np.minimum(v * first, 2.0 * second) + gamma * np.minimum(3.0 * v * spread, 8.0)
        error += v * (shift + doubling_error(indices) * spread)
        error += n.quadrature(v) + n.quadrature(np.zeros(1)) + 2.0 * math.exp(min(n.log_tail - self.log_moment, 0.0))
        return values, error * SLACK

    def log_modulus(self, spacing: float, indices: Integers) -> Floats:
        """Bound the modulus by a coarse FFT, or directly where nodes or frequencies are few."""
        nodes = self.nodes.losses.size
        if nodes <= FEW_NODES or SCATTERED * indices.size * nodes < int(indices[-1]):
            excess, doubt = self.characteristic(spacing, indices)
            return np.log(np.minimum(np.abs(1.0 + excess) * (1.0 + 1e-12) + doubt, 1.0))
        values, error = self.gridded(spacing, int(indices[-1]), ACCURATE if nodes < MANY else COARSE)
        return np.log(np.minimum(np.abs(values[indices]) * (1.0 + 1e-12) + error[indices], 1.0))

    def _many(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        """The first frequencies, where errors count most, one by one; the others by one FFT."""
        near, near_error = self.characteristic(spacing, indices[:NEAR])
        values, error = self.gridded(spacing, int(indices[-1]), ACCURATE)
        far = indices[NEAR:]
        return np.concatenate([near, values[far] - 1.0]), np.concatenate([near_error, error[far]])

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
        _, second, _, shift = self._error_terms
        error = error + 2.0 * second + v * shift + n.quadrature(v) + n.quadrature(np.zeros(1))
        return values, error * SLACK + 2.0 * math.exp(min(n.log_tail - self.log_moment, 0.0))


def _transform(distance: Floats, weights: Floats, spacing: float, indices: Integers) -> tuple[Complexes, int]:
    r"""$\sum_j p_j(e^{im\Delta d_j}-1)$ for many $m$, and the length of the longest sum in it.

    For $m = aB+b$ two short tables suffice, $e^{i(\alpha+\beta)}-1 = AB + A + B$ with $A = e^{i\alpha}-1$ and $B =
    e^{i\beta}-1$, each formed as $2i\sin(\alpha/2)e^{i\alpha/2}$: $J\cdot 2\sqrt M$ sines instead of $JM$. Nodes are
    summed in about $\sqrt J$ blocks, which takes the rounding error from $J$ to $2\sqrt J$ units.
    """
    count = distance.size
    block = max(8, math.isqrt(count))
    blocks = -(-count // block)
    d, p = np.zeros((blocks, block)), np.zeros((blocks, block))
    d.reshape(-1)[:count], p.reshape(-1)[:count] = distance, weights
    last = int(indices[-1])
    if last > SPARSE * indices.size + 64:  # scattered indices: one by one, in slices that fit the cache
        pieces = [
            (turn(spacing * part[None, :, None] * d[:, None, :]) @ p[:, :, None]).sum(axis=0)[:, 0]
            for part in np.array_split(indices, max(1, indices.size * d.size // 500_000))
        ]
        return np.concatenate(pieces), block + blocks
    columns = math.isqrt(last) + 1
    rows = last // columns + 1
    return products(d, p, spacing, rows, columns).sum(axis=0)[indices], block + blocks


def products(d: Floats, p: Floats, spacing: float, rows: int, columns: int) -> Complexes:
    """The sums of each row of distances and weights, at all frequencies up to `rows` times `columns`."""
    effort.count(8 * d.size * (rows + columns) + len(d) * rows * columns)
    high, low = powers(turn(spacing * columns * d), rows), powers(turn(spacing * d), columns)
    table = (high * p[:, None, :]) @ low.transpose(0, 2, 1)
    table += high @ p[:, :, None]
    table += (low @ p[:, :, None]).transpose(0, 2, 1)
    return table.reshape(len(d), -1)


def powers(one: Complexes, count: int) -> Complexes:
    r"""$e^{ic\theta}-1$ for $0 \le c <$ `count` from $e^{i\theta}-1$, by doubling: a middle axis.

    The product for $\alpha+\beta$ errs by the errors of both, since $|e^{i\alpha}| = 1$, and by at most
    $5u(|\alpha|+|\beta|)$; so each doubling adds $5u$ to the error relative to the angle.
    """
    table = np.zeros((len(one), count, one.shape[-1]), dtype=np.complex128)
    step, filled = one[:, None, :], 1
    while filled < count:
        before, after = table[:, : count - filled][:, :filled], table[:, filled : 2 * filled]
        np.multiply(before, step, out=after)
        after += before
        after += step
        step, filled = step * step + 2.0 * step, 2 * filled
    return table


def doubling_error(indices: Integers) -> float:
    """An upper bound on what `powers` add to the error of a transform, relative to the angle."""
    return 8.0 * (int(indices[-1]).bit_length() // 2 + 3) * UNIT_ROUNDOFF


def turn(angle: Floats) -> Complexes:
    r"""$e^{i\theta} - 1 = 2i\sin(\theta/2)\,e^{i\theta/2}$, accurate relative to $|\theta|$."""
    half = 0.5 * angle
    sine = np.sin(half)
    result = np.empty(half.shape, dtype=np.complex128)
    np.multiply(sine, sine, out=result.real)
    result.real *= -2.0
    np.multiply(sine, np.cos(half), out=result.imag)
    result.imag *= 2.0
    return result


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
