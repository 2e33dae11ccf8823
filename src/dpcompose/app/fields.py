"""What a form asks for: every kind of mechanism with the parameters it declares, as plain data."""

from __future__ import annotations

from functools import cache, singledispatch
from typing import Any

from dpcompose.parameters import COUNT, DELTA, Param, Whole, show
from dpcompose.spec.fields import Choice, Codec, Inner, Numeral, Numerals, PartList, snake
from dpcompose.spec.numbers import written
from dpcompose.spec.registry import Field, MechanismKind, kinds

Plain = dict[str, Any]


@cache
def kinds_offered() -> dict[str, Plain]:
    """Every kind, by its name in documents, in the order of the library."""
    return {kind.key: _kind(kind) for kind in kinds().values()}


def _kind(kind: MechanismKind) -> Plain:
    shown = [_field(field) for field in kind.fields.values() if not field.derived]
    return {"name": kind.name, "about": kind.about.replace("\n", " "), "fields": shown}


def _field(field: Field) -> Plain:
    default = None if field.required else _default(field)
    return {"key": field.key, "required": field.required, "default": default, **_form(field.codec)}


def _default(field: Field) -> object:
    return None if field.default is None else field.codec.plain(field.default, lambda _: {})


@singledispatch
def _form(codec: Codec) -> Plain:  # noqa: ARG001 - a table of numbers, which nothing more is known of
    """The kind of form field for a parameter, by the type of its codec."""
    return {"form": "table"}


@_form.register
def _(codec: Numeral) -> Plain:
    return {"form": "number", **number(codec.param)}


@_form.register
def _(codec: Choice) -> Plain:
    return {"form": "choice", "options": [snake(option) for option in codec.options]}


@_form.register
def _(codec: Numerals) -> Plain:  # noqa: ARG001
    return {"form": "numbers"}


@_form.register
def _(codec: Inner) -> Plain:  # noqa: ARG001
    return {"form": "mechanism"}


@_form.register
def _(codec: PartList) -> Plain:  # noqa: ARG001
    return {"form": "mechanisms"}


def number(param: Param) -> Plain:
    """The declared limits of a number, for the form; the library itself checks the value."""
    return {
        "symbol": param.symbol,
        "unit": param.unit,
        "whole": isinstance(param, Whole),
        "allowed": param.allowed,
        "range": [show(param.low), show(param.high)],
        "typical": [written(_round(end)) for end in param.typical],
    }


def _round(end: float) -> float:
    return int(end) if end == int(end) else end


@cache
def declaration() -> Plain:
    """All that a form needs to know of parameters."""
    return {"kinds": kinds_offered(), "count": number(COUNT), "delta": number(DELTA)}
