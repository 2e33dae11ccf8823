"""The tables of a book as plain rows, read with the database's own driver."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

import psycopg

from dpcompose.errors import DPError

SQLITE = "sqlite:///"
AT_ONCE = 5000


class LogRow(NamedTuple):
    """One row of the log."""

    chain: int
    height: int
    account: int | None
    key: str | None
    phase: int | None
    kind: str
    body: str
    hash: str


class Tables:
    """All tables of a book, in one state."""

    def __init__(self, connection: Any) -> None:
        """Read through a connection whose transaction sees one state."""
        self.connection = connection

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(self.connection.cursor()) as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def count(self) -> int:
        """The number of entries."""
        return int(self._rows("SELECT count(*) FROM entry")[0][0])

    def store(self) -> str:
        """The identity of the book."""
        found = self._rows("SELECT store FROM book")
        return str(found[0][0]) if found else ""

    def entries(self) -> Iterator[LogRow]:
        """All entries, chain by chain."""
        query = "SELECT chain, height, account, key, phase, kind, body, hash FROM entry ORDER BY chain, height"
        with closing(self._streaming()) as cursor:
            cursor.execute(query)
            while rows := cursor.fetchmany(AT_ONCE):
                yield from map(LogRow._make, rows)

    def _streaming(self) -> Any:
        return self.connection.cursor()

    def accounts(self) -> dict[int, tuple[Any, ...]]:
        """By number: name, parent, chain and terms."""
        return {row[0]: row[1:] for row in self._rows("SELECT id, name, parent, chain, terms FROM account")}

    def epochs(self) -> dict[int, tuple[Any, ...]]:
        """By number: account, number and rule."""
        return {row[0]: row[1:] for row in self._rows("SELECT id, account, number, rule FROM epoch")}

    def balances(self) -> dict[tuple[int, int], tuple[int, int]]:
        """By epoch and place: cap and use."""
        return {(e, p): (cap, used) for e, p, cap, used in self._rows("SELECT epoch, place, cap, used FROM balance")}

    def heads(self) -> dict[int, tuple[int, str]]:
        """By chain: height and hash."""
        return {chain: (height, mark) for chain, height, mark in self._rows("SELECT chain, height, hash FROM head")}

    def checkpoints(self) -> list[tuple[int, int, str, str, str]]:
        """All signed heads."""
        rows = self._rows("SELECT chain, height, key, body, signature FROM checkpoint")
        return [(chain, height, key, body, signature) for chain, height, key, body, signature in rows]


class Streaming(Tables):
    """Tables whose rows stay on the server until they are read."""

    def _streaming(self) -> Any:
        return self.connection.cursor(name="replay")


@contextmanager
def opened(address: str) -> Iterator[Tables]:
    """The tables at an address, read-only."""
    try:
        if address.startswith(SQLITE):
            place = quote(address.removeprefix(SQLITE))
            connection = sqlite3.connect(f"file:{place}?mode=ro", uri=True, isolation_level=None)
            try:
                connection.execute("BEGIN")
                yield Tables(connection)
            finally:
                connection.close()
        else:
            with psycopg.connect(address) as server:
                server.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                yield Streaming(server)
    except (sqlite3.Error, psycopg.Error) as error:
        raise DPError(f"The store cannot be read: {' '.join(str(error).split())[:200]}") from None


__all__ = ["LogRow", "Tables", "opened"]
