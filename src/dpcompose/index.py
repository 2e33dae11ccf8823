"""The index of theorems, with which a theorem is found and chosen before the module of its proof is imported.

`theorems/index.json` holds a line for each theorem, in the order in which they are tried. `docs/theorem_index.py`
writes it from the modules, and a test compares the two.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

FILE = Path(__file__).parent / "theorems" / "index.json"


class Types:
    """The premise types, then the conclusion, by name; each is imported when it is first needed."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, place: int) -> type[Any]:
        return named(self.names[place])


class Late:
    """A proof that is imported when it is first run; its types are known before."""

    def __init__(self, home: str, name: str, types: Types) -> None:
        """The function of this name in the module `home`."""
        self.__module__, self.__name__, self.types = home, name, types

    @cached_property
    def read(self) -> Callable[..., Any]:
        """The function itself."""
        function: Callable[..., Any] = getattr(import_module(self.__module__), self.__name__)
        return function

    def __call__(self, *premises: Any) -> Any:
        """Run the proof."""
        return self.read(*premises)


def types_of(proof: Callable[..., Any]) -> Types | tuple[type[Any], ...]:
    """The premise types, then the conclusion: from the index, or from the annotations."""
    if isinstance(proof, Late):
        return proof.types
    *premises, conclusion = get_type_hints(proof).values()
    return (*(get_args(p)[0] if get_args(p) else p for p in premises), conclusion)


def begins_with(types: Types | tuple[type[Any], ...], kind: type[Any]) -> bool:
    """Whether the first type is this one; types of other names are not imported."""
    return not (isinstance(types, Types) and types.names[0] != name_of(kind)) and types[0] is kind


def name_of(kind: type[Any]) -> str:
    """The name of a type in the index."""
    return f"{kind.__module__}.{kind.__qualname__}"


@cache
def named(name: str) -> type[Any]:
    """The type of a name in the index."""
    home, _, last = name.rpartition(".")
    found: type[Any] = getattr(import_module(home), last)
    return found


@cache
def rows() -> dict[str, dict[str, Any]]:
    """The index: what it says of each theorem, by the name of its proof."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def is_foretold(proof: Callable[..., Any]) -> bool:
    """Whether the index has this very proof, and not another of the same name."""
    return bool(rows().get(proof.__name__, {}).get("home") == proof.__module__)


__all__ = ["FILE", "Late", "Types", "begins_with", "is_foretold", "name_of", "rows", "types_of"]
