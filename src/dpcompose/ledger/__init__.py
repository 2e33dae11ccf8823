"""Budgets that last: accounts in a database that cannot be overspent, with a log that anybody can check.

Needs the extra `ledger`. Start with `ledger.open(url)`.

Read `book`, `accounts` and `grants` (what a user holds), then `requests`, `rules` and `slots` (what a charge costs),
`protocol`, `steps` and `desk` (one step of a grant) over `stores`, and `chain`, `checkpoints`, `mark`, `recovery` (why
the past cannot be rewritten unseen). `verify` replays the log with code of its own; `reports` shows it.
"""

from __future__ import annotations

try:
    from dpcompose.ledger.accounts import Account, Quote
    from dpcompose.ledger.book import Book, open  # noqa: A004 - `ledger.open`, as `gzip.open`
    from dpcompose.ledger.errors import (
        KeyConflict,
        LedgerError,
        Refused,
        Rewound,
        StoreError,
        Uncertain,
        WrongState,
    )
    from dpcompose.ledger.grants import Grant
    from dpcompose.ledger.history import Entry
    from dpcompose.ledger.protocol import State
    from dpcompose.ledger.requests import Disjoint
    from dpcompose.ledger.rules import Guarantee
    from dpcompose.ledger.verify import Verdict
except ModuleNotFoundError as missing:
    if str(missing.name).partition(".")[0] not in {"sqlalchemy", "alembic", "psycopg", "rfc8785", "cryptography"}:
        raise
    raise ModuleNotFoundError(
        "The books need a database: install it with pip install 'dpcompose[ledger]'.", name=missing.name
    ) from None

__all__ = [
    "Account",
    "Book",
    "Disjoint",
    "Entry",
    "Grant",
    "Guarantee",
    "KeyConflict",
    "LedgerError",
    "Quote",
    "Refused",
    "Rewound",
    "State",
    "StoreError",
    "Uncertain",
    "Verdict",
    "WrongState",
    "open",
]
