"""Administrative acts: each is recorded before it is done, and done once however often it is requested.

The Idempotency-Key of a request is stored with the act. The same key with the same request gets the first answer again;
with another request it is refused. An act that was begun and never ended (the machine stopped in between) is done again
if that is harmless, and is otherwise reported as unfinished.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from dpcompose.ledger.clocks import Clock, now, utc
from dpcompose.ledger.stores import Store
from dpcompose.server.access.people import Principal
from dpcompose.server.access.tables import ACT
from dpcompose.server.problems import Problem, ProblemKind

BEGUN, DONE, REFUSED = "begun", "done", "refused"


@dataclass(frozen=True, slots=True)
class RequestedAct:
    """An act that is requested, with what identifies a repetition of the request."""

    who: Principal
    what: str
    subject: str
    key: str | None = None
    asked: str = ""
    """A hash of the request."""
    harmless: bool = False
    """Whether doing it a second time would change nothing more."""


@dataclass(frozen=True, slots=True)
class Said:
    """An answer that was sent."""

    status: int
    document: Mapping[str, Any]


class Acts:
    """The record of acts, in the store of the books."""

    def __init__(self, store: Store, clock: Clock = now) -> None:
        """The tables must exist."""
        self.store, self.clock = store, clock

    def begin(self, act: RequestedAct) -> int | Said:
        """Record that an act begins, and return its number; or return the answer that the same request got before."""
        return self.store.write(lambda connection: self._begun(connection, act))

    def _begun(self, connection: Connection, act: RequestedAct) -> int | Said:
        found = None
        if act.key is not None:
            chosen = select(ACT).where(ACT.c.token == act.who.token, ACT.c.key == act.key)
            found = connection.execute(chosen).one_or_none()
        if found is None:
            return self._written(connection, act, BEGUN)
        if found.asked != act.asked:
            raise Problem(
                ProblemKind.KEY_REUSED, "This Idempotency-Key stands for another request: use a new one for each."
            )
        if found.outcome == DONE:
            return Said(found.status, json.loads(found.said))
        if act.harmless:
            return int(found.id)
        raise Problem(
            ProblemKind.UNKNOWN_OUTCOME,
            "An attempt under this Idempotency-Key is under way, or was cut off: look how things stand, and then ask "
            "under another key if need be.",
        )

    def _written(
        self,
        connection: Connection,
        act: RequestedAct,
        outcome: str,
        status: int | None = None,
        said: str | None = None,
    ) -> int:
        row: dict[str, Any] = {
            "at": utc(self.clock()),
            "token": act.who.token,
            "name": act.who.name,
            "role": str(act.who.role),
        }
        row |= {"act": act.what, "subject": act.subject, "outcome": outcome, "key": act.key, "asked": act.asked}
        done = connection.execute(insert(ACT).returning(ACT.c.id), {**row, "status": status, "said": said})
        return int(done.scalar_one())

    def once(
        self, act: RequestedAct, work: Callable[[Connection], Said], shown: Callable[[Said], Said] = lambda s: s
    ) -> Said:
        """Do an act in one transaction with its record; `shown` is the part of the answer that is stored."""

        def both(connection: Connection) -> Said:
            begun = self._begun(connection, act)
            if isinstance(begun, Said):
                return begun
            said = work(connection)
            self._ended(connection, begun, DONE, shown(said))
            return said

        return self.store.write(both)

    def end(self, number: int, said: Said) -> None:
        """Record that an act was done, and the answer that was sent."""
        self.store.write(lambda connection: self._ended(connection, number, DONE, said))

    def refuse(self, number: int, problem: Problem) -> None:
        """Record that an act was refused, and free its key."""
        said = Said(problem.kind.status, problem.document())
        self.store.write(lambda connection: self._ended(connection, number, REFUSED, said))

    @staticmethod
    def _ended(connection: Connection, number: int, outcome: str, said: Said) -> None:
        kept: dict[str, Any] = {"outcome": outcome, "status": said.status, "said": json.dumps(dict(said.document))}
        if outcome == REFUSED:
            kept["key"] = None
        connection.execute(update(ACT).where(ACT.c.id == number).values(**kept))

    def page(self, before: int | None, most: int, what: str | None = None) -> list[Any]:
        """The latest acts, newest first."""
        chosen = select(ACT).order_by(ACT.c.id.desc()).limit(most)
        if before is not None:
            chosen = chosen.where(ACT.c.id < before)
        if what is not None:
            chosen = chosen.where(ACT.c.act == what)
        return self.store.read(lambda connection: list(connection.execute(chosen)))


__all__ = ["BEGUN", "DONE", "REFUSED", "Acts", "RequestedAct", "Said"]
