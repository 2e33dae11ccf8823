"""Data in pieces: arrays, functions that return pieces, iterators of pieces, and tables of every engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from dpcompose.errors import DPError
from dpcompose.release.ask.sources import Csv, Database, Parquet, Sql
from dpcompose.release.engine.tables import opened
from dpcompose.release.refusals import INTERRUPTIONS, EngineFailure, InvalidData

T = TypeVar("T")
BATCH = 1 << 16
GREATEST = 1e12
"""Larger numbers in the data count as this one; squares and sums of squares then stay far from overflow."""


@dataclass(frozen=True, slots=True)
class Pieces(Generic[T]):
    """The data, piece by piece."""

    read: Callable[[], Iterable[T]]
    """Called for each pass over the data."""
    again: bool
    """Whether a second pass is possible, so that a first one can check the shapes of all pieces."""
    total: int | None = None
    """The number of edges or rows, if known without a pass."""
    declared: Callable[[], None] | None = None
    """Checks the schema, if there is one, without reading rows."""

    def look(self, shaped: Callable[[T], object]) -> None:
        """Refuse data of the wrong shape or type, before anything is charged. Values are never refused."""
        if self.declared is not None:
            self.declared()
        elif self.again:
            for piece in self.read():
                shaped(piece)


def pieces_of(data: object) -> Pieces[object] | None:
    """Data that comes in pieces: a function that returns them, a collection, or an iterator. None for other data."""
    if callable(data):
        return Pieces(data, again=True)
    if isinstance(data, Iterator):
        return Pieces(lambda: data, again=False)
    if isinstance(data, Iterable):
        return Pieces(lambda: data, again=True)
    return None


def is_sparse(data: object) -> bool:
    """Whether a value has the interface of a SciPy sparse matrix."""
    return hasattr(data, "tocsr") and hasattr(data, "nnz")


def is_table(data: object) -> bool:
    """Whether a value is a path, a query or a frame, and not an array."""
    named = isinstance(data, str | Path | Csv | Parquet | Database | Sql)
    return named or (not isinstance(data, np.ndarray) and hasattr(type(data), "columns"))


def table_pieces(data: object, columns: Sequence[str], table: str | None) -> Pieces[list[np.ndarray[Any, Any]]]:
    """The columns of a table, in batches where the engine provides them."""

    def declared() -> None:
        with opened(data, table) as found:
            for column in columns:
                found.check({"value": column})

    def read() -> Iterator[list[np.ndarray[Any, Any]]]:
        try:
            with opened(data, table) as found:
                yield from found.numbers(columns)
        except (DPError, *INTERRUPTIONS):
            raise
        except BaseException:  # noqa: BLE001, S110 - engines raise anything, and may quote values
            pass
        else:
            return
        raise EngineFailure

    return Pieces(read, again=True, declared=declared)


def listed(values: object) -> object:
    """A list as a one-dimensional array of the same length, whatever it contains; other values unchanged."""
    return np.fromiter(values, dtype=object) if isinstance(values, list | tuple) else values


def reals(values: object, what: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Numbers as floats, limited to ±`GREATEST`; what is no number in an array of objects becomes NaN."""
    found = np.asarray(values) if hasattr(values, "dtype") else np.array(values, dtype=object)
    if found.dtype.kind not in "iufbO":
        raise InvalidData(f"{what} are not numbers.")
    if found.dtype.kind == "O":
        found = np.asarray(np.frompyfunc(_real, 1, 1)(found))
    return np.clip(found.astype(np.float64), -GREATEST, GREATEST)


def _real(value: object) -> float:
    try:
        return float(value) if isinstance(value, Real | Decimal) else math.nan
    except ValueError:  # a NaN that signals
        return math.nan
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator] # a number, too large for floats


__all__ = ["BATCH", "GREATEST", "Pieces", "is_sparse", "is_table", "listed", "pieces_of", "reals", "table_pieces"]
