"""SQLite: one file, one writer at a time, and no server."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, PoolProxiedConnection, create_engine, event
from sqlalchemy.exc import DBAPIError

from dpcompose.ledger.errors import StoreError
from dpcompose.ledger.stores import batch
from dpcompose.ledger.stores.door import Door
from dpcompose.ledger.stores.plain import Placed, Plain
from dpcompose.ledger.stores.store import DRIVERS, Seen, Store

PATIENCE = 120.0
"""Seconds that a writer waits for the others."""
LEAST = (3, 35)
"""The first version of SQLite with every statement that is used here, such as RETURNING."""
NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "9p", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs"}
"""File systems on which SQLite's locks and shared memory are unreliable."""
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
        """The file is made when something is first written."""
        super().__init__(repr(str(path)))
        if sqlite3.sqlite_version_info < LEAST:
            raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old: a book needs 3.35 or later.")
        self.path = path.absolute()
        if not self.path.parent.is_dir():
            raise StoreError(f"{self.shown} cannot be made: there is no such folder.")
        kind = _file_system(self.path.parent)
        if kind in NETWORK:
            raise StoreError(f"{self.shown} lies on a network file system ({kind}): use a local disk, or PostgreSQL.")
        self.door = Door(self.path)
        self._turn = threading.Lock()
        self._kept: tuple[Engine, PoolProxiedConnection] | None = None
        self._parents: tuple[Engine, PoolProxiedConnection] | None = None

    @property
    def address(self) -> str:
        """The absolute path of the file."""
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
        with self.engine.connect() as connection, self._entered():
            _synchronous(connection.connection, durable=durable)
            with connection.begin():
                yield connection

    @contextmanager
    def _entered(self) -> Iterator[None]:
        """Wait at the door, since SQLite's own way of waiting sleeps even while nobody writes.

        A writer that does not use the door is still kept out by `BEGIN IMMEDIATE`.
        """
        try:
            handle = self.door.open()
        except OSError as error:
            raise StoreError(f"{self.shown} cannot be written, so nothing was charged: {error.strerror}.") from None
        with self.door.entered(handle):
            yield

    def plain(self, step: Plain, seen: Seen) -> Placed | None:
        """Take a plain step together with those of other clients; the cause of any failure is found again on the slow
        path.
        """
        try:
            return self.door.pass_through(step, lambda steps: self._served(steps, seen))
        except (DBAPIError, OSError, *DRIVERS):
            self.forget()
            return None

    def _served(self, steps: Sequence[Plain], seen: Seen) -> list[Placed | None]:
        """Take all steps in one transaction, durable if any of them asks for it."""
        with self._inside() as pooled:
            driver = pooled.driver_connection
            _synchronous(pooled, durable=any(step.durable for step in steps))
            batch.run(driver, "BEGIN IMMEDIATE")
            made = batch.Batch(driver)
            placed = [made.place(step) for step in steps]
            made.write()
            batch.run(driver, "COMMIT")
        kept = [(step, where) for step, where in zip(steps, placed, strict=True) if where is not None]
        marked = iter(seen(kept))
        return [None if where is None else next(marked) for where in placed]

    @contextmanager
    def _inside(self) -> Iterator[PoolProxiedConnection]:
        """The connection of the writer inside the door; kept until an error occurs on it."""
        engine = self.engine
        with self._turn:
            if self._kept is not None and self._kept[0] is not engine:
                self._parents, self._kept = self._kept, None  # a child neither uses nor closes its parent's
            if self._kept is None:
                self._kept = engine, engine.raw_connection()
            pooled = self._kept[1]
            try:
                yield pooled
            except BaseException:
                self._kept = None
                pooled.close()  # which rolls back what was not committed
                raise

    def forget(self) -> None:
        """Close connections; the writer's own as soon as nobody is inside with it."""
        if self._pid == os.getpid():
            with self._turn:
                if self._kept is not None:
                    self._kept[1].close()
                self._kept = None
        super().forget()

    close = forget

    def refusal(self, error: BaseException) -> str | None:
        """The sentence for an error; SQLite fails before it has written anything."""
        said = str(error)
        found = next((reason for sign, reason in REFUSALS.items() if sign in said), None)
        return found or f"refuses: {' '.join(said.split())[:200]}"


def _synchronous(pooled: PoolProxiedConnection, *, durable: bool) -> None:
    """Set what a COMMIT waits for, on this connection."""
    wanted = "FULL" if durable else "NORMAL"
    if pooled.info.get("synchronous") != wanted:
        pooled.info["synchronous"] = None
        batch.run(pooled.driver_connection, f"PRAGMA synchronous={wanted}")
        pooled.info["synchronous"] = wanted


def _prepared(connection: Any, _record: object) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "trusted_schema=OFF"):
        connection.execute(f"PRAGMA {pragma}")


def _begun(connection: Connection) -> None:
    reads = connection.get_execution_options().get("dpcompose_reads")
    connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")


def _file_system(folder: Path) -> str:
    """The type of the file system that holds a folder, where the machine tells."""
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
