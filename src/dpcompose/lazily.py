"""Package attributes that are imported when they are first used (PEP 562), so that a quick refusal stays quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module


def loaded(package: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package; `homes` maps modules to the names that they define."""
    home = {name: f"{package}.{module}" for module, names in homes.items() for name in names}

    def find(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(home[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return find


__all__ = ["loaded"]
