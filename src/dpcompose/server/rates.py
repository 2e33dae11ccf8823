"""How often a client may ask: a token bucket for each client."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from dpcompose.server.problems import Problem, ProblemKind

MOST_CLIENTS = 10_000


class Rates:
    """A bucket for every client: so many requests a minute, which may all come at once."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        """All buckets are full at first."""
        self.per_minute, self.clock = per_minute, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> None:
        """Count one request of a client; if its bucket is empty, refuse and say when the next request may come."""
        now = self.clock()
        left, since = self._buckets.pop(client, (float(self.per_minute), now))
        left = min(float(self.per_minute), left + (now - since) * self.per_minute / 60)
        if left < 1:
            self._keep(client, left, now)
            pause = math.ceil((1 - left) * 60 / self.per_minute)
            said = f"One client may ask {self.per_minute} times a minute: ask again in {pause} s. Nothing was charged."
            raise Problem(ProblemKind.RATE, said, headers={"Retry-After": str(pause)})
        self._keep(client, left - 1, now)

    def _keep(self, client: str, left: float, now: float) -> None:
        self._buckets[client] = (left, now)
        while len(self._buckets) > MOST_CLIENTS:
            self._buckets.popitem(last=False)  # the client that asked least recently has an almost full bucket


__all__ = ["Rates"]
