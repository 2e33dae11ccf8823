"""From a line to ε: search with uncertified steps, decide with certified readings."""

from __future__ import annotations

import math
from collections.abc import Callable

from dpcompose.inversion.line import Readable, Reading
from dpcompose.numerics.enclosure import Enclosure


def bracket(line: Readable, found: Enclosure, start: float, low: float, high: float) -> tuple[Enclosure, float]:
    """Narrow an enclosure of ε: `low` and `high` are ln of the δ to get below (upper end) and to stay above
    (lower end).

    δ is non-increasing, so two certified readings decide; how their places were found does not matter.
    """
    epsilon, reading = _newton(line, start, high)
    known = reading.log_upper > -math.inf
    width = min(max(reading.log_upper - reading.log_lower, 1e-15), 3.0) if known else 3.0
    first = 0.75 * width / max(abs(reading.slope), 1e-300)
    upper = _search(lambda e: line.read(e).log_upper <= low, epsilon, first, found.upper)
    lower = _search(lambda e: line.read(e).log_lower >= high, epsilon, -first, found.lower)
    return Enclosure(min(lower, max(upper, 0.0)), max(upper, 0.0)), epsilon


def _newton(line: Readable, start: float, log_delta: float) -> tuple[float, Reading]:
    """Newton for ln δ(ε) = `log_delta` on one line, inside ε >= 0."""
    epsilon, reading = start, line.read(start)
    for _ in range(15):
        if not math.isfinite(reading.log_value):
            break
        step = (log_delta - reading.log_value) / min(reading.slope, -1e-300)
        step = max(-4.0 / line.tilt, min(4.0 / line.tilt, step), -epsilon)
        epsilon += step
        reading = line.read(epsilon)
        if abs(step) <= 1e-15 * abs(epsilon) + 1e-14 / line.tilt:
            break
    return epsilon, reading


def _search(holds: Callable[[float], bool], centre: float, first: float, limit: float) -> float:
    """The first place, stepping from the centre towards the limit, where the certificate holds; else the
    limit.
    """
    shift = first
    for _ in range(40):
        place = centre + shift
        if (place - limit) * first >= 0.0:
            break
        if holds(place):
            return place
        shift = 1.5 * shift + math.copysign(4e-16 * abs(centre), first)
    return limit
