"""A plain step on a server: one message there and one back, in a transaction of its own.

The server locks the head, debits, links and hashes by itself (`dpcompose_step`, made by the migrations), so nobody
waits for a client under the lock. The message is given to libpq directly.
"""

from __future__ import annotations

from typing import Any

from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus
from sqlalchemy import PoolProxiedConnection

from dpcompose.ledger.checkpoints import EVERY
from dpcompose.ledger.stores.plain import ENCODE, Placed, Plain

_NAME = b"dpcompose_step"
_STEP = b"SELECT now_height, now_hash, array_to_string(now_used, ' ') FROM dpcompose_step($1::jsonb, $2::bigint)"


def run(server: Any, values: list[bytes]) -> Any:
    """Run one statement as a transaction of its own."""
    return server.exec_prepared(_NAME, values)


def place(pooled: PoolProxiedConnection, plain: Plain) -> Placed | None:
    """Take a step; None if it is not plain."""
    driver: Any = pooled.driver_connection
    if not pooled.info.get(_NAME):
        _checked(driver.pgconn.prepare(_NAME, _STEP))
        pooled.info[_NAME] = True
    found = _checked(run(driver.pgconn, [ENCODE(plain[:9]).encode(), b"%d" % EVERY]))
    height, mark, used = (found.get_value(0, column) for column in range(3))
    if height is None:
        return None
    return Placed(int(height), mark.decode(), tuple(map(int, used.split())))


def _checked(result: Any) -> Any:
    if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
        raise error_from_result(result)
    return result


__all__ = ["place"]
