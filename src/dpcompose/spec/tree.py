"""The tree into which every document is read; its nodes know their place in the document.

Expressions, JSON and TOML differ only in how this tree is made; `build` turns it into a mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias


class Place(Protocol):
    """The place of a node in its document."""

    def named(self, name: str) -> str:
        """How a refusal names the parameter at this place."""

    def says(self, sentence: str) -> str:
        """A sentence that begins with the place."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a text; line and column are counted only when needed."""

    source: str
    position: int

    def __str__(self) -> str:
        line = self.source.count("\n", 0, self.position) + 1
        column = self.position - self.source.rfind("\n", 0, self.position)
        return f"column {column}" if "\n" not in self.source else f"line {line}, column {column}"

    def named(self, name: str) -> str:
        """`epsilon (column 12)`."""
        return f"{name} ({self})"

    def says(self, sentence: str) -> str:
        """`Column 12: …`."""
        said = str(self)
        return f"{said[0].upper()}{said[1:]}: {sentence}"


@dataclass(frozen=True, slots=True)
class Path:
    """A place in a structured document."""

    steps: str = ""

    def named(self, name: str) -> str:
        """`items[3].epsilon`."""
        return self.steps or name

    def says(self, sentence: str) -> str:
        """`items[3]: …`."""
        return f"{self.steps or 'The document'}: {sentence}"

    def __truediv__(self, key: str | int) -> Path:
        """The place one step further in."""
        if isinstance(key, int):
            return Path(f"{self.steps}[{key}]")
        shown = key if len(key) <= 40 else f"{key[:37]}..."
        return Path(f"{self.steps}.{shown}" if self.steps else shown)


@dataclass(frozen=True, slots=True)
class Scalar:
    """One word or number, as written."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Many:
    """A list."""

    items: tuple[Node, ...]
    place: Place
    text: str = "a list"


@dataclass(frozen=True, slots=True)
class Entries:
    """A mapping; in a structured document also a mechanism."""

    entries: tuple[tuple[str, Node], ...]
    place: Place
    text: str = "a table"


@dataclass(frozen=True, slots=True)
class Run:
    """A mechanism with its arguments, given by name or by position."""

    kind: str
    named: dict[str, Node]
    place: Place
    positional: tuple[Node, ...] = ()
    text: str = "a mechanism"
    names: Mapping[str, Place] = field(default_factory=dict)
    """The places of the arguments' names."""


@dataclass(frozen=True, slots=True)
class Times:
    """A mechanism with a count; if `paired`, the count is part of a list's item."""

    node: Node
    counts: tuple[Scalar, ...]
    place: Place
    paired: bool = False
    text: str = "a mechanism"


@dataclass(frozen=True, slots=True)
class Terms:
    """Several mechanisms, one after the other."""

    terms: tuple[Node, ...]
    place: Place
    text: str = "a sum of mechanisms"


Node: TypeAlias = Scalar | Many | Entries | Run | Times | Terms
