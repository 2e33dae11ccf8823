"""The protocol of grants, as pure functions: which step is allowed in which state, and what it changes.

```
reserve ──► RESERVED ── start ──► STARTED ── commit ───► COMMITTED
               │                     └────── abandon ──► ABANDONED
               └─ cancel ──► CANCELLED
```

A reservation sets its cost aside. Cancelling gives it back, and is possible only before the start: from then on the
data may have been touched, and the cost stays charged for ever. A step that is repeated changes nothing. A store runs a
transition on what it reads under its lock, and writes the entries and the debit together or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dpcompose.ledger.chain import Head
from dpcompose.ledger.errors import KeyConflict, WrongState

Documents = Mapping[str, Mapping[str, Any]]
"""The entries under a key, by kind."""
Used = dict[int, tuple[int, list[int]]]
"""By account: its epoch, and what is used of each coordinate."""


class State(StrEnum):
    """The state of a grant."""

    RESERVED = "reserved"
    STARTED = "started"
    COMMITTED = "committed"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"

    @property
    def charged(self) -> bool:
        """Whether the cost of a grant in this state is charged."""
        return self is not State.CANCELLED


class Act(StrEnum):
    """A step that a client asks for."""

    RESERVE = "reserve"
    START = "start"
    COMMIT = "commit"
    CANCEL = "cancel"
    ABANDON = "abandon"


PHASE: Mapping[Act, int] = {Act.RESERVE: 1, Act.START: 2, Act.CANCEL: 2, Act.COMMIT: 3, Act.ABANDON: 3}
"""Each key has at most one entry of each phase, so a started grant cannot be cancelled, nor a finished one changed."""
LEADS: Mapping[Act, tuple[State | None, State]] = {
    Act.RESERVE: (None, State.RESERVED),
    Act.START: (State.RESERVED, State.STARTED),
    Act.CANCEL: (State.RESERVED, State.CANCELLED),
    Act.COMMIT: (State.STARTED, State.COMMITTED),
    Act.ABANDON: (State.STARTED, State.ABANDONED),
}
"""The state from which a step leads, and the state it leads to."""
PAST: Mapping[Act, frozenset[State]] = {
    Act.RESERVE: frozenset(State),
    Act.START: frozenset({State.STARTED, State.COMMITTED, State.ABANDONED}),
    Act.CANCEL: frozenset({State.CANCELLED}),
    Act.COMMIT: frozenset({State.COMMITTED}),
    Act.ABANDON: frozenset({State.ABANDONED}),
}
"""States in which a step has been taken already: taking it again changes nothing."""


@dataclass(frozen=True, slots=True)
class Balance:
    """A cap and how much of it is used, in whole units."""

    cap: int
    used: int

    @property
    def left(self) -> int:
        """What is not used."""
        return self.cap - self.used


@dataclass(frozen=True, slots=True)
class Seen:
    """What the store holds, under its lock: what a key stands for, and the balances of the accounts it would be charged
    to.
    """

    state: State | None
    what: object
    """What the key stands for; None if it is new."""
    balances: tuple[tuple[Balance, ...], ...] = ()
    """The balances of each account, by coordinate."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What to write: entries in this order, and the debit with this sign."""

    state: State
    acts: tuple[Act, ...] = ()
    sign: int = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """One account that a request is charged to, in its epoch, and what the request takes from it."""

    account: int
    name: str
    epoch: int
    cost: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A step that a client wants to take under a key."""

    account: int
    name: str
    chain: int
    key: str
    acts: tuple[Act, ...]
    scopes: tuple[Scope, ...] = ()
    what: Mapping[str, Any] | None = None
    token: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)
    """What is written with the step: purpose, who, why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The state of a key, and everything stored under it."""

    state: State
    documents: Mapping[str, Mapping[str, Any]]
    """The entries, by kind."""
    head: Head
    used: Used = field(default_factory=dict)
    """For each account that was debited: its epoch, and what is used of it now."""
    marked: bool = False
    """Whether the high-water mark has been written already."""


class DoesNotFit(Exception):
    """Raised where an account has too little left; the caller turns it into a sentence."""

    def __init__(self, scope: int, place: int) -> None:
        """The account and the coordinate, by their numbers in the request."""
        super().__init__(scope, place)
        self.scope, self.place = scope, place


def transition(
    seen: Seen, acts: Sequence[Act], what: object = None, costs: Sequence[Sequence[int]] = (), key: str = ""
) -> Effect:
    """What these steps lead to, all together or not at all; a refusal is an exception and changes nothing."""
    if Act.RESERVE in acts and seen.state is not None and seen.what != what:
        raise KeyConflict(f"The key {key!r} stands for something else already: another request needs another key.")
    state, taken, sign = seen.state, [], 0
    for act in acts:
        if state in PAST[act]:
            continue
        before, after = LEADS[act]
        if state is not before:
            raise WrongState(_impossible(act, state, key))
        if act is Act.RESERVE:
            _fit(seen.balances, costs)
            sign = 1
        elif act is Act.CANCEL:
            sign = -1
        state = after
        taken.append(act)
    if state is None:
        raise WrongState(_impossible(acts[0], None, key))
    return Effect(state, tuple(taken), sign)


def _fit(balances: Sequence[Sequence[Balance]], costs: Sequence[Sequence[int]]) -> None:
    """Raise unless every coordinate of every account has room."""
    for scope, (rows, cost) in enumerate(zip(balances, costs, strict=True)):
        for place, (balance, more) in enumerate(zip(rows, cost, strict=True)):
            if more < 0 or more > balance.left:
                raise DoesNotFit(scope, place)


def _impossible(act: Act, state: State | None, key: str) -> str:
    if state is None:
        return f"There is nothing under the key {key!r} to {act}."
    if act is Act.CANCEL:
        return f"{key!r} is {state}: what was started stays charged, since its answer may be out."
    return f"{key!r} is {state}, so one cannot {act} it."


__all__ = [
    "LEADS",
    "PAST",
    "PHASE",
    "Act",
    "Balance",
    "Documents",
    "DoesNotFit",
    "Effect",
    "Outcome",
    "Scope",
    "Seen",
    "State",
    "Step",
    "Used",
    "transition",
]
