"""Exact answers on their way to the noise: they can be used once, and never be seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NoReturn, TypeVar

from dpcompose.release.refusals import INTERRUPTIONS, EngineFailure

T = TypeVar("T")
S = TypeVar("S")


class Secret(Generic[T]):
    """A value without a text: it prints as nothing, is not compared, copied or stored, and opens once.

    A traceback that shows local variables, a debugger's list or a log line then shows no exact answer.
    """

    __slots__ = ("_held",)

    def __init__(self, held: T) -> None:
        """Take the value in."""
        self._held: list[T] = [held]

    def spent_in(self, use: Callable[[T], S]) -> S:
        """What `use` makes of the value, which is forgotten; a failure is told without its frames, which hold it."""
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
