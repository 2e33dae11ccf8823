"""Where randomness comes from: uniform bytes of the operating system, read in blocks."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from dpcompose.errors import DPError, InvalidParameter

Integers: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.object_]
"""Whole numbers: 64-bit where every one of them fits, Python's own where not."""

Words: TypeAlias = npt.NDArray[np.unsignedinteger]

PATIENCE = 10_000
"""Rounds after which a source is called broken; a uniform one gets there with probability below 2^−1000."""


class Source(Protocol):
    """Independent, uniform bytes."""

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes; no byte is handed out twice."""
        ...


@dataclass(frozen=True, slots=True)
class OperatingSystem:
    """The operating system's generator for secrets. It has no seed, keeps no state here, and survives a fork."""

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes."""
        return os.urandom(count)


OS = OperatingSystem()


def words(source: Source, count: int, width: int) -> Words:
    """Uniform unsigned integers of `width` bytes each."""
    read = source.bytes(count * width)
    if len(read) != count * width:
        raise DPError(f"The source of randomness gave {len(read)} bytes where {count * width} were asked for.")
    found: Words = np.frombuffer(read, dtype=f"<u{width}")  # the same numbers on every machine
    return found


def word(source: Source) -> int:
    """A uniform integer below 2^64."""
    return int(words(source, 1, 8)[0])


def broken(source: Source) -> DPError:
    """What is said of a source that repeats itself until no draw is ever decided."""
    return DPError(f"The source of randomness {type(source).__name__} is not random: its bytes decide nothing.")


def checked_size(size: object) -> int:
    """How many draws are wanted, or a refusal."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise InvalidParameter("size", size, "a whole number of draws, at least 0")
    return int(size)
