"""Tokens: shown once when they are made, stored as an argon2 hash, valid until they expire or are revoked."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import Connection, insert, select, update

from dpcompose.ledger.clocks import Clock, now, utc
from dpcompose.ledger.stores import Store
from dpcompose.server.access.people import Principal, Role
from dpcompose.server.access.tables import SCHEMA, TOKEN

SHAPE = re.compile(r"dpc_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
MOST_CHECKED = 4096
AT_ONCE = threading.BoundedSemaphore(2)
"""Hashes that may be computed at the same time: each takes memory and a core."""


@dataclass(frozen=True, slots=True)
class Made:
    """A new token. Its text is stored nowhere."""

    id: str
    text: str
    expires: str


class Tokens:
    """The tokens in a store."""

    def __init__(self, store: Store, clock: Clock = now) -> None:
        """The tables must exist: `prepare` makes them."""
        self.store, self.clock = store, clock
        self._checked: OrderedDict[bytes, str] = OrderedDict()
        """Texts that argon2 has found right, as SHA-256, so that it is asked once; each use still looks at the row."""

    def prepare(self) -> None:
        """Make the tables of the service, if they do not exist."""
        self.store.write(lambda connection: SCHEMA.create_all(connection))

    def made(self, connection: Connection, name: str, role: Role, accounts: Sequence[str] | None, days: int) -> Made:
        """Make a token, in the transaction that also records the act."""
        made = f"dpc_{secrets.token_hex(6)}_{secrets.token_urlsafe(32)}"
        found = SHAPE.fullmatch(made)
        assert found  # noqa: S101 - for the type checker
        today = self.clock()
        row = {"id": found[1], "name": name, "role": str(role), "hash": HASHER.hash(found[2])}
        row |= {"accounts": None if accounts is None else json.dumps(list(accounts))}
        row |= {"created": utc(today), "expires": utc(today + timedelta(days=days))}
        connection.execute(insert(TOKEN), row)
        return Made(found[1], made, row["expires"])

    def holder(self, text: str) -> Principal | None:
        """The holder of a token, given its text; None if the token is unknown, expired or revoked."""
        found = SHAPE.fullmatch(text)
        if found is None:
            return None
        row = self.row(found[1])
        if not self._right(text, found[2], None if row is None else row.hash) or row is None:
            return None
        return self.principal(row)

    def principal(self, row: Any) -> Principal | None:
        """The holder of a stored token, if it is valid."""
        if row.revoked is not None or row.expires <= utc(self.clock()):
            return None
        accounts = None if row.accounts is None else tuple(json.loads(row.accounts))
        return Principal(row.id, row.name, Role(row.role), accounts, row.expires)

    def row(self, number: str) -> Any:
        """The stored row of a token."""
        return self.store.read(lambda c: c.execute(select(TOKEN).where(TOKEN.c.id == number)).one_or_none())

    def every(self) -> list[Any]:
        """All tokens, newest first."""
        chosen = select(TOKEN).order_by(TOKEN.c.created.desc(), TOKEN.c.id)
        return self.store.read(lambda connection: list(connection.execute(chosen)))

    def revoked(self, connection: Connection, number: str) -> None:
        """Revoke a token; its row stays."""
        unrevoked = update(TOKEN).where(TOKEN.c.id == number, TOKEN.c.revoked.is_(None))
        connection.execute(unrevoked.values(revoked=utc(self.clock())))

    def _right(self, text: str, secret: str, kept: str | None) -> bool:
        """Whether a secret is the right one. An unknown token takes as long as a wrong secret."""
        known = hashlib.sha256(text.encode()).digest()
        if kept is not None and hmac.compare_digest(self._checked.get(known, ""), kept):
            return True
        with AT_ONCE:
            try:
                right = HASHER.verify(DUMMY if kept is None else kept, secret)
            except (Argon2Error, InvalidHashError):
                return False
        if right and kept is not None:
            self._checked[known] = kept
            while len(self._checked) > MOST_CHECKED:
                self._checked.popitem(last=False)
        return right and kept is not None


DUMMY = HASHER.hash(secrets.token_urlsafe(32))

__all__ = ["Made", "Tokens"]
