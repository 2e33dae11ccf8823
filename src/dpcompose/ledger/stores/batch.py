"""Plain steps of several clients in one SQLite transaction: one wait for the disk, and balances read once.

A file has one writer at a time, so what it has read stays true until its COMMIT. A step that turns out not to be plain
is left out; every other is checked after all before it, as if it had come alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dpcompose.ledger.chain import Head
from dpcompose.ledger.checkpoints import EVERY
from dpcompose.ledger.errors import StoreError
from dpcompose.ledger.stores import hot
from dpcompose.ledger.stores.plain import Placed, Plain

_KINDS = "SELECT kind FROM entry WHERE account = ? AND key = ? ORDER BY phase"
_HEAD = "SELECT height, hash FROM head WHERE chain = ?"
_ENTRY = "INSERT INTO entry (chain, height, account, key, phase, kind, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_FORWARD = "UPDATE head SET height = ?, hash = ? WHERE chain = ? AND hash = ?"
_DEBIT = "UPDATE balance SET used = used + ?1 WHERE epoch = ?2 AND place = ?3 AND used + ?1 BETWEEN 0 AND cap"


def run(driver: Any, text: str, values: Any = ()) -> Any:
    """Run one statement."""
    return driver.execute(text, values)


def run_many(driver: Any, text: str, rows: Sequence[Any]) -> Any:
    """Run one statement for many rows."""
    return driver.executemany(text, rows)


@dataclass
class Coordinate:
    """A balance, as this transaction has changed it so far."""

    epoch: int
    cap: int
    used: int
    more: int = 0

    def fits(self, units: int) -> bool:
        """Whether this many units may be taken."""
        return 0 <= units <= self.cap - self.used

    def take(self, units: int) -> int:
        """Take this many units; returns what is then used."""
        self.used += units
        self.more += units
        return self.used


GONE = Coordinate(epoch=0, cap=-1, used=0)
"""A balance that stands for an epoch that is not the newest: no charge fits, not even one of 0 units."""


@dataclass
class Batch:
    """What one transaction has read, and what it is going to write."""

    driver: Any
    first: dict[int, Head] = field(default_factory=dict)
    heads: dict[int, Head] = field(default_factory=dict)
    balances: dict[int, dict[int, Coordinate]] = field(default_factory=dict)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    keys: set[tuple[int, str]] = field(default_factory=set)

    def place(self, plain: Plain) -> Placed | None:
        """Place a step after those before it; None if it is not plain, and then nothing of it is written."""
        head = self._head(plain.chain)
        due = head is not None and head.height // EVERY != (head.height + len(plain.pages)) // EVERY
        if head is None or due or plain.behind(head) or not self._next(plain):
            return None
        taken = [self._coordinate(debit.account, debit.epoch, debit.place) for debit in plain.debits]
        if any(not balance.fits(debit.units) for debit, balance in zip(plain.debits, taken, strict=True)):
            return None
        used = [balance.take(debit.units) for debit, balance in zip(plain.debits, taken, strict=True)]
        filled, self.heads[plain.chain] = plain.filled(head, used)
        for page, text, link in filled:
            self.rows.append(
                (link.chain, link.height, plain.account, plain.key, page.phase, page.kind, text, link.hash)
            )
        self.keys.add((plain.account, plain.key))
        new = self.heads[plain.chain]
        return Placed(new.height, new.hash, tuple(used))

    def write(self) -> None:
        """Write everything that was placed; each debit is guarded once more in its own statement."""
        counts = [
            run(self.driver, _DEBIT, (balance.more, balance.epoch, place)).rowcount
            for places in self.balances.values()
            for place, balance in places.items()
            if balance.more
        ]
        run_many(self.driver, _ENTRY, self.rows)
        for chain, head in self.heads.items():
            before = self.first[chain]
            if head is not before:
                counts.append(run(self.driver, _FORWARD, (head.height, head.hash, chain, before.hash)).rowcount)
        if any(count != 1 for count in counts):
            raise StoreError("A balance changed although it was locked, so nothing was charged: verify the store.")

    def _head(self, chain: int) -> Head | None:
        if chain not in self.heads:
            row = run(self.driver, _HEAD, (chain,)).fetchone()
            if row is None:
                return None
            self.first[chain] = self.heads[chain] = Head(chain, *row)
        return self.heads[chain]

    def _next(self, plain: Plain) -> bool:
        """Whether the step is the next one under its key."""
        if (plain.account, plain.key) in self.keys:
            return False
        found = run(self.driver, _KINDS, (plain.account, plain.key)).fetchall()
        return tuple(kind for (kind,) in found) == plain.past

    def _coordinate(self, account: int, epoch: int, place: int) -> Coordinate:
        if account not in self.balances:
            rows = run(self.driver, hot.compiled("balances", "sqlite", 1), {"a0": account}).fetchall()
            self.balances[account] = {place: Coordinate(epoch, cap, used) for _, epoch, place, cap, used in rows}
        found = self.balances[account].get(place, GONE)
        return found if found.epoch == epoch else GONE


__all__ = ["Batch"]
