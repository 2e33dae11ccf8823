"""Inverse questions: from a promise to the parameter that keeps it, and from samples to the claims that they refute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from fractions import Fraction
from pathlib import Path

from dpcompose import calibration, spec
from dpcompose.app.reading import Document, Exact, exactly, load
from dpcompose.app.reply import Reply
from dpcompose.numerics.enclosure import Real, rounded
from dpcompose.parameters import DELTA, EPSILON, Param
from dpcompose.regions.readings import PRIOR
from dpcompose.regions.region import RATE

LIMITS: Mapping[str, Param] = {
    "epsilon": EPSILON,
    "delta": DELTA,
    "advantage": RATE,
    "tpr": RATE,
    "fpr": RATE,
    "bayes_error": RATE,
    "prior": PRIOR,
}
DIGITS = (7, 9, 12)
CONFIDENCE = Param("confidence", 0, 1, "probability")


def calibrate_text(text: str, limits: Mapping[str, Exact]) -> Reply:
    """`calibrate` for the text of a document, which is never taken for the name of a file."""
    return calibrate(spec.family_in(text), text, limits)


def calibrate(family: spec.Family, shown: str, limits: Mapping[str, Exact]) -> Reply:
    """The number at `?` that just meets a target, on the safe side, in as few digits as possible."""
    given = {name: exactly(name, value, LIMITS[name]) for name, value in limits.items()}
    found = in_decimals(calibration.calibrate_to(family, calibration.target(**given)), family)
    return Reply(found, shown, given)


def in_decimals(found: calibration.Calibrated, family: spec.Family) -> calibration.Calibrated:
    """The same result with a short decimal value, slightly further on the safe side, certified again."""
    for value in _shorter(found):
        member = family(value)
        cost = found.target.cost(member)
        if found.target.met(cost):
            return replace(found, value=value, answer=cost, mechanism=member)
    return found


def _shorter(found: calibration.Calibrated) -> Iterator[Real]:
    """The value rounded away from the one that misses the target, with more and more digits."""
    if isinstance(found.value, int) or found.beyond is None:
        return
    away = ROUND_CEILING if found.value > found.beyond else ROUND_FLOOR
    yield from (Fraction(rounded(found.value, away, digits)) for digits in DIGITS)


def audit(path: str | Path, delta: Exact, confidence: Exact = "0.95", claim: Document | None = None) -> Reply:
    """A lower bound on ε from a file of scores, and whether it refutes a claim."""
    from dpcompose import audit as samples
    from dpcompose.audit.clopper_pearson import confidence_level

    at, sure = exactly("delta", delta, DELTA), exactly("confidence", confidence, CONFIDENCE)
    confidence_level(sure)  # refuses 0 and 1 before a file is read
    promise = None if claim is None else load(claim)
    found = samples.run(path, at, sure, promise)
    holds = promise is None or not found.verdict().violated
    return Reply(found, holds=holds)
