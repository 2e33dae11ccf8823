"""The inside of a computing process: it takes one task after the other, and may be killed at any time.

A task is a name and a document, and its result is a document. An exception in a task travels back as a `Problem`; what
only the operating system can stop (time, memory) kills the process, and the service starts another.
"""

from __future__ import annotations

import os
import resource
import signal
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from dpcompose.errors import DPError
from dpcompose.server.problems import Problem, ProblemKind, problem

Task = Callable[[Mapping[str, Any], Callable[[], None]], Any]
"""A function of a document and of a callback, which it calls before it writes, to be given time to finish."""
ROOM = 1 << 30
"""Bytes of memory that a task may take on top of what the process has."""
NICE = 5
TIRED = 700 << 20
"""A process that holds this many bytes of memory ends after its task."""
READY, WRITES, DONE, FAILED = "ready", "writes", "done", "failed"


def inside(connection: Connection, tasks: Mapping[str, Task]) -> None:
    """Do tasks until the other end of the connection is closed."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # a terminal interrupts every process; the service decides when this one ends
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(NICE)
    _confined()
    with suppress(EOFError, OSError):
        connection.send((READY, None))
        while True:
            name, document = connection.recv()
            connection.send(_done(connection, tasks[name], document))
            if _pages(1) * resource.getpagesize() > TIRED:
                return


def _done(connection: Connection, task: Task, document: Mapping[str, Any]) -> tuple[str, Any]:
    try:
        return DONE, task(document, lambda: connection.send((WRITES, None)))
    except Problem as refused:
        return FAILED, refused
    except DPError as refused:
        return FAILED, problem(refused)
    except (MemoryError, RecursionError):
        return FAILED, Problem(ProblemKind.TOO_EXPENSIVE, "This takes more memory than one request is given.")
    except Exception:  # noqa: BLE001 - a defect is told to the log, and never to the client
        trace = traceback.format_exc(limit=-8)
        return FAILED, Problem(ProblemKind.DEFECT, "This is a defect of dpcompose; the log says more.", trace=trace)


def _confined() -> None:
    """Limit this process: memory, size of files, no core dumps."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (_pages(0) * resource.getpagesize() + ROOM,) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _pages(which: int) -> int:
    """The memory pages that this process now asks for (0) or holds (1); peak values would count the parent's too."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[which])
    return 0


__all__ = ["DONE", "FAILED", "READY", "WRITES", "Task", "inside"]
