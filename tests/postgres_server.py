"""A PostgreSQL server of its own: started as an unprivileged user in a temporary folder, reached by a socket in it."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

USER = "postgres"
SETTINGS = {
    "listen_addresses": "''",
    "max_connections": "200",
    "shared_buffers": "64MB",
    "fsync": "on",
    "synchronous_commit": "on",
    "autovacuum": "off",
}


def programs() -> Path:
    """Where Debian keeps the server's programs, or where the path leads."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: float(path.parts[4]))
    place = found[-1] if found else shutil.which("postgres")
    assert place, "PostgreSQL is missing: apt-get install postgresql"
    return Path(place).parent


class Server:
    """A running server."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"
        self.schemas = 0
        self.process: subprocess.Popen[bytes] | None = None

    def _as(self) -> dict[str, object]:
        """A server never runs as root."""
        if os.getuid() != 0:
            return {}
        entry = pwd.getpwnam(USER)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def make(self) -> None:
        if os.getuid() == 0:
            shutil.chown(self.folder, USER)
        command = [programs() / "initdb", "-D", self.data, "-U", USER, "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._as())

    def start(self) -> None:
        options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value.strip(chr(39))}")]
        command = [programs() / "postgres", "-D", self.data, "-k", self.folder, *options]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
        self.process = subprocess.Popen(command, **quiet, **self._as())
        until = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.url()).close()
            except psycopg.OperationalError:
                assert time.monotonic() < until, "the server does not come up"
                time.sleep(0.05)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """At once: every process leaves, and nothing is written any more. To the data this is a crash."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
            self.process = None

    def url(self, schema: str = "public") -> str:
        place = quote(str(self.folder))
        return f"postgresql://{USER}@/postgres?host={place}&options=-csearch_path%3D{schema}"

    def database(self) -> str:
        """A place with no tables yet; its address."""
        self.schemas += 1
        name = f"book{self.schemas}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return self.url(name)


@contextmanager
def server() -> Iterator[Server]:
    """A server that ends with the block, and leaves nothing behind."""
    folder = Path(tempfile.mkdtemp(prefix="dpc-pg-"))
    running = Server(folder)
    try:
        running.make()
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(folder, ignore_errors=True)
