"""The service as a user starts it: `dpcompose serve` in a process of its own, on a free port of this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

COMMAND = (sys.executable, "-c", "from dpcompose.cli import main; main()", "serve")
PATIENCE = 240


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


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
