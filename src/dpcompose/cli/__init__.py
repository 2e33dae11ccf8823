"""The command line: `dpcompose epsilon|compare|region|calibrate|audit|explain …`.

click comes with the extra `cli`; it is imported only when a command runs.

Read `options` (how a command is declared), `frame` (shared options, and replies) and `commands` first; then the groups
of commands: `costs`, `rates`, `advise`, `release`, `budget`, `ledger`, `shelf`, `neighbours`, `serve` and `completion`.
`misuse` explains a wrong call, `screen` prints, `manual` writes the reference.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Any

from dpcompose.cli.screen import Unwritten, notice
from dpcompose.errors import Contradiction, DPError

REFUSED = 2
DEFECT = 3
INTERRUPTED = 130
CLOSED = 141
"""The exit code when the reader of the output has gone: 128 + SIGPIPE."""
UNWRITTEN = 74
"""The exit code when the output cannot be written: EX_IOERR."""
SELDOM = 50_000
"""The garbage collector runs after this many new objects: imports make many, of which hardly any become garbage."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="replace"
            )  # a character without a spelling becomes a question mark, not a traceback
    gc.set_threshold(SELDOM)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a second thread would only wait, at the cost of a core
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command: 0 if it answered, 1 or 4 if its answer is no or unknown, 2 if it refused, 3 at a defect."""
    try:
        from dpcompose.cli import commands
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] != "click":
            raise
        return said("The command line needs click: pip install 'dpcompose[cli]', or '.[cli]' in a clone.", REFUSED)
    try:
        return commands.call(arguments)
    except Contradiction as defect:
        return said(f"Two theorems disagree, a defect of dpcompose; please report this command: {defect}", DEFECT)
    except DPError as refusal:
        return said(str(refusal), REFUSED)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Unwritten as lost:
        if sys.stdout is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest of the buffer is discarded
        return CLOSED if lost.closed else said(str(lost), UNWRITTEN)


def said(sentence: str, code: int) -> int:
    """Print one sentence to standard error, and return the code."""
    notice(sentence)
    return code


def reference() -> str:
    """The manual of every command, as Markdown."""
    from dpcompose.cli.manual import manual

    return manual()


def __getattr__(name: str) -> Any:
    """Build the application, `app`, when it is first asked for."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dpcompose.cli.commands import app

    return app


__all__ = ["main", "reference", "run"]
