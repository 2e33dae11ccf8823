"""Families: mechanisms that differ in one number, written as a document with a `?` in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import singledispatch

from dpcompose.description import Mechanism
from dpcompose.errors import DPError, InvalidDocument
from dpcompose.numerics.enclosure import Real
from dpcompose.spec.numbers import written
from dpcompose.spec.tree import Entries, Many, Node, Run, Scalar, Terms, Times

UNKNOWN = "?"
PROBES = (1, Fraction(1, 2), 2, Fraction(1, 10), 10, Fraction(1, 1000), 1000)
"""Numbers that are tried before a family is accepted."""


@dataclass(frozen=True, slots=True)
class Family:
    """A function from a number to the mechanism that has it at every `?`."""

    tree: Node
    build: Callable[[Node], Mechanism] = field(repr=False)

    @classmethod
    def of(cls, tree: Node, build: Callable[[Node], Mechanism]) -> Family:
        """The family of a document; a document without a question mark is refused."""
        if not any(scalar.text == UNKNOWN for scalar in scalars(tree)):
            raise InvalidDocument("The document has no ? where the unknown number stands: Gaussian(noise_std=?).")
        found = cls(tree, build)
        found._probe()
        return found

    def _probe(self) -> None:
        """Refuse a document that is wrong for every number, in the words of its own refusal."""
        refusals = []
        for value in PROBES:
            try:
                self(value)
            except DPError as refusal:
                refusals.append(refusal)
            else:
                return
        raise refusals[0]

    def __call__(self, value: Real) -> Mechanism:
        """The mechanism with this number at every `?`."""
        return self.build(filled(self.tree, written(value)))


@singledispatch
def scalars(node: Node) -> Iterator[Scalar]:
    """Every word and number in a tree."""
    raise TypeError(f"{type(node).__name__} is no node of a document")


@singledispatch
def filled(node: Node, text: str) -> Node:  # noqa: ARG001 - what follows uses it
    """The tree with a number at every question mark."""
    raise TypeError(f"{type(node).__name__} is no node of a document")


@scalars.register
def _(node: Scalar) -> Iterator[Scalar]:
    yield node


@filled.register
def _(node: Scalar, text: str) -> Node:
    return replace(node, text=text) if node.text == UNKNOWN else node


@scalars.register
def _(node: Many) -> Iterator[Scalar]:
    return (scalar for item in node.items for scalar in scalars(item))


@filled.register
def _(node: Many, text: str) -> Node:
    return replace(node, items=tuple(filled(item, text) for item in node.items))


@scalars.register
def _(node: Entries) -> Iterator[Scalar]:
    return (scalar for _, item in node.entries for scalar in scalars(item))


@filled.register
def _(node: Entries, text: str) -> Node:
    return replace(node, entries=tuple((key, filled(item, text)) for key, item in node.entries))


@scalars.register
def _(node: Run) -> Iterator[Scalar]:
    return (scalar for item in (*node.positional, *node.named.values()) for scalar in scalars(item))


@filled.register
def _(node: Run, text: str) -> Node:
    named = {key: filled(item, text) for key, item in node.named.items()}
    return replace(node, named=named, positional=tuple(filled(item, text) for item in node.positional))


@scalars.register
def _(node: Times) -> Iterator[Scalar]:
    return (scalar for item in (node.node, *node.counts) for scalar in scalars(item))


@filled.register
def _(node: Times, text: str) -> Node:
    counts = tuple(replace(count, text=text) if count.text == UNKNOWN else count for count in node.counts)
    return replace(node, node=filled(node.node, text), counts=counts)


@scalars.register
def _(node: Terms) -> Iterator[Scalar]:
    return (scalar for term in node.terms for scalar in scalars(term))


@filled.register
def _(node: Terms, text: str) -> Node:
    return replace(node, terms=tuple(filled(term, text) for term in node.terms))
