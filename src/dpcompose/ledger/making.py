"""Making accounts: they are declared, checked, and entered into the registry."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.ledger.chain import Head, canonical
from dpcompose.ledger.clocks import utc
from dpcompose.ledger.desk import Desk
from dpcompose.ledger.epochs import kept
from dpcompose.ledger.errors import LedgerError
from dpcompose.ledger.mark import REGISTRY, SeenAccount
from dpcompose.ledger.requests import text
from dpcompose.ledger.rules import Rule, filter_rule, plan_rule
from dpcompose.ledger.stores import statements
from dpcompose.ledger.stores.tables import ACCOUNT, EPOCH, HEAD

if TYPE_CHECKING:
    from dpcompose.ledger.accounts import Account
    from dpcompose.ledger.book import Book

DEEPEST = 16


class Exists(LedgerError):
    """An account name that is taken."""


@dataclass(frozen=True, slots=True)
class Declared:
    """An account to be made, checked."""

    name: str
    parent: Account | None
    terms: Mapping[str, Any]
    rule: Rule


def terms_of(
    unit: str, adjacency: Adjacency, dataset: str | None, *, plan: Mechanism | None, blocks: bool
) -> dict[str, Any]:
    """An account's terms: whose privacy it protects, and how its budget may be used."""
    if not isinstance(adjacency, Adjacency):
        raise InvalidParameter("adjacency", adjacency, "ADD_REMOVE or REPLACE_ONE")
    if plan is not None and blocks:
        raise InvalidParameter("plan", "with blocks", "a plan alone: it has no filter that blocks could share")
    if plan is not None and plan.adjacency not in (None, adjacency):
        raise InvalidParameter("plan", plan.adjacency, f"a plan stated for {adjacency.value}")
    mode = "plan" if plan is not None else "blocks" if blocks else "adaptive"
    about = None if dataset is None else text("dataset", dataset)
    return {"adjacency": adjacency.value, "dataset": about, "mode": mode, "unit": text("unit", unit)}


def declared(
    name: str,
    parent: Account | None,
    terms: dict[str, Any],
    *,
    target: dict[str, Any],
    chosen: str,
    plan: Mechanism | None,
) -> Declared:
    """Check a declaration and choose its caps, before anything is locked."""
    text("account", name)
    _fits_under(terms, parent)
    unknown = sorted(target.keys() - {"epsilon", "delta", "leak", "orders"})
    if unknown:
        raise InvalidParameter(unknown[0], target[unknown[0]], "nothing: beside ε and δ there are leak and orders")
    if plan is not None:
        if len(target) > 2:
            raise InvalidParameter("plan", "with leak or orders", "a plan alone: it has no filter")
        return Declared(name, parent, terms, plan_rule(plan, target["epsilon"], target["delta"]))
    if target["epsilon"] is None:
        raise InvalidParameter("epsilon", None, "a number; only a plan knows its own")
    return Declared(name, parent, terms, filter_rule(chosen, Adjacency(terms["adjacency"]), **target))


def block(stream: Account, name: str, rule: Rule) -> Declared:
    """The declaration of one block of an account with blocks."""
    terms = {"adjacency": stream.adjacency.value, "dataset": stream.dataset, "mode": "block", "unit": stream.unit}
    return Declared(text("block", name), stream, terms, rule)


def _fits_under(terms: Mapping[str, Any], parent: Account | None) -> None:
    if parent is None:
        return
    if parent.mode in {"blocks", "plan"}:
        raise InvalidParameter("parent", parent.name, "an adaptive account; blocks are opened with open_block")
    if len(parent.path) >= DEEPEST:
        raise InvalidParameter("parent", parent.name, f"a tree of at most {DEEPEST} levels")
    for name, own in (("unit", parent.unit), ("adjacency", parent.adjacency.value)):
        if terms[name] != own:
            raise InvalidParameter(name, terms[name], f"{own}, as in its parent: otherwise costs do not add up")


def make(book: Book, made: Declared, *, again: bool = False) -> None:
    """Enter an account into the registry; a root begins its own chain. `again` accepts an equal one that is there."""
    token = secrets.token_hex(8)
    parent, chain = (None, None) if made.parent is None else (made.parent.id, made.parent.chain)
    desk = book.desk

    def work(connection: Connection) -> tuple[SeenAccount, Mapping[str, Any]]:
        registry = statements.locked(connection, REGISTRY)
        desk.not_rewound(connection, registry)
        found = statements.named(connection, made.name)
        if found is not None:
            return _same(connection, found, token, made if again else None)
        account, epoch = statements.next_id(connection, ACCOUNT), statements.next_id(connection, EPOCH)
        content = {"account": account, "at": utc(desk.clock()), "epoch": epoch, "name": made.name, "parent": parent}
        content |= {"rule": made.rule.document(), "terms": dict(made.terms), "token": token}
        return entered(connection, registry, content, account if chain is None else chain), content

    memory, content = desk.store.write(work)
    desk.mark.declare(content["account"], content)
    desk.mark.remember(memory)


def entered(connection: Connection, registry: Head, content: Mapping[str, Any], chain: int) -> SeenAccount:
    """Write the rows of an account, and its entry in the registry."""
    row = {"id": content["account"], "name": content["name"], "parent": content["parent"], "chain": chain}
    connection.execute(insert(ACCOUNT), {**row, "terms": canonical(content["terms"])})
    holds = content["terms"]["mode"] != "blocks"
    kept(connection, content["epoch"], row["id"], content.get("number", 1), content["rule"], balances=holds)
    head = statements.appended(connection, registry, [statements.UnlinkedEntry("create", content, row["id"])])
    if chain == row["id"]:
        statements.begun(connection, Head(chain, 0, head.hash))
    return SeenAccount(REGISTRY, "", REGISTRY, head.height, head.hash)


def _same(
    connection: Connection, found: Any, token: str, made: Declared | None
) -> tuple[SeenAccount, Mapping[str, Any]]:
    """The existing account of this name, if this very call made it and its reply was lost; or the name is taken."""
    entry = statements.creation(connection, found.id)
    content = json.loads(entry.body)
    equal = made is not None and (made.rule.document(), dict(made.terms)) == (content["rule"], content["terms"])
    if content["token"] != token and not equal:
        raise Exists(f"There is an account {found.name!r} already: caps never change, and names are used once.")
    return SeenAccount(REGISTRY, "", REGISTRY, entry.height, entry.hash), content


def checkpoints(desk: Desk) -> tuple[dict[str, Any], ...]:
    """Sign the head of every chain, and keep the signatures in the book."""

    def work(connection: Connection) -> list[dict[str, Any]]:
        signed = []
        for row in connection.execute(select(HEAD).where(HEAD.c.height > 0).order_by(HEAD.c.chain)):
            head = Head(row.chain, row.height, row.hash)
            body, signature = desk.signer.signed(head, utc(desk.clock()))
            statements.checkpointed(connection, head, desk.signer.public, body, signature)
            signed.append({"checkpoint": json.loads(body), "signature": signature})
        return signed

    return tuple(desk.store.write(work))


__all__ = ["Declared", "Exists", "block", "checkpoints", "declared", "entered", "make", "terms_of"]
