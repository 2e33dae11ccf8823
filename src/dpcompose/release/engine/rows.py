"""Rows inside an engine, and the few things that are done with them.

Every step is an expression of SQL over the columns `unit`, `key` and `value`, in words that all engines share; what
they spell differently is in their `Dialect`. Each expression is total: whatever a row holds, it has a value or is NULL.
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
    """What engines spell differently."""

    def literal(self, label: Label) -> str:
        """A label; bytes are written in hexadecimal, so that nothing in them has a meaning."""
        ...

    def whole(self, number: str) -> str:
        """A number as a 64-bit integer, or NULL."""
        ...

    def total(self, numbers: str) -> str:
        """The sum of 64-bit integers as one, 0 where there are none or too much."""
        ...

    def quotient(self, number: str, by: str) -> str:
        """The whole part of a quotient of numbers that are not negative."""
        ...

    def digest(self, label: str) -> str:
        """The leading digits of the MD5 of bytes as a number; it spreads units, and hides nothing."""
        ...

    def place(self, key: str, keys: Sequence[str]) -> str:
        """Where a key is in a list, from 1 on; 0 or NULL if it is not there."""
        ...

    def shifted(self, place: str) -> str:
        """The 64-bit word with one bit at a place."""
        ...

    def joined(self, labels: Sequence[str], texts: Sequence[bool]) -> str:
        """Several labels, none of them NULL, as one string of bytes (see `Joined`)."""
        ...

    def is_real(self, number: str) -> str:
        """Whether a floating-point number is one."""
        ...


class Rows(Protocol):
    """Rows that are not read before they are fetched."""

    @property
    def dialect(self) -> Dialect:
        """How its engine spells."""
        ...

    @property
    def texts(self) -> bool:
        """Whether units are bytes; they are whole numbers otherwise."""
        ...

    def select(self, columns: Mapping[str, str]) -> Rows:
        """New columns, by name, from expressions."""
        ...

    def where(self, condition: str) -> Rows:
        """The rows for which it is true."""
        ...

    def gathered(self, by: Sequence[str], sums: Mapping[str, str]) -> Rows:
        """One row for each combination of some columns; one row in all without any."""
        ...

    def fetched(self) -> list[tuple[Any, ...]]:
        """The rows; this is where the engine starts to work."""
        ...

    def batches(self) -> Batches:
        """All rows of columns of numbers, many at a time; a missing one is NaN."""
        ...


def real(number: float) -> str:
    """A floating-point number, exactly."""
    return f"CAST('{number!r}' AS DOUBLE)"


def clipped(number: str, low: int, high: int) -> str:
    """A number between two others."""
    return f"least(greatest({number}, {low}), {high})"


def present(rows: Rows, roles: Iterable[str], reals: Iterable[str] = ("value",)) -> Rows:
    """The rows in which nothing is missing: no label is NULL, and no number NULL or NaN."""
    numbers = set(reals)
    there = [rows.dialect.is_real(role) if role in numbers else f"{role} IS NOT NULL" for role in roles]
    return rows.where(" AND ".join(there)) if there else rows


__all__ = ["HEX", "PRIME", "Batches", "Dialect", "Rows", "clipped", "present", "real"]
