"""Sketches of Spark frames: summed where the data is stored, with the noise; only finished rows reach the driver.

The projection is drawn from a secret key, so each executor draws the part it needs and none is sent around. A row that
is no edge or no number counts for nothing: nothing in the data can make a sketch fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcompose.errors import DPError
from dpcompose.release.engine.spark import quoted
from dpcompose.release.refusals import INTERRUPTIONS, EngineFailure
from dpcompose.release.sampling import RandomSource
from dpcompose.release.sketches.chunks import GREATEST
from dpcompose.release.sketches.keyed import EDGES, KEY_BYTES, NOISE, ROWS, KeyedNormals
from dpcompose.release.sketches.matrices import shortened
from dpcompose.release.sketches.noise import Floats
from dpcompose.release.sketches.store import blocks

AT_ONCE = 250_000
"""Normals that an executor holds at once, at most 2 MB of them, whatever its batches are."""


MOST_OF_A_TASK = 500_000
"""The greatest number of sketch entries that one task computes."""


def is_spark(data: object) -> bool:
    """Whether a value is a Spark frame."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql") for kind in type(data).__mro__
    )


def secret_projection(source: RandomSource, columns: int) -> KeyedNormals:
    """A new secret projection."""
    try:
        import cryptography as _  # noqa: F401
    except ModuleNotFoundError:
        raise DPError("Sketches of frames of Spark need the package cryptography: install dpcompose[spark].") from None
    return KeyedNormals(source.bytes(KEY_BYTES), columns)


@dataclass(frozen=True, slots=True)
class CutRows:
    """The task of an executor for a cut sketch: from the edges at some vertices to their finished rows."""

    normals: KeyedNormals
    kept: float
    noise: float
    mean: Floats
    """The mean of the noise over all vertices, which is subtracted."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """From Arrow batches of vertex, other and weight to vertices with their rows."""
        import pyarrow as pa
        from scipy.sparse import csr_array

        found = list(batches)
        if not sum(batch.num_rows for batch in found):
            return
        whole = pa.Table.from_batches(found)
        vertex, other = (whole[name].to_numpy() for name in ("vertex", "other"))
        weight = whole["weight"].to_numpy()
        vertices, where = np.unique(vertex, return_inverse=True)
        rows = self.noised(vertices)
        step = max(1, AT_ONCE // self.normals.columns)
        for start in range(0, len(vertex), step):
            part = slice(start, start + step)
            u, v = np.minimum(vertex[part], other[part]), np.maximum(vertex[part], other[part])
            size = np.where(vertex[part] < other[part], 1.0, -1.0) * np.sqrt(self.kept * weight[part])
            incidence = csr_array((size, (where[part], np.arange(len(u)))), shape=(len(vertices), len(u)))
            rows += incidence @ self.normals.at(EDGES, u, v)
        yield pa.RecordBatch.from_arrays(
            [pa.array(vertices, pa.int64()), pa.array([row.tobytes() for row in rows], pa.binary())],
            names=["vertex", "row"],
        )

    def noised(self, vertices: Any) -> Floats:
        """The noise of some vertices, which is the whole row of a vertex without edges."""
        return self.noise * (self.normals.at(NOISE, vertices, np.zeros_like(vertices)) - self.mean)


def fill_cut(
    rows: Floats, frame: Any, columns: Sequence[str], source: RandomSource, *, kept: float, noise: float
) -> None:
    """The rows of a cut sketch, finished on the executors."""
    n, r = rows.shape
    normals = secret_projection(source, r)
    total = np.zeros(r)
    for block in blocks(n, r):
        vertices = np.arange(block.start, block.stop)
        total += normals.at(NOISE, vertices, np.zeros_like(vertices)).sum(axis=0)
    task = CutRows(normals, kept, noise, total / n)
    for block in blocks(n, r):
        rows[block] = task.noised(np.arange(block.start, block.stop))
    edges = _edges(frame, columns, n)
    tasks = max(int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions")), -(-n * r // MOST_OF_A_TASK))
    finished = edges.repartition(tasks, "vertex").mapInArrow(_plain(task), "vertex long, row binary")
    _collected(finished, rows, "vertex")


def _edges(frame: Any, columns: Sequence[str], n: int) -> Any:
    """Each edge once, its parts summed, listed at both of its ends; rows that are no edge of the graph are left out."""
    u, v = (f"try_cast({quoted(name)} AS DOUBLE)" for name in columns[:2])
    weight = f"try_cast({quoted(columns[2])} AS DOUBLE)" if len(columns) == 3 else "1.0D"
    told = frame.selectExpr(f"{u} AS a", f"{v} AS b", f"{weight} AS w")
    valid = " AND ".join(f"{c} >= 0 AND {c} < {n} AND {c} = floor({c})" for c in "ab")
    bounded = f"least(greatest(w, 0.0D), {GREATEST!r}D)"
    once = (
        told.where(f"{valid} AND a <> b AND w > 0 AND NOT isnan(w)")
        .selectExpr("CAST(least(a, b) AS BIGINT) AS a", "CAST(greatest(a, b) AS BIGINT) AS b", f"{bounded} AS w")
        .groupBy("a", "b")
        .sum("w")
        .withColumnRenamed("sum(w)", "w")
    )
    ends = once.selectExpr("a AS vertex", "b AS other", "w AS weight")
    return ends.union(once.selectExpr("b AS vertex", "a AS other", "w AS weight"))


@dataclass(frozen=True, slots=True)
class CovarianceSums:
    """The task of an executor for a covariance sketch: from some rows to the sum of their projections."""

    normals: KeyedNormals
    features: int
    longest: float | None
    """The length to which rows are shortened; None for no limit."""

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """From Arrow batches with the columns of the matrix to one sum."""
        import pyarrow as pa
        from pyspark import TaskContext

        context, seen = TaskContext.get(), 0
        part = 0 if context is None else context.partitionId()
        total = np.zeros((self.features, self.normals.columns))
        for batch in batches:
            matrix = np.column_stack([column.to_numpy(zero_copy_only=False) for column in batch.columns])
            step = max(1, AT_ONCE // max(total.shape))
            for start in range(0, len(matrix), step):
                some = matrix[start : start + step]
                some = some if self.longest is None else shortened(some, self.longest)
                counted = np.arange(seen, seen + len(some), dtype=np.int64)
                total += some.T @ self.normals.at(ROWS, np.full(len(some), part), counted)
                seen += len(some)
        yield pa.RecordBatch.from_arrays([pa.array([total.tobytes()], pa.binary())], names=["part"])


@dataclass(frozen=True, slots=True)
class CovarianceRows:
    """The task of the last executor: from all partial sums to the finished rows."""

    normals: KeyedNormals
    features: int
    width: float

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """From sums to features with their rows."""
        import pyarrow as pa

        features = np.arange(self.features)
        rows = self.width * self.normals.at(NOISE, features, np.zeros_like(features))
        for batch in batches:
            for part in batch.column(0).to_pylist():
                rows += np.frombuffer(part).reshape(rows.shape)
        yield pa.RecordBatch.from_arrays(
            [pa.array(features, pa.int64()), pa.array([row.tobytes() for row in rows], pa.binary())],
            names=["feature", "row"],
        )


def fill_covariance(
    rows: Floats, frame: Any, columns: Sequence[str], source: RandomSource, *, width: float, longest: float | None
) -> None:
    """The rows of a covariance sketch, finished on an executor."""
    d, r = rows.shape
    normals = secret_projection(source, r)
    numbers = [f"coalesce(nanvl(try_cast({quoted(name)} AS DOUBLE), 0.0D), 0.0D)" for name in columns]
    most = f"{GREATEST!r}D"
    read = [f"least(greatest({number}, -{most}), {most}) AS c{i}" for i, number in enumerate(numbers)]
    parts = frame.selectExpr(*read).mapInArrow(_plain(CovarianceSums(normals, d, longest)), "part binary")
    finished = parts.repartition(1).mapInArrow(_plain(CovarianceRows(normals, d, width)), "feature long, row binary")
    _collected(finished, rows, "feature")


def _plain(task: Callable[[Iterator[Any]], Iterator[Any]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function that runs a task; Spark looks at the names of its parameters."""

    def run(batches: Iterator[Any]) -> Iterator[Any]:
        yield from task(batches)

    return run


def _collected(finished: Any, rows: Floats, name: str) -> None:
    """Copy finished rows to their places; the error of a failing engine may quote the data, and is not repeated."""
    from pyspark import StorageLevel

    try:
        kept = finished.persist(StorageLevel.DISK_ONLY)
        kept.count()  # all parts at the same time; they are then fetched one by one
        for found in kept.toLocalIterator():
            rows[found[name]] = np.frombuffer(found["row"])
        kept.unpersist()
    except INTERRUPTIONS:
        raise
    except BaseException:  # noqa: BLE001, S110 - engines raise anything
        pass
    else:
        return
    raise EngineFailure


__all__ = ["fill_covariance", "fill_cut", "is_spark"]
