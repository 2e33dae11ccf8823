"""The few statements of a spend, written in SQLAlchemy Core, compiled once, and given to the driver directly.

A spend waits for the disk once, and should do little else: the driver gets texts and plain values, and questions that
do not depend on each other travel to a server together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect, and_, bindparam, func, insert, literal_column, select, update
from sqlalchemy.dialects import postgresql, sqlite

from dpcompose.ledger.chain import Head
from dpcompose.ledger.errors import StoreError
from dpcompose.ledger.stores.tables import BALANCE, ENTRY, EPOCH, HEAD

DIALECTS: dict[str, Dialect] = {
    "sqlite": sqlite.dialect(paramstyle="named"),
    "postgresql": postgresql.dialect(paramstyle="pyformat"),  # type: ignore[no-untyped-call]
}

_LOCK = select(HEAD.c.height, HEAD.c.hash).where(HEAD.c.chain == bindparam("c")).with_for_update()
_STEPS = (
    select(ENTRY.c.kind, ENTRY.c.body)
    .where(ENTRY.c.account == bindparam("a"), ENTRY.c.key == bindparam("k"))
    .order_by(ENTRY.c.phase)
)
_LATER = EPOCH.alias("later")
_NEWEST = select(func.max(_LATER.c.number)).where(_LATER.c.account == EPOCH.c.account).scalar_subquery()
_DEBIT = (
    update(BALANCE)
    .where(BALANCE.c.epoch == bindparam("e"), BALANCE.c.place == bindparam("p"))
    .where(
        and_(
            BALANCE.c.used + bindparam("more") <= BALANCE.c.cap,
            BALANCE.c.used + bindparam("more") >= literal_column("0"),
        )
    )
    .values(used=BALANCE.c.used + bindparam("more"))
)
_CHECKED = (
    update(BALANCE)
    .where(BALANCE.c.epoch == bindparam("e"), BALANCE.c.place == bindparam("p"))
    .values(used=BALANCE.c.used + bindparam("more"))
)
"""A debit guarded by the table's CHECK, which aborts the transaction: for a batch that ends in its COMMIT."""
_FORWARD = (
    update(HEAD)
    .where(HEAD.c.chain == bindparam("c"), HEAD.c.hash == bindparam("before"))
    .values(height=bindparam("h"), hash=bindparam("x"))
)


def _balances(count: int) -> Any:
    """A query for the balances of this many accounts in their newest epochs."""
    asked: list[Any] = [bindparam(f"a{i}") for i in range(count)]
    return (
        select(EPOCH.c.account, EPOCH.c.id, BALANCE.c.place, BALANCE.c.cap, BALANCE.c.used)
        .join(BALANCE, BALANCE.c.epoch == EPOCH.c.id)
        .where(EPOCH.c.account.in_(asked), EPOCH.c.number == _NEWEST)
        .order_by(EPOCH.c.account, BALANCE.c.place)
    )


@lru_cache(maxsize=512)
def compiled(name: str, dialect: str, count: int = 0) -> str:
    """The text of a statement for one driver."""
    made = {
        "lock": _LOCK,
        "steps": _STEPS,
        "debit": _DEBIT,
        "checked": _CHECKED,
        "entry": insert(ENTRY),
        "forward": _FORWARD,
    }
    statement = _balances(count) if name == "balances" else made[name]
    return str(statement.compile(dialect=DIALECTS[dialect]))


class StoredCoordinate(NamedTuple):
    """One coordinate of one account's balance, as stored."""

    account: int
    epoch: int
    place: int
    cap: int
    used: int


class Found(NamedTuple):
    """What the store holds under the lock of a chain."""

    head: Head
    steps: list[tuple[str, str]]
    lines: list[StoredCoordinate]


Rows = Sequence[dict[str, Any]]


def ask(connection: Connection, chain: int, account: int, key: str, accounts: Sequence[int]) -> Found:
    """Lock a chain, then read the entries under a key and the balances of accounts."""
    kind = connection.dialect.name
    questions: list[tuple[str, dict[str, Any]]] = [(compiled("lock", kind), {"c": chain})]
    questions.append((compiled("steps", kind), {"a": account, "k": key}))
    if accounts:
        many = {f"a{i}": number for i, number in enumerate(accounts)}
        questions.append((compiled("balances", kind, len(accounts)), many))
    if connection.get_execution_options().get("dpcompose_note") and kind == "postgresql":
        questions.append(("SET LOCAL synchronous_commit TO off", {}))
    answers = executed(connection, questions)
    if not answers[0]:
        raise StoreError(f"The store has lost the chain {chain}: verify it.")
    lines = [StoredCoordinate(*row) for row in answers[2]] if accounts else []
    return Found(Head(chain, *answers[0][0]), [(step, body) for step, body in answers[1]], lines)


def keep(
    connection: Connection,
    head: Head,
    new: Head,
    charges: Iterable[tuple[int, int, int]],
    rows: Rows,
    *,
    last: bool,
) -> None:
    """Debit balances (epoch, place, units), add entries, move the head; each debit is guarded once more in its
    statement.

    The `last` batch of a transaction carries its COMMIT: a server then answers once, when all of it is durable.
    """
    kind = connection.dialect.name
    ends = last and kind == "postgresql"
    debits = [{"e": epoch, "p": place, "more": more} for epoch, place, more in charges if more]
    guard = compiled("checked" if ends else "debit", kind)
    acts: list[tuple[str, dict[str, Any]]] = [(guard, debit) for debit in debits]
    acts += [(compiled("entry", kind), row) for row in rows]
    acts.append((compiled("forward", kind), {"c": head.chain, "before": head.hash, "h": new.height, "x": new.hash}))
    expected = len(acts)
    if ends:
        acts.append(("COMMIT", {}))
    if any(count != 1 for count in done(connection, acts)[:expected]):
        raise StoreError("A balance changed although its chain was locked, so nothing was charged: verify the store.")


def executed(connection: Connection, questions: Sequence[tuple[str, dict[str, Any]]]) -> list[list[Any]]:
    """The rows of each question. A server gets all questions at once, and each sees the state when its turn comes."""
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        return [driver.execute(text, values).fetchall() for text, values in questions]
    with driver.pipeline():
        cursors = [driver.execute(text, values) for text, values in questions]
    return [cursor.fetchall() if cursor.description else [] for cursor in cursors]


def done(connection: Connection, acts: Sequence[tuple[str, dict[str, Any]]]) -> list[int]:
    """Run statements; returns how many rows each changed."""
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        return [driver.execute(text, values).rowcount for text, values in acts]
    with driver.pipeline():
        cursors = [driver.execute(text, values) for text, values in acts]
    return [cursor.rowcount for cursor in cursors]


__all__ = ["Found", "StoredCoordinate", "ask", "compiled", "done", "executed", "keep"]
