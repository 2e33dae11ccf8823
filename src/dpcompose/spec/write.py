"""From a mechanism to the documents that describe it."""

from __future__ import annotations

from dpcompose.description import Composition, Mechanism, Subject, described
from dpcompose.spec.build import SCHEMA
from dpcompose.spec.registry import Field, MechanismKind, kind_of, kinds


def dumps(mechanism: Subject) -> str:
    """The expression of a mechanism: exact, and what `load` reads back as an equal mechanism."""
    meant = described(mechanism)
    if isinstance(meant, Composition) and meant.parts and meant == Composition(meant.parts):
        return _sum(meant)
    kind = kind_of(meant)
    said = [(field, getattr(meant, field.name)) for field in kind.fields.values() if not field.derived]
    return f"{kind.name}({', '.join(_argument(f, value) for f, value in said if value != f.default)})"


def _sum(mechanism: Composition) -> str:
    alone = len(mechanism.parts) == 1
    return " + ".join(_term(part, count, alone=alone) for part, count in mechanism.parts)


def _term(part: Mechanism, count: int, *, alone: bool) -> str:
    """`30 * Gaussian(…)`; without the count where it is clear from the sum."""
    if isinstance(part, Composition):
        return f"{count} * ({dumps(part)})"
    return dumps(part) if count == 1 and not alone else f"{count} * {dumps(part)}"


def _argument(field: Field, value: object) -> str:
    text = "None" if value is None else field.codec.text(value, dumps)
    return text if field.by_position and field.required else f"{field.name}={text}"


def to_document(mechanism: Subject) -> dict[str, object]:
    """The structured document of a mechanism: every field is stated, so that no default can change it later."""
    return {"schema": SCHEMA, **_described(described(mechanism))}


def _described(mechanism: Mechanism) -> dict[str, object]:
    kind = kind_of(mechanism)
    found: dict[str, object] = {"kind": kind.key}
    for field in kind.fields.values():
        value = getattr(mechanism, field.name)
        if not field.derived and not value is field.default is None:
            found[field.key] = None if value is None else field.codec.plain(value, _described)
    return found


def schema() -> dict[str, object]:
    """JSON Schema of the structured documents, from the declarations of the mechanisms."""
    named = {kind.key: _kind_schema(kind) for kind in kinds().values()}
    refs = [{"$ref": f"#/$defs/{key}"} for key in named]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "A mechanism, or a composition of mechanisms",
        "$ref": "#/$defs/mechanism",
        "$defs": {"mechanism": {"oneOf": refs}, **named},
    }


def _kind_schema(kind: MechanismKind) -> dict[str, object]:
    properties: dict[str, object] = {
        "schema": {"const": SCHEMA},
        "kind": {"const": kind.key},
        "count": {"description": "how many times it runs", "type": "integer", "minimum": 0, "maximum": 10**9},
    }
    for field in kind.fields.values():
        properties[field.key] = _field_schema(field)
    return {
        "description": kind.about,
        "type": "object",
        "properties": properties,
        "required": ["kind", *(field.key for field in kind.fields.values() if field.required)],
        "additionalProperties": False,
    }


def _field_schema(field: Field) -> dict[str, object]:
    allowed = field.codec.schema()
    return {"anyOf": [allowed, {"type": "null"}]} if field.optional else allowed
