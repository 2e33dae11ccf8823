"""Recovery after a restored backup: what the store forgot is booked as spent, from this machine's high-water mark.

If this machine has seen all that the store holds, the difference is booked. If not (somebody else has used the backup
since, or another machine spent before), everything remembered is booked on top, up to the cap. Either way no less than
was spent is booked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from dpcompose.ledger.chain import Head
from dpcompose.ledger.clocks import utc
from dpcompose.ledger.desk import Desk, holds
from dpcompose.ledger.making import entered
from dpcompose.ledger.mark import REGISTRY, SeenAccount
from dpcompose.ledger.stores import statements
from dpcompose.ledger.stores.hot import StoredCoordinate
from dpcompose.ledger.stores.statements import UnlinkedEntry

FARTHEST = 3000
"""How many entries are searched backwards for one that this machine has seen."""
NOTES = ("start", "commit", "abandon")
"""Entries that charge nothing."""


def acknowledged(desk: Desk, who: str, why: str) -> tuple[str, ...]:
    """Book everything that is missing, tree by tree; one sentence for each account."""
    by_chain: dict[int, list[SeenAccount]] = {}
    for memory in desk.mark.everything():
        by_chain.setdefault(memory.chain, []).append(memory)
    by_chain.pop(REGISTRY, None)
    said = {"who": who, "why": why}
    told = _registered(desk, said)
    for chain, seen in by_chain.items():
        told += _booked(desk, chain, seen, said)
    return tuple(told)


def _registered(desk: Desk, said: Mapping[str, str]) -> list[str]:
    """Make the accounts again that the store has lost."""
    memory = desk.mark.recall(REGISTRY)
    told: list[str] = []

    def work(connection: Connection) -> Head | None:
        told.clear()
        head = statements.locked(connection, REGISTRY)
        if memory is None or holds(connection, head, memory):
            return None
        present = {row.id for row in statements.every_account(connection)}
        for account, content in desk.mark.declared().items():
            if account not in present:
                parent = content["parent"]
                chain = account if parent is None else statements.numbered(connection, parent).chain
                kept = {key: value for key, value in content.items() if key not in {"chain", "height", "prev"}}
                entered(connection, statements.locked(connection, REGISTRY), kept, chain)
                told.append(f"{content['name']!r} was made again.")
        lost = {"at": utc(desk.clock()), "lost_hash": memory.hash, "lost_height": memory.height, **said}
        return statements.appended(connection, statements.locked(connection, REGISTRY), [UnlinkedEntry("lost", lost)])

    head = desk.store.write(work)
    if head is not None:
        desk.known.pop(REGISTRY, None)
        desk.mark.replace(SeenAccount(REGISTRY, "", REGISTRY, head.height, head.hash))
    return told


def _booked(desk: Desk, chain: int, seen: Sequence[SeenAccount], said: Mapping[str, str]) -> list[str]:
    top = max(seen, key=lambda memory: memory.height)

    def work(connection: Connection) -> tuple[Head, list[Any]] | None:
        head = statements.locked(connection, chain)
        if holds(connection, head, top):
            return None
        behind = _is_prefix(desk, connection, head)
        charges = [c for memory in seen if (c := _lost(connection, memory, behind=behind)) is not None]
        changes = [(c["epoch"], place, int(n)) for c in charges for place, n in enumerate(c["change"])]
        content = {"at": utc(desk.clock()), "charges": charges, "lost_hash": top.hash, "lost_height": top.height}
        drafts = [UnlinkedEntry("lost", {**content, **said}, chain)]
        return statements.appended(connection, head, drafts, changes), charges

    done = desk.store.write(work)
    if done is None:
        return []
    head, charges = done
    desk.known.pop(chain, None)
    used = {charge["epoch"]: tuple(map(int, charge["used"])) for charge in charges}
    for m in seen:
        found = used.get(m.epoch, m.used)
        desk.mark.replace(SeenAccount(m.account, m.name, chain, head.height, head.hash, m.epoch, found))
    return [f"{charge['account']!r}: what was lost is booked as spent." for charge in charges]


def _is_prefix(desk: Desk, connection: Connection, head: Head) -> bool:
    """Whether every charge that the store holds was seen by this machine."""
    for height in range(head.height, max(0, head.height - FARTHEST), -1):
        kind, mark = statements.entry_at(connection, head.chain, height)
        if desk.mark.saw(head.chain, height, mark):
            return True
        if kind not in NOTES:
            return False
    return head.height == 0


def _lost(connection: Connection, memory: SeenAccount, *, behind: bool) -> Mapping[str, Any] | None:
    """What to book for one account; never beyond its cap."""
    lines = [line for line in statements.balances(connection, [memory.account]) if line.epoch == memory.epoch]
    if not lines:
        return None
    change = [_missing(line, memory.used[line.place], behind=behind) for line in lines]
    used = [str(line.used + more) for line, more in zip(lines, change, strict=True)]
    if not any(change):
        return None
    return {"account": memory.name, "epoch": memory.epoch, "change": list(map(str, change)), "used": used}


def _missing(line: StoredCoordinate, remembered: int, *, behind: bool) -> int:
    wanted = max(0, remembered - line.used) if behind else remembered
    return min(wanted, line.cap - line.used)


__all__ = ["acknowledged"]
