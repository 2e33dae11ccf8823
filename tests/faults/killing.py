"""Writers that are killed: a forked process spends, and dies at a chosen statement or at a random moment.

Whatever the writer was told is written into a pipe at once. After its death the book is held against the pipe.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import event

import dpcompose as dpc
from dpcompose import ledger
from dpcompose.ledger.mark import Mark
from dpcompose.ledger.stores import batch, door, hot, remote

STEP = dpc.BlackBox(epsilon=0.001)
CAP = 1
DONE = hot.done
SPENDS = 4
"""A killed writer would have made so many."""
COMPANY = 3
"""So many others spend beside every second one that is killed: it dies with their steps in its hands."""


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Failpoint:
    """Kills the process that passes it for the n-th time."""

    def __init__(self, at: int) -> None:
        self.left = at

    def passed(self, *_: Any, **__: Any) -> None:
        if self.left == 0:
            die()
        self.left -= 1

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **named: Any) -> Any:
            self.passed()
            found = function(*arguments, **named)
            self.passed()
            return found

        return wrapped

    def one_by_one(self, connection: Any, acts: Any) -> list[int]:
        """Every statement of a batch by itself, so that one can die between them."""
        return [self.around(DONE)(connection, [act])[0] for act in acts]

    def install(self, book: ledger.Book) -> None:
        """Before and after every statement, every commit, every line at the door and every mark outside the store."""
        engine = book.desk.store.engine
        for module, name in ((batch, "run"), (batch, "run_many"), (remote, "run"), (door, "_put")):
            setattr(module, name, self.around(getattr(module, name)))
        hot.executed, hot.done = self.around(hot.executed), self.around(self.one_by_one)
        event.listen(engine, "before_cursor_execute", self.passed)
        event.listen(engine, "after_cursor_execute", self.passed)
        engine.dialect.do_commit = self.around(engine.dialect.do_commit)  # type: ignore[method-assign]
        Mark._write = self.around(Mark._write)  # type: ignore[method-assign]


def writer(url: str, state: Path, name: str, pipe: int, failpoint: int | None) -> None:
    """Spend, and say what one was told."""
    with ledger.open(url, state=state) as book:
        account = book.account("x")
        if failpoint is not None:
            Failpoint(failpoint).install(book)
        for i in range(SPENDS):
            key = f"{name}-{i}"
            os.write(pipe, f"asked {key}\n".encode())
            grant = account.spend(STEP, key=key)
            os.write(pipe, f"granted {key}\n".encode())
            grant.commit()
            os.write(pipe, f"committed {key}\n".encode())


def forked(work: Callable[[int], None]) -> tuple[int, int]:
    """A child that runs work and leaves; its process, and the reading end of its pipe."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        code = 1
        try:
            work(writing)
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    return child, reading


def killed(
    url: str, state: Path, name: str, *, failpoint: int | None = None, after: float | None = None, company: int = 0
) -> tuple[list[str], list[list[str]]]:
    """One writer that dies, or finishes before, and others that go on; what it was told, and what they were."""
    child, pipe = forked(lambda writing: writer(url, state, name, writing, failpoint))
    others = [
        forked(lambda writing, i=i: writer(url, state, f"{name}-beside-{i}", writing, None)) for i in range(company)
    ]
    if after is not None:
        time.sleep(after)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    told = []
    for process, reading in [(child, pipe), *others]:
        with os.fdopen(reading) as lines:
            told.append(lines.read().splitlines())
        os.waitpid(process, 0)
    return told[0], told[1:]


class Tally:
    """What must be zero, counted over all rounds."""

    def __init__(self) -> None:
        self.rounds = self.deaths = self.lost = self.double = self.overspent = self.broken = self.stuck = 0

    def hold(self, book: ledger.Book, dead: list[list[str]], beside: Sequence[list[str]] = ()) -> None:
        """The book against what writers were told, then every key asked once more."""
        told = [*dead, *beside]
        self.rounds += len(dead)
        self.deaths += sum(_finished(lines) < SPENDS for lines in dead)
        self.stuck += sum(_finished(lines) < SPENDS for lines in beside)
        account = book.account("x")
        kinds: dict[str, list[str]] = {}
        for entry in account.history():
            kinds.setdefault(entry.key, []).append(entry.kind)
        for lines in told:
            for line in lines:
                word, key = line.split()
                wanted = {"asked": (), "granted": ("reserve", "start"), "committed": ("reserve", "start", "commit")}[
                    word
                ]
                self.lost += not set(wanted) <= set(kinds.get(key, ()))
        self.double += sum(steps.count("reserve") > 1 for steps in kinds.values())
        charged = sum(steps[-1] != "cancel" for steps in kinds.values())
        cost = account.quote(STEP).cost["epsilon"]
        self.double += account.used["epsilon"] != charged * cost
        self.overspent += account.used["epsilon"] > CAP
        for key in {line.split()[1] for lines in told for line in lines if line.startswith("asked")}:
            account.spend(STEP, key=key)  # a client that comes back with its key
            charged += key not in kinds
        self.double += account.used["epsilon"] != charged * cost
        self.broken += not book.verify().holds

    @property
    def faults(self) -> int:
        return self.lost + self.double + self.overspent + self.broken + self.stuck

    def __str__(self) -> str:
        return (
            f"{self.rounds} rounds, {self.deaths} writers killed while spending: {self.overspent} overspent, "
            f"{self.lost} entries lost that were acknowledged, {self.double} double charges, "
            f"{self.broken} books that do not verify, {self.stuck} others that did not finish"
        )


def _finished(lines: list[str]) -> int:
    return len([line for line in lines if line.startswith("committed")])


def campaign(
    fresh: Callable[[], str], state: Path, rounds: int, seed: int, *, points: int = 200, together: int = 25
) -> Tally:
    """Kill at every failpoint in turn and, as often, at random moments; `together` rounds share a book."""
    chance, tally = random.Random(seed), Tally()  # noqa: S311 - moments, no secrets
    done = 0
    while done < rounds:
        url = fresh()
        with ledger.open(url, state=state) as book:
            book.create("x", epsilon=CAP, unit="person", filter="basic")
        dead, beside = [], []
        for i in range(done, min(done + together, rounds)):
            moment = {"after": chance.uniform(0.01, 0.15)} if i % 2 else {"failpoint": (i // 2) % points}
            told, others = killed(url, state, f"r{i}", **moment, company=COMPANY if i // 2 % 2 else 0)
            dead.append(told)
            beside += others
        done += len(dead)
        with ledger.open(url, state=state) as book:
            tally.hold(book, dead, beside)
    return tally
