"""The high-water mark: what this machine has seen of a book, kept outside the book.

A store that was restored from a backup has forgotten what was spent since, and cannot know it; the mark can. For each
account a small file holds the height of its chain, the hash there, and how much was used. It is written after the store
has made the entry durable, so it may be behind the store but is never ahead of it.

A file has two halves that are written in turn, each with a checksum: a power failure spoils at most the newer one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpcompose.ledger.errors import StoreError

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

HALF = 4096
HEIGHT = re.compile(rb'"height": (\d+), "hash": "[0-9a-f]*", "epoch"')
ENCODE = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
SHORT = 8
"""Bytes of a hash that are kept for each entry."""
REGISTRY = 0
"""The chain on which books and accounts are made."""


@dataclass(frozen=True, slots=True)
class SeenAccount:
    """What this machine has seen of one account."""

    account: int
    name: str
    chain: int
    height: int
    hash: str
    epoch: int = 0
    used: tuple[int, ...] = ()
    """Empty where only the chain was looked at; then what is remembered of the use stays."""

    def after(self, known: SeenAccount | None) -> SeenAccount:
        """This, completed by what only the older memory holds."""
        if self.used or known is None:
            return self
        return replace(self, name=known.name, epoch=known.epoch, used=known.used)


def state_folder() -> Path:
    """The folder for what this machine has seen: `DPCOMPOSE_STATE`, or the user's state folder."""
    given = os.environ.get("DPCOMPOSE_STATE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "dpcompose"


class Mark:
    """What this machine has seen of one book."""

    def __init__(self, folder: Path, store: str) -> None:
        """A mark in this folder, which is made when something is first seen."""
        self.folder = folder / store
        self._named = f"{self.folder}{os.sep}"

    def remember(self, *seen: SeenAccount) -> None:
        """Keep whichever is newer: what is remembered, or what was seen."""
        for memory in seen:
            self._write(memory)
        for chain, height, mark in {(m.chain, m.height, m.hash) for m in seen}:
            self._witness(chain, height, mark)

    def replace(self, memory: SeenAccount) -> None:
        """Replace what is remembered, after an operator has booked what the store lost."""
        with contextlib.suppress(FileNotFoundError):
            self._path(memory.account).unlink()
        self.remember(memory)

    def saw(self, chain: int, height: int, mark: str) -> bool:
        """Whether this machine has seen this very entry."""
        try:
            with (self.folder / f"{chain}.seen").open("rb") as file:
                file.seek(height * SHORT)
                return file.read(SHORT) == bytes.fromhex(mark)[:SHORT]
        except FileNotFoundError:
            return False

    def _witness(self, chain: int, height: int, mark: str) -> None:
        """Store eight bytes of an entry's hash at its place: they tell a rewound store from one that continued
        differently.
        """
        try:
            handle = os.open(f"{self._named}{chain}.seen", os.O_RDWR | os.O_CREAT, 0o600)
            try:
                os.pwrite(handle, bytes.fromhex(mark)[:SHORT], height * SHORT)
            finally:
                os.close(handle)
        except OSError as error:
            raise self._unkept(error) from None

    def recall(self, account: int) -> SeenAccount | None:
        """What is remembered of one account, with the newest height of its tree."""
        try:
            with self._path(account).open("rb") as file:
                return _newest(file.read(2 * HALF))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(f"{str(self._path(account))!r} cannot be read: {error.strerror}.") from None

    def everything(self) -> Iterator[SeenAccount]:
        """All that is remembered of this book."""
        for path in sorted(self.folder.glob("*.mark"), key=lambda path: int(path.stem)):
            found = self.recall(int(path.stem))
            if found is not None:
                yield found

    def declare(self, account: int, content: Mapping[str, Any]) -> None:
        """Remember how an account was made, in case the store loses it."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{account}.json").write_text(json.dumps(content), encoding="utf-8")
        except OSError as error:
            raise self._unkept(error) from None

    def declared(self) -> dict[int, dict[str, Any]]:
        """The declarations of all accounts that this machine made."""
        return {int(path.stem): json.loads(path.read_text("utf-8")) for path in sorted(self.folder.glob("*.json"))}

    def _unkept(self, error: OSError) -> StoreError:
        return StoreError(
            f"What was seen of this book cannot be kept in {str(self.folder)!r}: {error.strerror}; "
            "name another folder in DPCOMPOSE_STATE."
        )

    def _path(self, account: int) -> Path:
        return Path(f"{self._named}{account}.mark")

    def _write(self, memory: SeenAccount) -> None:
        try:
            handle = self._opened(memory.account)
            try:
                if fcntl is not None:
                    fcntl.flock(handle, fcntl.LOCK_EX)
                data = os.pread(handle, 2 * HALF, 0)
                first, second = _height(data, 0), _height(data, HALF)
                older, newer = (0, HALF) if first < second else (HALF, 0)
                if max(first, second) < memory.height:
                    known = None if memory.used else _read(data, newer)
                    os.pwrite(handle, _sealed(memory.after(known)), older)
            finally:
                os.close(handle)
        except OSError as error:
            raise self._unkept(error) from None

    def _opened(self, account: int) -> int:
        flags = os.O_RDWR | os.O_CREAT
        try:
            return os.open(f"{self._named}{account}.mark", flags, 0o600)
        except FileNotFoundError:
            self.folder.mkdir(parents=True, exist_ok=True)
            return os.open(f"{self._named}{account}.mark", flags, 0o600)


def _sealed(memory: SeenAccount) -> bytes:
    text = ENCODE({name: getattr(memory, name) for name in SeenAccount.__slots__}).encode()
    sealed = b"%08x %s\n" % (zlib.crc32(text), text)
    if len(sealed) > HALF:
        raise StoreError("An account with so long a name or so many coordinates cannot be marked.")
    return sealed.ljust(HALF, b"\0")


def _text(data: bytes, place: int) -> bytes | None:
    """The text in one half of a file, if it is whole."""
    text = data[place + 9 : data.find(b"\n", place)]
    return text if text and data[place : place + 8] == b"%08x" % zlib.crc32(text) else None


def _height(data: bytes, place: int) -> int:
    """The height in one half of a file; -1 if it is not whole."""
    found = HEIGHT.search(_text(data, place) or b"")
    return -1 if found is None else int(found[1])


def _read(data: bytes, place: int) -> SeenAccount | None:
    text = _text(data, place)
    if text is None:
        return None
    found = json.loads(text)
    return SeenAccount(**{**found, "used": tuple(found["used"])})


def _newest(data: bytes) -> SeenAccount | None:
    return _read(data, max((0, HALF), key=lambda place: _height(data, place)))


__all__ = ["REGISTRY", "Mark", "SeenAccount", "state_folder"]
