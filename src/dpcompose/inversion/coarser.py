"""Where many different steps are too many to be followed: few kinds stand for them, worse ones and better ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from dpcompose.inversion.few_kinds import Corner, few_kinds, sorted_out
from dpcompose.inversion.line.search import GIVEN_UP
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.methods import DIFFERENT
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Enclosure

KINDS = (1, 4, 16)
"""How many kinds may stand for each sort of steps: one after the other, as long as there is room."""
DEARER = 5.0
"""More kinds are expected to take at most so many times what fewer took."""
RESERVE = 4e7
"""The effort that is kept for bounds by few kinds, half of it for the other order of the neighbours."""
VAGUE = 0.01
"""Above this relative gap bounds by few kinds are computed."""


def reserve(summands: Sequence[LossSum]) -> float:
    """The effort that is kept for few kinds: none where they are not much simpler."""
    if len(summands) <= DIFFERENT:
        return 0.0
    sorts, others = sorted_out(summands)
    return RESERVE if len(sorts) + len(others) <= DIFFERENT else 0.0


def by_few_kinds(
    summands: Sequence[LossSum], found: Enclosure, ask: Callable[[Sequence[LossSum]], Enclosure]
) -> Enclosure:
    """The enclosure of a cost; where it is vague, few kinds that cost more bound it from above, and few that cost less
    from below.
    """
    left = 0.5 * effort.room() if math.isfinite(effort.room()) else 0.0
    with suppress(*GIVEN_UP, ValueError):
        for kinds in KINDS if found.gap > VAGUE else ():
            before = effort.taken()
            with effort.sparing(left):
                found = found & Enclosure(0.0, ask(few_kinds(summands, Corner.WORST, kinds)).upper)
                found = found & Enclosure(ask(few_kinds(summands, Corner.BEST, kinds)).lower, math.inf)
            if found.gap <= VAGUE or DEARER * (effort.taken() - before) > effort.room() - left:
                break
    return found
