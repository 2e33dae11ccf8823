"""Sources of rows, as the caller states them: nothing about a file is guessed from its content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dpcompose.errors import InvalidParameter

TYPES = ("text", "int", "float", "bool", "date")
"""The types that a column of a text file may be declared to have; an undeclared column is text."""


@dataclass(frozen=True, slots=True)
class Csv:
    """A text file with one row on each line, in the stated dialect.

    A line that is no row of the dialect (too many or too few cells, or an unclosed quote) is left out, and so is a cell
    that does not read as its declared type. The content of a line never changes how another line is read.
    """

    path: str | Path
    types: Mapping[str, str] = field(default_factory=dict, hash=False)
    header: Sequence[str] | None = field(default=None, hash=False)
    """The names of the columns, if the file does not begin with them."""
    delimiter: str = ","
    quote: str | None = '"'
    """The character that may enclose a cell, doubled inside of it; None if there is none."""
    glob: bool = False
    """Whether the path is a pattern, such as `visits-*.csv`, for files with the same columns."""

    def __post_init__(self) -> None:
        """Refuse an impossible dialect."""
        checked_types(self.types)
        for name, mark in (("delimiter", self.delimiter), ("quote", self.quote)):
            if mark is None and name == "quote":
                continue
            if not isinstance(mark, str) or len(mark) != 1 or mark in "\r\n" or not mark.isascii():
                raise InvalidParameter(name, mark, "one ASCII character that ends no line")
        if self.delimiter == self.quote:
            raise InvalidParameter("quote", self.quote, "another character than the delimiter")
        if self.header is not None:
            checked_names(self.header)


@dataclass(frozen=True, slots=True)
class Parquet:
    """A Parquet file, or several with the same columns. Names of folders are not read as columns."""

    path: str | Path
    glob: bool = False


@dataclass(frozen=True, slots=True)
class Database:
    """A table of a .duckdb file, opened for reading only; a view only if it is named in `views`."""

    path: str | Path
    table: str | None = None
    views: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Sql:
    """Columns and rows of one table of a .duckdb file (`database`), or of Parquet files, which are listed in `files`.

    `SELECT user, city AS region FROM visits WHERE hours > 1 AND open = true`: columns, other names for them, and
    comparisons with constants, joined by AND. Anything else might fail at one row, or mix the rows of several units,
    and is refused from its text alone.
    """

    text: str
    database: str | Path | None = None
    files: Sequence[str | Path] = ()
    views: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much memory, and how many seconds, the embedded engine may use."""

    memory: str = "4GB"
    seconds: float = 3600.0

    def __post_init__(self) -> None:
        """Refuse impossible limits."""
        if not isinstance(self.seconds, int | float) or not 0 < self.seconds < 10**7:
            raise InvalidParameter("seconds", self.seconds, "a positive number of seconds")
        number = self.memory.strip().upper().removesuffix("B")[:-1] if isinstance(self.memory, str) else ""
        if not (number.isascii() and number.isdigit() and self.memory.strip().upper()[-2:] in {"MB", "GB"}):
            raise InvalidParameter("memory", self.memory, "a whole number of MB or GB, such as '4GB'")


LIMITS = Limits()
DataSource = Csv | Parquet | Database | Sql
"""The sources that the embedded engine reads."""


def checked_types(types: Mapping[str, str]) -> None:
    """Refuse declarations of unknown types."""
    for column, said in types.items():
        if said not in TYPES:
            raise InvalidParameter(f"the type of {column!r}", said, f"one of {', '.join(TYPES)}")


def checked_names(names: Sequence[str]) -> None:
    """Refuse column names that are empty or not distinct."""
    if isinstance(names, str) or not names or not all(isinstance(name, str) and name for name in names):
        raise InvalidParameter("header", names, "the names of the columns, in order")
    if len(set(names)) != len(names):
        raise InvalidParameter("header", names, "each name once")


def declared(
    data: str | Path, table: str | None = None, types: Mapping[str, str] | None = None
) -> Csv | Parquet | Database | None:
    """The source at a path, by its suffix; None for other paths. `table` is for databases, `types` for text files."""
    ending = Path(data).suffix.lower()
    if ending == ".csv":
        return Csv(data, types or {})
    if ending == ".parquet":
        return Parquet(data)
    return Database(data, table) if ending in {".duckdb", ".db"} else None


__all__ = ["LIMITS", "TYPES", "Csv", "DataSource", "Database", "Limits", "Parquet", "Sql", "declared"]
