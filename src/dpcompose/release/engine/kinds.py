"""What the values of a column are, the same in every engine.

Inside the engines a label (a unit or a key) is a whole number or a string of bytes, and nothing else: a truth value is
0 or 1, a date is a number of days, a text is its UTF-8. So labels are equal if and only if their bytes are, whatever
the collation of a column or of a session; they have one order; and no engine has to show, parse or convert them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from enum import Enum
from typing import TypeAlias

from dpcompose.release.ask.queries import Listed, Written
from dpcompose.release.refusals import InvalidData

Label: TypeAlias = int | bytes
EPOCH = date(1970, 1, 1)


class Kind(Enum):
    """What a column holds."""

    WHOLE = "whole numbers"
    TEXT = "texts"
    TRUTH = "truth values"
    DATE = "dates"
    REAL = "numbers"
    OTHER = "values of a type that is not read here"


LABELS = frozenset({Kind.WHOLE, Kind.TEXT, Kind.TRUTH, Kind.DATE})
SERVES: Mapping[str, frozenset[Kind]] = {
    "unit": LABELS,
    "key": LABELS,
    "value": frozenset({Kind.WHOLE, Kind.REAL}),
}
ROLES = {
    "unit": "a whole number, a text, a truth value or a date",
    "key": "a whole number, a text, a truth value or a date",
    "value": "a number",
}
DECLARED: Mapping[str, Kind] = {
    "text": Kind.TEXT,
    "int": Kind.WHOLE,
    "float": Kind.REAL,
    "bool": Kind.TRUTH,
    "date": Kind.DATE,
}


def labelled(kind: Kind, key: object) -> Label | None:
    """How a key that was asked for is written inside an engine; None if it is not of the kind."""
    value = READ[kind](key) if isinstance(key, Written) else key
    if kind is Kind.TEXT:
        return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else None
    if kind is Kind.TRUTH:
        return int(value) if isinstance(value, bool) else None
    if kind is Kind.DATE:
        return (value - EPOCH).days if isinstance(value, date) and not isinstance(value, datetime) else None
    whole = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return value if whole else None  # type: ignore[return-value] # it is an int


def _whole(text: str) -> int | None:
    return int(text) if re.fullmatch(r" *[+-]?[0-9]{1,19} *", text) else None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip()) if len(text.strip()) == len("2024-12-31") else None
    except ValueError:
        return None


READ: Mapping[Kind, Callable[[str], object]] = {
    Kind.TEXT: str,
    Kind.WHOLE: _whole,
    Kind.TRUTH: lambda text: {"true": True, "false": False}.get(text.strip().lower()),
    Kind.DATE: _day,
}


def labels(kind: Kind, column: str, keys: Sequence[object]) -> list[Label]:
    """The keys that were asked for, inside the engine; one that is not of the type of its column is refused."""
    found = [labelled(kind, key) for key in keys]
    for line, (key, label) in enumerate(zip(keys, found, strict=True), 1):
        if label is None:
            which = f"on line {line}" if isinstance(key, Listed) else repr(key)[:40]
            raise InvalidData(f"The key {which} is not of the type of the column {column!r}, which holds {kind.value}.")
    if len(set(found)) != len(found):
        raise InvalidData(f"Two keys are the same in the column {column!r}, which holds {kind.value}.")
    return [label for label in found if label is not None]


def shown(kind: Kind, label: Label) -> object:
    """The key of a label that was found in the data, for everything that may be there."""
    if isinstance(label, bytes):
        return label.decode("utf-8", "surrogateescape")
    if kind is Kind.TRUTH:
        return bool(label)
    if kind is Kind.DATE:
        try:
            return EPOCH + timedelta(days=label)
        except OverflowError:
            return f"day {label} from {EPOCH.isoformat()}"
    return label


__all__ = ["DECLARED", "EPOCH", "ROLES", "SERVES", "Kind", "Label", "labels", "shown"]
