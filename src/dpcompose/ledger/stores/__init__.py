"""The stores of a book: SQLite for one machine, PostgreSQL for many.

Read `store` (what the desk needs of one), `tables` and `statements`; `hot` holds the same statements for the fast path.
`plain` is a step that needs no decision under the lock: with SQLite, `door` and `batch` take such steps of many clients
in one transaction (`bell` wakes who waits); with PostgreSQL, `remote` lets the server take them. `sqlite` and
`postgresql` are the two stores.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from dpcompose.errors import InvalidParameter
from dpcompose.ledger.stores.postgresql import PostgreSQL
from dpcompose.ledger.stores.sqlite import SQLite
from dpcompose.ledger.stores.store import Store

ALLOWED = "sqlite:///budget.db or postgresql://user@host/database"


def store_at(url: str) -> Store:
    """The store at an address."""
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise InvalidParameter("store", url, ALLOWED) from None
    kind = parsed.drivername.partition("+")[0]
    if kind == "sqlite" and parsed.database not in (None, "", ":memory:") and not parsed.host:
        return SQLite(Path(str(parsed.database)))
    if kind in {"postgresql", "postgres"}:
        return PostgreSQL(parsed)
    raise InvalidParameter("store", parsed.render_as_string(hide_password=True), ALLOWED)


__all__ = ["Store", "store_at"]
