"""A bar on the terminal while a long sketch is made, nothing elsewhere. It shows a share, never how many rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Told how much was done."""

    def __call__(self, done: int, /) -> None:
        """So many more are done."""
        ...


def _silent(done: int, /) -> None:
    """Nobody is watching."""


@contextmanager
def progress(what: str, total: int | None) -> Iterator[Advance]:
    """A bar, if standard error is a terminal and rich is installed; the total may be unknown."""
    if not sys.stderr.isatty():
        yield _silent
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
    except ModuleNotFoundError:
        yield _silent
        return
    shown = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def advance(done: int, /) -> None:
            bar.advance(task, done)

        yield advance


__all__ = ["Advance", "progress"]
