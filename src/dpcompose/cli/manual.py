"""The manual of the command line, written from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import click

from dpcompose.cli.commands import app

HEAD = """# Command line

A mechanism on the command line is an expression, written as in Python: `30 * BlackBox(epsilon=0.1, delta=0.001)`.
It may also be the name of a `.toml` or `.json` file that holds the same, or `-` to read either from standard input.
Numbers are exact: `0.1` is one tenth, and `1/3` is a third.

Commands that judge a claim leave with exit code 0 if it holds or nothing speaks against it, 1 if it is refuted, and 4
if nobody knows. A refusal is one sentence on standard error, with exit code 2. Exit code 3 means that two theorems
disagreed, which is a defect of dpcompose that we would like to hear of."""

BRACES = str.maketrans("", "", "{}")
"""Marks of required arguments, which the manual leaves out."""


def manual() -> str:
    """Every command: what it does, how it is called, its options and examples."""
    sections = [HEAD]
    for name, command in _commands(app):
        context = click.Context(command, info_name=f"dpcompose {name}")
        usage = " ".join([f"dpcompose {name}", *command.collect_usage_pieces(context)]).translate(BRACES)
        sections += [f"## `dpcompose {name}`", inspect.cleandoc(command.help or ""), f"```text\n{usage}\n```"]
        sections += ["\n".join(_options(command)), _examples(command.epilog or "")]
    return "\n\n".join(filter(None, sections)) + "\n"


def _commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command with its full name; a group comes before its commands."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from _commands(command, f"{before}{name} ")


def _options(command: Any) -> Iterator[str]:
    """A table of a command's arguments and options."""
    rows = []
    for parameter in command.params:
        flags = ", ".join(parameter.opts)
        names = flags if flags.startswith("-") else parameter.metavar
        rows.append(f"| `{names}` | {(parameter.help or '').replace('|', chr(92) + '|')} |")
    if rows:
        yield from ["| | |", "|---|---|", *rows]


def _examples(epilog: str) -> str:
    """The examples as a block that can be copied."""
    lines = [line for line in epilog.splitlines() if line.startswith("dpcompose ")]
    return "\n".join(["```console", *(f"$ {line}" for line in lines), "```"]) if lines else ""
