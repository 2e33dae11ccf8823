"""Neighbours: accountants that other libraries call as their own, and works that go from one to the other.

Each neighbour has a module of its own, which is loaded, and the neighbour with it, when someone asks for it:
`interop.dp_accounting`, `interop.opacus`, `interop.opendp`. They come with the extra `interop`. `interop.convert` reads
and writes what neighbours keep in files, and needs none of them.

Read `events` and `histories` (what neighbours keep), `reading` and `writing` (what it means here), `profiles`,
`convert`.
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
