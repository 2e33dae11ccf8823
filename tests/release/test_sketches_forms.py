"""Every form a graph can have, read: each has the same edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from dpcompose import release
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from dpcompose.release.sketches import CutSketch
from dpcompose.release.sketches.chunks import BATCH
from dpcompose.release.sketches.graphs import edges_of

N = 40
GOAL: dict[str, Any] = {"eta": 0.5, "nu": Fraction("0.05"), "epsilon": 1, "delta": 1e-6}
COLUMNS = ("source", "target", "weight")


class Untouched:
    """Randomness that nobody may draw."""

    for_tests = True  # no start-up test, which would draw

    def bytes(self, count: int, /) -> bytes:
        pytest.fail(f"{count} bytes were drawn")


class Graph:
    """The face of an undirected networkx graph, and nothing else of it."""

    def __init__(self, edges: list[tuple[Any, Any, Any]], *, directed: bool = False) -> None:
        self.nodes = [f"v{i}" for i in range(N)]
        self._edges, self._directed = edges, directed

    def is_directed(self) -> bool:
        return self._directed

    def number_of_edges(self) -> int:
        return len(self._edges)

    def edges(self, *, data: str, default: float) -> Iterator[tuple[Any, Any, Any]]:
        assert data == "weight"
        return ((f"v{u}", f"v{v}", default if w is None else w) for u, v, w in self._edges)


def edge_list(seed: int = 1, vertices: int = N, density: float = 0.3) -> tuple[Any, Any, Any]:
    """Sources, targets and weights of a random graph."""
    draw = np.random.default_rng(seed)
    u, v = np.nonzero(np.triu(draw.random((vertices, vertices)) < density, 1))
    return u, v, np.round(draw.random(len(u)), 3)


U, V, W = edge_list()
WEIGHTS = np.zeros((N, N))
WEIGHTS[U, V] = WEIGHTS[V, U] = W
FRAME = pd.DataFrame({"source": U, "target": V, "weight": W})


def in_parts() -> Iterator[tuple[Any, Any, Any]]:
    """The same edges in uneven chunks."""
    for start in range(0, len(U), 37):
        yield U[start : start + 37], V[start : start + 37], W[start : start + 37]


FORMS: dict[str, Callable[[], Any]] = {
    "symmetric": lambda: sp.csr_array(WEIGHTS),
    "upper": lambda: sp.coo_matrix(np.triu(WEIGHTS)),
    "lower": lambda: sp.csc_array(np.tril(WEIGHTS)),
    "array": lambda: np.column_stack([U, V, W]),
    "columns": lambda: [(U, V, W)],
    "edges": lambda: [(int(u), int(v), float(w)) for u, v, w in zip(U, V, W, strict=True)],
    "function": lambda: in_parts,
    "iterator": in_parts,
    "networkx": lambda: Graph(list(zip(U.tolist(), V.tolist(), W.tolist(), strict=True))),
    "pandas": lambda: FRAME,
    "polars": lambda: pl.from_pandas(FRAME),
    "lazy polars": lambda: pl.from_pandas(FRAME).lazy(),
}


def collected(graph: Any, **options: Any) -> np.ndarray[Any, Any]:
    """The matrix of weights that the edges of a graph add up to."""
    found = np.zeros((N, N))
    given = {"vertices": N, "columns": COLUMNS, "table": None, **options}
    for u, v, weight in edges_of(graph, **given).read():
        np.add.at(found, (u, v), weight)
        np.add.at(found, (v, u), weight)
    return found


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_graph_has_the_same_edges(form: str) -> None:
    assert np.array_equal(collected(FORMS[form]()), WEIGHTS)


def test_files_have_the_same_edges(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "edges.parquet")
    FRAME.to_csv(tmp_path / "edges.csv", index=False)
    path = tmp_path / "edges.parquet"
    types = {"source": "int", "target": "int", "weight": "float"}
    query = release.Sql(f"SELECT source AS a, target AS b, weight FROM '{path}'", files=[path])
    assert np.array_equal(collected(tmp_path / "edges.parquet"), WEIGHTS)
    assert np.array_equal(collected(release.Csv(tmp_path / "edges.csv", types)), WEIGHTS)
    assert np.array_equal(collected(query, columns=("a", "b", "weight")), WEIGHTS)
    assert np.array_equal(
        collected(FRAME, columns=COLUMNS[:2]),
        np.isin(np.arange(N * N).reshape(N, N), np.concatenate([U * N + V, V * N + U])),
    )


def test_weights_of_one_pair_add_up_and_loops_count_for_nothing() -> None:
    parts = [(np.array([0, 1, 3]), np.array([1, 0, 3]), np.array([0.25, 0.5, 9.0]))]
    found = collected(parts)
    assert found[0, 1] == 0.75
    sketch = release.cut_sketch(parts, vertices=5, **GOAL, source=RepeatableBytesForTests(1))
    assert sketch.cut([3]).lower == 0.0  # a loop of weight 9 would be seen
    assert sketch.cut([3]).upper < 9 * 5 * sketch.price.width


def test_large_pieces_are_cut_down() -> None:
    u = np.zeros(BATCH + 5, dtype=np.int64)
    sizes = [len(x) for x, _, _ in edges_of([(u, u + 1)], 2, COLUMNS, None).read()]
    assert sizes == [BATCH, 5]


def made(**options: Any) -> CutSketch:
    return release.cut_sketch(sp.csr_array(WEIGHTS), **{**GOAL, "source": RepeatableBytesForTests(6), **options})
