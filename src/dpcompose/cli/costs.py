"""Commands that say what a mechanism costs, and by which theorem."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dpcompose import app as use
from dpcompose.cli.frame import (
    Delta,
    Digits,
    Epsilon,
    Json,
    MaybeDelta,
    MaybeEpsilon,
    Mechanism,
    Out,
    Tolerance,
    asked,
    drawn,
    examples,
    given,
    limit,
    places,
    read,
    read_family,
    shown,
    target,
    write,
    wrote,
)
from dpcompose.cli.options import Argument, CommandOption
from dpcompose.cli.screen import show
from dpcompose.errors import InvalidParameter


@examples(
    "epsilon '30 * BlackBox(epsilon=0.1, delta=0.001)' --delta 0.05",
    "epsilon '99 * Sampled(Gaussian(noise_std=2), rate=0.1)' --delta 1e-6",
    "epsilon 'Gaussian(noise_std=50)' --delta 1e-6 --digits 12",
    "epsilon plan.toml --delta 1/1000000 --json",
)
def epsilon(
    mechanism: Mechanism, delta: Delta, tolerance: Tolerance = "1e-6", digits: Digits = None, *, json: Json = False
) -> None:
    """The least ε at a given δ, enclosed from both sides."""
    subject, at, most = read(mechanism), given(delta=delta), places(digits)
    shown(use.epsilon(subject, at, tolerance), json=json, digits=most)


@examples("delta 'Gaussian(noise_std=2) + Laplace(scale=2)' --epsilon 1")
def delta(
    mechanism: Mechanism, epsilon: Epsilon, tolerance: Tolerance = "1e-6", digits: Digits = None, *, json: Json = False
) -> None:
    """The least δ at a given ε, enclosed from both sides."""
    subject, at, most = read(mechanism), given(epsilon=epsilon), places(digits)
    shown(use.delta(subject, at, tolerance), json=json, digits=most)


@examples(
    "compare '30 * BlackBox(epsilon=0.1, delta=0.001)' --delta 0.05",
    "compare '100 * Gaussian(noise_std=20)' --epsilon 1 --csv",
    "compare plan.toml --delta 1e-6 --html report.html",
)
def compare(
    mechanism: Mechanism,
    at_delta: MaybeDelta = None,
    at_epsilon: MaybeEpsilon = None,
    html: Annotated[Path | None, CommandOption(metavar="FILE", help="Write a page to this file.")] = None,
    *,
    every: Annotated[bool, CommandOption("--all", help="Say of every theorem that declines why it does.")] = False,
    json: Json = False,
    csv: Annotated[bool, CommandOption("--csv", help="Print comma-separated values instead of text.")] = False,
) -> None:
    """Every theorem side by side: its own value, or why it declines; the tightest is marked."""
    if json + csv + (html is not None) > 1:
        raise InvalidParameter("--json, --csv, --html", "several", "at most one of them")
    subject, _ = read(mechanism), asked(at_delta, at_epsilon)
    reply = use.compare(subject, at_delta, at_epsilon)
    if html is not None:
        write(html, reply.html())
        wrote(html)
    else:
        show(reply.csv().rstrip("\n") if csv else reply.json() if json else reply.text(every=every))


@examples("renyi '10 * Laplace(scale=2)' --order 8")
def renyi(
    mechanism: Mechanism,
    order: Annotated[str, CommandOption(metavar="NUMBER", help="The order α, from 1 on.")],
    digits: Digits = None,
    *,
    json: Json = False,
) -> None:
    """The Rényi divergence of an order, the larger of both directions."""
    subject, most = read(mechanism), places(digits)
    shown(use.renyi(subject, order), json=json, digits=most)


@examples(
    "growth 'Gaussian(noise_std=20)' --delta 1e-6 --counts 1,10,100",
    "growth 'BlackBox(epsilon=0.1)' --delta 0 --counts 1:1000 --out x.svg",
)
def growth(
    mechanism: Mechanism,
    delta: Delta,
    counts: Annotated[
        str,
        CommandOption(
            metavar="LIST", help="How many runs: 1,10,100, or 1:1000 for round places between, or 1:1000:50."
        ),
    ] = "1,10,100,1000",
    out: Out = None,
    *,
    json: Json = False,
) -> None:
    """How ε grows with the number of runs, under every theorem."""
    place = target(out)
    subject, at = read(mechanism), given(delta=delta)
    drawn(use.growth(subject, at, counts), place, json=json)


@examples(
    "profile '30 * BlackBox(epsilon=0.1)' --epsilons 0,0.5,1,2",
    "profile '100 * Gaussian(noise_std=20)' --out profile.png",
)
def profile(
    mechanism: Mechanism,
    epsilons: Annotated[
        str,
        CommandOption(
            metavar="LIST", help="Where: 0,0.5,1, or 0:5 for round places between, or 0:5:50. By default all."
        ),
    ] = "",
    out: Out = None,
    *,
    json: Json = False,
) -> None:
    """How δ falls as ε grows, under every theorem."""
    place = target(out)
    subject = read(mechanism)
    drawn(use.profile(subject, epsilons, use.FEW if place is None else None), place, json=json)


@examples(
    "calibrate '100 * Gaussian(noise_std=?)' --epsilon 1 --delta 1e-6",
    "calibrate '? * Laplace(scale=2)' --epsilon 3 --delta 1e-6",
    "calibrate 'Gaussian(noise_std=?)' --tpr 0.05 --fpr 0.01",
)
def calibrate(  # noqa: PLR0917 - options are made of them
    mechanism: Annotated[str, Argument("With a ? for the unknown number or count.", "MECHANISM")],
    epsilon: Annotated[str | None, limit("ε, together with δ.")] = None,
    delta: Annotated[str | None, limit("δ, together with ε.")] = None,
    advantage: Annotated[str | None, limit("Or the greatest advantage of an attacker.")] = None,
    tpr: Annotated[str | None, limit("Or its greatest true positive rate,")] = None,
    fpr: Annotated[str | None, limit("at this false positive rate.")] = None,
    bayes_error: Annotated[str | None, limit("Or its least probability of a wrong guess,")] = None,
    prior: Annotated[str | None, limit("when this is how likely the record is.")] = None,
    *,
    json: Json = False,
) -> None:
    """The number that just keeps a promise: the least noise, or the most runs."""
    said = {"epsilon": epsilon, "delta": delta, "advantage": advantage, "tpr": tpr, "fpr": fpr}
    said |= {"bayes_error": bayes_error, "prior": prior}
    limits = {name: value for name, value in said.items() if value is not None}
    family = read_family(mechanism)
    shown(use.calibrate(family, "?" if mechanism == "-" else mechanism, limits), json=json)


@examples(
    "explain '30 * BlackBox(epsilon=0.1, delta=0.001)' --delta 0.05",
    "explain plan.toml --delta 1e-6 --numerics",
    "explain 'Gaussian(noise_std=2)' --epsilon 1 --bibtex",
)
def explain(
    mechanism: Mechanism,
    at_delta: MaybeDelta = None,
    at_epsilon: MaybeEpsilon = None,
    *,
    numerics: Annotated[bool, CommandOption("--numerics", help="Say how it was computed, error by error.")] = False,
    bibtex: Annotated[bool, CommandOption("--bibtex", help="Print the BibTeX of the sources instead.")] = False,
    json: Json = False,
) -> None:
    """Why an answer holds: the tree of theorems behind it, with their statements and sources."""
    if json + bibtex > 1:
        raise InvalidParameter("--json, --bibtex", "both", "at most one of them")
    subject, _ = read(mechanism), asked(at_delta, at_epsilon)
    reply = use.explain(subject, at_delta, at_epsilon)
    if bibtex or json:
        show(reply.bibtex() if bibtex else reply.json(numerics=numerics))
    else:
        show("\n\n".join([reply.explanation(), *([reply.numerics().text()] if numerics else [])]))
