"""What a book promises, the same on every store."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dpcompose as dpc
from dpcompose import ledger
from dpcompose.ledger import State

TENTH = dpc.BlackBox(epsilon=0.1)


@pytest.fixture
def account(book: ledger.Book) -> ledger.Account:
    return book.create("census", epsilon=0.3, unit="person", filter="basic")


def test_the_names_of_the_contract(book: ledger.Book) -> None:
    account = book.create(
        "census", epsilon=1, delta=1e-6, unit="person", adjacency=dpc.ADD_REMOVE, filter="zcdp", parent=None
    )
    assert book.account("census").id == account.id
    quote = account.quote(dpc.Laplace(scale=10))
    assert quote.fits
    assert quote.cost["rho"] > 0
    assert quote.left["rho"] > quote.cost["rho"]
    assert "census" in quote.why
    with account.spend(dpc.Laplace(scale=10), key="q-1", purpose="count by region") as grant:
        assert grant.fresh
        assert grant.cost == quote.cost
    assert account.guarantee == (1, Fraction(1, 10**6))
    assert account.remaining(dpc.Laplace(scale=10)) == 3
    assert [entry.kind for entry in account.history()] == ["reserve", "start", "commit"]
    assert account.history()[0].purpose == "count by region"
    verdict = book.verify()
    assert (verdict.holds, verdict.problems, verdict.entries) == (True, (), 5)


def test_a_quote_leaves_no_trace(book: ledger.Book, account: ledger.Account) -> None:
    before = book.verify().entries
    assert all(account.quote(TENTH).fits for _ in range(5))
    assert not account.quote(dpc.BlackBox(epsilon=0.4)).fits
    assert book.verify().entries == before
    assert account.left["epsilon"] == Fraction(3, 10)


def test_three_tenths_hold_three_tenths(account: ledger.Account) -> None:
    for i in range(3):
        account.spend(TENTH, key=str(i))
    assert account.left["epsilon"] == 0
    with pytest.raises(ledger.Refused):
        account.spend(dpc.BlackBox(epsilon=1e-15))


@pytest.mark.parametrize(
    "chosen, delta, step, count",
    [
        ("zcdp", 1e-6, dpc.BlackBox(epsilon=0.01), 487),
        ("gdp", 1e-6, dpc.BlackBox(mu=0.01), 560),
        ("basic", 0, dpc.BlackBox(epsilon=0.01), 100),
    ],
)
def test_nothing_is_lost_to_the_units(book: ledger.Book, chosen: str, delta, step, count: int) -> None:
    account = book.create("x", epsilon=1, delta=delta, unit="person", filter=chosen)
    assert account.remaining(step) == count
    account.spend(count * step)
    assert account.remaining(step) == 0


def test_the_same_key_is_the_same_grant(account: ledger.Account) -> None:
    first = account.spend(TENTH, key="k")
    again = account.spend(TENTH, key="k", purpose="another word for it")
    assert (first.fresh, again.fresh) == (True, False)
    assert again.at == first.at
    first.keep([1, "two"])
    first.commit()
    assert account.spend(TENTH, key="k").answer == [1, "two"]
    assert account.left["epsilon"] == Fraction(2, 10)
    with pytest.raises(ledger.KeyConflict, match="'k'"):
        account.spend(dpc.BlackBox(epsilon=0.2), key="k")
    assert account.left["epsilon"] == Fraction(2, 10)


def test_keys_of_different_accounts_are_different(book: ledger.Book, account: ledger.Account) -> None:
    other = book.create("other", epsilon=1, unit="person", filter="basic")
    account.spend(TENTH, key="k")
    other.spend(dpc.BlackBox(epsilon=0.2), key="k")
    assert other.left["epsilon"] == Fraction(8, 10)


def test_a_refusal_charges_nothing_and_says_what_would_fit(account: ledger.Account) -> None:
    account.spend(TENTH, who="ana")
    account.spend(TENTH, who="bob")
    before = account.history()
    with pytest.raises(ledger.Refused, match=r"'census'.*0\.2 of epsilon.*0\.1 of 0\.3.*ana.*fit") as refusal:
        account.spend(dpc.BlackBox(epsilon=0.2), key="k")
    assert refusal.value.scope == "census"
    assert account.history() == before
    assert account.spend(refusal.value.fits[0], key="k").fresh


def test_a_hold_can_be_cancelled_until_it_is_started(account: ledger.Account) -> None:
    held = account.reserve(dpc.BlackBox(epsilon=0.3), key="held")
    assert held.state is State.RESERVED
    with pytest.raises(ledger.Refused):
        account.spend(TENTH)
    held.cancel()
    assert account.left["epsilon"] == Fraction(3, 10)
    started = account.reserve(TENTH, key="started").start()
    with pytest.raises(ledger.WrongState, match="stays charged"):
        started.cancel()
    started.abandon("no output")
    assert account.left["epsilon"] == Fraction(2, 10)
    with pytest.raises(ledger.WrongState):
        started.commit()
    with pytest.raises(ledger.WrongState):
        account.spend(dpc.BlackBox(epsilon=0.3), key="held")


def test_an_exception_inside_leaves_the_charge_and_none_of_its_words(account: ledger.Account) -> None:
    with pytest.raises(ZeroDivisionError), account.spend(TENTH, key="k"):
        raise ZeroDivisionError("a secret")
    assert account.grant("k").state is State.ABANDONED
    assert "secret" not in str([entry.document for entry in account.history()])
    assert account.left["epsilon"] == Fraction(2, 10)


def test_a_tree_is_charged_all_or_nothing(book: ledger.Book) -> None:
    data = book.create("data", epsilon=0.3, unit="person", filter="basic")
    project = book.create("project", epsilon=0.2, unit="person", filter="basic", parent=data)
    ana, bob = (
        book.create(name, epsilon=epsilon, delta=1e-6, unit="person", filter=kind, parent="project")
        for name, kind, epsilon in (("ana", "basic", 0.2), ("bob", "zcdp", 1))
    )
    ana.spend(TENTH, key="1")
    bob.spend(TENTH, key="1")
    with pytest.raises(ledger.Refused, match="'project' refuses") as refusal:
        ana.spend(TENTH, key="2")
    assert refusal.value.scope == "project"
    assert "'bob'" in str(refusal.value)
    assert [a.left["epsilon"] for a in (data, project, ana)] == [Fraction(1, 10), 0, Fraction(1, 10)]
    data.spend(TENTH)
    assert book.verify().holds
    with pytest.raises(dpc.InvalidParameter, match="unit"):
        book.create("x", epsilon=1, unit="household", filter="basic", parent="data")


def test_blocks_are_charged_where_they_are_read(book: ledger.Book) -> None:
    stream = book.create("clicks", epsilon=0.3, unit="person", filter="basic", blocks=True)
    for day in ("mo", "tu", "we"):
        stream.open_block(day)
    stream.spend(TENTH, blocks=["mo", "tu"])
    stream.spend(dpc.BlackBox(epsilon=0.2), blocks=["tu", "we"])
    left = {block.name: block.left["epsilon"] * 10 for block in book.under(stream)}
    assert left == {"clicks/mo": 2, "clicks/tu": 0, "clicks/we": 1}
    with pytest.raises(ledger.Refused, match="'clicks/tu' refuses"):
        stream.spend(TENTH, blocks=["mo", "tu"])
    assert book.account("clicks/mo").left["epsilon"] == Fraction(2, 10)
    assert stream.guarantee == (Fraction(3, 10), 0)
    assert stream.open_block("mo").id == book.account("clicks/mo").id
    for blocks in (None, [], ["fr"]):
        with pytest.raises(dpc.InvalidParameter):
            stream.spend(TENTH, blocks=blocks)
    assert book.verify().holds


@pytest.mark.parametrize("adjacency, factor", [(dpc.ADD_REMOVE, 1), (dpc.REPLACE_ONE, 2)])
def test_disjoint_parts_cost_the_dearest_twice_if_a_unit_may_move(
    book: ledger.Book, adjacency: dpc.Adjacency, factor: int
) -> None:
    account = book.create("x", epsilon=1, unit="person", filter="basic", adjacency=adjacency)
    account.spend(ledger.Disjoint({"north": TENTH, "south": dpc.BlackBox(epsilon=0.05)}))
    assert account.used["epsilon"] == Fraction(factor, 10)
    stream = book.create("s", epsilon=1, unit="person", filter="basic", adjacency=adjacency, blocks=True)
    stream.open_block("a")
    stream.spend(TENTH, blocks=["a"])
    assert book.account("s/a").used["epsilon"] == Fraction(factor, 10)
    assert book.verify().holds


def test_a_plan_has_slots(book: ledger.Book) -> None:
    plan = 2 * dpc.Laplace(scale=10) + dpc.Gaussian(noise_std=5) + dpc.BlackBox(epsilon=0.5)
    account = book.create("study", delta=1e-6, unit="person", plan=plan)
    assert account.mode == "plan"
    assert account.guarantee.epsilon < Fraction(3, 2)
    account.spend(dpc.Laplace(scale=10))
    account.spend(dpc.Laplace(scale=12))
    account.spend(dpc.Gaussian(noise_std=6))
    account.spend(dpc.RandomizedResponse(epsilon=0.4))
    assert not any(account.left.values())
    with pytest.raises(ledger.Refused):
        account.spend(dpc.Laplace(scale=10))
    with pytest.raises(dpc.InvalidParameter, match="slot"):
        account.spend(dpc.Gaussian(noise_std=4))
    with pytest.raises(dpc.InvalidParameter, match="epsilon"):
        book.create("dear", epsilon=0.1, delta=1e-6, unit="person", plan=plan)
    assert book.verify().holds


def test_a_raised_cap_is_a_new_epoch_and_the_guarantees_add_up(book: ledger.Book) -> None:
    account = book.create("x", epsilon=0.3, unit="person", filter="basic")
    assert account.raise_to(epsilon=0.2, delta=0) == (Fraction(2, 10), 0)  # nothing was spent yet
    held = account.reserve(TENTH, key="old")
    assert account.raise_to(epsilon=0.5, delta=0) == (Fraction(7, 10), 0)
    assert account.guarantee == (Fraction(7, 10), 0)
    assert account.left["epsilon"] == Fraction(5, 10)
    held.cancel()
    assert account.left["epsilon"] == Fraction(5, 10)
    with ledger.open(book.desk.store.address) as elsewhere:
        other = elsewhere.account("x")
        assert other.remaining(TENTH) == 5
        account.raise_to(epsilon=0.1, delta=0)
        other.spend(TENTH)  # it learns of the new epoch by itself
        with pytest.raises(ledger.Refused):
            other.spend(TENTH)
    assert book.verify().holds


@pytest.mark.parametrize(
    "asked, complaint",
    [
        (dpc.Laplace(scale=1, adjacency=dpc.REPLACE_ONE), "replace_one"),
        (dpc.BlackBox(epsilon=0), "costs something"),
        (dpc.Composition(), "costs something"),
        (dpc.BlackBox(epsilon=10**8), "refuses"),
        (dpc.NameAndShame(delta=0.5), "refuses"),
        ("Laplace(scale=1)", "refuses"),
        ("Laplace(scal=1)", "did you mean scale"),
        (7, "a mechanism such as"),
        (None, "a mechanism such as"),
    ],
)
def test_what_cannot_be_charged_is_refused_in_a_sentence(account: ledger.Account, asked, complaint: str) -> None:
    with pytest.raises(dpc.DPError, match=complaint) as refusal:
        account.spend(asked, key="k")
    assert "\n" not in str(refusal.value)
    assert not account.history()
    account.spend(TENTH, key="k")


@pytest.mark.parametrize("key", ["", "a\nb", "x" * 501, "\ud800", 3])
def test_a_key_is_a_line(account: ledger.Account, key: object) -> None:
    with pytest.raises(dpc.InvalidParameter, match="key"):
        account.spend(TENTH, key=key)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given, complaint",
    [
        ({"name": ""}, "account"),
        ({"unit": ""}, "unit"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": None}, "epsilon"),
        ({"filter": "pld"}, "filter"),
        ({"filter": "zcdp", "delta": 0}, "delta"),
        ({"adjacency": "add"}, "adjacency"),
        ({"parent": "nobody"}, "account"),
        ({"caps": 3}, "caps"),
        ({"name": "census"}, "census"),
    ],
)
def test_an_impossible_account_is_refused(book: ledger.Book, account: ledger.Account, given, complaint: str) -> None:
    declared = {"name": "x", "epsilon": 1, "delta": 0, "unit": "person", "filter": "basic"} | given
    with pytest.raises(dpc.DPError, match=complaint):
        book.create(declared.pop("name"), **declared)
    assert book.accounts() == (account,)


def test_two_books_are_one(book: ledger.Book, account: ledger.Account, url: str) -> None:
    with ledger.open(url) as other:
        other.account("census").spend(TENTH, key="there")
        account.spend(TENTH, key="here")
        assert other.account("census").left == account.left == {"epsilon": Fraction(1, 10), "delta": 0}
        assert other.id == book.id


def test_times_are_utc(url: str) -> None:
    import datetime as dt

    zone = dt.timezone(dt.timedelta(hours=5))
    times = iter([dt.datetime(2030, 1, 1, 3, tzinfo=zone)] * 20)
    with ledger.open(url, clock=lambda: next(times)) as book:
        account = book.create("x", epsilon=1, unit="person", filter="basic")
        assert account.spend(TENTH).at == "2029-12-31T22:00:00.000000Z"
