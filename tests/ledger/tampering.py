"""An operator with every right: rows changed behind the back of the book, its triggers switched off."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg


@contextmanager
def behind_its_back(url: str) -> Iterator[Any]:
    """A connection on which nothing is forbidden."""
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        yield connection
        for _, statement in triggers:
            connection.execute(statement)
        connection.close()
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            connection.execute("ALTER TABLE balance DROP CONSTRAINT IF EXISTS within_the_cap")
            yield connection


def copied(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """A backup: every row of every table."""
    tables = ("book", "account", "epoch", "balance", "head", "entry", "checkpoint")
    with behind_its_back(url) as connection:
        return {
            table: [tuple(row) for row in connection.execute(f"SELECT * FROM {table}").fetchall()] for table in tables
        }


def restored(url: str, backup: dict[str, list[tuple[Any, ...]]]) -> None:
    """The backup put back, as if nothing had happened since."""
    mark = "?" if url.startswith("sqlite") else "%s"
    with behind_its_back(url) as connection:
        for table in reversed(backup):
            connection.execute(f"DELETE FROM {table}")
        for table, rows in backup.items():
            for row in rows:
                connection.execute(f"INSERT INTO {table} VALUES ({', '.join([mark] * len(row))})", row)
