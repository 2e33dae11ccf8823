"""Mechanisms with short numbers, for people to read (`dumps` writes the exact ones).

A float is shown as Python shows it, 0.1 and not 0.1000000000000000055511151231257827…; a fraction with a long exact
text is cut after ten digits, which is marked by the sign ….
"""

from __future__ import annotations

from decimal import ROUND_DOWN
from fractions import Fraction
from typing import Any

from dpcompose.description import Composition, Mechanism
from dpcompose.errors import DPError
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.spec.fields import Codec, Numbering, Numeral, Numerals, PartList
from dpcompose.spec.numbers import written
from dpcompose.spec.registry import kind_of

MOST_DIGITS = 12
KEPT = 10


def brief(mechanism: Mechanism) -> str:
    """The expression of a mechanism, with short numbers and without fields that have their default."""
    if isinstance(mechanism, Composition) and mechanism.parts and mechanism == Composition(mechanism.parts):
        alone = len(mechanism.parts) == 1
        return " + ".join(_term(part, count, alone=alone) for part, count in mechanism.parts)
    kind = kind_of(mechanism)
    given = [(field, getattr(mechanism, field.name)) for field in kind.fields.values() if not field.derived]
    said = [
        text if field.by_position and field.required else f"{field.name}={text}"
        for field, value in given
        if value != field.default
        for text in ["None" if value is None else brief_value(field.codec, value)]
    ]
    return f"{kind.name}({', '.join(said)})"


def _term(part: Mechanism, count: int, *, alone: bool) -> str:
    if isinstance(part, Composition):
        return f"{count} * ({brief(part)})"
    return brief(part) if count == 1 and not alone else f"{count} * {brief(part)}"


def brief_value(codec: Codec, value: Any) -> str:
    """A parameter, with short numbers."""
    if isinstance(codec, Numeral):
        return number(value)
    if isinstance(codec, Numerals):
        return f"[{', '.join(map(number, value))}]"
    if isinstance(codec, Numbering):
        return "{" + ", ".join(f"{number(key)}: {number(item)}" for key, item in value) + "}"
    if isinstance(codec, PartList):
        return "[" + ", ".join(brief(m) if n == 1 else f"({brief(m)}, {n})" for m, n in value) + "]"
    return codec.text(value, brief)


def number(value: Real) -> str:
    """A short number."""
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 10**15 else repr(value)
    try:
        text = written(value)
    except DPError:
        text = ""
    if text and len(text) <= MOST_DIGITS + 2:
        return text
    return f"{rounded(Fraction(value), ROUND_DOWN, KEPT)}…"


__all__ = ["brief", "brief_value", "number"]
