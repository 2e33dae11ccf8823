"""Exact answers on their way to the noise: they can be used once, and never shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from dpcompose.release.refusals import INTERRUPTIONS, EngineFailure

T = TypeVar("T")
S = TypeVar("S")


class Secret(Generic[T]):
    """A value that does not print, cannot be compared, copied or stored, and can be used once.

    So a traceback with local variables, a debugger or a log shows no exact answer.
    """

    __slots__ = ("_held",)

    def __init__(self, held: T) -> None:
        """Hold a value."""
        self._held: list[T] = [held]

    def spent_in(self, use: Callable[[T], S]) -> S:
        """Apply `use` to the value, then forget it; an error is raised again without frames, which would hold it."""
        try:
            return use(self._held.pop())
        except INTERRUPTIONS:
            raise
        except BaseException:  # noqa: BLE001, S110 - whatever it is, it may quote the value
            pass
        raise EngineFailure

    def __repr__(self) -> str:
        return "Secret()"

    def __reduce__(self) -> NoReturn:
        raise TypeError("An exact answer is never stored.")


__all__ = ["Secret"]
