"""Questions by two columns and with conditions, beside the same questions about one column of joined texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pyarrow as pa

from dpcompose import release
from release import oracle

EXTRA = (None, -1, 0, 1, 2)
CONDITIONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "extra >= 0": lambda more, _: more is not None and more >= 0,
    "extra != 1": lambda more, _: more is not None and more != 1,
    "extra = -1": lambda more, _: more == -1,
    "value >= 1": lambda _, value: value is not None and float(value) >= 1,
    "value != 4": lambda _, value: value is not None and not math.isnan(value) and float(value) != 4,
}
"""What is asked of a row, and by a loop of its second key and its value."""


def second(row: tuple[Any, ...]) -> int | None:
    """A second key of a row, which depends on nothing but the row."""
    return EXTRA[sum(repr(row).encode()) % len(EXTRA)]


def joined(key: Any, more: int | None) -> str | None:
    """Two labels as one, written from the definition: hexadecimal digits of bytes, decimal digits of numbers."""
    label = oracle.label(key)
    if label is None or more is None:
        return None
    return f"{label.hex().upper() if isinstance(label, bytes) else label}:{more}"


def widened(table: Any, rows: list[tuple[Any, ...]]) -> Any:
    """The table with the second key of each row."""
    return table.append_column("extra", pa.array([second(row) for row in rows], type=pa.int64()))


def looped(rows: list[tuple[Any, ...]], where: str | None, *, two: bool = True) -> list[tuple[Any, Any, Any]]:
    """The rows that count, with one key each, by a loop."""
    found = []
    for row in rows:
        more = second(row)
        if where is None or CONDITIONS[where](more, row[2]):
            found.append((row[0], joined(row[1], more) if two else row[1], row[2]))
    return found


@dataclass(frozen=True)
class Asked:
    """A question with its price, and how a loop answers it: about rows with one key, those that a condition keeps."""

    price: Any
    single: Any
    where: str | None = None
    two: bool = False

    def rows(self, found: list[tuple[Any, ...]]) -> list[tuple[Any, Any, Any]]:
        """What a loop counts."""
        return looped(found, self.where, two=self.two)


def asked(
    chance: Random, statistic: str, options: dict[str, Any], priced: Callable[..., Any], *, two: bool | None = None
) -> Asked:
    """A question, now and then by two columns and with a condition."""
    where = chance.choice([None] * 5 + [*CONDITIONS])
    two = "by" in options and chance.random() < 0.25 if two is None else two
    several, single = dict(options), dict(options)
    if two:
        several["by"] = ["key", "extra"]
        if "keys" in options:
            several["keys"] = [(key, e) for key in options["keys"][:3] for e in (-1, 0, 1)]
            single["keys"] = [joined(*pair) for pair in several["keys"]]
    one = priced(statistic, single)
    if not two and where is None:
        return Asked(one, one)
    query = release.query(statistic, **several, where=where or ())
    return Asked(replace(one, query=query), one, where, two)
