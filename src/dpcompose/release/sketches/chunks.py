"""Data in pieces: arrays, functions that give pieces, iterators of pieces, and tables of every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from dpcompose.release.ask.sources import Csv, Database, Parquet, Sql
from dpcompose.release.engine.tables import attempt, opened
from dpcompose.release.refusals import InvalidData

T = TypeVar("T")
BATCH = 1 << 16
GREATEST = 1e12
"""No number of the data may be larger; squares and sums of squares then stay far from overflow."""


@dataclass(frozen=True, slots=True)
class Pieces(Generic[T]):
    """The data, piece by piece."""

    read: Callable[[], Iterable[T]]
    """Called once for each pass over the data."""
    again: bool
    """Whether a second pass is possible, so that the first can look for mistakes before anything is drawn."""
    total: int | None = None
    """How many edges or rows there are, if that is known without a pass."""


def pieces_of(data: object) -> Pieces[object] | None:
    """A function that gives pieces, a collection of pieces, or an iterator over them; None for anything else."""
    if callable(data):
        return Pieces(data, again=True)
    if isinstance(data, Iterator):
        return Pieces(lambda: data, again=False)
    if isinstance(data, Iterable):
        return Pieces(lambda: data, again=True)
    return None


def is_sparse(data: object) -> bool:
    """Whether it has the face of a SciPy sparse matrix."""
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def is_table(data: object) -> bool:
    """Whether it is a path, a query or a frame of some engine, and no array."""
    named = isinstance(data, str | Path | Csv | Parquet | Database | Sql)
    return named or (not isinstance(data, np.ndarray) and hasattr(type(data), "columns"))


def table_pieces(data: object, columns: Sequence[str], table: str | None) -> Pieces[list[np.ndarray[Any, Any]]]:
    """The columns of a table, in batches where the engine can give them."""

    def read() -> Iterator[list[np.ndarray[Any, Any]]]:
        with opened(data, table) as found:
            batches = iter(found.numbers(columns))
            while (batch := attempt(found.name, lambda: next(batches, None))) is not None:
                if any(np.isnan(column).any() for column in batch):
                    raise InvalidData("The table has missing values in the columns of the sketch: fill or drop them.")
                yield batch

    return Pieces(read, again=True)


def numbers(values: object, what: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """An array of finite numbers, or a sentence without any of them."""
    found = np.asarray(values)
    if found.dtype.kind not in "iufb":
        raise InvalidData(f"{what} are not numbers.")
    real = found.astype(np.float64)
    if not np.isfinite(real).all() or (real.size and np.abs(real).max() > GREATEST):
        raise InvalidData(f"{what} are not all finite and at most {GREATEST:g} in size.")
    return real


__all__ = ["BATCH", "GREATEST", "Pieces", "is_sparse", "is_table", "numbers", "pieces_of", "table_pieces"]
