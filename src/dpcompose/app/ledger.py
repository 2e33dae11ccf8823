"""The use cases of the books for whoever holds all of one: texts come in, replies go out. Each opens the store and
closes it again; for many, who each see only a part, there is `books`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path
from typing import Any

from dpcompose import ledger, spec
from dpcompose.app.books import views
from dpcompose.app.books.terms import caps
from dpcompose.app.reading import Document, load, relation
from dpcompose.app.reply import Reply
from dpcompose.description import ADD_REMOVE
from dpcompose.errors import DPError, InvalidParameter
from dpcompose.ledger import making
from dpcompose.ledger.reports import burndown, exports
from dpcompose.ledger.rules import FilterRule
from dpcompose.numerics.enclosure import rounded
from dpcompose.release.charge.plan_file import PlanFile, mechanism_of
from dpcompose.release.charge.totals import Capped
from dpcompose.report import Sheet, Table
from dpcompose.spec.limits import contents

FINISHES = ("commit", "abandon", "cancel")


def init(store: str) -> Reply:
    """Make a book, or report on the existing one."""
    with ledger.open(store) as book:
        rows = [(a.name, a.mode, a.unit, str(a.guarantee)) for a in book.accounts()]
        accounts = [{"name": a.name, "mode": a.mode, "unit": a.unit} for a in book.accounts()]
        said = (f"The book {book.id} is ready; it has {len(rows)} account{'s' * (len(rows) != 1)}.",)
        table = (Table(("account", "mode", "unit", "guarantee"), tuple(rows)),) if rows else ()
        return _reply("dpc.book/1", said, table, {"book": book.id, "accounts": accounts})


def create(
    store: str, name: str, texts: Mapping[str, str | None], *, plan: Document | None = None, blocks: bool = False
) -> Reply:
    """Make an account from texts: epsilon, delta, unit, adjacency, filter, parent, leak, orders, dataset."""
    given: dict[str, Any] = {k: texts[k] for k in ("unit", "filter", "parent", "dataset") if texts.get(k) is not None}
    given |= caps(texts)
    given["adjacency"] = relation(texts.get("adjacency"))
    if plan is not None:
        given["plan"] = load(plan)
    with ledger.open(store) as book:
        account = book.create(name, blocks=blocks, **given)
        return _about(account, f"The account {name!r} is made.")


def open_block(store: str, name: str, block: str) -> Reply:
    """Open another block of a growing data set."""
    with ledger.open(store) as book:
        return _about(book.account(name).open_block(block), f"The block {block!r} is open.")


def raise_to(store: str, name: str, epsilon: str, delta: str) -> Reply:
    """Set new caps, in a new epoch."""
    with ledger.open(store) as book:
        account = book.account(name)
        total = account.raise_to(**caps({"epsilon": epsilon, "delta": delta}))
        return _about(account, f"A new epoch is open. With those before it {name!r} now guarantees {total}.")


def quote(store: str, name: str, mechanism: Document, blocks: Sequence[str] = ()) -> Reply:
    """What a mechanism would cost, and whether it fits."""
    with ledger.open(store) as book:
        account = book.account(name)
        found = account.quote(load(mechanism), blocks=list(blocks) or None)
        more = account.remaining(load(mechanism), blocks=list(blocks) or None)
    said = (found.why, f"{more} such requests fit.")
    return replace(_reply("dpc.quote/1", said, (), views.quote(found, found.why, more)), holds=found.fits)


def spend(
    store: str, name: str, mechanism: Document, texts: Mapping[str, str | None], blocks: Sequence[str] = ()
) -> Reply:
    """Charge durably; after that the mechanism may run."""
    with ledger.open(store) as book:
        account = book.account(name)
        given = {key: value for key, value in texts.items() if value is not None}
        grant = account.spend(load(mechanism), blocks=list(blocks) or None, **given)
        left = ", ".join(f"{rounded(n, ROUND_FLOOR)} {c}" for c, n in account.left.items())
        new = "charged, and may run now" if grant.fresh else f"{grant.state} since {grant.at}: nothing more is charged"
        said = (f"{grant.key!r} is {new}.", f"Left: {left}.")
        return _reply("dpc.grant/1", said, (), views.charged(grant))


def finish(store: str, name: str, key: str, act: str) -> Reply:
    """Commit, abandon or cancel the grant under a key."""
    if act not in FINISHES:
        raise InvalidParameter("step", act, " or ".join(FINISHES))
    with ledger.open(store) as book:
        grant = book.account(name).grant(key)
        getattr(grant, act)()
        return _reply("dpc.grant/1", (f"{key!r} is {grant.state}.",), (), {"key": key, "state": str(grant.state)})


def history(store: str, name: str, most: int) -> Reply:
    """The last entries of an account, newest last."""
    with ledger.open(store) as book:
        entries = book.account(name).history()
    rows = tuple(
        (str(e.height), f"{e.at[:19]}Z", e.kind, e.key, " ".join(filter(None, (e.mechanism, e.purpose, e.who))))
        for e in entries[-most:]
    )
    note = f"{len(entries) - most} earlier entries are not shown." if len(entries) > most else ""
    table = Table(("", "at", "step", "key", "what"), rows, note=note)
    document = {"entries": [{**e.document, "hash": e.hash} for e in entries[-most:]], "total": len(entries)}
    said = (f"{len(entries)} entries of {name!r}.",)
    return _reply("dpc.history/1", said, (table,) if rows else (), document)


def statement(store: str, name: str, html: Path | None = None, picture: Path | None = None) -> Reply:
    """The privacy statement as text and as a page, and the picture of what is left."""
    with ledger.open(store) as book:
        account = book.account(name)
        found = account.statement()
        drawn = None if picture is None else burndown.burndown(account)
    if html is not None:
        try:
            html.write_text(found.html(), encoding="utf-8")
        except OSError as error:
            raise DPError(f"The file {str(html)!r} cannot be written: {error.strerror}.") from None
    if picture is not None and drawn is not None:
        try:
            figure = drawn.figure()
        except ModuleNotFoundError as missing:
            raise DPError(str(missing)) from None
        Reply(figure).save(picture)
    rows = tuple((c["name"], c["used"], c["cap"], c["left"]) for c in found.content["coordinates"])
    runs = tuple((str(c["count"]), c["mechanism"]) for c in found.content["charged"])
    tables = [Table(("sum", "charged", "cap", "left"), rows)]
    tables += [Table(("times", "mechanism"), runs)] if runs else []
    said = (f"{name}: {found.content['claim']}", f"Because {found.content['because']}.")
    return _reply("dpc.statement/1", said, tuple(tables), found.document())


def verify(store: str, against: Sequence[Path] = (), progress: Callable[[int, int], None] | None = None) -> Reply:
    """Replay the log; anything wrong that is found refutes the book."""
    with ledger.open(store) as book:
        verdict = book.verify(progress, against)
    said = tuple(str(verdict).splitlines())
    return replace(_reply("dpc.verdict/1", said, (), views.verdict(verdict)), holds=verdict.holds)


def checkpoint(store: str) -> str:
    """Sign the heads of all chains, as JSON for somebody else to keep."""
    with ledger.open(store) as book:
        return json.dumps(book.checkpoint(), indent=2)


def acknowledge(store: str, who: str, why: str) -> Reply:
    """Book as spent what a restored backup has forgotten."""
    with ledger.open(store) as book:
        document = views.acknowledged(book.acknowledge(who=who, why=why))
    return _reply("dpc.acknowledged/1", tuple(document["said"]), (), document)


def export(store: str, path: Path) -> Reply:
    """Write all entries as a table into a file."""
    with ledger.open(store) as book:
        count = exports.export(book, path)
    said = f"{count} entries are in {str(path)!r}."
    return _reply("dpc.export/1", (said,), (), {"entries": count, "file": str(path)})


def import_plan(store: str, path: Path, name: str | None, unit: str | None) -> Reply:
    """Move a plan file into a store: the same caps, and every charge of the file under a key that makes repetition
    safe.
    """
    plan = PlanFile.read(path.name, contents(path))
    if not isinstance(plan.total, Capped):
        raise DPError(f"{path.name!r} is a plan that is fixed in advance: make an account with --plan instead.")
    whom, called = unit or plan.protects.unit, name or path.stem
    if whom is None:
        raise DPError(f"{path.name!r} does not say whom it hides: name the privacy unit with --unit.")
    adjacency = plan.protects.adjacency or ADD_REMOVE
    rule = FilterRule(replace(plan.total.filter, adjacency=adjacency))
    terms = making.terms_of(whom, adjacency, plan.protects.dataset, plan=None, blocks=False)
    steps = [mechanism_of(path.name, i, row) for i, row in enumerate(plan.entries, 1)]
    whole = [rule.cost(step) for step in steps]
    if any(sum(costs) > cap for costs, cap in zip(zip(*whole, strict=True), rule.caps, strict=False)):
        raise DPError(f"{path.name!r} is full to the last digit, and does not fit when rounded up: nothing was moved.")
    with ledger.open(store) as book:
        making.make(book, making.Declared(called, None, terms, rule), again=True)
        account = book.account(called)
        for i, (step, row) in enumerate(zip(steps, plan.entries, strict=True), 1):
            purpose = str(row.get("purpose", ""))
            account.spend(step, key=f"{path.name}#{i}", purpose=purpose, who="import").commit()
        return _about(account, f"{len(steps)} charges of {path.name!r} are in the account {called!r}.")


def _about(account: ledger.Account, sentence: str) -> Reply:
    rows = tuple(
        (name, rounded(used, ROUND_CEILING), rounded(account.left[name], ROUND_FLOOR))
        for name, used in account.used.items()
    )
    document = {"account": account.name, "mode": account.mode, "unit": account.unit, "left": views.exact(account.left)}
    document["guarantee"] = [spec.written(x) for x in account.guarantee]
    said = (sentence, f"It guarantees {account.guarantee}.")
    return _reply("dpc.account/1", said, (Table(("sum", "charged", "left"), rows),), document)


def _reply(schema: str, said: tuple[str, ...], tables: tuple[Table, ...], document: Mapping[str, Any]) -> Reply:
    found = Sheet(schema, said, tables, document)
    return Reply(found, sheet=found)


__all__ = [
    "acknowledge",
    "checkpoint",
    "create",
    "export",
    "finish",
    "history",
    "import_plan",
    "init",
    "open_block",
    "quote",
    "raise_to",
    "spend",
    "statement",
    "verify",
]
