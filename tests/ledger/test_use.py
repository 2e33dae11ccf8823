"""Around the books: the odometer, statements, a release that is charged to an account, and reading plans' leaks."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpcompose as dpc
from dpcompose import ledger, release
from dpcompose.filters.charge import Charge
from dpcompose.ledger.reports.burndown import burndown


def test_a_running_total_is_the_odometers(book: ledger.Book) -> None:
    account = book.create("x", epsilon=1, delta=1e-6, unit="person")
    assert account.running(delta=1e-6).epsilon == 0
    for _ in range(3):
        account.spend(dpc.Laplace(scale=20))
    running = account.running(delta=1e-6)
    assert running.epsilon > 0
    assert (
        running.epsilon > dpc.epsilon(3 * dpc.Laplace(scale=20), 1e-6).upper
    )  # a running bound costs more than a plan
    assert "whenever one stops" in str(running)
    account.raise_to(epsilon=1, delta=1e-6)
    account.spend(dpc.Laplace(scale=20))
    assert account.running(delta=1e-6).epsilon >= running.epsilon


def test_a_running_total_is_refused_where_no_theorem_gives_one(book: ledger.Book) -> None:
    with pytest.raises(dpc.InvalidParameter, match="whole plan"):
        book.create("p", unit="person", plan=2 * dpc.Laplace(scale=10)).running(delta=1e-6)
    with pytest.raises(dpc.InvalidParameter, match="filter"):
        book.create("r", epsilon=1, delta=1e-6, unit="person", filter="renyi").running(delta=1e-6)


def test_a_leak_has_a_cap_of_its_own(book: ledger.Book) -> None:
    account = book.create("x", epsilon=1, delta=1e-6, leak=1e-7, unit="person")
    account.spend(dpc.NameAndShame(delta=1e-7))
    with pytest.raises(ledger.Refused, match="delta"):
        account.spend(dpc.NameAndShame(delta=1e-9))
    account.spend(dpc.Laplace(scale=20))
    assert book.verify().holds


def test_of_blocks_the_one_with_least_left_burns_down(book: ledger.Book) -> None:
    stream = book.create("days", epsilon=1, delta=1e-6, unit="person", blocks=True)
    assert burndown(stream).left == {"rho": (1.0,)}
    monday, tuesday = (stream.open_block(name) for name in ("monday", "tuesday"))
    monday.spend(dpc.Gaussian(noise_std=100))
    tuesday.spend(dpc.Gaussian(noise_std=50))
    assert burndown(stream) == burndown(tuesday)
    assert burndown(stream).left["rho"][-1] < burndown(monday).left["rho"][-1] < 1


def test_a_fixed_block_enters_as_one_step(book: ledger.Book) -> None:
    account = book.create("x", epsilon=2, delta=1e-5, leak=5e-6, unit="person")
    training = 200 * dpc.Sampled(dpc.Gaussian(noise_std=4), rate=0.01)
    alone = account.quote(dpc.Sampled(dpc.Gaussian(noise_std=4), rate=0.01)).cost["rho"]
    grant = account.spend(training, key="training run")
    assert grant.cost["rho"] < 200 * alone
    verdict = book.verify()
    assert (verdict.holds, verdict.read_again) == (True, 1)


def test_a_release_is_charged_to_an_account(book: ledger.Book) -> None:
    import pandas as pd

    account = book.create("visits", epsilon=1, unit="user", filter="basic")
    table = pd.DataFrame({"user": ["a", "b", "c"]})
    release.count(table, unit="user", epsilon=0.5, budget=account)
    assert account.used["epsilon"] == Fraction(1, 2)
    with pytest.raises(release.OverBudget):
        release.count(table, unit="user", epsilon=0.7, budget=account)
    with pytest.raises(dpc.DPError, match="unit"):
        release.count(table, unit=release.EVERY_ROW, epsilon=0.1, budget=account)
    assert [entry.kind for entry in account.history()][:2] == ["reserve", "start"]
    assert book.verify().holds


def test_a_charge_for_other_data_is_refused(book: ledger.Book) -> None:
    account = book.create("x", epsilon=1, unit="person", filter="basic", dataset="census-2020")
    step = dpc.BlackBox(epsilon=0.1)
    account.spend(Charge(step, "count", "person", None, "census-2020"))
    for charge in (
        Charge(step, "count", "household"),
        Charge(step, "count", "person", dpc.REPLACE_ONE),
        Charge(step, "count", "person", None, "census-2010"),
    ):
        with pytest.raises(dpc.DPError, match="add up"):
            account.spend(charge)
        with pytest.raises(dpc.DPError, match="add up"):
            account.check(charge)
    assert account.history()[0].purpose == "count"
    assert account.remaining(step) == 9


def test_a_statement_is_one_page_that_can_be_recomputed(book: ledger.Book) -> None:
    account = book.create("x", epsilon=1, delta=1e-6, unit="<person>", dataset="a & b")
    account.spend(3 * dpc.Laplace(scale=30), key="1")
    account.reserve(dpc.Laplace(scale=30), key="2").cancel()
    statement = account.statement()
    page = statement.html()
    assert "&lt;person&gt;" in page
    assert "a &amp; b" in page
    assert "<script" not in page
    document = statement.document()
    assert document["charged"] == [{"mechanism": "3 * Laplace(scale=30)", "count": 1}]
    again = sum(
        row["count"] * account.quote(dpc.spec.loads(row["mechanism"])).cost["rho"] for row in document["charged"]
    )
    assert document["coordinates"][0]["exact"]["used"] == str(again)
    assert document["hash"] == account.history()[-1].hash
    assert "Because" in str(statement)


@pytest.mark.parametrize(
    "answer", [[1e-7, 1e21, 0.1, -0.0], {"\ue000": 1, "\U0001f600": 2}, "x", None, True, 2**53 - 1]
)
def test_an_answer_of_any_shape_is_kept(book: ledger.Book, answer) -> None:
    account = book.create("x", epsilon=1, unit="person", filter="basic")
    grant = account.spend(dpc.BlackBox(epsilon=0.1), key="k")
    grant.keep(answer)
    grant.commit()
    assert account.grant("k").answer == answer
    assert book.verify().holds


@pytest.mark.parametrize("answer", [float("nan"), 2**60, {1: 2}, object(), "x" * 70_000])
def test_an_answer_that_json_cannot_write_is_refused(book: ledger.Book, answer) -> None:
    grant = book.create("x", epsilon=1, unit="person", filter="basic").spend(dpc.BlackBox(epsilon=0.1))
    with pytest.raises(dpc.InvalidParameter, match="answer"):
        grant.keep(answer)
