"""How much has been computed for a question, counted in steps and not by a clock: no answer depends on the machine.

Whoever may compute for long counts what it does, in units of about ten nanoseconds. Whoever asks for one thing after
another, each of which only narrows what is known, stops when the patience with a question is worn out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

PATIENCE = 4e8
"""Steps after which nothing more is asked: some seconds. Everyday questions take a hundredth of it."""


@dataclass(slots=True)
class _Question:
    steps: float = 0.0


_asked: ContextVar[_Question | None] = ContextVar("asked", default=None)


@contextmanager
def question() -> Iterator[None]:
    """One question, and all that are asked for its sake."""
    if _asked.get() is not None:
        yield
        return
    before = _asked.set(_Question())
    try:
        yield
    finally:
        _asked.reset(before)


def count(steps: float) -> None:
    """So many steps are being taken."""
    if (asked := _asked.get()) is not None:
        asked.steps += steps


def is_worn_out() -> bool:
    """Whether so much was computed for this question that what is known must do."""
    return (asked := _asked.get()) is not None and asked.steps > PATIENCE
