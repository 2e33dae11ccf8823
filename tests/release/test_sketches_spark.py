"""Sketches of frames of Spark: the same rows as one machine would make from the key, and nothing else on the driver."""

from __future__ import annotations

import math
import stat
from hashlib import shake_256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from dpcompose.release.sketches.keyed import EDGES, NOISE, ROWS, KeyedNormals
from release.engines import NEEDS_SPARK, Book, spark

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # of PySpark, about pandas
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
GOAL: dict[str, Any] = {"eta": 0.5, "nu": 0.1, "epsilon": 1, "delta": 1e-6}
N = 60
KEY = shake_256(b"7/1").digest(32)


def graph() -> list[tuple[Any, Any, Any]]:
    """A ring with chords, some edges in parts or turned round, and rows that are no edges."""
    ring = [(i, (i + 1) % N, 1.0) for i in range(N)] + [(i, (i * 7 + 3) % N, 0.5) for i in range(N)]
    parts = [(5, 6, 0.25), (6, 5, 0.25)]
    nonsense = [(3, 3, 9.0), (-1, 2, 1.0), (2, N, 1.0), (None, 2, 1.0), (4, 9, None), (4, 9, -2.0), (4, 9, math.nan)]
    return [*ring, *parts, *nonsense]


def weights() -> dict[tuple[int, int], float]:
    """The weight between any two vertices, by hand."""
    found: dict[tuple[int, int], float] = {}
    for u, v, w in graph():
        if None in (u, v, w) or u == v or not (0 <= u < N and 0 <= v < N) or not w > 0:
            continue
        found[min(u, v), max(u, v)] = found.get((min(u, v), max(u, v)), 0.0) + w
    return found


def frame(partitions: int) -> Any:
    return spark().createDataFrame(graph(), "source long, target long, weight double").repartition(partitions)


@pytest.mark.slow
@NEEDS_SPARK
@pytest.mark.parametrize("partitions", [1, 5])
def test_a_graph_is_sketched_where_it_lies(partitions: int, tmp_path: Path) -> None:
    """Every row of the sketch is what its definition says, edge by edge, from the key alone."""
    book, path = Book(), tmp_path / "rows.npy"
    sketch = release.cut_sketch(
        frame(partitions), vertices=N, **GOAL, budget=book, into=path, source=RepeatableBytesForTests(7)
    )
    w, r = sketch.price.width, sketch.price.rows
    normals = KeyedNormals(KEY, r)
    every = np.arange(N)
    z = normals.at(NOISE, every, 0 * every)
    wanted = math.sqrt(w) * (z - z.mean(axis=0))
    for (u, v), weight in weights().items():
        g = normals.at(EDGES, np.array([u]), np.array([v]))[0]
        wanted[u] += math.sqrt((1 - w / N) * weight) * g
        wanted[v] -= math.sqrt((1 - w / N) * weight) * g
    assert np.abs(sketch.rows - wanted).max() <= sketch.step
    (charge,) = book.charges
    assert (charge.unit, charge.adjacency) == ("(edge)", dpc.ADD_REMOVE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.slow
@NEEDS_SPARK
@pytest.mark.parametrize("adjacency", [dpc.REPLACE_ONE, dpc.ADD_REMOVE])
def test_a_matrix_is_sketched_where_it_lies(adjacency: Any) -> None:
    """A second moment that dwarfs the noise comes back; the rows of other parts are drawn apart."""
    random = np.random.default_rng(3)
    rows = random.normal(size=(4000, 3)) * [1, 2, 0.5]
    scale = 1.0 if adjacency is dpc.REPLACE_ONE else 40.0
    table = spark().createDataFrame([tuple(map(float, row)) for row in rows], "a double, b double, c double")
    sketch = release.covariance_sketch(
        table.repartition(4),
        columns=["a", "b", "c"],
        eta=0.2,
        nu=0.01,
        epsilon=4,
        delta=1e-3,
        change=scale,
        adjacency=adjacency,
        source=RepeatableBytesForTests(7),
    )
    found = sketch.quadratic([0, 1, 0])
    truth = float((rows[:, 1] ** 2).sum())
    assert found.lower <= truth <= found.upper


@pytest.mark.slow
@NEEDS_SPARK
def test_what_is_no_number_is_refused_by_its_type_and_values_never_are() -> None:
    book = Book()
    text = spark().createDataFrame([("a", 1, 1.0)], "source string, target long, weight double")
    with pytest.raises(release.InvalidData, match="'source'"):
        release.cut_sketch(text, vertices=N, **GOAL, budget=book)
    assert not book.charges
    nothing = spark().createDataFrame([(None, None)], "a double, b double")
    sketch = release.covariance_sketch(nothing, columns=["a", "b"], **GOAL, budget=book)
    assert sketch.features == 2
    assert len(book.charges) == 1


def test_keyed_normals_are_normal_and_apart() -> None:
    normals = KeyedNormals(KEY, 7)
    many = np.arange(40_000)
    drawn = normals.at(EDGES, many, many + 1)
    assert drawn.shape == (40_000, 7)
    assert abs(drawn.mean()) < 0.01
    assert drawn.std() == pytest.approx(1, abs=0.01)
    assert np.abs(np.corrcoef(drawn.T) - np.eye(7)).max() < 0.03
    others = [normals.at(NOISE, many, many + 1), normals.at(ROWS, many, many + 1), normals.at(EDGES, many + 1, many)]
    others.append(KeyedNormals(bytes(32), 7).at(EDGES, many, many + 1))
    for other in others:
        assert abs(np.corrcoef(drawn.ravel(), other.ravel())[0, 1]) < 0.01
    again = np.concatenate([normals.at(EDGES, part, part + 1) for part in np.array_split(many, 9)])
    assert np.array_equal(again, drawn)
    assert "b'" not in repr(normals)


@pytest.mark.parametrize("kind", ["cut", "covariance"])
def test_a_sketch_in_a_file_is_nobody_elses_to_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    if kind == "cut":
        release.cut_sketch([(np.array([0]), np.array([1]))], vertices=N, **GOAL, into=path)
    else:
        release.covariance_sketch(np.ones((4, 2)), **GOAL, into=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
