"""Many writers at once, on the book and on a deliberately naive store that shows what a race looks like."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import psycopg

import dpcompose as dpc
from dpcompose import ledger
from faults.killing import forked

STEP = dpc.BlackBox(epsilon=0.01)


def race(writers: int, work: Callable[[int], int]) -> int:
    """Start all writers, let them go at once, and add up what they were granted."""
    until = time.time() + 0.5 + writers / 100

    def each(number: int) -> Callable[[int], None]:
        def run(pipe: int) -> None:
            time.sleep(max(0.0, until - time.time()))
            os.write(pipe, str(work(number)).encode())

        return run

    children = [forked(each(number)) for number in range(writers)]
    total = 0
    for child, pipe in children:
        with os.fdopen(pipe) as answer:
            total += int(answer.read() or -(10**6))  # a writer that fell is seen
        os.waitpid(child, 0)
    return total


def on_the_book(url: str, state: Path, attempts: int) -> Callable[[int], int]:
    """A writer that spends; refusals are counted out."""

    def work(number: int) -> int:
        granted = 0
        with ledger.open(url, state=state) as book:
            account = book.account("x")
            for i in range(attempts):
                try:
                    account.spend(STEP, key=f"{number}-{i}").commit()
                except ledger.Refused:
                    continue
                granted += 1
        return granted

    return work


def naive(url: str, attempts: int) -> Callable[[int], int]:
    """Look, decide, write: each statement is atomic, and together they are a race."""

    def work(number: int) -> int:
        granted = 0
        for _ in range(attempts):
            connection = (
                sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60, isolation_level=None)
                if url.startswith("sqlite")
                else psycopg.connect(url, autocommit=True)
            )
            used, cap = connection.execute("SELECT used, cap FROM naive").fetchone()
            if used + 1 <= cap:
                connection.execute(f"UPDATE naive SET used = {used + 1}")
                granted += 1
            connection.close()
        return granted + 0 * number

    return work


def lost_on_a_naive_store(url: str, cap: int) -> bool:
    """Whether 64 clients got more than there was."""
    make_naive(url, cap)
    return race(64, naive(url, attempts=4)) > cap


def make_naive(url: str, cap: int) -> None:
    connection = (
        sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        if url.startswith("sqlite")
        else psycopg.connect(url, autocommit=True)
    )
    connection.execute("DROP TABLE IF EXISTS naive")
    connection.execute("CREATE TABLE naive (used INTEGER, cap INTEGER)")
    connection.execute(f"INSERT INTO naive VALUES (0, {cap})")
    connection.close()
