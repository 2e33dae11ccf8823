"""Conditions as an engine compares them: the value as a label or a number, in the type of its column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpcompose import spec
from dpcompose.errors import DPError
from dpcompose.release.ask.filters import Condition
from dpcompose.release.ask.queries import Written
from dpcompose.release.engine.kinds import Kind, Label, labelled
from dpcompose.release.engine.rows import Rows, real
from dpcompose.release.engine.tables import Table
from dpcompose.release.refusals import InvalidData

EQUAL = {"=", "!="}


def compared(where: Sequence[Condition], table: Table) -> list[Condition]:
    """Each condition with its value as SQL; one that is not of the type of its column is refused."""
    return [replace(one, value=_value(one, table), sign="<>" if one.sign == "!=" else one.sign) for one in where]


def _value(one: Condition, table: Table) -> str:
    kind = table.kind(one.column)
    if kind in {Kind.TEXT, Kind.TRUTH} and one.sign not in EQUAL:
        raise InvalidData(f"The column {one.column!r} holds {kind.value}, which are = or != and have no order here.")
    if kind is Kind.REAL:
        return real(_number(one))
    label = labelled(kind, Written(one.value))
    if label is None:
        raise InvalidData(f"The condition {str(one)!r} has no value of {one.column!r}, which holds {kind.value}.")
    return _literal(table, label)


def _number(one: Condition) -> float:
    try:
        return float(spec.number(one.column, one.value))
    except (DPError, OverflowError):
        raise InvalidData(f"The condition {str(one)!r} needs a number, as the column {one.column!r} does.") from None


def _literal(table: Table, label: Label) -> str:
    rows: Rows = table.rows({}, True)  # noqa: FBT003 - no rows: the engine's spelling is asked for
    return rows.dialect.literal(label)


__all__ = ["compared"]
