"""The working precision of balls, one thread at a time.

python-flint has one precision for all threads. A thread that evaluates a formula at 200 bits must not find 50 on its
way, nor an error term that was made for 200: so whoever sets the precision holds a lock until it is set back.
"""

from __future__ import annotations

import os
from threading import RLock

from flint import ctx as _flint


class WorkingPrecision:
    """While this lasts balls have so many bits, in this thread; any other that wants some waits."""

    __slots__ = ("_before", "_bits", "_lock")

    def __init__(self, bits: int) -> None:
        """Nothing changes before it is entered."""
        self._bits, self._lock = bits, ctx.lock

    def __enter__(self) -> None:
        self._lock.acquire()
        self._before = _flint.prec
        _flint.prec = self._bits

    def __exit__(self, *_: object) -> None:
        _flint.prec = self._before
        self._lock.release()


class Context:
    """The precision, to be read anywhere and set by `with ctx.workprec(bits)` only."""

    __slots__ = ("lock",)

    def __init__(self) -> None:
        """No thread holds it yet."""
        self.renew()

    def renew(self) -> None:
        """A lock that nobody holds: a child process has none of its parent's threads."""
        self.lock = RLock()

    @property
    def prec(self) -> int:
        """The bits of a ball now."""
        return int(_flint.prec)

    def workprec(self, bits: int) -> WorkingPrecision:
        """Work with this many bits for the length of a `with` block."""
        return WorkingPrecision(bits)


ctx = Context()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=ctx.renew)

__all__ = ["ctx"]
