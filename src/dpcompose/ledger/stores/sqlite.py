"""SQLite: one file, one writer at a time, and no server."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event

from dpcompose.ledger.errors import StoreError
from dpcompose.ledger.stores.store import Store

try:
    import fcntl
except ImportError:  # not on Windows, where writers queue at SQLite's own lock
    fcntl = None  # type: ignore[assignment]

PATIENCE = 120.0
"""Seconds that a writer waits for the others."""
LEAST = (3, 35)
"""The first version with RETURNING, and with every kind of UPDATE that is used here."""
NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs"}
"""File systems on which SQLite's locks and its shared memory are no promise."""
REFUSALS = {
    "disk is full": "has no room left on its disk",
    "disk I/O error": "cannot be written: the disk reports an error",
    "readonly": "may not be written",
    "unable to open": "cannot be opened",
    "malformed": "is damaged",
    "not a database": "is no SQLite database",
    "is locked": f"is in use by another program for more than {PATIENCE:g} seconds",
}


class SQLite(Store):
    """A book in a file: WAL, `synchronous=FULL`, `BEGIN IMMEDIATE`."""

    def __init__(self, path: Path) -> None:
        """The file is made when something is first kept in it."""
        super().__init__(repr(str(path)))
        if sqlite3.sqlite_version_info < LEAST:
            raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: a book needs 3.35 or later.")
        self.path = path.absolute()
        if not self.path.parent.is_dir():
            raise StoreError(f"{self.shown} cannot be made: there is no such folder.")
        kind = _file_system(self.path.parent)
        if kind in NETWORK:
            raise StoreError(f"{self.shown} lies on a network file system ({kind}): use a local disk, or PostgreSQL.")
        self._turn = threading.Lock()

    @property
    def address(self) -> str:
        """The file, by its whole name."""
        return f"sqlite:///{self.path}"

    def _connected(self) -> Engine:
        self._turn = threading.Lock()
        engine = create_engine(
            URL.create("sqlite", database=str(self.path)),
            connect_args={"timeout": PATIENCE, "isolation_level": None, "check_same_thread": False},
            pool_size=16,
            max_overflow=-1,
        )
        event.listen(engine, "connect", _prepared)
        event.listen(engine, "begin", _begun)
        return engine

    def _writing(self, *, durable: bool) -> Iterator[Connection]:
        with self.engine.connect() as connection, self._turn, self._door():
            connection.connection.driver_connection.execute(  # type: ignore[union-attr]  # it is connected
                f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}"
            )
            with connection.begin():
                yield connection

    @contextmanager
    def _door(self) -> Iterator[None]:
        """Wait in the order of coming: SQLite's own waiting sleeps, also while nobody writes.

        Whoever does not queue here is still kept out by `BEGIN IMMEDIATE`. A killed process leaves no lock behind.
        """
        if fcntl is None:
            yield
            return
        try:
            handle = os.open(f"{self.path}-door", os.O_CREAT | os.O_RDWR, 0o666)
        except OSError as error:
            raise StoreError(f"{self.shown} cannot be written, so nothing was charged: {error.strerror}.") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def refusal(self, error: BaseException) -> str | None:
        """SQLite says at once what is wrong, and has then written nothing."""
        said = str(error)
        found = next((reason for sign, reason in REFUSALS.items() if sign in said), None)
        return found or f"refuses: {' '.join(said.split())[:200]}"


def _prepared(connection: Any, _record: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "trusted_schema=OFF"):
        connection.execute(f"PRAGMA {pragma}")


def _begun(connection: Connection) -> None:
    reads = connection.get_execution_options().get("dpcompose_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _file_system(folder: Path) -> str:
    """The type of the file system under a folder, where the machine tells."""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    mounts = {}
    for line in lines:
        before, _, after = line.partition(" - ")
        mounts[before.split()[4].replace("\\040", " ")] = after.split()[0]
    return next((mounts[str(place)] for place in (folder, *folder.parents) if str(place) in mounts), "")


__all__ = ["SQLite"]
