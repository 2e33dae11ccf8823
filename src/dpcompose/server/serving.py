"""`dpcompose serve`: the service in a process of its own, or in several."""

from __future__ import annotations

import os
import tempfile

import uvicorn

from dpcompose.server.observing import SHARED
from dpcompose.server.patience import Patient
from dpcompose.server.settings import VARIABLE, Settings

FACTORY = "dpcompose.server.application:create"
MOST_CONNECTIONS = 1000


def serve(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve until somebody ends it."""
    os.environ[VARIABLE] = settings.kept()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums add up in one order, and a process is one thread
    with tempfile.TemporaryDirectory(prefix="dpcompose-") as folder:
        if workers > 1:
            os.environ[SHARED] = folder
        uvicorn.run(
            FACTORY,
            factory=True,
            host=host,
            port=port,
            workers=workers,
            http=Patient,
            ws="none",
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=True,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=10,
        )


__all__ = ["serve"]
