"""The books over HTTP, by the typed client: the same promises as of the books themselves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import httpx
import pytest

import dpcompose as dpc
from dpcompose.client import Account, Client, NoRoom, Refusal, connect
from service import Service

TEN = dpc.Laplace(scale=10)


@pytest.fixture
def account(owner: Client, fresh: Callable[[], str]) -> Account:
    return owner.create(fresh(), unit="person", epsilon=1, delta="1e-6")


def test_a_release_is_charged_once_and_ends_well(account: Account) -> None:
    quoted = account.quote(TEN)
    assert quoted["fits"]
    with account.spend(TEN, key="q-1", purpose="count") as grant:
        assert (grant.fresh, grant.state) == (True, "started")
        grant.keep({"count": 17.5})
    assert grant.state == "committed"
    again = account.spend(TEN, key="q-1", purpose="count")
    assert (again.fresh, again.state, again.answer) == (False, "committed", {"count": 17.5})
    before = {name: Fraction(dpc.spec.number(name, text)) for name, text in quoted["left"].items()}
    cost = {name: Fraction(dpc.spec.number(name, text)) for name, text in quoted["cost"].items()}
    assert account.left == {name: before[name] - cost[name] for name in before}
    assert [entry["kind"] for entry in account.history()] == ["commit", "start", "reserve"]
    assert {entry["who"] for entry in account.history(kind="reserve")} == {"owner"}
    assert not list(account.history(kind="cancel"))


def test_a_repeated_request_is_the_same_attempt_and_another_request_is_not(both: Service, account: Account) -> None:
    def ask(attempt: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {both.owner}", "Idempotency-Key": attempt}
        wish = {"mechanism": "Laplace(scale=10)", "key": "q"}
        return httpx.post(f"{both.url}{account.path}/grants", json=wish, headers=headers)

    first, repeated, other = ask("a"), ask("a"), ask("b")
    assert first.json() == repeated.json()
    assert (first.json()["fresh"], other.json()["fresh"]) == (True, False)
    assert len([e for e in account.history() if e["kind"] == "reserve"]) == 1


def test_a_hold_is_given_back_only_before_its_start(account: Account) -> None:
    whole = account.left
    held = account.reserve(TEN, key="h")
    assert account.left != whole
    held.cancel()
    assert account.left == whole
    started = account.spend(TEN, key="s")
    with pytest.raises(Refusal, match="stays charged") as caught:
        started.cancel()
    assert caught.value.kind == "wrong-state"
    assert account.left != whole


def test_what_does_not_fit_is_refused_with_what_would(account: Account) -> None:
    whole = account.left
    with pytest.raises(NoRoom, match=r"refuses: it takes .* what would still fit: BlackBox"):
        account.spend(dpc.Laplace(scale=1))
    with pytest.raises(dpc.release.OverBudget):
        account.check(dpc.Laplace(scale=1))
    assert account.left == whole


def test_a_key_stands_for_one_mechanism(account: Account) -> None:
    account.spend(TEN, key="k")
    with pytest.raises(Refusal) as caught:
        account.spend(dpc.Laplace(scale=11), key="k")
    assert caught.value.kind == "key-conflict"


def test_a_child_is_charged_with_its_parent(owner: Client, account: Account, fresh: Callable[[], str]) -> None:
    child = owner.create(fresh() + "/ü ?#", unit="person", epsilon="0.5", delta="1e-7", parent=account.name)
    child.spend(TEN)
    assert child.document["parent"] == account.name
    assert account.left["rho"] < Fraction("0.0244")
    assert {a["account"] for a in owner.accounts()} >= {child.name, account.name}


def test_blocks_and_epochs(owner: Client, fresh: Callable[[], str]) -> None:
    stream = owner.create(fresh(), unit="person", epsilon=1, delta="1e-6", blocks=True)
    for month in ("01", "01", "02"):
        owner.write(f"{stream.path}/blocks", {"name": month})
    stream.spend(TEN, blocks=["01"])
    with pytest.raises(Refusal, match="blocks"):
        stream.spend(TEN)
    plain = owner.create(fresh(), unit="person", epsilon=1, delta="1e-6")
    plain.spend(TEN)
    raised = owner.write(f"{plain.path}/epochs", {"epsilon": "1", "delta": "1e-6"})
    assert raised["guarantee"] == ["2", "0.000002"]


def test_an_epoch_is_opened_once_however_often_it_is_asked_for(both: Service, account: Account) -> None:
    headers = {"Authorization": f"Bearer {both.owner}", "Idempotency-Key": account.name.replace(" ", "-")}
    account.spend(TEN)
    replies = [
        httpx.post(f"{both.url}{account.path}/epochs", json={"epsilon": "1", "delta": "1e-6"}, headers=headers)
        for _ in range(3)
    ]
    assert [r.status_code for r in replies] == [201] * 3
    assert account.document["guarantee"][0] == "2"
    other = httpx.post(f"{both.url}{account.path}/epochs", json={"epsilon": "2"}, headers=headers)
    assert (other.status_code, other.json()["type"][-6:]) == (422, "reused")


def test_a_tag_says_whether_anything_changed(both: Service, account: Account) -> None:
    headers = {"Authorization": f"Bearer {both.owner}"}
    first = httpx.get(f"{both.url}{account.path}", headers=headers)
    tag = first.headers["etag"]
    same = httpx.get(f"{both.url}{account.path}", headers={**headers, "If-None-Match": tag})
    assert (same.status_code, same.content) == (304, b"")
    account.spend(TEN)
    assert httpx.get(f"{both.url}{account.path}", headers={**headers, "If-None-Match": tag}).status_code == 200
    stale = {**headers, "If-Match": tag, "Idempotency-Key": "stale"}
    late = httpx.post(f"{both.url}{account.path}/epochs", json={"epsilon": "1"}, headers=stale)
    assert late.status_code == 412


def test_history_comes_in_pages_that_miss_nothing(account: Account) -> None:
    for i in range(7):
        account.spend(dpc.Laplace(scale=100), key=f"k{i}", purpose=f"purpose {i}")
    pages, after = [], ""
    while after is not None:
        page = account.wire.sent("GET", f"{account.path}/history?limit=5{after}")
        pages.append([entry["height"] for entry in page["entries"]])
        after = None if page["next"] is None else f"&after={page['next']}"
    heights = [height for page in pages for height in page]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == 14
    oldest = account.wire.sent("GET", f"{account.path}/history?order=oldest&limit=3&kind=reserve")
    assert [entry["key"] for entry in oldest["entries"]] == ["k0", "k1", "k2"]
    assert [entry["key"] for entry in account.history(text="purpose 3")] == ["k3"]


def test_holds_burndown_statement_and_verdict(both: Service, owner: Client, account: Account) -> None:
    account.reserve(TEN, key="held")
    account.spend(dpc.Laplace(scale=100), key="run")
    account.spend(dpc.Laplace(scale=101), key="over").commit()
    states = {hold["key"]: hold["state"] for hold in owner.look(f"{account.path}/holds")["holds"]}
    assert states == {"held": "reserved", "run": "started"}
    shares = owner.look(f"{account.path}/burndown")["left"]["rho"]
    assert shares[0] == 1
    assert sorted(shares, reverse=True) == shares
    assert account.statement()["account"] == account.name
    accepts = {"Authorization": f"Bearer {both.owner}", "Accept": "text/html"}
    page = httpx.get(f"{both.url}{account.path}/statement", headers=accepts)
    assert "<h1>Privacy statement" in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    verdict = owner.verify()
    assert (verdict["state"], verdict["holds"], verdict["problems"]) == ("done", True, [])


def test_a_release_pays_from_an_account_over_http(owner: Client, fresh: Callable[[], str], tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("id,age\n" + "\n".join(f"{i},{20 + i % 50}" for i in range(200)))
    account = owner.create(fresh(), unit="id", epsilon=1, delta="1e-6")
    whole = account.left
    answer = dpc.release.count(table, unit="id", epsilon=Fraction(1, 10), budget=account)
    assert answer is not None
    assert account.left["rho"] < whole["rho"]
    (entry,) = account.history(kind="reserve")
    assert "count" in entry["purpose"]
    with pytest.raises(dpc.release.OverBudget):
        dpc.release.count(table, unit="id", epsilon=5, budget=account)


def test_nobody_overspends_together(both: Service, account: Account) -> None:
    step = dpc.Laplace(scale=30)
    fits = account.quote(step)["remaining"]
    granted: list[str] = []

    def spend(worker: int) -> None:
        with connect(both.url, token=both.owner) as mine:
            for i in range(12):
                try:
                    granted.append(mine.account(account.name).spend(step, key=f"{worker}-{i}").key)
                except NoRoom:
                    return

    threads = [threading.Thread(target=spend, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == len(set(granted)) == fits < 8 * 12


def test_the_client_asks_what_the_library_answers(served: Service) -> None:
    plan = 30 * dpc.BlackBox(epsilon=Fraction(1, 10), delta=Fraction(1, 1000))
    with connect(served.url) as anybody:
        found = anybody.epsilon(plan, delta=Fraction(1, 20))
        here = dpc.epsilon(plan, delta=Fraction(1, 20))
        assert (found.lower, found.upper, found.because) == (here.lower, here.upper, here.because)
        assert str(found).startswith("ε ∈ [0.846302, 0.846303], because ")  # rounded outwards
        assert anybody.delta(plan, epsilon=1).upper == dpc.delta(plan, epsilon=1).upper
        assert anybody.ask("calibrate", mechanism="Gaussian(noise_std=?)", epsilon=1, delta="1e-6")["value"]
        with pytest.raises(Refusal, match="needs a token") as caught:
            next(anybody.accounts())
        assert caught.value.problem["status"] == 401
