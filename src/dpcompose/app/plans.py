"""One plan in every form that a user can copy: expression, JSON and TOML document, and its repeated step."""

from __future__ import annotations

import json
from typing import Any

from dpcompose import spec
from dpcompose.app.reading import mechanism_in
from dpcompose.description import Composition, Mechanism


def plan(text: str) -> dict[str, Any]:
    """The plan that a text describes; refusals are those of the library."""
    mechanism = mechanism_in(text)
    document = spec.to_document(mechanism)
    step, count = repeated(mechanism)
    return {
        "schema": "dpc.plan/1",
        "expression": spec.dumps(mechanism),
        "document": document,
        "toml": toml(document),
        "step": spec.dumps(step),
        "count": count,
    }


def repeated(mechanism: Mechanism) -> tuple[Mechanism, int]:
    """The only part of a composition with its count; or the whole, once."""
    if isinstance(mechanism, Composition) and len(mechanism.parts) == 1:
        ((part, count),) = mechanism.parts
        if count and mechanism == Composition(((part, count),)):
            return part, count
    return mechanism, 1


def toml(document: dict[str, object]) -> str:
    """The document as TOML: one line for each key and for each item."""
    return "".join(f"{key} = {_lines(value)}\n" for key, value in document.items() if value is not None)


def _lines(value: object) -> str:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return "[\n" + "".join(f"  {_value(item)},\n" for item in value) + "]"
    return _value(value)


def _value(value: object) -> str:
    """A value on one line; texts, numbers and lists are written as in JSON."""
    if isinstance(value, dict):
        said = [f"{_key(key)} = {_value(item)}" for key, item in value.items() if item is not None]
        return "{ " + ", ".join(said) + " }" if said else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if key.replace("_", "").isalnum() and key.isascii() else json.dumps(key)
