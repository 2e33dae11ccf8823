"""Frames in memory (pandas, polars, Arrow) as Arrow columns that DuckDB reads without a copy.

The kind of a column follows from its type alone. Texts become bytes and dates numbers of days before any engine reads
them. A column of Python objects has no type: it is read as the declared type, and other values are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Protocol

import numpy as np

from dpcompose.release.engine.kinds import DECLARED, EPOCH, Kind


class Frame(Protocol):
    """A frame in memory."""

    def kinds(self) -> list[tuple[str, Kind]]:
        """The kind of each column, by its type alone."""
        ...

    def columns(self, names: Sequence[str], *, empty: bool) -> list[Any]:
        """Some columns as Arrow; if `empty`, with their types but without rows."""
        ...

    def length(self) -> int:
        """The number of rows."""
        ...


def arrow_kind(dtype: Any) -> Kind:
    """The kind of an Arrow type."""
    import pyarrow as pa

    if pa.types.is_dictionary(dtype):
        inner = arrow_kind(dtype.value_type)
        return inner if inner in {Kind.TEXT, Kind.WHOLE} else Kind.OTHER
    tests: tuple[tuple[Kind, Callable[[Any], bool]], ...] = (
        (Kind.WHOLE, pa.types.is_integer),
        (Kind.TEXT, lambda t: pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t)),
        (Kind.TRUTH, pa.types.is_boolean),
        (Kind.DATE, pa.types.is_date32),
        (Kind.REAL, lambda t: pa.types.is_floating(t) or (pa.types.is_decimal128(t) and t.scale >= 0)),
    )
    return next((kind for kind, test in tests if test(dtype)), Kind.OTHER)


def plain(array: Any) -> Any:
    """An Arrow column as one of a few types: bytes, 64-bit numbers, truth values, days, or decimals."""
    import pyarrow as pa

    dtype = array.type
    if pa.types.is_dictionary(dtype):
        long = (
            pa.large_string() if arrow_kind(dtype) is Kind.TEXT else dtype.value_type
        )  # it may be too long for 32-bit offsets
        return plain(array.cast(long))
    if pa.types.is_string_view(dtype):
        return plain(array.cast(pa.large_string()))
    simple = {
        pa.string(): pa.binary(),
        pa.large_string(): pa.large_binary(),
        pa.date32(): pa.int32(),
        pa.float16(): pa.float32(),
    }
    return array.cast(simple.get(dtype, dtype))


@dataclass(frozen=True, slots=True)
class ArrowFrame:
    """An Arrow table."""

    table: Any

    def kinds(self) -> list[tuple[str, Kind]]:
        """By its schema."""
        return [(column.name, arrow_kind(column.type)) for column in self.table.schema]

    def columns(self, names: Sequence[str], *, empty: bool) -> list[Any]:
        """The columns unchanged."""
        table = self.table.slice(0, 0) if empty else self.table
        return [table.column(name) for name in names]

    def length(self) -> int:
        """How many rows there are."""
        return int(self.table.num_rows)


POLARS: Mapping[str, Kind] = {
    **dict.fromkeys((f"{sign}Int{width}" for sign in ("", "U") for width in (8, 16, 32, 64)), Kind.WHOLE),
    **dict.fromkeys(("String", "Categorical", "Enum"), Kind.TEXT),
    **dict.fromkeys(("Float32", "Float64", "Decimal"), Kind.REAL),
    "Boolean": Kind.TRUTH,
    "Date": Kind.DATE,
}


@dataclass(frozen=True, slots=True)
class PolarsFrame:
    """A frame of polars, eager or lazy. Of a lazy one only the columns of the query are collected."""

    frame: Any

    def kinds(self) -> list[tuple[str, Kind]]:
        """By its schema."""
        schema = self.frame.lazy().collect_schema()
        return [(name, POLARS.get(type(dtype).__name__, Kind.OTHER)) for name, dtype in schema.items()]

    def columns(self, names: Sequence[str], *, empty: bool) -> list[Any]:
        """The columns, collected together so that their rows correspond."""
        import polars as pl

        lazy = self.frame.lazy()
        schema = dict(lazy.collect_schema())
        if empty:
            return list(pl.DataFrame(schema={name: schema[name] for name in names}).to_arrow().columns)
        places = [list(schema).index(name) for name in names]  # a name such as ^a$ or * would be a pattern
        found = lazy.select([pl.nth(place) for place in places]).collect()
        return list(found.to_arrow().columns)

    def length(self) -> int:
        """How many rows there are."""
        import polars as pl

        return int(self.frame.lazy().select(pl.len()).collect().item())


@dataclass(frozen=True, slots=True)
class PandasFrame:
    """A frame of pandas, with NumPy's, pandas' or Arrow's types."""

    frame: Any
    types: Mapping[str, str] = field(default_factory=dict)

    def kinds(self) -> list[tuple[str, Kind]]:
        """By the types of its columns; a column of Python objects has its declared type."""
        typed = zip(self.frame.columns, self.frame.dtypes, strict=True)
        return [(name, self._kind(name, dtype)) for name, dtype in typed if isinstance(name, str)]

    def _kind(self, name: str, dtype: Any) -> Kind:
        return DECLARED[self.types[name]] if _is_object(dtype) and name in self.types else pandas_kind(dtype)

    def columns(self, names: Sequence[str], *, empty: bool) -> list[Any]:
        """Converted through Arrow, or value by value."""
        return [self._column(self.frame[name].iloc[:0] if empty else self.frame[name]) for name in names]

    def length(self) -> int:
        """How many rows there are."""
        return len(self.frame)

    def _column(self, series: Any) -> Any:
        import pandas as pd
        import pyarrow as pa

        if _is_object(series.dtype):
            return read_objects(series.to_numpy(dtype=object), self.types[series.name])
        if isinstance(series.dtype, pd.CategoricalDtype):
            codes = np.asarray(series.cat.codes, dtype=np.int64)
            kinds = _converted(series.cat.categories.to_series())
            return kinds.take(pa.array(codes, mask=codes < 0))
        return _converted(series)


def _converted(series: Any) -> Any:
    """A column with a type; a text that is invalid Unicode is missing."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(series.dtype, pd.StringDtype):
        try:
            return pa.array(series.array, type=pa.large_string(), from_pandas=True)
        except UnicodeEncodeError:
            return read_objects(series.to_numpy(dtype=object, na_value=None), "text")
    if isinstance(series.dtype, np.dtype):
        return pa.array(series.to_numpy())
    return pa.array(series.array)


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def pandas_kind(dtype: Any) -> Kind:
    """The kind of a pandas column."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        inner = pandas_kind(dtype.categories.dtype)
        return inner if inner in {Kind.TEXT, Kind.WHOLE} else Kind.OTHER
    if isinstance(dtype, pd.ArrowDtype):
        return arrow_kind(dtype.pyarrow_dtype)
    if isinstance(dtype, pd.StringDtype):
        return Kind.TEXT
    if isinstance(dtype, np.dtype):
        numpy_kinds = {"i": Kind.WHOLE, "u": Kind.WHOLE, "f": Kind.REAL, "b": Kind.TRUTH}
        return numpy_kinds.get(dtype.kind, Kind.OTHER) if dtype.itemsize <= 8 else Kind.OTHER
    masked = {"Int": Kind.WHOLE, "UInt": Kind.WHOLE, "Float": Kind.REAL, "boolean": Kind.TRUTH}
    return masked.get(str(dtype).rstrip("0123456789"), Kind.OTHER)


def read_objects(values: Any, declared: str) -> Any:
    """Python objects read one by one as the declared type."""
    import pyarrow as pa

    arrow = {
        "text": pa.large_binary(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "date": pa.int32(),
    }
    return pa.array([_read(OBJECTS[declared], value) for value in values], type=arrow[declared])


def _read(read: Callable[[Any], object], value: object) -> object:
    """The value that a function reads from an object; None if it raises, as an object's methods may do anything."""
    try:
        return read(value)
    except Exception:  # noqa: BLE001 - an object may raise anything
        return None


def _text(value: Any) -> bytes | None:
    return str.encode(value) if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    known = isinstance(value, int | np.integer) and not isinstance(value, bool) and -(2**63) <= int(value) < 2**63
    return int(value) if known else None


def _real(value: Any) -> float | None:
    known = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return float(value) if known else None


def _truth(value: Any) -> bool | None:
    return bool(value) if isinstance(value, bool | np.bool_) else None


def _day(value: Any) -> int | None:
    return (value - EPOCH).days if isinstance(value, date) and not isinstance(value, datetime) else None


OBJECTS: Mapping[str, Callable[[Any], object]] = {
    "text": _text,
    "int": _whole,
    "float": _real,
    "bool": _truth,
    "date": _day,
}

__all__ = ["ArrowFrame", "Frame", "PandasFrame", "PolarsFrame", "plain"]
