"""The embedded DuckDB, shut in: it reads the files that it is given, and nothing else; it loads no extension, writes
only to a private folder, and stops at its limits.
"""

from __future__ import annotations

import glob
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dpcompose.release.ask.sources import LIMITS, Limits
from dpcompose.release.refusals import InvalidData

PATTERN = frozenset("*?[]")
AGAIN = 0.05
"""Seconds from one interruption to the next."""
ATTACHED = "data"
"""The name of an attached database inside the engine."""
LOCKED = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "preserve_insertion_order": "false",
    "python_enable_replacements": "false",
}


@contextmanager
def engine(limits: Limits = LIMITS, files: Sequence[Path] = (), database: Path | None = None) -> Iterator[Any]:
    """A connection that can read only these files."""
    try:
        import duckdb
    except ModuleNotFoundError:
        raise ModuleNotFoundError("Releases need DuckDB: install it with pip install 'dpcompose[data]'.") from None
    scratch = tempfile.mkdtemp(prefix="dpcompose-")
    settings: dict[str, Any] = {"temp_directory": scratch, "memory_limit": limits.memory, **LOCKED}
    try:
        with duckdb.connect(config=settings) as connection:
            if database is not None:
                # Beside the engine's own catalog, so that no macro of the file stands in for a function of the engine.
                connection.execute(f"ATTACH {literal(str(database))} AS {ATTACHED} (TYPE duckdb, READ_ONLY)")
            allowed = ", ".join(literal(str(path)) for path in files)
            connection.execute(f"SET allowed_paths = [{allowed}]")
            connection.execute("SET enable_external_access = false")
            connection.execute("SET lock_configuration = true")
            done = threading.Event()
            threading.Thread(target=_stopped, args=(connection, limits.seconds, done), daemon=True).start()
            try:
                yield connection
            finally:
                done.set()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _stopped(connection: Any, seconds: float, done: threading.Event) -> None:
    """Interrupt what runs once the time is up, again and again, since interrupting nothing has no effect."""
    late = done.wait(seconds)
    while not late:
        with suppress(Exception):  # it may be closed by now
            connection.interrupt()
        late = done.wait(AGAIN)


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def literal_paths(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """The same files under names that contain no pattern characters of DuckDB."""
    if not any(PATTERN & set(str(path)) for path in paths):
        yield list(paths)
        return
    folder = Path(tempfile.mkdtemp(prefix="dpcompose-"))
    try:
        links = [folder / f"{place}{path.suffix}" for place, path in enumerate(paths)]
        for link, path in zip(links, paths, strict=True):
            link.symlink_to(path)
        yield links
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def located(path: str | Path, endings: Sequence[str], *, pattern: bool = False) -> list[Path]:
    """The files at a path, or matching a pattern if so stated; each exists, and has an expected suffix."""
    given = Path(path)
    if given.suffix.lower() not in endings:
        raise InvalidData(f"{given.name!r} is no table: its name must end in {' or '.join(sorted(endings))}.")
    found = [Path(name) for name in sorted(glob.glob(str(given)))] if pattern else [given]  # noqa: PTH207 - any root
    if not found:
        raise InvalidData(f"{given.name!r} matches no file.")
    for file in found:
        if not file.is_file():
            reason = "it is a folder" if file.is_dir() else "there is no such file"
            raise InvalidData(f"{file.name!r} cannot be read: {reason}.")
        if "\0" in str(file):
            raise InvalidData("A path has no zero byte in it.")
    return [file.resolve() for file in found]


__all__ = ["ATTACHED", "engine", "literal", "literal_paths", "located"]
