"""The chain: each entry is canonical JSON that names the hash of the entry before it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import rfc8785

GENESIS = "0" * 64
SCHEMA = "dpc.entry/1"
ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a chain."""

    chain: int
    height: int
    hash: str


def canonical(document: Any) -> str:
    """A document as canonical JSON (RFC 8785): the one text that is hashed."""
    return rfc8785.dumps(document).decode()


def quickly(document: Mapping[str, Any]) -> str:
    """The same as `canonical`, ten times as fast, for documents of texts and small whole numbers with plain names.

    RFC 8785 sorts by UTF-16 and writes floats as JavaScript does; neither matters for such documents. A test compares
    the two functions.
    """
    return ENCODE(document)


def digest(body: str) -> str:
    """The SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(body.encode()).hexdigest()


def linked(head: Head, content: Mapping[str, Any]) -> tuple[str, Head]:
    """The text of the next entry, and the head that it makes."""
    place = {"chain": head.chain, "height": head.height + 1, "prev": head.hash, "schema": SCHEMA}
    body = (canonical if "answer" in content else quickly)({**content, **place})
    return body, Head(head.chain, head.height + 1, digest(body))


__all__ = ["GENESIS", "SCHEMA", "Head", "canonical", "digest", "linked", "quickly"]
