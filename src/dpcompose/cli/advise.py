"""The command that says which noise to take, and who gets how much of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dpcompose.cli.frame import Json, examples, limit, target
from dpcompose.cli.screen import show
from dpcompose.errors import DPError, InvalidParameter

MOST = 10_000


@examples(
    "advise --queries 100 --epsilon 1 --delta 1e-6",
    "advise --queries 5 --epsilon 0.5 --delta 1e-9 --sensitivity 2.5",
    "advise --queries 20 --epsilon 1 --delta 1e-6 --real --plot noise.png",
    "advise --weights 1,4,16 --epsilon 1 --delta 1e-6",
)
def advise(  # noqa: PLR0917 - typer makes options of them
    epsilon: Annotated[str, limit("ε of all queries together.")],
    queries: Annotated[str | None, typer.Option(metavar="COUNT", help="How many queries, all alike.")] = None,
    delta: Annotated[str, limit("δ of all queries together.")] = "0",
    sensitivity: Annotated[str, limit("How far one record moves an answer.")] = "1",
    weights: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Or one weight a query, such as 1,4,16: share the budget among them."),
    ] = None,
    sensitivities: Annotated[
        str | None, typer.Option(metavar="LIST", help="With weights: how far one record moves each answer.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot", "--out", metavar="FILE", help="Draw it, too: a .svg, .png or .pdf file. Needs matplotlib."
        ),
    ] = None,
    *,
    integer: Annotated[
        bool | None,
        typer.Option("--integer/--real", help="Whether answers are whole numbers; by default if the sensitivity is."),
    ] = None,
    json: Json = False,
) -> None:
    """Which noise serves so many queries best, and how much of it: every kind under exact composition.

    Shows the parameter, the standard deviation and the error that 19 of 20 answers keep to, beside the closed form of
    the paper, and from how many queries on another noise is best. With weights, splits a budget so that the weighted
    sum of the variances is least.
    """
    place = target(plot)
    if (queries is None) == (weights is None):
        raise InvalidParameter("queries, weights", "both" if queries else "neither", "exactly one of the two")
    if weights is None:
        advised(str(queries), epsilon, delta, sensitivity, integer, place, json=json)
    else:
        shared(weights, sensitivities, epsilon, delta, place, json=json)


def advised(  # noqa: PLR0917 - what the command was given
    queries: str, epsilon: str, delta: str, sensitivity: str, integer: bool | None, place: Path | None, *, json: bool
) -> None:
    """Queries that are all alike."""
    from dpcompose import advice, report, spec
    from dpcompose.mechanisms.laplace import SENSITIVITY
    from dpcompose.parameters import DELTA, EPSILON

    found = advice.advise(
        queries=int(spec.within("queries", queries, advice.QUERIES)),
        epsilon=spec.within("epsilon", epsilon, EPSILON),
        delta=spec.within("delta", delta, DELTA),
        sensitivity=spec.within("sensitivity", sensitivity, SENSITIVITY),
        integer=integer,
    )
    if place is not None:
        drawn(found, place)
    show(report.to_json(found) if json else str(found))


def shared(
    weights: str, sensitivities: str | None, epsilon: str, delta: str, place: Path | None, *, json: bool
) -> None:
    """Queries that matter differently."""
    from dpcompose import advice, report, spec
    from dpcompose.parameters import DELTA, EPSILON

    if place is not None:
        raise InvalidParameter("--plot", str(place), "nothing with weights: a split has no picture")
    found = advice.split(
        numbers("weights", weights),
        epsilon=spec.within("epsilon", epsilon, EPSILON),
        delta=spec.within("delta", delta, DELTA),
        sensitivities=None if sensitivities is None else numbers("sensitivities", sensitivities),
    )
    show(report.to_json(found) if json else str(found))


def numbers(name: str, text: str) -> list[Any]:
    """`1,4,16`, each exactly."""
    from dpcompose import spec

    given = text.split(",", maxsplit=MOST)
    if len(given) > MOST:
        raise InvalidParameter(f"the number of {name}", "more", f"at most {MOST}")
    return [spec.number(name, one) for one in given]


def drawn(found: object, place: Path) -> None:
    """The picture comes first, so that a refusal leaves nothing behind."""
    from dpcompose import plots

    try:
        plots.save(plots.noises(found), place)  # type: ignore[arg-type]
    except ModuleNotFoundError as missing:
        raise DPError(str(missing)) from None
