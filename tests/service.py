"""The service as a user starts it: `dpcompose serve` in a process of its own, on a free port of this machine."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

import httpx

COMMAND = (sys.executable, "-c", "from dpcompose.cli import main; main()", "serve")
PATIENCE = 240


PORTS = range(20_000, 32_000)
"""Below those that a system usually hands out by itself, to whoever asks for any."""
_KEPT: list[TextIO] = []


def free_port() -> int:
    """A port that nobody listens on now, and that no other test is given while this process lives."""
    for port in PORTS:
        with suppress(OSError), ExitStack() as given_up, socket.socket() as found:
            mark = given_up.enter_context((Path(tempfile.gettempdir()) / f"dpcompose-port-{port}").open("a"))
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(("127.0.0.1", port))
            _KEPT.append(mark)
            given_up.pop_all()
            return port
    raise AssertionError("every port is taken")


class Service:
    """A running service."""

    def __init__(self, folder: Path, *options: str, store: str | None = None, **environment: str) -> None:
        self.folder, self.options, self.port = folder, options, free_port()
        self.store = store or f"sqlite:///{folder}/books.db"
        self.environment = {**os.environ, "DPCOMPOSE_STATE": str(folder / "state"), **environment}
        self.log = folder / "service.log"
        self.said = folder / "service.out"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def owner(self) -> str:
        """The token that the first start printed."""
        lines = self.said.read_text().splitlines()
        return next(line for line in lines if line.startswith("owner token: ")).split()[-1]

    def start(self) -> None:
        command = [*COMMAND, "--port", str(self.port), "--store", self.store, *self.options]
        with self.log.open("ab") as log, self.said.open("ab") as said:
            self.process = subprocess.Popen(
                command, stdout=said, stderr=log, env=self.environment, start_new_session=True
            )
        until = time.monotonic() + PATIENCE
        with httpx.Client(base_url=self.url, timeout=5) as asking:
            while not _is_ready(asking):
                assert self.process.poll() is None, self.log.read_text()[-3000:]
                assert time.monotonic() < until, "the service does not come up"
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it, and everything that it started; SIGKILL is what a crash looks like."""
        if self.process is None:
            return
        if how is signal.SIGKILL:
            os.killpg(self.process.pid, how)
        else:
            self.process.send_signal(how)
        self.process.wait(PATIENCE)
        self.process = None


def _is_ready(asking: httpx.Client) -> bool:
    try:
        return asking.get("/readyz").status_code == 200
    except httpx.TransportError:
        return False


@contextmanager
def service(folder: Path, *options: str, store: str | None = None, **environment: str) -> Iterator[Service]:
    """A service that ends with the block."""
    running = Service(folder, *options, store=store, **environment)
    try:
        running.start()
        yield running
    finally:
        running.stop()
