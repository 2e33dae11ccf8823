"""The commands that advise which noise to take, and how to share a budget."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dpcompose.cli.frame import Json, drawn, examples, limit, shown, target
from dpcompose.cli.options import CommandOption
from dpcompose.errors import InvalidParameter


@examples(
    "advise --queries 100 --epsilon 1 --delta 1e-6",
    "advise --queries 5 --epsilon 0.5 --delta 1e-9 --sensitivity 2.5",
    "advise --queries 20 --epsilon 1 --delta 1e-6 --real --plot noise.png",
    "advise --weights 1,4,16 --epsilon 1 --delta 1e-6",
)
def advise(  # noqa: PLR0917 - options are made of them
    epsilon: Annotated[str, limit("ε of all queries together.")],
    queries: Annotated[str | None, CommandOption(metavar="COUNT", help="How many queries, all alike.")] = None,
    delta: Annotated[str, limit("δ of all queries together.")] = "0",
    sensitivity: Annotated[str, limit("How far one record moves an answer.")] = "1",
    weights: Annotated[
        str | None,
        CommandOption(metavar="LIST", help="Or one weight a query, such as 1,4,16: share the budget among them."),
    ] = None,
    sensitivities: Annotated[
        str | None, CommandOption(metavar="LIST", help="With weights: how far one record moves each answer.")
    ] = None,
    plot: Annotated[
        Path | None,
        CommandOption(
            "--plot", "--out", metavar="FILE", help="Draw it, too: a .svg, .png or .pdf file. Needs matplotlib."
        ),
    ] = None,
    *,
    integer: Annotated[
        bool | None,
        CommandOption("--integer/--real", help="Whether answers are whole numbers; by default if the sensitivity is."),
    ] = None,
    json: Json = False,
) -> None:
    """Which noise serves so many queries best, and how much of it: every kind under exact composition.

    Shows the parameter, the standard deviation and the error that 19 of 20 answers keep to, beside the closed form of
    the paper, and from how many queries on another noise is best. With weights, splits a budget so that the weighted
    sum of the variances is least.
    """
    from dpcompose import app as use

    place = target(plot)
    if (queries is None) == (weights is None):
        raise InvalidParameter("queries, weights", "both" if queries else "neither", "exactly one of the two")
    if weights is None:
        drawn(use.advise(str(queries), epsilon, delta, sensitivity, integer=integer), place, json=json)
        return
    if place is not None:
        raise InvalidParameter("--plot", str(place), "nothing with weights: a split has no picture")
    shown(use.share(weights, epsilon, delta, sensitivities), json=json)
