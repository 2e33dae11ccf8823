"""What an operator sees: one line of JSON for each event, and metrics for Prometheus. Neither holds what was asked.

A line names the route, never the path or the body: those may hold names of accounts, and a body may hold a secret.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The folder in which several processes of one service add up their metrics."""
TIMES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


def log(event: str, *, level: str = "info", **said: Any) -> None:
    """Write one line to the standard error stream."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = json.dumps({"at": at, "level": level, "event": event, **said}, ensure_ascii=True)
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Lines(logging.Handler):
    """A log handler that writes what other libraries log in the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        log(record.name, level=record.levelname.lower(), message=record.getMessage())


def listen() -> None:
    """Log what uvicorn and asyncio report."""
    for name in ("uvicorn", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [Lines(logging.WARNING)], False


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        """All zero."""
        self.registry = CollectorRegistry()
        names = ("method", "route", "status")
        said = "Requests that were answered"
        self.requests = Counter("dpcompose_requests", said, names, registry=self.registry)
        said = "Seconds from the first byte of a request to the last of its answer"
        self.seconds = Histogram("dpcompose_request_seconds", said, ("route",), buckets=TIMES, registry=self.registry)
        said = "Tasks that wait for a process"
        self.waiting = Gauge("dpcompose_waiting", said, registry=self.registry, multiprocess_mode="livesum")
        said = "Requests that were refused, by problem"
        self.problems = Counter("dpcompose_problems", said, ("problem",), registry=self.registry)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        known = method if method in {"GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"} else "other"
        self.requests.labels(known, route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def page(self) -> tuple[bytes, str]:
        """All metrics in the format of Prometheus, summed over the processes if there are several."""
        registry = self.registry
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST


__all__ = ["SHARED", "Metrics", "listen", "log"]
