r"""Cut sketches: from one private sketch of a graph, an estimate of the value of any cut.

Every edge is reweighted to $\frac wn + (1-\frac wn)w_{uv}$, and $r$ rows $y \sim \mathcal N(0, L_H)$ are published,
where $L_H$ is the Laplacian of the new graph. Neither $L_H$ nor any matrix of its size is formed: with standard
normals,

$$y = \sqrt{1-\tfrac wn}\sum_e g_e\sqrt{w_e}\,(1_u - 1_v) + \sqrt w\,(z - \bar z),$$

since the complete graph's part of $L_H$ is $w(I - J/n)$.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.exact.chisquare import scaled_normal_renyi
from dpcompose.numerics.enclosure import ZERO, Enclosure, Real
from dpcompose.parameters import Param
from dpcompose.progress import progress
from dpcompose.release.charge import Budget, Charge
from dpcompose.release.sampling import OS, RandomSource
from dpcompose.release.sketches.answers import ProjectionReading, SketchEstimate
from dpcompose.release.sketches.graphs import VERTICES, Chunk, Edges, Ids, edges_of
from dpcompose.release.sketches.making import Draft
from dpcompose.release.sketches.noise import AT_ONCE, UNPROVED, Floats, grid_step, normals
from dpcompose.release.sketches.price import (
    Price,
    SketchGoal,
    exact_rows,
    gaussian_guess,
    goal,
    least_width,
    published,
    worse,
)
from dpcompose.release.sketches.spark import fill_cut, is_spark
from dpcompose.release.sketches.store import blocks
from dpcompose.shown import Told
from dpcompose.theorems.sketches import ReweightedGraph, cut_delta, published_width

COLUMNS = ("source", "target", "weight")


@dataclass(frozen=True, slots=True, repr=False)
class CutPrice(Price):
    """The price of a cut sketch; it depends on the number of vertices only."""

    vertices: int

    @property
    def relation(self) -> Adjacency:
        """The weight between two vertices changes by at most `change`, as if an edge of that weight were added or
        removed.
        """
        return Adjacency.ADD_REMOVE

    @property
    def published_fits(self) -> bool:
        """Whether the published w is below n, as reweighting requires; the certified one always is."""
        return self.published_width.upper < self.vertices

    def renyi(self, order: Real) -> Enclosure:
        """The exact Rényi divergence, in the worse order of the pair."""
        return worse(scaled_normal_renyi(self.rows, variance_ratio(self.width, self.vertices, self.goal.change), order))

    def tau(self, size: int) -> float:
        r"""$\tau = \eta w\frac{s(n-s)}{n-w}$, the additive error of a cut of `size` vertices, rounded up."""
        width = Enclosure(self.width, self.width)
        return ReweightedGraph(width, self.vertices).additive_error(self.goal.eta, size).upper


def variance_ratio(width: Real, vertices: int, change: Real) -> Fraction:
    r"""$R = 1+2\Delta(\frac1w-\frac1n)$: the greatest factor by which one edge of weight Δ changes the variance of a
    projection.
    """
    return 1 + 2 * Fraction(change) * (1 / Fraction(width) - Fraction(1, vertices))


def cut_price(
    *,
    vertices: int,
    eta: Real,
    nu: Real,
    epsilon: Real,
    delta: Real,
    queries: int = 1,
    change: Real = 1,
    width: Real | None = None,
) -> CutPrice:
    """Certified rows and width of a cut sketch; no graph is needed, and nothing is drawn."""
    n = int(VERTICES.check("vertices", vertices))
    wanted = goal(eta=eta, nu=nu, queries=queries, epsilon=epsilon, delta=delta, change=change)
    rows = exact_rows(wanted)

    def profile(w: float) -> Enclosure:
        if not 0.0 < w < n:
            return ZERO if w > 0.0 else _CERTAIN
        return cut_delta(rows, variance_ratio(w, n, wanted.change), wanted.epsilon)[2]

    w = _least(profile, wanted, rows, n) if width is None else _declared(profile, wanted, width, n)
    return CutPrice(wanted, rows, w, profile(w), *published(wanted, published_width), n)


_CERTAIN = Enclosure(1.0, 1.0)


def _least(profile: Any, wanted: SketchGoal, rows: int, n: int) -> float:
    guess = gaussian_guess(wanted, math.sqrt(2 * rows))  # as if n were infinite
    return least_width(profile, wanted.delta, 1 / (1 / guess + 1 / n), float(n)).upper


def _declared(profile: Any, wanted: SketchGoal, width: Real, n: int) -> float:
    w = float(Param("w", 0, 10**12).check("width", width))
    if not 0.0 < w < n:
        raise InvalidParameter("width", width, f"a number above 0 and below the number of vertices, {n}")
    if profile(w).upper > wanted.delta:
        raise InvalidParameter("width", width, "a larger one: the exact profile exceeds the declared delta at epsilon")
    return w


@dataclass(frozen=True, slots=True, repr=False)
class CutSketch(Told):
    """A private sketch of a graph. Any number of cut queries is answered from it at no further cost."""

    price: CutPrice
    rows: Floats = field(repr=False)
    """A line for each vertex, a column for each row of the sketch; this may be published."""
    step: float
    names: dict[object, int] | None = field(default=None, repr=False)
    note: str = UNPROVED

    @property
    def vertices(self) -> int:
        """The number of vertices."""
        return self.price.vertices

    def cut(self, side: Iterable[Any]) -> SketchEstimate:
        """The weight of the edges between `side` and the other vertices; `side` holds numbers, names, or one truth
        value each.
        """
        members = self._members(side)
        n, s, w = self.vertices, len(members), self.price.width
        total = np.zeros(self.price.rows)
        for start in range(0, s, 1 << 16):
            total += self.rows[members[start : start + (1 << 16)]].sum(axis=0)
        kept, added = 1 - w / n, w * s * (n - s) / n
        wanted = self.price.goal
        reading = ProjectionReading(kept, added, s * self.step, float(wanted.eta), wanted.failure)
        return reading.estimate(float(np.mean(total**2)))

    def _members(self, side: Iterable[Any]) -> Ids:
        """The sorted vertices of the smaller side, each once; a cut has the same value from both sides."""
        given = side if isinstance(side, np.ndarray) else list(side)
        found = np.asarray(given)
        inside = np.zeros(self.vertices, dtype=bool)
        if found.dtype == bool and found.shape == inside.shape:
            inside = found.copy()
        elif self.names is not None:
            inside[[self._number(name) for name in given]] = True
        elif found.size and (
            found.ndim != 1 or found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= self.vertices
        ):
            raise InvalidParameter(
                "side", given, f"vertices 0, …, {self.vertices - 1}, or a truth value for each vertex"
            )
        elif found.size:
            inside[found] = True
        return np.flatnonzero(inside if 2 * int(inside.sum()) <= self.vertices else ~inside)

    def _number(self, name: object) -> int:
        if self.names is None or name not in self.names:
            raise InvalidParameter("side", name, "a vertex of the graph")
        return self.names[name]

    def __str__(self) -> str:
        return f"cut sketch of {self.vertices} vertices: {self.price}\n{self.note}"


def cut_sketch(
    graph: object,
    *,
    eta: Real,
    nu: Real,
    epsilon: Real,
    delta: Real,
    queries: int = 1,
    change: Real = 1,
    vertices: int | None = None,
    width: Real | None = None,
    columns: Sequence[str] = COLUMNS,
    table: str | None = None,
    grid: Real | None = None,
    into: str | Path | None = None,
    budget: Budget | None = None,
    source: RandomSource = OS,
) -> CutSketch:
    r"""Publish a sketch of a graph from which each cut is known within $\eta\cdot\text{cut}+\tau$, except with
    probability $\nu/k$.

    (ε, δ)-DP for graphs on the same vertices whose weights differ between two vertices, by at most `change`. Whatever
    is no edge counts for nothing, and no value is refused. Refusals come before the charge, and the charge before
    anything is drawn. Chunks from an iterator can be read only once, so their types and shapes are checked while they
    are read.
    """
    edges = edges_of(graph, vertices, columns, table)
    price = cut_price(
        vertices=edges.vertices,
        eta=eta,
        nu=nu,
        epsilon=epsilon,
        delta=delta,
        queries=queries,
        change=change,
        width=width,
    )
    step = grid_step(math.sqrt(price.width), grid)
    charge = Charge(price.mechanism, f"a cut sketch of {price.vertices} vertices", "(edge)")

    def fill(rows: Floats, drawing: RandomSource) -> None:
        if is_spark(graph):
            kept, noise = 1 - price.width / price.vertices, math.sqrt(price.width)
            fill_cut(rows, graph, columns, drawing, kept=kept, noise=noise)
        else:
            _fill(rows, edges, price, drawing)

    draft = Draft(price.vertices, price.rows, step, charge, edges.look, fill)
    return CutSketch(price, draft.made(budget, source, into), step, None if edges.names is None else dict(edges.names))


def _fill(rows: Floats, edges: Edges, price: CutPrice, source: RandomSource) -> None:
    """Fill in the noise first, so that nothing without noise is ever stored; then the edges."""
    n, r = rows.shape
    total = np.zeros(r)
    for block in blocks(n, r):
        drawn = math.sqrt(price.width) * normals(source, block.stop - block.start, r)
        rows[block] = drawn
        total += drawn.sum(axis=0)
    mean = total / n
    for block in blocks(n, r):
        rows[block] -= mean
    at_once = max(1, AT_ONCE // r)
    with progress("edges", edges.pieces.total) as advance:
        for u, v, weight in edges.read():
            for start in range(0, len(u), at_once):
                part = slice(start, start + at_once)
                _add(rows, (u[part], v[part], weight[part]), 1 - price.width / n, source)
            advance(len(u))


def _add(rows: Floats, chunk: Chunk, kept: float, source: RandomSource) -> None:
    r"""Add $\sqrt{(1-w/n)w_e}\,g_e(1_u - 1_v)$ for each edge, through the incidence matrix of the vertices touched."""
    from scipy.sparse import csr_array

    u, v, weight = chunk
    edges, size = np.arange(len(u)), np.sqrt(kept * weight)
    touched, where = np.unique(np.concatenate([u, v]), return_inverse=True)
    entries = (np.concatenate([size, -size]), (where, np.concatenate([edges, edges])))
    incidence = csr_array(entries, shape=(len(touched), len(u)))
    rows[touched] += incidence @ normals(source, len(u), rows.shape[1])


__all__ = ["CutPrice", "CutSketch", "cut_price", "cut_sketch", "variance_ratio"]
