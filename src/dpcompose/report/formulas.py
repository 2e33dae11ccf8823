"""Formula cards in words: the statement and the inputs of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpcompose.report.latex import readable
from dpcompose.report.sheet import Sheet
from dpcompose.report.words import reference, wrapped

if TYPE_CHECKING:  # the cards take a while to import
    from dpcompose.formulas.card import Card


def card(one: Card) -> str:
    """One card in full."""
    inputs = [
        wrapped(f"{entry.symbol}: {entry.allowed}", f"  {name:<10}", " " * 12) for name, entry in one.inputs.items()
    ]
    head = [f"{one.name} ({one.source})", wrapped(readable(one.statement), "  "), "", "inputs", *inputs]
    return "\n".join([*head, "", wrapped(reference(one.source), hanging="  ")])


def cards(several: Sequence[Card]) -> str:
    """One line for each card: its name, its inputs and its source."""
    width = max((len(one.name) for one in several), default=0)
    return "\n".join(
        wrapped(f"{', '.join(one.inputs)} ({one.source})", f"{one.name:<{width}}  ", " " * (width + 2))
        for one in several
    )


def card_sheet(several: Sequence[Card]) -> Sheet:
    """One card in full, or one line for each of several."""
    said = card(several[0]) if len(several) == 1 else cards(several)
    return Sheet("dpc.cards/1", tuple(said.split("\n")), (), {"cards": [_plain(one) for one in several]})


def _plain(one: Card) -> dict[str, object]:
    return {
        "name": one.name,
        "source": one.source,
        "statement": one.statement,
        "inputs": {
            name: {"symbol": entry.symbol, "allowed": entry.allowed, "optional": name in one.optional}
            for name, entry in one.inputs.items()
        },
    }
