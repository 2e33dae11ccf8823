"""Limits that are checked before anything is parsed: the length, the depth and the number of parts of a text."""

from __future__ import annotations

import re
from pathlib import Path

from dpcompose.errors import InvalidDocument

MOST_CHARACTERS = 1_000_000
MOST_DEPTH = 100
MOST_NODES = 100_000
MOST_KEY_PARTS = 32

BRACKETS = re.compile(r"[(\[{]|[)\]}]")
SEPARATORS = "([{,+*="
KEYS = re.compile(r"[^=,{}\[\]\n]+")


def guard(text: str) -> str:
    """The text itself, if its length, its number of parts and its depth are within the limits."""
    if not isinstance(text, str):
        raise InvalidDocument(f"A document is a text, and {text!r:.60} is none.")
    if len(text) > MOST_CHARACTERS:
        raise InvalidDocument(f"The document has {len(text)} characters, and at most {MOST_CHARACTERS} are allowed.")
    nodes = sum(map(text.count, SEPARATORS))
    if nodes > MOST_NODES:
        raise InvalidDocument(f"The document has {nodes} parts, and at most {MOST_NODES} are allowed.")
    depth = 0
    for bracket in BRACKETS.finditer(text):
        depth += 1 if bracket[0] in "([{" else -1
        if depth > MOST_DEPTH:
            raise InvalidDocument(
                f"The document nests deeper than {MOST_DEPTH} brackets at character {bracket.start() + 1}."
            )
    return text


def guard_keys(text: str) -> str:
    """The TOML text itself, if its keys have few parts: long keys take quadratic time."""
    for key in KEYS.finditer(text):
        if key[0].count(".") > MOST_KEY_PARTS:
            line = text.count("\n", 0, key.start()) + 1
            raise InvalidDocument(f"Line {line}: a key has at most {MOST_KEY_PARTS} parts.")
    return text


def contents(path: Path) -> str:
    """The text of a file; a file longer than any document is refused."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_CHARACTERS + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not the name of a file"
        raise InvalidDocument(f"The file {str(path)!r} cannot be read: {reason}.") from None
    if len(data) > MOST_CHARACTERS:
        raise InvalidDocument(
            f"The file {str(path)!r} has more than {MOST_CHARACTERS} bytes, which is the most allowed."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"The file {str(path)!r} is not UTF-8 text: see byte {error.start}.") from None
