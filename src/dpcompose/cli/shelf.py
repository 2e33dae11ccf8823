"""Commands that show what the library knows: theorems, formula cards, documents."""

from __future__ import annotations

from typing import Annotated

from dpcompose.cli.frame import Json, Mechanism, examples, read, shown
from dpcompose.cli.options import Argument
from dpcompose.cli.screen import show
from dpcompose.errors import InvalidParameter


@examples("mechanisms", "mechanisms Gaussian")
def mechanisms(
    name: Annotated[str, Argument("A part of a name; one that stands alone is told in full.")] = "",
    *,
    json: Json = False,
) -> None:
    """The mechanisms there are, with their parameters."""
    from dpcompose.app.listing import mechanisms as listed

    shown(listed(name), json=json)


@examples("formula", "formula MIR-P4", "formula MIR-P4 n=100 eps=0.1 Q=1e-9")
def formula(
    card: Annotated[str | None, Argument("The name of a card; without one, all cards are listed.")] = None,
    inputs: Annotated[
        list[str] | None,
        Argument("Its inputs in the paper's letters; lists as [0.1, 1/3].", "[NAME=VALUE]..."),
    ] = None,
    *,
    json: Json = False,
) -> None:
    """A theorem in the symbols of its paper, evaluated with certainty."""
    from dpcompose import app as use

    if card is None:
        shown(use.list_cards(), json=json)
    elif not inputs:
        shown(use.describe_card(card), json=json)
    else:
        shown(use.formula(card, dict(map(assigned, inputs))), json=json)


def assigned(text: str) -> tuple[str, str]:
    """The name and the value of an argument such as `eps=0.1`."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise InvalidParameter("input", text, "NAME=VALUE such as eps=0.1")
    return name, value


@examples("theorems", "theorems KOV-3.4", "theorems kairouz", "theorems --json")
def theorems(
    pattern: Annotated[str, Argument("A part of an ID, name, author, title or statement.")] = "",
    *,
    json: Json = False,
) -> None:
    """The theorems in force: one that stands alone is printed in full."""
    from dpcompose import app as use

    shown(use.theorems(pattern), json=json)


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
