"""A count of a program over neighbouring tables, with a row in one of them at which programs fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpcompose import release
from dpcompose.release.sampling.testing import SilentBytesForTests
from release.engines import Book

ROWS = {"user": [1, 2, 3], "name": ["1", "2", "3"], "hours": [0.5, 1.5, 2.5]}
NEIGHBOUR = {"user": [1, 2, 2**31 - 1], "name": ["1", "2", "Bob"], "hours": [0.5, 1.5, 1e308]}
"""With a row at which casts, sums and functions fail."""


def asked(data: Any, **options: Any) -> tuple[str, str, int]:
    """What became of a count, in which words, and how often it was charged."""
    book = Book()
    try:
        found = release.count(data, **{"unit": "user", **options}, epsilon=1, budget=book, source=SilentBytesForTests())
    except release.InvalidData as refusal:
        return "refused", str(refusal), len(book.charges)
    return "answer", str(found.values), len(book.charges)


def judged(make: Callable[[dict[str, Any]], Any], **options: Any) -> tuple[str, str]:
    """Neighbours have the same fate; a refusal is free, and in the same words."""
    here, there = asked(make(ROWS), **options), asked(make(NEIGHBOUR), **options)
    assert here == there or here[0] == there[0] == "answer"
    assert here[2] == (here[0] == "answer")
    return here[:2]
