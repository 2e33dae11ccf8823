"""Tables of a database: by name, by a SELECT over one of them or over Parquet files, and as a DuckDB relation.

A SELECT, a view and a relation may choose columns and rows; `selects` says how they are read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from dpcompose.release.ask.filters import Condition
from dpcompose.release.ask.sources import Database, Limits, Sql
from dpcompose.release.engine import duck
from dpcompose.release.engine.duck import DuckRows, Given, Named
from dpcompose.release.engine.files import parquet_files, related
from dpcompose.release.engine.kinds import Kind
from dpcompose.release.engine.sandbox import ATTACHED, engine, located
from dpcompose.release.engine.selects import FRAMES, Read, chosen, is_written, mentioned, narrowed, selected
from dpcompose.release.engine.table import DataTable, attempt, compared, computed
from dpcompose.release.refusals import InvalidData

NUMBERS, NUMBER, DIGITS = {Kind.WHOLE, Kind.REAL}, re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE), 15
"""A number with more digits is compared as a decimal by DuckDB, into which a large number does not fit."""
QUOTED = r'(?:"[^"]*"|\w+)'
POINTERS = re.compile(rf"\b({'|'.join(sorted(FRAMES))})\((?:0x[0-9a-f]+(?:, )?)+\)")
"""How older versions of DuckDB print a Python frame; they cannot read it again."""
VIEW = re.compile(rf"CREATE (?:TEMP )?VIEW (?:{QUOTED}\.)*{QUOTED} AS (.*?);?", re.DOTALL)
LISTED = """SELECT schema_name, table_name, NULL FROM duckdb_tables() WHERE database_name = ? UNION ALL
SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = ? AND NOT internal"""
TABLES = """SELECT list([database_name, schema_name, table_name, column_name, data_type] ORDER BY column_index)
FROM duckdb_columns() JOIN duckdb_tables() USING (database_name, schema_name, table_name)
JOIN duckdb_databases() AS d USING (database_name) WHERE d.type = 'duckdb'"""
VIEWS = "SELECT list([view_name, sql]) FROM duckdb_views() WHERE NOT internal"
FUNCTIONS = """SELECT count(*) FROM (SELECT function_name FROM duckdb_functions() GROUP BY function_name
HAVING bool_or(internal) AND NOT bool_and(internal))"""


def database(stack: ExitStack, source: Database, limits: Limits) -> DataTable:
    """One table of a .duckdb file."""
    (file,) = located(source.path, (".duckdb", ".db"))
    catalog = Catalog(stack, file, source.views, limits)
    names = sorted(table for schema, table in catalog.tables if schema == "main")
    wanted = names[0] if source.table is None and len(names) == 1 else source.table
    if wanted is None or wanted not in names:
        raise InvalidData(f"{catalog.name} has the tables {', '.join(map(repr, names)) or '(none)'}: name one of them.")
    return catalog.table((wanted,))


def sql(stack: ExitStack, source: Sql, limits: Limits) -> DataTable:
    """The table that a SELECT chooses from the database or from the listed files."""
    base = located(source.database, (".duckdb", ".db"))[0] if source.database is not None else None
    files = {located(path, (".parquet",))[0] for path in source.files}
    catalog = Catalog(stack, base, source.views, limits)
    name = catalog.name

    def read(table: tuple[str, ...], paths: tuple[str, ...]) -> DataTable:
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
    """The tables of a .duckdb file, and the named views: each view is read as a SELECT."""

    def __init__(self, stack: ExitStack, file: Path | None, views: Sequence[str], limits: Limits) -> None:
        """Reads names only."""
        self.name = "The query" if file is None else repr(file.name)
        self.connection = attempt(self.name, lambda: stack.enter_context(engine(limits, database=file)))
        listed: list[tuple[str, str, str | None]] = attempt(
            self.name, lambda: self.connection.execute(LISTED, [ATTACHED, ATTACHED]).fetchall()
        )
        self.tables = {(schema, table): body for schema, table, body in listed}
        """Schema and name → the text of a view, or None."""
        self._views = {view.lower() for view in views}

    def table(self, parts: tuple[str, ...], paths: tuple[str, ...] = ()) -> DataTable:
        """A table by the parts of its name. A view is refused unless named, as somebody else may have written it."""
        if paths or not parts:
            raise computed(self.name, "what reads no table of it")
        shown, wanted = repr(parts[-1]), [part.lower() for part in ("main", *parts)[-2:]]
        found = [place for place in self.tables if [part.lower() for part in place] == wanted]
        if not found:
            raise InvalidData(f"{self.name} has no table {shown}.")
        said = self.tables[found[0]]
        if said is None:
            where = ".".join(map(duck.quoted, (ATTACHED, *found[0])))
            return related(self.name, DuckRows(Named(self.connection, where)))
        if wanted[-1] not in self._views:
            raise InvalidData(f"{shown} is a view, which may read anything: name it in `views` if you know it.")
        body = VIEW.fullmatch(said)
        if body is None:
            raise computed(shown, "a view that names its columns")
        tree = attempt(self.name, lambda: selected(self.connection, shown, body[1]))
        return attempt(self.name, lambda: chosen(tree, shown, self.table))


def relation(stack: ExitStack, name: str, data: Any, limits: Limits) -> DataTable:
    """Columns and rows of a table, a view or a frame of the caller's own connection, read there; or of Parquet files,
    which are read as by their paths. Rows that are written in the text of the relation are taken as they are.
    """
    own = _Own(name, data, stack.enter_context(engine(limits)))
    if is_written(own.tree):
        return related(name, DuckRows(Given(data)))
    on_files: list[DataTable] = []

    def read(table: tuple[str, ...], paths: tuple[str, ...]) -> DataTable:
        given = paths or _path(table)
        if not given:
            return own.table(table, read)
        if not all(Path(path).is_file() for path in given):
            raise computed(name, "Parquet files that are not named one by one, or not on this machine")
        on_files.append(parquet_files(stack, name, [Path(path).resolve() for path in given], limits))
        return on_files[0]

    def narrow(base: DataTable, columns: Sequence[tuple[str, str]], where: Sequence[Condition]) -> DataTable:
        return narrowed(base, columns, where) if on_files else own.narrowed(base, columns, where)

    found = attempt(name, lambda: chosen(own.tree, name, read, narrow))
    return found if on_files else related(name, DuckRows(Given(data)))


class _Own:
    """The tables of the connection that a relation belongs to, reached through the relation itself."""

    def __init__(self, name: str, data: Any, parser: Any) -> None:
        self.name, self.data, self._parser = name, data, parser
        self.rows = DuckRows(Given(data))
        self.tree = attempt(name, lambda: selected(parser, name, POINTERS.sub(r"\1(0)", data.sql_query())))

    @cached_property
    def _listed(self) -> tuple[list[list[str]], dict[str, str]]:
        """The columns of its tables, and its views with their texts."""
        listed = f"({TABLES}) AS t, ({VIEWS}) AS v, ({FUNCTIONS}) AS f, count(*) AS n"
        ((columns, views, functions, _),) = self.data.filter("false").aggregate(listed).fetchall()
        if functions:
            raise computed(self.name, "a macro that stands in for a function of the engine")
        return columns or [], {view.lower(): text for view, text in views or ()}

    def table(self, parts: tuple[str, ...], read: Read) -> DataTable:
        """A table by the parts of its name; only the types of its columns are known."""
        columns, views = self._listed
        wanted = [part.lower() for part in parts]
        if wanted and (text := views.get(wanted[-1])):
            body = VIEW.fullmatch(text)
            if body is None:
                raise computed(self.name, "a view that names its columns")
            return chosen(selected(self._parser, self.name, body[1]), self.name, read, self.narrowed)
        found: dict[str, Kind] = {}
        for *place, column, sql_type in columns:
            if wanted and [part.lower() for part in place][-len(wanted) :] == wanted:
                kind = _kind(sql_type)
                found[column] = kind if found.get(column, kind) is kind else Kind.OTHER
        return replace(related(self.name, self.rows), kinds=list((found or self._framed()).items()))

    def narrowed(self, base: DataTable, columns: Sequence[tuple[str, str]], where: Sequence[Condition]) -> DataTable:
        """A table with some columns and conditions. DuckDB evaluates the conditions, so no cast in them may fail at a
        row.
        """
        kinds = dict(base.kinds)
        base.check({f"where{i}": one.column for i, one in enumerate(where)})
        compared(where, base)
        for one in where:
            if kinds[one.column] in NUMBERS and not (NUMBER.fullmatch(one.value) and len(one.value) <= DIGITS):
                raise computed(self.name, f"a comparison of {one.column!r}, which `where` can make")
        return replace(base, kinds=[(new, kinds[column]) for new, column in columns])

    def _framed(self) -> dict[str, Kind]:
        """The columns of a frame: the resulting ones, and others that are mentioned, whose types are unknown."""
        named = mentioned(self.tree)
        out = {
            column: Kind.OTHER if any(named.values()) else _kind(found) for column, _, found in duck.kinds(self.rows)
        }
        return dict.fromkeys(named, Kind.OTHER) | out


def _kind(sql_type: str) -> Kind:
    """The kind of a column, if DuckDB compares it with every constant of that kind without a cast."""
    plain = sql_type.lower()
    return Kind.OTHER if plain in {"hugeint", "uuid"} else duck.KINDS.get(plain, Kind.OTHER)


def _path(table: tuple[str, ...]) -> tuple[str, ...]:
    """The path of files that stands in the place of a table."""
    return table[-1:] if table and table[-1].lower().endswith(".parquet") else ()


__all__ = ["database", "relation", "sql"]
