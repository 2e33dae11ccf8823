"""Anything that is a table, through one door: paths, SQL, and frames of DuckDB, pandas, polars, Arrow and Spark.

Opening looks at names and types only. What an engine says when it fails may quote the data, so it is not repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from dpcompose.errors import DPError, InvalidParameter
from dpcompose.release.ask.sources import LIMITS, Csv, Database, Limits, Parquet, Source, Sql, checked_types, declared
from dpcompose.release.engine import duck, parquet, spark, text
from dpcompose.release.engine.frames import ArrowFrame, Frame, PandasFrame, PolarsFrame, plain
from dpcompose.release.engine.kinds import DECLARED, ROLES, SERVES, Kind, role_of
from dpcompose.release.engine.rows import Batches, Rows
from dpcompose.release.engine.sandbox import engine, literal_paths, located
from dpcompose.release.engine.selects import FUNCTIONS, selected, sources_of
from dpcompose.release.refusals import INTERRUPTIONS, InvalidData

T = TypeVar("T")
Columns = Mapping[str, str]
"""Role (unit, key, value) → column."""


@dataclass(frozen=True, slots=True)
class Table:
    """A named table: what its columns hold, and how its rows are reached."""

    name: str
    kinds: Sequence[tuple[str, Kind]]
    rows: Callable[[Columns, bool], Rows] = field(repr=False)
    """The columns of a query, under the names of their roles; of an empty table of the same types, if so wanted."""
    files: tuple[str, ...] = ()
    """Which files are read, where a pattern was given."""
    header: bool = False
    """Whether the names of columns are the first line of a text, which may be somebody's row."""

    def check(self, columns: Columns) -> None:
        """Every column is there, once, and holds what serves its role."""
        times = Counter(name for name, _ in self.kinds)
        for role, column in columns.items():
            if times[column] > 1:
                raise InvalidData(f"{self.name} has the column {column!r} more than once.")
            if column not in times:
                known = "" if self.header else f": it has {', '.join(map(repr, list(times)[:20]))}"
                raise InvalidData(f"{self.name} has no column {column!r}{known}.")
            part = role_of(role)
            if self.kind(column) not in SERVES[part]:
                what = "a condition" if part == "where" else f"a {part}"
                raise InvalidData(
                    f"The column {column!r} of {self.name} holds {self.kind(column).value}; {what} is {ROLES[part]}"
                    f"{self._hint(column)}."
                )

    def numbers(self, columns: Sequence[str]) -> Batches:
        """Columns of numbers, all rows of them, many at a time; a missing one is NaN."""
        for column in columns:
            self.check({"value": column})
        return self.rows({f"c{i}": column for i, column in enumerate(columns)}, False).batches()  # noqa: FBT003

    def kind(self, column: str) -> Kind:
        """What a column holds."""
        return dict(self.kinds)[column]

    def _hint(self, column: str) -> str:
        return f", which `types` declares, as in {column}=float" if self.header else ""


def attempt(name: str, action: Callable[[], T]) -> T:
    """What the engine finds. Its error may quote values, so it is dropped, with all that hangs on it."""
    try:
        return action()
    except (DPError, ImportError, *INTERRUPTIONS):
        raise  # says nothing of the data
    except BaseException:  # noqa: BLE001, S110 - engines raise anything
        pass
    raise InvalidData(f"{name} cannot be read by its engine; nothing is charged.")


@contextmanager
def opened(
    data: object, table: str | None = None, types: Mapping[str, str] | None = None, limits: Limits = LIMITS
) -> Iterator[Table]:
    """A table of anything that is one; what was opened here is closed again."""
    checked_types(types or {})
    source: Source | None
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


def _untyped(types: Mapping[str, str] | None, source: Source, data: object) -> None:
    if types and not (isinstance(source, Csv) and isinstance(data, str | Path)):
        raise InvalidParameter("types", dict(types), "nothing for data that has types, or states them itself")


def _origin(data: object) -> tuple[str, str]:
    """The library and the name of the class of a frame, or of the first one that it descends from."""
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


def _framed(stack: ExitStack, data: Any, types: Mapping[str, str], limits: Limits) -> Table:
    origin, name = _origin(data), "The table"
    if types and origin[0] != "pandas":
        raise InvalidParameter("types", dict(types), "nothing for data that has types, or states them itself")
    if origin[0] == "duckdb":
        return _related(name, lambda: data)
    if origin[0] == "pyspark":
        kinds = attempt(name, lambda: spark.kinds(data))
        return Table(name, kinds, lambda columns, empty: _sparked(data, dict(kinds), columns, empty=empty))
    if origin not in FRAMES:
        raise InvalidData(
            f"Data of type {type(data).__name__} is no table: give a path, Sql(…), or a frame of DuckDB, pandas, "
            "polars, Arrow or Spark."
        )
    frame = FRAMES[origin](data, types)
    kinds = attempt(name, frame.kinds)
    connection = stack.enter_context(engine(limits))
    return Table(name, kinds, lambda columns, empty: _arrowed(connection, frame, dict(kinds), columns, empty=empty))


def _sparked(frame: Any, kinds: Mapping[str, Kind], columns: Columns, *, empty: bool) -> Rows:
    rows = frame.where("false") if empty else frame
    return spark.canonical(rows, {role: (column, kinds[column]) for role, column in columns.items()})


def _arrowed(connection: Any, frame: Frame, kinds: Mapping[str, Kind], columns: Columns, *, empty: bool) -> Rows:
    """Only the columns of the query are converted, under the names of their roles."""
    import pyarrow as pa

    names = list(dict.fromkeys(columns.values()))
    found = dict(zip(names, frame.columns(names, empty=empty), strict=True))
    table = pa.table({role: plain(found[column]) for role, column in columns.items()})
    if not columns:
        table = pa.table({"one": pa.nulls(0 if empty else frame.length(), pa.int8())})
    relation = connection.from_arrow(table)
    typed = {role: sql_type for role, _, sql_type in duck.kinds(relation)}
    return duck.canonical(relation, {role: (role, kinds[column], typed[role]) for role, column in columns.items()})


def _related(name: str, relation: Callable[[], Any], files: tuple[str, ...] = (), **known: Any) -> Table:
    """A table of a DuckDB relation, which is made anew for each use."""
    kinds = attempt(name, lambda: duck.kinds(relation()))
    # By their places: DuckDB would take "User" for "user" where a SELECT has both.
    typed = {column: (f"#{place}", kind, sql_type) for place, (column, kind, sql_type) in enumerate(kinds, 1)}

    def rows(columns: Columns, empty: bool) -> Rows:  # noqa: FBT001 - as everywhere here
        found = relation().filter("false") if empty else relation()
        return duck.canonical(found, {role: typed[column] for role, column in columns.items()})

    return Table(name, [(column, kind) for column, kind, _ in kinds], rows, files, **known)


def _csv(stack: ExitStack, source: Csv, limits: Limits) -> Table:
    files = located(source.path, (".csv", ".tsv", ".txt"), pattern=source.glob)
    names = attempt(repr(files[0].name), lambda: text.header(files[0], source))
    if any(text.header(file, source) != names for file in files[1:]):
        raise InvalidData(f"The files of {Path(source.path).name!r} do not have the same header.")
    unknown = sorted(set(source.types) - set(names))
    if unknown:
        raise InvalidData(f"{files[0].name!r} has no column {unknown[0]!r}, of which a type is declared.")
    connection = stack.enter_context(engine(limits))
    types = {name: source.types.get(name, "text") for name in names}

    def rows(columns: Columns, empty: bool) -> Rows:  # noqa: FBT001 - as everywhere here
        wanted = list(dict.fromkeys(columns.values())) or names[:1]
        relation = connection.from_arrow(text.stream(files, source, names, wanted, empty=empty))
        typed = relation.project(", ".join(f"{text.cast(name, types[name])} AS {duck.quoted(name)}" for name in wanted))
        chosen = {
            role: (duck.quoted(column), DECLARED[types[column]], text.SQL_TYPES[types[column]])
            for role, column in columns.items()
        }
        return duck.canonical(typed, chosen)

    kinds = [(name, DECLARED[said]) for name, said in types.items()]
    return Table(repr(files[0].name), kinds, rows, _listed(files, shown=source.glob), header=True)


def _parquet(stack: ExitStack, source: Parquet, limits: Limits) -> Table:
    files = located(source.path, (".parquet",), pattern=source.glob)
    links = stack.enter_context(literal_paths(files))
    connection = stack.enter_context(engine(limits, links))
    name = repr(Path(source.path).name)

    def relation(paths: Sequence[Path] = links) -> Any:
        return connection.read_parquet([str(path) for path in paths], hive_partitioning=False, union_by_name=False)

    first = attempt(name, lambda: duck.kinds(relation(links[:1])))
    others = attempt(name, lambda: [duck.kinds(relation([path])) for path in links[1:]])
    if any(found != first for found in others):
        raise InvalidData(f"The files of {name} do not have the same columns.")
    native = _related(name, relation, _listed(files, shown=source.glob))
    types = {column: sql_type for column, _, sql_type in first}

    def rows(columns: Columns, empty: bool) -> Rows:  # noqa: FBT001 - as everywhere here
        wanted = {column: types[column] for column in columns.values()}
        if "varchar" not in wanted.values():
            return native.rows(columns, empty)
        found = parquet.relation(connection, files, wanted, empty=empty)
        read = {column: sql_type for column, _, sql_type in duck.kinds(found)}
        return duck.canonical(found, {role: (duck.quoted(c), native.kind(c), read[c]) for role, c in columns.items()})

    return replace(native, rows=rows)


def _listed(files: Sequence[Path], *, shown: bool) -> tuple[str, ...]:
    return tuple(file.name for file in files) if shown else ()


def _database(stack: ExitStack, source: Database, limits: Limits) -> Table:
    (file,) = located(source.path, (".duckdb", ".db"))
    name = repr(file.name)
    connection = attempt(name, lambda: stack.enter_context(engine(limits, database=file)))
    views = _views(connection, name)
    names: list[str] = attempt(name, lambda: [row[0] for row in connection.execute("SHOW TABLES").fetchall()])
    wanted = names[0] if source.table is None and len(names) == 1 else source.table
    if wanted is None or wanted not in names:
        raise InvalidData(f"{name} has the tables {', '.join(map(repr, names)) or '(none)'}: name one of them.")
    _allowed([wanted], views, source.views)
    return _related(name, lambda: connection.sql(f"SELECT * FROM {duck.quoted(wanted)}"))  # noqa: S608 - quoted


def _sql(stack: ExitStack, source: Sql, limits: Limits) -> Table:
    database = located(source.database, (".duckdb", ".db"))[0] if source.database is not None else None
    files = [located(path, (".parquet",))[0] for path in source.files]
    given = [Path(path) for path in source.files]
    name = "The query" if database is None else repr(database.name)
    connection = attempt(name, lambda: stack.enter_context(engine(limits, [*files, *given], database)))
    query = attempt(name, lambda: selected(source.text))
    read = attempt(name, lambda: sources_of(connection, query))
    _allowed([table for table, function in read if not function], _views(connection, name), source.views)
    unknown = sorted({table for table, function in read if function} - FUNCTIONS)
    if unknown:
        raise InvalidData(
            f"The query reads through {unknown[0]!r}, which guesses, or reads anything: use Parquet files."
        )
    return _related(name, lambda: connection.sql(query))


def _views(connection: Any, name: str) -> set[str]:
    said = "SELECT view_name FROM duckdb_views() WHERE NOT internal"
    return {row[0] for row in attempt(name, lambda: connection.execute(said).fetchall())}


def _allowed(names: Sequence[str], views: set[str], allowed: Sequence[str]) -> None:
    """A view is a program that somebody else wrote into the file."""
    folded = {view.lower() for view in views} - {view.lower() for view in allowed}
    for name in sorted(names):
        if name.lower() in folded:
            raise InvalidData(f"{name!r} is a view, which may read anything: name it in `views` if you know it.")


OPENERS: Mapping[type[Any], Callable[[ExitStack, Any, Limits], Table]] = {
    Csv: _csv,
    Parquet: _parquet,
    Database: _database,
    Sql: _sql,
}

__all__ = ["Columns", "Table", "attempt", "opened"]
