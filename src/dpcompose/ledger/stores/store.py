"""A store: transactions that are all or nothing, and one at a time for each chain.

Both stores run the same statements. They differ in how a transaction begins and how its end is made durable.
"""

from __future__ import annotations

import os
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import psycopg
from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from dpcompose.ledger.errors import StoreError, Uncertain
from dpcompose.ledger.migrations import NEWEST, PLACE
from dpcompose.ledger.stores.plain import Placed, Plain

T = TypeVar("T")
Seen = Callable[[Sequence[tuple[Plain, Placed]]], Sequence[Placed]]
"""Writes the high-water mark for written steps, and returns those for which it did."""
DRIVERS = (sqlite3.Error, psycopg.Error)
"""Exceptions of the drivers themselves."""
ATTEMPTS = 6
PAUSE = 0.05


class Store(ABC):
    """The place where a book is kept."""

    def __init__(self, shown: str) -> None:
        """`shown` is its name in messages, without a password."""
        self.shown = shown
        self._pid = os.getpid()
        self._engine: Engine | None = None

    @property
    def engine(self) -> Engine:
        """The connections of this process; a forked child gets its own."""
        if self._engine is not None and self._pid != os.getpid():
            self._engine.dispose(close=False)
            self._engine = None
        if self._engine is None:
            self._pid, self._engine = os.getpid(), self._connected()
        return self._engine

    @property
    @abstractmethod
    def address(self) -> str:
        """The address, for a program that reads the store by other means."""

    @abstractmethod
    def _connected(self) -> Engine:
        """An engine whose connections begin transactions as this store needs."""

    @abstractmethod
    def _writing(self, *, durable: bool) -> Iterator[Connection]:
        """One transaction that may write; durable on return or, otherwise, together with the next durable one."""

    @abstractmethod
    def refusal(self, error: BaseException) -> str | None:
        """The sentence for an error after which nothing was written; None if another attempt may succeed."""

    @abstractmethod
    def plain(self, step: Plain, seen: Seen) -> Placed | None:
        """Take a plain step by the store's fast path; None if it is not plain, or was not answered.

        The caller then uses `write`, which finds out whether the step was written after all. A store that takes steps
        of several clients at once calls `seen` with them, and tells which clients need not write the high-water mark
        again.
        """

    def write(self, work: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run work in one transaction, again if the store asks for it or the connection was lost.

        Work first looks whether it was done already. So it can run again after a commit whose reply was lost, and
        charges once.
        """
        committing = contextmanager(self._writing)
        for attempt in range(1, ATTEMPTS + 1):
            began = False
            try:
                with committing(durable=durable) as connection:
                    began = True
                    done = work(connection)
            except (DBAPIError, *DRIVERS) as error:
                self.forget()
                reason = self.refusal(_plain(error))
                if reason is not None:
                    raise StoreError(f"{self.shown} {reason}, so nothing was charged.") from None
                if attempt == ATTEMPTS:
                    raise self._lost(_plain(error), began=began) from None
                time.sleep(PAUSE * attempt)
            else:
                return done
        raise AssertionError  # the last attempt returns or raises

    def _lost(self, error: BaseException, *, began: bool) -> StoreError | Uncertain:
        said = " ".join(str(error).split())[:200]
        if began:
            return Uncertain(f"{self.shown} did not say whether it was kept ({said}): ask again under the same key.")
        return StoreError(f"{self.shown} cannot be reached, so nothing was charged: {said}")

    def read(self, work: Callable[[Connection], T]) -> T:
        """Run work that only reads, on one state of the store; again if the connection was lost."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.engine.connect().execution_options(dpcompose_reads=True) as connection, connection.begin():
                    return work(connection)
            except (DBAPIError, *DRIVERS) as error:
                self.forget()
                reason = self.refusal(_plain(error))
                if attempt == ATTEMPTS or reason is not None:
                    said = reason or f"does not answer: {' '.join(str(_plain(error)).split())[:200]}"
                    raise StoreError(f"{self.shown} cannot be read: it {said}.") from None
                time.sleep(PAUSE * attempt)
        raise AssertionError  # the last attempt returns or raises

    def forget(self) -> None:
        """Close connections that may be broken."""
        if self._engine is not None:
            self._engine.dispose()

    close = forget

    def version(self) -> str | None:
        """The version of the schema in the store; None if there is none."""
        return self.read(_version)

    def migrate(self, wanted: str = NEWEST) -> None:
        """Migrate to the wanted schema, in one transaction; a newer schema is left alone."""
        found = self.version()
        if found == wanted:
            return
        if found is not None and found > NEWEST:
            raise StoreError(
                f"{self.shown} has schema {found}, and this dpcompose knows {NEWEST} at most: use a newer version."
            )
        self.write(lambda connection: _upgrade(connection, wanted))


def _plain(error: BaseException) -> BaseException:
    """The driver's exception, unwrapped from SQLAlchemy's."""
    return (error.orig or error) if isinstance(error, DBAPIError) else error


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(connection: Connection, wanted: str) -> None:
    from alembic import command
    from alembic.config import Config

    if (_version(connection) or "") >= wanted:
        return  # somebody else did it meanwhile
    config = Config()
    config.set_main_option("script_location", str(PLACE).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, wanted)


__all__ = ["DRIVERS", "Seen", "Store"]
