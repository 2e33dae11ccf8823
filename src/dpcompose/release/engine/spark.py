"""Rows in Spark: bounded and summed where they are stored; only sums, one row for each key, reach the driver."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from dpcompose.release.engine.kinds import Kind, Label, is_label
from dpcompose.release.engine.rows import HEX, Batches, Rows
from dpcompose.release.engine.table import computed

BATCH = 1 << 16
KINDS: Mapping[str, Kind] = {
    **dict.fromkeys(("byte", "short", "integer", "long"), Kind.WHOLE),
    **dict.fromkeys(("string", "char", "varchar"), Kind.TEXT),
    **dict.fromkeys(("float", "double", "decimal"), Kind.REAL),
    "boolean": Kind.TRUTH,
    "date": Kind.DATE,
}


class SparkDialect:
    """Expressions in Spark's dialect. Functions that begin with `try_` never raise, whether ANSI mode is on or off."""

    def literal(self, label: Label) -> str:
        """A label; bytes in hexadecimal; the least integer has no literal, so a text is cast."""
        return f"CAST('{label}' AS BIGINT)" if isinstance(label, int) else f"X'{label.hex()}'"

    def whole(self, number: str) -> str:
        """A number as a 64-bit integer, or NULL."""
        return f"try_cast({number} AS BIGINT)"

    def total(self, numbers: str) -> str:
        """A sum that overflows is NULL."""
        return f"coalesce(try_sum({numbers}), CAST(0 AS BIGINT))"

    def quotient(self, number: str, by: str) -> str:
        """The integer part of a quotient."""
        return f"(({number}) div ({by}))"

    def digest(self, label: str) -> str:
        """The leading hexadecimal digits, converted to a decimal number."""
        return f"try_cast(conv(substring(md5({label}), 1, {HEX}), 16, 10) AS BIGINT)"

    def place(self, key: str, keys: Sequence[str]) -> str:
        """The position of a key in a list."""
        return f"array_position(array({', '.join(keys)}), {key})"

    def shifted(self, place: str) -> str:
        """A word with one bit set."""
        return f"shiftleft(CAST(1 AS BIGINT), CAST({place} AS INT))"

    def joined(self, labels: Sequence[str], texts: Sequence[bool]) -> str:
        """Several labels as one: digits, with colons between."""
        digits = (f"hex({one})" if text else f"CAST({one} AS STRING)" for one, text in zip(labels, texts, strict=True))
        return f"CAST(concat_ws(':', {', '.join(digits)}) AS BINARY)"

    def is_real(self, number: str) -> str:
        """Not NaN."""
        return f"({number} IS NOT NULL AND NOT isnan({number}))"


SPARK = SparkDialect()


@dataclass(frozen=True, slots=True)
class SparkRows:
    """A frame of Spark."""

    frame: Any
    texts: bool = False
    dialect: SparkDialect = SPARK

    def select(self, columns: Mapping[str, str]) -> SparkRows:
        """The rows with new columns."""
        return self._with(self.frame.selectExpr(*_listed(columns)))

    def where(self, condition: str) -> SparkRows:
        """The rows for which a condition is true."""
        return self._with(self.frame.where(condition))

    def gathered(self, by: Sequence[str], sums: Mapping[str, str]) -> SparkRows:
        """One row for each combination of the columns."""
        from pyspark.sql import functions

        return self._with(self.frame.groupBy(*by).agg(*map(functions.expr, _listed(sums))))

    def fetched(self) -> list[tuple[Any, ...]]:
        """The rows; bytes are bytes."""
        return [
            tuple(bytes(cell) if isinstance(cell, bytearray) else cell for cell in row) for row in self.frame.collect()
        ]

    def batches(self) -> Batches:
        """Collected by the driver, partition by partition."""
        rows = self.frame.toLocalIterator(prefetchPartitions=True)
        while part := list(islice(rows, BATCH)):
            yield [np.array([math.nan if x is None else x for x in column]) for column in zip(*part, strict=True)]

    def _with(self, frame: Any) -> SparkRows:
        return SparkRows(frame, self.texts, self.dialect)


def _listed(columns: Mapping[str, str]) -> list[str]:
    return [f"{expression} AS {name}" for name, expression in columns.items()]


ROWS = {"LocalRelation", "LogicalRDD", "Range"}
CHOOSING = {"Filter", "Project", "Repartition", "ResolvedHint", "SubqueryAlias", "View"}
"""Steps of a plan that work row by row."""
FORMATS = {"OrcFileFormat", "ParquetFileFormat"}
"""File formats that state their own types; a text file may fail at one line."""
COMPARING = {"EqualNullSafe", "EqualTo", "GreaterThan", "GreaterThanOrEqual", "In", "LessThan", "LessThanOrEqual"}
HARMLESS = COMPARING | {
    "Alias",
    "And",
    "AtLeastNNonNulls",
    "CaseWhen",
    "Coalesce",
    "If",
    "IsNotNull",
    "IsNull",
    "Not",
    "Or",
}
"""Expressions that cannot fail unless their parts do; in Spark's plans all casts are explicit."""
REMAINDERS = {"Pmod", "Remainder"}
INTEGERS = ["byte", "short", "integer", "long"]
DAYS = "spark.sql.parquet.datetimeRebaseModeInRead"
"""Spark's setting for days before 1582 in a file of unknown origin, where reading may fail."""


def check_plan(name: str, frame: Any) -> None:
    """Refuse a frame that is more than columns of a table, from its plan alone: ANSI casts and functions may fail."""
    try:
        plan = frame._jdf.queryExecution().analyzed()  # noqa: SLF001 - Spark shows its plan nowhere else
    except (AttributeError, NotImplementedError):
        raise computed(name, "a plan that is not seen from here") from None
    if not _is_counted(plan):
        _check_step(name, plan)
    if frame.sparkSession.conf.get(DAYS) == "EXCEPTION":
        raise computed(name, f"{DAYS}=EXCEPTION")


def _is_counted(plan: Any) -> bool:
    """Whether all rows are numbers that Spark generates; such rows are no data, whatever is computed from them."""
    below = _each(plan.children())
    return all(map(_is_counted, below)) if below else _name(plan) in {"OneRowRelation", "Range"}


def _name(node: Any) -> str:
    return str(node.getClass().getSimpleName())


def _check_step(name: str, plan: Any) -> None:
    step = _name(plan)
    if step == "LogicalRelation":
        source = plan.relation()
        step = _name(source.fileFormat()) if _name(source) == "HadoopFsRelation" else _name(source)
    if step not in ROWS | CHOOSING | FORMATS:
        raise computed(name, step)
    for expression in _each(plan.expressions()):
        _check_column(name, expression)
    for child in _each(plan.children()):
        _check_step(name, child)


def _check_column(name: str, expression: Any) -> None:
    """Refuse an expression that may fail at a row; one of constants alone would fail without any row."""
    kind, parts = _name(expression), _each(expression.children())
    if kind == "AttributeReference" or expression.foldable():
        return
    widens = kind == "Cast" and _widens(parts[0].dataType().typeName(), expression.dataType().typeName())
    rest = kind in REMAINDERS and parts[1].foldable() and float(str(parts[1].eval(None))) != 0
    if not (kind in HARMLESS or widens or rest):
        raise computed(name, kind)
    for part in parts:
        _check_column(name, part)


def _widens(old: str, new: str) -> bool:
    """Whether every value fits the new type: any type as text, integers in longer integers and in floats."""
    if old in INTEGERS:
        return new == "double" or new in INTEGERS[INTEGERS.index(old) :] or new.startswith("string")
    return new.startswith("string") or (old, new) == ("float", "double")


def _each(sequence: Any) -> list[Any]:
    return [sequence.apply(i) for i in range(sequence.size())]


def kinds(frame: Any) -> list[tuple[str, Kind]]:
    """The kind of each column."""
    return [
        (field.name, KINDS.get(field.dataType.typeName().split("(")[0].split()[0], Kind.OTHER))
        for field in frame.schema.fields
    ]


def quoted(name: str) -> str:
    """The quoted name of a column; a dot in it is no path."""
    return "`" + name.replace("`", "``") + "`"


def expression(role: str, column: str, kind: Kind) -> str:
    """The SQL of a unit, a key or a value."""
    name = quoted(column)
    if not is_label(role, kind):
        return f"CAST({name} AS DOUBLE)"
    if kind is Kind.TEXT:
        return f"CAST({name} AS BINARY)"
    if kind is Kind.DATE:
        return f"CAST(unix_date({name}) AS BIGINT)"
    return f"CAST({name} AS BIGINT)"


def canonical(frame: Any, chosen: Mapping[str, tuple[str, Kind]]) -> Rows:
    """The chosen columns (name and kind), named by their roles."""
    texts = "unit" in chosen and chosen["unit"][1] is Kind.TEXT
    expressions = {role: expression(role, column, kind) for role, (column, kind) in chosen.items()}
    return SparkRows(frame, texts).select(expressions or {"one": "1"})


__all__ = ["SparkRows", "canonical", "check_plan", "kinds"]
