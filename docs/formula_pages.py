"""The pages about formulas: every card with an example computed now, and every misprint with its numbers."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

from writing import columns, facts, first_vectors, optional, paragraphs, standard_cards, table

MOST_SHOWN = 160
"""Longer outputs, such as lists of vertices, are cut."""


# --------------------------------------------------------------------------------------------- cards


def cards() -> str:
    """Every formula card: its statement, its inputs, and one example evaluated while the page is written."""
    page = [
        "# Formula cards",
        (
            'A card is a theorem in the letters of its paper: `formula(name)(letter=value, ...)`. Text such as `"0.1"` '
            "means exactly that decimal. Outputs are enclosures, rounded outward in print, or exact."
        ),
    ]
    for card in standard_cards():
        inputs = [(f"`{name}`", letter.symbol, letter.allowed) for name, letter in card.inputs.items()]
        page += [f"## {card.name}", card.statement, columns(("input", "symbol", "allowed"), inputs)]
        page += [facts({"source": card.source, "carries": ", ".join(card.carries)}), *example(card)]
    return paragraphs(page)


def example(card: Any) -> list[str]:
    """The first golden vector of a card, evaluated now."""
    given = first_vectors().get(card.name)
    if given is None:
        return []
    call = ", ".join(f"{name}={value!r}" for name, value in given.items())
    found = [f"{name} = {shortened(value)}" for name, value in card(**given).items()]
    return ["```python\n" + f'>>> formula("{card.name}")({call})\n' + "\n".join(found) + "\n```"]


def shortened(value: object) -> str:
    """An output in print, on one line."""
    card = optional("dpcompose.formulas.card")
    text: str = card.shown(value)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


# -------------------------------------------------------------------------------------------- errata

MEANING = {
    "unsound": "the printed form promises less than the truth",
    "loose": "it holds, and says less than the correct form",
    "false claim": "it is said to be the least, and is not",
    "typographic": "it cannot be read, or names the wrong thing",
}


def errata() -> str:
    """What the source documents print and what they should, document by document, with numbers computed now."""
    found = optional("dpcompose.formulas.errata")
    page = [
        "# Errata",
        (
            "Where a source document prints something that does not hold, and what holds instead. The numbers are "
            "computed while this page is written, by the functions that the library answers with, and rounded so that "
            "what they show is certain: `≤` means certainly at most, `≥` certainly at least."
        ),
        table(MEANING, ("verdict", "meaning")),
    ]
    entries = found.ERRATA if found else ()
    for document in dict.fromkeys(entry.document for entry in entries):
        page.append(f"## {document.value}")
        for entry in entries:
            if entry.document is document:
                page += [f"### {entry.id}: {entry.verdict.value}", facts(said(entry))]
    return paragraphs(page)


def said(entry: Any) -> dict[str, str]:
    """What is printed, what holds, and one example; each value rounded to the side that keeps the verdict certain."""
    words = {"printed": entry.printed, "correct": entry.correct, "remark": entry.remark}
    if entry.counterexample is None:
        return words
    found = entry.counterexample()
    ends = ("≤", "≥", "≥") if found.understates else ("≥", "≤", "≤")
    values = (found.printed, found.correct, found.truth)
    printed, correct, truth = (end(side, x) for side, x in zip(ends, values, strict=True))
    return words | {
        "for example": f"{found.at}: {found.quantity} is {printed} as printed, {correct} corrected, {truth} in truth",
    }


def end(side: str, enclosure: Any) -> str:
    """One end of an enclosure, rounded outward; exact numbers stand alone."""
    rounded = optional("dpcompose.numerics.enclosure").rounded
    up, down = rounded(enclosure.upper, ROUND_CEILING), rounded(enclosure.lower, ROUND_FLOOR)
    if up == down:
        return str(up)
    return f"{side}\N{NO-BREAK SPACE}{up if side == '≤' else down}"
