"""Where floats miss the tolerance: the same line in balls, if it is short enough to be affordable."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache

from dpcompose.errors import Declined
from dpcompose.inversion.line.in_balls import delta_in_balls
from dpcompose.inversion.line.spectrum import total_cumulants
from dpcompose.inversion.losses.gaussian import GaussianSum
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.numerics.crossing import crossing
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Enclosure
from dpcompose.numerics.rounding import log_up
from dpcompose.numerics.unreachable import OutOfReach, TooManyNodes

AFFORDABLE = 400
"""The greatest number of frequencies for transforms that are sums over nodes: a second or less."""
CLOSED = 10_000
"""The greatest number of frequencies for transforms in closed form: a second or less."""
FINEST = 1e-14
AT_ONCE = 1e-5
"""A δ that is reached so close to ε = 0, beside how fast δ falls, is δ(0) but for digits that cost seconds."""
TRIES = 8
"""How often an end is moved until it is certain."""
FARTHEST = 2.0
"""No end is moved at once to where δ is more than so many times e greater or less."""
HOPELESS = (Declined, OutOfReach, TooManyNodes, ArithmeticError, ValueError)


def affordable(summands: Sequence[LossSum]) -> int:
    """The longest line to try."""
    losses = [s.loss if isinstance(s, Repeated) else s for s in summands]
    return CLOSED if all(isinstance(loss, LaplaceLoss | GaussianSum) for loss in losses) else AFFORDABLE


def delta_by_balls(summands: Sequence[LossSum], epsilon: float, known: Enclosure, tolerance: float) -> Enclosure:
    """What is known of the finite part of δ(ε), and what balls say."""
    relative = max(0.2 * tolerance, FINEST)
    with suppress(*HOPELESS):
        return known & delta_in_balls(summands, epsilon, log_up(known.upper), relative, affordable(summands))
    return known


def epsilon_by_balls(
    summands: Sequence[LossSum], known: Enclosure, low_target: float, high_target: float, tolerance: float
) -> Enclosure:
    """What is known of the ε at which the finite part gets below the one target and stays above the other, and what
    balls say: both ends are looked for again, each place evaluated once.
    """
    if math.isinf(known.upper) or not low_target > 0.0:
        return known
    near = 0.5 * (known.lower + known.upper)
    with suppress(*HOPELESS):
        slope, width = at_epsilon(total_cumulants(summands), near).tilt, 0.2 * tolerance * near
        if slope * known.upper <= AT_ONCE:
            return known
        relative = max(min(0.2 * slope * width, 0.01), FINEST)

        @cache
        def delta(epsilon: float) -> Enclosure:
            return UNIT_INTERVAL & delta_in_balls(
                summands, epsilon, log_up(high_target), relative, affordable(summands)
            )

        _, up = crossing(lambda e: delta(e).upper, low_target, known, near, slope, width)
        down, _ = crossing(lambda e: delta(e).lower, high_target, Enclosure(known.lower, up), up - width, slope, width)
        return known & Enclosure(down, up)
    return known


def certain_ends(
    summands: Sequence[LossSum], said: Callable[[float], Enclosure], proposed: Enclosure, delta: float
) -> tuple[float, float]:
    """The ends of ε at δ that balls certify, at or about those that are proposed: each moves outwards, about as far as
    it misses δ, until it is certain.
    """
    lower, upper = max(proposed.lower, 0.0), proposed.upper
    width = max(upper - lower, 1e-12 * upper) if math.isfinite(upper) else 1.0
    slope = max(at_epsilon(total_cumulants(summands), lower).tilt, 1e-6) if summands else 1.0

    def above(epsilon: float) -> float:
        found = said(epsilon).upper
        return (math.log(found / delta) if delta else FARTHEST) if found > delta else -math.inf

    def below(epsilon: float) -> float:  # where δ is reached and no more, the least ε may be less
        found = said(epsilon).lower
        if found > delta:
            return -math.inf
        return math.log(delta / max(found, 1e-300)) if delta else FARTHEST

    def moved(end: float, missing: Callable[[float], float], towards: float) -> float:
        step = width
        for _ in range(TRIES):
            if end == math.inf or (towards < 0.0 and end <= 0.0):
                break
            with suppress(Declined):
                if (missed := missing(end)) == -math.inf:
                    return end
                step = max(step, 1.2 * min(missed, FARTHEST) / slope)
            end, step = end + math.copysign(step, towards), 4.0 * step
        return 0.0 if towards < 0.0 else math.inf

    return moved(lower, below, -1.0), moved(upper, above, 1.0)
