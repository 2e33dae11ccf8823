"""The door of a file: one writer is inside at a time, and serves the clients that wait outside.

A client that finds the door shut leaves its plain step there. The writer inside takes all steps left there into one
transaction, leaves the answers when it is durable, wakes the clients it served, and looks again; when it leaves, it
wakes one of those who came since. So sixteen clients wait for the disk about as often as one.

What is left at the door is a hint and never the truth. A step that is lost, overwritten or torn is left again, or run
by its own client, which goes in by itself when nobody wakes it. A client whose answer is lost finds its own token in
the book. A client that was killed may leave a step behind; it is charged as if the client had died a moment later, or
ignored if it is old. Ringing a bell carries no data: everything is read at the door, which only those may write who may
write the book.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from dpcompose.ledger.stores.bell import Bell
from dpcompose.ledger.stores.plain import ENCODE, Placed, Plain, from_text, to_text

try:
    import fcntl
except ImportError:  # not on Windows, where writers queue at SQLite's own lock
    fcntl = None  # type: ignore[assignment]

PLACES = 128
STEP, ANSWER = 4096, 512
"""Bytes for a step, and for its answer. What is longer is not left at the door."""
STEPS = 4096
"""Offset at which the steps begin; before it, one byte for each place says whether a step was left there."""
ANSWERS = STEPS + PLACES * STEP
FORMAT = "2"
OLD = 30.0
"""Seconds after which a step that was left is ignored."""
PATIENCE = 0.05
"""Seconds after which a client that nobody wakes tries to come in by itself."""
PASSES = 16
"""How many times the writer serves those who came meanwhile, before it leaves."""
PATIENT = 40
"""How many times a client leaves its step and waits, before it queues at the lock."""
Answer = tuple[Placed | None]
"""Where a step came to stand; None if it was not plain."""
Serve = Callable[[Sequence[Plain]], Sequence[Placed | None]]


class Waiting(NamedTuple):
    """A step that was left at the door."""

    place: int
    name: str
    bell: str
    """The address of the client's bell."""
    step: str


class Door:
    """The door of one book file: a file beside it, writable by whoever may write the book."""

    def __init__(self, path: Path) -> None:
        """The door of the book at this path; its file is made when the first client comes."""
        self.path, self.beside = f"{path}-door", path
        self._own = threading.local()

    def open(self) -> int:
        """A new handle: two handles exclude each other, also within one process."""
        flags = os.O_RDWR | os.O_CLOEXEC
        try:
            return os.open(self.path, flags)
        except FileNotFoundError:
            handle = os.open(self.path, flags | os.O_CREAT, 0o600)
            with suppress(OSError):
                os.fchmod(handle, self.beside.stat().st_mode & 0o666)
            return handle

    @contextmanager
    def entered(self, handle: int) -> Iterator[None]:
        """Wait until nobody else is inside, and go in. A killed process leaves no lock behind."""
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            self._leave(handle)

    def pass_through(self, plain: Plain, serve: Serve) -> Placed | None:
        """Go in and serve all who wait, or leave the step and wait for its answer; None if the step is not plain."""
        if fcntl is None:
            return serve([plain])[0]
        handle, inside = self.open(), False
        try:
            inside = _entered(handle)
            if inside:
                return self._serve(handle, plain, serve)
            name = secrets.token_hex(8)
            answer = self._waited(handle, name, to_text(plain))
            if answer is None:
                inside = True
                fcntl.flock(handle, fcntl.LOCK_EX)
                answer = _answer(handle, self._own.place, name) or (self._serve(handle, plain, serve, name),)
            return answer[0]
        finally:
            self._leave(handle) if inside else os.close(handle)

    def _waited(self, handle: int, name: str, step: str) -> Answer | None:
        """Leave a step and wait for its answer; None if this client should go in, or is in already.

        A step that nobody answers is left again at another place, as another client may be using the first. Meanwhile
        the client does not queue at the lock, where an answer could not wake it.
        """
        bell, heard = self._bell, False
        for _ in range(PATIENT):
            place = self._own.place
            if not heard:
                said = f"{FORMAT} {name} {time.monotonic()} {bell.address} {step}"
                if not (_put(handle, STEPS + place * STEP, STEP, said) and _flag(handle, place, b"\1")):
                    return None
            if _entered(handle) or not bell.rings:
                return None
            heard = bell.wait()
            answer = _answer(handle, place, name)
            if answer is not None:
                return answer
            if not heard:
                self._own.place = secrets.randbelow(PLACES)
        return None

    def _serve(self, handle: int, plain: Plain, serve: Serve, name: str = "") -> Placed | None:
        """Serve this client's step and those of all who wait, then of those who came meanwhile."""
        others = [other for other in _waiting(handle) if other.name != name]
        own, *answers = serve([plain, *(from_text(other.step) for other in others)])
        self._answered(handle, others, answers)
        for _ in range(PASSES):
            others = _waiting(handle)
            if not others:
                break
            try:
                answers = list(serve([from_text(other.step) for other in others]))
            except Exception:  # noqa: BLE001 - the client's own step is kept; the others find out by themselves
                answers = [None] * len(others)
            self._answered(handle, others, answers)
        return own

    def _answered(self, handle: int, others: Sequence[Waiting], answers: Sequence[Placed | None]) -> None:
        """Leave the answers at the door, and wake their clients."""
        for other, answer in zip(others, answers, strict=True):
            _put(handle, ANSWERS + other.place * ANSWER, ANSWER, f"{other.name} {ENCODE(answer)}")
            self._bell.ring(other.bell)

    def _leave(self, handle: int) -> None:
        """Open the door, and wake one of the clients who came since."""
        if fcntl is not None:
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_UN)
                flags, place = os.pread(handle, PLACES, 0), -1
                while (place := flags.find(1, place + 1)) >= 0:
                    late = _at(handle, place)
                    if late is not None:
                        self._bell.ring(late.bell)
                        break
        os.close(handle)

    @property
    def _bell(self) -> Bell:
        """The bell of this thread, and its address; a forked child gets its own."""
        bell: Bell | None = getattr(self._own, "bell", None)
        if bell is None or bell.pid != os.getpid():
            bell = self._own.bell = Bell(PATIENCE)
            self._own.place = threading.get_native_id() % PLACES  # a forked child gets a bell of its own
        return bell


def _entered(handle: int) -> bool:
    """Go in if nobody is inside; returns whether that worked."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _put(handle: int, offset: int, room: int, text: str) -> bool:
    """Write a line with its checksum. A line that is too long, or that the disk refuses, is not written."""
    data = text.encode()
    sealed = b"%08x%s\n" % (zlib.crc32(data), data)
    try:
        return len(sealed) <= room and os.pwrite(handle, sealed, offset) == len(sealed)
    except OSError:
        return False


def _flag(handle: int, place: int, sign: bytes) -> bool:
    try:
        return os.pwrite(handle, sign, place) == 1
    except OSError:
        return False


def _get(handle: int, offset: int, room: int) -> str | None:
    """The line at an offset; None if it is not whole."""
    line, end, _ = os.pread(handle, room, offset).partition(b"\n")
    whole = end and line[:8] == b"%08x" % zlib.crc32(line[8:])
    return line[8:].decode() if whole else None


def _answer(handle: int, place: int, name: str) -> Answer | None:
    said = _get(handle, ANSWERS + place * ANSWER, ANSWER)
    if said is None or not said.startswith(name):
        return None
    found = json.loads(said[len(name) :])
    if found is None:
        return (None,)
    height, mark, used, marked = found
    return (Placed(height, mark, tuple(used), marked),)


def _at(handle: int, place: int) -> Waiting | None:
    """The step at a place, if it is whole, of this format, and not old."""
    said = _get(handle, STEPS + place * STEP, STEP)
    if said is None or not said.startswith(f"{FORMAT} "):
        return None
    _, name, since, bell, step = said.split(" ", 4)
    return Waiting(place, name, bell, step) if 0 <= time.monotonic() - float(since) < OLD else None


def _waiting(handle: int) -> list[Waiting]:
    """Take all steps that were left at the door."""
    flags, found, place = os.pread(handle, PLACES, 0), [], -1
    while (place := flags.find(1, place + 1)) >= 0:
        _flag(handle, place, b"\0")
        step = _at(handle, place)
        if step is not None:
            found.append(step)
    return found


__all__ = ["Door"]
