"""A pool of computing processes: a queue, a share for every client, and a deadline for every task."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from dpcompose.server.computing.process import DONE, FAILED, WRITES
from dpcompose.server.problems import Problem, ProblemKind

CONTEXT = multiprocessing.get_context("forkserver")
MOST_WAITING = 256
TO_WRITE = 60.0
"""Seconds for a task that has begun to write: the store may be busy, and a killed write leaves its outcome unknown."""
TO_START = 120.0
LEAST_PROCESSES = 4
WARM = ["dpcompose.server.computing.warm", "dpcompose.server.books.work"]
"""Modules imported before any process is forked."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A task: who asks, what is to be done, and how many seconds it may take, waiting included."""

    client: str
    task: str
    document: Mapping[str, Any]
    seconds: float


class Worker:
    """One process, seen from outside."""

    def __init__(self, entry: Callable[[Connection], None]) -> None:
        """Start the process and wait until it is ready, so that no task pays for the start."""
        self.connection, theirs = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=entry, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        with contextlib.suppress(EOFError, OSError):
            if self.connection.poll(TO_START):
                self.connection.recv()

    def do(self, ticket: Ticket, until: float) -> Any:
        """Give a task to the process and wait for the result; kill the process at the deadline."""
        writing = False
        try:
            self.connection.send((ticket.task, dict(ticket.document)))
            while True:
                if not self.connection.poll(max(0.0, until - time.monotonic())):
                    raise _ended(ticket, writing=writing)
                said, found = self.connection.recv()
                if said == WRITES:
                    writing, until = True, time.monotonic() + TO_WRITE
                elif said == FAILED:
                    raise found
                elif said == DONE:
                    return found
        except (EOFError, OSError):
            raise _died(writing=writing) from None

    def end(self) -> None:
        """Kill the process at once."""
        self.process.kill()
        self.process.join()
        self.process.close()
        self.connection.close()

    @property
    def alive(self) -> bool:
        """Whether the process can take another task."""
        return self.process.is_alive() and not self.connection.closed


class Pool:
    """Several processes that can all do the same tasks."""

    def __init__(self, entry: Callable[[Connection], None], processes: int = 0) -> None:
        """`entry` is the main function of each process; 0 processes means a number chosen for this machine."""
        self.size = processes or max(LEAST_PROCESSES, os.cpu_count() or 1)
        self.share = max(1, self.size // 2)
        """Processes that one client may keep busy; the others stay for everybody else."""
        self._entry = entry
        self._threads = ThreadPoolExecutor(self.size, thread_name_prefix="dpcompose")
        self._free: asyncio.Queue[Worker] = asyncio.Queue()
        self._busy: Counter[str] = Counter()
        self._turn = asyncio.Condition()
        self._workers: set[Worker] = set()
        self._returning: set[asyncio.Task[None]] = set()
        self.waiting = 0
        CONTEXT.set_forkserver_preload(WARM)

    async def start(self) -> None:
        """Start all processes."""
        loop = asyncio.get_running_loop()
        for worker in await asyncio.gather(
            *(loop.run_in_executor(self._threads, self._made) for _ in range(self.size))
        ):
            self._free.put_nowait(worker)

    def _made(self) -> Worker:
        worker = Worker(self._entry)
        self._workers.add(worker)
        return worker

    async def do(self, ticket: Ticket) -> Any:
        """The result of a task, or a refusal, within its time."""
        if self.waiting >= MOST_WAITING:
            raise _busy()
        until = time.monotonic() + ticket.seconds
        self.waiting += 1
        try:
            worker = await asyncio.wait_for(self._worker(ticket.client), ticket.seconds)
        except TimeoutError:
            raise _busy() from None
        finally:
            self.waiting -= 1
        return await asyncio.shield(self._run(worker, ticket, until))

    async def _worker(self, client: str) -> Worker:
        """A free process, as soon as the client has less than its share of them."""
        async with self._turn:
            await self._turn.wait_for(lambda: self._busy[client] < self.share)
            self._busy[client] += 1
        try:
            return await self._free.get()
        except BaseException:
            await self._leave(client)
            raise

    async def _leave(self, client: str) -> None:
        async with self._turn:
            self._busy[client] -= 1
            if not self._busy[client]:
                del self._busy[client]
            self._turn.notify_all()

    async def _run(self, worker: Worker, ticket: Ticket, until: float) -> Any:
        """Run a task to its end, even if the client has left: only then is the process free again."""
        loop = asyncio.get_running_loop()
        well = False
        try:
            found = await loop.run_in_executor(self._threads, worker.do, ticket, until)
            well = True
        except Problem as refused:
            well = refused.kind not in {ProblemKind.TOO_EXPENSIVE, ProblemKind.UNCERTAIN}
            raise
        else:
            return found
        finally:
            back = asyncio.create_task(self._back(worker, ticket.client, well=well))
            self._returning.add(back)  # nobody waits for the result any more
            back.add_done_callback(self._returning.discard)

    async def _back(self, worker: Worker, client: str, *, well: bool) -> None:
        """Return a process to the pool, or another in place of one that was killed."""
        if not (well and worker.alive):
            worker = await asyncio.get_running_loop().run_in_executor(self._threads, self._replaced, worker)
        self._free.put_nowait(worker)
        await self._leave(client)

    def _replaced(self, worker: Worker) -> Worker:
        self._workers.discard(worker)
        worker.end()
        return self._made()

    async def stop(self) -> None:
        """Kill all processes; no unfinished task was promised to anybody."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._workers):
            with contextlib.suppress(ValueError, OSError):
                worker.end()


def _ended(ticket: Ticket, *, writing: bool) -> Problem:
    if writing:
        return Problem(
            ProblemKind.UNCERTAIN,
            "The books did not answer in time: ask again under the same keys, which charges at most once.",
        )
    return Problem(
        ProblemKind.TOO_EXPENSIVE,
        f"This takes more than the {ticket.seconds:g} seconds that one request is given: ask for fewer places, a wider "
        "tolerance or a simpler plan, or ask the command line, which has no such limit. Nothing was charged.",
    )


def _died(*, writing: bool) -> Problem:
    if writing:
        return Problem(ProblemKind.UNCERTAIN, "The process that wrote ended early: ask again under the same keys.")
    return Problem(ProblemKind.TOO_EXPENSIVE, "This takes more memory than one request is given. Nothing was charged.")


def _busy() -> Problem:
    said = "Others are being answered: ask again in a moment. Nothing was charged."
    return Problem(ProblemKind.BUSY, said, headers={"Retry-After": "1"})


__all__ = ["Pool", "Ticket", "Worker"]
