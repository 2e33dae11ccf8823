"""Tasks that write into the books. Each computes first, announces that it writes, and then takes one step of the
ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dpcompose.app.books import reach, views
from dpcompose.app.books.reach import Asker
from dpcompose.app.books.terms import caps, line
from dpcompose.app.reading import mechanism_in, relation
from dpcompose.errors import InvalidParameter, NotPermitted
from dpcompose.filters.charge import Charge
from dpcompose.ledger import Account, Book, Disjoint, Refused, making

Writes = Callable[[], None]
DOTS = {".", ".."}
"""Names that a path may not contain: clients and proxies would take them for folders."""
MOST_PROBLEMS = 100
"""Problems of a book that a verdict lists."""


def create(book: Book, asker: Asker, asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Make an account; whoever reaches only some accounts makes it below one of them. Repeated, it finds the same
    account.
    """
    said = asked["wish"]
    if said["name"] in DOTS:
        raise InvalidParameter("name", said["name"], "a name other than . and ..")
    if said["parent"] is None and asker.accounts is not None:
        raise NotPermitted("This token makes accounts below its own: name the parent.", "parent")
    parent = None if said["parent"] is None else reach.account(book, asker, said["parent"])
    plan = None if said["plan"] is None else mechanism_in(said["plan"])
    target = {"epsilon": None, **caps(said)}
    terms = making.terms_of(
        said["unit"], relation(said["adjacency"]), said["dataset"], plan=plan, blocks=said["blocks"]
    )
    chosen = said["filter"] or "zcdp"
    declared = making.declared(said["name"], parent, terms, target=target, chosen=chosen, plan=plan)
    writes()
    making.make(book, declared, again=asked["again"])
    return views.account(book.account(said["name"]), None if parent is None else parent.name)


def block(book: Book, asker: Asker, asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Make another block of a growing data set; an existing one is returned."""
    stream = reach.account(book, asker, asked["account"])
    line("block", asked["wish"]["name"])
    writes()
    return views.account(stream.open_block(asked["wish"]["name"]), stream.name)


def epoch(book: Book, asker: Asker, asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Set new caps, in a new epoch."""
    account = reach.account(book, asker, asked["account"])
    target = caps(asked["wish"])
    writes()
    account.raise_to(**target)
    return views.account(account, None)


def quote(book: Book, asker: Asker, asked: Mapping[str, Any], _writes: Writes) -> dict[str, Any]:
    """What it would cost, and whether it fits; nothing is charged."""
    account = reach.account(book, asker, asked["account"])
    wanted, blocks = _asked(asked["wish"]), asked["wish"]["blocks"]
    found = account.quote(wanted, blocks=blocks)
    why = found.why if found.fits else reach.sentence(book, asker, account.name, found.why)
    return {"schema": "dpc.quote/1", **views.quote(found, why, account.remaining(wanted, blocks=blocks))}


def spend(book: Book, asker: Asker, asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Charge a mechanism or set its cost aside; or refuse, and charge nothing."""
    said = asked["wish"]
    account = reach.account(book, asker, asked["account"])
    if said["key"] in DOTS:
        raise InvalidParameter("key", said["key"], "a key other than . and ..")
    wanted, blocks = _asked(said), said["blocks"]
    account.quote(wanted, blocks=blocks)  # the price is found, and kept, while this may still be ended
    take = account.spend if said["start"] else account.reserve
    writes()
    try:
        grant = take(
            wanted,
            key=said["key"],
            purpose=said["purpose"],
            who=asker.name,
            blocks=blocks,
            attempt=asked["attempt"],
        )
    except Refused as refused:
        raise reach.told(book, asker, account.name, refused) from None
    return views.grant(grant)


def _asked(said: Mapping[str, Any]) -> Any:
    """A mechanism, with the stated unit if there is one; or one mechanism for each part."""
    if (said["mechanism"] is None) == (said["parts"] is None):
        found = "neither" if said["parts"] is None else "both"
        raise InvalidParameter("mechanism, parts", found, "exactly one of the two")
    if said["parts"] is not None:
        return Disjoint({name: mechanism_in(each) for name, each in said["parts"].items()})
    mechanism = mechanism_in(said["mechanism"])
    if said["unit"] is None and said["adjacency"] is None and said["dataset"] is None:
        return mechanism
    about = None if said["adjacency"] is None else relation(said["adjacency"])
    return Charge(mechanism, said.get("purpose", ""), said["unit"], about, said["dataset"])


def step(book: Book, asker: Asker, asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Start, commit, cancel or abandon the grant under a key; an analyst only their own."""
    account: Account = reach.account(book, asker, asked["account"])
    grant = account.grant(asked["key"], attempt=asked["attempt"])
    if asker.role != "owner" and grant.who != asker.name:
        raise NotPermitted(f"{asked['key']!r} is somebody else's: its owner ends it.")
    said = asked["wish"]
    if said["answer"] is not None and asked["step"] == "commit":
        grant.keep(said["answer"])
    writes()
    if asked["step"] == "abandon":
        grant.abandon(said["why"])
    else:
        getattr(grant, asked["step"])()
    return views.grant(grant)


def checkpoint(book: Book, _asker: Asker, _asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Sign the heads of all chains, for somebody else to keep."""
    writes()
    return {"schema": "dpc.checkpoints/1", "checkpoints": list(book.checkpoint())}


def acknowledge(book: Book, asker: Asker, asked: Mapping[str, Any], writes: Writes) -> dict[str, Any]:
    """Book as spent what a restored backup has forgotten."""
    writes()
    said = book.acknowledge(who=asker.name, why=asked["wish"]["why"])
    return {"schema": "dpc.acknowledged/1", **views.acknowledged(said)}


def verify(book: Book, _asker: Asker, _asked: Mapping[str, Any], _writes: Writes) -> dict[str, Any]:
    """Replay the log by code that shares nothing with the code that wrote it."""
    return {"schema": "dpc.verdict/1", **views.verdict(book.verify(), MOST_PROBLEMS)}


WRITING = {
    "create": create,
    "block": block,
    "epoch": epoch,
    "quote": quote,
    "spend": spend,
    "step": step,
    "checkpoint": checkpoint,
    "acknowledge": acknowledge,
    "verify": verify,
}

__all__ = ["WRITING", "Writes"]
