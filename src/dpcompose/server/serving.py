"""`dpcompose serve`: the service in a process of its own, or in several."""

from __future__ import annotations

import os
import socket
import tempfile
from dataclasses import replace

import uvicorn
from sqlalchemy import Connection

from dpcompose.app.books.clerk import Clerk, own_store
from dpcompose.errors import DPError
from dpcompose.server.access.acts import Acts, RequestedAct, Said
from dpcompose.server.access.people import Principal, Role
from dpcompose.server.access.tokens import Made, Tokens
from dpcompose.server.observing import SHARED
from dpcompose.server.patience import Patient
from dpcompose.server.settings import VARIABLE, Settings

FACTORY = "dpcompose.server.application:create"
MOST_CONNECTIONS = 1000
FIRST_DAYS = 365


def opened(store: str, *, another: bool) -> str | None:
    """Make the books, the tables of the service and the first owner's token, where they do not exist; returns the
    token.
    """
    with Clerk(store).book as book:
        tokens = Tokens(book.desk.store)
        tokens.prepare()
        acts = Acts(book.desk.store)
        if not another and any(row.role == Role.OWNER for row in tokens.every()):
            return None
        who = Principal("serve", "operator", Role.OWNER, None, "")
        found: list[Made] = []

        def make(connection: Connection) -> Said:
            found.append(tokens.made(connection, "owner", Role.OWNER, None, FIRST_DAYS))
            return Said(201, {"id": found[-1].id})

        acts.once(RequestedAct(who, "create token", "owner"), make)
        return found[-1].text


def serve(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve until the process is ended."""
    os.environ[VARIABLE] = replace(settings, parent=os.getpid() if workers > 1 else 0).kept()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums add up in one order, and a process is one thread
    with tempfile.TemporaryDirectory(prefix="dpcompose-") as folder:
        if workers > 1:
            os.environ[SHARED] = folder
        uvicorn.run(
            FACTORY,
            factory=True,
            host=host,
            port=port,
            workers=workers,
            http=Patient,
            ws="none",
            log_level="warning",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=True,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=10,
        )


def free(host: str, port: int) -> None:
    """Raise if an address cannot be listened on, before anything is started."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        said = f"{host}:{port} cannot be listened on: {error.strerror or error}; choose another with --host and --port."
        raise DPError(said) from None


def default_store() -> str:
    """The address of the user's own book: a file."""
    return own_store("service.db")


__all__ = ["default_store", "free", "opened", "serve"]
