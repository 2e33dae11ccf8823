"""Times, in UTC. They are written for people to read; no decision depends on them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The time of this machine."""
    return datetime.now(UTC)


def utc(time: datetime) -> str:
    """A time as entries write it."""
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


__all__ = ["Clock", "now", "utc"]
