"""Tables of every engine through one door: DuckDB (also CSV, Parquet, .duckdb files and SQL), pandas, polars, Spark.

Opening looks at names and types only. What an engine says when it fails may quote the data, so it is not repeated.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dpcompose.errors import DPError
from dpcompose.release.contributions import Missing
from dpcompose.release.refusals import InvalidData

try:
    import narwhals as nw
except ModuleNotFoundError:  # pragma: no cover - said where it is needed
    raise ModuleNotFoundError("Releases need narwhals: install it with pip install 'dpcompose[data]'.") from None

T = TypeVar("T")
ENGINES = {"duckdb", "pandas", "polars", "pyspark", "pyspark[connect]", "pyarrow"}


@dataclass(frozen=True, slots=True)
class Sql:
    """The rows of one SELECT, over a .duckdb file (`database`) or over files that it names.

    Each row must come from the rows of one unit alone: a window or an aggregate over all units would let one unit
    change the rows of others, which no bound here sees.
    """

    text: str
    database: str | Path | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A named, lazy frame: nothing is read before it is asked."""

    frame: nw.LazyFrame[Any] = field(repr=False)
    name: str

    @property
    def schema(self) -> Mapping[str, Any]:
        """The types of the columns."""
        return attempt(self.name, lambda: dict(self.frame.collect_schema()))

    def check(self, columns: Mapping[str, str]) -> None:
        """Every column is there and has a type that serves its role."""
        schema = self.schema
        for role, column in columns.items():
            if column not in schema:
                known = ", ".join(map(repr, list(schema)[:20]))
                raise InvalidData(f"{self.name} has no column {column!r}: it has {known}.")
            if not SERVES[role](schema[column]):
                raise InvalidData(
                    f"The column {column!r} of {self.name} is of type {schema[column]}; a {role} is {ROLES[role]}."
                )

    def kind(self, column: str) -> str:
        """What the values of a column are: whole, truth, date or text."""
        dtype = self.schema[column]
        return "whole" if dtype.is_integer() else {nw.Boolean: "truth", nw.Date: "date"}.get(dtype, "text")

    def check_keys(self, column: str, keys: list[object]) -> None:
        """The keys are of the type of their column."""
        dtype = self.schema[column]
        serves = next((serves for known, serves in KEYS.items() if dtype == known), _whole)
        wrong = next((key for key in keys if not serves(key)), None)
        if wrong is not None:
            raise InvalidData(f"The key {wrong!r:.40} is not of the type {dtype} of the column {column!r}.")

    def readable(self, columns: Mapping[str, str], missing: Missing) -> None:
        """The engine can read every value of the columns, and no value is missing where that is refused.

        Says which column, not where or how often.
        """
        schema, names = self.schema, list(dict.fromkeys(columns.values()))
        asked = {f"c{i}": absent(nw.col(name), schema[name]).any() for i, name in enumerate(names)}
        if not asked:
            return
        found = attempt(self.name, lambda: fetched(self.frame.select(**asked))[0])
        for name, some in zip(names, found, strict=True):
            if some and missing is Missing.REFUSE:
                raise InvalidData(
                    f"The column {name!r} of {self.name} has missing values: fill them, or say missing=DROP."
                )


def _labels(dtype: Any) -> bool:
    return bool(dtype.is_integer() or dtype in {nw.String, nw.Boolean, nw.Date, nw.Categorical, nw.Enum})


def _text(key: object) -> bool:
    return isinstance(key, str)


def _whole(key: object) -> bool:
    return isinstance(key, int) and not isinstance(key, bool) and -(2**63) <= key < 2**63


KEYS: dict[Any, Callable[[object], bool]] = {
    nw.String: _text,
    nw.Categorical: _text,
    nw.Enum: _text,
    nw.Boolean: lambda key: isinstance(key, bool),
    nw.Date: lambda key: isinstance(key, date) and not isinstance(key, datetime),
}
SERVES: dict[str, Callable[[Any], bool]] = {"unit": _labels, "key": _labels, "value": lambda d: bool(d.is_numeric())}
ROLES = {
    "unit": "a whole number, a text or a date",
    "key": "a whole number, a text, a truth value or a date",
    "value": "a number",
}


def absent(column: nw.Expr, dtype: Any) -> nw.Expr:
    """NULL, and NaN where there is one.

    A Parquet file's statistics leave NaN out, and DuckDB takes them as a proof that there is none. It does not see
    through an exponential, which is NaN exactly where its argument is; that of a negative number never overflows.
    """
    if not dtype.is_float():
        return column.is_null()
    return column.is_null() | column.is_nan() | (0.0 - column.cast(nw.Float64).abs()).exp().is_nan()


def fetched(frame: nw.LazyFrame[Any]) -> list[tuple[Any, ...]]:
    """The rows of a small result; a database hands them over itself, without a second library between."""
    native: Any = frame.to_native()
    if frame.implementation.is_duckdb():
        return list(native.fetchall())
    if frame.implementation.is_spark_like():
        return [tuple(row) for row in native.collect()]
    return frame.collect().rows()


def attempt(name: str, action: Callable[[], T]) -> T:
    """What the engine finds. Its error may quote values, so it is dropped, with all that hangs on it."""
    try:
        return action()
    except (DPError, ImportError):
        raise  # says nothing of the data
    except Exception as error:  # noqa: BLE001 - engines raise anything
        kind = type(error).__name__
    raise InvalidData(f"{name} cannot be read by its engine ({kind}); no answer was made.")


@contextmanager
def opened(data: object, table: str | None = None) -> Iterator[Table]:
    """A table of anything that is one; what was opened here is closed again."""
    if isinstance(data, str | Path | Sql):
        with _embedded(data, table) as found:
            yield found
        return
    if table is not None:
        raise InvalidData("A table is named only where the data is a .duckdb file.")
    try:
        frame = nw.from_native(data)  # type: ignore[call-overload] # anything; a refusal follows
    except TypeError:
        frame = None
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame) or frame.implementation.value not in ENGINES:
        raise InvalidData(
            f"Data of type {type(data).__name__} is no table: give a path, Sql(…), or a frame of DuckDB, pandas, "
            "polars or Spark."
        )
    if frame.implementation.is_pyarrow():
        import duckdb

        with duckdb.connect() as connection:
            yield Table(nw.from_native(connection.from_arrow(data)).lazy(), "The table")
        return
    yield Table(frame.lazy(), "The table")


@contextmanager
def _embedded(data: str | Path | Sql, table: str | None) -> Iterator[Table]:
    """A file or a query in a DuckDB of its own, which writes only to a private directory, and removes it."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise ModuleNotFoundError("Files need DuckDB: install it with pip install 'dpcompose[data]'.") from None
    path, name = _located(data)
    kept = path is not None and path.suffix.lower() in {".duckdb", ".db"}
    if table is not None and not kept:
        raise InvalidData("A table is named only where the data is a .duckdb file.")
    scratch = tempfile.mkdtemp(prefix="dpcompose-")
    settings: dict[str, Any] = {"temp_directory": scratch, "preserve_insertion_order": False}
    try:
        where = str(path) if kept else ":memory:"
        with attempt(name, lambda: duckdb.connect(where, read_only=kept, config=settings)) as connection:
            relation = _relation(connection, data, path, table, name)
            yield Table(nw.from_native(relation).lazy(), name)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _located(data: str | Path | Sql) -> tuple[Path | None, str]:
    """The file behind the data, if there is one, and what to call it."""
    source = data.database if isinstance(data, Sql) else data
    if source is None:
        return None, "The query"
    path = Path(source)
    endings = {".duckdb", ".db"} | (set() if isinstance(data, Sql) else {".csv", ".parquet"})
    if path.suffix.lower() not in endings:
        raise InvalidData(f"{path.name!r} is no table: its name must end in {' or '.join(sorted(endings))}.")
    if not path.is_file():
        raise InvalidData(f"{path.name!r} cannot be read: there is no such file.")
    return path, repr(path.name)


def _relation(connection: Any, data: str | Path | Sql, path: Path | None, table: str | None, name: str) -> Any:
    if isinstance(data, Sql):
        return attempt(name, lambda: _selected(connection, data.text))
    readers = {".csv": connection.read_csv, ".parquet": partial(_parquet, connection)}
    suffix = path.suffix.lower() if path else ""
    if suffix in readers:
        return attempt(name, lambda: readers[suffix](str(path)))
    names = [row[0] for row in attempt(name, lambda: connection.sql("SHOW TABLES").fetchall())]
    wanted = names[0] if table is None and len(names) == 1 else table
    if wanted not in names:
        raise InvalidData(f"{name} has the tables {', '.join(map(repr, names)) or '(none)'}: name one of them.")
    return attempt(name, lambda: connection.table(f'"{wanted}"'))


def _parquet(connection: Any, path: str) -> Any:
    """The rows of a Parquet file, any of which may be NaN whatever its statistics say; old engines cannot be told."""
    import duckdb

    try:
        return connection.sql("SELECT * FROM read_parquet(?, can_have_nan=true)", params=[path])
    except duckdb.BinderException:
        return connection.read_parquet(path)


def _selected(connection: Any, text: str) -> Any:
    """The relation of exactly one SELECT; anything else fails."""
    import duckdb

    statements = duckdb.extract_statements(text)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise InvalidData("The query is not exactly one SELECT.")
    return connection.sql(statements[0].query)


__all__ = ["Sql", "Table", "absent", "attempt", "fetched", "opened"]
