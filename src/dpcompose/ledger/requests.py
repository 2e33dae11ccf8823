"""What a client asks to be charged for: a mechanism, several mechanisms on disjoint parts of the data, or one on
blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcompose import spec
from dpcompose.description import Adjacency, Mechanism, described
from dpcompose.errors import AdjacencyMismatch, InvalidParameter
from dpcompose.filters import stated
from dpcompose.ledger.rules import Rule

MOST_TEXT = 500
MOST_PARTS = 10_000


@dataclass(frozen=True, slots=True)
class Disjoint:
    """Mechanisms that each read a part of the data of their own; the caller declares that no unit lies in two parts.

    A neighbour that adds or removes a unit changes one part, so the most expensive part is charged. Replacing a unit
    may change two parts, so it is charged twice.
    """

    parts: Mapping[str, Mechanism]

    def __post_init__(self) -> None:
        if not 0 < len(self.parts) <= MOST_PARTS:
            raise InvalidParameter("parts", len(self.parts), f"1 to {MOST_PARTS} parts, each with a mechanism")
        for name in self.parts:
            if any(letter > "\uffff" for letter in text("part", name)):
                raise InvalidParameter("part", name, "a name of letters that UTF-16 writes as one")
        object.__setattr__(self, "parts", {name: described(mechanism) for name, mechanism in self.parts.items()})


@dataclass(frozen=True, slots=True)
class Request:
    """A request to be charged: checked, and as the document that is stored."""

    mechanisms: tuple[Mechanism, ...]
    what: dict[str, Any]
    """What a key stands for: equal documents are the same request."""
    blocks: tuple[str, ...] = ()
    disjoint: bool = False
    replaces: bool = False
    """Whether neighbours replace a unit, which may then affect two parts, or two blocks."""

    def cost(self, rule: Rule, *, doubled: bool) -> tuple[int, ...]:
        """What a request takes of an account, in units: the cost of its most expensive part."""
        found = [rule.cost(mechanism) for mechanism in self.mechanisms]
        factor = 2 if doubled else 1
        return tuple(factor * max(costs) for costs in zip(*found, strict=True))


def request_for(asked: object, adjacency: Adjacency, blocks: Sequence[str] | None = None) -> Request:
    """A request from what a caller asks, checked before anything is locked."""
    parts = dict(asked.parts) if isinstance(asked, Disjoint) else {"": described(asked)}
    kept = {name: stated(mechanism) for name, mechanism in parts.items()}
    for mechanism in kept.values():
        if mechanism.adjacency not in (None, adjacency):
            raise AdjacencyMismatch(
                f"The account hides a unit under {adjacency.value}, and the mechanism is stated for "
                f"{mechanism.adjacency.value}: what they cost does not add up."
            )
    documents = {name: spec.to_document(mechanism) for name, mechanism in sorted(kept.items())}
    what: dict[str, Any] = {"parts": documents} if isinstance(asked, Disjoint) else {"mechanism": documents[""]}
    named = () if blocks is None else tuple(sorted({text("block", block) for block in blocks}))
    if named:
        what["blocks"] = list(named)
    replaces = adjacency is Adjacency.REPLACE_ONE
    return Request(tuple(kept.values()), what, named, isinstance(asked, Disjoint), replaces)


def text(name: str, value: object, *, empty: bool = False) -> str:
    """Check that a value is a short line of printable text."""
    if not isinstance(value, str) or not (value or empty) or len(value) > MOST_TEXT or not value.isprintable():
        raise InvalidParameter(name, value, f"a line of 1 to {MOST_TEXT} printable characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidParameter(name, value, "a text that UTF-8 can write") from None
    return value


__all__ = ["Disjoint", "Request", "request_for", "text"]
