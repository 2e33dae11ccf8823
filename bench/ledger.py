"""The books, measured: spends a second beside a bare guarded UPDATE plus INSERT, and the time of a replay.

Everything runs on this machine's disk, and every charge is durable before it counts. The bare store is what the
database itself can do at the same durability: one guarded debit and one row of log, in one transaction, by the driver
alone and by SQLAlchemy Core, through which the books go. The floor is what the rows of a spend cost on SQLite if nobody
thinks: its two transactions, by the driver alone, on the book's own tables.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa

import dpcompose as dpc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from postgres_server import server

CLIENTS = 16
SECONDS = 2.0
ROUNDS = 4
"""All are measured in turn, so that what else the machine does meets each; the best round of each counts."""
STEP = dpc.BlackBox(epsilon=Fraction(1, 10**9))
BODY = "x" * 600
"""As long as an entry of ours."""


def durable(connection: sqlite3.Connection) -> None:
    """As a book is kept."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")


def bare_sqlite(path: str) -> Callable[[int], None]:
    """The guarded debit, and the row."""
    connection = sqlite3.connect(path, timeout=120, isolation_level=None)
    durable(connection)

    def spend(i: int) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE bare SET used = used + 1 WHERE id = 1 AND used + 1 <= cap")
        connection.execute("INSERT INTO log (body) VALUES (?)", (f"{i}{BODY}",))
        connection.execute("COMMIT")

    return spend


def bare_postgresql(url: str) -> Callable[[int], None]:
    """The guarded debit, and the row."""
    connection = psycopg.connect(url)

    def spend(i: int) -> None:
        connection.execute("UPDATE bare SET used = used + 1 WHERE id = 1 AND used + 1 <= cap")
        connection.execute("INSERT INTO log (body) VALUES (%s)", (f"{i}{BODY}",))
        connection.commit()

    return spend


def core(url: str) -> Callable[[int], None]:
    """The guarded debit, and the row, by SQLAlchemy Core."""
    local = url.startswith("sqlite")
    engine = sa.create_engine(url, connect_args={"timeout": 120, "isolation_level": None} if local else {})
    if local:
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            sa.event.listen(
                engine, "connect", lambda connection, _, pragma=pragma: connection.execute(f"PRAGMA {pragma}")
            )
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    bare, log = (sa.Table(name, sa.MetaData(), autoload_with=engine) for name in ("bare", "log"))
    debit = sa.update(bare).where(bare.c.id == 1, bare.c.used + 1 <= bare.c.cap).values(used=bare.c.used + 1)

    def spend(i: int) -> None:
        with engine.begin() as connection:
            connection.execute(debit)
            connection.execute(sa.insert(log), {"body": f"{i}{BODY}"})

    return spend


def floor(path: str) -> Callable[[int], None]:
    """The rows of a spend, durably, and that of its commit, with texts as long as ours and no thought."""
    connection = sqlite3.connect(path, timeout=120, isolation_level=None)
    head = "SELECT height FROM head WHERE chain = 1"
    debit = "UPDATE balance SET used = used + 1 WHERE epoch = 1 AND place = 0 AND used + 1 <= cap"
    entry = "INSERT INTO entry VALUES (1, ?, 1, ?, ?, 'note', ?, ?)"
    lengths = {1: 520, 2: 300, 3: 300}

    def keep(synchronous: str, key: str, phases: tuple[int, ...]) -> None:
        connection.execute(f"PRAGMA synchronous={synchronous}")
        connection.execute("BEGIN IMMEDIATE")
        (height,) = connection.execute(head).fetchone()
        if 1 in phases:
            connection.execute(debit)
        for height, phase in enumerate(phases, height + 1):  # noqa: B020 - the last is the new head
            text = BODY[: lengths[phase]]
            connection.execute(entry, (height, key, phase, text, hashlib.sha256(text.encode()).hexdigest()))
        connection.execute("UPDATE head SET height = ? WHERE chain = 1", (height,))
        connection.execute("COMMIT")

    def spend(i: int) -> None:
        keep("FULL", f"{os.getpid()}-{i}", (1, 2))
        keep("NORMAL", f"{os.getpid()}-{i}", (3,))

    return spend


def ours(url: str) -> Callable[[int], None]:
    """The whole protocol: reserved and started durably, then committed."""
    account = dpc.ledger.open(url).account("x")
    return lambda i: account.spend(STEP, key=f"{os.getpid()}-{i}").commit() and None


def client(make: Callable[[str], Callable[[int], None]], address: str, seconds: float, gate: Any, done: Any) -> None:
    """Spend until the time is over."""
    spend = make(address)
    spend(-1)
    gate.wait()
    until, count = time.perf_counter() + seconds, 0
    while time.perf_counter() < until:
        spend(count)
        count += 1
    done.put(count)


def rate(make: Callable[[str], Callable[[int], None]], address: str, seconds: float) -> float:
    """Spends a second of all clients together."""
    context = multiprocessing.get_context("fork")
    gate, done = context.Barrier(CLIENTS), context.Queue()
    clients = [context.Process(target=client, args=(make, address, seconds, gate, done)) for _ in range(CLIENTS)]
    for one in clients:
        one.start()
    total = sum(done.get() for _ in clients)
    for one in clients:
        one.join()
    return total / seconds


Kinds = dict[str, tuple[Callable[[str], Callable[[int], None]], str]]


@contextmanager
def stores() -> Iterator[dict[str, Kinds]]:
    """Both stores, each with a book and a bare table of its own: what is measured there, and where."""
    with tempfile.TemporaryDirectory() as folder, server() as running:
        os.environ["DPCOMPOSE_STATE"] = f"{folder}/state"
        bare, url, files = (
            f"{folder}/bare.db",
            running.database(),
            [f"{folder}/{name}.db" for name in ("book", "floor")],
        )
        with sqlite3.connect(bare, isolation_level=None) as connection, psycopg.connect(url) as made:
            for execute, number in ((connection.execute, "INTEGER"), (made.execute, "BIGSERIAL")):
                execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, used BIGINT, cap BIGINT)")
                execute("INSERT INTO bare VALUES (1, 0, 1000000000)")
                execute(f"CREATE TABLE log (id {number} PRIMARY KEY, body TEXT)")
        server_url = url.replace("postgresql:", "postgresql+psycopg:", 1)
        kinds: dict[str, Kinds] = {
            "SQLite": {
                "spends": (ours, f"sqlite:///{files[0]}"),
                "bare pairs by the driver": (bare_sqlite, bare),
                "bare pairs by SQLAlchemy Core": (core, f"sqlite:///{bare}"),
                "floor: the rows of spends by the driver": (floor, files[1]),
            },
            "PostgreSQL": {
                "spends": (ours, running.database()),
                "bare pairs by the driver": (bare_postgresql, url),
                "bare pairs by SQLAlchemy Core": (core, server_url),
            },
        }
        for address in (f"sqlite:///{files[0]}", f"sqlite:///{files[1]}", kinds["PostgreSQL"]["spends"][1]):
            with dpc.ledger.open(address) as book:
                book.create("x", epsilon=1, unit="person", filter="basic")
        yield kinds


def grown(path: str, spends: int) -> None:
    """A long and honest history, written at once: what a spend and its commit write, again and again."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("BEGIN IMMEDIATE")
    height, before = connection.execute("SELECT height, hash FROM head WHERE chain = 1").fetchone()
    (used,) = connection.execute("SELECT used FROM balance WHERE epoch = 1 AND place = 0").fetchone()
    bodies = connection.execute("SELECT body FROM entry WHERE chain = 1 AND height <= 3 ORDER BY height").fetchall()
    reserve, start, commit = (json.loads(body) for (body,) in bodies)
    cost = int(reserve["charges"][0]["change"][0])

    def rows() -> Iterator[tuple[Any, ...]]:
        nonlocal height, before, used
        for i in range(spends):
            used += cost
            reserve["charges"][0]["used"][0] = str(used)
            for phase, document in enumerate((reserve, start, commit), 1):
                height += 1
                document |= {"height": height, "prev": before, "key": f"old-{height - phase}-{i}"}
                body = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                before = hashlib.sha256(body.encode()).hexdigest()
                yield 1, height, 1, document["key"], phase, document["kind"], body, before

    connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows())
    connection.execute("UPDATE balance SET used = ? WHERE epoch = 1 AND place = 0", (used,))
    connection.execute("UPDATE head SET height = ?, hash = ? WHERE chain = 1", (height, before))
    connection.execute("COMMIT")
    connection.close()


def alone(account: Any, name: str, count: int = 200) -> float:
    """The median of single spends, in milliseconds."""
    times = []
    for i in range(count):
        began = time.perf_counter()
        account.spend(STEP, key=f"{name}-{i}").commit()
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e3


def peers(count: int) -> Iterator[tuple[str, float]]:
    """The same sequence in memory, milliseconds a query: nothing there is durable, or safe from a second process."""
    try:
        from diffprivlib import BudgetAccountant

        accountant = BudgetAccountant(epsilon=1, delta=1e-6)
        began = time.process_time()
        for _ in range(count):
            accountant.spend(1e-6, 0)
        yield "diffprivlib 0.6.6, BudgetAccountant", (time.process_time() - began) / count * 1e3
    except ModuleNotFoundError:
        pass
    try:
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        query = space >> dp.m.then_laplace(scale=1e6)
        adaptive = dp.c.make_adaptive_composition(
            *space, output_measure=dp.max_divergence(), d_in=1, d_mids=[2e-6] * count
        )
        interactive = adaptive(0)
        began = time.process_time()
        for _ in range(count):
            interactive(query)
        yield "OpenDP 0.16.0, adaptive composition", (time.process_time() - began) / count * 1e3
    except ModuleNotFoundError:
        pass


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--history", type=int, default=100_000, help="so many spends before the last are timed")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="so long do the clients spend")
    parser.add_argument("--replay", type=int, default=1_000_000, help="so many entries are replayed")
    asked = parser.parse_args()
    with stores() as every:
        for name, kinds in every.items():
            with dpc.ledger.open(kinds["spends"][1]) as book:
                first = alone(book.account("x"), "first")
            rounds = [{kind: rate(*what, asked.seconds) for kind, what in kinds.items()} for _ in range(ROUNDS)]
            best = {kind: max(one[kind] for one in rounds) for kind in kinds}
            print(f"{name}, {CLIENTS} clients: {best['spends']:.0f} spends/s; alone {first:.2f} ms a spend")
            for kind, most in list(best.items())[1:]:
                print(f"  {kind}: {most:.0f}/s; spends to these: {best['spends'] / most:.2f}")
        url = every["SQLite"]["spends"][1]
        with dpc.ledger.open(url) as book:
            account = book.account("x")
            before, path = alone(account, "before"), url.removeprefix("sqlite:///")
            grown(path, asked.history)
            after = alone(account, "after")
            print(f"SQLite, alone: {before:.2f} ms a spend before, {after:.2f} ms after {asked.history} more")
            grown(path, max(0, asked.replay - book.verify().entries) // 3 + 1)
            began, used = time.perf_counter(), time.process_time()
            verdict = book.verify()
            wall, used = time.perf_counter() - began, time.process_time() - used
            print(
                f"replay: {verdict.entries} entries in {wall:.1f} s, {used:.1f} s of processor; holds: {verdict.holds}"
            )
    for name, milliseconds in peers(1000):
        print(f"{name}: {milliseconds:.3f} ms a query, in memory")


if __name__ == "__main__":
    main()
