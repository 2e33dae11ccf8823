"""From the tree of a document to the mechanism it describes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

from dpcompose.description import Adaptivity, Adjacency, Composition, Mechanism
from dpcompose.errors import AdjacencyMismatch, InvalidDocument, InvalidParameter
from dpcompose.parameters import COUNT
from dpcompose.spec.fields import counted
from dpcompose.spec.numbers import AsWritten, within, written
from dpcompose.spec.registry import Field, MechanismKind, kinds
from dpcompose.spec.synonyms import mechanism, nearest, unknown
from dpcompose.spec.tree import Entries, Node, Path, Place, Run, Scalar, Terms, Times

SCHEMA = "dpc.mechanism/1"
THOUSANDS = re.compile(r"[0-9]{1,3}\.[0-9]{3}")


@dataclass(frozen=True, slots=True)
class Builder:
    """Builds mechanisms; those that state no neighbouring relation get `adjacency`."""

    adjacency: Adjacency | None = None

    def mechanism(self, node: Node, name: str = "mechanism") -> Mechanism:
        """The mechanism that a node describes."""
        return built(node, self, name)

    def run(self, kind: MechanismKind, given: Mapping[str, Node], place: Place) -> Mechanism:
        """A mechanism of this kind, from the nodes of its fields."""
        missing = [f.name for f in kind.fields.values() if f.required and f.name not in given]
        if missing:
            raise InvalidDocument(place.says(f"{kind.name} needs {' and '.join(missing)}."))
        relation = kind.fields["adjacency"]
        stated = self.value(relation, given["adjacency"]) if "adjacency" in given else None
        inside = replace(self, adjacency=stated or self.adjacency)
        values = {name: inside.value(kind.fields[name], node) for name, node in given.items() if name != "adjacency"}
        if not relation.derived and (inside.adjacency or "adjacency" in given):
            values["adjacency"] = inside.adjacency
        made = constructed(kind, values, place)
        if stated and made.adjacency not in (None, stated):
            raise AdjacencyMismatch(place.says(f"it states {stated.value}, and what is inside states another."))
        return made

    def value(self, field: Field, node: Node) -> Any:
        """The value of a field."""
        if field.optional and isinstance(node, Scalar) and node.text == "None":
            return None
        return field.codec.read(node, field.name, self)


def constructed(kind: MechanismKind, values: Mapping[str, Any], place: Place) -> Mechanism:
    """Construct a mechanism; a refusal names the place in the document and shows the number as it was written."""
    maker: Callable[..., Mechanism] = kind.owner
    try:
        return maker(**values)
    except InvalidParameter as refusal:
        raise InvalidParameter(_within(place, refusal.name), shown(refusal.value), refusal.allowed) from None
    except AdjacencyMismatch as refusal:
        raise AdjacencyMismatch(place.says(str(refusal))) from None


@singledispatch
def shown(value: object) -> object:
    """A value as a document shows it."""
    return value


@shown.register
def _(value: Fraction) -> object:
    return AsWritten(written(value))


@shown.register
def _(value: type) -> object:
    return AsWritten(value.__name__)


def _within(place: Place, name: str) -> str:
    return (place / name).steps if isinstance(place, Path) else place.named(name)


@singledispatch
def built(node: Node, builder: Builder, name: str) -> Mechanism:  # noqa: ARG001 - what follows uses it
    """The mechanism of a node, by the node's type; lists and numbers are refused."""
    raise InvalidParameter(node.place.named(name), AsWritten(node.text), "a mechanism such as Gaussian(noise_std=2)")


@built.register
def _(node: Scalar, builder: Builder, name: str) -> Mechanism:  # noqa: ARG001
    """Always refused: a number is no mechanism, and a mechanism's name needs parentheses."""
    such = mechanism(node.text, {}) or "Gaussian(noise_std=2)"
    if node.text in kinds():
        needed = [f"{f.name}=…" for f in kinds()[node.text].fields.values() if f.required]
        such = f"{node.text}({', '.join(needed)})"
    raise InvalidParameter(node.place.named(name), AsWritten(node.text), f"a mechanism such as {such}")


@built.register
def _(node: Run, builder: Builder, name: str) -> Mechanism:  # noqa: ARG001
    if node.kind not in kinds():
        meant = mechanism(node.kind, {name: name for name in kinds()})
        raise InvalidDocument(node.place.says(unknown("there is no mechanism", node.kind, meant, sorted(kinds()))))
    kind = kinds()[node.kind]
    slots = [f.name for f in kind.fields.values() if f.by_position]
    if len(node.positional) > len(slots):
        first, free = node.positional[len(slots)], [name for name in kind.fields if name not in slots]
        example = f"{free[0]}={first.text}" if isinstance(first, Scalar) else f"{free[0]}=…"
        sentence = f"{kind.name} takes {', '.join(free)} by name; write {example}."
        raise InvalidDocument(first.place.says(sentence))
    given = dict(zip(slots, node.positional, strict=False))
    for key, value in node.named.items():
        if key not in kind.fields:
            sentence = unknown(f"{kind.name} has no", key, nearest(key, list(kind.fields)), list(kind.fields))
            raise InvalidDocument(node.names.get(key, value.place).says(sentence))
        if key in given:
            raise InvalidDocument(value.place.says(f"{kind.name} is given {key} twice."))
        given[key] = value
    return builder.run(kind, given, node.place)


@built.register
def _(node: Entries, builder: Builder, name: str) -> Mechanism:
    whole = counted(node, paired=False)
    if whole is not node:
        return builder.mechanism(whole, name)
    given = dict(node.entries)
    stated = given.pop("kind", None)
    by_key = kinds().keys_in_documents
    if not isinstance(stated, Scalar):
        raise InvalidDocument(
            node.place.says("it needs a kind, such as 'gaussian'; `dpcompose mechanisms` lists them.")
        )
    if stated.text not in by_key:
        meant = mechanism(stated.text, {name: key for key, name in by_key.items()})
        raise InvalidDocument(stated.place.says(unknown("there is no kind", stated.text, meant, list(by_key))))
    kind = kinds()[by_key[stated.text]]
    names = {field.key: field.name for field in kind.fields.values()}
    for key, value in given.items():
        if key not in names:
            allowed = [*names, "count"]
            raise InvalidDocument(value.place.says(unknown(f"{kind.key} has no", key, nearest(key, allowed), allowed)))
    return builder.run(kind, {names[key]: value for key, value in given.items()}, node.place)


@built.register
def _(node: Times, builder: Builder, name: str) -> Mechanism:
    if node.paired:
        sentence = "a mechanism with its count in parentheses stands only among the parts of a Composition."
        if isinstance(node.node, Scalar):
            sentence = f"write BlackBox(epsilon={node.node.text}, delta={node.counts[0].text}) for what is (ε, δ)-DP."
        raise InvalidDocument(node.place.says(sentence))
    counts = [_times(count) for count in node.counts]
    total = COUNT.check(node.counts[-1].place.named("count"), math.prod(counts))
    return builder.mechanism(node.node, name) * int(total)


def _times(count: Scalar) -> int:
    """A count. `1.000` is refused, as it is one in some countries and a thousand in others."""
    if THOUSANDS.fullmatch(count.text):
        cure = f"{COUNT.allowed}; write {count.text.replace('.', '')} or {count.text.split('.')[0]}, without a point"
        raise InvalidParameter(count.place.named("count"), AsWritten(count.text), cure)
    return int(within(count.place.named("count"), count.text, COUNT))


@built.register
def _(node: Terms, builder: Builder, name: str) -> Mechanism:
    """The terms of a sum are added all at once; one after the other would copy the parts every time."""
    terms = [builder.mechanism(term, name) for term in node.terms]
    wholes = [term for term in terms if isinstance(term, Composition)]
    filters = {whole.filter for whole in wholes if whole.filter is not None}
    if len(filters) > 1:
        raise InvalidDocument(node.place.says("the compositions in a sum need the same filter."))
    parts = [term.parts if isinstance(term, Composition) else ((term, 1),) for term in terms]
    mode = max((whole.adaptivity for whole in wholes), default=Adaptivity.ADAPTIVE)
    together = tuple(part for some in parts for part in some)
    try:
        return Composition(together, max(mode, Adaptivity.ADAPTIVE), *filters)
    except AdjacencyMismatch as refusal:
        raise AdjacencyMismatch(node.place.says(str(refusal))) from None


def document(node: Node) -> Mechanism:
    """The mechanism of a whole structured document, once its schema has been checked."""
    if not isinstance(node, Entries):
        raise InvalidDocument(f"The document is {node.text} where a table with a kind is expected.")
    entries = dict(node.entries)
    if "budget" in entries and "kind" not in entries:
        raise InvalidDocument("This is a budget plan, which `dpcompose budget` reads, and no mechanism with its kind.")
    schema = entries.pop("schema", None)
    if schema is not None and schema.text != SCHEMA:
        raise InvalidDocument(f"schema: {schema.text[:60]!r} is not known here, only {SCHEMA!r}.")
    return Builder().mechanism(Entries(tuple(entries.items()), node.place))
