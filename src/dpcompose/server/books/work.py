"""The process that keeps the books open and does one task after the other."""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.connection import Connection

from dpcompose.app.books.clerk import Clerk
from dpcompose.errors import DPError
from dpcompose.server.computing.process import inside


def entry(url: str, connection: Connection) -> None:
    """The main function of a process that serves the books at an address."""
    clerk = Clerk(url)
    with suppress(DPError):
        clerk.book  # noqa: B018 - opened before the first task; a store that is not there yet is tried again by each
    inside(connection, clerk.tasks())


__all__ = ["entry"]
