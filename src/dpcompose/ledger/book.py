"""A book: accounts in one store, made by `open`."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, insert

from dpcompose.description import ADD_REMOVE, Adjacency, Mechanism, Subject, described
from dpcompose.errors import InvalidParameter
from dpcompose.ledger import making
from dpcompose.ledger.accounts import Account
from dpcompose.ledger.chain import GENESIS, Head
from dpcompose.ledger.checkpoints import Signer
from dpcompose.ledger.clocks import Clock, now, utc
from dpcompose.ledger.desk import Desk
from dpcompose.ledger.epochs import Present
from dpcompose.ledger.errors import LedgerError
from dpcompose.ledger.history import Entry, entry
from dpcompose.ledger.mark import REGISTRY, Mark, SeenAccount, state_folder
from dpcompose.ledger.protocol import Scope
from dpcompose.ledger.recovery import acknowledged
from dpcompose.ledger.requests import Request, text
from dpcompose.ledger.rules import Rule, rule_of
from dpcompose.ledger.stores import Store, statements, store_at
from dpcompose.ledger.stores.hot import StoredCoordinate
from dpcompose.ledger.stores.tables import BOOK
from dpcompose.ledger.verify import Verdict, verified
from dpcompose.numerics.enclosure import Real

MOST_READY = 4096


class Recent(dict[tuple[int, int | bytes], tuple[Mechanism, Request, tuple[Scope, ...]]]):
    """Requests with their costs, remembered by account and request; emptied when it is full."""

    def __setitem__(self, key: tuple[int, int | bytes], value: tuple[Mechanism, Request, tuple[Scope, ...]]) -> None:
        """Keep an item; a full memory is emptied first."""
        if len(self) >= MOST_READY:
            self.clear()
        super().__setitem__(key, value)


class Book:
    """Accounts in one store. Safe to use from several threads, and from processes that were forked."""

    def __init__(self, store: Store, folder: Path, clock: Clock) -> None:
        """Migrate the schema, and refuse a store that is older than what this machine has seen of it."""
        store.migrate()
        self.id: str = store.read(statements.identity) or store.write(lambda c: _opened(c, utc(clock())))
        self.desk = Desk(store, Mark(folder, self.id), Signer(folder, self.id), clock)
        self._rules: dict[int, Rule] = {}
        self._present: dict[int, int] = {}
        self._accounts: dict[str, Account] = {}
        self.ready = Recent()

    def create(
        self,
        name: str,
        *,
        epsilon: Real | None = None,
        delta: Real = 0,
        unit: str,
        adjacency: Adjacency = ADD_REMOVE,
        filter: str = "zcdp",  # noqa: A002 - the word of the theory
        parent: str | Account | None = None,
        plan: Subject | None = None,
        blocks: bool = False,
        dataset: str | None = None,
        **caps: Any,
    ) -> Account:
        """A new account: fully adaptive with one filter, or with the slots of a `plan`, or with `blocks`."""
        planned = None if plan is None else described(plan, "plan")
        above = None if parent is None else self.account(parent.name if isinstance(parent, Account) else parent)
        made = making.declared(
            name,
            above,
            making.terms_of(unit, adjacency, dataset, plan=planned, blocks=blocks),
            target={"epsilon": epsilon, "delta": delta, **caps},
            chosen=filter,
            plan=planned,
        )
        making.make(self, made)
        return self.account(name)

    def account(self, name: str) -> Account:
        """The account of this name."""
        if name not in self._accounts:
            self._accounts[text("account", name)] = self._found(name)
        return self._accounts[name]

    def _found(self, name: str) -> Account:
        def work(connection: Connection) -> tuple[Any, list[Any]]:
            self._not_rewound(connection)
            row = statements.named(connection, name)
            if row is None:
                known = [found.name for found in statements.every_account(connection)[:5]]
                raise InvalidParameter("account", name, f"one of this book: {', '.join(known) or 'there is none yet'}")
            path, parent = [row], row.parent
            while parent is not None:
                path.append(statements.numbered(connection, parent))
                parent = path[-1].parent
            return row, path

        row, path = self.desk.read(work)
        terms = [json.loads(step.terms) for step in path]
        charged = tuple((s.id, s.name) for s, t in zip(path, terms, strict=True) if t["mode"] != "blocks")
        own = terms[0]
        adjacency = Adjacency(own["adjacency"])
        return Account(self, row.id, name, row.chain, own["unit"], adjacency, own["dataset"], own["mode"], charged)

    def accounts(self) -> tuple[Account, ...]:
        """All accounts, oldest first."""
        rows = self.desk.read(statements.every_account)
        return tuple(self.account(row.name) for row in rows)

    def under(self, account: Account) -> tuple[Account, ...]:
        """The accounts directly below one."""
        rows = self.desk.read(lambda connection: statements.below(connection, account.id))
        return tuple(self.account(row.name) for row in rows)

    def tree_history(self, account: Account) -> tuple[Entry, ...]:
        """Every entry that changed a balance in the account's tree."""
        rows = self.desk.read(lambda connection: statements.charges_of(connection, account.chain))
        return tuple(entry(row) for row in rows)

    def verify(self, progress: Callable[[int, int], None] | None = None, against: Sequence[Path] = ()) -> Verdict:
        """Replay the log from scratch, by code that shares nothing with the code that wrote it."""
        seen = [(m.account, m.chain, m.height, m.hash) for m in self.desk.mark.everything()]
        return verified(self.desk.store.address, seen=seen, against=against, progress=progress)

    def checkpoint(self) -> tuple[dict[str, Any], ...]:
        """Sign the head of every chain. Give the result to somebody else, who can hold the book to it later."""
        return making.checkpoints(self.desk)

    def acknowledge(self, *, who: str, why: str) -> tuple[str, ...]:
        """After a restored backup: book what the backup forgot as spent, so that the book may be used again."""
        said = acknowledged(self.desk, text("who", who), text("why", why))
        self.forget()
        self._accounts.clear()
        return said

    def rules(self, accounts: Sequence[int]) -> dict[int, tuple[int, Rule]]:
        """The newest epoch of accounts and its rule, from memory; the desk notices if a newer epoch exists."""
        if any(account not in self._present for account in accounts):
            self.present(accounts)
        return {a: (self._present[a], self._rules[self._present[a]]) for a in accounts}

    def present(self, accounts: Sequence[int]) -> dict[int, Present]:
        """The present state of accounts in the store."""

        def work(connection: Connection) -> dict[int, Present]:
            found: dict[int, list[StoredCoordinate]] = {}
            for line in statements.balances(connection, accounts):
                found.setdefault(line.account, []).append(line)
            return {
                a: Present(lines[0].epoch, self._rule(connection, a, lines[0].epoch), tuple(x.used for x in lines))
                for a, lines in found.items()
            }

        found: dict[int, Present] = self.desk.read(work)
        self._present.update({a: row.epoch for a, row in found.items()})
        return found

    def epochs(self, account: int, connection: Connection | None = None) -> list[tuple[int, Rule]]:
        """The epochs of an account, oldest first."""
        if connection is None:
            found: list[tuple[int, Rule]] = self.desk.read(lambda c: self.epochs(account, c))
            return found
        rows = statements.epochs(connection, account)
        return [(row.id, self._rule(connection, account, row.id)) for row in rows]

    def rule(self, epoch: int) -> Rule:
        """The rule of an epoch: how its charges add up."""
        if epoch not in self._rules:
            self.desk.read(lambda c: self._rule(c, statements.account_of(c, epoch), epoch))
        return self._rules[epoch]

    def _rule(self, connection: Connection, account: int, epoch: int) -> Rule:
        if epoch not in self._rules:
            terms = json.loads(statements.numbered(connection, account).terms)
            row = next(row for row in statements.epochs(connection, account) if row.id == epoch)
            self._rules[epoch] = rule_of(json.loads(row.rule), Adjacency(terms["adjacency"]))
        return self._rules[epoch]

    def blocks(self, stream: Account, names: Iterable[str]) -> list[tuple[int, str]]:
        """Blocks of an account, by name."""
        found = [self.account(f"{stream.name}/{name}") for name in names]
        return [(block.id, block.name) for block in found]

    def make_block(self, stream: Account, name: str) -> Account:
        """Make a block with the caps that its account declared; an existing block is returned."""
        full = f"{stream.name}/{text('block', name)}"
        rule = self.epochs(stream.id)[-1][1]
        with suppress(making.Exists):
            making.make(self, making.block(stream, full, rule))
        return self.account(full)

    def forget(self) -> None:
        """Forget which epoch every account is in, so that it is looked up again."""
        self._present.clear()
        self.ready.clear()

    def _not_rewound(self, connection: Connection) -> None:
        head = statements.looked(connection, REGISTRY)
        if head is None:
            raise LedgerError(f"{self.desk.store.shown} has lost its registry: verify it.")
        self.desk.not_rewound(connection, head)

    def close(self) -> None:
        """Close the store."""
        self.desk.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Book({self.desk.store.shown})"


def _opened(connection: Connection, at: str) -> str:
    """Begin the book in a new store, and return its identity; a book begun by another process is left as it is."""
    found = statements.identity(connection)
    if found is not None:
        return found
    store = secrets.token_hex(16)
    connection.execute(insert(BOOK), {"id": 1, "store": store, "created": at})
    statements.begun(connection, Head(REGISTRY, 0, GENESIS))
    first = statements.UnlinkedEntry("open", {"at": at, "store": store})
    statements.appended(connection, statements.locked(connection, REGISTRY), [first])
    return store


def open(url: str, *, state: str | Path | None = None, clock: Clock = now) -> Book:  # noqa: A001 - `ledger.open`
    """The book at `sqlite:///file` or `postgresql://…`; made if it is missing.

    ```python
    book = dpc.ledger.open("sqlite:///budget.db")
    account = book.create("census", epsilon=1, delta=1e-6, unit="person")
    with account.spend(dpc.Laplace(scale=10), key="q-1", purpose="count by region") as grant:
        ...  # read the data, add the noise, publish
    ```

    `state` is the folder for what this machine remembers of its books: by default the user's state folder.
    """
    store = store_at(url)
    try:
        return Book(store, state_folder() if state is None else Path(state), clock)
    except BaseException:
        store.close()
        raise


__all__ = ["Book", "SeenAccount", "open"]
