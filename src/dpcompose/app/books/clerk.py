"""The clerk: keeps a book open, and does one task after the other for whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose import ledger
from dpcompose.app.books.looking import LOOKING
from dpcompose.app.books.reach import Asker
from dpcompose.app.books.writing import WRITING, Writes
from dpcompose.ledger import Book
from dpcompose.ledger.mark import state_folder

Task = Callable[[Mapping[str, Any], Writes], dict[str, Any]]
"""A function of what was asked, with the `asker` in it, and of a callback that is called before anything is written."""


class Clerk:
    """A book that is opened when first needed, and again after it could not be opened."""

    def __init__(self, url: str) -> None:
        """For the book at an address."""
        self.url = url
        self._book: Book | None = None

    @property
    def book(self) -> Book:
        """The open book; made if it is missing."""
        if self._book is None:
            self._book = ledger.open(self.url)
        return self._book

    def tasks(self) -> dict[str, Task]:
        """Every task, by name."""
        looking = {name: self._looks(work) for name, work in LOOKING.items()}
        return looking | {name: self._writes(work) for name, work in WRITING.items()}

    def _looks(self, work: Callable[[Book, Asker, Mapping[str, Any]], dict[str, Any]]) -> Task:
        return lambda asked, _: work(self.book, Asker.of(asked["asker"]), asked)

    def _writes(self, work: Callable[[Book, Asker, Mapping[str, Any], Writes], dict[str, Any]]) -> Task:
        return lambda asked, writes: work(self.book, Asker.of(asked["asker"]), asked, writes)


def own_store(name: str) -> str:
    """The address of a book of the user's own: a file of this name, in a folder that is made."""
    folder = state_folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return f"sqlite:///{folder / name}"


__all__ = ["Clerk", "own_store"]
