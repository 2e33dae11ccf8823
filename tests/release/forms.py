"""One Arrow table in the form of every engine, with every type that the engine has for it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from dpcompose.release import Sql
from release import nasty, several


def arrow(table: Any) -> Any:
    return table


def polars(table: Any) -> Any:
    frame = pl.DataFrame([pl.Series(name, table.column(name)) for name in table.column_names])
    listed = [name for name in table.column_names if nasty.special(table, name) == "ENUM"]
    return frame.with_columns(pl.col(name).cast(pl.Enum(nasty.ENUM.values)) for name in listed) if listed else frame


def lazy(table: Any) -> Any:
    return polars(table).lazy()


def pandas_arrow(table: Any) -> Any:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def pandas_nullable(table: Any) -> Any:
    """Pandas' own nullable types where it has them, Arrow's elsewhere."""
    own = {getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")() for name in ("Int8", "Int16", "Int32", "Int64")}
    own |= {
        getattr(pa, name.lower())(): getattr(pd, f"{name}Dtype")() for name in ("UInt8", "UInt16", "UInt32", "UInt64")
    }
    own |= {pa.bool_(): pd.BooleanDtype(), pa.float64(): pd.Float64Dtype(), pa.float32(): pd.Float32Dtype()}
    own |= {pa.string(): pd.StringDtype("python"), pa.large_string(): pd.StringDtype("pyarrow")}
    return table.to_pandas(types_mapper=lambda dtype: own.get(dtype, pd.ArrowDtype(dtype)))


def pandas_numpy(table: Any) -> Any:
    """NumPy's types where nothing can be missing; categories with their texts."""
    frame = {}
    for name in table.column_names:
        column = table.column(name)
        dtype = column.type
        plain = pa.types.is_integer(dtype) or pa.types.is_boolean(dtype)
        if pa.types.is_floating(dtype):
            frame[name] = pd.Series(
                column.to_numpy(zero_copy_only=False) if len(column) else [], dtype=dtype.to_pandas_dtype()
            )
        elif plain and not column.null_count:
            frame[name] = pd.Series(column.to_pylist(), dtype=dtype.to_pandas_dtype())
        elif pa.types.is_dictionary(dtype):
            frame[name] = pd.Series(
                pd.Categorical(
                    column.to_pylist(),
                    categories=pd.Index(sorted({*filter(None, column.to_pylist()), ""}), dtype="str"),
                )
            )
        else:
            frame[name] = pd.Series(column.to_pandas(types_mapper=pd.ArrowDtype))
    return pd.DataFrame(frame)


def relation(table: Any) -> Any:
    """A DuckDB table, with collated texts and with types that only DuckDB has."""
    connection = _connection()
    if pa.types.is_float16(table.schema.field("value").type):
        table = table.set_column(2, "value", table.column("value").cast(pa.float32()))  # DuckDB reads no halves
    columns = ", ".join(f"{name} {_duck_type(table, name)}" for name in table.column_names)
    connection.register("arrow_rows", table)
    connection.execute(f"CREATE OR REPLACE TABLE rows ({columns})")
    connection.execute("INSERT INTO rows SELECT * FROM arrow_rows")
    return connection.table("rows")


@cache
def _connection() -> Any:
    return duckdb.connect(config={"threads": "1"})


def _duck_type(table: Any, name: str) -> str:
    """The type of a column in DuckDB."""
    dtype, special = table.schema.field(name).type, nasty.special(table, name)
    if special == "ENUM":
        return "ENUM(" + ", ".join("'" + text.replace("'", "''") + "'" for text in nasty.ENUM.values) + ")"
    if special:
        return special
    if pa.types.is_string(dtype) or pa.types.is_dictionary(dtype):
        return "VARCHAR COLLATE NOCASE"
    return str(_connection().from_arrow(pa.table({name: pa.nulls(0, dtype)})).types[0])


ROWS = "rows.parquet"


class Parquet:
    """A Parquet file, which is kept while it is read, and what reads it."""

    def __init__(self, name: str, read: Callable[[Path], Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="dpcompose-test-")
        self._path, self._read = Path(self._folder.name) / name, read

    def __call__(self, table: Any) -> Any:
        pq.write_table(table, self._path)
        return self._read(self._path)


FORMS: Mapping[str, Callable[[Any], Any]] = {
    "arrow": arrow,
    "polars": polars,
    "polars lazy": lazy,
    "pandas arrow": pandas_arrow,
    "pandas nullable": pandas_nullable,
    "pandas numpy": pandas_numpy,
    "duckdb": relation,
    "parquet": Parquet("rows [1]*.parquet", lambda path: path),
    "parquet relation": Parquet(ROWS, lambda path: _connection().read_parquet(str(path))),
    "parquet select": Parquet(ROWS, lambda path: Sql(f"SELECT * FROM '{path}'", files=[path])),
    "parquet lazy": Parquet(ROWS, pl.scan_parquet),
}


def on_spark(session: Any, table: Any) -> Any:
    """A frame of Spark: it has no unsigned numbers, no halves and no categories, and texts with a collation."""
    signed = {
        pa.uint8(): pa.int16(),
        pa.uint16(): pa.int32(),
        pa.uint32(): pa.int64(),
        pa.uint64(): pa.decimal128(20, 0),
    }
    others = {pa.float16(): pa.float32(), pa.large_string(): pa.string()}
    known = {**signed, **others}
    fields = []
    for column in table.schema:
        kind = pa.string() if pa.types.is_dictionary(column.type) else known.get(column.type, column.type)
        fields.append(pa.field(column.name, kind))
    frame = session.createDataFrame(table.cast(pa.schema(fields)))
    for column in table.schema:
        if pa.types.is_string(column.type):
            frame = frame.withColumn(column.name, frame[column.name].cast("string collate UTF8_LCASE"))
    return frame


class Anything:
    """A Python object that answers to nothing."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]


def objects(columns: Any, rows: list[tuple[Any, ...]]) -> tuple[pd.DataFrame, dict[str, str]]:
    """A pandas frame of Python objects, and what they are declared to be."""
    types = {"extra": "int"}
    frame = {}
    for place, (name, column) in enumerate(zip(("unit", "key", "value"), columns, strict=True)):
        dtype = column.dtype
        known = (
            "text"
            if pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_dictionary(dtype)
            else None
        )
        known = known or ("bool" if pa.types.is_boolean(dtype) else "date" if pa.types.is_date32(dtype) else None)
        types[name] = known or ("float" if name == "value" else "int")
        frame[name] = pd.Series([row[place] for row in rows], dtype=object)
    frame["extra"] = pd.Series([several.second(row) for row in rows], dtype=object)
    return pd.DataFrame(frame), types


STRAY = ["\ud800", "x\udfff", 10**30, Anything(), b"bytes", 1.5, complex(1, 2), ["list"], float("nan"), pd.NaT, True]
"""What else a column of objects may hold."""


def strayed(chance: Random, rows: list[tuple[Any, ...]], who: Any) -> list[tuple[Any, ...]]:
    """Rows, and some of one unit with something else in a cell."""
    found = []
    for _ in range(chance.choice([0, 1, 3])):
        cells = list(chance.choice(rows)) if rows else [who, None, None]
        cells[0] = who
        place = chance.randrange(3)
        known = place == 0 and isinstance(who, bool)  # True would be somebody
        cells[place] = chance.choice(STRAY[:-1] if known else STRAY)
        found.append(tuple(cells))
    return [*rows, *found]
