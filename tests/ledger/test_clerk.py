"""The books for many, without a service: what somebody is shown, what they are refused, and in which words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import dpcompose as dpc
from dpcompose.app.books.clerk import Clerk
from dpcompose.errors import NotPermitted, OutOfReach

CAPS = {"leak": None, "orders": None, "adjacency": None, "filter": None, "dataset": None, "plan": None}
PLAIN = {"parts": None, "blocks": None, "unit": None, "adjacency": None, "dataset": None}
OWNER = {"name": "olga", "role": "owner", "accounts": None}


def analyst(*accounts: str, name: str = "ana") -> dict[str, Any]:
    return {"name": name, "role": "analyst", "accounts": list(accounts)}


class Desk:
    """Tasks by name, each for somebody; it remembers how often something was about to be written."""

    def __init__(self, clerk: Clerk) -> None:
        self.tasks, self.writes = clerk.tasks(), 0

    def __call__(self, task: str, asker: Mapping[str, Any], **asked: Any) -> dict[str, Any]:
        return dict(self.tasks[task]({"asker": asker, **asked}, self._wrote))

    def _wrote(self) -> None:
        self.writes += 1

    def make(self, name: str, epsilon: str, parent: str | None = None) -> None:
        wish = {"name": name, "unit": "person", "epsilon": epsilon, "delta": "1e-6", "parent": parent, "blocks": False}
        self("create", OWNER, wish=CAPS | wish, again=True)

    def spend(self, asker: Mapping[str, Any], account: str, mechanism: str, key: str | None = None) -> dict[str, Any]:
        wish = {**PLAIN, "mechanism": mechanism, "key": key, "purpose": "", "start": True}
        return self("spend", asker, account=account, wish=wish, attempt=None)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    clerk = Clerk(f"sqlite:///{tmp_path}/books.db")
    with clerk.book:
        found = Desk(clerk)
        found.make("north", "1")
        found.make("wide  one", "5", parent="north")
        found.make("south", "1")
        found.writes = 0
        yield found


@pytest.mark.parametrize("task", ["account", "holds", "burndown", "quote", "spend"])
def test_what_is_out_of_reach_does_not_exist(desk: Desk, task: str) -> None:
    said = []
    for name in ("south", "nixon"):
        with pytest.raises(OutOfReach) as refused:
            desk(task, analyst("north"), account=name, wish={**PLAIN, "mechanism": "Laplace(scale=9)", "key": None})
        assert (refused.value.what, refused.value.name) == ("account", name)
        said.append(str(refused.value).replace(name, "…"))
    assert said[0] == said[1]
    assert desk.writes == 0


def test_a_refusal_tells_nothing_about_an_account_above(desk: Desk) -> None:
    """The account has room, and the one above it has not."""
    with pytest.raises(dpc.release.OverBudget, match="An account above 'wide  one' refuses") as refused:
        desk.spend(analyst("wide  one"), "wide  one", "Laplace(scale=2)")
    assert not hasattr(refused.value, "scope")
    with pytest.raises(dpc.ledger.Refused, match="'north' refuses: it takes") as told:
        desk.spend(analyst("north"), "wide  one", "Laplace(scale=2)")
    assert told.value.scope == "north"


def test_a_refusal_by_an_account_within_reach_is_told_in_full(desk: Desk) -> None:
    with pytest.raises(dpc.ledger.Refused, match="'wide  one' refuses: it takes") as refused:
        desk.spend(analyst("wide  one"), "wide  one", "Laplace(scale=0.01)")
    assert refused.value.scope == "wide  one"


def test_who_may_see_a_part_does_only_what_is_theirs(desk: Desk) -> None:
    desk.spend(analyst("north"), "north", "Laplace(scale=100)", "hers")
    ended = {"account": "north", "key": "hers", "step": "commit", "wish": {"answer": None, "why": ""}, "attempt": None}
    writes = desk.writes
    with pytest.raises(NotPermitted, match="its owner ends it"):
        desk("step", analyst("north", name="bob"), **ended)
    wish = CAPS | {"name": "own", "unit": "person", "epsilon": "1", "delta": "0", "parent": None, "blocks": False}
    with pytest.raises(NotPermitted, match="name the parent") as refused:
        desk("create", {**OWNER, "accounts": ["north"]}, wish=wish, again=True)
    assert refused.value.parameter == "parent"
    assert desk.writes == writes
    assert desk("step", analyst("north"), **ended)["state"] == "committed"
    assert desk.writes == writes + 1
