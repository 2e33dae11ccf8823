"""How much noise of each kind is needed, by the number of queries."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpcompose.advice import Advice, closed_variance
from dpcompose.numerics.enclosure import ball, enclose

_PLACES = 10
_BEYOND = 8
"""How many times beyond the last flip the picture extends."""

Line = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Noises:
    """The standard deviation that each noise needs at each number of queries, and the best noise."""

    advice: Advice
    lines: dict[str, Line]
    closed_form: Line
    """The deviation by the closed form; empty where δ = 0."""


def noises(advice: Advice) -> Noises:
    """Every noise, from one query to well beyond the number asked about and the last flip."""
    most = max(2 * advice.queries, _BEYOND * advice.flips[-1].queries, 16)
    asked = {round(math.exp(math.log(most) * i / (_PLACES - 1))) for i in range(_PLACES)} | {advice.queries}
    asked |= {flip.queries for flip in advice.flips}
    at = sorted(asked)
    formula = tuple(
        (k, enclose(lambda s=s: ball(s).sqrt(), gap=2.0**-40).upper)  # type: ignore[misc]
        for k in at
        if (s := closed_variance(advice.goal, k)).upper < math.inf
    )
    return Noises(advice, advice.curve(at), formula)


__all__ = ["Noises", "noises"]
