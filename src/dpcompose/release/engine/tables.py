"""Anything that is a table: paths, SQL, and frames of DuckDB, pandas, polars, Arrow and Spark.

Opening reads names and types only. An engine's own error may quote the data, so it is not repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from dpcompose.errors import InvalidParameter
from dpcompose.release.ask.sources import (
    LIMITS,
    Csv,
    Database,
    DataSource,
    Limits,
    Parquet,
    Sql,
    checked_types,
    declared,
)
from dpcompose.release.engine import duck, spark
from dpcompose.release.engine.databases import database, relation, sql
from dpcompose.release.engine.files import lines, pages
from dpcompose.release.engine.frames import ArrowFrame, Frame, PandasFrame, PolarsFrame, plain
from dpcompose.release.engine.kinds import Kind
from dpcompose.release.engine.lazies import scanned
from dpcompose.release.engine.rows import Rows
from dpcompose.release.engine.sandbox import engine
from dpcompose.release.engine.table import Columns, DataTable, attempt
from dpcompose.release.refusals import InvalidData


@contextmanager
def opened(
    data: object, table: str | None = None, types: Mapping[str, str] | None = None, limits: Limits = LIMITS
) -> Iterator[DataTable]:
    """The table in any supported data; whatever is opened here is closed again."""
    checked_types(types or {})
    source: DataSource | None
    if isinstance(data, str | Path):
        source = declared(data, table, types)
        if source is None:
            raise InvalidData(
                f"{Path(data).name!r} is no table: its name must end in .csv or .db or .duckdb or .parquet."
            )
    else:
        source = data if isinstance(data, Csv | Parquet | Database | Sql) else None
    if table is not None and not isinstance(source, Database):
        raise InvalidData("A table is named only where the data is a .duckdb file.")
    with ExitStack() as stack:
        if source is not None:
            _untyped(types, source, data)
            found = OPENERS[type(source)](stack, source, limits)
        else:
            found = _framed(stack, data, types or {}, limits)
        yield found


def _untyped(types: Mapping[str, str] | None, source: DataSource, data: object) -> None:
    if types and not (isinstance(source, Csv) and isinstance(data, str | Path)):
        raise InvalidParameter("types", dict(types), "nothing for data that has types, or states them itself")


def _origin(data: object) -> tuple[str, str]:
    """The library and the class of a frame, or of its first known base class."""
    known = {(engine, name) for engine, name in FRAMES} | {("duckdb", "DuckDBPyRelation"), ("pyspark", "DataFrame")}
    for kind in type(data).__mro__:
        root = kind.__module__.split(".")
        origin = (root[0].lstrip("_"), kind.__name__)
        if origin in known and root[:2] != ["pyspark", "pandas"]:
            return origin
    return "", ""


FRAMES: Mapping[tuple[str, str], Callable[[Any, Mapping[str, str]], Frame]] = {
    ("pandas", "DataFrame"): PandasFrame,
    ("polars", "DataFrame"): lambda frame, _: PolarsFrame(frame),
    ("polars", "LazyFrame"): lambda frame, _: PolarsFrame(frame),
    ("pyarrow", "Table"): lambda frame, _: ArrowFrame(frame),
}


def _framed(stack: ExitStack, data: Any, types: Mapping[str, str], limits: Limits) -> DataTable:
    origin, name = _origin(data), "The table"
    if types and origin[0] != "pandas":
        raise InvalidParameter("types", dict(types), "nothing for data that has types, or states them itself")
    if origin[0] == "duckdb":
        return relation(stack, name, data, limits)
    if origin[0] == "pyspark":
        attempt(name, lambda: spark.check_plan(name, data))
        kinds = attempt(name, lambda: spark.kinds(data))
        return DataTable(name, kinds, lambda columns, empty: _sparked(data, dict(kinds), columns, empty=empty))
    if origin not in FRAMES:
        raise InvalidData(
            f"Data of type {type(data).__name__} is no table: give a path, Sql(…), or a frame of DuckDB, pandas, "
            "polars, Arrow or Spark."
        )
    if origin == ("polars", "LazyFrame") and (files := scanned(stack, name, data, limits)):
        return files
    frame = FRAMES[origin](data, types)
    kinds = attempt(name, frame.kinds)
    connection = stack.enter_context(engine(limits))
    return DataTable(name, kinds, lambda columns, empty: _arrowed(connection, frame, dict(kinds), columns, empty=empty))


def _sparked(frame: Any, kinds: Mapping[str, Kind], columns: Columns, *, empty: bool) -> Rows:
    rows = frame.where("false") if empty else frame
    return spark.canonical(rows, {role: (column, kinds[column]) for role, column in columns.items()})


def _arrowed(connection: Any, frame: Frame, kinds: Mapping[str, Kind], columns: Columns, *, empty: bool) -> Rows:
    """The columns of a query as Arrow, named by their roles; other columns are not converted."""
    import pyarrow as pa

    names = list(dict.fromkeys(columns.values()))
    found = dict(zip(names, frame.columns(names, empty=empty), strict=True))
    table = pa.table({role: plain(found[column]) for role, column in columns.items()})
    if not columns:
        table = pa.table({"one": pa.nulls(0 if empty else frame.length(), pa.int8())})
    rows = duck.DuckRows(duck.Named(connection, frame=table))
    typed = {role: sql_type for role, _, sql_type in duck.kinds(rows)}
    return duck.canonical(rows, {role: (role, kinds[column], typed[role]) for role, column in columns.items()})


OPENERS: Mapping[type[Any], Callable[[ExitStack, Any, Limits], DataTable]] = {
    Csv: lines,
    Parquet: pages,
    Database: database,
    Sql: sql,
}

__all__ = ["opened"]
