"""Conversions between Opacus histories, dp_accounting ledgers and our documents, as texts.

The kind of a text is seen from its shape: a list of triples, or a table with `history`, is Opacus's; a table with
`class_name` is an event of dp_accounting; everything else is a document of ours. Nothing is imported or evaluated.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dpcompose import spec
from dpcompose.description import Adjacency, Mechanism, Subject, described
from dpcompose.errors import InvalidDocument, InvalidParameter
from dpcompose.interop import events, histories, reading, writing

FORMS = ("dpcompose", "expression", "dp_accounting", "opacus")


def read(text: str, adjacency: Adjacency = Adjacency.ADD_REMOVE) -> Mechanism:
    """The mechanism in a text of any of the three kinds; `adjacency` is for events, which do not state a relation."""
    if len(text) > spec.MOST_CHARACTERS:
        raise InvalidDocument(f"The text is longer than {spec.MOST_CHARACTERS} characters.")
    found = _json(text)
    if isinstance(found, list):
        return histories.mechanism_of(found)
    if isinstance(found, Mapping) and "history" in found:
        return histories.mechanism_of(found["history"])
    if isinstance(found, Mapping) and "class_name" in found:
        return reading.mechanism_of(events.from_plain(found), adjacency)
    return spec.loads(text)


def _json(text: str) -> Any:
    """The JSON value with numbers as floats, as the other libraries store them; None if the text is no JSON."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return None


def write(subject: Subject, form: str) -> str:
    """A mechanism as a text of one of the forms."""
    mechanism = described(subject)
    if form == "dpcompose":
        return json.dumps(spec.to_document(mechanism), ensure_ascii=False, indent=2)
    if form == "expression":
        return spec.dumps(mechanism)
    if form == "dp_accounting":
        return json.dumps(events.to_plain(writing.event_of(mechanism)), indent=2)
    if form == "opacus":
        return json.dumps({"history": histories.history_of(mechanism), "mechanism": "dpcompose"})
    raise InvalidParameter("form", form, " or ".join(FORMS))


def convert(text: str, to: str = "dpcompose", adjacency: Adjacency = Adjacency.ADD_REMOVE) -> str:
    """Convert a text of any kind to another; numbers are exact, or rounded towards the larger loss."""
    if to not in FORMS:
        raise InvalidParameter("to", to, " or ".join(FORMS))
    return write(read(text, adjacency), to)


__all__ = ["FORMS", "convert", "read", "write"]
