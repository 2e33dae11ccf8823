"""One process at a time: a file beside another that only one can make."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpcompose.errors import DPError

PATIENCE = 10.0
PAUSE = 0.02


@contextmanager
def alone(path: Path, patience: float = PATIENCE) -> Iterator[None]:
    """While this lasts no other process is in here with the same file.

    Making a file that must not exist is atomic on every file system. A process that is killed inside leaves it behind;
    the next one then refuses instead of guessing.
    """
    target = path.resolve()
    sign = target.with_name(f"{target.name}.lock")
    until = time.monotonic() + patience
    while True:
        try:
            os.close(os.open(sign, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if time.monotonic() > until:
                raise DPError(
                    f"{path.name!r} is in use by another release; if there is none, remove {sign.name!r}."
                ) from None
            time.sleep(PAUSE)
        except OSError as error:
            raise DPError(f"{path.name!r} cannot be written, so nothing is charged: {error.strerror}.") from None
    try:
        yield
    finally:
        sign.unlink(missing_ok=True)


__all__ = ["alone"]
