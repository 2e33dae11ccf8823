"""The rows of a matrix, in pieces: arrays, sparse matrices, columns of tables, and chunks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpcompose.errors import InvalidParameter
from dpcompose.parameters import Whole
from dpcompose.release.refusals import InvalidData
from dpcompose.release.sketches.chunks import BATCH, Pieces, is_sparse, is_table, listed, pieces_of, reals, table_pieces
from dpcompose.release.sketches.noise import AT_ONCE, Floats

FEATURES = Whole("d", 1, 10**6, "columns", typical=(2, 1000))


@dataclass(frozen=True, slots=True)
class Matrix:
    """The rows of a matrix with `features` columns; it may have no rows.

    An entry that is missing or not a number counts as 0, and larger entries than `GREATEST` as that. No value is
    refused.
    """

    features: int
    pieces: Pieces[Any] = field(repr=False)

    def read(self) -> Iterator[Floats]:
        """One pass over the rows, in pieces of bounded size."""
        for piece in self.pieces.read():
            rows = self._shaped(piece)
            yield np.where(np.isnan(rows), 0.0, rows)

    def look(self) -> None:
        """Refuse wrong types and shapes, as far as they can be known beforehand."""
        self.pieces.look(self._shaped)

    def _shaped(self, piece: Any) -> Floats:
        rows = reals(self._rows(piece) if isinstance(piece, list | tuple) else piece, "The entries of the matrix")
        if rows.ndim != 2 or rows.shape[1] != self.features:
            raise InvalidData(f"A piece of the matrix is not an array of rows with {self.features} columns.")
        return rows

    def _rows(self, piece: Sequence[Any]) -> Any:
        """A list of rows as an array; a row with more or fewer entries than columns has none."""
        found = np.full((len(piece), self.features), None, dtype=object)
        for place, row in enumerate(piece):
            cells = listed(row.tolist() if isinstance(row, np.ndarray) else row)
            if isinstance(cells, np.ndarray) and cells.shape == (self.features,):
                found[place] = cells
        return found


def shortened(rows: Floats, length: float) -> Floats:
    """The rows, shortened to at most this length, and slightly below it for the rounding."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows * np.where(norms > length, length / np.maximum(norms, 1e-300), 1.0) * (1 - 2.0**-40))


def matrix_of(matrix: object, features: int | None, columns: Sequence[str] | None, table: str | None) -> Matrix:
    """The rows of any supported matrix."""
    if is_table(matrix):
        if columns is None or isinstance(columns, str) or not columns:
            raise InvalidParameter("columns", columns, "the names of the columns that make up the matrix")
        pieces = table_pieces(matrix, columns, table)
        stacked = Pieces(
            lambda: (np.column_stack(batch) for batch in pieces.read()), again=True, declared=pieces.declared
        )
        return Matrix(_same(features, len(columns)), stacked)
    if is_sparse(matrix) or isinstance(matrix, np.ndarray):
        return _whole(matrix, features)
    found = pieces_of(matrix)
    if found is None:
        raise InvalidData(
            f"Data of type {type(matrix).__name__} is no matrix: give an array, a sparse matrix, a table or path with "
            "the names of columns, or chunks of rows."
        )
    if features is None:
        raise InvalidParameter("features", features, "the number of columns, which is not known before chunks are read")
    return Matrix(int(FEATURES.check("features", features)), found)


def _whole(matrix: Any, features: int | None) -> Matrix:
    """The rows of an array, or of a sparse matrix, of which a few rows at a time are made dense."""
    if len(matrix.shape) != 2:
        raise InvalidData("The matrix is not a table of rows and columns.")
    length, width = (int(size) for size in matrix.shape)
    rows = matrix.tocsr() if is_sparse(matrix) else matrix
    step = max(1, min(BATCH, AT_ONCE // max(width, 1)))

    def read() -> Iterator[Any]:
        for start in range(0, length, step):
            part = rows[start : start + step]
            yield part.toarray() if is_sparse(part) else part

    return Matrix(_same(features, width), Pieces(read, again=True, total=length))


def _same(declared: int | None, found: int) -> int:
    if declared not in {None, found}:
        raise InvalidParameter("features", declared, f"{found}, as many columns as there are, or nothing")
    return int(FEATURES.check("features", found))


__all__ = ["Matrix", "matrix_of", "shortened"]
