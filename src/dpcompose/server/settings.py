"""What an operator decides before the service starts."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

VARIABLE = "DPCOMPOSE_SERVER"
"""The environment variable that passes settings to child processes, as JSON."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the books are, what is shown, and how much one request may take."""

    store: str | None = None
    """The address of the books; without one there are no accounts and no console, only the explorer."""
    console: bool = True
    """Whether the pages of the console are served; the API is served in any case."""
    seconds: float = 1.8
    """Seconds that one question may compute before its process is killed."""
    processes: int = 0
    """The number of computing processes; 0 means one for each core, and at least four."""
    most_bytes: int = 262_144
    """The greatest size of a request's body, in bytes."""
    per_minute: int = 1200
    """Requests a minute of one token, or of one address without a token."""

    parent: int = 0
    """The process that started this one, where there are several."""

    def kept(self) -> str:
        """The settings as a text, for a child process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Settings:
        """The settings that the parent process passed on, or the defaults."""
        return cls(**json.loads(os.environ.get(VARIABLE, "{}")))


__all__ = ["VARIABLE", "Settings"]
