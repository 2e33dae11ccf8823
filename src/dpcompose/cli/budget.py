"""The command that reports on a plan file: what is left, and what would fit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from dpcompose.cli.frame import Json, examples, shown
from dpcompose.cli.options import Argument


@examples("budget plan.toml", "budget plan.toml 'Laplace(scale=10)'", "budget plan.toml --json")
def budget(
    plan: Annotated[Path, Argument("A .toml or .json file with a table budget, as releases charge it.")],
    mechanism: Annotated[str | None, Argument("How often would this fit?")] = None,
    *,
    json: Json = False,
) -> None:
    """What a plan file has left, and what would fit: nothing is charged."""
    from dpcompose.app.budget import budget as look
    from dpcompose.app.reading import load

    shown(look(plan, None if mechanism is None else load(mechanism, sys.stdin.read)), json=json)
