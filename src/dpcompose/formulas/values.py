"""Shared by many cards: steps from the papers' letters, comparisons, and limits of quantities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import cast

from dpcompose.errors import InvalidParameter, NotProvable
from dpcompose.kernel import Parts
from dpcompose.notions import ApproxDP
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Enclosure, enclose
from dpcompose.theorems.approx.closed_forms import (
    Concentration,
    advanced_composition,
    heterogeneous_closed_form,
    homogeneous_closed_form,
    sharpened_closed_form,
    strong_composition,
)
from dpcompose.theorems.approx.optimal import LeakyResponses
from dpcompose.theorems.approx.steps import Steps, leak_of

INFINITE = Enclosure(math.inf, math.inf)
CERTAIN = Enclosure(1.0, 1.0)

Pieces = Sequence[tuple[Fraction, Fraction, int]]
"""For each kind of step: ε, δ and count."""


def parts(pieces: Pieces) -> Parts[ApproxDP]:
    """The steps, as composition theorems take them."""
    return Parts(tuple((ApproxDP(e, d), count) for e, d, count in pieces))


def optimal(pieces: Pieces) -> LeakyResponses:
    """The exact composition of the steps."""
    return LeakyResponses(Steps.of(parts(pieces)))


def advanced(pieces: Pieces) -> Concentration:
    """Advanced composition of the steps."""
    return cast(Concentration, advanced_composition(parts(pieces)))


def strong(pieces: Pieces) -> Concentration:
    """Strong composition of the steps."""
    return cast(Concentration, strong_composition(parts(pieces)))


def homogeneous(pieces: Pieces) -> Concentration:
    """The closed form for equal steps."""
    return cast(Concentration, homogeneous_closed_form(parts(pieces)))


def heterogeneous(pieces: Pieces) -> Concentration:
    """The closed form for any steps."""
    return cast(Concentration, heterogeneous_closed_form(parts(pieces)))


def sharpened(pieces: Pieces) -> Concentration:
    """The closed form with the true variance."""
    return cast(Concentration, sharpened_closed_form(parts(pieces)))


def paired(eps_list: Sequence[Fraction], delta_list: Sequence[Fraction], repeat: int = 1) -> Pieces:
    """Two lists of equal length as steps."""
    if len(eps_list) != len(delta_list):
        raise InvalidParameter("delta_list", f"{len(delta_list)} entries", f"as many as eps_list has, {len(eps_list)}")
    if repeat * len(eps_list) > 10**9:
        raise InvalidParameter("repeat", repeat, "at most 1e9 steps in all")
    return [(e, d, repeat) for e, d in zip(eps_list, delta_list, strict=True)]


def leak(pieces: Pieces, slack: Fraction = Fraction(0)) -> Enclosure:
    r"""$1-(1-\tilde\delta)\prod(1-\delta_i)$: the total δ of the steps and a slack."""
    deltas = (*((d, count) for _, d, count in pieces if d and count), *(((slack, 1),) if slack else ()))
    return enclose(lambda: leak_of(deltas)) & UNIT_INTERVAL if deltas else ZERO


def less(left: Enclosure, right: Enclosure) -> bool:
    """Whether left < right; refused where the enclosures cannot tell."""
    if left.upper < right.lower:
        return True
    if left.lower >= right.upper:
        return False
    raise NotProvable(f"{left} and {right} are too close to be told apart")


def floored(found: Enclosure) -> Enclosure:
    """The enclosure, cut to [0, ∞)."""
    return Enclosure(max(found.lower, 0.0), max(found.upper, 0.0))


def capped(found: Enclosure) -> Enclosure:
    """The enclosure, cut to [0, 1]."""
    return Enclosure(min(max(found.lower, 0.0), 1.0), min(max(found.upper, 0.0), 1.0))
