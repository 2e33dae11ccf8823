"""Nasty tables: every type that a column may have, with the values that break programs, and their neighbours."""

from __future__ import annotations

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
WIDE_DAYS = [-(2**31), -(2**31) + 1, 2**31 - 1, -800000, 3000000, 0]
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
    special: str = ""
    """Its type in the engines that have one of their own for it."""
    forms: frozenset[str] = frozenset()
    """The forms that have such a column; all of them where none is named."""

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
RAW = Column(
    "raw text",
    pa.string(),
    (b"a", b"A", b"b", b"", b"\xff", b"\xff\xfe", b"a\xed\xa0\x80", b"\xc3", b"\xe4", b"\x00"),
    forms=frozenset({"arrow", "parquet", "parquet relation", "parquet select", "parquet lazy", "pandas arrow"}),
)
"""Texts that are no UTF-8, as files and tables hold them."""
JSON = Column(
    "json",
    pa.string(),
    ("1", '"1"', "1.0", "null", "{}", '{"a":1}', '{ "a":1}', "[]", '"x"'),
    "JSON",
    frozenset({"duckdb"}),
)
ENUM = Column("enum", pa.string(), tuple(TEXTS[:12]), "ENUM", frozenset({"duckdb", "polars", "polars lazy"}))
HUGE = Column(
    "huge",
    pa.decimal128(38, 0),
    tuple(map(Decimal, (0, 1, -1, 10**38 - 1, 1 - 10**38, 2**64, 2**63, -(2**63), 2**31 - 1))),
    "HUGEINT",
    frozenset({"duckdb"}),
)
LABELS = (*WHOLES, TEXT, SHORT_TEXT, CATEGORY, TRUTH, DAY, ODD_DAY, ODD_DAY)
SPECIAL = (RAW, JSON, ENUM, HUGE)
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


def labels(form: str) -> tuple[Column, ...]:
    """What units and keys may be in a form."""
    return (*LABELS, *(column for column in SPECIAL if form in column.forms))


def listable(column: Column, keys: list[Any]) -> list[Any] | None:
    """The keys that may be listed in a question; None where they cannot be written there."""
    if column is ODD_DAY:
        return None
    if column is RAW:
        return [key.decode() for key in keys if key.isascii()] or None
    return [int(key) for key in keys if abs(key) < 2**63] or None if column is HUGE else keys


def made(column: Column, values: list[Any]) -> Any:
    """An Arrow column; days may be numbers, which no Python date is, and texts any bytes."""
    if column is RAW:
        return pa.array(values, pa.binary()).view(pa.string())
    if column is ODD_DAY:
        return pa.array(values, pa.int32()).cast(pa.date32())
    if pa.types.is_float16(column.dtype):
        return pa.array(values, pa.float32()).cast(pa.float16())
    return pa.array(values, column.dtype)


def table(columns: tuple[Column, ...], rows: list[tuple[Any, ...]]) -> Any:
    """The rows as an Arrow table with the columns unit, key and value."""
    by_column = list(zip(*rows, strict=True)) or [()] * len(columns)
    fields = [
        pa.field(name, column.dtype, metadata={"special": column.special})
        for name, column in zip(("unit", "key", "value"), columns, strict=True)
    ]
    arrays = [made(c, list(v)) for c, v in zip(columns, by_column, strict=True)]
    return pa.table(arrays, schema=pa.schema(fields))


def special(table: Any, name: str) -> str:
    """What a column is in engines that have a type of their own for it."""
    return ((table.schema.field(name).metadata or {}).get(b"special") or b"").decode()


def rows(found: Any) -> list[tuple[Any, Any, Any]]:
    """The rows of an Arrow table as Python's values; a day that is no date is its number."""
    columns = [found.column(name) for name in ("unit", "key", "value")]
    simple = {pa.date32(): pa.int32(), pa.string(): pa.binary()}
    plain = [column.cast(simple.get(column.type, column.type)) for column in columns]
    return list(zip(*(column.to_pylist() for column in plain), strict=True))
