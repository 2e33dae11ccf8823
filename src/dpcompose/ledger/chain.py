"""The chain: each entry is canonical JSON that names the hash of the entry before it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import rfc8785

GENESIS = "0" * 64
SCHEMA = "dpc.entry/1"


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a chain."""

    chain: int
    height: int
    hash: str


def canonical(document: Any) -> str:
    """RFC 8785: the one text of a document."""
    return rfc8785.dumps(document).decode()


def digest(body: str) -> str:
    """SHA-256, in hexadecimal."""
    return hashlib.sha256(body.encode()).hexdigest()


def linked(head: Head, content: Mapping[str, Any]) -> tuple[str, Head]:
    """The text of the next entry, and the head that it makes."""
    place = {"chain": head.chain, "height": head.height + 1, "prev": head.hash, "schema": SCHEMA}
    body = canonical({**content, **place})
    return body, Head(head.chain, head.height + 1, digest(body))


__all__ = ["GENESIS", "SCHEMA", "Head", "canonical", "digest", "linked"]
