"""Processes that compute, and can be ended: whatever is asked, the service itself goes on answering."""

from __future__ import annotations

from dpcompose.server.computing.pool import Pool, Ticket

__all__ = ["Pool", "Ticket"]
