"""Tables of files: text files in a stated dialect, and Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from dpcompose.release.ask.sources import Csv, Limits, Parquet
from dpcompose.release.engine import duck, parquet, text
from dpcompose.release.engine.duck import DuckRows, Named
from dpcompose.release.engine.kinds import DECLARED
from dpcompose.release.engine.rows import Rows
from dpcompose.release.engine.sandbox import engine, literal, literal_paths, located
from dpcompose.release.engine.table import Columns, DataTable, attempt
from dpcompose.release.refusals import InvalidData


def lines(stack: ExitStack, source: Csv, limits: Limits) -> DataTable:
    """The table of a text file, one row on each line."""
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
        found = DuckRows(Named(connection, frame=text.stream(files, source, names, wanted, empty=empty)))
        typed = found.select({duck.quoted(name): text.cast(name, types[name]) for name in wanted})
        chosen = {
            role: (duck.quoted(column), DECLARED[types[column]], text.SQL_TYPES[types[column]])
            for role, column in columns.items()
        }
        return duck.canonical(typed, chosen)

    kinds = [(name, DECLARED[said]) for name, said in types.items()]
    return DataTable(repr(files[0].name), kinds, rows, _listed(files, shown=source.glob), header=True)


def pages(stack: ExitStack, source: Parquet, limits: Limits) -> DataTable:
    """The table of a Parquet file, or of those that match a pattern."""
    files = located(source.path, (".parquet",), pattern=source.glob)
    found = parquet_files(stack, repr(Path(source.path).name), files, limits)
    return replace(found, files=_listed(files, shown=source.glob))


def parquet_files(stack: ExitStack, name: str, files: Sequence[Path], limits: Limits) -> DataTable:
    """Parquet files with the same columns, as one table; folders of their paths are no columns."""
    links = stack.enter_context(literal_paths(files))
    connection = stack.enter_context(engine(limits, links))

    def found(paths: Sequence[Path]) -> DuckRows:
        listed = ", ".join(literal(str(path)) for path in paths)
        table = f"read_parquet([{listed}], hive_partitioning = false, union_by_name = false)"
        return DuckRows(Named(connection, table))

    first, *others = attempt(name, lambda: [duck.kinds(found([path])) for path in links])
    if any(other != first for other in others):
        raise InvalidData(f"The files of {name} do not have the same columns.")
    native = related(name, found(links))
    types = {column: sql_type for column, _, sql_type in first}

    def rows(columns: Columns, empty: bool) -> Rows:  # noqa: FBT001 - as everywhere here
        wanted = {column: types[column] for column in columns.values()}
        if "varchar" not in wanted.values():
            return native.rows(columns, empty)
        rows = parquet.rows(connection, files, wanted, empty=empty)
        read = {column: sql_type for column, _, sql_type in duck.kinds(rows)}
        return duck.canonical(rows, {role: (duck.quoted(c), native.kind(c), read[c]) for role, c in columns.items()})

    return replace(native, rows=rows)


def _listed(files: Sequence[Path], *, shown: bool) -> tuple[str, ...]:
    return tuple(file.name for file in files) if shown else ()


def related(name: str, whole: DuckRows) -> DataTable:
    """A table of rows in DuckDB whose columns are plain columns."""
    kinds = attempt(name, lambda: duck.kinds(whole))
    # By their places: DuckDB would take "User" for "user" where a SELECT has both.
    typed = {column: (f"#{place}", kind, sql_type) for place, (column, kind, sql_type) in enumerate(kinds, 1)}

    def rows(columns: Columns, empty: bool) -> Rows:  # noqa: FBT001 - as everywhere here
        found = whole.where("false") if empty else whole
        return duck.canonical(found, {role: typed[column] for role, column in columns.items()})

    return DataTable(name, [(column, kind) for column, kind, _ in kinds], rows)


__all__ = ["lines", "pages", "parquet_files", "related"]
