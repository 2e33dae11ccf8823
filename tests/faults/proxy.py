"""A wire between a client and PostgreSQL that breaks where a transaction ends: before that arrives, or its reply."""

from __future__ import annotations

import selectors
import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from dpcompose.ledger.stores.plain import BEFORE
from postgres_server import Server

SOCKET = ".s.PGSQL.5432"
ENDS = (b"COMMIT", BEFORE.encode())
"""What the message holds that ends a transaction: the word, or a plain step, which is a transaction by itself."""


class Proxy:
    """Passes everything on, until it is told to break."""

    def __init__(self, server: Server, *, forwarded: bool) -> None:
        self.server, self.forwarded = server, forwarded
        self.folder = Path(tempfile.mkdtemp(prefix="dpc-wire-"))
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.folder / SOCKET))
        self.listener.listen()
        self.armed, self.broken = False, 0
        threading.Thread(target=self._accept, daemon=True).start()

    def through(self, url: str) -> str:
        return url.replace(str(self.server.folder), str(self.folder))

    def break_next_commit(self) -> None:
        self.armed = True

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, suppress(OSError):
            server.connect(str(self.server.folder / SOCKET))
            pair = {client: server, server: client}
            with selectors.DefaultSelector() as ready:
                for end in pair:
                    ready.register(end, selectors.EVENT_READ)
                while True:
                    for key, _ in ready.select():
                        data = key.fileobj.recv(65536)
                        if not data:
                            return
                        if key.fileobj is client and self.armed and any(end in data for end in ENDS):
                            self.armed = False
                            self.broken += 1
                            if self.forwarded:
                                server.sendall(data)
                                server.recv(65536)  # the server has done it, and nobody is told
                            return
                        pair[key.fileobj].sendall(data)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)
