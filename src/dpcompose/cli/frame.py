"""What all commands share: the application, common options, and how a reply is printed.

`dpcompose.app` imports the arithmetic, so a command imports it only when it runs: help appears at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import click

from dpcompose.cli.options import Argument, CommandGroup, CommandOption
from dpcompose.cli.screen import notice, show
from dpcompose.errors import DPError

if TYPE_CHECKING:
    from dpcompose.app import Reply

C = TypeVar("C", bound=Callable[..., None])
REFUTED = 1
UNDECIDED = 4
"""The exit code of a command that cannot decide a claim; it is 0 where the claim holds."""
SETTINGS = {"max_content_width": 80, "show_default": True, "help_option_names": ["--help", "-h"]}

HOMES = {
    "costs": ("epsilon", "delta", "compare", "renyi", "growth", "profile", "calibrate", "explain"),
    "advise": ("advise",),
    "rates": ("region", "check", "beta", "risk", "audit"),
    "release": ("release",),
    "budget": ("budget",),
    "ledger": ("ledger",),
    "neighbours": ("convert", "referee"),
    "shelf": ("mechanisms", "formula", "theorems", "document", "schema"),
    "serve": ("serve",),
    "completion": ("completion",),
}
"""The modules of the commands: a module is imported when its command is called."""
FORMERLY = {"refute": "check"}
"""Former names of commands, which still work, with the present ones."""


def version(context: click.Context, _parameter: click.Parameter, wanted: Any) -> None:
    """Print the version and stop."""
    if wanted and not context.resilient_parsing:
        from importlib.metadata import version as installed

        show(f"dpcompose {installed('dpcompose')}")
        context.exit()


def about() -> None:
    """What is printed without a command: what there is."""
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        show(context.get_help())


VERSION = click.Option(
    ["--version", "-V"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=version,
    help="Print the version and stop.",
)

app = CommandGroup(
    "dpcompose",
    help="How much privacy a sequence of differentially private mechanisms costs, all together: certified.",
    homes={name: f"dpcompose.cli.{file}" for file, names in HOMES.items() for name in names},
    formerly=FORMERLY,
    callback=about,
    params=[VERSION],
    invoke_without_command=True,
    context_settings=SETTINGS,
)


def _begun(word: str) -> list[str]:
    """Mechanisms and files whose names begin with a word."""
    from dpcompose.app.listing import begun

    before, _, last = word.rpartition(" ")
    lead = f"{before} " if before else ""
    named = [f"{lead}{name}(" for name in begun(last)]
    return named + [str(path) for path in sorted(Path().glob(f"{word}*")) if path.suffix in {".toml", ".json"}]


Mechanism = Annotated[
    str,
    Argument(
        "What was run: an expression such as '30 * Gaussian(noise_std=2)', a .toml or .json file, or - for stdin.",
        "MECHANISM",
        complete=_begun,
    ),
]
Delta = Annotated[str, CommandOption(metavar="NUMBER", help="δ from 0 to 1, exactly as written: 1e-6, 0.05 or 1/1000.")]
Epsilon = Annotated[str, CommandOption(metavar="NUMBER", help="ε from 0 on, exactly as written: 1, 0.5 or 1/3.")]
MaybeDelta = Annotated[str | None, CommandOption("--delta", metavar="NUMBER", help="Ask for ε at this δ.")]
MaybeEpsilon = Annotated[str | None, CommandOption("--epsilon", metavar="NUMBER", help="Ask for δ at this ε.")]
Tolerance = Annotated[str, CommandOption(metavar="NUMBER", help="How far apart the ends may stay, relatively.")]
Digits = Annotated[str | None, CommandOption(metavar="NUMBER", help="How many digits to print, 1 to 17; by default 6.")]
Json = Annotated[bool, CommandOption("--json", help="Print JSON instead of text.")]
Out = Annotated[
    Path | None,
    CommandOption("--out", metavar="FILE", help="Draw it, too: a .svg, .png or .pdf file. Needs matplotlib."),
]


def examples(*lines: str, name: str | None = None, hidden: bool = False) -> Callable[[C], C]:
    """Register a command with the examples that its help ends with."""
    shown = "\n".join(f"dpcompose {line}" for line in lines)

    def register(command: C) -> C:
        summary = (command.__doc__ or "").split(",", maxsplit=1)[0].split(":", maxsplit=1)[0].rstrip(".")
        known = {"epilog": f"\b\nExamples:\n{shown}"} if lines else {}
        app.add(name, short_help=f"{summary}.", hidden=hidden, **known)(command)
        return command

    return register


def limit(words: str) -> Any:
    """An option for one number of a promise, such as ε or δ."""
    return CommandOption(metavar="NUMBER", help=words)


def read(mechanism: str) -> Any:
    """The mechanism named on the command line."""
    from dpcompose.app.reading import load

    return load(mechanism, sys.stdin.read)


def read_family(mechanism: str) -> Any:
    """The family named on the command line: a mechanism with a ? for a number."""
    from dpcompose.app.reading import load_family

    return load_family(mechanism, sys.stdin.read)


def given(**limit: str) -> Any:
    """One number, such as `delta="1e-6"`, read before the slow imports."""
    from dpcompose.app.reading import asked_for

    return asked_for(**limit)


def asked(delta: str | None, epsilon: str | None) -> Any:
    """The one number of a question that takes a δ or an ε."""
    from dpcompose.app.reading import asked as one_of

    return one_of(delta, epsilon)


def places(wanted: str | None) -> int | None:
    """The number of digits to print, read before anything is computed."""
    from dpcompose.app.reading import digits

    return digits(wanted)


def shown(reply: Reply, *, json: bool, digits: int | None = None) -> None:
    """Print a reply as text, its answer with this many digits, or as JSON, which has all of them."""
    show(reply.json() if json else reply.text(digits) if digits is not None else reply.text())


def drawn(reply: Reply, out: Path | None, *, json: bool) -> None:
    """Write a reply's picture, if one is wanted, then print the reply: so a refused picture prints nothing."""
    if out is not None:
        reply.save(out)
    shown(reply, json=json)
    wrote(out)


def wrote(file: Path | None) -> None:
    """Print which file was written."""
    if file is not None:
        notice(f"wrote {file}")


def target(out: Path | None) -> Path | None:
    """The file for a picture; a name with an unknown suffix is refused before anything is computed."""
    if out is None:
        return None
    from dpcompose.app.reply import picture

    return picture(out)


def judged(reply: Reply, *, json: bool) -> None:
    """Print a verdict on a claim, and set the exit code by it."""
    shown(reply, json=json)
    if not reply.holds:
        raise click.exceptions.Exit(UNDECIDED if reply.holds is None else REFUTED)


def write(path: Path, text: str) -> None:
    """Write a file, or refuse."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DPError(f"The file {str(path)!r} cannot be written: {error.strerror}.") from None
