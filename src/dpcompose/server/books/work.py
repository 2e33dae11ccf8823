"""The process that keeps the books open and does one task after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from dpcompose import ledger
from dpcompose.errors import DPError
from dpcompose.ledger import Book
from dpcompose.server.books.looking import LOOKING
from dpcompose.server.books.reach import Asker
from dpcompose.server.books.writing import WRITING
from dpcompose.server.computing.process import Task, inside


class Clerk:
    """A book that is opened when first needed, and again after it could not be opened."""

    def __init__(self, url: str) -> None:
        """For the book at an address."""
        self.url = url
        self._book: Book | None = None

    @property
    def book(self) -> Book:
        """The open book."""
        if self._book is None:
            self._book = ledger.open(self.url)
        return self._book

    def tasks(self) -> dict[str, Task]:
        """Every task, by name."""
        looking = {name: self._looks(work) for name, work in LOOKING.items()}
        return looking | {name: self._writes(work) for name, work in WRITING.items()}

    def _looks(self, work: Callable[[Book, Asker, Mapping[str, Any]], dict[str, Any]]) -> Task:
        return lambda asked, _: work(self.book, Asker.of(asked["asker"]), asked)

    def _writes(self, work: Callable[[Book, Asker, Mapping[str, Any], Callable[[], None]], dict[str, Any]]) -> Task:
        return lambda asked, writes: work(self.book, Asker.of(asked["asker"]), asked, writes)


def entry(url: str, connection: Connection) -> None:
    """The main function of a process that serves the books at an address."""
    clerk = Clerk(url)
    with suppress(DPError):
        clerk.book  # noqa: B018 - opened before the first task; a store that is not there yet is tried again by each
    inside(connection, clerk.tasks())


__all__ = ["entry"]
