"""Sessions: a browser signs in with a token, and from then on sends a cookie instead."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import Connection, delete, insert, select

from dpcompose.ledger.clocks import utc
from dpcompose.server.access.people import Principal
from dpcompose.server.access.tables import SESSION, TOKEN
from dpcompose.server.access.tokens import Tokens

COOKIE = "dpc_session"
HOURS = 12
LONGEST = 100


@dataclass(frozen=True, slots=True)
class Begun:
    """A new session. Its cookie is sent once; only a hash of it is stored."""

    cookie: str
    principal: Principal


class Sessions:
    """The sessions of the tokens in a store."""

    def __init__(self, tokens: Tokens) -> None:
        """Sessions are valid only as long as their tokens are."""
        self.tokens, self.store = tokens, tokens.store

    def begun(self, connection: Connection, principal: Principal) -> Begun:
        """Begin a session for a user whose token was checked."""
        cookie, form = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        today = self.tokens.clock()
        expires = min(utc(today + timedelta(hours=HOURS)), principal.expires)
        connection.execute(delete(SESSION).where(SESSION.c.expires <= utc(today)))
        row = {"id": _hashed(cookie), "token": principal.token, "form": form, "expires": expires}
        connection.execute(insert(SESSION), row)
        return Begun(cookie, replace(principal, form=form, expires=expires))

    def holder(self, cookie: str) -> Principal | None:
        """The user to whom a cookie belongs, if the token behind it is still valid."""
        if len(cookie) > LONGEST:
            return None
        chosen = (
            select(TOKEN, SESSION.c.form, SESSION.c.expires.label("until"))
            .join(SESSION, SESSION.c.token == TOKEN.c.id)
            .where(SESSION.c.id == _hashed(cookie))
        )
        row = self.store.read(lambda connection: connection.execute(chosen).one_or_none())
        if row is None or row.until <= utc(self.tokens.clock()):
            return None
        found = self.tokens.principal(row)
        return None if found is None else replace(found, form=row.form, expires=row.until)

    def ended(self, connection: Connection, cookie: str) -> None:
        """Delete a session."""
        connection.execute(delete(SESSION).where(SESSION.c.id == _hashed(cookie)))


def _hashed(cookie: str) -> str:
    return hashlib.sha256(cookie.encode("utf-8", "replace")).hexdigest()


__all__ = ["COOKIE", "HOURS", "Begun", "Sessions"]
