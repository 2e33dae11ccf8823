"""How a field of a mechanism is read and written, decided by its declared type alone.

A new mechanism needs nothing here as long as its fields are of the types that others have.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, get_args, get_origin

from dpcompose.description import Adaptivity, Adjacency, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.notions import Guarantee
from dpcompose.parameters import COUNT, Param, Whole
from dpcompose.spec.numbers import AsWritten, number, within, written
from dpcompose.spec.synonyms import nearest
from dpcompose.spec.tree import Entries, Many, Node, Run, Times

NUMBER = {"type": "string", "pattern": r"^-?[0-9]*(\.[0-9]*)?([eE][+-]?[0-9]+)?$|^-?[0-9]+/[0-9]+$"}
MECHANISM: dict[str, object] = {"$ref": "#/$defs/mechanism"}


class Reader(Protocol):
    """Turns the tree of a mechanism into the mechanism."""

    def mechanism(self, node: Node, name: str) -> Mechanism:
        """The mechanism that a node describes."""


class Codec(ABC):
    """Reads and writes the values of one type."""

    @abstractmethod
    def read(self, node: Node, name: str, reader: Reader) -> object:
        """The value of a node; a refusal calls it `name`."""

    @abstractmethod
    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:
        """The value as it is written in an expression."""

    @abstractmethod
    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:
        """The value as it is written in a structured document."""

    @abstractmethod
    def schema(self) -> dict[str, object]:
        """The JSON Schema of the value in a structured document."""


@dataclass(frozen=True, slots=True)
class Numeral(Codec):
    """One number with its declared range."""

    param: Param

    def read(self, node: Node, name: str, reader: Reader) -> object:  # noqa: ARG002 - it has no parts
        """The exact number, which must be in the range; nothing is computed."""
        if isinstance(node, Run):
            written_out = f"{self.param.allowed}, written out: nothing is computed here"
            raise InvalidParameter(node.place.named(name), AsWritten(f"{node.kind}(…)"), written_out)
        return within(node.place.named(name), node.text, self.param)

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:  # noqa: ARG002
        """The exact decimal or fraction."""
        return written(value)

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:  # noqa: ARG002
        """Whole parameters as numbers, all others as exact text."""
        return value if isinstance(self.param, Whole) else written(value)

    def schema(self) -> dict[str, object]:
        """A number within the range, or its exact text."""
        whole = isinstance(self.param, Whole)
        bounds = {"minimum": float(self.param.low), "maximum": float(self.param.high)}
        about = " in ".join(filter(None, (self.param.symbol, self.param.unit)))
        allowed = [{"type": "integer" if whole else "number", **bounds}, NUMBER]
        return {"description": f"{about}: {self.param.allowed}", "anyOf": allowed}


@dataclass(frozen=True, slots=True)
class Choice(Codec):
    """One of a few named options."""

    options: Mapping[str, object]

    def read(self, node: Node, name: str, reader: Reader) -> object:  # noqa: ARG002
        """The option of that name, in capitals (as in Python) or in small letters (as in documents)."""
        for option, value in self.options.items():
            if node.text in (option, snake(option)):
                return value
        meant = nearest(node.text, list(self.options))
        hint = f" (did you mean {meant}?)" if meant else ""
        raise InvalidParameter(node.place.named(name), AsWritten(node.text), " or ".join(self.options) + hint)

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:  # noqa: ARG002
        """The name as in Python."""
        for option, known in self.options.items():
            if known is value:
                return option
        raise InvalidParameter("filter", value, " or ".join(self.options))

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:  # noqa: ARG002
        """The name in small letters."""
        return snake(self.text(value, str))

    def schema(self) -> dict[str, object]:
        """The names."""
        return {"enum": [snake(option) for option in self.options]}


class Numerals(Codec):
    """A list of numbers, which the mechanism itself checks."""

    def read(self, node: Node, name: str, reader: Reader) -> object:  # noqa: ARG002
        """Every number exactly."""
        if not isinstance(node, Many):
            raise InvalidParameter(node.place.named(name), AsWritten(node.text), "a list of numbers such as [0.5, 0.5]")
        return tuple(number(item.place.named(f"{name}[{i}]"), item.text) for i, item in enumerate(node.items))

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:  # noqa: ARG002
        """In square brackets."""
        return f"[{', '.join(map(written, value))}]"

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:  # noqa: ARG002
        """A list of exact texts."""
        return [written(x) for x in value]

    def schema(self) -> dict[str, object]:
        """A list of numbers."""
        return {"type": "array", "items": {"anyOf": [{"type": "number"}, NUMBER]}}


class Numbering(Codec):
    """A mapping from numbers to numbers, which the mechanism itself checks."""

    def read(self, node: Node, name: str, reader: Reader) -> object:  # noqa: ARG002
        """Every pair exactly."""
        if not isinstance(node, Entries):
            raise InvalidParameter(node.place.named(name), AsWritten(node.text), "a mapping such as {2: 0.1, 8: 0.5}")
        return tuple(
            (number(item.place.named(f"{name} order"), key), number(item.place.named(f"{name}[{key}]"), item.text))
            for key, item in node.entries
        )

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:  # noqa: ARG002
        """In curly brackets."""
        return "{" + ", ".join(f"{written(key)}: {written(item)}" for key, item in value) + "}"

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:  # noqa: ARG002
        """An object with exact texts on both sides."""
        return {written(key): written(item) for key, item in value}

    def schema(self) -> dict[str, object]:
        """An object from numbers to numbers."""
        return {"type": "object", "additionalProperties": {"anyOf": [{"type": "number"}, NUMBER]}}


class Inner(Codec):
    """One mechanism inside another."""

    def read(self, node: Node, name: str, reader: Reader) -> object:
        """The mechanism."""
        return reader.mechanism(node, name)

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:
        """Its expression."""
        return write(value)

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:
        """Its document."""
        return write(value)

    def schema(self) -> dict[str, object]:
        """Any mechanism."""
        return MECHANISM


class PartList(Codec):
    """Mechanisms with their counts."""

    def read(self, node: Node, name: str, reader: Reader) -> object:
        """Each item once, unless it states a count."""
        if not isinstance(node, Many):
            raise InvalidParameter(node.place.named(name), AsWritten(node.text), "a list of mechanisms")
        return tuple(self._part(item, f"{name}[{i}]", reader) for i, item in enumerate(node.items))

    @staticmethod
    def _part(node: Node, name: str, reader: Reader) -> tuple[Mechanism, object]:
        if isinstance(node, Entries):
            node = counted(node, paired=True)
        if isinstance(node, Times) and node.paired:
            (count,) = node.counts
            return reader.mechanism(node.node, name), within(count.place.named("count"), count.text, COUNT)
        return reader.mechanism(node, name), 1

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:
        """In square brackets, a pair where the count is not 1."""
        return "[" + ", ".join(write(m) if n == 1 else f"({write(m)}, {n})" for m, n in value) + "]"

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:
        """Documents, each with its count."""
        return [{**write(m), "count": n} for m, n in value]

    def schema(self) -> dict[str, object]:
        """A list of mechanisms."""
        return {"type": "array", "items": MECHANISM}


def counted(node: Entries, *, paired: bool) -> Node:
    """A table with a count, as that many runs of the rest of the table."""
    entries = dict(node.entries)
    count = entries.pop("count", None)
    if count is None:
        return node
    if isinstance(count, Many | Entries | Times):
        raise InvalidParameter(count.place.named("count"), AsWritten(count.text), COUNT.allowed)
    return Times(Entries(tuple(entries.items()), node.place), (count,), node.place, paired=paired)  # type: ignore[arg-type]


def codec(hint: object, param: Param | None) -> Codec:
    """The codec of a declared type."""
    if param is not None:
        return Numeral(param)
    inside = types_in(hint)
    for matches, make in RULES:
        if matches(inside):
            return make()
    raise TypeError(f"no document can hold a field of type {hint}")


class Filters(Codec):
    """A notion that has a filter (sums that may be capped while parameters depend on outputs), by the theorems."""

    @staticmethod
    def choice() -> Choice:
        """The notions with a filter; determined when first needed, so that a refusal does not load the theorems."""
        from dpcompose.kernel import STANDARD, Verb

        kinds = {t.types[0] for t in STANDARD.about(Verb.COMPOSES) if t.adaptivity is Adaptivity.FULLY_ADAPTIVE}
        return Choice({kind.__name__: kind for kind in sorted(kinds, key=lambda kind: str(kind.__name__))})

    def read(self, node: Node, name: str, reader: Reader) -> object:
        """The notion."""
        return self.choice().read(node, name, reader)

    def text(self, value: Any, write: Callable[[Mechanism], str]) -> str:
        """Its name as in Python."""
        return self.choice().text(value, write)

    def plain(self, value: Any, write: Callable[[Mechanism], dict[str, object]]) -> object:
        """Its name in small letters."""
        return self.choice().plain(value, write)

    def schema(self) -> dict[str, object]:
        """The names."""
        return self.choice().schema()


RULES: Sequence[tuple[Callable[[set[object]], bool], Callable[[], Codec]]] = (
    (lambda inside: Adjacency in inside, lambda: Choice({a.name: a for a in Adjacency})),
    (lambda inside: Adaptivity in inside, lambda: Choice({a.name: a for a in Adaptivity})),
    (lambda inside: Guarantee in inside, Filters),
    (lambda inside: {Mechanism, tuple} <= inside, PartList),
    (lambda inside: Mechanism in inside, Inner),
    (lambda inside: Mapping in inside, Numbering),
    (lambda inside: Sequence in inside, Numerals),
)


def types_in(hint: object) -> set[object]:
    """Every type written inside a type hint, generic ones without their arguments."""
    return {get_origin(hint) or hint}.union(*(types_in(arg) for arg in get_args(hint)))


def snake(name: str) -> str:
    """`BlackBox` → `black_box`, `ZCDP` → `zcdp`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
