"""Weighted edges from any graph: sparse matrices, networkx, arrays, tables, and edges in chunks.

The number of vertices is public. A weight between two vertices may come in parts, which add up; an edge from a vertex
to itself crosses no cut and counts for nothing. Rows that are no edge count for nothing too: an unknown vertex, or a
weight that is missing or not above 0. No value is refused, since a refusal would reveal it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dpcompose.errors import InvalidParameter
from dpcompose.parameters import Whole
from dpcompose.release.refusals import InvalidData
from dpcompose.release.sketches.chunks import BATCH, Pieces, is_sparse, is_table, listed, pieces_of, reals, table_pieces

Ids: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Chunk: TypeAlias = tuple[Ids, Ids, Floats]

VERTICES = Whole("n", 2, 10**9, "vertices", typical=(10, 10**6))


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges of a graph on the vertices 0, …, n − 1."""

    vertices: int
    pieces: Pieces[Any] = field(repr=False)
    names: Mapping[object, int] | None = field(default=None, repr=False)
    """The number of each vertex, if vertices have names."""

    def read(self) -> Iterator[Chunk]:
        """One pass over the edges, in chunks of bounded size."""
        for piece in self.pieces.read():
            u, v, weight = self._edges(piece)
            for start in range(0, len(u), BATCH):
                part = slice(start, start + BATCH)
                yield u[part], v[part], weight[part]

    def look(self) -> None:
        """Refuse wrong types and shapes, as far as they can be known beforehand."""
        self.pieces.look(_shaped)

    def _edges(self, piece: Any) -> Chunk:
        u, v, weight = _shaped(piece)
        edge = weight > 0
        for end in (u, v):
            edge &= (end >= 0) & (end < self.vertices) & (end == np.floor(end))
        return u[edge].astype(np.int64), v[edge].astype(np.int64), weight[edge]


def _shaped(piece: Any) -> tuple[Floats, Floats, Floats]:
    """Both ends and the weights unchanged, if they are arrays of numbers of equal length; else a refusal."""
    columns = list(piece.T) if isinstance(piece, np.ndarray) and piece.ndim == 2 else _columns(piece)
    columns = [listed(column) for column in columns]
    if len(columns) not in {2, 3}:
        raise InvalidData("A chunk of edges is two arrays of vertices, and a third of weights where they are not 1.")
    u, v = (np.atleast_1d(reals(column, "The vertices of edges")) for column in columns[:2])
    weight = np.atleast_1d(reals(columns[2], "The weights of edges")) if len(columns) == 3 else np.ones(len(u))
    if not u.shape == v.shape == weight.shape or u.ndim != 1:
        raise InvalidData("The arrays of a chunk of edges differ in length.")
    return u, v, weight


def _columns(piece: Any) -> list[Any]:
    try:
        return list(piece)
    except TypeError:
        return []


def edges_of(graph: object, vertices: int | None, columns: Sequence[str], table: str | None) -> Edges:
    """The edges of any supported graph."""
    declared = None if vertices is None else int(VERTICES.check("vertices", vertices))
    reader = next((reader for serves, reader in READERS if serves(graph)), None)
    if reader is not None:
        return reader(graph, declared)
    if declared is None:
        raise InvalidParameter("vertices", vertices, "the number of vertices, which edges alone do not tell")
    if is_table(graph):
        return Edges(declared, table_pieces(graph, _named(columns), table))
    if isinstance(graph, np.ndarray):
        return Edges(declared, Pieces(lambda: [graph], again=True, total=len(graph)))
    pieces = pieces_of(graph)
    if pieces is None:
        raise InvalidData(
            f"Data of type {type(graph).__name__} is no graph: give a sparse matrix, a networkx graph, a table or "
            "path with columns of edges, an array, or chunks (sources, targets, weights)."
        )
    return Edges(declared, pieces)


def _named(columns: Sequence[str]) -> Sequence[str]:
    if isinstance(columns, str) or len(columns) not in {2, 3}:
        raise InvalidParameter(
            "columns", columns, "the names of two columns of vertices, and of one of weights or none"
        )
    return columns


def _same(declared: int | None, found: int) -> int:
    if declared not in {None, found}:
        raise InvalidParameter("vertices", declared, f"{found}, as many as the graph has, or nothing")
    return int(VERTICES.check("vertices", found))


def _sparse(graph: Any, declared: int | None) -> Edges:
    """The edges of a symmetric or triangular matrix: the weight of an edge is the greater of its two entries."""
    from scipy.sparse import csr_array, triu

    if len(set(graph.shape)) != 1 or len(graph.shape) != 2:
        raise InvalidData("The matrix of a graph is not square.")
    found = graph.tocoo()
    weight = reals(found.data, "The weights of edges")
    square = csr_array((np.where(weight > 0, weight, 0.0), (found.row, found.col)), shape=graph.shape)
    half = triu(square.maximum(square.T), 1, format="coo")
    edges = half.row, half.col, half.data
    return Edges(_same(declared, int(graph.shape[0])), Pieces(lambda: [edges], again=True, total=len(half.data)))


def _is_networkx(graph: object) -> bool:
    return hasattr(graph, "is_directed") and hasattr(graph, "edges") and hasattr(graph, "nodes")


def _networkx(graph: Any, declared: int | None) -> Edges:
    """The edges of an undirected networkx graph; an edge without a weight has weight 1."""
    if graph.is_directed():
        raise InvalidData("The graph is directed: cuts are of undirected graphs.")
    number = {name: i for i, name in enumerate(graph.nodes)}

    def read() -> Iterable[list[Any]]:
        listed = iter(graph.edges(data="weight", default=1))
        while part := list(islice(listed, BATCH)):
            yield [[number[u] for u, _, _ in part], [number[v] for _, v, _ in part], [w for _, _, w in part]]

    total = int(graph.number_of_edges())
    return Edges(_same(declared, len(number)), Pieces(read, again=True, total=total), number)


READERS: tuple[tuple[Callable[[object], bool], Callable[[Any, int | None], Edges]], ...] = (
    (is_sparse, _sparse),
    (_is_networkx, _networkx),
)

__all__ = ["Chunk", "Edges", "Ids", "edges_of"]
