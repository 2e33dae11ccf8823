"""A progress bar for long runs: only on a terminal, only where rich is installed, only after a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec

_PATIENCE = 1.0
"""Seconds without a bar."""


def watched(total: int) -> Iterator[int]:
    """Count from 0 to `total`, and show how far it is once that takes longer than a second."""
    start = time.monotonic()
    for i in range(total):
        yield i
        if time.monotonic() - start > _PATIENCE:
            yield from _shown(i + 1, total)
            return


def _shown(first: int, total: int) -> Iterator[int]:
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield from range(first, total)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("runs", total=total, completed=first)
        for i in range(first, total):
            yield i
            bar.advance(task)


__all__ = ["watched"]
