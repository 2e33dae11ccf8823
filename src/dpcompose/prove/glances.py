"""How what a claim says, or seems to say, compares with what others do."""

from __future__ import annotations

import math

from dpcompose.kernel import Side
from dpcompose.numerics.enclosure import Enclosure

TRUSTED = 0.03
"""How far off a look may be, relatively, that is called right."""


def may_improve(found: Enclosure, ends: Enclosure, side: Side) -> bool:
    """Whether a number that lies somewhere here could improve an end."""
    return found.lower < ends.upper if side is Side.UPPER else found.upper > ends.lower


def is_silent(found: Enclosure, possible: Enclosure, side: Side) -> bool:
    """Whether nothing is said of an end that was not known beforehand."""
    return found.upper >= possible.upper if side is Side.UPPER else found.lower <= possible.lower


def badness(look: Enclosure | None, side: Side) -> float:
    """The less, the better it looks; those that nobody can tell come last."""
    return math.inf if look is None else look.upper if side is Side.UPPER else -look.lower


def is_better(look: Enclosure, best: Enclosure, side: Side, room: float) -> bool:
    """Whether one looks better than another, or not worse by more than so much, relatively."""
    return look.upper <= best.upper * (1 + room) if side is Side.UPPER else look.lower >= best.lower * (1 - room)


def is_about(found: Enclosure, look: Enclosure) -> bool:
    """Whether a look turned out to be about right."""
    middle = (look.lower + look.upper) / 2
    return abs(found.upper - middle) <= TRUSTED * middle


__all__ = ["badness", "is_about", "is_better", "is_silent", "may_improve"]
