"""Files that one process at a time may change, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dpcompose.errors import DPError

PATIENCE = 10.0


@contextmanager
def exclusive(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Hold the lock of a file: no other process or thread holds it meanwhile.

    The operating system releases the lock when its holder ends, however it ends. The empty lock file beside the plan
    stays and has no meaning.
    """
    try:
        from filelock import FileLock, Timeout
    except ModuleNotFoundError:
        raise DPError("A budget in a file needs the package filelock: install dpcompose[data].") from None
    target = path.resolve()
    sign = target.with_name(f".{target.name}.lock")
    try:
        lock = FileLock(sign, timeout=patience)
        lock.acquire()
    except Timeout:
        raise DPError(f"{path.name!r} is in use by another release; try again when that is over.") from None
    except OSError as error:
        raise DPError(f"{path.name!r} cannot be written, so nothing is charged: {error.strerror}.") from None
    try:
        yield
    finally:
        lock.release()


def replace(path: Path, text: str) -> None:
    """Replace the content of a file, whole or not at all, even if the power fails."""
    target = path.resolve()  # a link stays a link
    scratch = None
    try:
        handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(scratch, target.stat().st_mode & 0o777)  # noqa: PTH101 - beside its siblings
        os.replace(scratch, target)  # noqa: PTH105
    except OSError as error:
        if scratch is not None:
            Path(scratch).unlink(missing_ok=True)
        raise DPError(f"{path.name!r} cannot be written, so nothing is charged: {error.strerror}.") from None
    _keep_name(target.parent, path.name)


def _keep_name(folder: Path, name: str) -> None:
    """Write the folder to disk too; otherwise a power failure might bring the old file back."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # where folders cannot be opened, renaming is durable by itself
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return  # a folder that may be written but not read: nothing more can be done
    try:
        os.fsync(handle)
    except OSError as error:
        raise DPError(f"{name!r} is charged, but its folder could not be written safely: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            os.close(handle)


__all__ = ["exclusive", "replace"]
