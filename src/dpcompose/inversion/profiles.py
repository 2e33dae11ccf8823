r"""The privacy profile of a composition, enclosed: $\delta(\varepsilon)$, its inverse, curves, the error budget.

$$\delta(\varepsilon) = \delta_\infty + \mathbb E\bigl[(1-e^{\varepsilon-S})_+;\,S<\infty\bigr],\qquad
\delta_\infty = 1-(1-\text{leak})\prod_i(1-\text{leak}_i)^{k_i} .$$

One order of the neighbouring pair; a caller that needs both takes the maximum of the two profiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from dpcompose.errors import Declined
from dpcompose.inversion.line.jumps import finding_epsilon
from dpcompose.inversion.line.lattice_line import common_lattice
from dpcompose.inversion.line.reading import ErrorBudget
from dpcompose.inversion.line.search import (
    GIVEN_UP,
    NEXT_TO_ALL,
    REACH,
    delta_on_line,
    epsilon_on_line,
    first_guess,
    line_at,
    seems_above,
    within,
)
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.repeated import any_leak
from dpcompose.inversion.methods import (
    BY_LINE,
    DIFFERENT,
    Method,
    SmallSum,
    goes_by_line,
    small_sum,
    suffices,
    ways_to,
)
from dpcompose.inversion.recollection import Forgetful, Recollection
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import ZERO, Enclosure
from dpcompose.numerics.rounding import FAINT, LEAST, LIBM, UNIT_ROUNDOFF, exp_down, exp_up, log_up, total_up

ROUGH = 1e-4
"""What few kinds say of many is asked no closer than this."""


@dataclass(frozen=True)
class LossProfile:
    """The profile of a sum of independent losses."""

    summands: tuple[LossSum, ...]
    further_leak: Enclosure = ZERO
    memory: Recollection = field(default=Forgetful(), compare=False, repr=False)
    start: float | None = field(default=None, compare=False, repr=False)  # where saddle points are sought first

    @cached_property
    def leak(self) -> Enclosure:
        r"""$\delta_\infty$."""
        return any_leak([self.further_leak, *(s.leak for s in self.summands)])

    @cached_property
    def supremum(self) -> float:
        """No finite total loss exceeds this."""
        return total_up([s.supremum for s in self.summands])

    @cached_property
    def total_variation(self) -> float:
        r"""An upper bound on $\delta(0)-\delta_\infty$: on the total variation distance, infinite losses aside."""
        rest = math.fsum(math.log1p(-min(s.total_variation, 1.0 - 1e-16)) for s in self.summands) * (1.0 + 1e-12)
        return min(1.0, -math.expm1(rest) * (1.0 + 1e-12) + FAINT * (1 + sum(s.steps for s in self.summands)))

    def _at_most(self, epsilon: float) -> float:
        r"""A bound on the finite part of δ(ε) at once: the total variation, and $1-e^{\varepsilon-\sup S}$."""
        below = -math.expm1(epsilon - self.supremum) * (1.0 + LIBM) + LEAST if epsilon - self.supremum > -700.0 else 1.0
        return min(1.0, below, self.total_variation if epsilon >= 0.0 else 1.0)

    @cached_property
    def _simpler(self) -> LossProfile | None:
        """A composition that dominates this one and is easy, for when nothing finer can be certified."""
        simpler = tuple(worse for s in self.summands for worse in s.dominating())
        return LossProfile(simpler) if any(a is not b for a, b in zip(simpler, self.summands, strict=False)) else None

    @cached_property
    def _reserve(self) -> float:
        """How many steps are kept for few kinds, where there are many different steps."""
        if len(self.summands) <= DIFFERENT:
            return 0.0
        from dpcompose.inversion.coarser import reserve

        return reserve(self.summands)

    def _by_few_kinds(self, found: Enclosure, ask: Callable[[LossProfile], Enclosure]) -> Enclosure:
        """Narrowed by compositions of few kinds, where there are many different steps."""
        if not self._reserve:
            return found
        from dpcompose.inversion.coarser import by_few_kinds

        others = partial(LossProfile, further_leak=self.further_leak)
        return by_few_kinds(self.summands, found, lambda few: ask(others(tuple(few))))

    @np.errstate(all="ignore")  # an overflow spoils a reading, never an answer: see `LineReading.sound`
    def delta(self, epsilon: float, tolerance: float = 1e-9) -> Enclosure:
        """δ(ε), enclosed, with a relative gap of about `tolerance` where floats allow it."""
        leak = self.leak
        if not self.summands or epsilon >= self.supremum or leak.lower >= 1.0:
            return Enclosure(leak.lower, min(leak.upper, 1.0))
        found = self._narrowed(
            Enclosure(0.0, self._at_most(epsilon)),
            tolerance,
            lambda: delta_on_line(self.summands, epsilon, tolerance),
            lambda small: small.delta(epsilon, tolerance),
        )
        if found.gap > tolerance and not effort.is_worn_out():
            from dpcompose.inversion.line.escalation import delta_by_balls

            found = delta_by_balls(self.summands, epsilon, found, tolerance)
        if found.gap >= 1.0 and not self._reserve and (simpler := self._simpler) is not None:
            found = found & Enclosure(0.0, simpler.delta(epsilon, 1e-6).upper)
        return self._by_few_kinds(self._with_leak(found), lambda other: other.delta(epsilon, ROUGH))

    def _with_leak(self, found: Enclosure) -> Enclosure:
        r"""$\delta_\infty + (1-\text{further leak})\cdot$ (finite part)."""
        leak, found = self.leak, Enclosure(min(found.lower, 1.0), min(found.upper, 1.0))
        if leak.upper == 0.0:
            return found
        lower = leak.lower + found.lower * (1.0 - self.further_leak.upper)
        upper = leak.upper + found.upper * (1.0 - self.further_leak.lower)
        lower, upper = lower * (1.0 - 4.0 * UNIT_ROUNDOFF), upper * (1.0 + 4.0 * UNIT_ROUNDOFF) + LEAST
        return Enclosure(max(lower, leak.lower), min(upper, 1.0))

    @cached_property
    def small(self) -> SmallSum | None:
        """The same finite part, if it has few steps or few values, and no lattice of its own."""
        apart = not self.summands or common_lattice(self.summands)
        return self.memory.small(None if apart else small_sum(self.summands))

    def _ways(self, tolerance: float) -> tuple[Method, ...]:
        """The ways worth trying, the better first; none is prepared where a line comes first in any case."""
        return BY_LINE if goes_by_line(self.summands) else ways_to(self.small, self.summands, tolerance)

    @property
    def is_small(self) -> bool:
        """Whether no line is needed, as a rule."""
        return self._ways(1e-6)[0] is Method.SMALL

    def _narrowed(
        self,
        found: Enclosure,
        tolerance: float,
        line: Callable[[], Enclosure],
        small: Callable[[SmallSum], Enclosure],
    ) -> Enclosure:
        """What the line says, or the small sum, or both."""
        for way in self._ways(tolerance):
            with suppress(*GIVEN_UP, ValueError), effort.sparing(min(self._reserve, 0.5 * effort.room())):
                found = found & (line() if way is Method.LINE else small(self.small) if self.small else found)
            if suffices(found.gap, way, tolerance) or (effort.is_worn_out() and found.gap < 1.0):
                break
        return found

    @np.errstate(all="ignore")
    def curve(self, epsilons: Sequence[float], tolerance: float = 1e-6) -> list[Enclosure]:
        """δ at many ε: one line serves all the ε around its saddle, each reading certified as if alone.

        Where a line leaves too wide an answer, the next line is built there. Where nothing is found again and again,
        some of the next ε are answered by the one before: δ falls.
        """
        answers: dict[float, Enclosure] = {}
        waiting = sorted({e for e in epsilons if e < self.supremum}) if self.summands else []
        if self._ways(tolerance)[0] is Method.SMALL and self.small is not None:
            above, waiting = [e for e in waiting if e > 0.0], []
            with suppress(*GIVEN_UP, ValueError):
                answers = {e: self._with_leak(d) for e, d in self.small.curve(above, tolerance).items()}
        ahead, vain = 0.0, 0
        while waiting:
            centre = min(waiting[0] + ahead, waiting[-1])
            try:
                find, log_delta = finding_epsilon(centre), first_guess(self.summands, centre)
                line = line_at(self.summands, find, centre, log_delta, within(tolerance / 1e5))
                ahead = REACH / line.tilt
                window = [e for e in waiting if e <= centre + ahead]
                for e, reading in zip(window, line.read_many(np.array(window)), strict=True):
                    answer = self._with_leak(Enclosure(exp_down(reading.log_lower), exp_up(reading.log_upper)))
                    if answer.gap <= tolerance:
                        answers[e] = answer
            except GIVEN_UP:
                ahead = 0.0
            if waiting[0] not in answers:
                here = answers[waiting[0]] = self.delta(waiting[0], tolerance)
                vain = vain + 1 if here.gap >= 1.0 else 0
                answers = dict.fromkeys(waiting[1 : 2 ** max(vain - 2, 0)], Enclosure(0.0, here.upper)) | answers
            waiting = [e for e in waiting if e not in answers]
        return [answers[e] if e in answers else self.delta(e) for e in epsilons]

    @np.errstate(all="ignore")
    def budget(self, epsilon: float, tolerance: float = 1e-9) -> ErrorBudget:
        """Where the width of the answer at ε comes from, term by term."""
        find, log_delta = finding_epsilon(epsilon), first_guess(self.summands, epsilon)
        return line_at(self.summands, find, epsilon, log_delta, within(tolerance / 4.0)).budget(epsilon)

    @np.errstate(all="ignore")
    def delta_in_balls(self, epsilon: float, relative: float = 1e-12) -> Enclosure:
        """δ(ε) certified by ball arithmetic alone, smoothed where the characteristic function does not decay."""
        if not self.summands or epsilon >= self.supremum or self.leak.lower >= 1.0:
            return self.delta(epsilon)
        from dpcompose.inversion.line.in_balls import delta_in_balls
        from dpcompose.inversion.line.smoothed_in_balls import smoothed_delta_in_balls

        log_guess = log_up(delta_on_line(self.summands, epsilon, 1e-3).upper)
        if self._ways(relative) != (Method.SMALL,):  # so few steps decay too slowly
            with suppress(Declined, *GIVEN_UP):
                return self._with_leak(delta_in_balls(self.summands, epsilon, log_guess, relative))
        try:
            return self._with_leak(smoothed_delta_in_balls(self.summands, epsilon, log_guess, relative))
        except GIVEN_UP as reason:
            raise Declined("no line of bounded cost was found") from reason

    def epsilon_in_balls(self, delta: float, tolerance: float = 1e-9) -> Enclosure:
        """ε at δ: the float tier proposes both ends, balls decide on each."""
        found = self.epsilon(delta, tolerance)
        if math.isinf(found.lower):
            return found
        from dpcompose.inversion.line.escalation import certain_ends

        lower, upper = certain_ends(self.summands, self.delta_in_balls, found, delta)
        most = max(self.supremum, 0.0) if delta >= self.leak.upper else math.inf
        return Enclosure(lower, min(upper, most))

    def renyi(self, order: float) -> Enclosure:
        r"""The Rényi divergence of $P$ from $Q$, of an order above 1."""
        from dpcompose.inversion.renyi import renyi_divergence

        return renyi_divergence(self.summands, self.leak, order)

    @np.errstate(all="ignore")
    def epsilon(self, delta: float, tolerance: float = 1e-9, near: float | None = None) -> Enclosure:
        """The least ε >= 0 with δ(ε) <= `delta`, enclosed; `near` may say where to look first."""
        leak, low_target, high_target = self.leak, delta, delta
        if delta < leak.upper:  # no ε may hold; surely none does below the least the leak can be
            return Enclosure(math.inf if delta < leak.lower else 0.0, math.inf)
        # δ = leak + (1 - further leak)·(finite part): what the finite part must get below, and stay above.
        if leak.upper > 0.0:
            low_target = (delta - leak.upper) / (1.0 - self.further_leak.lower) * (1.0 - 4.0 * UNIT_ROUNDOFF) - LEAST
            high_target = (delta - leak.lower) / (1.0 - self.further_leak.upper) * (1.0 + 4.0 * UNIT_ROUNDOFF) + LEAST
        if not self.summands or self.supremum <= 0.0 or low_target >= self.total_variation:
            return ZERO
        if low_target > 1.0 - NEXT_TO_ALL:  # no float tells how far δ is from 1: what does for less does
            return Enclosure(0.0, self.epsilon(delta - 2.0 * NEXT_TO_ALL, max(tolerance, 1e-2), near).upper)
        if high_target <= 0.0 and any(s.is_unbounded for s in self.summands):
            return Enclosure(math.inf, math.inf)
        found, first = Enclosure(0.0, max(self.supremum, 0.0)), near or self.memory.expected()
        found = self._narrowed(
            found,
            tolerance,
            lambda: self._solve(low_target, high_target, tolerance, first),
            lambda small: small.epsilon(low_target, high_target, tolerance, self.supremum, first),
        )
        if found.gap > tolerance and not effort.is_worn_out():
            from dpcompose.inversion.line.escalation import epsilon_by_balls

            found = epsilon_by_balls(self.summands, found, low_target, high_target, tolerance)
        is_open = math.isinf(found.upper) and low_target > 0.0 and not self._reserve
        if is_open and (simpler := self._simpler) is not None:
            found = found & Enclosure(0.0, simpler.epsilon(low_target, 1e-6).upper)
        found = self._by_few_kinds(found, lambda other: other.epsilon(delta, ROUGH))
        if not found.lower and not effort.is_worn_out():
            found = found & self._next_to_nothing(delta, tolerance, found.upper)
        self.memory.answered(found)
        return found

    def _next_to_nothing(self, delta: float, tolerance: float, most: float) -> Enclosure:
        """Where δ(0) can hardly be told from `delta`, lines find no ε: some of the least are tried one by one."""
        if delta <= 0.0 or seems_above(self.summands, 0.0, delta):  # at δ = 0 only the largest loss will do
            return Enclosure(0.0, most)
        for epsilon in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
            found = self.delta(epsilon, tolerance) if epsilon < most else ZERO
            if found.upper <= delta:
                return Enclosure(0.0, min(epsilon, most))
            if not found.lower or found.lower > delta + 2e-3:  # nothing is seen, or more than is lost up to ε = 1e-3
                break
        return Enclosure(0.0, most)

    def _solve(self, low_target: float, high_target: float, tolerance: float, near: float | None = None) -> Enclosure:
        kept = self.memory.solve(self.summands, low_target, high_target, tolerance)
        targets = low_target, high_target, tolerance
        return kept or epsilon_on_line(self.summands, self.supremum, *targets, near=near, start=self.start or 1.0)
