"""Processes that compute, and can be ended: whatever is asked, the service itself goes on answering.

Read `process` (one task after the other) and `pool` (who waits, and how long); `asking` is the task, `warm` what is
imported before.
"""

from __future__ import annotations

from dpcompose.server.computing.pool import Pool, Ticket

__all__ = ["Pool", "Ticket"]
