"""A time limit for the head of a request: a client that sends it byte by byte is cut off."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
"""From the first byte of a connection, or of another request on it, to the end of its head."""


class Patient(H11Protocol):
    """uvicorn's HTTP protocol, with a time limit for the head of a request."""

    _alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """The clock starts with the connection."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """The clock stops when a head is complete, and starts with the next one."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._alarm is None:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop()
        self._alarm = self.loop.call_later(HEAD_SECONDS, self._cut)

    def _stop(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _cut(self) -> None:
        self._alarm = None
        self.transport.close()


__all__ = ["Patient"]
