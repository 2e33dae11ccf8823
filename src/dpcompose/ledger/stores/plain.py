"""A plain step: the next step under its key, prepared as far as possible before the lock is taken.

The client writes the texts of its entries, with holes for what only the holder of the lock knows: the height, the hash
before, and what is used afterwards. Whoever holds the lock (the server, or another client of the same file) fills the
holes and hashes. If a step turns out not to be plain, nothing of it is written, and its client takes the slow path,
which words every refusal.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from dpcompose.ledger.chain import Head, digest

SECRET = secrets.token_hex(8)
"""Marks the holes; drawn at random when the process begins, so no user's text contains it. It is never stored."""
HEIGHT, BEFORE = f"{SECRET}-height", f"{SECRET}-before"


def used_hole(place: int) -> str:
    """The hole for what is used of the n-th balance that a step debits."""
    return f"{SECRET}-{place}-used"


class Page(NamedTuple):
    """An entry with holes."""

    phase: int
    kind: str
    text: str


class Debit(NamedTuple):
    """A debit of so many units of a coordinate of an account, in the epoch for which it was priced."""

    account: int
    epoch: int
    place: int
    units: int


class Plain(NamedTuple):
    """A prepared step. It is plain if the key has entries of exactly these kinds, and the chain is no older than
    `known`.
    """

    chain: int
    account: int
    key: str
    past: tuple[str, ...]
    known: tuple[int, str]
    """Height and hash of the chain when this client last saw it."""
    pages: tuple[Page, ...]
    debits: tuple[Debit, ...] = ()
    durable: bool = True
    secret: str = SECRET
    folder: str = ""
    """The folder of this machine's high-water mark, and the names under which it notes accounts."""
    names: tuple[str, ...] = ()

    def behind(self, head: Head) -> bool:
        """Whether the chain is older than what this client has seen of it."""
        height, mark = self.known
        return head.height < height or (head.height == height and head.hash != mark)

    def filled(self, head: Head, used: Sequence[int]) -> tuple[list[tuple[Page, str, Head]], Head]:
        """The entries with their holes filled, each with its head, as they follow this head; and the last head."""
        rows = []
        for page in self.pages:
            text = page.text.replace(f'"{self.secret}-height"', str(head.height + 1), 1)
            text = text.replace(f"{self.secret}-before", head.hash, 1)
            if page.kind == "reserve":
                for place, now in enumerate(used):
                    text = text.replace(f"{self.secret}-{place}-used", str(now), 1)
            head = Head(head.chain, head.height + 1, digest(text))
            rows.append((page, text, head))
        return rows, head


class Placed(NamedTuple):
    """The place of a written step in its chain, and what is used afterwards of each balance that it debits."""

    height: int
    hash: str
    used: tuple[int, ...]
    marked: bool = False
    """Whether the high-water mark has been written already."""


ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
BREAK = "\x1e"
"""Separates the parts of the text; JSON never contains this character unescaped."""


def to_text(plain: Plain) -> str:
    """A plain step as a text for another process on this machine."""
    rest = [*plain[:5], [page[:2] for page in plain.pages], *plain[6:]]
    return BREAK.join([ENCODE(rest), *(page.text for page in plain.pages)])


def from_text(text: str) -> Plain:
    """A plain step from the text that another process wrote."""
    first, *texts = text.split(BREAK)
    chain, account, key, past, known, pages, debits, durable, secret, folder, names = json.loads(first)
    height, mark = known
    opened = tuple(Page(phase, kind, page) for (phase, kind), page in zip(pages, texts, strict=True))
    taken = tuple(Debit(*debit) for debit in debits)
    return Plain(chain, account, key, tuple(past), (height, mark), opened, taken, durable, secret, folder, tuple(names))


__all__ = ["BEFORE", "ENCODE", "HEIGHT", "Debit", "Page", "Placed", "Plain", "from_text", "to_text", "used_hole"]
