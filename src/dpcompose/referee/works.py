"""The works: what is asked, and between which two numbers the truth lies.

The intervals were computed in ball arithmetic where that closes them (`tier` says so), else in floats with proven error
bounds; the tests hold them against independent computations. A work never changes; a new set gets a new version.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dpcompose import spec
from dpcompose.description import Mechanism

VERSION = 3
NOT_LESS = (
    ("response-1", "response-10"),
    ("response-10", "response-100"),
    ("training-999", "training"),
    ("training", "training-tiny-delta"),
    ("pure-2x20", "pure-2x40"),
    ("gaussian", "gaussian-tiny-delta"),
    ("gaussian", "gaussian-replaced"),
    ("laplace-10", "laplace-loud"),
    ("sampled-once", "gaussian"),
)
"""Pairs of works where the first costs no more (fewer runs, or a larger δ): a greater ε for it is a contradiction."""


@dataclass(frozen=True, slots=True)
class Work:
    """A mechanism, a δ, and the interval in which ε lies."""

    id: str
    mechanism: Mechanism
    delta: float
    lower: float
    upper: float
    tier: str
    why: str


@cache
def works() -> dict[str, Work]:
    """Every work by its name."""
    told = json.loads(files(__package__).joinpath("works.json").read_text(encoding="utf-8"))
    return {
        one["id"]: Work(
            one["id"],
            spec.loads(one["mechanism"]),
            one["delta"],
            math.inf if one["lower"] == "inf" else one["lower"],
            math.inf if one["upper"] == "inf" else one["upper"],
            one["tier"],
            one["why"],
        )
        for one in told["works"]
    }


__all__ = ["NOT_LESS", "VERSION", "Work", "works"]
