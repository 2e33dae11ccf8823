"""The tables of a book, as its queries see them. They are made by the migrations, with their triggers.

| table | holds | may change |
|---|---|---|
| `book` | which book this is | never |
| `account` | who is charged for which data, under which parent | grows |
| `epoch` | the caps of an account, from one raising to the next | grows |
| `balance` | a cap and how much of it is used, in whole units, one row a coordinate | only `used` |
| `head` | the last entry of every chain | height and hash |
| `entry` | everything that happened, each entry naming the hash of the one before | grows |
| `checkpoint` | signed heads | grows |
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, MetaData, SmallInteger, Table, Text

SCHEMA = MetaData()

BOOK = Table("book", SCHEMA, Column("id", Integer, primary_key=True), Column("store", Text), Column("created", Text))

ACCOUNT = Table(
    "account",
    SCHEMA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", Text),
    Column("parent", Integer),
    Column("chain", Integer),  # the root of its tree, whose entries form one chain
    Column("terms", Text),  # canonical JSON: unit, relation, dataset, kind
)

EPOCH = Table(
    "epoch",
    SCHEMA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("account", Integer),
    Column("number", Integer),
    Column("rule", Text),  # canonical JSON: the filter or plan, its coordinates, units and caps
)

BALANCE = Table(
    "balance",
    SCHEMA,
    Column("epoch", Integer, primary_key=True, autoincrement=False),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("cap", BigInteger),
    Column("used", BigInteger),
)

HEAD = Table(
    "head",
    SCHEMA,
    Column("chain", Integer, primary_key=True, autoincrement=False),
    Column("height", BigInteger),
    Column("hash", Text),
)

ENTRY = Table(
    "entry",
    SCHEMA,
    Column("chain", Integer, primary_key=True, autoincrement=False),
    Column("height", BigInteger, primary_key=True, autoincrement=False),
    Column("account", Integer),
    Column("key", Text),
    Column("phase", SmallInteger),  # reserve is 1, start or cancel 2, commit or abandon 3: one of each for a key
    Column("kind", Text),
    Column("body", Text),  # canonical JSON
    Column("hash", Text),  # SHA-256 of the body
)

CHECKPOINT = Table(
    "checkpoint",
    SCHEMA,
    Column("chain", Integer, primary_key=True, autoincrement=False),
    Column("height", BigInteger, primary_key=True, autoincrement=False),
    Column("key", Text, primary_key=True),
    Column("body", Text),
    Column("signature", Text),
)

__all__ = ["ACCOUNT", "BALANCE", "BOOK", "CHECKPOINT", "ENTRY", "EPOCH", "HEAD", "SCHEMA"]
