"""The desk: it runs each step of the protocol in one transaction, on either store.

Everything that takes time (reading a mechanism, finding its cost) is done before. Under the lock of the chain the desk
reads what is stored, asks the protocol what follows, and writes the debit and its entries together or not at all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from dpcompose.ledger import steps
from dpcompose.ledger.chain import Head
from dpcompose.ledger.checkpoints import EVERY, Signer
from dpcompose.ledger.clocks import Clock, utc
from dpcompose.ledger.errors import Rewound, WrongState
from dpcompose.ledger.mark import Mark, SeenAccount
from dpcompose.ledger.protocol import LEADS, Act, Balance, Documents, Outcome, Scope, Seen, Step, Used, transition
from dpcompose.ledger.stores import Store, hot, statements
from dpcompose.ledger.stores.hot import StoredCoordinate


class Outdated(Exception):
    """Raised when accounts have changed since the request was priced: a cap was raised, or a block was added."""


@dataclass
class Desk:
    """A store, with what this machine keeps for it: high-water mark, signing key and clock."""

    store: Store
    mark: Mark
    signer: Signer
    clock: Clock
    known: dict[int, Head] = field(default_factory=dict)
    """The highest head of each chain that this process has seen."""

    def take(self, step: Step, before: Documents, *, durable: bool = True) -> Outcome:
        """Run a step in one transaction; a step that was taken already is only looked up.

        `before` holds the entries that the caller knows to exist under the key. Most steps are plain and are then done
        by the store's fast path.
        """
        outcome = self._plainly(step, before, durable=durable)
        if outcome is None:
            outcome = self.store.write(lambda connection: self._taken(connection, step), durable=durable)
        if durable and not outcome.marked:
            names = {scope.account: scope.name for scope in step.scopes}
            self.mark.remember(*steps.memories(outcome.head, outcome.used, names))
        self.known[step.chain] = outcome.head
        return outcome

    def _plainly(self, step: Step, before: Documents, *, durable: bool) -> Outcome | None:
        """The step by the store's fast path; None if it is not plain, or if the store did not answer."""
        known, folder = self.known.get(step.chain), str(self.mark.folder)
        made = steps.prepared(step, before, known, folder=folder, at=utc(self.clock()), durable=durable)
        placed = None if made is None else self.store.plain(made.plain, lambda kept: steps.marked(self.mark, kept))
        return None if made is None or placed is None else steps.outcome(step, before, made, placed)

    def look(self, account: int, chain: int, key: str) -> Outcome:
        """The state of a key; nothing is changed."""

        def work(connection: Connection) -> Outcome:
            past = _past(connection, account, key)
            if not past:
                raise WrongState(f"There is nothing under the key {key!r}.")
            return Outcome(LEADS[Act([*past][-1])][1], past, statements.looked(connection, chain) or Head(chain, 0, ""))

        return self.store.read(work)

    def _taken(self, connection: Connection, step: Step) -> Outcome:
        accounts = sorted({scope.account for scope in step.scopes})
        head, past, found = hot.ask(connection, step.chain, step.account, step.key, accounts)
        self.not_rewound(connection, head)
        documents: dict[str, Mapping[str, Any]] = {kind: json.loads(body) for kind, body in past}
        state = LEADS[Act([*documents][-1])][1] if documents else None
        lines: Sequence[StoredCoordinate] = ()
        if state is None and step.scopes:
            lines = _present(found, step.scopes)
        seen = Seen(state, documents.get("reserve", {}).get("what"), _by_scope(lines, step.scopes))
        effect = transition(seen, step.acts, step.what, [scope.cost for scope in step.scopes], step.key)
        if not effect.acts:
            if head.height and head.height % EVERY == 0:
                self._checkpoint(connection, head)
            return Outcome(effect.state, documents, head)
        charges = self._charges(step, effect.sign, documents, lines)
        changes = [(c["epoch"], place, int(n)) for c in charges for place, n in enumerate(c["change"])]
        made = steps.drafts(step, effect.acts, charges, utc(self.clock()))
        due = head.height // EVERY != (head.height + len(made)) // EVERY
        new = statements.appended(connection, head, made, changes, last=not due)
        if due:
            self._checkpoint(connection, new)
        documents |= {draft.kind: draft.content for draft in made}
        used: Used = {}
        for line in lines:
            used.setdefault(line.account, (line.epoch, []))[1].append(_after(line, charges))
        return Outcome(effect.state, documents, new, used)

    def _charges(
        self, step: Step, sign: int, documents: Mapping[str, Mapping[str, Any]], lines: Sequence[StoredCoordinate]
    ) -> list[dict[str, Any]]:
        """The charge of each account (negative: given back), with its use afterwards."""
        if sign > 0:
            used = {(line.epoch, line.place): line.used for line in lines}
            return [_charge(scope, used) for scope in step.scopes]
        if sign < 0:
            return [
                {"account": c["account"], "epoch": c["epoch"], "change": [str(-int(n)) for n in c["change"]]}
                for c in documents["reserve"]["charges"]
            ]
        return []

    def _checkpoint(self, connection: Connection, new: Head) -> None:
        body, signature = self.signer.signed(new, utc(self.clock()))
        statements.checkpointed(connection, new, self.signer.public, body, signature)

    def not_rewound(self, connection: Connection, head: Head) -> None:
        """Refuse a store that is older than what this machine has seen of it. After the first time this is one
        comparison.
        """
        known = self.known.get(head.chain)
        if known is not None:
            behind = head.height < known.height or (head.height == known.height and head.hash != known.hash)
        else:
            memory = self.mark.recall(head.chain)
            behind = memory is not None and not holds(connection, head, memory)
        if behind:
            raise Rewound(
                f"{self.store.shown} is older than what this machine has seen of it: it was restored from a backup, or "
                "cut. Whatever was spent since is missing; `dpcompose ledger acknowledge` books it as spent."
            )

    def read(self, work: Callable[[Connection], Any]) -> Any:
        """Run work that only reads, without a lock."""
        return self.store.read(work)


def _present(lines: Sequence[StoredCoordinate], scopes: Sequence[Scope]) -> Sequence[StoredCoordinate]:
    """The balances, if they belong to the epochs for which the request was priced."""
    if {(line.account, line.epoch) for line in lines} != {(scope.account, scope.epoch) for scope in scopes}:
        raise Outdated
    return lines


def _past(connection: Connection, account: int, key: str) -> dict[str, Mapping[str, Any]]:
    """The entries under a key, by kind, in order."""
    return {kind: json.loads(body) for kind, body in statements.steps(connection, account, key)}


def holds(connection: Connection, head: Head, memory: SeenAccount) -> bool:
    """Whether a chain still contains the entry that was seen of it."""
    if head.height < memory.height:
        return False
    return memory.height == 0 or statements.entry_hash(connection, head.chain, memory.height) == memory.hash


def _by_scope(lines: Sequence[StoredCoordinate], scopes: Sequence[Scope]) -> tuple[tuple[Balance, ...], ...]:
    rows: dict[int, list[Balance]] = {scope.account: [] for scope in scopes}
    for line in lines:
        rows[line.account].append(Balance(line.cap, line.used))
    return tuple(tuple(rows[scope.account]) for scope in scopes) if lines else ()


def _charge(scope: Scope, used: Mapping[tuple[int, int], int]) -> dict[str, Any]:
    return steps.charged(scope, [str(used[scope.epoch, place] + more) for place, more in enumerate(scope.cost)])


def _after(line: StoredCoordinate, charges: Sequence[Mapping[str, Any]]) -> int:
    return line.used + sum(int(charge["change"][line.place]) for charge in charges if charge["epoch"] == line.epoch)


__all__ = ["Desk", "Outdated", "holds"]
