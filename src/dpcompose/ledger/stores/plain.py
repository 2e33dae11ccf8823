"""A plain step: simply the next one under its key. What can be thought of before the lock is thought of before.

The texts of its entries are written by the client, with holes for what only the holder of the lock knows: the height,
the hash before, and what is used then. Whoever holds the lock fills them in and hashes, the server itself or another
client of the same file. Where a step turns out not to be plain, nothing of it is written, and its client takes the long
way, which knows the words of every refusal.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from dpcompose.ledger.chain import Head, digest

SECRET = secrets.token_hex(8)
"""Stands in no text of anybody: it is drawn when the process begins, and filled in before anything is kept."""
HEIGHT, BEFORE = f"{SECRET}-height", f"{SECRET}-before"


def used_hole(place: int) -> str:
    """Where a text says what is used of the n-th balance that it debits."""
    return f"{SECRET}-{place}-used"


class Page(NamedTuple):
    """An entry with holes."""

    phase: int
    kind: str
    text: str


class Debit(NamedTuple):
    """So many units of a coordinate of an account, in the epoch that it was priced for."""

    account: int
    epoch: int
    place: int
    units: int


class Plain(NamedTuple):
    """The step: it is plain if the key's entries are of these kinds so far, and the chain is no older than known."""

    chain: int
    account: int
    key: str
    past: tuple[str, ...]
    known: tuple[int, str]
    """Height and hash of the chain when its client last saw it."""
    pages: tuple[Page, ...]
    debits: tuple[Debit, ...] = ()
    durable: bool = True
    secret: str = SECRET
    folder: str = ""
    """Where its machine marks what it has seen, and under which names."""
    names: tuple[str, ...] = ()

    def behind(self, head: Head) -> bool:
        """Whether the chain is older than what its client has seen of it."""
        height, mark = self.known
        return head.height < height or (head.height == height and head.hash != mark)

    def filled(self, head: Head, used: Sequence[int]) -> tuple[list[tuple[Page, str, Head]], Head]:
        """The entries as they follow a head, each with its text, and the head that they make."""
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
    """Where a plain step came to stand, and what is used after it of each balance that it debits."""

    height: int
    hash: str
    used: tuple[int, ...]
    marked: bool = False
    """Whether whoever placed it has marked it outside the store, too."""


ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
BREAK = "\x1e"
"""Stands in no JSON text: they write control characters in another way."""


def to_text(plain: Plain) -> str:
    """For another process on this machine."""
    rest = [*plain[:5], [page[:2] for page in plain.pages], *plain[6:]]
    return BREAK.join([ENCODE(rest), *(page.text for page in plain.pages)])


def from_text(text: str) -> Plain:
    """As another process wrote it."""
    first, *texts = text.split(BREAK)
    chain, account, key, past, known, pages, debits, durable, secret, folder, names = json.loads(first)
    height, mark = known
    opened = tuple(Page(phase, kind, page) for (phase, kind), page in zip(pages, texts, strict=True))
    taken = tuple(Debit(*debit) for debit in debits)
    return Plain(chain, account, key, tuple(past), (height, mark), opened, taken, durable, secret, folder, tuple(names))


__all__ = ["BEFORE", "ENCODE", "HEIGHT", "Debit", "Page", "Placed", "Plain", "from_text", "to_text", "used_hole"]
