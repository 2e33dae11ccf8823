"""The tables of the service, beside those of the books and in the same store.

| table | holds | may change |
|---|---|---|
| `service_token` | who holds a token: its role, its accounts, and an argon2 hash of its secret | `revoked` |
| `service_session` | a browser that signed in with a token: hashes of its cookie and of its form secret | rows go |
| `service_act` | every administrative act: who, what, when, and how it ended | `outcome`, once |
"""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, MetaData, Table, Text, UniqueConstraint

SCHEMA = MetaData()

TOKEN = Table(
    "service_token",
    SCHEMA,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("accounts", Text),  # JSON: the accounts, with all below them, that it reaches; NULL for the whole book
    Column("hash", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("revoked", Text),
)

SESSION = Table(
    "service_session",
    SCHEMA,
    Column("id", Text, primary_key=True),  # SHA-256 of the cookie
    Column("token", Text, nullable=False),
    Column("form", Text, nullable=False),  # what a page of this session sends with every write
    Column("expires", Text, nullable=False),
)

ACT = Table(
    "service_act",
    SCHEMA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("act", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("outcome", Text, nullable=False),  # begun, done or refused
    Column("key", Text),  # the Idempotency-Key, as long as it stands for this act
    Column("asked", Text),  # SHA-256 of the request
    Column("status", Integer),
    Column("said", Text),  # the answer, without secrets
    UniqueConstraint("token", "key"),
    Index("service_act_kind", "act", "id"),
)

__all__ = ["ACT", "SCHEMA", "SESSION", "TOKEN"]
