"""Rows in DuckDB: its own relations, files, and every frame in memory, read without a copy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple, Protocol

import numpy as np

from dpcompose.release.engine.kinds import Kind, Label, is_label
from dpcompose.release.engine.rows import HEX, Batches, Rows

NARROW = {"tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"}
WIDE = {"ubigint", "hugeint"}
KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(NARROW | WIDE, Kind.WHOLE),
    **dict.fromkeys(("varchar", "enum", "uuid"), Kind.TEXT),
    **dict.fromkeys(("float", "double", "decimal"), Kind.REAL),
    "boolean": Kind.TRUTH,
    "date": Kind.DATE,
}
BATCH = 1 << 16
SEPARATED = " || ':' || "
EXACT = 15
"""Decimals with at most this many digits become the nearest floating-point number without a detour through text."""


class DuckDialect:
    """Expressions in DuckDB's dialect."""

    def literal(self, label: Label) -> str:
        """A label; bytes are escaped one by one; the least integer has no literal, so a text is cast."""
        if isinstance(label, int):
            return f"'{label}'::BIGINT"
        return "'" + "".join(f"\\x{byte:02X}" for byte in label) + "'::BLOB"

    def whole(self, number: str) -> str:
        """A number as a 64-bit integer, or NULL."""
        return f"TRY_CAST({number} AS BIGINT)"

    def total(self, numbers: str) -> str:
        """DuckDB adds up in 128 bits, which do not overflow; a total beyond 64 bits counts as 0."""
        return f"coalesce(TRY_CAST(sum({numbers}) AS BIGINT), 0)"

    def quotient(self, number: str, by: str) -> str:
        """The integer part of a quotient."""
        return f"({number}) // ({by})"

    def digest(self, label: str) -> str:
        """The leading hexadecimal digits, read as a number."""
        return f"('0x' || md5({label})[:{HEX}])::BIGINT"

    def place(self, key: str, keys: Sequence[str]) -> str:
        """The position of a key in a list."""
        return f"list_position([{', '.join(keys)}], {key})"

    def shifted(self, place: str) -> str:
        """A word with one bit set."""
        return f"(1::BIGINT << ({place}))"

    def joined(self, labels: Sequence[str], texts: Sequence[bool]) -> str:
        """Several labels as one: digits, with colons between."""
        digits = (f"hex({one})" if text else f"CAST({one} AS VARCHAR)" for one, text in zip(labels, texts, strict=True))
        return f"encode({SEPARATED.join(digits)})"

    def is_real(self, number: str) -> str:
        """Not NaN.

        A Parquet file's statistics leave NaN out, and DuckDB takes them as a proof that there is none. It does not see
        through an exponential, which is NaN exactly where its argument is; that of a negative number never overflows.
        """
        return f"({number} IS NOT NULL AND NOT isnan({number}) AND NOT isnan(exp(-abs({number}))))"


DUCK = DuckDialect()


class RowStep(NamedTuple):
    """A step on rows, named as the method of DuckDB's relations."""

    verb: str
    text: str
    by: str = ""


class RowStart(Protocol):
    """Where rows begin. All steps are known before DuckDB runs, so it runs one statement."""

    def relation(self, steps: Sequence[RowStep]) -> Any:
        """The rows after all steps, as a DuckDB relation."""
        ...

    def fetched(self, steps: Sequence[RowStep]) -> list[tuple[Any, ...]]:
        """The rows after all steps, fetched."""
        ...


@dataclass(frozen=True, slots=True)
class Given:
    """A relation of the caller's connection, where nothing may be given a name; steps are applied one by one."""

    given: Any

    def relation(self, steps: Sequence[RowStep]) -> Any:
        """The relation after all steps, applied one after another."""
        return reduce(lambda found, step: getattr(found, step.verb)(*filter(None, step[1:])), steps, self.given)

    def fetched(self, steps: Sequence[RowStep]) -> list[tuple[Any, ...]]:
        """The rows, as the relation returns them."""
        return list(self.relation(steps).fetchall())


@dataclass(frozen=True, slots=True)
class Named:
    """A table of the embedded engine, by name or table expression; a frame is registered under a name."""

    connection: Any
    name: str = "frame"
    frame: Any = None

    def relation(self, steps: Sequence[RowStep]) -> Any:
        """One statement for all steps, as a relation that has not been run."""
        return self.connection.sql(self._statement(steps))

    def fetched(self, steps: Sequence[RowStep]) -> list[tuple[Any, ...]]:
        """The rows of that statement, run directly: through a relation DuckDB would parse it twice."""
        return list(self.connection.execute(self._statement(steps)).fetchall())

    def _statement(self, steps: Sequence[RowStep]) -> str:
        if self.frame is not None:
            self.connection.register(self.name, self.frame)
        return f"FROM {reduce(_written, steps, self.name)}"


@dataclass(frozen=True, slots=True)
class DuckRows:
    """Rows in DuckDB, with the steps to be done."""

    start: RowStart
    steps: tuple[RowStep, ...] = ()
    texts: bool = False
    dialect: DuckDialect = DUCK

    def select(self, columns: Mapping[str, str]) -> DuckRows:
        """The rows with new columns."""
        return self._after(RowStep("project", _listed(columns)))

    def where(self, condition: str) -> DuckRows:
        """The rows for which a condition is true."""
        return self._after(RowStep("filter", condition))

    def gathered(self, by: Sequence[str], sums: Mapping[str, str]) -> DuckRows:
        """One row for each combination of the columns."""
        return self._after(RowStep("aggregate", ", ".join([*by, _listed(sums)]), ", ".join(by)))

    def fetched(self) -> list[tuple[Any, ...]]:
        """All rows, straight from DuckDB, without Arrow or pandas in between."""
        return self.start.fetched(self.steps)

    def batches(self) -> Batches:
        """Columns of numbers, streamed through Arrow."""
        relation = self.start.relation(self.steps)
        stream = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader  # before 1.4
        for batch in stream(BATCH):
            yield [np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64) for column in batch.columns]

    def _after(self, step: RowStep) -> DuckRows:
        return replace(self, steps=(*self.steps, step))


def _written(table: str, step: RowStep) -> str:
    """The SQL of a step on a table."""
    if step.verb == "filter":
        return f"(SELECT * FROM {table} WHERE {step.text})"  # noqa: S608 - written here, with names and values quoted
    grouped = f" GROUP BY {step.by}" if step.by else ""
    return f"(SELECT {step.text} FROM {table}{grouped})"  # noqa: S608 - as above


def _listed(columns: Mapping[str, str]) -> str:
    return ", ".join(f"{expression} AS {name}" for name, expression in columns.items())


def quoted(name: str) -> str:
    """The quoted name of a column or a table."""
    return '"' + name.replace('"', '""') + '"'


def kinds(rows: DuckRows) -> list[tuple[str, Kind, str]]:
    """The name, the kind and the type of each column; the kind is that of the physical type, as JSON is a text."""
    relation = rows.start.relation(rows.steps)
    typed = zip(relation.columns, relation.types, strict=True)
    return [(name, KINDS.get(kind.id, Kind.OTHER), _sql_type(kind)) for name, kind in typed]


def _sql_type(kind: Any) -> str:
    """`varchar`, `bigint`, …; a decimal with its digits."""
    if kind.id != "decimal":
        return str(kind.id)
    (_, digits), (_, scale) = kind.children
    return f"decimal({digits},{scale})"


def label(column: str, sql_type: str) -> str:
    """The SQL of a unit or a key, as a label."""
    if sql_type in WIDE:
        return f"CAST({column} AS HUGEINT)"
    if sql_type in {"blob", "varchar"}:
        return column if sql_type == "blob" else f"encode({column})"
    if sql_type in {"enum", "uuid"}:
        return f"encode(CAST({column} AS VARCHAR))"
    if sql_type == "date":
        return f"CAST({column} - DATE '1970-01-01' AS BIGINT)"
    return f"CAST(CAST({column} AS INTEGER) AS BIGINT)" if sql_type == "boolean" else f"CAST({column} AS BIGINT)"


def number(column: str, sql_type: str) -> str:
    """The SQL of a value, as the nearest floating-point number."""
    digits = re.match(r"decimal\((\d+)", sql_type)
    if digits and int(digits[1]) > EXACT:
        return f"TRY_CAST(CAST({column} AS VARCHAR) AS DOUBLE)"
    return f"CAST({column} AS DOUBLE)"


def canonical(rows: DuckRows, chosen: Mapping[str, tuple[str, Kind, str]]) -> Rows:
    """The chosen columns (an expression, kind and type), named by their roles."""
    expressions = {
        role: (label if is_label(role, kind) else number)(column, sql_type)
        for role, (column, kind, sql_type) in chosen.items()
    }
    texts = "unit" in chosen and chosen["unit"][1] is Kind.TEXT
    return replace(rows, texts=texts).select(expressions or {"one": "1"})


__all__ = ["DuckRows", "Given", "Named", "canonical", "kinds", "quoted"]
