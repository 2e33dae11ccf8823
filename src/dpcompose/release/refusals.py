"""What a release refuses, in one sentence each; a refusal comes before the charge and shows no value of the data."""

from __future__ import annotations

from dpcompose.errors import DPError
from dpcompose.filters.charge import OverBudget


class InvalidData(DPError, ValueError):
    """Data that cannot be read, or that is not what the query says it is."""


class EngineFailure(DPError):
    """An engine that failed after the charge. Whatever the reason was, these are the words."""

    def __init__(self) -> None:
        """One sentence, always the same."""
        super().__init__("The engine failed after the charge, which stays; no answer was made.")


INTERRUPTIONS = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What is no failure. All else is one, also what is no `Exception`: polars panics, and quotes values as it does."""

__all__ = ["INTERRUPTIONS", "EngineFailure", "InvalidData", "OverBudget"]
