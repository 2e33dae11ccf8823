"""A progress bar for long work: only on a terminal, and only where rich is installed. It shows a share, never a count.

The number of rows is a secret of the data; the share of them that is done is not.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

_PATIENCE = 1.0
"""Seconds without a bar."""


class Advance(Protocol):
    """A function that is told how much was done."""

    def __call__(self, more: int, /, total: int | None = None) -> None:
        """Count `more` as done; the total may be known only now."""
        ...


def _silent(more: int, /, total: int | None = None) -> None:
    """Does nothing."""


@contextmanager
def progress(what: str, total: int | None, done: int = 0) -> Iterator[Advance]:
    """A bar, if standard error is a terminal; the total may be unknown, and part of it may be done already."""
    if not sys.stderr.isatty():
        yield _silent
        return
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
    except ImportError:
        yield _silent
        return
    shown = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*shown, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, completed=done)

        def advance(more: int, /, total: int | None = None) -> None:
            bar.update(task, advance=more, total=total)

        yield advance


def watched(total: int) -> Iterator[int]:
    """Count from 0 to `total`, with a bar once that has taken longer than a second."""
    start = time.monotonic()
    for i in range(total):
        yield i
        if time.monotonic() - start > _PATIENCE:
            with progress("runs", total, i + 1) as advance:
                for later in range(i + 1, total):
                    yield later
                    advance(1)
            return


__all__ = ["Advance", "progress", "watched"]
