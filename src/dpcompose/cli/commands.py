"""Running a command, and refusing a wrong call."""

from __future__ import annotations

from collections.abc import Sequence

import click

from dpcompose.cli.frame import app
from dpcompose.errors import DPError


def call(arguments: Sequence[str]) -> int:
    """Run a command; a wrong option is refused like anything else."""
    try:
        return int(app.main(list(arguments), prog_name="dpcompose", standalone_mode=False) or 0)
    except click.ClickException as misuse:
        from dpcompose.cli.misuse import sentence  # a right call does not pay for it

        raise DPError(sentence(misuse, arguments)) from None


__all__ = ["app", "call"]
