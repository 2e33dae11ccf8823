"""Storage for the rows of a sketch: memory, or a memory-mapped file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dpcompose.errors import InvalidParameter
from dpcompose.release.sketches.noise import AT_ONCE, Floats

MOST_IN_MEMORY = 2**30
"""The greatest number of entries in memory (8 GB of them); a larger sketch goes to a file."""


@contextmanager
def place(length: int, rows: int, into: str | Path | None) -> Iterator[Floats]:
    """An array of zeros with a line for each vertex or feature; its file is removed if the sketch fails."""
    if into is None:
        if length * rows > MOST_IN_MEMORY:
            raise InvalidParameter(
                "into", into, f"a path for a .npy file: {length} times {rows} numbers are too many for memory"
            )
        yield np.zeros((length, rows))
        return
    path = Path(into)
    if path.suffix != ".npy" or path.exists() or not path.parent.is_dir():
        raise InvalidParameter("into", into, "a path for a new file that ends in .npy, in a folder that exists")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))  # nobody else's to read
    except OSError as error:
        raise InvalidParameter("into", into, f"a path for a new file ({error.strerror})") from None
    made = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(length, rows))
    try:
        yield made
        made.flush()
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def blocks(length: int, rows: int) -> Iterator[slice]:
    """The lines in blocks of bounded size."""
    step = max(1, AT_ONCE // max(rows, 1))
    return (slice(start, min(start + step, length)) for start in range(0, length, step))


__all__ = ["blocks", "place"]
