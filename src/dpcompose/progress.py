"""A bar while something takes long: only on a terminal, only where rich is installed. It shows a share, never how many.

How many rows there are is the data's secret; how many of them are done, as a share, is not.
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
    """Told how much was done."""

    def __call__(self, more: int, /, total: int | None = None) -> None:
        """Count `more` as done; the total may be known only now."""
        ...


def _silent(more: int, /, total: int | None = None) -> None:
    """Nobody is watching."""


@contextmanager
def progress(what: str, total: int | None, done: int = 0) -> Iterator[Advance]:
    """A bar, if standard error is a terminal; the total may be unknown, and some of it done before."""
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
    """Count from 0 to `total`, and show how far it is once that takes longer than a second."""
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
