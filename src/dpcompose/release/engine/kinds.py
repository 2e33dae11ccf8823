"""The kinds of values that columns hold, the same in every engine.

Inside the engines a label (a unit or a key) is a whole number or a string of bytes: a truth value is 0 or 1, a date is
a number of days, a text is its UTF-8. So labels are equal if and only if their bytes are, whatever the collation of a
column or a session; they have one order; and no engine has to print, parse or convert them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from typing import TypeAlias

from dpcompose.release.ask.queries import KeyAsText, KeyFromFile
from dpcompose.release.refusals import InvalidData

Label: TypeAlias = int | bytes
EPOCH = date(1970, 1, 1)


class Kind(Enum):
    """The kind of values in a column."""

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
    "where": LABELS | {Kind.REAL},
    "value": frozenset({Kind.WHOLE, Kind.REAL}),
}
ROLES = {
    "unit": "a whole number, a text, a truth value or a date",
    "key": "a whole number, a text, a truth value or a date",
    "value": "a number",
    "where": "a number, a text, a truth value or a date",
}
DECLARED: Mapping[str, Kind] = {
    "text": Kind.TEXT,
    "int": Kind.WHOLE,
    "float": Kind.REAL,
    "bool": Kind.TRUTH,
    "date": Kind.DATE,
}


def labelled(kind: Kind, key: object) -> Label | None:
    """The label of a requested key; None if the key is not of this kind."""
    value = READ[kind](key) if isinstance(key, KeyAsText) else key
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
    """The labels of the requested keys; a key that is not of its column's type is refused."""
    found = [labelled(kind, key) for key in keys]
    for line, (key, label) in enumerate(zip(keys, found, strict=True), 1):
        if label is None:
            which = f"on line {line}" if isinstance(key, KeyFromFile) else repr(key)[:40]
            raise InvalidData(f"The key {which} is not of the type of the column {column!r}, which holds {kind.value}.")
    if len(set(found)) != len(found):
        raise InvalidData(f"Two keys are the same in the column {column!r}, which holds {kind.value}.")
    return [label for label in found if label is not None]


def role_of(name: str) -> str:
    """The role in a numbered name, such as `key` in `key0`, where a question has several columns of keys."""
    return name.rstrip("0123456789")


def is_label(role: str, kind: Kind) -> bool:
    """Whether a column is compared as a label or as a number; conditions follow the kind of their column."""
    part = role_of(role)
    return part in {"unit", "key"} or (part == "where" and kind is not Kind.REAL)


@dataclass(frozen=True, slots=True)
class Joined:
    """Several columns of keys, whose labels are joined into one: hexadecimal or decimal digits with colons between.

    Digits contain no colon, so different combinations never give the same bytes.
    """

    kinds: tuple[Kind, ...]

    def label(self, parts: Sequence[Label]) -> bytes:
        """The label of one combination."""
        return b":".join(p.hex().upper().encode() if isinstance(p, bytes) else str(p).encode() for p in parts)

    def shown(self, label: Label) -> tuple[object, ...]:
        """The keys of a combination."""
        assert isinstance(label, bytes)  # noqa: S101 - for the type checker
        pairs = zip(self.kinds, label.split(b":"), strict=True)
        return tuple(shown(k, bytes.fromhex(p.decode()) if k is Kind.TEXT else int(p)) for k, p in pairs)


def joined_labels(kinds: Sequence[Kind], columns: Sequence[str], keys: Sequence[Sequence[object]]) -> list[Label]:
    """The labels of the requested combinations; each part in the type of its column."""
    whole = Joined(tuple(kinds))
    columnwise = [
        [_one(kind, column, key[i]) for key in keys]
        for i, (kind, column) in enumerate(zip(kinds, columns, strict=True))
    ]
    found: list[Label] = [whole.label(parts) for parts in zip(*columnwise, strict=True)]
    if len(set(found)) != len(found):
        raise InvalidData(f"Two keys are the same in the columns {' and '.join(map(repr, columns))}.")
    return found


def _one(kind: Kind, column: str, key: object) -> Label:
    (label,) = labels(kind, column, [key])
    return label


def shown(kind: Kind, label: Label) -> object:
    """The key for a label found in the data; defined for every label that may occur."""
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


__all__ = [
    "DECLARED",
    "EPOCH",
    "ROLES",
    "SERVES",
    "Joined",
    "Kind",
    "Label",
    "is_label",
    "joined_labels",
    "labelled",
    "labels",
    "role_of",
    "shown",
]
