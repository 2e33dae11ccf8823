"""A note on a server, in one statement: the head is locked, the entry linked and the head moved where the data is.

The client writes the text of the entry with two marks in it, for the height and for the hash before; the server puts in
what it finds under the lock, and hashes. So nobody waits for a client to think. Where the step is not simply the next
one, nothing is written, and the caller takes the long way.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import psycopg
from sqlalchemy import Connection

from dpcompose.ledger.chain import SCHEMA, Head, quickly
from dpcompose.ledger.stores import hot

_NOTE = """
WITH locked AS (SELECT height, hash FROM head WHERE chain = %(c)s FOR UPDATE),
next AS (
    SELECT height + 1 AS height, replace(replace(%(text)s, %(mark)s, (height + 1)::text), %(before)s, hash) AS body
    FROM locked
    WHERE EXISTS (SELECT FROM entry WHERE account = %(a)s AND key = %(k)s AND phase = 2 AND kind = 'start')
      AND NOT EXISTS (SELECT FROM entry WHERE account = %(a)s AND key = %(k)s AND phase = 3)
),
kept AS (
    INSERT INTO entry (chain, height, account, key, phase, kind, body, hash)
    SELECT %(c)s, height, %(a)s, %(k)s, 3, %(kind)s, body, encode(sha256(convert_to(body, 'UTF8')), 'hex') FROM next
    RETURNING height, hash
)
UPDATE head SET height = kept.height, hash = kept.hash FROM kept WHERE head.chain = %(c)s
RETURNING head.height, head.hash
"""


def noted(connection: Connection, chain: int, account: int, kind: str, content: Mapping[str, Any]) -> Head | None:
    """The head after the note; None if it is not simply the next step, or somebody was faster."""
    if connection.dialect.name != "postgresql" or "answer" in content:
        return None
    mark, before = 10**14 + secrets.randbelow(10**14), secrets.token_hex(32)
    place = {"chain": chain, "height": mark, "kind": kind, "prev": before, "schema": SCHEMA}
    values = {"c": chain, "a": account, "k": content["key"], "kind": kind, "mark": str(mark), "before": before}
    values["text"] = quickly({**content, **place})
    questions = [("SET LOCAL synchronous_commit TO off", {}), (_NOTE, values), ("COMMIT", {})]
    try:
        found = hot.executed(connection, questions)[1]
    except psycopg.errors.UniqueViolation:
        connection.connection.driver_connection.rollback()  # type: ignore[union-attr]  # it is connected
        return None
    return Head(chain, *found[0]) if found else None


__all__ = ["noted"]
