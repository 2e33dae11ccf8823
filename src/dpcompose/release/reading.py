"""The options of a release as texts: exact numbers, words for choices, and lists of keys."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from dpcompose import spec
from dpcompose.description import Adjacency
from dpcompose.errors import InvalidParameter
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.release.contributions import EVERY_ROW, GROUPS, ROWS, Missing
from dpcompose.release.noises import GAUSSIAN, GEOMETRIC
from dpcompose.release.queries import CONFIDENCE, MOST_KEYS
from dpcompose.spec.limits import contents

CHOICES: Mapping[str, Mapping[str, object]] = {
    "adjacency": {"add-remove": Adjacency.ADD_REMOVE, "replace-one": Adjacency.REPLACE_ONE},
    "missing": {missing.value: missing for missing in Missing},
    "noise": {noise.name: noise for noise in (GEOMETRIC, GAUSSIAN)},
}
NUMBERS: Mapping[str, Param | None] = {
    "epsilon": EPSILON,
    "delta": DELTA,
    "confidence": CONFIDENCE,
    "max_rows": ROWS,
    "max_groups": GROUPS,
    **dict.fromkeys(("lower", "upper", "grid", "q")),
}
"""Exact numbers, and their ranges where those do not depend on each other."""
TRUTH = {"true": True, "false": False}


def options(texts: Mapping[str, str | None]) -> dict[str, Any]:
    """The options that were given, as values; keys stay texts until their column is known."""
    found: dict[str, Any] = {}
    for name, text in texts.items():
        if text is None:
            continue
        if name in NUMBERS:
            param = NUMBERS[name]
            found[name] = spec.number(name, text) if param is None else spec.within(name, text, param)
        elif name in CHOICES:
            found[name] = _chosen(name, text)
        else:
            found[name] = listed(text) if name == "keys" else text
    return found


def unit(column: str | None, *, every_row: bool) -> object:
    """Whom a release hides: a column of units, or every row by itself; neither is refused, and so are both."""
    if every_row and column is not None:
        raise InvalidParameter("unit", column, "nothing beside --every-row, where each row is a unit")
    return EVERY_ROW if every_row else column


def _chosen(name: str, text: str) -> object:
    if text not in CHOICES[name]:
        raise InvalidParameter(name, spec.AsWritten(text), " or ".join(CHOICES[name]))
    return CHOICES[name][text]


def listed(text: str) -> list[str]:
    """`north,south`, with quotes around a key that has a comma; or `@file`, with a key on each line."""
    if text.startswith("@"):
        lines = contents(Path(text[1:])).splitlines()
        return [line for line in lines if line.strip()]
    found = next(csv.reader([text], skipinitialspace=True), [])
    if len(found) > MOST_KEYS:
        raise InvalidParameter("the number of keys", len(found), f"at most {MOST_KEYS:g}")
    return found


def typed(texts: list[str], kind: str) -> list[object]:
    """Keys as values of a column's type; a text that has no such value stays a text, and is refused as one."""
    read = READERS.get(kind)
    return [_typed(text, read) for text in texts] if read else list(texts)


def _typed(text: str, read: Callable[[str], object]) -> object:
    try:
        return read(text)
    except (ValueError, KeyError):
        return text


READERS: Mapping[str, Callable[[str], object]] = {
    "whole": int,
    "truth": lambda text: TRUTH[text.lower()],
    "date": date.fromisoformat,
}

__all__ = ["CHOICES", "listed", "options", "typed", "unit"]
