r"""Covariance sketches: from one private sketch of a matrix $A$, an estimate of $x^TA^TAx$ for any $x$.

Published are $r$ rows $y = A^Tg + wz \sim \mathcal N(0, A^TA+w^2I)$, $g$ and $z$ standard normal, computed while the
matrix is read in pieces. Their mean square along $x$, minus $w^2|x|^2$, is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import numpy as np

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.exact.chisquare import scaled_normal_renyi
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.progress import progress
from dpcompose.release.charge import Budget, Charge
from dpcompose.release.sampling import OS, RandomSource
from dpcompose.release.sketches.answers import ProjectionReading, SketchEstimate
from dpcompose.release.sketches.making import Draft
from dpcompose.release.sketches.matrices import Matrix, matrix_of, shortened
from dpcompose.release.sketches.noise import AT_ONCE, UNPROVED, Floats, grid_step, normals
from dpcompose.release.sketches.price import (
    Price,
    SketchGoal,
    exact_rows,
    gaussian_guess,
    goal,
    least_width,
    published,
    published_covariance_width,
    worse,
)
from dpcompose.release.sketches.profile import random_shift_delta
from dpcompose.release.sketches.spark import fill_covariance, is_spark
from dpcompose.release.sketches.store import blocks
from dpcompose.shown import Told
from dpcompose.theorems.sketches import covariance_renyi, cut_delta

_CERTAIN = Enclosure(1.0, 1.0)
_WIDEST = 1e100


class CovarianceCost(Protocol):
    """The cost of r rows of width w, for a change of at most 1."""

    def delta(self, rows: int, width: Real, epsilon: Real) -> Enclosure:
        """The exact δ."""
        ...

    def renyi(self, rows: int, width: Real, order: Real) -> Enclosure:
        """The exact Rényi divergence."""
        ...


class Moved:
    """A row changes by at most 1 in norm: a Gaussian mechanism, mixed over χ²."""

    def delta(self, rows: int, width: Real, epsilon: Real) -> Enclosure:
        """The exact δ: the mean of the Gaussian profiles over χ²."""
        return random_shift_delta(rows, width, epsilon)

    def renyi(self, rows: int, width: Real, order: Real) -> Enclosure:
        """The exact Rényi divergence of the mixture, in which the weights are visible in the output."""
        return covariance_renyi(rows, width, order)


class Added:
    """A row of norm at most 1 is added or removed: two variances with a ratio of at most $1+1/w^2$."""

    def delta(self, rows: int, width: Real, epsilon: Real) -> Enclosure:
        r"""$\chi^2_r$ against $R\chi^2_r$."""
        return cut_delta(rows, 1 + 1 / Fraction(width) ** 2, epsilon)[2]

    def renyi(self, rows: int, width: Real, order: Real) -> Enclosure:
        r"""$\chi^2_r$ against $R\chi^2_r$."""
        return worse(scaled_normal_renyi(rows, 1 + 1 / Fraction(width) ** 2, order))


LAWS: Mapping[Adjacency, CovarianceCost] = MappingProxyType(
    {Adjacency.REPLACE_ONE: Moved(), Adjacency.ADD_REMOVE: Added()}
)


@dataclass(frozen=True, slots=True, repr=False)
class CovariancePrice(Price):
    """The price of a covariance sketch; it does not depend on the size of the matrix."""

    adjacency: Adjacency

    @property
    def relation(self) -> Adjacency:
        """The neighbouring relation that was asked for."""
        return self.adjacency

    def renyi(self, order: Real) -> Enclosure:
        """The exact Rényi divergence, in the worse order of the pair."""
        return LAWS[self.adjacency].renyi(self.rows, Fraction(self.width) / Fraction(self.goal.change), order)

    def tau(self, length: Real = 1) -> float:
        r"""$\tau = \eta w^2|x|^2$, the additive error along a direction of this length, rounded up."""
        exactly = Fraction(self.goal.eta) * Fraction(self.width) ** 2 * Fraction(length) ** 2
        return Enclosure.exactly(exactly).upper


def covariance_price(
    *,
    eta: Real,
    nu: Real,
    epsilon: Real,
    delta: Real,
    queries: int = 1,
    change: Real = 1,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
) -> CovariancePrice:
    """Certified rows and width of a covariance sketch; no matrix is needed, and nothing is drawn."""
    if adjacency not in LAWS:
        raise InvalidParameter("adjacency", adjacency, "ADD_REMOVE or REPLACE_ONE")
    wanted = goal(eta=eta, nu=nu, queries=queries, epsilon=epsilon, delta=delta, change=change)
    rows = exact_rows(wanted, step=2)  # the profile has a closed form for even numbers of rows

    def profile(w: float) -> Enclosure:
        if not w > 0.0:
            return _CERTAIN
        return LAWS[adjacency].delta(rows, Fraction(w) / Fraction(wanted.change), wanted.epsilon)

    w = least_width(profile, wanted.delta, _guess(wanted, rows, adjacency), _WIDEST).upper
    return CovariancePrice(wanted, rows, w, profile(w), *published(wanted, published_covariance_width), adjacency)


def _guess(wanted: SketchGoal, rows: int, adjacency: Adjacency) -> float:
    if adjacency is Adjacency.REPLACE_ONE:
        return gaussian_guess(wanted, math.sqrt(rows))
    return math.sqrt(float(wanted.change) * gaussian_guess(wanted, math.sqrt(rows / 2)))


@dataclass(frozen=True, slots=True, repr=False)
class CovarianceSketch(Told):
    """A private sketch of a matrix A. Any number of queries is answered from it at no further cost."""

    price: CovariancePrice
    rows: Floats = field(repr=False)
    """A line for each column of A, a column for each row of the sketch; this may be published."""
    step: float
    note: str = UNPROVED

    @property
    def features(self) -> int:
        """The number of columns of the matrix."""
        return int(self.rows.shape[0])

    def quadratic(self, direction: Sequence[float] | Floats) -> SketchEstimate:
        r"""$x^TA^TAx$ along a direction $x$ of any length."""
        found = np.asarray(direction)
        x = found.astype(np.float64) if found.dtype.kind in "iufb" else np.empty(0)
        if x.shape != (self.features,) or not np.isfinite(x).all() or float(np.abs(x).max()) > 1e100:
            raise InvalidParameter("direction", direction, f"{self.features} finite numbers, at most 1e100 in size")
        added = self.price.width**2 * float(x @ x)
        wanted = self.price.goal
        slack = float(np.abs(x).sum()) * self.step
        reading = ProjectionReading(1.0, added, slack, float(wanted.eta), wanted.failure)
        return reading.estimate(float(np.mean((x @ self.rows) ** 2)))

    def covariance(self) -> Floats:
        """The estimate of $A^TA$ as a matrix, which may have negative eigenvalues; along $x$ it gives the value of
        `quadratic`.
        """
        mean_square: Floats = self.rows @ self.rows.T / self.price.rows
        return mean_square - self.price.width**2 * np.eye(self.features)

    def __str__(self) -> str:
        return f"covariance sketch of {self.features} columns: {self.price}\n{self.note}"


def covariance_sketch(
    matrix: object,
    *,
    eta: Real,
    nu: Real,
    epsilon: Real,
    delta: Real,
    queries: int = 1,
    change: Real = 1,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
    features: int | None = None,
    columns: Sequence[str] | None = None,
    table: str | None = None,
    grid: Real | None = None,
    into: str | Path | None = None,
    budget: Budget | None = None,
    source: RandomSource = OS,
) -> CovarianceSketch:
    r"""Publish a sketch of A from which each $x^TA^TAx$ is known within $\eta\cdot\text{truth}+\tau$, except with
    probability $\nu/k$.

    `REPLACE_ONE`: (ε, δ)-DP for matrices that differ by at most `change` (in Euclidean norm) in one row. `ADD_REMOVE`:
    for matrices with one row more or less, of norm at most `change`; longer rows are shortened to that, and the noise
    is far less. A missing entry counts as 0, and no value is refused. Refusals come before the charge, and the charge
    before anything is drawn. Pieces from an iterator can be read only once, so their types and shapes are checked while
    they are read.
    """
    price = covariance_price(
        eta=eta, nu=nu, epsilon=epsilon, delta=delta, queries=queries, change=change, adjacency=adjacency
    )
    found = matrix_of(matrix, features, columns, table)
    step = grid_step(price.width, grid)
    charge = Charge(price.mechanism, f"a covariance sketch of {found.features} columns", "(every row)")

    def fill(rows: Floats, drawing: RandomSource) -> None:
        if is_spark(matrix):
            longest = _longest(price)
            fill_covariance(rows, matrix, list(columns or ()), drawing, width=price.width, longest=longest)
        else:
            _fill(rows, found, price, drawing)

    draft = Draft(found.features, price.rows, step, charge, found.look, fill)
    return CovarianceSketch(price, draft.made(budget, source, into), step)


def _longest(price: CovariancePrice) -> float | None:
    """The length to which rows are shortened, under add/remove; else None."""
    return float(price.goal.change) if price.adjacency is Adjacency.ADD_REMOVE else None


def _fill(rows: Floats, matrix: Matrix, price: CovariancePrice, source: RandomSource) -> None:
    """Fill in the noise first, so that nothing without noise is ever stored; then the matrix."""
    d, r = rows.shape
    longest = _longest(price)
    for block in blocks(d, r):
        rows[block] = price.width * normals(source, block.stop - block.start, r)
    at_once = max(1, AT_ONCE // max(d, r))
    with progress("rows", matrix.pieces.total) as advance:
        for piece in matrix.read():
            for start in range(0, len(piece), at_once):
                part = piece[start : start + at_once]
                part = part if longest is None else shortened(part, longest)
                rows += part.T @ normals(source, len(part), r)
            advance(len(piece))


__all__ = ["CovariancePrice", "CovarianceSketch", "covariance_price", "covariance_sketch"]
