"""The options of a release, from texts: exact numbers, choices, lists of keys, and the format of a file."""

from __future__ import annotations

import csv
import itertools
import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpcompose import spec
from dpcompose.description import Adjacency
from dpcompose.errors import InvalidDocument, InvalidParameter
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.release.ask.contributions import EVERY_ROW, GROUPS, ROWS, Missing
from dpcompose.release.ask.noises import GAUSSIAN, GEOMETRIC
from dpcompose.release.ask.queries import CONFIDENCE, MOST_KEYS, KeyAsText, KeyFromFile
from dpcompose.release.ask.sources import Csv, Database, Limits, Parquet
from dpcompose.spec.limits import contents, guard_keys

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
"""Exact numbers; with a range where it does not depend on other options."""
KEY_FILES = (".txt", ".csv", ".keys")
NOTHING = "none"
"""The text that means that no character quotes."""


def options(texts: Mapping[str, str | Sequence[str] | None]) -> dict[str, Any]:
    """The options that were given, as values; keys stay texts until their column is known."""
    found: dict[str, Any] = {}
    for name, text in texts.items():
        if text is None or (not text and not isinstance(text, str)):
            continue
        if not isinstance(text, str):
            found[name] = _several(name, text)
            continue
        if name in NUMBERS:
            param = NUMBERS[name]
            found[name] = spec.number(name, text) if param is None else spec.within(name, text, param)
        elif name in CHOICES:
            found[name] = _chosen(name, text)
        else:
            found[name] = listed(text) if name == "keys" else text
    lists, columns = (len(texts.get(name) or ()) for name in ("keys", "by"))
    if lists > 1 and lists != columns and not isinstance(texts["keys"], str):
        raise InvalidParameter("keys", spec.AsWritten(f"{lists} lists"), f"as many lists as there are --by: {columns}")
    return found


def _several(name: str, given: Sequence[str]) -> object:
    """The value of an option that may be repeated: columns of keys, conditions, or the keys of each column."""
    if name != "keys":
        return given[0] if len(given) == 1 and name == "by" else list(given)
    if len(given) == 1:
        return listed(given[0])
    columns = [listed(text) for text in given]
    if math.prod(map(len, columns)) > MOST_KEYS:
        raise InvalidParameter("the number of combinations of keys", "more", f"at most {MOST_KEYS:g}")
    return list(itertools.product(*columns))


def unit(column: str | None, *, every_row: bool) -> object:
    """The privacy unit: a column of units, or every row by itself. None or both are refused."""
    if every_row and column is not None:
        raise InvalidParameter("unit", column, "nothing beside --every-row, where each row is a unit")
    return EVERY_ROW if every_row else column


def _chosen(name: str, text: str) -> object:
    if text not in CHOICES[name]:
        raise InvalidParameter(name, spec.AsWritten(text), " or ".join(CHOICES[name]))
    return CHOICES[name][text]


def listed(text: str) -> Sequence[str]:
    """The keys in `north,south` (quotes around a key that has a comma), or those in `@file.txt`, one on each line."""
    if not text.startswith("@"):
        return [KeyAsText(key) for key in _separated("the number of keys", text)]
    path = Path(text[1:])
    if path.suffix.lower() not in KEY_FILES:
        raise InvalidParameter("keys", spec.AsWritten(text), f"a file of keys, which ends in {' or '.join(KEY_FILES)}")
    return [KeyFromFile(line) for line in contents(path).splitlines() if line.strip()]


def _separated(what: str, text: str) -> list[str]:
    found = next(csv.reader([text], skipinitialspace=True), [])
    if len(found) > MOST_KEYS:
        raise InvalidParameter(what, len(found), f"at most {MOST_KEYS:g}")
    return found


def types(text: str | None) -> dict[str, str]:
    """The types in `age=int,day=date`, or those in `@types.toml`, which `release schema` writes."""
    if not text:
        return {}
    if text.startswith("@"):
        path = Path(text[1:])
        try:
            found = tomllib.loads(guard_keys(contents(path)))
        except tomllib.TOMLDecodeError:
            raise InvalidDocument(f'{path.name!r} is not TOML with a line column = "type" for each column.') from None
        return {str(column): str(said) for column, said in found.items()}
    pairs = [part.rpartition("=") for part in _separated("the number of types", text)]
    if not all(column and said for column, _, said in pairs):
        raise InvalidParameter("types", spec.AsWritten(text), "a list such as age=int,day=date")
    return {column.strip(): said.strip() for column, _, said in pairs}


def source(data: str, said: Mapping[str, Any]) -> str | Csv | Parquet | Database:
    """The data at a path, with what the options say about it: its dialect, a pattern, or the known views."""
    ending, known = Path(data).suffix.lower(), {name: value for name, value in said.items() if value}
    text = {"types", "delimiter", "quote", "header"} & known.keys()
    if ending in {".csv", ".tsv", ".txt"}:
        quote = known.get("quote", '"')
        header = known.get("header")
        return Csv(
            data,
            types(known.get("types")),
            None if header is None else _separated("the number of columns", header),
            known.get("delimiter", "," if ending == ".csv" else "\t").replace("\\t", "\t"),
            None if quote == NOTHING else quote,
            bool(known.get("glob")),
        )
    if text:
        raise InvalidParameter(f"--{min(text)}", known[min(text)], "nothing for data that has types of its own")
    if ending == ".parquet":
        return Parquet(data, bool(known.get("glob")))
    if known.get("glob"):
        raise InvalidParameter("--glob", data, "a pattern of .csv or .parquet files")
    if ending in {".duckdb", ".db"}:
        return Database(data, known.get("table"), _separated("the number of views", known.get("view", "")))
    return data


def limits(memory: str | None, seconds: str | None) -> Limits:
    """The limits of memory and time for the embedded engine."""
    given: dict[str, Any] = {} if memory is None else {"memory": memory}
    if seconds is not None:
        given["seconds"] = float(spec.number("seconds", seconds))
    return Limits(**given)


__all__ = ["CHOICES", "limits", "listed", "options", "source", "types", "unit"]
