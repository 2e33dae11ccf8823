"""From a line to ε: search with uncertified steps, decide with certified readings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress

from dpcompose.inversion.line.jumps import Find, JumpExpansion, choose_bulk, expand, finding_delta, finding_epsilon
from dpcompose.inversion.line.reading import LineReading, Readable
from dpcompose.inversion.line.spectrum import Goal
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.stacked import stacked
from dpcompose.inversion.saddle import Saddle
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Enclosure
from dpcompose.numerics.rounding import exp_down, exp_up, log_down, log_up
from dpcompose.numerics.unreachable import OutOfReach

GIVEN_UP = (OutOfReach, OverflowError, ZeroDivisionError)
"""What a line raises that cannot be built."""
ROUNDS = 5
"""The greatest number of lines built for one answer."""
MOST_STEPS, FEWEST_STEPS = 40, 8
"""The greatest number of steps towards a place on one line; fewer on a long one."""
MOST_READ = 2_000_000
"""The greatest number of frequencies that are read on the way."""
FINE, COARSE = 0.02, 1e-3
"""How near a place is looked for, in units of what is not known of ln δ there or of this."""
LEAST_RELATIVE = 1e-13
"""No smaller relative error of δ is asked of a line."""
BEYOND = 1.05
"""A place is looked for so much farther than where it seems to be."""
REACH = 12.0
"""How far from its saddle a line is tried on ε, in units of 1/t."""
WIDE, HEAVY = 10.0, 6.0
"""Beyond this ratio of squares a sum is wider than normal; then δ may be off by so many nats."""
NEXT_TO_ALL = 1e-6
"""Where δ is nearer to 1 than this, no line can tell: only extreme parameters lead there."""
DEARER = 2.0
"""The next line may take so many times what the last one took."""
GREATEST_RELATIVE = 0.01
"""No larger relative error of δ is allowed to a line."""


def _is_too_dear(spent: float) -> bool:
    """Whether a finer line than one that took so many steps would be broken off, and what is known lost with it."""
    return effort.is_worn_out() or DEARER * spent > effort.room()


def within(relative: float) -> float:
    """A relative tolerance that floats can serve and that a line is not too coarse for."""
    return min(max(relative, LEAST_RELATIVE), GREATEST_RELATIVE)


def bracket(line: Readable, found: Enclosure, start: float, low: float, high: float) -> tuple[Enclosure, float]:
    """Narrow an enclosure of ε: `low` and `high` are ln of the δ to get below (upper end) and to stay above (lower
    end).

    δ is non-increasing, so two certified readings decide; how their places were found does not matter.
    """
    steps = max(min(MOST_READ // (line.size + 1), MOST_STEPS), FEWEST_STEPS)
    epsilon, reading = _newton(line, start, high, steps)
    above, below = (_first(place, reading.slope) for place in (reading.log_upper - low, high - reading.log_lower))
    upper = _search(lambda e: line.read(e).log_upper <= low, epsilon, above, found.upper, steps)
    lower = _search(lambda e: line.read(e).log_lower >= high, epsilon, -below, found.lower, steps)
    return Enclosure(min(lower, max(upper, 0.0)), max(upper, 0.0)), epsilon


def _first(missing: float, slope: float) -> float:
    """How far to go for what is missing of ln δ, with a little to spare."""
    known = min(max(BEYOND * missing, 1e-15), 3.0) if missing < math.inf else 3.0
    return known / max(abs(slope), 1e-300)


def _newton(line: Readable, start: float, log_delta: float, steps: int) -> tuple[float, LineReading]:
    """Newton for ln δ(ε) = `log_delta` on one line, inside ε >= 0; δ falls, so two readings with the root between them
    are halved wherever a step leaves them, as steps between atoms do.
    """
    low, high = 0.0, math.inf
    epsilon, reading = start, line.read(start)
    for _ in range(steps):
        if not math.isfinite(reading.log_value):
            break
        low, high = (epsilon, high) if reading.log_value > log_delta else (low, epsilon)
        step = (log_delta - reading.log_value) / min(reading.slope, -1e-300)
        step = max(-4.0 / line.tilt, min(4.0 / line.tilt, step), -epsilon)
        if not low <= epsilon + step <= high:
            step = 0.5 * (low + high) - epsilon
        epsilon += step
        reading = line.read(epsilon)
        fine = FINE * min(reading.log_upper - reading.log_lower, COARSE)
        if abs(step) <= 1e-15 * abs(epsilon) + 1e-14 / line.tilt or abs(log_delta - reading.log_value) <= fine:
            break
    return epsilon, reading


def _search(holds: Callable[[float], bool], centre: float, first: float, limit: float, steps: int) -> float:
    """The first place, stepping from the centre towards the limit, where the certificate holds; else the limit."""
    shift = first
    for _ in range(steps):
        place = centre + shift
        if (place - limit) * first >= 0.0:
            break
        if holds(place):
            return place
        shift = 1.5 * shift + math.copysign(4e-16 * abs(centre), first)
    return limit


def first_guess(summands: Sequence[LossSum], epsilon: float) -> float:
    """The logarithm of δ(ε) by the saddle point, trimming in step with what it says."""
    log_delta, start, bulk = -20.0, 1.0, stacked(summands)
    for _ in range(4):
        _, saddle = choose_bulk(bulk, finding_epsilon(epsilon), log_delta, 1e-3, start)
        start, previous, log_delta = saddle.tilt, log_delta, max(min(saddle.log_delta, 0.0), -1e5)
        if abs(log_delta - previous) < 1.0:
            break
    return log_delta


def seems_above(summands: Sequence[LossSum], epsilon: float, delta: float) -> bool:
    """Whether δ(ε) looks much larger than this, by a glance that proves nothing."""
    with suppress(*GIVEN_UP, ValueError):
        return first_guess(summands, epsilon) > math.log(delta) + 3.0
    return False


def _likely(saddle: Saddle) -> float:
    r"""Where δ is met; rather too low where a few large losses make the tilted sum much wider than a normal one,
    for which $t^2K''=-2\ln\delta$: there the saddle point takes δ for larger than it is.
    """
    t, k = saddle.tilt, saddle.cumulants
    return saddle.epsilon - (HEAVY / t if t * t * k.curvature > -2.0 * WIDE * saddle.log_delta else 0.0)


def line_at(
    summands: Sequence[LossSum],
    find: Find,
    epsilon: float | None,
    log_delta: float,
    relative: float,
    *,
    start: float = 1.0,
) -> JumpExpansion:
    """The line, with its jumps, through the saddle that `find` finds, from a tilt on."""
    bulk, saddle = choose_bulk(stacked(summands), find, log_delta, relative, start)
    place = saddle.epsilon if epsilon is None else epsilon
    return expand(bulk, Goal(saddle, place, log_delta, relative))


def delta_on_line(summands: Sequence[LossSum], epsilon: float, tolerance: float) -> Enclosure:
    """The finite part of δ(ε), enclosed; one line after another, until one is close enough."""
    found = UNIT_INTERVAL
    log_delta, relative = first_guess(summands, epsilon), within(tolerance / 4.0)
    for _ in range(ROUNDS):
        spent = effort.taken()
        try:
            reading = line_at(summands, finding_epsilon(epsilon), epsilon, log_delta, relative).read(epsilon)
        except GIVEN_UP:
            break
        before = found.gap
        found = found & Enclosure(exp_down(reading.log_lower), exp_up(reading.log_upper))
        if found.gap <= tolerance or (found.gap > 0.5 * before and found.lower > 0.0):
            break
        if found.gap < 1.0 and _is_too_dear(effort.taken() - spent):
            break
        log_delta = reading.log_value if reading.log_lower > -math.inf else 0.5 * (log_delta + reading.log_upper)
        relative = within(relative / 30.0)
    return found


def epsilon_on_line(
    summands: Sequence[LossSum],
    supremum: float,
    low_target: float,
    high_target: float,
    tolerance: float,
    *,
    near: float | None = None,
    start: float = 1.0,
) -> Enclosure:
    """The least ε >= 0 whose finite part gets below `low_target`, enclosed, by lines; saddles are sought from a tilt
    on.
    """
    if supremum <= 0.0:
        return ZERO
    found = Enclosure(0.0, supremum)
    target = low_target if low_target > 0.0 else high_target
    if target <= 0.0:
        return found
    log_delta, relative, summands = math.log(target), within(tolerance), stacked(summands)
    first, tighter, idle = finding_delta(log_delta), 0.5, 0
    find = first if near is None else finding_epsilon(near)
    for _ in range(ROUNDS):
        spent = effort.taken()
        try:
            bulk, saddle = choose_bulk(summands, find, log_delta, relative, start)
            place = max(_likely(saddle) if find is first else saddle.epsilon, 0.0)
            trimmed_for, relative = relative, within(tolerance * max(place, 1e-9) * saddle.tilt * tighter)
            if saddle.epsilon < 0.0 or relative < trimmed_for:
                bulk, saddle = choose_bulk(summands, finding_epsilon(place), log_delta, relative, saddle.tilt)
            line = expand(bulk, Goal(saddle, place, log_delta, relative))
        except GIVEN_UP:
            break
        before, planned = found.upper - found.lower, place
        found, place = bracket(line, found, place, log_down(low_target), log_up(high_target))
        idle = idle + 1 if found.upper - found.lower > 0.5 * before else 0
        if found.gap <= tolerance or idle > 1:
            break
        if found.gap < 1.0 and _is_too_dear(effort.taken() - spent):
            break
        far = abs(place - planned) * saddle.tilt > 1.0  # the line was simply in the wrong place
        find, tighter = finding_epsilon(place), tighter if far else tighter / 30.0
    return found
