"""The entries that a step writes, and what is then noted in the high-water mark.

Most steps are plain: the next step under their key. They are prepared before the lock is taken, and read back when a
store has written them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dpcompose.ledger.chain import SCHEMA, Head, quickly
from dpcompose.ledger.errors import StoreError
from dpcompose.ledger.mark import Mark, SeenAccount
from dpcompose.ledger.protocol import LEADS, PHASE, Act, Documents, Outcome, Scope, Step, Used
from dpcompose.ledger.stores.plain import BEFORE, HEIGHT, Debit, Page, Placed, Plain, used_hole
from dpcompose.ledger.stores.statements import UnlinkedEntry

PLAIN: Mapping[tuple[Act, ...], tuple[str, ...]] = {
    (Act.RESERVE,): (),
    (Act.RESERVE, Act.START): (),
    (Act.START,): ("reserve",),
    (Act.COMMIT,): ("reserve", "start"),
    (Act.ABANDON,): ("reserve", "start"),
}
"""Steps that may be plain, with the kinds of entries that must exist before."""


def drafts(step: Step, acts: Sequence[Act], charges: list[dict[str, Any]], at: str) -> list[UnlinkedEntry]:
    """The entries of steps that are taken together; purpose, who and why are in the first."""
    common = {"account": step.name, "at": at, "key": step.key, "token": step.token}
    made = []
    for act in acts:
        content: dict[str, Any] = {**common, **(step.said if act is acts[0] else {})}
        if act is Act.RESERVE:
            content |= {"what": step.what, "charges": charges}
        elif act is Act.CANCEL:
            content["charges"] = charges
        made.append(UnlinkedEntry(str(act), content, step.account, step.key, PHASE[act]))
    return made


def charged(scope: Scope, used: list[str]) -> dict[str, Any]:
    """One account's charge, as an entry states it."""
    return {"account": scope.name, "epoch": scope.epoch, "change": list(map(str, scope.cost)), "used": used}


def memories(head: Head, used: Used, names: Mapping[int, str]) -> list[SeenAccount]:
    """What to note in the high-water mark: each account that was debited, and the root of the tree in any case."""
    place = head.chain, head.height, head.hash
    seen = [SeenAccount(a, names[a], *place, epoch, tuple(now)) for a, (epoch, now) in used.items()]
    return seen if head.chain in used else [*seen, SeenAccount(head.chain, "", *place)]


class PreparedStep(NamedTuple):
    """A plain step, with what its caller needs afterwards."""

    plain: Plain
    drafts: list[UnlinkedEntry]
    charges: list[dict[str, Any]]


def prepared(
    step: Step, before: Documents, known: Head | None, *, folder: str, at: str, durable: bool
) -> PreparedStep | None:
    """The step with everything that can be prepared before the lock; None if it cannot be plain."""
    past = PLAIN.get(step.acts)
    if known is None or past is None or past != tuple(before) or "answer" in step.said:
        return None
    debits = tuple(Debit(s.account, s.epoch, place, n) for s in step.scopes for place, n in enumerate(s.cost))
    holes = iter(map(used_hole, range(len(debits))))
    charges = [charged(scope, [next(holes) for _ in scope.cost]) for scope in step.scopes]
    made = drafts(step, step.acts, charges, at)
    plain = Plain(
        chain=step.chain,
        account=step.account,
        key=step.key,
        past=past,
        known=(known.height, known.hash),
        pages=tuple(Page(draft.phase or 0, draft.kind, _page(step.chain, draft)) for draft in made),
        debits=debits,
        durable=durable,
        folder=folder,
        names=tuple(scope.name for scope in step.scopes for _ in scope.cost),
    )
    return PreparedStep(plain, made, charges)


def outcome(step: Step, before: Documents, made: PreparedStep, placed: Placed) -> Outcome:
    """The outcome of a plain step that the store has written."""
    used = _used(made.plain, placed)
    for scope, charge in zip(step.scopes, made.charges, strict=True):
        charge["used"] = list(map(str, used[scope.account][1]))
    documents = {**before, **{draft.kind: draft.content for draft in made.drafts}}
    return Outcome(LEADS[step.acts[-1]][1], documents, _head(made.plain, placed), used, placed.marked)


def marked(mark: Mark, kept: Sequence[tuple[Plain, Placed]]) -> list[Placed]:
    """Write the high-water mark for the durable steps of clients that share a folder, all at once."""
    folder = str(mark.folder)
    latest: dict[int, SeenAccount] = {}
    for plain, placed in kept:
        if plain.durable and plain.folder == folder:
            names = {debit.account: name for debit, name in zip(plain.debits, plain.names, strict=True)}
            for memory in memories(_head(plain, placed), _used(plain, placed), names):
                latest[memory.account] = memory.after(latest.get(memory.account))
    try:
        mark.remember(*latest.values())
    except StoreError:
        return [placed for _, placed in kept]  # each client finds the error by itself, and reports it
    return [Placed(*placed[:3], plain.folder == folder) for plain, placed in kept]


def _head(plain: Plain, placed: Placed) -> Head:
    return Head(plain.chain, placed.height, placed.hash)


def _used(plain: Plain, placed: Placed) -> Used:
    used: Used = {}
    for debit, now in zip(plain.debits, placed.used, strict=True):
        used.setdefault(debit.account, (debit.epoch, []))[1].append(now)
    return used


def _page(chain: int, draft: UnlinkedEntry) -> str:
    """The text of an entry, with holes for its place in the chain."""
    place = {"chain": chain, "height": HEIGHT, "kind": draft.kind, "prev": BEFORE, "schema": SCHEMA}
    return quickly({**draft.content, **place})


__all__ = ["charged", "drafts", "marked", "memories", "outcome", "prepared"]
