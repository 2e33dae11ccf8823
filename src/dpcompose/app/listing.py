"""All mechanisms, each with its parameters, their meaning and their limits."""

from __future__ import annotations

from dpcompose import spec
from dpcompose.app.reply import Reply
from dpcompose.errors import InvalidParameter
from dpcompose.report import Sheet, Table
from dpcompose.spec.fields import Choice, Filters, Numeral
from dpcompose.spec.registry import Field, MechanismKind, kinds
from dpcompose.spec.synonyms import mechanism as meant


def mechanisms(pattern: str = "") -> Reply:
    """The mechanisms whose name contains the pattern; a single one with all its details."""
    wanted = pattern.casefold().replace("_", "")
    every = sorted(kinds().items())
    exact = [kind for name, kind in every if name.casefold() == wanted]
    found = exact or [kind for name, kind in every if wanted in name.casefold()]
    if not found:
        near = meant(pattern, {name: name for name in kinds()})
        hint = f" (did you mean {near}?)" if near else ""
        raise InvalidParameter("name", pattern, f"a part of the name of a mechanism, such as Gaussian{hint}")
    return Reply(found, sheet=_told(found[0]) if len(found) == 1 else _listed(found))


def begun(word: str) -> list[str]:
    """The mechanisms whose names begin with a word."""
    return [name for name in kinds() if name.startswith(word)]


def _listed(found: list[MechanismKind]) -> Sheet:
    rows = tuple((kind.name, _first(kind.about)) for kind in found)
    said = ("What can be composed; `dpcompose mechanisms Gaussian` tells one in full.",)
    return Sheet("dpc.mechanisms/1", said, (Table(("mechanism", "what it does"), rows),), _document(found))


def _told(kind: MechanismKind) -> Sheet:
    rows = tuple((field.name, _default(field), _allowed(field)) for field in kind.fields.values() if not field.derived)
    said = (_call(kind), " ".join(kind.about.split()))
    return Sheet("dpc.mechanisms/1", said, (Table(("parameter", "default", "allowed"), rows),), _document([kind]))


def _call(kind: MechanismKind) -> str:
    """How a mechanism is written, with its required parameters."""
    given = [field.name if field.by_position else f"{field.name}=…" for field in kind.fields.values() if field.required]
    return f"{kind.name}({', '.join(given)})"


def _first(about: str) -> str:
    """The first sentence of a description."""
    return " ".join(about.split()).split(". ", maxsplit=1)[0].rstrip(".")


def _default(field: Field) -> str:
    if field.required:
        return "must be given"
    return "" if field.default is None else field.codec.text(field.default, spec.dumps)


def _allowed(field: Field) -> str:
    if isinstance(field.codec, Numeral):
        param = field.codec.param
        return " ".join(filter(None, (f"{param.symbol}:", param.allowed, f"({param.unit})" if param.unit else "")))
    if isinstance(field.codec, Choice | Filters):
        chosen = field.codec if isinstance(field.codec, Choice) else field.codec.choice()
        return " or ".join(chosen.options)
    shape = str(field.codec.schema().get("type"))
    return {"array": "a list", "object": "a mapping"}.get(shape, "a mechanism")


def _document(found: list[MechanismKind]) -> dict[str, object]:
    return {
        "mechanisms": [
            {
                "name": kind.name,
                "kind": kind.key,
                "about": kind.about,
                "parameters": {
                    field.name: {"required": field.required, "default": _default(field), "allowed": _allowed(field)}
                    for field in kind.fields.values()
                    if not field.derived
                },
            }
            for kind in found
        ]
    }


__all__ = ["begun", "mechanisms"]
