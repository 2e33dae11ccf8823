"""How generated pages are written: MyST blocks, tables, and modules that may be missing."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
SOURCE = ROOT / "src" / "dpcompose"


def optional(module: str) -> Any:
    """A module that may not be there; one that is there but broken fails loudly."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None
        raise


def standard_theorems() -> Sequence[Any]:
    """The theorems in force."""
    kernel = optional("dpcompose.kernel")
    return list(kernel.STANDARD.theorems.values()) if kernel else []


def standard_cards() -> Sequence[Any]:
    """The formula cards, in the order of their names."""
    formulas = optional("dpcompose.formulas")
    names = getattr(formulas, "cards", tuple)()
    return [formulas.formula(name) for name in sorted(names)]


@cache
def first_vectors() -> dict[str, dict[str, Any]]:
    """The inputs of the first golden vector of each card."""
    found: dict[str, dict[str, Any]] = {}
    read = json.loads((ROOT / "tests" / "golden" / "vectors.json").read_text(encoding="utf-8"))
    for vector in read["vectors"] if isinstance(read, dict) else read:
        found.setdefault(vector["card"], vector["inputs"])
    return found


def in_words(name: str) -> str:
    """A function's name as a heading."""
    return name.replace("_", " ")


def cell(value: object) -> str:
    """A value inside a table: on one line, without a bar."""
    return str(value).replace("|", "\\|").replace("\n", " ")


def columns(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with as many columns as it has heads."""
    lines = [head, ["---"] * len(head), *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def table(rows: dict[str, Any], head: tuple[str, str] = ("", "")) -> str:
    """A table of two columns; rows that say nothing are left out."""
    return columns(head, [(key, value) for key, value in rows.items() if value])


def facts(rows: dict[str, Any]) -> str:
    """A list of names and what they are, on a narrow screen one below the other; what says nothing is left out."""
    said = (f"{name}\n: {' '.join(str(value).split())}" for name, value in rows.items() if value)
    return "{.facts}\n" + "\n\n".join(said)


def paragraphs(blocks: Iterable[str]) -> str:
    """Blocks, with an empty line between them."""
    return "\n\n".join(blocks) + "\n"
