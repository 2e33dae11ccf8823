"""A table: the kinds of its columns, conditions on them, and access to its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from dpcompose import spec
from dpcompose.errors import DPError
from dpcompose.release.ask.filters import Condition
from dpcompose.release.ask.queries import KeyAsText
from dpcompose.release.engine.kinds import ROLES, SERVES, Kind, Label, labelled, role_of
from dpcompose.release.engine.rows import Batches, Rows, real
from dpcompose.release.refusals import INTERRUPTIONS, InvalidData

T = TypeVar("T")
Columns = Mapping[str, str]
"""Role (unit, key, value) → column."""


@dataclass(frozen=True, slots=True)
class DataTable:
    """A named table: the kinds of its columns, and access to its rows."""

    name: str
    kinds: Sequence[tuple[str, Kind]]
    rows: Callable[[Columns, bool], Rows] = field(repr=False)
    """The rows, with columns named by role; with True, of an empty table of the same types."""
    files: tuple[str, ...] = ()
    """The files that are read, if a pattern was given."""
    header: bool = False
    """Whether the names of columns are the first line of a text file, which may be a data row by mistake."""

    def check(self, columns: Columns) -> None:
        """Refuse columns that are missing, not unique, or unfit for their role."""
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
        """All rows of some number columns, in batches; missing values are NaN."""
        for column in columns:
            self.check({"value": column})
        return self.rows({f"c{i}": column for i, column in enumerate(columns)}, False).batches()  # noqa: FBT003

    def kind(self, column: str) -> Kind:
        """The kind of a column."""
        return dict(self.kinds)[column]

    def _hint(self, column: str) -> str:
        return f", which `types` declares, as in {column}=float" if self.header else ""


EQUAL = {"=", "!="}


def compared(where: Sequence[Condition], table: DataTable) -> list[Condition]:
    """The conditions with values as SQL; a value that is not of its column's type is refused."""
    return [replace(one, value=_value(one, table), sign="<>" if one.sign == "!=" else one.sign) for one in where]


def _value(one: Condition, table: DataTable) -> str:
    kind = table.kind(one.column)
    if kind in {Kind.TEXT, Kind.TRUTH} and one.sign not in EQUAL:
        raise InvalidData(f"The column {one.column!r} holds {kind.value}, which are = or != and have no order here.")
    if kind is Kind.REAL:
        return real(_number(one))
    label = labelled(kind, KeyAsText(one.value))
    if label is None:
        raise InvalidData(f"The condition {str(one)!r} has no value of {one.column!r}, which holds {kind.value}.")
    return _literal(table, label)


def _number(one: Condition) -> float:
    try:
        return float(spec.number(one.column, one.value))
    except (DPError, OverflowError):
        raise InvalidData(f"The condition {str(one)!r} needs a number, as the column {one.column!r} does.") from None


def _literal(table: DataTable, label: Label) -> str:
    rows: Rows = table.rows({}, True)  # noqa: FBT003 - no rows: the engine's spelling is asked for
    return rows.dialect.literal(label)


def attempt(name: str, action: Callable[[], T]) -> T:
    """Run the engine. An error may quote values, so it is replaced by a refusal without its cause."""
    try:
        return action()
    except (DPError, ImportError, *INTERRUPTIONS):
        raise  # says nothing of the data
    except BaseException:  # noqa: BLE001, S110 - engines raise anything
        pass
    raise InvalidData(f"{name} cannot be read by its engine; nothing is charged.")


def computed(name: str, what: str) -> InvalidData:
    """The refusal of a program that does more than choose from a table, as it may fail at a row, or mix units."""
    return InvalidData(
        f"{name} is no table but a program ({what}), which may fail at one row, or mix several: make a table of it."
    )


__all__ = ["Columns", "DataTable", "attempt", "compared", "computed"]
