r"""The privacy profile of a composition, enclosed: $\delta(\varepsilon)$, its inverse, whole curves, and
the error budget.

$$\delta(\varepsilon) = \delta_\infty + \mathbb E\bigl[(1-e^{\varepsilon-S})_+;\,S<\infty\bigr],\qquad
\delta_\infty = 1-(1-\text{leak})\prod_i(1-\text{leak}_i)^{k_i} .$$

One order of the neighbouring pair; a caller that needs both takes the maximum of the two profiles.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from dpcompose.inversion.expansion import Find, Sum, choose_bulk, expand
from dpcompose.inversion.line import Readable, Reading
from dpcompose.inversion.loss import Loss, Summand
from dpcompose.inversion.rounding import LEAST, UNIT, exp_down, exp_up, log_down, log_up
from dpcompose.inversion.saddle import at_delta, at_epsilon
from dpcompose.inversion.spectrum import Goal
from dpcompose.inversion.unreachable import Unreachable
from dpcompose.numerics.enclosure import NOTHING, Enclosure, ball, enclose

GIVEN_UP = (Unreachable, OverflowError, ZeroDivisionError)
ROUNDS = 5
LEAST_RELATIVE, GREATEST_RELATIVE = 1e-13, 0.01


def profile(parts: Sequence[tuple[Loss, int]], leak: Enclosure = NOTHING) -> Profile:
    """The profile of `count` independent steps of each loss, and a further chance `leak` of revealing
    everything.
    """
    kinds: dict[type[Loss], list[tuple[Loss, int]]] = defaultdict(list)
    for loss, count in parts:
        if count:
            kinds[type(loss)].append((loss, count))
    return Profile(tuple(s for kind, members in kinds.items() for s in kind.gather(members)), leak)


@dataclass(frozen=True)
class Profile:
    """The profile of a sum of independent losses."""

    summands: tuple[Summand, ...]
    further_leak: Enclosure = NOTHING

    @cached_property
    def leak(self) -> Enclosure:
        r"""$\delta_\infty$."""
        leaks = [e for e in (self.further_leak, *(s.leak for s in self.summands)) if e.upper > 0.0]
        if any(e.lower >= 1.0 for e in leaks):
            return Enclosure(1.0, 1.0)
        if len(leaks) < 2:
            return leaks[0] if leaks else NOTHING
        return enclose(lambda: -sum(((-ball(e)).log1p() for e in leaks), ball(0)).expm1()) & Enclosure(0.0, 1.0)

    @cached_property
    def supremum(self) -> float:
        """No finite total loss exceeds this."""
        return sum(s.supremum for s in self.summands) * (1.0 + 1e-14)

    @cached_property
    def total_variation(self) -> float:
        r"""At least $\delta(0)-\delta_\infty$."""
        rest = math.fsum(math.log1p(-min(s.total_variation, 1.0 - 1e-16)) for s in self.summands)
        return min(1.0, -math.expm1(rest * (1.0 + 1e-12)) * (1.0 + 1e-12))

    @cached_property
    def _simpler(self) -> Profile | None:
        """A composition that dominates this one and is easy, for when nothing finer can be certified."""
        simpler = tuple(worse for s in self.summands for worse in s.dominating())
        return Profile(simpler) if any(a is not b for a, b in zip(simpler, self.summands, strict=False)) else None

    # ------------------------------------------------------------------ δ at ε

    def delta(self, epsilon: float, tolerance: float = 1e-9) -> Enclosure:
        """δ(ε), enclosed, with a relative gap of about `tolerance` where floats allow it."""
        leak = self.leak
        if not self.summands or epsilon >= self.supremum or leak.lower >= 1.0:
            return Enclosure(leak.lower, min(leak.upper, 1.0))
        found = self._finite_delta(epsilon, tolerance)
        if found.gap >= 1.0 and (simpler := self._simpler) is not None:
            found = found & Enclosure(0.0, simpler.delta(epsilon, 1e-6).upper)
        if leak.upper == 0.0:
            return found
        lower = leak.lower + found.lower * (1.0 - self.further_leak.upper)
        upper = leak.upper + found.upper * (1.0 - self.further_leak.lower)
        return Enclosure(max(lower * (1.0 - 4.0 * UNIT), leak.lower), min(upper * (1.0 + 4.0 * UNIT) + LEAST, 1.0))

    def _finite_delta(self, epsilon: float, tolerance: float) -> Enclosure:
        found = Enclosure(0.0, self.total_variation if epsilon >= 0.0 else 1.0)
        log_delta, relative = self._first_guess(epsilon), within(tolerance / 4.0)
        for _ in range(ROUNDS):
            try:
                reading = self._line(_at_epsilon(epsilon), epsilon, log_delta, relative).read(epsilon)
            except GIVEN_UP:
                break
            before = found.gap
            found = found & Enclosure(exp_down(reading.log_lower), exp_up(reading.log_upper))
            if found.gap <= tolerance or (found.gap > 0.5 * before and found.lower > 0.0):
                break
            log_delta = reading.log_value if reading.log_lower > -math.inf else 0.5 * (log_delta + reading.log_upper)
            relative = within(relative / 30.0)
        return found

    def _first_guess(self, epsilon: float) -> float:
        """The logarithm of δ(ε) by the saddle point, trimming in step with what it says."""
        log_delta, start = -20.0, 1.0
        for _ in range(4):
            _, saddle = choose_bulk(self.summands, _at_epsilon(epsilon), log_delta, 1e-3, start)
            start, previous, log_delta = saddle.tilt, log_delta, max(min(saddle.log_delta, 0.0), -1e5)
            if abs(log_delta - previous) < 1.0:
                break
        return log_delta

    def _line(self, find: Find, epsilon: float | None, log_delta: float, relative: float, start: float = 1.0) -> Sum:
        bulk, saddle = choose_bulk(self.summands, find, log_delta, relative, start)
        place = saddle.epsilon if epsilon is None else epsilon
        return expand(bulk, Goal(saddle, place, log_delta, relative))

    # ------------------------------------------------------------------ ε at δ

    def epsilon(self, delta: float, tolerance: float = 1e-9) -> Enclosure:
        """The least ε >= 0 with δ(ε) <= `delta`, enclosed."""
        leak = self.leak
        if delta < leak.lower:
            return Enclosure(math.inf, math.inf)
        # δ = leak + (1 - further leak)·(finite part): what the finite part must get below, and stay above.
        low_target = high_target = delta
        if leak.upper > 0.0:
            low_target = (delta - leak.upper) / (1.0 - self.further_leak.lower) * (1.0 - 4.0 * UNIT) - LEAST
            high_target = (delta - leak.lower) / (1.0 - self.further_leak.upper) * (1.0 + 4.0 * UNIT) + LEAST
        if not self.summands or low_target >= self.total_variation:
            return NOTHING
        found = self._solve(low_target, high_target, tolerance)
        if math.isinf(found.upper) and low_target > 0.0 and (simpler := self._simpler) is not None:
            found = found & Enclosure(0.0, simpler.epsilon(low_target, 1e-6).upper)
        return found

    def _solve(self, low_target: float, high_target: float, tolerance: float) -> Enclosure:
        found = Enclosure(0.0, self.supremum)
        target = low_target if low_target > 0.0 else high_target
        if target <= 0.0:
            return found
        log_delta, relative = math.log(target), within(tolerance)
        find, tighter, idle = _at_delta(log_delta), 0.25, 0
        for _ in range(ROUNDS):
            try:
                bulk, saddle = choose_bulk(self.summands, find, log_delta, relative, 1.0)
                place = max(saddle.epsilon, 0.0)
                trimmed_for, relative = relative, within(tolerance * max(place, 1e-9) * saddle.tilt * tighter)
                if saddle.epsilon < 0.0 or relative < trimmed_for:
                    bulk, saddle = choose_bulk(self.summands, _at_epsilon(place), log_delta, relative, saddle.tilt)
                line = expand(bulk, Goal(saddle, place, log_delta, relative))
            except GIVEN_UP:
                break
            before = found.upper - found.lower
            found, place = bracket(line, found, place, log_down(low_target), log_up(high_target))
            idle = idle + 1 if found.upper - found.lower > 0.5 * before else 0
            if found.gap <= tolerance or idle > 1:
                break
            find, tighter = _at_epsilon(place), tighter / 30.0
        return found


def within(relative: float) -> float:
    """A relative tolerance that floats can serve and that a line is not too coarse for."""
    return min(max(relative, LEAST_RELATIVE), GREATEST_RELATIVE)


def _at_epsilon(epsilon: float) -> Find:
    return lambda cumulants, start: at_epsilon(cumulants, epsilon, start)


def _at_delta(log_delta: float) -> Find:
    return lambda cumulants, start: at_delta(cumulants, log_delta, start)


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
