"""Rows inside an engine, and the few operations on them.

Each operation takes SQL expressions over the columns `unit`, `key` and `value`, in words that all engines share; what
they write differently is in their `Dialect`. Each expression is total: for any row it has a value or is NULL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from dpcompose.release.engine.kinds import Label

PRIME = 2**31 - 1
HEX = 15  # digits of MD5 that fit in 64 bits


Batches: TypeAlias = Iterator[list[npt.NDArray[np.float64]]]


class Dialect(Protocol):
    """The SQL that differs between engines."""

    def literal(self, label: Label) -> str:
        """A label; bytes are written in hexadecimal, so that no character in them is special."""
        ...

    def whole(self, number: str) -> str:
        """A number as a 64-bit integer, or NULL."""
        ...

    def total(self, numbers: str) -> str:
        """The sum of 64-bit integers as a 64-bit integer; 0 if there are none, or on overflow."""
        ...

    def quotient(self, number: str, by: str) -> str:
        """The integer part of a quotient of non-negative numbers."""
        ...

    def digest(self, label: str) -> str:
        """The leading digits of the MD5 of bytes, as a number; it spreads units evenly, and hides nothing."""
        ...

    def place(self, key: str, keys: Sequence[str]) -> str:
        """The position of a key in a list, from 1 on; 0 or NULL if it is not there."""
        ...

    def shifted(self, place: str) -> str:
        """A 64-bit word with the bit at this place set."""
        ...

    def joined(self, labels: Sequence[str], texts: Sequence[bool]) -> str:
        """Several labels, none of them NULL, as one string of bytes (see `Joined`)."""
        ...

    def is_real(self, number: str) -> str:
        """Whether a floating-point number is not NaN."""
        ...


class Rows(Protocol):
    """Rows that are read only when they are fetched."""

    @property
    def dialect(self) -> Dialect:
        """The dialect of the engine."""
        ...

    @property
    def texts(self) -> bool:
        """Whether units are bytes; otherwise they are whole numbers."""
        ...

    def select(self, columns: Mapping[str, str]) -> Rows:
        """New columns by name, computed by expressions."""
        ...

    def where(self, condition: str) -> Rows:
        """The rows for which a condition is true."""
        ...

    def gathered(self, by: Sequence[str], sums: Mapping[str, str]) -> Rows:
        """One row for each combination of some columns; a single row if there are none."""
        ...

    def fetched(self) -> list[tuple[Any, ...]]:
        """Run the engine, and return the rows."""
        ...

    def batches(self) -> Batches:
        """All rows of number columns, in batches; missing values are NaN."""
        ...


def real(number: float) -> str:
    """The SQL of a floating-point number, exactly."""
    return f"CAST('{number!r}' AS DOUBLE)"


def clipped(number: str, low: int, high: int) -> str:
    """The SQL of a number clipped to an interval."""
    return f"least(greatest({number}, {low}), {high})"


def present(rows: Rows, roles: Iterable[str], reals: Iterable[str] = ("value",)) -> Rows:
    """The rows without missing values: no label is NULL, and no number NULL or NaN."""
    numbers = set(reals)
    there = [rows.dialect.is_real(role) if role in numbers else f"{role} IS NOT NULL" for role in roles]
    return rows.where(" AND ".join(there)) if there else rows


__all__ = ["HEX", "PRIME", "Batches", "Dialect", "Rows", "clipped", "present", "real"]
