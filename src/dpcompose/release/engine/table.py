"""A table: what its columns hold, by their types alone, conditions on them, and how its rows are reached."""

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
class Table:
    """A named table: what its columns hold, and how its rows are reached."""

    name: str
    kinds: Sequence[tuple[str, Kind]]
    rows: Callable[[Columns, bool], Rows] = field(repr=False)
    """The columns of a query, under the names of their roles; with True, of an empty table of the same types."""
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
    label = labelled(kind, KeyAsText(one.value))
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


def attempt(name: str, action: Callable[[], T]) -> T:
    """What the engine finds. Its error may quote values, so it is dropped, with all that hangs on it."""
    try:
        return action()
    except (DPError, ImportError, *INTERRUPTIONS):
        raise  # says nothing of the data
    except BaseException:  # noqa: BLE001, S110 - engines raise anything
        pass
    raise InvalidData(f"{name} cannot be read by its engine; nothing is charged.")


def computed(name: str, what: str) -> InvalidData:
    """A program that does more than choose from a table: it may fail at one row, or mix the rows of several units."""
    return InvalidData(
        f"{name} is no table but a program ({what}), which may fail at one row, or mix several: make a table of it."
    )


__all__ = ["Columns", "Table", "attempt", "compared", "computed"]
