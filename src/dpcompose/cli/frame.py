"""What every command is made of: the application, the options that commands share, and how a reply is shown.

`dpcompose.app` brings the arithmetic with it, so a command imports it when it runs: help comes at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dpcompose.cli.screen import show
from dpcompose.errors import DPError

if TYPE_CHECKING:
    from dpcompose.app import Reply

C = TypeVar("C", bound=Callable[..., None])
REFUTED = 1
UNDECIDED = 4
"""Exit codes of commands that judge a claim; 0 where it holds."""

app = typer.Typer(
    name="dpcompose",
    help="How much privacy a sequence of differentially private mechanisms costs, all together: certified.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Mechanism = Annotated[
    str,
    typer.Argument(
        metavar="MECHANISM",
        help="What was run: an expression such as '30 * Gaussian(noise_std=2)', a .toml or .json file, or - for stdin.",
    ),
]
Delta = Annotated[str, typer.Option(metavar="NUMBER", help="δ from 0 to 1, exactly as written: 1e-6, 0.05 or 1/1000.")]
Epsilon = Annotated[str, typer.Option(metavar="NUMBER", help="ε from 0 on, exactly as written: 1, 0.5 or 1/3.")]
MaybeDelta = Annotated[str | None, typer.Option("--delta", metavar="NUMBER", help="Ask for ε at this δ.")]
MaybeEpsilon = Annotated[str | None, typer.Option("--epsilon", metavar="NUMBER", help="Ask for δ at this ε.")]
Tolerance = Annotated[str, typer.Option(metavar="NUMBER", help="How far apart the ends may stay, relatively.")]
Digits = Annotated[str | None, typer.Option(metavar="NUMBER", help="How many digits to print, 1 to 17; by default 6.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Draw it, too: a .svg, .png or .pdf file. Needs matplotlib."),
]


def examples(*lines: str) -> Callable[[C], C]:
    """Register a command with the examples that its help ends with."""
    shown = "\n".join(f"dpcompose {line}" for line in lines)

    def register(command: C) -> C:
        summary = (command.__doc__ or "").split(",", maxsplit=1)[0].split(":", maxsplit=1)[0].rstrip(".")
        return app.command(epilog=f"\b\nExamples:\n{shown}", short_help=f"{summary}.")(command)

    return register


def limit(words: str) -> Any:
    """An option that says a part of what is promised."""
    return typer.Option(metavar="NUMBER", help=words)


def read(mechanism: str) -> Any:
    """The mechanism named on the command line."""
    from dpcompose import app as use

    return use.load(mechanism, sys.stdin.read)


def shown(reply: Reply, *, json: bool, digits: int | None = None) -> None:
    """A reply as text, its answer with as many digits as are wanted, or as JSON, which has them all."""
    show(reply.json() if json else reply.text(digits))


def drawn(reply: Reply, out: Path | None, *, json: bool) -> None:
    """A reply, and its picture if one is wanted; the picture comes first, so that a refusal leaves nothing behind."""
    if out is not None:
        reply.save(out)
    shown(reply, json=json)


def target(out: Path | None) -> Path | None:
    """Where a picture goes; a name that cannot be one is refused before anything is computed."""
    from dpcompose import app as use

    return None if out is None else use.picture(out)


def judged(reply: Reply, *, json: bool) -> None:
    """A verdict on a claim, also in the exit code."""
    shown(reply, json=json)
    if not reply.holds:
        raise typer.Exit(UNDECIDED if reply.holds is None else REFUTED)


def write(path: Path, text: str) -> None:
    """Write a file, or refuse."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DPError(f"The file {str(path)!r} cannot be written: {error.strerror}.") from None
