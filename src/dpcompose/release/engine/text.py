"""Text files as rows, in a stated dialect: one line is one row, and no line changes how another is read.

A file is cut at its line ends before anything else. So an unclosed quote, a byte that is not UTF-8, or one cell too
many affects only its own line. Casts are total: a cell that does not read as the declared type is missing, and so is an
empty cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpcompose.release.ask.sources import Csv
from dpcompose.release.engine.duck import quoted
from dpcompose.release.refusals import InvalidData

CHUNK = 1 << 24
MOST_HEADER = 1 << 20
LONGEST = 1 << 24
"""The greatest number of bytes of a line; longer lines are left out."""
MARK = b"\xef\xbb\xbf"  # a byte-order mark, which some programs write first


def header(path: Path, dialect: Csv) -> list[str]:
    """The names of the columns, from the first line or as stated."""
    if dialect.header is not None:
        return list(dialect.header)
    with path.open("rb") as file:
        line = file.readline(MOST_HEADER)
    names = _cells(line.removeprefix(MARK).rstrip(b"\r\n"), dialect) if len(line) < MOST_HEADER else None
    if names is None or not all(names) or len(set(names)) != len(names):
        raise InvalidData(f"The first line of {path.name!r} is no list of different names; say them in `header`.")
    return names


def _cells(line: bytes, dialect: Csv) -> list[str] | None:
    """The cells of one line; None if it is no row."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    if dialect.quote is None or dialect.quote not in text:
        return text.split(dialect.delimiter)
    if "\0" in text:
        return None
    reader = csv.reader(
        [text], delimiter=dialect.delimiter, quotechar=dialect.quote, doublequote=True, strict=True, escapechar=None
    )
    try:
        return next(reader, [""])
    except csv.Error:
        return None


def lines(path: Path, dialect: Csv) -> Iterator[list[bytes]]:
    """The lines after the header, in batches; empty and overlong lines are left out."""
    with path.open("rb") as file:
        if dialect.header is None:
            file.readline(MOST_HEADER)
        rest, skipping = b"", False
        while chunk := file.read(CHUNK):
            found = (rest + chunk).split(b"\n")
            rest = found.pop()
            if skipping and found:
                found, skipping = found[1:], False
            if skipping or len(rest) > LONGEST:
                rest, skipping = b"", True
            yield [line.rstrip(b"\r") for line in found if 0 < len(line) <= LONGEST]
        if rest and not skipping:
            yield [rest.rstrip(b"\r")]


def batches(path: Path, dialect: Csv, names: Sequence[str], wanted: Sequence[str]) -> Iterator[Any]:
    """The wanted columns as texts, in record batches."""
    import pyarrow as pa

    places, schema = [names.index(name) for name in wanted], _schema(wanted)
    for found in lines(path, dialect):
        columns = _plain(found, dialect, len(names), places)
        if columns is None:
            rows = (_cells(line, dialect) for line in found if line)
            kept = [[row[i] for i in places] for row in rows if row is not None and len(row) == len(names)]
            columns = [pa.array(column, pa.string()) for column in zip(*kept, strict=True)] if kept else None
        if columns:
            yield pa.record_batch(columns, schema=schema)


def _plain(found: list[bytes], dialect: Csv, width: int, places: Sequence[int]) -> list[Any] | None:
    """The columns of lines without quotes, all at once; None if a line has a quote, or is not UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    mark = (dialect.quote or "").encode()
    if mark and any(mark in line for line in found):
        return None
    try:
        text = pa.array(found, pa.binary()).cast(pa.string())
    except pa.ArrowInvalid:
        return None
    split = pc.split_pattern(text.filter(pc.not_equal(pc.binary_length(text), 0)), dialect.delimiter)
    split = split.filter(pc.equal(pc.list_value_length(split), width))
    return [pc.list_element(split, i) for i in places]


def _schema(names: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.schema([(name, pa.string()) for name in names])


def stream(files: Sequence[Path], dialect: Csv, names: Sequence[str], wanted: Sequence[str], *, empty: bool) -> Any:
    """The rows of all files, as a stream."""
    import pyarrow as pa

    found = () if empty else (batch for path in files for batch in batches(path, dialect, names, wanted))
    return pa.RecordBatchReader.from_batches(_schema(wanted), iter(found))


def cast(column: str, declared: str) -> str:
    """The SQL of a text as its declared type, or NULL; the only definition of what reads as a number or a date."""
    name = quoted(column)
    if declared == "text":
        return f"nullif({name}, '')"
    pattern, sql_type = CASTS[declared]
    return f"CASE WHEN regexp_full_match({name}, '{pattern}') THEN TRY_CAST(trim({name}) AS {sql_type}) END"


CASTS: Mapping[str, tuple[str, str]] = {
    "int": (r" *[+-]?[0-9]+ *", "BIGINT"),
    "float": (r" *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? *", "DOUBLE"),
    "bool": (r" *(?i:true|false) *", "BOOLEAN"),
    "date": (r" *[0-9]{4}-[0-9]{2}-[0-9]{2} *", "DATE"),
}
SQL_TYPES = {"text": "varchar", "int": "bigint", "float": "double", "bool": "boolean", "date": "date"}

__all__ = ["SQL_TYPES", "cast", "header", "stream"]
