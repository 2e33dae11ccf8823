"""Documents ↔ mechanisms: one safe reader for the command line, files, the web and the books.

A document is an expression, such as `30 * BlackBox(epsilon=0.1, delta=0.001) + Gaussian(noise_std=2)`, or the same as
JSON or TOML. Numbers are exact: 0.1 means 1/10. Nothing is evaluated; size and depth are checked before parsing.

Read `tree`, then `expression` and `structured` (texts to trees), `build` with `fields` and `registry` (trees to
mechanisms), `write` (back again), `families` (documents with a `?` for a number); `numbers` and `limits` check what is
read, `cures` and `synonyms` suggest corrections.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from dpcompose.description import Mechanism
from dpcompose.errors import InvalidDocument, InvalidParameter
from dpcompose.spec.build import SCHEMA, Builder, document
from dpcompose.spec.expression import parse
from dpcompose.spec.families import Family
from dpcompose.spec.limits import MOST_CHARACTERS, contents, guard
from dpcompose.spec.numbers import AsWritten, number, within, written
from dpcompose.spec.short import brief
from dpcompose.spec.structured import node, parse_json, parse_toml
from dpcompose.spec.tree import Many, Node, Scalar
from dpcompose.spec.write import dumps, schema, to_document

Texts: TypeAlias = "str | list[Texts]"
SUFFIXES = (".toml", ".json")
TABLES = (".csv", ".tsv", ".parquet", ".db", ".duckdb", ".npz")
FILE = re.compile(r"(?!dpc\.|dpcompose\.)[^\s()*+=,]+\.[A-Za-z]{2,7}")
EXPRESSION_START = re.compile(r"[\w\s*.(]*\w\(")
TOML_START = re.compile(r"\s*+(?:[A-Za-z_][A-Za-z0-9_.-]*+\s*+=|\[|#)")


def load(source: str | Path) -> Mechanism:
    """Read a mechanism from a file (.toml or .json) or from the text of a document."""
    return _read(source).mechanism()


def loads(text: str) -> Mechanism:
    """Read a mechanism from the text of a document; whether it is JSON, TOML or an expression is seen from its
    beginning.
    """
    return _parsed(text).mechanism()


def family(source: str | Path) -> Family:
    """Read a document in which `?` stands for a number: a function from that number to the mechanism."""
    return Family.of(*_read(source))


def family_in(text: str) -> Family:
    """Read a family from the text of a document, which is never taken for the name of a file."""
    return Family.of(*_parsed(text))


class _Parsed(NamedTuple):
    """The tree of a document, and the function that builds a mechanism from it."""

    tree: Node
    build: Callable[[Node], Mechanism]

    def mechanism(self) -> Mechanism:
        return self.build(self.tree)


def _read(source: str | Path) -> _Parsed:
    if isinstance(source, Path) or source.lower().endswith(SUFFIXES):
        path = Path(source)
        text = contents(path)
        toml = path.suffix.lower() == ".toml" and not EXPRESSION_START.match(text)
        return _toml(text) if toml and text.strip() else _parsed(text)
    if FILE.fullmatch(source):
        other = "; `dpcompose release` and `dpcompose audit` read tables" if source.lower().endswith(TABLES) else ""
        raise InvalidDocument(f"{source[:60]!r} is no mechanism, and of files .toml and .json are read{other}.")
    return _parsed(source)


def _parsed(text: str) -> _Parsed:
    if guard(text).lstrip().startswith(("{", "[{")):
        return _Parsed(parse_json(text), document)
    if TOML_START.match(text):
        return _toml(text)
    if not text.strip():
        raise InvalidDocument("The document is empty where a mechanism such as Gaussian(noise_std=2) is expected.")
    return _Parsed(parse(text), Builder().mechanism)


def _toml(text: str) -> _Parsed:
    return _Parsed(parse_toml(guard(text)), document)


def from_document(structured: Mapping[str, object]) -> Mechanism:
    """Read a mechanism from a structured document that is parsed already."""
    return document(node(structured))


def nested(name: str, text: str) -> Texts:
    """Read lists of lists of numbers, such as `[0.1, [1/3, 30]]`, with each number as its text."""
    return _texts(name, parse(guard(text)))


def _texts(name: str, tree: Node) -> Texts:
    if isinstance(tree, Many):
        return [_texts(f"{name}[{i}]", item) for i, item in enumerate(tree.items)]
    if not isinstance(tree, Scalar):
        raise InvalidParameter(tree.place.named(name), AsWritten(tree.text), "numbers, or lists of them")
    return tree.text


__all__ = [
    "MOST_CHARACTERS",
    "SCHEMA",
    "AsWritten",
    "Family",
    "brief",
    "dumps",
    "family",
    "family_in",
    "from_document",
    "load",
    "loads",
    "nested",
    "number",
    "schema",
    "to_document",
    "within",
    "written",
]
