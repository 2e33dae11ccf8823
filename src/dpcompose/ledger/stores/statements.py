"""The statements of a book, the same on both stores. Each runs inside a transaction that a store has begun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, bindparam, func, insert, or_, select

from dpcompose.ledger.chain import Head, linked
from dpcompose.ledger.errors import StoreError
from dpcompose.ledger.stores import hot
from dpcompose.ledger.stores.hot import StoredCoordinate
from dpcompose.ledger.stores.tables import ACCOUNT, BALANCE, BOOK, CHECKPOINT, ENTRY, EPOCH, HEAD

_HEAD = select(HEAD.c.height, HEAD.c.hash).where(HEAD.c.chain == bindparam("c")).with_for_update()
_LOOK = select(HEAD.c.height, HEAD.c.hash).where(HEAD.c.chain == bindparam("c"))


class UnlinkedEntry(NamedTuple):
    """An entry without its place in a chain."""

    kind: str
    content: Mapping[str, Any]
    account: int | None = None
    key: str | None = None
    phase: int | None = None


def locked(connection: Connection, chain: int) -> Head:
    """The head of a chain, locked until this transaction ends."""
    return _head(connection.execute(_HEAD, {"c": chain}).one_or_none(), chain)


def looked(connection: Connection, chain: int) -> Head | None:
    """The head of a chain as it is now, without a lock; None if there is no such chain."""
    row = connection.execute(_LOOK, {"c": chain}).one_or_none()
    return None if row is None else _head(row, chain)


def _head(row: Any, chain: int) -> Head:
    if row is None:
        raise StoreError(f"The store has lost the chain {chain}: verify it.")
    return Head(chain, *row)


def begun(connection: Connection, head: Head) -> None:
    """Begin a new chain."""
    connection.execute(insert(HEAD), {"chain": head.chain, "height": head.height, "hash": head.hash})


def steps(connection: Connection, account: int, key: str) -> list[tuple[str, str]]:
    """The entries under a key: kinds and texts, in order."""
    chosen = select(ENTRY.c.kind, ENTRY.c.body).filter_by(account=account, key=key).order_by(ENTRY.c.phase)
    return [(kind, body) for kind, body in connection.execute(chosen)]


def balances(connection: Connection, accounts: Iterable[int]) -> list[StoredCoordinate]:
    """The balances of accounts in their newest epochs."""
    asked = {f"a{i}": number for i, number in enumerate(accounts)}
    if not asked:
        return []
    text = hot.compiled("balances", connection.dialect.name, len(asked))
    return [StoredCoordinate(*row) for row in hot.executed(connection, [(text, asked)])[0]]


def appended(
    connection: Connection,
    head: Head,
    drafts: Sequence[UnlinkedEntry],
    charges: Sequence[tuple[int, int, int]] = (),
    *,
    last: bool = False,
) -> Head:
    """Link entries to a locked chain, together with their debits (epoch, place, units)."""
    rows, new = [], head
    for draft in drafts:
        body, new = linked(new, {**draft.content, "kind": draft.kind})
        named = {"account": draft.account, "key": draft.key, "phase": draft.phase, "kind": draft.kind}
        rows.append({"chain": new.chain, "height": new.height, **named, "body": body, "hash": new.hash})
    hot.keep(connection, head, new, charges, rows, last=last)
    return new


def checkpointed(connection: Connection, head: Head, key: str, body: str, signature: str) -> None:
    """Store a signed head."""
    named = {"chain": head.chain, "height": head.height, "key": key}
    found = select(CHECKPOINT.c.key).filter_by(**named)
    if connection.execute(found).first() is None:
        connection.execute(insert(CHECKPOINT), {**named, "body": body, "signature": signature})


def identity(connection: Connection) -> str | None:
    """The identity of the book; None if there is none yet."""
    found: str | None = connection.execute(select(BOOK.c.store)).scalar()
    return found


def named(connection: Connection, name: str) -> Any:
    """The row of an account, by its name."""
    return connection.execute(select(ACCOUNT).where(ACCOUNT.c.name == name)).one_or_none()


def numbered(connection: Connection, account: int) -> Any:
    """The row of an account, by its number."""
    return connection.execute(select(ACCOUNT).where(ACCOUNT.c.id == account)).one()


def below(connection: Connection, account: int) -> list[Any]:
    """The accounts directly below an account."""
    return list(connection.execute(select(ACCOUNT).where(ACCOUNT.c.parent == account).order_by(ACCOUNT.c.id)))


def every_account(connection: Connection) -> list[Any]:
    """All accounts, in the order in which they were made."""
    return list(connection.execute(select(ACCOUNT).order_by(ACCOUNT.c.id)))


def epochs(connection: Connection, account: int) -> list[Any]:
    """The epochs of an account, oldest first."""
    return list(connection.execute(select(EPOCH).where(EPOCH.c.account == account).order_by(EPOCH.c.number)))


def used_in(connection: Connection, epoch: int) -> list[int]:
    """What was used of an epoch's coordinates."""
    chosen = select(BALANCE.c.used).where(BALANCE.c.epoch == epoch).order_by(BALANCE.c.place)
    return [row[0] for row in connection.execute(chosen)]


def next_id(connection: Connection, table: Any) -> int:
    """A number that no row has yet; the caller holds the lock of the registry."""
    return int(connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()) + 1


def newest(connection: Connection, account: int, most: int, kinds: Sequence[str]) -> list[str]:
    """The texts of an account's last entries of these kinds, newest first."""
    chosen = select(ENTRY.c.body).where(ENTRY.c.account == account, ENTRY.c.kind.in_(kinds))
    return [row[0] for row in connection.execute(chosen.order_by(ENTRY.c.height.desc()).limit(most))]


def entries(connection: Connection, accounts: Sequence[int], after: int = 0, most: int | None = None) -> list[Any]:
    """Entries of some accounts of one chain, in the order in which they were made."""
    chosen = select(ENTRY).where(ENTRY.c.account.in_(accounts), ENTRY.c.height > after, ENTRY.c.chain > 0)
    chosen = chosen.order_by(ENTRY.c.height)
    return list(connection.execute(chosen if most is None else chosen.limit(most)))


def entry_hash(connection: Connection, chain: int, height: int) -> str | None:
    """The hash of one entry; None if there is no such entry."""
    found: str | None = connection.execute(select(ENTRY.c.hash).filter_by(chain=chain, height=height)).scalar()
    return found


def latest(connection: Connection, chain: int, most: int) -> list[str]:
    """The texts of the newest reservations among a chain's last entries, newest first."""
    top = connection.execute(select(HEAD.c.height).where(HEAD.c.chain == chain)).scalar_one()
    chosen = select(ENTRY.c.body).where(ENTRY.c.chain == chain, ENTRY.c.height > top - 3 * most)
    return [
        row[0] for row in connection.execute(chosen.where(ENTRY.c.kind == "reserve").order_by(ENTRY.c.height.desc()))
    ]


def creation(connection: Connection, account: int) -> Any:
    """The entry that made an account."""
    return connection.execute(select(ENTRY).filter_by(account=account, kind="create")).one()


def account_of(connection: Connection, epoch: int) -> int:
    """The account to which an epoch belongs."""
    return int(connection.execute(select(EPOCH.c.account).where(EPOCH.c.id == epoch)).scalar_one())


def entry_at(connection: Connection, chain: int, height: int) -> tuple[str, str]:
    """The kind and the hash of one entry."""
    kind, mark = connection.execute(select(ENTRY.c.kind, ENTRY.c.hash).filter_by(chain=chain, height=height)).one()
    return kind, mark


def page(connection: Connection, after: tuple[int, int], most: int) -> list[Any]:
    """The next entries after this chain and height, over all chains."""
    later = or_(ENTRY.c.chain > after[0], and_(ENTRY.c.chain == after[0], ENTRY.c.height > after[1]))
    return list(connection.execute(select(ENTRY).where(later).order_by(ENTRY.c.chain, ENTRY.c.height).limit(most)))


def charges_of(connection: Connection, chain: int) -> list[Any]:
    """Every entry of a chain that changed a balance."""
    chosen = select(ENTRY).where(ENTRY.c.chain == chain, ENTRY.c.kind.in_(("reserve", "cancel", "lost")))
    return list(connection.execute(chosen.order_by(ENTRY.c.height)))
