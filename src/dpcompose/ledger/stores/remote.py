"""A plain step on a server: one message there and one back, and the transaction ends with it.

The head is locked, balances are debited, entries linked and hashed where the data is (`dpcompose_step`, made by the
migrations), so nobody waits for a client to think.
"""

from __future__ import annotations

from typing import Any

from dpcompose.ledger.checkpoints import EVERY
from dpcompose.ledger.stores.plain import ENCODE, Placed, Plain

_STEP = "SELECT now_height, now_hash, now_used FROM dpcompose_step(%s::jsonb, %s)"


def run(driver: Any, text: str, values: tuple[Any, ...]) -> Any:
    """One statement that is a transaction of its own."""
    driver.autocommit = True
    try:
        return driver.execute(text, values)
    finally:
        if not driver.closed:
            driver.autocommit = False


def place(driver: Any, plain: Plain) -> Placed | None:
    """Take a step; None if it is not plain."""
    height, mark, used = run(driver, _STEP, (ENCODE(plain[:9]), EVERY)).fetchone()
    return None if height is None else Placed(height, mark, tuple(used))


__all__ = ["place"]
