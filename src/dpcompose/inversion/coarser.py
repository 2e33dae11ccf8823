"""Where many different steps are too many to be followed: few kinds stand for them, worse ones and better ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from dpcompose.inversion.few_kinds import Side, few_kinds
from dpcompose.inversion.line.search import GIVEN_UP
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.methods import DIFFERENT
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Enclosure

KINDS = (1, 4, 16)
"""So many stand for all, as long as there is room for more."""
DEARER = 5.0
"""More kinds may take so many times what fewer took."""
RESERVE = 4e7
"""Steps that are kept for it, half of them for the other order of the neighbours."""
VAGUE = 0.01
"""With a greater gap such bounds are asked for."""


def reserve(summands: Sequence[LossSum]) -> float:
    """How many steps are kept for few kinds: some where these are much simpler."""
    return RESERVE if len(few_kinds(summands, Side.ABOVE, 1)) <= DIFFERENT < len(summands) else 0.0


def by_few_kinds(
    summands: Sequence[LossSum], found: Enclosure, ask: Callable[[Sequence[LossSum]], Enclosure]
) -> Enclosure:
    """A cost, narrowed where it is hardly known by those of compositions of few kinds that cost more and less."""
    left = 0.5 * effort.room() if math.isfinite(effort.room()) else 0.0
    with suppress(*GIVEN_UP, ValueError):
        for kinds in KINDS if found.gap > VAGUE else ():
            before = effort.taken()
            with effort.sparing(left):
                found = found & Enclosure(0.0, ask(few_kinds(summands, Side.ABOVE, kinds)).upper)
                found = found & Enclosure(ask(few_kinds(summands, Side.BELOW, kinds)).lower, math.inf)
            if found.gap <= VAGUE or DEARER * (effort.taken() - before) > effort.room() - left:
                break
    return found
