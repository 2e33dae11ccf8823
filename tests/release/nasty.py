"""Nasty tables: every type that a column may have, with the values that break programs, and their neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

NAN, INF = float("nan"), float("inf")
TEXTS = [
    "a",
    "A",
    "ä",
    "a\u0308",
    "Ä",
    "ß",
    "ss",
    "",
    " ",
    "a ",
    "b",
    "'",
    '"',
    "\\",
    "%",
    "a\nb",
    "\x1b[2J",
    "😀",
    "nan",
]
TEXTS += ["NULL", "0", "-0", "1e3", "true", "x" * 300, "\ufeff", "\u202eb", "İ", "i", "I"]
DAYS = [date.min, date(1, 1, 2), date(1582, 10, 10), date(1969, 12, 31), date(1970, 1, 1), date(2024, 2, 29), date.max]
FLOATS = [0.0, -0.0, 1.0, 1.25, 2.5, -7.0, 3.125, 1e300, -1e300, 5e-324, INF, -INF, NAN, 9.875, 10.125, 4.0, 6.5]
WIDE_DAYS = [-(2**31) + 1, 2**31 - 1, -800000, 3000000, 0]
"""Days that no Python date has: before Christ, and after 9999."""


def whole(bits: int, *, signed: bool = True) -> list[int]:
    """The ends of a width, and numbers between them."""
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return list(dict.fromkeys([low, low + 1, high, high - 1, *range(7), high // 2]))


@dataclass(frozen=True)
class Column:
    """A type of Arrow, and values of it."""

    name: str
    dtype: Any
    values: tuple[Any, ...]

    def drawn(self, chance: Random, most: int) -> list[Any]:
        """A few of the values, so that rows share them."""
        return chance.sample(self.values, min(most, len(self.values)))


WHOLES = tuple(
    Column(
        f"{'' if signed else 'u'}int{bits}",
        getattr(pa, f"{'' if signed else 'u'}int{bits}")(),
        tuple(whole(bits, signed=signed)),
    )
    for bits in (8, 16, 32, 64)
    for signed in (True, False)
)
TEXT = Column("text", pa.large_string(), tuple(TEXTS))
SHORT_TEXT = Column("short text", pa.string(), tuple(TEXTS))
CATEGORY = Column("category", pa.dictionary(pa.int32(), pa.string()), tuple(TEXTS))
TRUTH = Column("truth", pa.bool_(), (True, False))
DAY = Column("day", pa.date32(), tuple(DAYS))
ODD_DAY = Column("odd day", pa.date32(), tuple(WIDE_DAYS))
LABELS = (*WHOLES, TEXT, SHORT_TEXT, CATEGORY, TRUTH, DAY, ODD_DAY)
REALS = (
    Column("double", pa.float64(), tuple(FLOATS)),
    Column("double", pa.float64(), tuple(FLOATS)),
    Column("float", pa.float32(), tuple(x for x in FLOATS if abs(x) < 1e30 or x in {INF, -INF})),
    Column("half", pa.float16(), (0.0, 1.5, INF, -INF, NAN, 65504.0, 3.125)),
    Column(
        "decimal", pa.decimal128(10, 3), tuple(Decimal(x) for x in ("0", "1.125", "-9999999.999", "2.5", "9999999.999"))
    ),
    Column(
        "long decimal",
        pa.decimal128(38, 10),
        tuple(Decimal(x) for x in ("0", "1.125", "-1e27", "1e27", "2.0000000001")),
    ),
)
VALUES = (*REALS, *WHOLES)


@dataclass(frozen=True)
class Pair:
    """Two tables that differ in the rows of one unit, and how they are asked."""

    columns: tuple[Column, Column, Column]
    here: list[tuple[Any, Any, Any]]
    there: list[tuple[Any, Any, Any]]
    replaced: bool
    keys: list[Any]
    who: Any


def made(column: Column, values: list[Any]) -> Any:
    """An Arrow column; days may be numbers, which no Python date is."""
    if column is ODD_DAY:
        return pa.array(values, pa.int32()).cast(pa.date32())
    if pa.types.is_float16(column.dtype):
        return pa.array(values, pa.float32()).cast(pa.float16())
    return pa.array(values, column.dtype)


def table(columns: tuple[Column, ...], rows: list[tuple[Any, ...]]) -> Any:
    """The rows as an Arrow table with the columns unit, key and value."""
    by_column = list(zip(*rows, strict=True)) or [()] * len(columns)
    return pa.table([made(c, list(v)) for c, v in zip(columns, by_column, strict=True)], names=["unit", "key", "value"])


def rows(found: Any) -> list[tuple[Any, Any, Any]]:
    """The rows of an Arrow table as Python's values; a day that is no date is its number."""
    columns = [found.column(name) for name in ("unit", "key", "value")]
    plain = [column.cast(pa.int32()) if pa.types.is_date32(column.type) else column for column in columns]
    return list(zip(*(column.to_pylist() for column in plain), strict=True))


def pair(chance: Random, *, every_row: bool, holes: bool = True, labels: tuple[Column, ...] = LABELS) -> Pair:
    """A table and a neighbour: one unit's rows are added, removed or replaced."""
    columns = (chance.choice(labels), chance.choice(labels), chance.choice(VALUES))
    pools = [column.drawn(chance, most) for column, most in zip(columns, (5, 6, 8), strict=True)]
    hole = chance.choice([0.0, 0.0, 0.2]) if holes else 0.0

    def cell(place: int) -> Any:
        return None if chance.random() < hole else chance.choice(pools[place])

    def rows(most: int) -> list[tuple[Any, Any, Any]]:
        return [(cell(0), cell(1), cell(2)) for _ in range(chance.choice([0, 1, 2, 5, most]))]

    base = rows(30)
    who = chance.choice(pools[0])
    if every_row:
        place = chance.randrange(len(base) + 1)
        rest = base[:place] + base[place + 1 :]
        came = rows(1)[:1] if chance.random() < 0.5 else []
        here, there = base, rest + came
        replaced = len(here) == len(there)
    else:
        rest = [row for row in base if row[0] != who]
        replaced = chance.random() < 0.5
        mine = [(who, cell(1), cell(2)) for _ in range(chance.choice([1, 1, 3, 12]))]
        other = [(who, cell(1), cell(2)) for _ in range(chance.choice([0, 1, 4]))] if replaced else []
        here, there = rest + mine, rest + other
    chance.shuffle(there)
    keys = chance.sample(pools[1], min(chance.choice([1, 3, 6]), len(pools[1])))
    swapped = chance.random() < 0.5
    return Pair(columns, there if swapped else here, here if swapped else there, replaced, keys, who)


Build = Callable[[Any], Any]
