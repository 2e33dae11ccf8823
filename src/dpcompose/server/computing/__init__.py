"""Processes that compute and can be killed, so that the service keeps answering whatever is asked.

Read `process` (one task after the other) and `pool` (who waits, and how long); `asking` is the task, `warm` lists what
a process imports in advance.
"""

from __future__ import annotations

from dpcompose.server.computing.pool import Pool, Ticket

__all__ = ["Pool", "Ticket"]
