"""Health tests of a source of randomness: those of NIST SP 800-90B, section 4.4, and a test for repeated blocks.

They detect a source that is stuck, or almost; not one that is predictable. *Repetition count*: the same byte comes
`MOST_REPEATS` times in a row. *Adaptive proportion*: the first of `WINDOW` bytes occurs `MOST_ALIKE` times among them.
*Repeated block*: a block starts with the sixteen bytes with which the block before started. A source of independent
uniform bytes fails one of them with probability below $2^{-60}$ for each byte, window or block.

Before a release reads data, it draws and drops a thousand bytes, as the standard requires of a start. All bytes drawn
later are tested, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import comb
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from dpcompose.errors import DPError
from dpcompose.release.sampling.source import RandomSource

Bytes: TypeAlias = bytes
"""The type `bytes`, for annotations inside a class that has a method of that name."""
ALARM = Fraction(1, 2**60)
"""The accepted probability of a false alarm."""
VALUES = 256
MOST_REPEATS = 9
"""The probability that eight more bytes equal the one before them is 256^−8 = 2^−64."""
WINDOW = 512
START = 2 * WINDOW
HEAD = 16


def _critical() -> int:
    """The least count whose probability in a window of uniform bytes is at most that of a false alarm."""
    tail, most = 0, WINDOW - 1  # of VALUES^most windows
    for more in range(most, -1, -1):
        tail += comb(most, more) * (VALUES - 1) ** (most - more)
        if tail > ALARM * VALUES**most:
            return more + 2  # the first byte itself, and one beyond the last count that is too likely
    return 1


MOST_ALIKE = _critical()


class Unhealthy(DPError):
    """A source of randomness is stuck, or fails; nothing is released."""


def _has_run(found: npt.NDArray[np.uint8], length: int) -> bool:
    """Whether this many equal bytes follow each other."""
    alike = found[1:] == found[:-1]
    for _ in range(length - 2):
        if not alike.any():
            return False
        alike = alike[1:] & alike[:-1]
    return bool(alike.any())


@dataclass(slots=True)
class Watched:
    """A source all of whose bytes are tested."""

    source: RandomSource
    _head: bytes = field(default=b"", repr=False)
    """The first bytes of the last block."""
    _tail: bytes = field(default=b"", repr=False)
    """The last bytes so far, in which a run may have begun."""
    _open: bytes = field(default=b"", repr=False)
    """The bytes since the last whole window."""

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes; refused if a test fails."""
        try:
            drawn = self.source.bytes(count)
        except (OSError, NotImplementedError):
            raise self._refusal("it gave no bytes") from None
        if len(drawn) != count:
            raise self._refusal(f"it gave {len(drawn)} bytes where {count} were asked for")
        head = drawn[:HEAD]
        wrong = "it repeats itself" if len(head) == HEAD and head == self._head else self._complaint(drawn)
        if wrong is not None:
            raise self._refusal(wrong)
        self._head = head if len(head) == HEAD else self._head
        return drawn

    def _complaint(self, drawn: Bytes) -> str | None:
        """What is wrong with the bytes so far; None if no test fails."""
        joined = self._tail + drawn
        self._tail = joined[1 - MOST_REPEATS :]
        if _has_run(np.frombuffer(joined, dtype=np.uint8), MOST_REPEATS):
            return f"it gave the same byte {MOST_REPEATS} times in a row"
        since = self._open + drawn
        whole = len(since) // WINDOW * WINDOW
        self._open = since[whole:]
        windows = np.frombuffer(since[:whole], dtype=np.uint8).reshape(-1, WINDOW)
        if whole and int((windows == windows[:, :1]).sum(axis=1).max()) >= MOST_ALIKE:
            return f"it gave the same byte {MOST_ALIKE} times or more among {WINDOW}"
        return None

    def _refusal(self, what: str) -> Unhealthy:
        return Unhealthy(f"The source of randomness {type(self.source).__name__} is not healthy: {what}.")


def watched(source: RandomSource) -> RandomSource:
    """The source, tested at its start and from then on; sources for tests opt out."""
    if getattr(type(source), "for_tests", False):
        return source
    started = Watched(source)
    started.bytes(START)
    return started


__all__ = ["Unhealthy", "Watched", "watched"]
