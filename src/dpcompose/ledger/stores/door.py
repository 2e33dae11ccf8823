"""The door of a file: one writer is inside at a time, and serves those who wait outside.

A client that finds the door shut leaves its plain step there. Whoever is inside takes all steps that lie there into one
transaction, leaves the answers when that is durable, wakes those it served, and looks again; when it goes it wakes one
of those who came since. So sixteen clients wait for the disk about as often as one.

What lies at the door is a hint and never the truth. A step that is lost, overwritten or torn is left again, or run by
its own client, which comes in by itself when nobody wakes it. An answer that is lost is looked up in the book, where
the client finds its own token. A client that was killed may leave a step behind, which is then charged as if it had
died a moment later; one that is old is not taken. A call that wakes says nothing: what it is about is read at the door,
which only those may write who may write the book.
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
"""Where the steps begin; before them one byte for each place says whether somebody waits there."""
ANSWERS = STEPS + PLACES * STEP
FORMAT = "2"
OLD = 30.0
"""Seconds after which a step that was left is nobody's any more."""
PATIENCE = 0.05
"""Seconds after which a client that nobody wakes tries to come in by itself."""
PASSES = 16
"""How many times whoever is inside serves those who came meanwhile, before it leaves."""
PATIENT = 40
"""How many times a client leaves its step and waits, before it queues at the lock."""
Answer = tuple[Placed | None]
"""Where a step came to stand; None if it was not plain."""
Serve = Callable[[Sequence[Plain]], Sequence[Placed | None]]


class Waiting(NamedTuple):
    """A step that lies at the door."""

    place: int
    name: str
    bell: str
    """Where its client can be woken."""
    step: str


class Door:
    """The door of one file: it stands beside it, for whoever may write that."""

    def __init__(self, path: Path) -> None:
        """Made when somebody first comes."""
        self.path, self.beside = f"{path}-door", path
        self._own = threading.local()

    def open(self) -> int:
        """A handle of one's own: two of them exclude each other, also in one process."""
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
        """Wait until nobody else is inside. A killed process leaves no lock behind."""
        try:
            if fcntl is not None:
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            self._leave(handle)

    def pass_through(self, plain: Plain, serve: Serve) -> Placed | None:
        """Go in and serve all that wait, or leave a step and find it answered; None if it is not plain."""
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

        A step that nobody answers is left again at another place: somebody else may have the same. Nobody queues at the
        lock meanwhile, since who does so is not woken by an answer.
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
        """This client's step and those of all that wait, then of those who came meanwhile: all is at hand."""
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
        """Leave the answers, and wake."""
        for other, answer in zip(others, answers, strict=True):
            _put(handle, ANSWERS + other.place * ANSWER, ANSWER, f"{other.name} {ENCODE(answer)}")
            self._bell.ring(other.bell)

    def _leave(self, handle: int) -> None:
        """Let the next one in: wake one of those who came since."""
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
        """At which this thread can be woken, and its place; a child has its own."""
        bell: Bell | None = getattr(self._own, "bell", None)
        if bell is None or bell.pid != os.getpid():
            bell = self._own.bell = Bell(PATIENCE)
            self._own.place = threading.get_native_id() % PLACES  # of processes that were made together no two are one
        return bell


def _entered(handle: int) -> bool:
    """Go in if nobody is inside."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _put(handle: int, offset: int, room: int, text: str) -> bool:
    """Write a line with its checksum; one that does not fit, or that the disk does not take, is not left."""
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
    """A line that is whole."""
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
    """The step that lies at a place, if it is whole, of this format, and not old."""
    said = _get(handle, STEPS + place * STEP, STEP)
    if said is None or not said.startswith(f"{FORMAT} "):
        return None
    _, name, since, bell, step = said.split(" ", 4)
    return Waiting(place, name, bell, step) if 0 <= time.monotonic() - float(since) < OLD else None


def _waiting(handle: int) -> list[Waiting]:
    """The steps that lie at the door; they are taken away."""
    flags, found, place = os.pread(handle, PLACES, 0), [], -1
    while (place := flags.find(1, place + 1)) >= 0:
        _flag(handle, place, b"\0")
        step = _at(handle, place)
        if step is not None:
            found.append(step)
    return found


__all__ = ["Door"]
