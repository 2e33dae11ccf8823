"""From a statement to the code that carries it, and from there to the tests that would fail without it."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from writing import (
    HERE,
    ROOT,
    SOURCE,
    columns,
    facts,
    first_vectors,
    paragraphs,
    standard_cards,
    standard_theorems,
    table,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One ID: what it states, where the documents state it, and what carries it."""

    id: str
    name: str
    document: str
    carriers: tuple[str, ...]
    cards: tuple[str, ...]
    later: str


def statements(path: Path = HERE / "theorem_ids.toml") -> list[Statement]:
    """Every ID of the list, with the code that carries it now."""
    listed = tomllib.loads(path.read_text(encoding="utf-8"))
    found, cards = carried(), cards_by_id()
    return [
        Statement(
            id_,
            name,
            document,
            (*found.get(id_, ()), *listed["by"].get(id_, ())),
            cards.get(id_, ()),
            listed["later"].get(id_, ""),
        )
        for document, names in listed["statements"].items()
        for id_, name in names.items()
    ]


def carried() -> dict[str, tuple[str, ...]]:
    """The theorems and cards behind each ID, by the dotted names of their functions."""
    found: dict[str, list[str]] = {}
    for theorem in standard_theorems():
        for id_ in (theorem.id, *theorem.aliases):
            found.setdefault(id_, []).append(dotted(theorem.proof))
    for card in standard_cards():
        for id_ in ids_of(card.carries):
            found.setdefault(id_, []).append(dotted(card.rule))
    return {id_: tuple(names) for id_, names in found.items()}


def cards_by_id() -> Mapping[str, tuple[str, ...]]:
    """The names of the cards behind each ID."""
    found: dict[str, tuple[str, ...]] = {}
    for card in standard_cards():
        for id_ in ids_of(card.carries):
            found[id_] = (*found.get(id_, ()), card.name)
    return found


def ids_of(carries: Iterable[str]) -> list[str]:
    """The IDs in what a card says it carries: `A / B (9)` is A and B, and (9) is the number of an equation."""
    return [re.sub(r" \(.*\)$", "", part.strip()) for entry in carries for part in entry.split("/")]


def dotted(function: object) -> str:
    """Where a function lives."""
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', '')}"


def resolved(name: str) -> object:
    """The object of a dotted name, or an error."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


@cache
def test_texts() -> Mapping[str, str]:
    """Every test file by its path."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return {str(path.relative_to(ROOT / "tests")): path.read_text(encoding="utf-8") for path in files}


def tests_of(statement: Statement) -> list[str]:
    """The test files that mention the ID, one of its cards, its mechanism, or a function that carries it."""
    functions = [name for name in map(last_name, statement.carriers) if "_" in name]
    words = [statement.id, *statement.cards, *functions, *(f"{name}(" for name in mechanisms_of(statement.id))]
    pattern = re.compile("|".join(rf"(?<![\w-]){re.escape(word)}(?![\w-]|\.\d)" for word in words))
    texts = {name: text for name, text in test_texts().items() if not name.startswith("house/")}
    found = {name for name, text in texts.items() if any(word in text for word in words) and pattern.search(text)}
    if any(card in first_vectors() for card in statement.cards):
        found.add("golden/test_cards.py")
    if any(name.startswith("dpcompose.formulas.errata.") for name in statement.carriers):
        found.add("golden/test_errata.py")
    return sorted(found)


def last_name(name: str) -> str:
    """The last part of a dotted name; nothing for a card's rule, which is known by its card."""
    return "" if name.startswith("dpcompose.formulas.") else name.rpartition(".")[2]


def mechanisms_of(id_: str) -> list[str]:
    """The mechanisms that a statement describes."""
    described = [t for t in standard_theorems() if t.verb.value == "describes" and id_ in (t.id, *t.aliases)]
    return [t.types[0].__name__ for t in described if t.types[0].__name__ != "BlackBox"]


def atlas() -> str:
    """Where everything lives: every statement with its code and tests, then every module with its sentence."""
    page = [
        "# Map",
        (
            "Every statement of the source documents under its permanent ID, the code that carries it, and the tests "
            "that mention it. Below: the layers, every module with its first sentence."
        ),
    ]
    known = statements()
    for document in dict.fromkeys(statement.document for statement in known):
        page.append(f"## {document}")
        for statement in known:
            if statement.document == document:
                page += [f"### {statement.id}: {statement.name}", facts(carriers(statement))]
    page += ["## Also in force", columns(("ID", "code"), further(known))]
    page += ["## Layers", "Imports go downwards only. Top to bottom:", *layers()]
    return paragraphs(page)


def further(known: Sequence[Statement]) -> list[tuple[str, str]]:
    """What the library carries beyond the list: its own IDs, with their code."""
    listed = {statement.id for statement in known}
    ours = {id_: names for id_, names in carried().items() if id_ not in listed and " " not in id_}
    return [(id_, code(names)) for id_, names in sorted(ours.items())]


def code(names: Iterable[str]) -> str:
    """Dotted names, one after the other."""
    return ", ".join(f"`{name.removeprefix('dpcompose.')}`" for name in dict.fromkeys(names))


def carriers(statement: Statement) -> dict[str, str]:
    """The code and the tests of a statement."""
    return {
        "code": code(statement.carriers) or f"still to come: {statement.later}",
        "tests": ", ".join(f"`{name}`" for name in tests_of(statement)),
    }


def layers() -> Iterable[str]:
    """The layers from top to bottom."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(c for c in config["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    for layer in contract["layers"]:
        names = [name.strip(" ()") for name in layer.split("|")]
        modules = [path for name in names for path in sorted(modules_of(name))]
        if modules:
            said = {f"`{path.relative_to(SOURCE.parent)}`": first_sentence(path) for path in modules}
            yield f"### {' · '.join(names)}"
            yield table(said, ("module", "what it holds"))


def modules_of(name: str) -> Sequence[Path]:
    """The files of a top-level module or package."""
    single = SOURCE / f"{name}.py"
    return [single] if single.exists() else list((SOURCE / name).rglob("*.py"))


def first_sentence(path: Path) -> str:
    """The first line of a module's docstring, read without running it."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n", 1)[0]
