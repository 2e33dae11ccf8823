"""Tables of a database: by name, by a SELECT over one of them or over Parquet files, and as a DuckDB relation.

A SELECT, a view and a relation may choose columns and (but for a relation) rows; `selects` says how they are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpcompose.release.ask.sources import Database, Limits, Sql
from dpcompose.release.engine import duck
from dpcompose.release.engine.files import parquet_files, related
from dpcompose.release.engine.kinds import Kind
from dpcompose.release.engine.sandbox import ATTACHED, engine, located
from dpcompose.release.engine.selects import chosen, filtered, selected
from dpcompose.release.engine.table import Table, attempt, computed
from dpcompose.release.refusals import InvalidData

QUOTED = r'(?:"[^"]*"|\w+)'
VIEW = re.compile(rf"CREATE VIEW (?:{QUOTED}\.)*{QUOTED} AS (.*?);?", re.DOTALL)
LISTED = """SELECT schema_name, table_name, NULL FROM duckdb_tables() WHERE database_name = ? UNION ALL
SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = ? AND NOT internal"""
TABLES = """SELECT list([database_name, schema_name, table_name, column_name] ORDER BY column_index)
FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
JOIN duckdb_databases() AS d USING (database_name) WHERE d.type = 'duckdb'"""
VIEWS = "SELECT list(view_name) FROM duckdb_views() WHERE NOT internal"
FUNCTIONS = """SELECT count(*) FROM duckdb_functions() WHERE NOT internal
AND function_name IN (SELECT function_name FROM duckdb_functions() WHERE internal)"""


def database(stack: ExitStack, source: Database, limits: Limits) -> Table:
    """One table of a .duckdb file."""
    (file,) = located(source.path, (".duckdb", ".db"))
    catalog = Catalog(stack, file, source.views, limits)
    names = sorted(table for schema, table in catalog.tables if schema == "main")
    wanted = names[0] if source.table is None and len(names) == 1 else source.table
    if wanted is None or wanted not in names:
        raise InvalidData(f"{catalog.name} has the tables {', '.join(map(repr, names)) or '(none)'}: name one of them.")
    return catalog.table((wanted,))


def sql(stack: ExitStack, source: Sql, limits: Limits) -> Table:
    """What a SELECT chooses, of a table of the database or of the files that are listed."""
    base = located(source.database, (".duckdb", ".db"))[0] if source.database is not None else None
    files = {located(path, (".parquet",))[0] for path in source.files}
    catalog = Catalog(stack, base, source.views, limits)
    name = catalog.name

    def read(table: tuple[str, ...], paths: tuple[str, ...]) -> Table:
        given = paths or _path(table)
        if not given:
            return catalog.table(table)
        wanted = [Path(path).resolve() for path in given]
        if not files.issuperset(wanted):
            raise InvalidData(f"The query reads a file that is not listed in `files`: {Path(given[0]).name!r}.")
        return parquet_files(stack, name, wanted, limits)

    tree = attempt(name, lambda: selected(catalog.connection, name, source.text))
    return attempt(name, lambda: chosen(tree, name, read))


class Catalog:
    """The tables of a .duckdb file, and the views that were named: each is a SELECT like any other."""

    def __init__(self, stack: ExitStack, file: Path | None, views: Sequence[str], limits: Limits) -> None:
        """Look at names only."""
        self.name = "The query" if file is None else repr(file.name)
        self.connection = attempt(self.name, lambda: stack.enter_context(engine(limits, database=file)))
        listed: list[tuple[str, str, str | None]] = attempt(
            self.name, lambda: self.connection.execute(LISTED, [ATTACHED, ATTACHED]).fetchall()
        )
        self.tables = {(schema, table): body for schema, table, body in listed}
        """Schema and name → the text of a view, or None."""
        self._views = {view.lower() for view in views}

    def table(self, parts: tuple[str, ...], paths: tuple[str, ...] = ()) -> Table:
        """A table by the parts of its name; a view is a program that somebody else wrote into the file."""
        if paths:
            raise computed(self.name, "a view that reads files")
        shown, wanted = repr(parts[-1]), [part.lower() for part in ("main", *parts)[-2:]]
        found = [place for place in self.tables if [part.lower() for part in place] == wanted]
        if not found:
            raise InvalidData(f"{self.name} has no table {shown}.")
        said = self.tables[found[0]]
        if said is None:
            where = ".".join(map(duck.quoted, (ATTACHED, *found[0])))
            return related(self.name, lambda: self.connection.sql(f"SELECT * FROM {where}"))  # noqa: S608 - quoted
        if wanted[-1] not in self._views:
            raise InvalidData(f"{shown} is a view, which may read anything: name it in `views` if you know it.")
        body = VIEW.fullmatch(said)
        if body is None:
            raise computed(shown, "a view that names its columns")
        tree = attempt(self.name, lambda: selected(self.connection, shown, body[1]))
        return attempt(self.name, lambda: chosen(tree, shown, self.table))


def relation(stack: ExitStack, name: str, data: Any, limits: Limits) -> Table:
    """Columns of a table of the caller's own connection, read there; or of Parquet files, which are read like any."""
    parser = stack.enter_context(engine(limits))
    tree = attempt(name, lambda: selected(parser, name, data.sql_query()))
    on_files: list[Table] = []

    def read(table: tuple[str, ...], paths: tuple[str, ...]) -> Table:
        given = paths or _path(table)
        if not given:
            return _own(name, data, table, tree)
        if not all(Path(path).is_file() for path in given):
            raise computed(name, "Parquet files that are not named one by one, or not on this machine")
        on_files.append(parquet_files(stack, name, [Path(path).resolve() for path in given], limits))
        return on_files[0]

    found = attempt(name, lambda: chosen(tree, name, read))
    return found if on_files else related(name, lambda: data)


def _own(name: str, data: Any, table: tuple[str, ...], tree: Any) -> Table:
    """The names of the columns of a table of the caller's connection, which is asked through the relation itself."""
    listed = data.filter("false").aggregate(f"({TABLES}) AS t, ({VIEWS}) AS v, ({FUNCTIONS}) AS f, count(*) AS n")
    ((columns, views, functions, _),) = listed.fetchall()
    if functions:
        raise computed(name, "a macro that stands in for a function of the engine")
    wanted = [part.lower() for part in table]
    found = [one[3] for one in columns or () if [part.lower() for part in one[:3]][-len(wanted) :] == wanted]
    if not found or wanted[-1] in {view.lower() for view in views or ()}:
        raise computed(name, "a view, or a frame that can be given itself")
    if filtered(tree):
        raise computed(name, "a filter, whose conditions belong in `where`")
    return replace(related(name, lambda: data), kinds=[(column, Kind.OTHER) for column in found])


def _path(table: tuple[str, ...]) -> tuple[str, ...]:
    """The path that stands where a table does."""
    return table[-1:] if table[-1].lower().endswith(".parquet") else ()


__all__ = ["database", "relation", "sql"]
