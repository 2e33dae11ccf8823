"""At the door of a file: who is inside serves those who wait, and what lies there is a hint and never the truth."""

from __future__ import annotations

import fcntl
import itertools
import os
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest

import dpcompose as dpc
from dpcompose import ledger
from dpcompose.ledger.chain import GENESIS, canonical, digest
from dpcompose.ledger.stores import batch, door
from dpcompose.ledger.stores.bell import Bell
from dpcompose.ledger.stores.plain import Page, Plain, from_text, to_text

TENTH = dpc.BlackBox(epsilon=0.1)
CLIENTS = 8
PATIENCE = 60
"""Seconds: a limit for a hang only."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


@pytest.fixture
def account(path: Path):
    with ledger.open(f"sqlite:///{path}") as book:
        made = book.create("x", epsilon=1, unit="person", filter="basic")
        made.spend(TENTH, key="first").commit()
        yield made


def counted(monkeypatch: pytest.MonkeyPatch, word: str) -> list[str]:
    """The statements that begin with a word, as they run."""
    seen: list[str] = []
    run = batch.run

    def noted(driver, text, values=()):
        seen.extend([text] * text.startswith(word))
        return run(driver, text, values)

    monkeypatch.setattr(batch, "run", noted)
    return seen


def together(account: ledger.Account, keys: list[str], seen: int = CLIENTS - 2) -> dict[str, ledger.Grant | Exception]:
    """Each key asked by a thread of its own, all of them waiting at the door when it opens."""
    found: dict[str, ledger.Grant | Exception] = {}

    def ask(number: int, key: str) -> None:
        try:
            found[f"{key}/{number}"] = account.spend(TENTH, key=key)
        except ledger.LedgerError as refusal:
            found[f"{key}/{number}"] = refusal

    the_door = account.book.desk.store.door
    inside = the_door.open()
    threads = [threading.Thread(target=ask, args=pair) for pair in enumerate(keys)]
    with the_door.entered(inside):  # who leaves wakes one of those who wait
        for thread in threads:
            thread.start()
        until = time.monotonic() + PATIENCE
        while sum(os.pread(inside, door.PLACES, 0)) < seen and time.monotonic() < until:
            time.sleep(0.01)
    for thread in threads:
        thread.join(PATIENCE)
    return found


def test_who_waits_is_served_by_who_is_inside(account, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each client has a place of its own and stays there, so all of them wait when the door opens."""
    places = itertools.count()
    monkeypatch.setattr(door, "PATIENCE", PATIENCE)
    monkeypatch.setattr(door.threading, "get_native_id", lambda: next(places))
    commits = counted(monkeypatch, "COMMIT")
    grants = together(account, [f"k{i}" for i in range(CLIENTS)], seen=CLIENTS)
    assert len(commits) == 1, "several steps, one wait for the disk"
    assert all(grant.fresh for grant in grants.values())
    assert account.used["epsilon"] == Fraction(9, 10)
    assert account.book.verify().holds


def test_the_cap_holds_inside_one_transaction(account) -> None:
    answers = together(account, [f"k{i}" for i in range(12)])
    refused = [answer for answer in answers.values() if isinstance(answer, ledger.Refused)]
    assert (len(answers), len(refused)) == (12, 3)
    assert account.left["epsilon"] == 0
    assert account.book.verify().holds


def test_one_key_of_many_who_wait_is_charged_and_started_once(account) -> None:
    grants = together(account, ["same"] * CLIENTS)
    assert sum(grant.fresh for grant in grants.values()) == 1
    assert account.used["epsilon"] == Fraction(2, 10)


def test_who_shares_a_place_goes_elsewhere(account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door.threading, "get_native_id", lambda: 5)
    grants = together(account, [f"k{i}" for i in range(CLIENTS)], seen=1)
    assert all(grant.fresh for grant in grants.values())
    assert account.used["epsilon"] == Fraction(9, 10)
    assert account.book.verify().holds


def test_nobody_queues_at_the_lock_while_the_door_is_shut(account, path: Path) -> None:
    inside = os.open(f"{path}-door", os.O_RDWR)
    fcntl.flock(inside, fcntl.LOCK_EX)
    places: set[int] = set()
    spending = threading.Thread(target=account.spend, args=(TENTH,), kwargs={"key": "k"})
    spending.start()
    until = time.monotonic() + PATIENCE
    while len(places) < 3 and time.monotonic() < until:
        places |= {place for place, waits in enumerate(os.pread(inside, door.PLACES, 0)) if waits}
        time.sleep(0.01)
    os.close(inside)
    spending.join(PATIENCE)
    assert len(places) >= 3, "it asks again, elsewhere, where an answer can find it"
    assert account.used["epsilon"] == Fraction(2, 10)


@pytest.mark.parametrize("rubbish", [b"\xff" * door.STEP, b"00000000 {}\n", b"", b"1 2 3\n" * 50])
def test_rubbish_at_the_door_is_passed_by(account, path: Path, rubbish: bytes) -> None:
    with Path(f"{path}-door").open("r+b") as file:
        file.write(b"\1" * door.PLACES)
        for place in range(door.PLACES):
            file.seek(door.STEPS + place * door.STEP)
            file.write(rubbish)
        file.seek(door.ANSWERS)
        file.write(rubbish)
    assert account.spend(TENTH, key="k").commit().state is ledger.State.COMMITTED
    assert account.used["epsilon"] == Fraction(2, 10)


@pytest.mark.parametrize("age, charged", [(0, True), (2 * door.OLD, False)])
def test_a_step_whose_client_died_is_taken_soon_or_never(account, path: Path, age: float, charged: bool) -> None:
    head = account.book.desk.known[account.chain]
    page = Page(1, "reserve", '{"key":"left","nothing":"else"}')
    step = Plain(account.chain, account.id, "left", (), (head.height, head.hash), (page,))
    handle = os.open(f"{path}-door", os.O_RDWR)
    said = f"{door.FORMAT} name {time.monotonic() - age} - {to_text(step)}"
    assert door._put(handle, door.STEPS, door.STEP, said)
    os.pwrite(handle, b"\1", 0)
    os.close(handle)
    account.book.desk.store.door._own.place = 1  # not where the step lies
    account.spend(TENTH, key="next")
    assert [entry.key for entry in account.history()].count("left") == charged


def test_without_a_bell_each_comes_in_by_itself(account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bell, "rings", False)
    monkeypatch.setattr(Bell, "ring", lambda *_: None)
    grants = together(account, [f"k{i}" for i in range(CLIENTS)])
    assert all(grant.fresh for grant in grants.values())
    assert account.used["epsilon"] == Fraction(9, 10)


def test_a_door_that_cannot_be_used_as_a_post_is_still_a_door(account, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "STEP", 10)
    assert account.spend(TENTH, key="k").fresh
    monkeypatch.setattr(door, "fcntl", None)
    assert account.spend(TENTH, key="l").fresh
    assert account.used["epsilon"] == Fraction(3, 10)


def test_a_step_travels_whole_and_a_plain_text_is_the_canonical_one(account) -> None:
    step = Plain(1, 2, 'a "key" – ü', ("reserve",), (3, GENESIS), (Page(2, "start", '{"a":"b"}'),), folder="/x y")
    assert from_text(to_text(step)) == step
    account.spend(dpc.Laplace(scale=100), key='a "key" – ü', purpose="ß\\", who="𝔘")
    for entry in account.history():
        assert digest(canonical(entry.document)) == entry.hash
    assert account.book.verify().holds
