"""PostgreSQL: books on a server, for many machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from psycopg.errors import CheckViolation, UniqueViolation
from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, create_engine, event
from sqlalchemy.exc import DBAPIError

from dpcompose.ledger.stores import remote
from dpcompose.ledger.stores.plain import Placed, Plain
from dpcompose.ledger.stores.store import DRIVERS, Seen, Store

T = TypeVar("T")
AGAIN = {"40001", "40P01", "57P01", "57P02", "57P03", "55P03"}
"""SQLSTATE codes after which to try again: serialisation, deadlock, a server that goes down or comes up."""
FULL = {"53100", "53200"}
REFUSALS = {"3D000": "does not exist", "28P01": "does not accept the password", "28000": "does not let this user in"}


class PostgreSQL(Store):
    """A book on a server: READ COMMITTED, and every transaction first locks the head of its chain.

    Reads after the lock see what the last holder of the lock wrote. Each debit is guarded in its own statement all the
    same, and by the table's CHECK as well.
    """

    def __init__(self, url: URL) -> None:
        """The database must exist; its tables are made."""
        super().__init__(repr(url.render_as_string(hide_password=True)))
        self.url = url.set(drivername="postgresql+psycopg")
        self._idle: list[PoolProxiedConnection] = []
        self._parents = self._idle
        self._owner: Engine | None = None

    @property
    def address(self) -> str:
        """The server's URL, with the password if one was given."""
        return self.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def _connected(self) -> Engine:
        engine = create_engine(self.url, isolation_level="READ COMMITTED", pool_size=16, max_overflow=-1)
        event.listen(engine, "connect", _prepared)
        return engine

    def _writing(self, *, durable: bool) -> Iterator[Connection]:
        self._give_back()
        with self.engine.connect().execution_options(dpcompose_note=not durable) as connection, connection.begin():
            yield connection

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, on an open connection if there is one."""
        self._give_back()
        return super().read(work)

    def plain(self, step: Plain, seen: Seen) -> Placed | None:  # noqa: ARG002 - a server takes steps one by one
        """Take a plain step in one message; the cause of any failure is found again on the slow path."""
        try:
            with self._at_hand() as pooled:
                return remote.place(pooled, step)
        except (CheckViolation, UniqueViolation):
            return None
        except (DBAPIError, *DRIVERS):
            self.forget()
            return None

    @contextmanager
    def _at_hand(self) -> Iterator[PoolProxiedConnection]:
        """An idle connection that took a step before: faster than asking the pool."""
        engine = self.engine
        if self._owner is not engine:
            self._parents, self._idle, self._owner = self._idle, [], engine  # those of a parent are never touched
        pooled = None
        with suppress(IndexError):
            pooled = self._idle.pop()
        pooled = pooled or engine.raw_connection()
        try:
            yield pooled
        except BaseException:
            pooled.close()
            raise
        self._idle.append(pooled)

    def _give_back(self) -> None:
        """Return idle connections to the pool, so that no more are opened than needed."""
        if self._owner is self.engine:
            with suppress(IndexError):
                while True:
                    self._idle.pop().close()

    def forget(self) -> None:
        """Close connections, also the idle ones."""
        self._give_back()
        super().forget()

    close = forget

    def refusal(self, error: BaseException) -> str | None:
        """The sentence for an error after which nothing was written; None where another attempt may succeed."""
        state = getattr(error, "sqlstate", None)
        said = str(error)
        if state in AGAIN:
            return None
        if state in FULL:
            return "has no room left"
        for code, reason in REFUSALS.items():
            if state == code:
                return reason
        if state is None:
            return next((r for sign, r in {"does not exist": "does not exist"}.items() if sign in said), None)
        return f"refuses: {' '.join(said.split())[:200]}"


def _prepared(connection: Any, _record: object) -> None:
    """Set up a connection: durable commits, whatever the server's default, and waits that end."""
    connection.execute("SET synchronous_commit TO on")
    connection.execute("SET lock_timeout TO '120s'")
    connection.commit()


__all__ = ["PostgreSQL"]
