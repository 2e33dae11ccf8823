"""Comparisons of a claim's result, or of its estimate, with what is known from others."""

from __future__ import annotations

import math

from dpcompose.kernel import Side
from dpcompose.numerics.enclosure import Enclosure

TRUSTED = 0.03
"""The greatest relative error of an estimate that counts as right."""


def may_improve(found: Enclosure, ends: Enclosure, side: Side) -> bool:
    """Whether a value somewhere in this enclosure could improve the end."""
    return found.lower < ends.upper if side is Side.UPPER else found.upper > ends.lower


def is_silent(found: Enclosure, possible: Enclosure, side: Side) -> bool:
    """Whether a result does not improve on what was known beforehand of the end."""
    return found.upper >= possible.upper if side is Side.UPPER else found.lower <= possible.lower


def badness(look: Enclosure | None, side: Side) -> float:
    """A sort key by which the best estimates come first and missing ones last."""
    return math.inf if look is None else look.upper if side is Side.UPPER else -look.lower


def is_better(look: Enclosure, best: Enclosure, side: Side, room: float) -> bool:
    """Whether one estimate is better than another, or worse by no more than this relative amount."""
    return look.upper <= best.upper * (1 + room) if side is Side.UPPER else look.lower >= best.lower * (1 - room)


def is_about(found: Enclosure, look: Enclosure) -> bool:
    """Whether an estimate was about right."""
    middle = (look.lower + look.upper) / 2
    return abs(found.upper - middle) <= TRUSTED * middle


__all__ = ["badness", "is_about", "is_better", "is_silent", "may_improve"]
