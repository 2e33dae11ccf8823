"""The stores against a simple model: a dictionary of keys and two sums, driven by the same steps."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import dpcompose as dpc
from cases import scaled
from dpcompose import ledger
from postgres_server import Server

pytestmark = pytest.mark.slow

KEYS = st.sampled_from(["a", "b", "c", "d"])
COSTS = st.sampled_from([1, 2, 3, 5])
WHO = st.sampled_from(["parent", "child"])
CAPS = {"parent": 8, "child": 6}


def step(units: int) -> dpc.BlackBox:
    return dpc.BlackBox(epsilon=Fraction(units, 10))


class Books(RuleBasedStateMachine):
    """A child under a parent; every rule does to the model what it does to the book."""

    urls: ClassVar[list[str]] = []
    folder: ClassVar[Path]

    def __init__(self) -> None:
        super().__init__()
        self.book = ledger.open(next(self.fresh()), state=self.folder)
        for name, parent in (("parent", None), ("child", "parent")):
            self.book.create(name, epsilon=Fraction(CAPS[name], 10), unit="u", filter="basic", parent=parent)
        self.known: dict[tuple[str, str], tuple[int, str]] = {}

    @classmethod
    def fresh(cls):
        raise NotImplementedError

    def used(self, account: str) -> int:
        held = [
            cost for (who, _), (cost, state) in self.known.items() if state != "cancelled" and who in {account, "child"}
        ]
        own = [cost for (who, _), (cost, state) in self.known.items() if state != "cancelled" and who == account]
        return sum(held if account == "parent" else own)

    def room(self, who: str) -> int:
        scopes = ["child", "parent"] if who == "child" else ["parent"]
        return min(CAPS[scope] - self.used(scope) for scope in scopes)

    def asked(self, who: str, key: str, cost: int, *, start: bool) -> None:
        account = self.book.account(who)
        call = account.spend if start else account.reserve
        known = self.known.get((who, key))
        if known is not None and known[0] != cost:
            with pytest.raises(ledger.KeyConflict):
                call(step(cost), key=key)
        elif known is None and cost > self.room(who):
            with pytest.raises(ledger.Refused):
                call(step(cost), key=key)
        elif start and known is not None and known[1] == "cancelled":
            with pytest.raises(ledger.WrongState):
                call(step(cost), key=key)
        else:
            state = "reserved" if known is None else known[1]
            after = "started" if start and state == "reserved" else state
            grant = call(step(cost), key=key)
            assert (grant.state, grant.fresh) == (after, start and state == "reserved")
            self.known[who, key] = (cost, after)

    @rule(who=WHO, key=KEYS, cost=COSTS)
    def spend(self, who: str, key: str, cost: int) -> None:
        self.asked(who, key, cost, start=True)

    @rule(who=WHO, key=KEYS, cost=COSTS)
    def reserve(self, who: str, key: str, cost: int) -> None:
        self.asked(who, key, cost, start=False)

    @rule(who=WHO, key=KEYS, act=st.sampled_from(["start", "cancel", "commit", "abandon"]))
    def finish(self, who: str, key: str, act: str) -> None:
        account = self.book.account(who)
        if (who, key) not in self.known:
            with pytest.raises(ledger.WrongState):
                account.grant(key)
            return
        cost, state = self.known[who, key]
        before, after = {
            "start": ("reserved", "started"),
            "cancel": ("reserved", "cancelled"),
            "commit": ("started", "committed"),
            "abandon": ("started", "abandoned"),
        }[act]
        started = state in {"started", "committed", "abandoned"}
        if state == before:
            getattr(account.grant(key), act)()
            self.known[who, key] = (cost, after)
        elif state == after or (act == "start" and started):
            assert getattr(account.grant(key), act)().state == state
        else:
            with pytest.raises(ledger.WrongState):
                getattr(account.grant(key), act)()

    @rule()
    def reopen(self) -> None:
        url = self.book.desk.store.address
        self.book.close()
        self.book = ledger.open(url, state=self.folder)

    @invariant()
    def balances_are_the_models(self) -> None:
        for name in ("parent", "child"):
            assert self.book.account(name).used["epsilon"] * 10 == self.used(name)

    def teardown(self) -> None:
        verdict = self.book.verify()
        self.book.close()
        assert verdict.holds, verdict.problems


@pytest.mark.parametrize("kind, examples", [("sqlite", 12), ("postgresql", 6)])
def test_the_stores_do_what_the_model_does(kind: str, examples: int, server: Server) -> None:
    with tempfile.TemporaryDirectory() as folder:
        count = iter(range(10**6))

        class Machine(Books):
            @classmethod
            def fresh(cls):
                while True:
                    yield f"sqlite:///{folder}/{next(count)}.db" if kind == "sqlite" else server.database()

        Machine.folder = Path(folder)
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=scaled(examples),
                stateful_step_count=25,
                suppress_health_check=list(HealthCheck),
            ),
        )
