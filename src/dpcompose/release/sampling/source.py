"""Sources of randomness: uniform bytes of the operating system, read in blocks."""

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
"""Rounds after which a source counts as broken; a uniform source needs so many with probability below 2^−1000."""


class RandomSource(Protocol):
    """A source of independent, uniform bytes."""

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes; no byte is returned twice."""
        ...


@dataclass(frozen=True, slots=True)
class OperatingSystem:
    """The operating system's generator for secrets. It has no seed, no state in this process, and survives a fork."""

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes."""
        return os.urandom(count)


OS = OperatingSystem()


def words(source: RandomSource, count: int, width: int) -> Words:
    """Uniform unsigned integers of `width` bytes each."""
    read = source.bytes(count * width)
    if len(read) != count * width:
        raise DPError(f"The source of randomness gave {len(read)} bytes where {count * width} were asked for.")
    found: Words = np.frombuffer(read, dtype=f"<u{width}")  # the same numbers on every machine
    return found


def word(source: RandomSource) -> int:
    """A uniform integer below 2^64."""
    return int(words(source, 1, 8)[0])


def broken(source: RandomSource) -> DPError:
    """The error about a source that repeats itself so that no draw is ever decided."""
    return DPError(f"The source of randomness {type(source).__name__} is not random: its bytes decide nothing.")


def checked_size(size: object) -> int:
    """The number of draws, checked."""
    if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
        raise InvalidParameter("size", size, "a whole number of draws, at least 0")
    return int(size)
