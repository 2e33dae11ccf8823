"""The golden vectors, and when an output agrees with one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpcompose import Enclosure

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
DIGITS = Fraction(1, 10**48)
"""The stored values are rounded to 50 digits."""
NARROW = Fraction(1, 10**9)
TIE = Fraction(1, 10**20)
"""At a tie the truth is 0 and an evaluation may leave a trace."""


def rounded_to_floats(value: Any) -> Any:
    """The input with every decimal rounded to binary64, as text in a program would be."""
    if isinstance(value, str):
        return float(Fraction(value))
    if isinstance(value, list):
        return [rounded_to_floats(item) for item in value]
    return value


def cases(fields: Sequence[str] = ("outputs",)) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """(id, card, inputs, expected) of every vector, with exact or with rounded inputs."""
    for vector in VECTORS:
        for field in fields:
            if field in vector:
                given = vector["inputs"]
                if field == "outputs_f64_inputs":
                    given = {key: rounded_to_floats(value) for key, value in given.items()}
                yield f"{vector['id']}{'' if field == 'outputs' else '-f64'}", vector["card"], given, vector[field]


def agrees(found: object, expected: Any) -> bool:
    """Whether an output says what the vector says: enclosing it narrowly, or equal to it."""
    if isinstance(expected, bool) or expected == "undefined":
        return found == expected
    if isinstance(expected, list):
        return isinstance(found, Sequence) and len(found) == len(expected) and all(map(agrees, found, expected))
    if expected == "inf":
        return found == Enclosure(math.inf, math.inf)
    truth = Fraction(expected)
    slack = abs(truth) * DIGITS
    if isinstance(found, Enclosure):
        inside = found.lower <= truth + slack and found.upper >= truth - slack
        return inside and _width(found) <= max(abs(truth) * NARROW, TIE)
    return isinstance(found, int | Fraction) and abs(Fraction(found) - truth) <= slack


def _width(found: Enclosure) -> Fraction | float:
    return Fraction(found.upper) - Fraction(found.lower) if math.isfinite(found.upper - found.lower) else math.inf
