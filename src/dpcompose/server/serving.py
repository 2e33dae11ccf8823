"""`dpcompose serve`: the service in a process of its own, or in several."""

from __future__ import annotations

import os

import uvicorn

from dpcompose.server.settings import VARIABLE, Settings

FACTORY = "dpcompose.server.application:create"


def serve(settings: Settings, host: str, port: int, workers: int) -> None:
    """Serve until somebody ends it."""
    os.environ[VARIABLE] = settings.kept()
    uvicorn.run(FACTORY, factory=True, host=host, port=port, workers=workers, log_level="warning")


__all__ = ["serve"]
