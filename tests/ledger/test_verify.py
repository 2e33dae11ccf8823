"""The verifier finds what was done to a book, by somebody who may do everything to the store."""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

import dpcompose as dpc
from dpcompose import ledger
from ledger.tampering import behind_its_back

ONE = dpc.BlackBox(epsilon=0.01)


@pytest.fixture
def used(book: ledger.Book) -> ledger.Account:
    """A book with some life in it: a tree, and a grant in each state."""
    book.create("data", epsilon=1, delta=1e-6, unit="person")
    account = book.create("ana", epsilon=1, delta=1e-6, unit="person", filter="basic", parent="data")
    for i in range(4):
        account.spend(ONE, key=f"k{i}").commit()
    account.spend(ONE, key="abandoned").abandon()
    account.reserve(ONE, key="cancelled").cancel()
    account.reserve(ONE, key="held")
    account.spend(ONE, key="started")
    return account


def test_an_honest_book_holds(book: ledger.Book, used: ledger.Account) -> None:
    told = []
    verdict = book.verify(lambda done, total: told.append((done, total)))
    assert verdict.holds, verdict.problems
    assert verdict.entries == 3 + 4 * 3 + 3 + 2 + 1 + 2
    assert (verdict.recomputed, verdict.read_again) == (2, 0)
    assert told[-1] == (verdict.entries, verdict.entries)
    assert "holds" in str(verdict)
    assert used.name == "ana"


DAMAGES = {
    "an edited entry": ("UPDATE entry SET body = replace(body, 'k1', 'kX') WHERE chain = 1 AND height = 4", "edited"),
    "an edited column": ("UPDATE entry SET key = 'other' WHERE chain = 1 AND height = 4", "another account or key"),
    "a deleted entry": ("DELETE FROM entry WHERE chain = 1 AND height = 5", "missing"),
    "a truncated tail": ("DELETE FROM entry WHERE chain = 1 AND height > 10", "head"),
    "a raised cap": ("UPDATE balance SET cap = cap + 1 WHERE epoch = 2 AND place = 0", "balance"),
    "a lowered use": ("UPDATE balance SET used = used - 1 WHERE epoch = 1 AND place = 0", "balance"),
    "a rule rewritten": ("UPDATE epoch SET rule = replace(rule, 'basic', 'basik') WHERE id = 2", "epoch"),
    "an account renamed": ("UPDATE account SET name = 'eve' WHERE id = 2", "account"),
    "a deleted balance": ("DELETE FROM balance WHERE epoch = 2 AND place = 1", "balance"),
    "a head moved": ("UPDATE head SET height = height + 1 WHERE chain = 1", "head"),
    "a creation cut": ("DELETE FROM entry WHERE chain = 0 AND height = 3", "head|gone"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found(book: ledger.Book, used: ledger.Account, url: str, damage: str) -> None:
    statement, sign = DAMAGES[damage]
    assert book.verify().holds
    with behind_its_back(url) as connection:
        connection.execute(statement)
    verdict = book.verify()
    assert not verdict.holds
    assert any(re.search(sign, problem) for problem in verdict.problems), verdict.problems
    assert used.id == 2


def relinked(connection, chain: int, change) -> None:
    """Rewrite a chain from its beginning, with every hash made to fit: what a forger does."""
    rows = list(connection.execute(f"SELECT height, body FROM entry WHERE chain = {chain} ORDER BY height"))
    before = None
    mark = "?" if "sqlite" in type(connection).__module__ else "%s"
    for height, body in rows:
        document = json.loads(body)
        change(document)
        if before is not None:
            document["prev"] = before
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256(text.encode()).hexdigest()
        statement = f"UPDATE entry SET body = {mark}, hash = {mark} WHERE chain = {chain} AND height = {height}"
        connection.execute(statement, (text, before))
    connection.execute(f"UPDATE head SET hash = '{before}' WHERE chain = {chain}")


def cheaper(document: dict) -> None:
    """Charge a unit less everywhere."""
    if document.get("key") == "k1":
        for charge in document.get("charges", ()):
            charge["change"][0] = str(int(charge["change"][0]) - 1)


def test_a_charge_below_the_cost_is_found_even_if_every_hash_fits(
    book: ledger.Book, used: ledger.Account, url: str
) -> None:
    with behind_its_back(url) as connection:
        relinked(connection, 1, cheaper)
    problems = book.verify().problems
    assert any("charges less than the mechanism costs" in problem for problem in problems)
    assert any("what this machine has seen" in problem for problem in problems)
    assert used.id == 2


def test_a_rewritten_chain_is_found_by_a_checkpoint_that_was_handed_out(
    book: ledger.Book, used: ledger.Account, url: str, tmp_path: Path
) -> None:
    handed = tmp_path / "checkpoint.json"
    handed.write_text(json.dumps(book.checkpoint()))
    assert book.verify(against=[handed]).holds
    assert book.verify().checkpoints == 2

    def renamed(document: dict) -> None:
        document["at"] = "2000-01-01T00:00:00.000000Z"

    with behind_its_back(url) as connection:
        relinked(connection, 1, renamed)
        connection.execute("DELETE FROM checkpoint")
    with ledger.open(url, state=tmp_path / "elsewhere") as fresh:  # a machine that has seen nothing
        assert fresh.verify().holds, "without a witness the forgery is perfect"
        problems = fresh.verify(against=[handed]).problems
    assert any("handed out" in problem for problem in problems), problems
    assert used.id == 2


def test_a_forged_signature_is_found(book: ledger.Book, used: ledger.Account, url: str) -> None:
    book.checkpoint()
    with behind_its_back(url) as connection:
        connection.execute("UPDATE checkpoint SET body = replace(body, '\"height\":', '\"height\":1')")
    assert any("no valid signature" in problem for problem in book.verify().problems)
    assert used.id == 2


@pytest.mark.parametrize("table", ["book", "account", "epoch", "entry", "checkpoint", "balance", "head"])
def test_the_store_itself_forbids_to_rewrite(book: ledger.Book, used: ledger.Account, table: str) -> None:
    book.checkpoint()
    statements = [f"DELETE FROM {table}"]
    if table not in {"balance", "head"}:
        column = {"book": "store", "account": "name", "epoch": "rule", "checkpoint": "body"}.get(table, "body")
        statements.append(f"UPDATE {table} SET {column} = 'x'")
    statements += {"balance": ["UPDATE balance SET cap = cap + 1", "UPDATE balance SET used = cap + 1"]}.get(table, [])
    statements += {"head": ["UPDATE head SET height = height - 1"]}.get(table, [])
    for statement in statements:
        with pytest.raises(DBAPIError), book.desk.store.engine.begin() as connection:
            connection.execute(text(statement))
    assert book.verify().holds
    assert used.id == 2


MECHANISMS = [
    dpc.Laplace(scale=20),
    dpc.Geometric(scale=30),
    dpc.Gaussian(noise_std=40),
    dpc.DiscreteGaussian(noise_std=40),
    dpc.BlackBox(epsilon=0.01),
    dpc.BlackBox(rho=0.0001),
    dpc.BlackBox(mu=0.01),
    dpc.RandomizedResponse(epsilon=0.02),
    dpc.Exponential(epsilon=0.02),
    3 * dpc.Laplace(scale=100) + dpc.Gaussian(noise_std=50),
    dpc.Sampled(dpc.Laplace(scale=10), rate=0.1),
]


@pytest.mark.parametrize("chosen", ["basic", "zcdp", "renyi", "gdp"])
def test_two_readings_of_every_mechanism_agree(tmp_path: Path, chosen: str) -> None:
    """The verifier's formulas against the filters': never less, and where both are exact the same."""
    orders = {"orders": [2, Fraction(5, 2), 8, 64]} if chosen == "renyi" else {}
    with ledger.open(f"sqlite:///{tmp_path}/x.db") as book:
        account = book.create("x", epsilon=1, delta=1e-6, unit="person", filter=chosen, **orders)
        done = 0
        for mechanism in MECHANISMS:
            try:
                account.spend(mechanism)
            except dpc.DPError:
                continue
            done += 1
        verdict = book.verify()
        assert verdict.holds, verdict.problems
        assert done >= {"gdp": 2}.get(chosen, 6)
        assert verdict.recomputed >= {"gdp": 2}.get(chosen, 6) - 1
        assert verdict.recomputed + verdict.read_again == done
