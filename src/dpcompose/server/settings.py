"""What an operator decides before the service starts."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass

VARIABLE = "DPCOMPOSE_SERVER"
"""How settings reach the processes of the service: as JSON in their environment."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the books are, what is shown, and how much one request may take."""

    store: str | None = None
    """The address of the books; without one there is no console and no account, only the explorer."""
    console: bool = True
    """Whether the pages of the console are there; the API is there in any case."""
    seconds: float = 1.8
    """How long one question may compute before it is ended."""
    processes: int = 0
    """Processes that compute; 0 for as many as the machine has cores, and four at least."""
    most_bytes: int = 262_144
    """The longest body of a request."""
    per_minute: int = 1200
    """Requests a minute of one token, or of one address without a token."""

    parent: int = 0
    """The process that started this one, where there are several."""

    def kept(self) -> str:
        """As a text, for a child process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_environment(cls) -> Settings:
        """What the parent process kept; the defaults without one."""
        return cls(**json.loads(os.environ.get(VARIABLE, "{}")))


__all__ = ["VARIABLE", "Settings"]
