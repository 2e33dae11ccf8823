r"""Many similar Gaussians on samples as combinations of a few of them, by a measured remainder.

Along $b$ with $e^b = \tfrac q{1-q}e^{(x-1/2)/\sigma^2}$ the likelihood ratio is $X = (1-q)(1+e^b)$, so $\ln X =
\ln(1-q)+\lambda$ with $\lambda = \ln(1+e^b)$, which is the same function for all steps. With $P_i(b)$ the tilted
density of step $i$ along $b$ and $s$ the sign of the loss,

$$\varphi_i(u) = e^{isu\ln(1-q_i)}(1+f_i(u)),\qquad f_i(u) = \int P_i(b)\,(e^{isu\lambda}-1)\,db .$$

The densities are smooth and much alike: few of them, $P_k$, span the others but for small remainders $R_i =
P_i-\sum_kC_{ik}P_k$. Then $f_i$ is $\sum_kC_{ik}f_k$ but for $\int|R_i|\min(u\lambda,2)$. With $\omega =
\tfrac{e^b}{1+e^b}+w_0$ and $\min(u\lambda,2)\le\omega\min(1.6\max(u,2),2/w_0)$ this is at most that minimum times
$\int|R_i|\omega$.

*How large the remainder is.* $D = R_i\omega$ is analytic, and $|P(b+iy)|\le e^EP(b)$ and
$|\omega(b+iy)|\le\omega(b)/\cos(y/2)$ for $|y|\le a$. So a trapezoid sum with step $h$ tells $\int D^2$ up to
$2N/(e^{2\pi a/h}-1)$, where $N = \bigl(e^{E_i}\|P_i\omega\|_2+\sum|C_{ik}|e^{E_k}\|P_k\omega\|_2\bigr)^2/\cos^2(a/2)$
by the triangle inequality. On the range of the nodes, of length $l$, $\int|D|\le(l\int D^2)^{1/2}$; beyond it $|D|$
is at most $(1+w_0)(P_i+\sum|C_{ik}|P_k)$. How the $C_{ik}$ were found does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dpcompose.inversion.losses.nodes_by_tables import turn
from dpcompose.inversion.losses.rows import TiltedSteps
from dpcompose.inversion.losses.sampled_gaussian.quadrature import ALL_BLOCKS, log_beyond, log_rule_error, weights_at
from dpcompose.inversion.losses.sampled_gaussian.strip import Blocks, crude
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import (
    LIBM,
    SLACK,
    UNIT_ROUNDOFF,
    Complexes,
    Floats,
    Integers,
    multiples,
    product,
    short,
)
from dpcompose.numerics.rounding import combined as inner_products

LEAST_WEIGHT = 1e-3
"""$w_0$."""
GREATEST, KNOWN = 1e-9, 1e-8
"""With a larger remainder, or a larger error of a moment, each is better followed by itself."""
MOST = 96
"""The greatest number of representatives of a stack."""
MOST_NODES = 1500
"""The greatest number of nodes at which a remainder is measured."""
PER_NODE = 40
"""Steps that a node takes."""
SMALL = 1e-13
"""Representatives are added until no remainder is larger than this share of the largest density."""
DEPTH, NEED = 38.0, 72.0
"""How deep the densities are followed, and to how many nats the squares of remainders are told."""
TINY = 1e-7
"""Nodes so near to each other (in units of σ) tell an integral, within a factor of e."""


class Densities(NamedTuple):
    r"""$P_i\omega$ at common places, a row for each step, and a bound on the error of each value."""

    values: Floats
    error: Floats
    spacing: float
    strip: Floats
    r"""$\ln\bigl(2e^{2E}/(\cos^2(a/2)(e^{2\pi a/h}-1))\bigr)$ for each."""
    sum_beyond: Floats
    integral_beyond: Floats


def densities(rows: Any, tilt: float, log_moment: Floats) -> Densities | None:
    """The tilted densities of all rows; None if they take too many nodes."""
    q, q_error, sigma, sigma_error = rows.numbers
    r, square = rows.exponent(tilt), sigma * sigma
    log_odds = np.log(q) - np.log1p(-q)
    left, right = (((x - 0.5) / square + log_odds) for x in rows.ends(r, DEPTH))
    theta, spacing = _rule(rows, r)
    first, last = math.floor(float(left.min()) / spacing), math.ceil(float(right.max()) / spacing)
    if last - first > MOST_NODES:
        return None
    effort.count(PER_NODE * (last - first) * len(q))
    b = spacing * np.arange(first, last + 1, dtype=np.float64)
    x = square * (b - log_odds) + 0.5
    l, l_error, log_weights, weight_error = weights_at(rows, x, square * spacing)  # noqa: E741
    sign = rows.direction.sign
    share = 1.0 / (1.0 + np.exp(-b))
    values = np.exp(log_weights + sign * tilt * l - log_moment) * ((share + LEAST_WEIGHT) / spacing)
    # x is off by what the log-odds are, by the error of σ² and by three roundings; its slope times that moves ln P.
    off = (2.0 * sigma_error + 4.0 * UNIT_ROUNDOFF) * (np.abs(x) + 0.5)
    off += square * (LIBM * (1.25 * np.abs(log_odds) + 4.0 * q) + 2.0 * q_error)
    slope = (abs(r) * share + np.abs(x)) / square * (1.0 + 1e-9) + rows.window.most_hazard(x)
    doubt = weight_error + tilt * l_error + slope * off
    doubt += 4.0 * UNIT_ROUNDOFF * (np.abs(log_weights) + tilt * np.abs(l) + np.abs(log_moment)) + 4.0 * LIBM
    beyond = Blocks(rows, x[:, -1:] + sigma * ALL_BLOCKS)
    sums, integrals = (
        np.exp(np.minimum(log_beyond(x[:, :1], beyond, r, step) + more - log_moment, 700.0)) * (1.0 + LEAST_WEIGHT)
        for step, more in ((square * spacing, 0.0), (TINY * sigma, 1.0))
    )
    growth = crude(rows, theta * square, r, 0.0) - math.log(math.cos(0.5 * theta))
    strip = log_rule_error(theta, spacing) + 2.0 * growth + 1e-9
    return Densities(values, values * doubt * SLACK, spacing, strip, sums, integrals)


def _rule(rows: Any, r: float) -> tuple[float, float]:
    """The half-width of a strip in b, and a spacing, that serve all rows."""
    thetas = 0.8 * math.pi * np.power(0.88, np.arange(28.0))
    steps = 2.0 * math.pi * thetas / (NEED + 2.0 * crude(rows, thetas * rows.numbers[2] ** 2, r, 0.0))
    least = steps.min(axis=0)
    best = int(np.argmax(least))
    return float(thetas[best]), short(float(least[best]) * (1.0 - 1e-6), 20)


def spanning(values: Floats) -> tuple[Integers, Floats]:
    """Rows that nearly span all others: one after another the one that is farthest from the span of those before; and
    the share of each row in every new direction.
    """
    rest, found, largest = values.copy(), [], 0.0
    along = np.zeros((len(values), min(MOST, *values.shape)))
    for rank in range(along.shape[-1]):
        sizes = (rest * rest).sum(axis=-1)
        row = int(sizes.argmax())
        largest = largest or float(sizes[row])
        if not sizes[row] > SMALL**2 * largest:
            break
        found.append(row)
        unit = rest[row] / math.sqrt(sizes[row])
        along[:, rank] = inner_products(rest, unit)
        rest -= along[:, rank, None] * unit
    return np.array(found, dtype=np.int64), along[:, : len(found)]


def shares(chosen: Integers, along: Floats) -> Floats:
    """With which coefficients the chosen rows combine to each row, the last direction first; any are valid."""
    basis, found = along[chosen], along.copy()
    for rank in reversed(range(len(chosen))):
        found[:, rank] -= inner_products(found[:, rank + 1 :], basis[rank + 1 :, rank])
        found[:, rank] /= basis[rank, rank]
    found[chosen] = np.eye(len(chosen))
    return found


def remainders(laid: Densities, chosen: Integers, coefficients: Floats) -> Floats:
    r"""An upper bound on $\int|R_i|\omega$ for each row."""
    sizes, length = np.abs(coefficients), laid.values.shape[-1]

    def both(column: Floats) -> Floats:
        """A column for a row and for those it is combined of, by the sizes of their coefficients."""
        return column + product(sizes, column[chosen])

    values, doubt = laid.values, laid.error + (len(chosen) + 8.0) * UNIT_ROUNDOFF * laid.values
    at_nodes = np.abs(values - product(coefficients, values[chosen])) + both(doubt)
    seen = laid.spacing * ((values + doubt) ** 2).sum(axis=-1, keepdims=True) + laid.sum_beyond**2 / laid.spacing
    blind = np.exp(np.minimum(laid.strip, 0.0))
    whole = np.where(blind < 0.5, seen / (1.0 - np.minimum(blind, 0.5)), math.inf)  # ∫P²ω² itself
    squares = laid.spacing * (at_nodes**2).sum(axis=-1, keepdims=True) + both(laid.sum_beyond) ** 2 / laid.spacing
    squares += both(np.sqrt(whole * blind)) ** 2
    found: Floats = (np.sqrt(length * laid.spacing * squares) + both(laid.integral_beyond)) * SLACK
    return found


@dataclass(frozen=True, eq=False)
class Combined:
    """Tilted steps whose transforms are combinations of those of a few."""

    tilt: float
    moments: tuple[Floats, Floats]
    lay: Callable[[], TiltedSteps]
    """How to lay the few, as far as they must reach."""
    few_moment_error: Floats
    coefficients: Floats
    remainder: Floats
    sign: float
    log_complement: Floats
    r"""$\ln(1-q)$ of each, and a bound on its error."""
    complement_error: Floats
    chosen: Integers

    @cached_property
    def few(self) -> TiltedSteps:
        """The few that are combined."""
        return self.lay()

    @property
    def centre(self) -> Floats:
        r"""$\pm\ln(1-q)$, where no step's loss lies."""
        return self.sign * self.log_complement

    def characteristic(self, spacing: float, indices: Integers) -> tuple[Complexes, Floats]:
        r"""$f_i$ of each step, and an upper bound on the error."""
        v = multiples(spacing, indices)
        excess, doubt = self.few.characteristic(spacing, indices)
        shift, off = self.few.centre - self.centre[self.chosen], self.complement_error[self.chosen]
        own = excess + (1.0 + excess) * turn(v * shift)
        size = np.abs(own)
        doubt = (
            doubt + v * (off + 4.0 * UNIT_ROUNDOFF * np.abs(shift)) + 4.0 * LIBM * np.minimum(v * np.abs(shift), 2.0)
        )
        doubt += (len(self.chosen) + 16.0) * UNIT_ROUNDOFF * (size + np.abs(excess)) + self.few_moment_error * size
        effort.count(self.coefficients.size * v.size // 4)
        values = product(self.coefficients, np.ascontiguousarray(own).view(np.float64)).view(np.complex128)
        error = product(np.abs(self.coefficients), doubt) + self.moments[1] * np.abs(values)
        error += self.remainder * np.minimum(1.6 * np.maximum(v, 2.0), 2.0 / LEAST_WEIGHT) + v * self.complement_error
        return values, error * SLACK

    def log_modulus(self, spacing: float, indices: Integers, counts: Floats) -> None:
        """None: nothing is cheaper than the decay."""


def combined(rows: Any, before: TiltedSteps, lay: Callable[[Any], TiltedSteps]) -> Combined | None:
    """Steps whose moments are known already, `before`, followed far out by combining a few of them; None where that
    does not pay.
    """
    log_moment, moment_error = before.moments
    laid = densities(rows, before.tilt, log_moment) if moment_error.max() < KNOWN else None
    if laid is None or not np.isfinite(laid.values).all():
        return None
    chosen, along = spanning(laid.values)
    if 2 * len(chosen) > len(laid.values):
        return None
    coefficients = shares(chosen, along)
    remainder = remainders(laid, chosen, coefficients)
    if not remainder.max() < GREATEST:
        return None
    q, q_error, _, _ = rows.numbers
    complement = np.log1p(-q)
    return Combined(
        tilt=before.tilt,
        moments=before.moments,
        lay=lambda: lay(rows.only(chosen)),
        few_moment_error=moment_error[chosen],
        coefficients=coefficients,
        remainder=remainder,
        sign=rows.direction.sign,
        log_complement=complement,
        complement_error=LIBM * np.abs(complement) + 2.0 * q * q_error,
        chosen=chosen,
    )
