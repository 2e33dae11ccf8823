"""Doubles for tests. Noise from them protects nobody: the house tests keep them out of everything else."""

from __future__ import annotations

from hashlib import shake_256


class RepeatableBytesForTests:
    """The same bytes for the same seed: SHAKE-256 of the seed and the number of the call."""

    for_tests = True

    def __init__(self, seed: int) -> None:
        """Start the stream of a seed."""
        self._seed, self._calls = seed, 0

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes."""
        self._calls += 1
        return shake_256(f"{self._seed}/{self._calls}".encode()).digest(count)


class SilentBytesForTests:
    """All bits 1, which every sampler turns into 0: no noise at all."""

    for_tests = True

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes."""
        return b"\xff" * count
