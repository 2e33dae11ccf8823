"""JSON and TOML: the same tree as an expression, with every number as it was written."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpcompose.errors import InvalidDocument
from dpcompose.spec.limits import MOST_DEPTH, guard_keys
from dpcompose.spec.numbers import MOST_DIGITS, AsWritten
from dpcompose.spec.tree import Entries, Many, Node, Path, Scalar

ROOT = Path()


class _Pairs(list[tuple[str, Any]]):
    """The members of a JSON object in order, so that a repeated key is noticed."""


def parse_json(text: str) -> Node:
    """The tree of a JSON text."""
    try:
        found = json.loads(
            text,
            object_pairs_hook=_Pairs,
            parse_float=AsWritten,
            parse_int=AsWritten,
            parse_constant=AsWritten,  # NaN and Infinity are refused where a number is expected
        )
    except json.JSONDecodeError as error:
        raise InvalidDocument(f"Line {error.lineno}, column {error.colno}: this is not JSON ({error.msg}).") from None
    return node(found)


def parse_toml(text: str) -> Node:
    """The tree of a TOML text."""
    guard_keys(text)
    try:
        found = tomllib.loads(text, parse_float=AsWritten)
    except (ValueError, RecursionError) as error:
        raise InvalidDocument(f"This is not TOML: {str(error) or 'it nests too deeply'}.") from None
    return node(found)


def node(value: object, place: Path = ROOT, depth: int = 0) -> Node:
    """The tree of what a JSON or TOML reader returns, or of a dictionary built by hand.

    A float in it stands for the decimal that it prints as.
    """
    if depth > MOST_DEPTH:
        raise InvalidDocument(f"The document nests deeper than {MOST_DEPTH} levels.")
    if isinstance(value, Mapping):
        value = _Pairs(value.items())
    if isinstance(value, _Pairs):
        found: dict[str, Node] = {}
        for key, inner in value:
            here = place / str(key)
            if str(key) in found:
                raise InvalidDocument(here.says("this key stands there twice."))
            found[str(key)] = node(inner, here, depth + 1)
        return Entries(tuple(found.items()), place)
    if isinstance(value, list | tuple):
        return Many(tuple(node(inner, place / i, depth + 1) for i, inner in enumerate(value)), place)
    return Scalar(_text(value, place), place)


def _text(value: object, place: Path) -> str:
    """A word or number as it is written in an expression; other values as Python prints them."""
    if value is None:
        return "None"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 3 * MOST_DIGITS:
        raise InvalidDocument(place.says(f"a number has at most {MOST_DIGITS} digits."))
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    return value if isinstance(value, str) else str(value)
