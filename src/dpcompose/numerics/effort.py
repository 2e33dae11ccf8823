"""How much has been computed for a question, counted in steps and not by a clock: no answer depends on the machine.

Whoever may compute for long counts what it does, in units of about ten nanoseconds. Whoever asks for one thing after
another, each of which only narrows what is known, stops when the patience with a question is worn out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from dpcompose.errors import Declined
from dpcompose.numerics.unreachable import OutOfReach

PATIENCE = 2e8
"""Steps after which nothing more is asked: some seconds. Everyday questions take a hundredth of it."""
LIMIT = 2 * PATIENCE
"""Steps after which what is being computed is broken off."""
SPARE = 5e6
"""However late a theorem is tried, it is given this many steps, so that short answers are still found."""
EXHAUSTED = LIMIT + 4 * SPARE
"""Steps after which one end that is known must do."""
FULLY_READ = 4
"""About so many different parts are read in full; of twice as many each is read at half as many places, and so on."""
LAST = 1e5
"""Steps given to a theorem that is tried later than `EXHAUSTED`: each of a thousand parts may have a dozen of them."""


@dataclass(slots=True)
class _Question:
    steps: float = 0.0
    limit: float | None = None
    """The steps after which what is being computed is broken off; None where the question cannot do without it."""
    is_incomplete: bool = False
    """Whether something was broken off or cut short."""
    thinning: int | None = None
    """How many times fewer places each part is read at; None before it is said what the question is about."""


class _TooLong(Exception):
    """The limit is passed. Nobody between who counts and who can do without it may take this for an answer."""


_asked: ContextVar[_Question | None] = ContextVar("asked", default=None)
_memories: list[Callable[[], None]] = []


def forgotten(forget: Callable[[], None]) -> None:
    """Register a memory to be emptied after a question of which something was broken off or cut short."""
    _memories.append(forget)


@contextmanager
def question() -> Iterator[None]:
    """One question, and all that are asked for its sake."""
    if _asked.get() is not None:
        yield
        return
    asked = _Question()
    before = _asked.set(asked)
    try:
        yield
    finally:
        _asked.reset(before)
        for forget in _memories if asked.is_incomplete else ():
            forget()


class _Dispensable:
    """The context of one theorem; a class, and no generator, as it is entered for every theorem that is tried."""

    __slots__ = ("_asked",)

    def __enter__(self) -> None:
        asked = _asked.get()
        self._asked = asked if asked is not None and asked.limit is None else None
        if self._asked is not None:
            spare = SPARE if self._asked.steps <= EXHAUSTED else LAST
            self._asked.limit = max(LIMIT, self._asked.steps + spare)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._asked is not None:
            self._asked.limit = None
            if kind is _TooLong:
                self._asked.is_incomplete = True
                raise Declined("it takes too long to compute") from None


dispensable = _Dispensable
"""With this around it the question can do without something: beyond the limit it is declined, as a whole."""


@contextmanager
def sparing(steps: float) -> Iterator[None]:
    """What is inside is given up so many steps before the limit, so that there is time for something coarser."""
    asked = _asked.get()
    limit = asked.limit if asked is not None else None
    if asked is None or limit is None:
        yield
        return
    asked.limit = limit - steps
    try:
        yield
    except _TooLong:
        asked.is_incomplete = True
        raise OutOfReach from None
    finally:
        asked.limit = limit


def count(steps: float) -> None:
    """So many steps are about to be taken."""
    if (asked := _asked.get()) is not None:
        if asked.limit is not None and asked.steps + steps > asked.limit:
            raise _TooLong
        asked.steps += steps


def cut_short() -> None:
    """Something was left out because patience was worn out: another question may have more of it."""
    if (asked := _asked.get()) is not None:
        asked.is_incomplete = True


def about(parts: int) -> None:
    """The question is about so many different parts; what is asked later is asked for its sake."""
    if (asked := _asked.get()) is not None and asked.thinning is None:
        asked.thinning = max(2 ** round(math.log2(max(parts, 1) / FULLY_READ)), 1)


def thinning() -> int:
    """How many times fewer places each part is read at than if it were alone: a power of two."""
    return 1 if (asked := _asked.get()) is None else asked.thinning or 1


def shared(places: int, least: int) -> int:
    """At how many of these places each part is read, given how many parts there are; never fewer than `least`."""
    return max(places // thinning(), least)


def taken() -> float:
    """How many steps were taken so far; 0 outside a question."""
    return asked.steps if (asked := _asked.get()) is not None else 0.0


def room() -> float:
    """How many more may be taken before what is being computed is broken off."""
    asked = _asked.get()
    return math.inf if asked is None else (LIMIT if asked.limit is None else asked.limit) - asked.steps


def is_worn_out() -> bool:
    """Whether so much was computed for this question that what is known must do."""
    return (asked := _asked.get()) is not None and asked.steps > PATIENCE


def is_exhausted() -> bool:
    """Whether even short answers took too long together."""
    return (asked := _asked.get()) is not None and asked.steps > EXHAUSTED
