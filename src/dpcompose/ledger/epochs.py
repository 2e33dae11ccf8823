"""Epochs: caps never change, so raising one opens an epoch with caps of its own, and the guarantees add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert

from dpcompose.errors import InvalidParameter
from dpcompose.filters import Filter
from dpcompose.filters.odometer import Running, ladder_of
from dpcompose.ledger.chain import canonical
from dpcompose.ledger.clocks import utc
from dpcompose.ledger.mark import REGISTRY
from dpcompose.ledger.rules import FilterRule, Guarantee, Rule, exact, filter_rule
from dpcompose.ledger.stores import statements
from dpcompose.ledger.stores.tables import BALANCE, EPOCH
from dpcompose.numerics.enclosure import Real

if TYPE_CHECKING:
    from dpcompose.ledger.accounts import Account


@dataclass(frozen=True, slots=True)
class Present:
    """The state of an account in its newest epoch, as stored."""

    epoch: int
    rule: Rule
    used: tuple[int, ...]

    @property
    def left(self) -> tuple[int, ...]:
        """What is left of each coordinate."""
        return tuple(cap - used for cap, used in zip(self.rule.caps, self.used, strict=True))

    @property
    def shares(self) -> list[Fraction]:
        """What is left as a share of each cap."""
        return [Fraction(n, cap or 1) for n, cap in zip(self.left, self.rule.caps, strict=True)]


def present(account: Account) -> Present:
    """The state of an account that holds a budget; of an account with blocks, that of the block with least left."""
    if account.mode != "blocks":
        return account.book.present([account.id])[account.id]
    found = account.book.present([block.id for block in account.book.under(account)])
    if not found:
        rule = account.book.epochs(account.id)[-1][1]
        return Present(0, rule, (0,) * len(rule.caps))
    return min(found.values(), key=lambda row: row.shares)


def guarantee(account: Account) -> Guarantee:
    """The sum of the guarantees of the epochs that were charged and of the present one; with blocks, their greatest."""
    if account.mode == "blocks":
        own = account.book.epochs(account.id)[-1][1].guarantee
        every = [guarantee(block) for block in account.book.under(account)]
        return Guarantee(*(max(values) for values in zip(own, *every, strict=True)))
    return summed(account.book.desk.read(lambda connection: charged(account, connection)))


def charged(account: Account, connection: Connection) -> list[Guarantee]:
    """The guarantees of the present epoch and of every earlier one in which something was charged."""
    rows = account.book.epochs(account.id, connection)
    spent = [epoch for epoch, _ in rows if any(statements.used_in(connection, epoch))]
    return [rule.guarantee for epoch, rule in rows if epoch in spent or epoch == rows[-1][0]]


def summed(every: Sequence[Guarantee]) -> Guarantee:
    """The guarantee of several epochs, one after the other: ε and δ add up, however the later caps were chosen."""
    return Guarantee(sum((g.epsilon for g in every), Fraction(0)), sum((g.delta for g in every), Fraction(0)))


def running(account: Account, delta: Real) -> Running:
    """An upper bound on the ε of all charges in every epoch, by the ladder that was fixed when the account was made."""
    rows = account.book.epochs(account.id)
    first = rows[0][1]
    if not isinstance(first, FilterRule):
        raise InvalidParameter("account", account.name, "an adaptive one: a plan's claim is that of the whole plan")
    chosen = first.filter
    ladder = ladder_of(
        chosen.name, delta=delta, leak=_set_apart(chosen), expected=chosen.epsilon, adjacency=account.adjacency
    )
    return ladder.reading(_charged_ever(account, rows))


def _set_apart(chosen: Filter) -> Fraction:
    return Fraction(0) if chosen.name in {"basic", "gdp"} else chosen.leak


def _charged_ever(account: Account, rows: Sequence[tuple[int, Rule]]) -> tuple[Fraction, ...]:
    if account.mode == "blocks":
        return tuple(exact(present(account).rule, present(account).used).values())
    spent = account.book.desk.read(lambda connection: [statements.used_in(connection, epoch) for epoch, _ in rows])
    every = [exact(rule, used).values() for (_, rule), used in zip(rows, spent, strict=True)]
    return tuple(sum(values, Fraction(0)) for values in zip(*every, strict=True))


def raised(account: Account, *, epsilon: Real, delta: Real, **more: Any) -> Guarantee:
    """Open an epoch with new caps; what was reserved in the old one stays there."""
    if account.mode == "plan":
        raise InvalidParameter("account", account.name, "an adaptive one: a longer plan is another account")
    old = account.book.epochs(account.id)[-1][1]
    assert isinstance(old, FilterRule)  # noqa: S101 - for the type checker
    rule = filter_rule(old.filter.name, account.adjacency, epsilon=epsilon, delta=delta, **more)

    def work(connection: Connection) -> Guarantee:
        registry = statements.locked(connection, REGISTRY)
        head = statements.locked(connection, account.chain)
        account.book.desk.not_rewound(connection, registry)
        account.book.desk.not_rewound(connection, head)
        before = [] if account.mode == "blocks" else charged_before(account, connection)
        total = summed([*before, rule.guarantee])
        number, epoch = len(account.book.epochs(account.id, connection)) + 1, statements.next_id(connection, EPOCH)
        kept(connection, epoch, account.id, number, rule.document(), balances=account.mode != "blocks")
        said = {"account": account.id, "at": utc(account.book.desk.clock()), "epoch": epoch, "number": number}
        stated = {"epsilon": str(total.epsilon), "delta": str(total.delta)}
        content = {**said, "guarantee": stated, "rule": rule.document()}
        statements.appended(connection, registry, [statements.UnlinkedEntry("epoch", content, account.id)])
        return total

    total = account.book.desk.store.write(work)
    account.book.forget()
    return total


def charged_before(account: Account, connection: Connection) -> list[Guarantee]:
    """The guarantees of all epochs in which something was charged."""
    rows = account.book.epochs(account.id, connection)
    return [rule.guarantee for epoch, rule in rows if any(statements.used_in(connection, epoch))]


def kept(
    connection: Connection, epoch: int, account: int, number: int, rule: Mapping[str, Any], *, balances: bool
) -> None:
    """Write an epoch, with its balances all unused."""
    row = {"id": epoch, "account": account, "number": number, "rule": canonical(rule)}
    connection.execute(insert(EPOCH), row)
    if balances:
        rows = [{"epoch": epoch, "place": i, "cap": int(cap), "used": 0} for i, cap in enumerate(rule["caps"])]
        connection.execute(insert(BALANCE), rows)


__all__ = ["Present", "guarantee", "kept", "present", "raised", "running"]
