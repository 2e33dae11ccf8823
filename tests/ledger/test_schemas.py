"""The schema: brought up from every release, refused when it is newer, and the same as the code's tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import inspect

import dpcompose as dpc
from dpcompose import ledger
from dpcompose.ledger.migrations import NEWEST, PLACE
from dpcompose.ledger.stores import store_at
from dpcompose.ledger.stores.tables import SCHEMA
from ledger.tampering import behind_its_back
from postgres_server import Server

RELEASED = Path(__file__).parent / "released"
STEP = dpc.BlackBox(epsilon=0.1)


def test_every_step_of_the_schema_has_a_book_from_its_time() -> None:
    steps = sorted(path.name[1:5] for path in (PLACE / "versions").glob("v*.py"))
    assert steps[-1] == NEWEST
    assert [path.stem for path in sorted(RELEASED.glob("*.sql"))] == steps


@pytest.mark.parametrize("dump", sorted(RELEASED.glob("*.sql")), ids=lambda path: path.stem)
def test_a_book_of_every_released_schema_is_brought_up_and_goes_on(dump: Path, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "old.db")
    connection.executescript(dump.read_text(encoding="utf-8"))
    connection.close()
    with ledger.open(f"sqlite:///{tmp_path}/old.db") as book:
        assert book.desk.store.version() == NEWEST
        assert book.verify().holds
        account = book.account("census")
        before = account.used
        assert account.spend(dpc.Laplace(scale=100), key="k1").state is ledger.State.COMMITTED
        assert account.used == before
        account.spend(dpc.Laplace(scale=100), key="today")
        assert account.used["rho"] > before["rho"]
        assert book.verify().holds


def test_a_server_of_the_first_schema_is_brought_up_and_takes_steps_by_itself(server: Server) -> None:
    url = server.database()
    old = store_at(url)
    old.migrate("0001")
    assert old.version() == "0001"
    old.close()
    with ledger.open(url) as book:
        assert book.desk.store.version() == NEWEST
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        for i in range(3):
            account.spend(STEP, key=str(i)).commit()
        with book.desk.store.engine.connect() as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM pg_proc WHERE proname = 'dpcompose_step'").scalar()
        assert book.verify().holds


def test_the_code_knows_the_tables_that_the_migrations_make(url: str) -> None:
    store = store_at(url)
    store.migrate()
    store.migrate()
    with store.engine.connect() as connection:
        seen = inspect(connection)
        for table in SCHEMA.tables.values():
            assert [c["name"] for c in seen.get_columns(table.name)] == [c.name for c in table.columns]
    store.close()


def test_a_newer_schema_is_left_alone(book: ledger.Book, url: str) -> None:
    book.create("x", epsilon=1, unit="person", filter="basic").spend(STEP)
    with behind_its_back(url) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(ledger.StoreError, match=r"9999.*newer version"):
        ledger.open(url)
    with behind_its_back(url) as connection:
        connection.execute(f"UPDATE alembic_version SET version_num = '{NEWEST}'")
    with ledger.open(url) as again:
        assert again.account("x").remaining(STEP) == 9


@pytest.mark.parametrize(
    "address, complaint",
    [
        ("budget.db", "store"),
        ("mysql://x/y", "store"),
        ("sqlite://", "store"),
        ("sqlite:///:memory:", "store"),
        ("sqlite:////no/such/folder/x.db", "no such folder"),
        ("postgresql://nobody@/nothing?host=/no/such/socket", "cannot be reached|cannot be read"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused(address: str, complaint: str) -> None:
    with pytest.raises(dpc.DPError, match=complaint):
        ledger.open(address)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(dpc.DPError) as refusal:
        ledger.open("postgresql://user:hunter2@/nothing?host=/no/such/socket")
    assert "hunter2" not in str(refusal.value)


def test_a_file_that_is_no_book_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_text("not a database, but a text of more than sixteen bytes\n" * 100)
    before = path.read_bytes()
    with pytest.raises(ledger.StoreError, match="no SQLite database"):
        ledger.open(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    with ledger.open(f"sqlite:///{path}") as book:
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        for i in range(10):
            account.spend(STEP, key=str(i), purpose="x" * 300)
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    with pytest.raises(dpc.DPError) as refusal, ledger.open(f"sqlite:///{path}") as book:
        book.account("x").spend(STEP)
    assert "\n" not in str(refusal.value)
