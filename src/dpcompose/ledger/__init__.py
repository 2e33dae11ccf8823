"""Budgets that cannot be overspent, lost or argued with: accounts in a database, with a log that proves itself.

```python
book = dpc.ledger.open("sqlite:///budget.db")
account = book.create("census", epsilon=1, delta=1e-6, unit="person")
with account.spend(dpc.Laplace(scale=10), key="q-1", purpose="count by region") as grant:
    ...  # read the data, add the noise, publish
```

Needs the extra `ledger`.

Read `book`, `accounts` and `grants` (what one holds), then `requests`, `rules` and `slots` (what it costs),
`protocol`, `steps` and `desk` (one step at a time) over `stores`, and `chain`, `checkpoints`, `mark`, `recovery` (what
cannot be rewritten).
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
