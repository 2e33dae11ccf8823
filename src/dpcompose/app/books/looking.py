"""Tasks that only read the books. Each takes what was asked and returns a document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from sqlalchemy import Connection, and_, exists, select

from dpcompose.app.books import reach, views
from dpcompose.app.books.reach import Asker
from dpcompose.ledger import Book
from dpcompose.ledger.history import Entry, entry
from dpcompose.ledger.reports.burndown import burndown
from dpcompose.ledger.reports.statement import STYLE
from dpcompose.ledger.stores import statements
from dpcompose.ledger.stores.tables import ENTRY

AT_ONCE = 500
MOST_LOOKED = 10_000
"""Entries that one request looks at, whatever it filters by."""
MOST_HOLDS = 500
MOST_POINTS = 400


def accounts(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The accounts within reach, oldest first, so many at a time."""
    rows = list(reach.visible(book, asker))
    names = {row.id: row.name for row in rows}
    after, most = int(asked["after"]), int(asked["limit"])
    chosen = [row for row in rows if row.id > after]
    found = [{"id": row.id, **views.account(book.account(row.name), names.get(row.parent))} for row in chosen[:most]]
    more = chosen[most - 1].id if len(chosen) > most else None
    return {"schema": "dpc.accounts/1", "accounts": found, "total": len(rows), "next": more}


def account(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """One account."""
    found = reach.account(book, asker, asked["account"])
    path = book.desk.read(lambda connection: reach.above(connection, found.name))
    shown = path[1] if len(path) > 1 and asker.reaches(path[1:]) else None
    return views.account(found, shown)


def history(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of an account that pass the filters, a page at a time, and where the next page begins."""
    found = reach.account(book, asker, asked["account"])
    numbers = reach.below(book, found) if asked["below"] else [found.id]
    newest, most = asked["order"] == "newest", int(asked["limit"])
    within = None if asker.accounts is None else {row.name for row in reach.visible(book, asker)}
    kept: list[dict[str, Any]] = []
    for looked, each in enumerate(_entries(book, numbers, asked["after"], newest=newest), 1):
        if _passes(each, asked):
            kept.append(views.entry(each, within))
        if len(kept) == most or looked == MOST_LOOKED:
            return {"schema": "dpc.history/1", "entries": kept, "next": each.height}
    return {"schema": "dpc.history/1", "entries": kept, "next": None}


def _entries(book: Book, accounts: list[int], after: int | None, *, newest: bool) -> Iterator[Entry]:
    """Entries of accounts of one tree, a few hundred at a time."""
    order = ENTRY.c.height.desc() if newest else ENTRY.c.height
    while True:
        chosen = select(ENTRY).where(ENTRY.c.account.in_(accounts), ENTRY.c.chain > 0).order_by(order).limit(AT_ONCE)
        if after is not None:
            chosen = chosen.where(ENTRY.c.height < after if newest else ENTRY.c.height > after)
        rows = book.desk.read(partial(_rows, chosen=chosen))
        yield from map(entry, rows)
        if len(rows) < AT_ONCE:
            return
        after = rows[-1].height


def _rows(connection: Connection, chosen: Any) -> list[Any]:
    return list(connection.execute(chosen))


def _passes(found: Entry, asked: Mapping[str, Any]) -> bool:
    said = {"kind": found.kind, "key": found.key, "who": found.who}
    if any(asked[name] is not None and said[name] != asked[name] for name in said):
        return False
    if asked["since"] is not None and found.at < asked["since"]:
        return False
    if asked["until"] is not None and found.at > asked["until"]:
        return False
    wanted = (asked["text"] or "").casefold()
    return wanted in f"{found.purpose} {found.mechanism} {found.key}".casefold() if wanted else True


def holds(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The grants of an account and of those below it that have not ended: reserved or started."""
    found = reach.account(book, asker, asked["account"])
    later = ENTRY.alias()
    ended = and_(later.c.account == ENTRY.c.account, later.c.key == ENTRY.c.key)
    over = exists().where(ended, (later.c.phase == 3) | (later.c.kind == "cancel"))
    begun = exists().where(ended, later.c.kind == "start")
    chosen = (
        select(ENTRY.c.body, ENTRY.c.account, begun.label("started"))
        .where(ENTRY.c.account.in_(reach.below(book, found)), ENTRY.c.kind == "reserve", ~over)
        .order_by(ENTRY.c.height)
        .limit(MOST_HOLDS)
    )
    rows = book.desk.read(partial(_rows, chosen=chosen))
    return {"schema": "dpc.holds/1", "account": found.name, "holds": [_hold(row) for row in rows]}


def _hold(row: Any) -> dict[str, Any]:
    document = json.loads(row.body)
    told = {name: document.get(name, "") for name in ("account", "key", "at", "who", "purpose")}
    found = Entry(0, told["at"], told["account"], "reserve", told["key"], document, "")
    return {**told, "state": "started" if row.started else "reserved", "mechanism": found.mechanism}


def goes_down(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The share of each cap that was left after each charge; of many charges only some, with the first and the last."""
    found = burndown(reach.account(book, asker, asked["account"]))
    count = len(found.times) + 1
    step = max(1, -(-count // MOST_POINTS))
    chosen = sorted({*range(0, count, step), count - 1})
    times = ["", *found.times]
    left = {name: [shares[i] for i in chosen] for name, shares in found.left.items()}
    return {"schema": "dpc.burndown/1", "account": found.account, "at": [times[i] for i in chosen], "left": left}


def statement(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The privacy statement, or its page, which brings its `STYLE` along."""
    found = reach.account(book, asker, asked["account"]).statement()
    return {"html": found.html()} if asked["html"] else found.document()


def grant(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """What stands under a key."""
    return views.grant(reach.account(book, asker, asked["account"]).grant(asked["key"]))


def ready(book: Book, _asker: Asker, _asked: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the books can be read."""
    return {"book": book.desk.read(statements.identity)}


def reached(book: Book, asker: Asker, _asked: Mapping[str, Any]) -> dict[str, Any]:
    """The names of all accounts within reach."""
    return {"accounts": [row.name for row in reach.visible(book, asker)]}


def names(book: Book, asker: Asker, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Whether accounts are all within reach; a refusal names the first that is not."""
    for name in asked["accounts"]:
        reach.account(book, asker, name)
    return {}


LOOKING = {
    "accounts": accounts,
    "account": account,
    "history": history,
    "holds": holds,
    "burndown": goes_down,
    "statement": statement,
    "grant": grant,
    "ready": ready,
    "names": names,
    "reached": reached,
}

__all__ = ["LOOKING", "STYLE"]
