"""Commands that say what attackers can do, and whether a claim about them is true."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from dpcompose import app as use
from dpcompose.cli.frame import (
    Delta,
    Digits,
    Epsilon,
    Json,
    Mechanism,
    Out,
    drawn,
    examples,
    given,
    judged,
    places,
    read,
    shown,
    target,
)
from dpcompose.cli.options import Argument, CommandOption


@examples(
    "region '30 * BlackBox(epsilon=0.1, delta=0.001)'",
    "region 'Gaussian(noise_std=1)' --out region.svg",
)
def region(
    mechanism: Mechanism,
    tolerance: Annotated[str, CommandOption(metavar="NUMBER", help="How far apart the polygons may stay.")] = "1e-3",
    out: Out = None,
    *,
    json: Json = False,
) -> None:
    """The rates of misses and false alarms that attackers reach: corners, area, total variation."""
    place = target(out)
    subject = read(mechanism)
    drawn(use.region(subject, tolerance), place, json=json)


@examples(
    "check '30 * BlackBox(epsilon=0.1)' --epsilon 0.5 --delta 0.05",
    "check 'Gaussian(noise_std=2)' --epsilon 3 --delta 1e-6",
)
def check(mechanism: Mechanism, epsilon: Epsilon, delta: Delta, *, json: Json = False) -> None:
    """Put a claim to the test: the theorem by which a mechanism is (ε, δ)-DP, or the event that shows it is not.

    The exit code is 0 if it is, 1 if it is not, and 4 if nobody knows.
    """
    subject, level, limit = read(mechanism), given(epsilon=epsilon), given(delta=delta)
    judged(use.check(subject, level, limit), json=json)


@examples("beta '10 * Laplace(scale=2)' --alpha 0.05")
def beta(
    mechanism: Mechanism,
    alpha: Annotated[str, CommandOption(metavar="NUMBER", help="The type I error, from 0 to 1.")],
    digits: Digits = None,
    *,
    json: Json = False,
) -> None:
    """The least type II error of a test with a given type I error."""
    subject, most = read(mechanism), places(digits)
    shown(use.beta(subject, alpha), json=json, digits=most)


@examples("risk '100 * Gaussian(noise_std=20)'", "risk 'Laplace(scale=2)' --fpr 0.001 --prior 0.1 --delta 0")
def risk(
    mechanism: Mechanism,
    fpr: Annotated[str, CommandOption(metavar="NUMBER", help="The false positive rate of the attacker.")] = "0.01",
    prior: Annotated[str, CommandOption(metavar="NUMBER", help="How likely the record is to be there.")] = "0.5",
    delta: Annotated[str, CommandOption(metavar="NUMBER", help="How often the odds may be exceeded.")] = "1e-6",
    *,
    json: Json = False,
) -> None:
    """What an attacker can do: advantage, hits, errors and odds in one table."""
    subject = read(mechanism)
    shown(use.risk(subject, fpr, prior, delta), json=json)


@examples(
    "audit scores.csv --delta 1e-5",
    "audit scores.csv --delta 1e-5 --claim 'Gaussian(noise_std=2)'",
)
def audit(
    scores: Annotated[
        Path,
        Argument("A .csv file with columns score and member (1 or 0), or an .npz file."),
    ],
    delta: Delta,
    confidence: Annotated[str, CommandOption(metavar="NUMBER", help="How sure to be, between 0 and 1.")] = "0.95",
    claim: Annotated[str | None, CommandOption(metavar="MECHANISM", help="What is said to have been run.")] = None,
    *,
    json: Json = False,
) -> None:
    """A lower bound on ε from the scores of an attack, to hold against what is claimed.

    The exit code is 1 if the scores refute the claim. Scores that do not are no proof of it.
    """
    judged(use.audit(scores, delta, confidence, None if claim is None else read(claim)), json=json)
