"""The index of the theorems, `src/dpcompose/theorems/index.json`, written from what the modules state.

`python docs/theorem_index.py` writes it; a theorem that it has keeps its place, a new one comes last.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from dpcompose import index, mechanisms, theorems
from dpcompose.description import Adjacency
from dpcompose.kernel import STANDARD, Theorem


def stated() -> dict[str, Theorem]:
    """Every theorem of the library as its module states it."""
    for package in (mechanisms, theorems):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    return {name: t for name, t in STANDARD.stated.items() if t.proof.__module__.startswith("dpcompose.")}


def row(theorem: Theorem) -> dict[str, Any]:
    """One of them, in plain values."""
    return {
        "home": theorem.proof.__module__,
        "id": theorem.id,
        "verb": theorem.verb.value,
        "types": [index.name_of(kind) for kind in theorem.types],
        "source": [theorem.source.key, theorem.source.where],
        "side": theorem.side.name,
        "adaptivity": theorem.adaptivity.name,
        "relations": [relation.value for relation in Adjacency if relation in theorem.relations],
        "cost": theorem.cost,
        "aliases": list(theorem.aliases),
        "surpassed": theorem.surpassed,
    }


def written(kept: list[str]) -> str:
    """The whole index, a line a theorem; those named first come first."""
    found = stated()
    names = [*(name for name in kept if name in found), *(name for name in found if name not in kept)]
    lines = [f"{json.dumps(name)}: {json.dumps(row(found[name]), ensure_ascii=False)}" for name in names]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(file: Path = index.FILE) -> int:
    """Write it anew."""
    kept = list(json.loads(file.read_text(encoding="utf-8"))) if file.exists() else []
    file.write_text(written(kept), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
