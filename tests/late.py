"""Modules that take seconds to import: every worker reads every file of tests, and one of them runs those that ask."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Late:
    """A module that is imported when the first of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest asks every object of a file whether it is a mock or wraps a fixture
            raise AttributeError(name)
        return getattr(import_module(self._name), name)
