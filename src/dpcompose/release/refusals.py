"""The errors of a release, in one sentence each; a refusal comes before the charge and shows no value of the data."""

from __future__ import annotations

from dpcompose.errors import DPError
from dpcompose.filters.charge import OverBudget


class InvalidData(DPError, ValueError):
    """Data that cannot be read, or that is not what the query says it is."""


class EngineFailure(DPError):
    """A failure of the engine after the charge; its sentence is the same whatever the cause."""

    def __init__(self) -> None:
        """One sentence, always the same."""
        super().__init__("The engine failed after the charge, which stays; no answer was made.")


INTERRUPTIONS = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""Exceptions that are no failures. All others are, even if no subclass of `Exception`: polars' panics quote values."""

__all__ = ["INTERRUPTIONS", "EngineFailure", "InvalidData", "OverBudget"]
