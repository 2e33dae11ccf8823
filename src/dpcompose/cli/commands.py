"""The commands, all together, and how one of them is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from dpcompose.cli import advise, costs, ledger, neighbours, rates, release, serve, shelf
from dpcompose.cli.frame import app
from dpcompose.cli.screen import show
from dpcompose.errors import DPError

_REGISTERED = (costs, advise, rates, release, ledger, neighbours, shelf, serve)
"""Importing them is what fills the application."""

MISUSE: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")
"""What typer raises on a wrong option; some versions bring their own copy of click, so it is found by descent."""


def call(arguments: Sequence[str]) -> int:
    """Run a command; a wrong option is a refusal like any other."""
    command: Any = typer.main.get_command(app)
    try:
        return int(command.main(list(arguments), prog_name="dpcompose", standalone_mode=False) or 0)
    except MISUSE as misuse:
        raise DPError(str(getattr(misuse, "format_message", misuse.__str__)())) from None


@app.callback()
def about(
    *,
    which: Annotated[bool, typer.Option("--version", help="Print the version and stop.", is_eager=True)] = False,
    context: typer.Context,
) -> None:
    """How much privacy a sequence of differentially private mechanisms costs, all together: certified."""
    if which:
        from importlib.metadata import version

        show(f"dpcompose {version('dpcompose')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        show(context.get_help())


__all__ = ["app", "call"]
