"""The commands for other libraries: conversions of their files, and the referee of accountants."""

from __future__ import annotations

import sys
from typing import Annotated

from dpcompose.cli.frame import examples
from dpcompose.cli.options import Argument, CommandOption
from dpcompose.cli.screen import show


@examples(
    "convert '[[1.1, 0.01, 1000]]' --to expression",
    "convert history.json --to dp_accounting > ledger.json",
    "convert ledger.json --adjacency replace-one",
)
def convert(
    source: Annotated[
        str,
        Argument("An Opacus history, a dp_accounting ledger or a document of ours: text, file, or -."),
    ],
    to: Annotated[
        str, CommandOption(metavar="FORM", help="dpcompose, expression, dp_accounting or opacus.")
    ] = "dpcompose",
    adjacency: Annotated[
        str,
        CommandOption(metavar="RELATION", help="Of a ledger, which does not say: add-remove, replace-one or zero-out."),
    ] = "add-remove",
) -> None:
    """Translate between neighbours' histories and documents of ours: exact, or rounded towards the larger loss."""
    from dpcompose import app as use

    show(use.convert(source, to, adjacency, sys.stdin.read))


@examples(
    "referee",
    "referee --accountant 'dp_accounting PLD' --work response-100",
    "referee --accountant 'Opacus PRV' --accountant 'Opacus RDP'",
)
def referee(
    accountant: Annotated[
        list[str] | None, CommandOption(metavar="NAME", help="Which accountant, once or often; by default all.")
    ] = None,
    work: Annotated[
        list[str] | None, CommandOption(metavar="NAME", help="Which work, once or often; by default all.")
    ] = None,
    *,
    markdown: Annotated[bool, CommandOption("--markdown", help="Print the table of the documentation.")] = False,
) -> None:
    """Accountants held against certified intervals: sound, tight, total, fast?"""
    from dpcompose import app as use

    show(use.referee(accountant or [], work or [], markdown=markdown))
