"""The protocol, without a store: which step is allowed when, and what it changes. Pure functions.

```
reserve ──► RESERVED ── start ──► STARTED ── commit ───► COMMITTED
               │                     └────── abandon ──► ABANDONED
               └─ cancel ──► CANCELLED
```

A reservation holds its cost. Cancelling gives it back, and is possible only before the start: from then on the data may
have been touched, and what was charged stays charged for ever. Every step may be repeated, and changes nothing then.
A store runs a transition on what it sees under its lock, and keeps the entries and the debit together or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from dpcompose.ledger.chain import Head
from dpcompose.ledger.errors import KeyConflict, WrongState

Documents = Mapping[str, Mapping[str, Any]]
"""What is known under a key, by kind of entry."""
Used = dict[int, tuple[int, list[int]]]
"""Of accounts: an epoch, and what is used of it."""


class State(StrEnum):
    """Where a grant stands."""

    RESERVED = "reserved"
    STARTED = "started"
    COMMITTED = "committed"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"

    @property
    def charged(self) -> bool:
        """Whether its cost is taken off the budget."""
        return self is not State.CANCELLED


class Act(StrEnum):
    """A step that a client asks for."""

    RESERVE = "reserve"
    START = "start"
    COMMIT = "commit"
    CANCEL = "cancel"
    ABANDON = "abandon"


PHASE: Mapping[Act, int] = {Act.RESERVE: 1, Act.START: 2, Act.CANCEL: 2, Act.COMMIT: 3, Act.ABANDON: 3}
"""A key has one entry of each phase at most, so a started grant cannot be cancelled, nor a finished one change."""
LEADS: Mapping[Act, tuple[State | None, State]] = {
    Act.RESERVE: (None, State.RESERVED),
    Act.START: (State.RESERVED, State.STARTED),
    Act.CANCEL: (State.RESERVED, State.CANCELLED),
    Act.COMMIT: (State.STARTED, State.COMMITTED),
    Act.ABANDON: (State.STARTED, State.ABANDONED),
}
"""From where to where a step leads."""
PAST: Mapping[Act, frozenset[State]] = {
    Act.RESERVE: frozenset(State),
    Act.START: frozenset({State.STARTED, State.COMMITTED, State.ABANDONED}),
    Act.CANCEL: frozenset({State.CANCELLED}),
    Act.COMMIT: frozenset({State.COMMITTED}),
    Act.ABANDON: frozenset({State.ABANDONED}),
}
"""States in which a step was taken already: taking it again changes nothing."""


@dataclass(frozen=True, slots=True)
class Balance:
    """A cap and how much of it is taken, in whole units."""

    cap: int
    used: int

    @property
    def left(self) -> int:
        """What is not taken."""
        return self.cap - self.used


@dataclass(frozen=True, slots=True)
class Seen:
    """What the store says of a key and of the scopes it would be charged to, under the store's lock."""

    state: State | None
    what: object
    """What the key stands for; None if nothing yet."""
    balances: tuple[tuple[Balance, ...], ...] = ()
    """For each scope its coordinates."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What to keep: entries in this order, and the debit with this sign."""

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
    """What a client wants done under a key."""

    account: int
    name: str
    chain: int
    key: str
    acts: tuple[Act, ...]
    scopes: tuple[Scope, ...] = ()
    what: Mapping[str, Any] | None = None
    token: str = ""
    said: Mapping[str, Any] = field(default_factory=dict)
    """What is written beside: purpose, who, why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the key stands now, and everything that is known under it."""

    state: State
    documents: Mapping[str, Mapping[str, Any]]
    """By kind of entry."""
    head: Head
    used: Used = field(default_factory=dict)
    """Of each account that was debited: its epoch, and what is used of it now."""
    marked: bool = False
    """Whether it is marked outside the store already."""


class DoesNotFit(Exception):
    """A scope that has too little left; the caller says it in words."""

    def __init__(self, scope: int, place: int) -> None:
        """By number, as they were given."""
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
    """Every coordinate of every scope has room, or nothing is taken from any."""
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
