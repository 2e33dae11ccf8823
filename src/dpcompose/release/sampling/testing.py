"""Sources for tests. Their noise protects nobody; a test makes sure that nothing else imports them."""

from __future__ import annotations

from hashlib import shake_256


class RepeatableBytesForTests:
    """The same bytes for the same seed: SHAKE-256 of the seed and the number of the call."""

    for_tests = True

    def __init__(self, seed: int) -> None:
        """A stream from a seed."""
        self._seed, self._calls = seed, 0

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes."""
        self._calls += 1
        return shake_256(f"{self._seed}/{self._calls}".encode()).digest(count)


class SilentBytesForTests:
    """All bits are 1, which every sampler turns into 0: no noise."""

    for_tests = True

    def bytes(self, count: int, /) -> bytes:
        """The next `count` bytes."""
        return b"\xff" * count
