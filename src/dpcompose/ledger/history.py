"""The events of an account, read back from the log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcompose import spec
from dpcompose.ledger.desk import Desk
from dpcompose.ledger.stores import statements


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the log."""

    height: int
    at: str
    account: str
    kind: str
    key: str
    document: Mapping[str, Any]
    hash: str

    @property
    def purpose(self) -> str:
        """The purpose of the charge."""
        return str(self.document.get("purpose", ""))

    @property
    def who(self) -> str:
        """The user who asked for it."""
        return str(self.document.get("who", ""))

    @property
    def mechanism(self) -> str:
        """The mechanism that was to be run, as an expression; parts and blocks are named."""
        return described(self.document.get("what"))

    def __str__(self) -> str:
        said = " ".join(filter(None, (self.mechanism, self.purpose and f"“{self.purpose}”", self.who)))
        return f"{self.height:>6}  {self.at[:19]}Z  {self.kind:<8} {self.key}  {said}".rstrip()


def described(what: Mapping[str, Any] | None) -> str:
    """A request in one line."""
    if not what:
        return ""
    if "parts" in what:
        parts = ", ".join(f"{name}: {spec.dumps(spec.from_document(m))}" for name, m in what["parts"].items())
        text = f"disjoint {{{parts}}}"
    else:
        text = spec.dumps(spec.from_document(what["mechanism"]))
    return f"{text} on {', '.join(what['blocks'])}" if "blocks" in what else text


def history(desk: Desk, accounts: Sequence[int]) -> tuple[Entry, ...]:
    """The entries of accounts in one tree, newest last."""
    rows = desk.read(lambda connection: statements.entries(connection, accounts))
    return tuple(entry(row) for row in rows)


def entry(row: Any) -> Entry:
    """An entry, from a row of the log."""
    document = json.loads(row.body)
    said = {name: str(document.get(name, "")) for name in ("at", "account", "key")}
    return Entry(height=row.height, kind=row.kind, document=document, hash=row.hash, **said)


__all__ = ["Entry", "described", "entry", "history"]
