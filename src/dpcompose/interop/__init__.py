"""Neighbours: accountants that Opacus, dp_accounting and OpenDP call as their own, and conversions between formats.

`interop.dp_accounting`, `interop.opacus` and `interop.opendp` are loaded when first used, and need the extra `interop`.
`interop.convert` reads and writes the files of other libraries without needing them.

Read `events` and `histories` (what the other libraries store), `reading` and `writing` (what that means here),
`profiles`, `convert`.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from dpcompose.interop.convert import convert as convert

if _TYPE_CHECKING:
    from dpcompose.interop import dp_accounting, opacus, opendp

_NEIGHBOURS = ("dp_accounting", "opacus", "opendp")


def __getattr__(name: str) -> object:
    if name not in _NEIGHBOURS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _import_module(f"{__name__}.{name}")


__all__ = ["convert", "dp_accounting", "opacus", "opendp"]
