"""`dpcompose ledger`: every command, and its refusals, on a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dpcompose import ledger

Run = Callable[..., tuple[int, str, str]]
PLAN = """
[budget]
epsilon = 1
delta = 1e-6
unit = "user"
filter = "zcdp"

[[spent]]
mechanism = "30 * BlackBox(epsilon=0.01)"
purpose = "last year"

[[spent]]
mechanism = "Laplace(scale=20)"
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("DPCOMPOSE_STATE", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return "sqlite:///budget.db"


@pytest.fixture
def books(run: Run, store: str) -> Run:
    def call(command: str, *arguments: str) -> tuple[int, str, str]:
        return run("ledger", command, *arguments, "--store", store)

    assert call("init")[0] == 0
    assert call("create", "census", "--epsilon", "1", "--delta", "1e-6", "--unit", "person")[0] == 0
    return call


@pytest.mark.slow
def test_a_day_with_the_books(books: Run, store: str, tmp_path: Path) -> None:
    assert books("quote", "census", "Laplace(scale=10)")[0] == 0
    assert books("quote", "census", "Laplace(scale=1)")[0] == 1
    code, out, _ = books("spend", "census", "Laplace(scale=10)", "--key", "q-1", "--purpose", "count", "--who", "ana")
    assert (code, "may run now" in out) == (0, True)
    assert "nothing more is charged" in books("spend", "census", "Laplace(scale=10)", "--key", "q-1")[1]
    assert "committed" in books("finish", "census", "q-1", "commit")[1]
    assert "ana" in books("history", "census")[1]
    assert books("report", "census", "--html", "s.html", "--out", "s.svg")[0] == 0
    page = (tmp_path / "s.html").read_text()
    assert "ε = 1 at δ = 1e-6" in page
    assert "@media print" in page
    assert "<svg" in (tmp_path / "s.svg").read_text()
    assert books("checkpoint", "--out", "c.json")[0] == 0
    code, out, _ = books("verify", "--against", "c.json")
    assert (code, "The book holds" in out) == (0, True)
    with ledger.open(store) as book:
        assert book.verify().checkpoints == 2


def test_exports_hold_every_entry(books: Run, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    books("spend", "census", "Laplace(scale=10)", "--key", "q-1", "--purpose", "=HYPERLINK()")
    for name in ("x.csv", "x.json", "x.parquet"):
        assert "4 entries" in books("export", name)[1]
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    whole = json.loads((tmp_path / "x.json").read_text())
    table = pq.read_table(tmp_path / "x.parquet").to_pylist()
    assert [row["hash"] for row in rows] == [row["hash"] for row in whole] == [row["hash"] for row in table]
    assert rows[2]["purpose"] == "'=HYPERLINK()"
    assert whole[2]["body"]["what"]["mechanism"]["kind"] == "laplace"
    assert not list(tmp_path.glob(".x*"))


def test_a_plan_file_moves_in_once(books: Run, store: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN)
    for _ in range(2):
        assert books("import", "plan.toml")[0] == 0
    with ledger.open(store) as book:
        account = book.account("plan")
        assert account.unit == "user"
        assert [e.purpose for e in account.history() if e.kind == "reserve"] == ["last year", ""]
        assert book.verify().holds
    (tmp_path / "other.toml").write_text(PLAN.replace('unit = "user"\n', ""))
    code, _, err = books("import", "other.toml")
    assert (code, "--unit" in err) == (2, True)
    assert books("import", "other.toml", "--unit", "user", "--name", "third")[0] == 0


def test_trees_blocks_plans_and_epochs(books: Run) -> None:
    basic = ("--epsilon", "0.5", "--unit", "person", "--filter", "basic")
    assert books("create", "ana", *basic, "--parent", "census")[0] == 0
    assert books("create", "clicks", *basic, "--blocks")[0] == 0
    assert books("block", "clicks", "mo")[0] == 0
    assert books("spend", "clicks", "BlackBox(epsilon=0.1)", "--block", "mo")[0] == 0
    assert books("create", "study", "--plan", "3 * Laplace(scale=10)", "--unit", "person")[0] == 0
    assert books("spend", "study", "Laplace(scale=10)")[0] == 0
    assert "ε = 1.5" not in books("report", "study")[1]
    assert books("spend", "ana", "BlackBox(epsilon=0.05)")[0] == 0
    assert "ε = 1.5 at δ = 0" in books("raise", "ana", "--epsilon", "1")[1]
    assert books("verify")[0] == 0


def test_a_report_says_the_same_as_json(books: Run) -> None:
    books("spend", "census", "Laplace(scale=10)", "--key", "q-1")
    said = json.loads(books("report", "census", "--json")[1])
    assert said["guarantee"] == {"epsilon": "1", "delta": "0.000001"}
    assert said["charged"] == [{"mechanism": "Laplace(scale=10)", "count": 1}]
    assert said["rule"]["filter"] == "zcdp"


REFUSED = [
    ("spend", "nobody", "Laplace(scale=10)"),
    ("spend", "census", "Laplace(scale=0)"),
    ("spend", "census", "Laplace(scale="),
    ("spend", "census", "Laplace(scale=1)"),
    ("spend", "census", "BlackBox(epsilon=0)"),
    ("spend", "census", "Gaussian(noise_std=50, adjacency=REPLACE_ONE)"),
    ("spend", "census", "Laplace(scale=10)", "--key", ""),
    ("spend", "census", "Laplace(scale=10)", "--block", "mo"),
    ("create", "census", "--epsilon", "1", "--unit", "person"),
    ("create", "x", "--epsilon", "-1", "--unit", "person"),
    ("create", "x", "--epsilon", "1", "--unit", "person", "--filter", "pld"),
    ("create", "x", "--epsilon", "1", "--unit", "person", "--adjacency", "none"),
    ("create", "x", "--epsilon", "1", "--delta", "0", "--unit", "person"),
    ("create", "x", "--epsilon", "1", "--unit", "household", "--filter", "basic", "--parent", "census"),
    ("finish", "census", "q", "commit"),
    ("finish", "census", "q", "refund"),
    ("history", "nobody"),
    ("report", "census", "--out", "x.txt"),
    ("export", "x.xlsx"),
    ("export", "no/such/folder/x.csv"),
    ("import", "missing.toml"),
    ("verify", "--against", "missing.json"),
]


@pytest.mark.parametrize("arguments", REFUSED, ids=" ".join)
def test_bad_input_is_one_sentence_and_charges_nothing(books: Run, store: str, arguments: tuple[str, ...]) -> None:
    code, out, err = books(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("dpcompose: ")
    assert err.count("\n") == 1
    with ledger.open(store) as book:
        assert [account.name for account in book.accounts()] == ["census"]
        assert not book.account("census").history()
        assert book.verify().holds


@pytest.mark.parametrize("address", ["budget.db", "oracle://x", "sqlite:////no/such/folder/b.db"])
def test_a_store_that_is_none_is_refused(run: Run, address: str) -> None:
    code, out, err = run("ledger", "init", "--store", address)
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_damage_is_told_with_exit_code_one(books: Run, tmp_path: Path) -> None:
    import sqlite3

    books("spend", "census", "Laplace(scale=10)", "--key", "q-1")
    connection = sqlite3.connect(tmp_path / "budget.db")
    connection.execute("DROP TRIGGER no_update_of_entry")
    connection.execute("UPDATE entry SET body = replace(body, 'q-1', 'q-2')")
    connection.commit()
    connection.close()
    code, out, _ = books("verify")
    assert (code, "edited" in out) == (1, True)


def test_a_release_is_charged_to_an_account_once(run: Run, books: Run, store: str, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("user\na\nb\nb\n")
    basic = ("--epsilon", "1", "--filter", "basic")
    assert books("create", "visits", "--unit", "user", *basic)[0] == 0
    asked = ("release", "count", "v.csv", "--unit", "user", "--epsilon", "0.5", "--account", "visits", "--store", store)
    assert run(*asked, "--dry-run")[0] == 0
    code, out, err = run(*asked, "--key", "r-1")
    assert (code, err) == (0, "")
    assert "0.5 epsilon" in out
    code, out, err = run(*asked, "--key", "r-1")
    assert (code, out, "second release" in err) == (2, "", True)
    with ledger.open(store) as book:
        account = book.account("visits")
        assert [entry.kind for entry in account.history()] == ["reserve", "start", "commit"]
    for more in (("--epsilon", "0.6"), ("--every-row",), ("--budget-plan", "p.toml"), ("--account", "nobody")):
        assert run(*asked, *more)[0] == 2
    assert run(*asked[:-2])[0] == 2
    assert run(*asked[:-4], "--store", store)[0] == 2
    with ledger.open(store) as book:
        assert book.account("visits").left["epsilon"] * 2 == 1
        assert book.verify().holds
