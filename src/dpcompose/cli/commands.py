"""The commands: each hands its words to `app` and shows the reply.

`app` brings the arithmetic with it, so a command imports it when it runs: help comes at once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dpcompose.cli.screen import show
from dpcompose.errors import DPError, InvalidParameter

if TYPE_CHECKING:
    from dpcompose.app import Reply

C = TypeVar("C", bound=Callable[..., None])

MISUSE: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What typer raises on a wrong option; some versions bring their own copy of click, so it is found by descent."""

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
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def call(arguments: Sequence[str]) -> int:
    """Run a command; a wrong option is a refusal like any other."""
    command: Any = typer.main.get_command(app)
    try:
        return int(command.main(list(arguments), prog_name="dpcompose", standalone_mode=False) or 0)
    except MISUSE as misuse:
        raise DPError(str(getattr(misuse, "format_message", misuse.__str__)())) from None


def examples(*lines: str) -> Callable[[C], C]:
    """Register a command with the examples that its help ends with."""
    shown = "\n".join(f"dpcompose {line}" for line in lines)

    def register(command: C) -> C:
        summary = (command.__doc__ or "").split(",", maxsplit=1)[0].split(":", maxsplit=1)[0].rstrip(".")
        return app.command(epilog=f"\b\nExamples:\n{shown}", short_help=f"{summary}.")(command)

    return register


@app.callback()
def about(
    *,
    release: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)] = False,
    context: typer.Context,
) -> None:
    """How much privacy a sequence of differentially private mechanisms costs, all together: certified."""
    if release:
        from importlib.metadata import version

        show(f"dpcompose {version('dpcompose')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        show(context.get_help())


def read(mechanism: str) -> Any:
    """The mechanism named on the command line."""
    from dpcompose import app as use

    return use.load(mechanism, sys.stdin.read)


def shown(reply: Reply, *, json: bool) -> None:
    """A reply as text or JSON."""
    show(reply.json() if json else reply.text())


@examples(
    "epsilon '30 * BlackBox(epsilon=0.1, delta=0.001)' --delta 0.05",
    "epsilon '99 * Sampled(Gaussian(noise_std=2), rate=0.1)' --delta 1e-6",
    "epsilon plan.toml --delta 1/1000000 --json",
)
def epsilon(mechanism: Mechanism, delta: Delta, tolerance: Tolerance = "1e-6", *, json: Json = False) -> None:
    """The least ε at a given δ, enclosed from both sides."""
    from dpcompose import app as use

    shown(use.epsilon(read(mechanism), delta, tolerance), json=json)


@examples("delta 'Gaussian(noise_std=2) + Laplace(scale=2)' --epsilon 1")
def delta(mechanism: Mechanism, epsilon: Epsilon, tolerance: Tolerance = "1e-6", *, json: Json = False) -> None:
    """The least δ at a given ε, enclosed from both sides."""
    from dpcompose import app as use

    shown(use.delta(read(mechanism), epsilon, tolerance), json=json)


@examples(
    "compare '30 * BlackBox(epsilon=0.1, delta=0.001)' --delta 0.05",
    "compare '100 * Gaussian(noise_std=20)' --epsilon 1 --csv",
    "compare plan.toml --delta 1e-6 --html report.html",
)
def compare(
    mechanism: Mechanism,
    at_delta: MaybeDelta = None,
    at_epsilon: MaybeEpsilon = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page to this file.")] = None,
    *,
    json: Json = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values instead of text.")] = False,
) -> None:
    """Every theorem side by side: its own value, or why it declines; the tightest is marked."""
    from dpcompose import app as use

    if json + csv + (html is not None) > 1:
        raise InvalidParameter("--json, --csv, --html", "several", "at most one of them")
    reply = use.compare(read(mechanism), at_delta, at_epsilon)
    if html is not None:
        write(html, reply.html())
    else:
        show(reply.csv().rstrip("\n") if csv else reply.json() if json else reply.text())


def write(path: Path, text: str) -> None:
    """Write a file, or refuse."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DPError(f"The file {str(path)!r} cannot be written: {error.strerror}.") from None


@examples("renyi '10 * Laplace(scale=2)' --order 8")
def renyi(
    mechanism: Mechanism,
    order: Annotated[str, typer.Option(metavar="NUMBER", help="The order α, from 1 on.")],
    *,
    json: Json = False,
) -> None:
    """The Rényi divergence of an order, the larger of both directions."""
    from dpcompose import app as use

    shown(use.renyi(read(mechanism), order), json=json)


@examples("formula", "formula MIR-P4", "formula MIR-P4 n=100 eps=0.1 Q=1e-9")
def formula(
    card: Annotated[str | None, typer.Argument(help="The name of a card; without one, all cards are listed.")] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE]...", help="Its inputs in the paper's letters; lists as [0.1, 1/3]."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """A theorem in the symbols of its paper, evaluated with certainty."""
    from dpcompose import app as use

    if card is None:
        show(use.list_cards())
    elif not inputs:
        show(use.describe_card(card))
    else:
        shown(use.formula(card, dict(map(assigned, inputs))), json=json)


def assigned(text: str) -> tuple[str, str]:
    """`eps=0.1` in two parts."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InvalidParameter("input", text, "NAME=VALUE such as eps=0.1")
    return name, value


@examples("theorems", "theorems KOV-3.4", "theorems kairouz", "theorems --json")
def theorems(
    pattern: Annotated[str, typer.Argument(help="A part of an ID, name, author, title or statement.")] = "",
    *,
    json: Json = False,
) -> None:
    """The theorems in force: one that stands alone is printed in full."""
    from dpcompose import app as use

    shown(use.theorems(pattern), json=json)


@examples(
    "explain '30 * BlackBox(epsilon=0.1, delta=0.001)' --delta 0.05",
    "explain 'Gaussian(noise_std=2)' --epsilon 1 --bibtex",
)
def explain(
    mechanism: Mechanism,
    at_delta: MaybeDelta = None,
    at_epsilon: MaybeEpsilon = None,
    *,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Print the BibTeX of the sources instead.")] = False,
) -> None:
    """Why an answer holds: the tree of theorems behind it, with their statements and sources."""
    from dpcompose import app as use

    reply = use.explain(read(mechanism), at_delta, at_epsilon)
    show(reply.bibtex() if bibtex else reply.explanation())


@examples("document '30 * BlackBox(epsilon=0.1, delta=0.001)' > plan.json")
def document(mechanism: Mechanism) -> None:
    """A mechanism as a JSON document, every parameter stated exactly."""
    from dpcompose import app as use

    show(use.document(read(mechanism)))


@examples("schema > mechanism.schema.json")
def schema() -> None:
    """The JSON Schema of the documents that describe mechanisms."""
    from dpcompose import app as use

    show(use.schema())
