r"""A composition that grows: the last line, read again with other counts.

Any $t>0$ and any period serve every composition; only how tight the answer is depends on them. So the transform of
one step, once computed on a line, is kept: with new counts $k_i$ the logarithms $\sum_ik_i\ln\varphi_i$, the moments
and the decay are sums of what is there (`tally`), and the answer is certified like any other. A new line is built when
the old one no longer gives the tolerance, which happens as often as the total grows by some factor. Where there is no
line, since steps are few, the answers before tell where to look for the next one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dpcompose.inversion.bounds import log_alias
from dpcompose.inversion.cumulants import Cumulants
from dpcompose.inversion.divided import SmallSum
from dpcompose.inversion.expansion import choose_bulk, finding_delta
from dpcompose.inversion.few import FewSteps
from dpcompose.inversion.kept_lattice import KeptLattice, KeptSteps
from dpcompose.inversion.lattice import common_lattice
from dpcompose.inversion.line import Alias, Line, Sandwich
from dpcompose.inversion.lines import PATIENCE, Sampled, cut_off, plain, smoothed_above, smoothed_below, smoothing_width
from dpcompose.inversion.loss import Smooth, Summand, Tilted
from dpcompose.inversion.profiles import GIVEN_UP, Profile, within
from dpcompose.inversion.repeated import Repeated, TiltedRepeated
from dpcompose.inversion.rounding import LIBM, UNIT, Integers, log_down, log_up, short
from dpcompose.inversion.saddle import log_delta_estimate
from dpcompose.inversion.solve import bracket
from dpcompose.inversion.spectrum import Goal, Period, Spectrum, choose_period, tilt_all, total_cumulants
from dpcompose.inversion.tally import Addend, Tally
from dpcompose.inversion.unreachable import TooManyNodes
from dpcompose.numerics.enclosure import Enclosure

HEADROOM = math.log(8.0)
"""How many times more steps a line is prepared for."""
LONGER = 1.3
WORTH_KNOWING = 0.01
"""A wider answer does not tell where the next one is."""
PATIENT_GROWTH = 1.1
"""Where no line can be kept, so much growth passes before the next attempt."""


class Frame(NamedTuple):
    """The sums of a whole composition on a line."""

    tilt: float
    spacing: float
    log_moment: tuple[float, float]
    centre: tuple[float, float]
    low: Alias
    high: Alias


@dataclass(frozen=True, eq=False)
class KeptLine:
    """A line without counts."""

    tilt: float
    period: Period
    last: int
    eta: float
    """The width of the smoothing; 0 where the transform decays."""
    error: float
    trimmed: dict[Smooth, Smooth]
    log_mass: float
    steps: dict[Smooth, Addend] = field(default_factory=dict)
    tallies: list[Tally] = field(default_factory=list)
    """The last one."""

    @classmethod
    def build(cls, summands: Sequence[Summand], log_delta: float, tolerance: float) -> KeptLine | None:
        """Chosen as for a single answer, with room to grow; None where a lattice or jumps do better."""
        bulk, saddle = choose_bulk(summands, finding_delta(log_delta), log_delta - HEADROOM, tolerance, 1.0)
        goal = Goal(saddle, max(saddle.epsilon, 0.0), log_delta, _relative(tolerance, saddle.epsilon, saddle.tilt))
        lost = sum(b.trim_lost for b in bulk)
        if common_lattice(bulk) or lost > math.exp(max(log_delta + math.log(goal.relative) - 1.0, -740.0)):
            return None
        chosen = choose_period(total_cumulants(bulk), goal)
        period = Period(short(chosen.spacing / LONGER), chosen.low, chosen.high)
        nothing = Alias(0.0, 0.0)
        spectrum = Spectrum(saddle.tilt, period, tilt_all(bulk, goal, goal.reach), nothing, nothing)
        last, _ = cut_off(spectrum, goal, PATIENCE)
        eta = 0.0 if last else 0.8 * smoothing_width(goal)
        if not last:
            last = math.ceil(math.sqrt(2.0 * (goal.digits + 8.0 + math.log1p(saddle.tilt))) / eta / period.spacing)
        if last > PATIENCE:
            return None
        steps = max(sum(s.steps for s in summands), 1)
        error = min(1e-16, 0.01 * goal.relative / steps) * math.exp(-HEADROOM)
        kept = {
            a.loss: b.loss
            for a, b in zip(summands, bulk, strict=True)
            if isinstance(a, Repeated) and isinstance(b, Repeated)
        }
        log_mass = log_delta - HEADROOM + math.log(goal.relative) - 3.0 - math.log(20.0 * steps)
        return cls(saddle.tilt, period, last, eta, error, kept, log_mass)

    def read(self, summands: Sequence[Summand], low: float, high: float) -> Enclosure:
        """ε between the two targets for δ, with these counts."""
        tally = self._tally(summands)
        total, (low_tilt, high_tilt) = tally.totals(), self._sides
        frame = Frame(
            self.tilt,
            self.period.spacing,
            (total.log_moment, total.log_moment_error),
            (total.centre, total.centre_error),
            self._alias(low_tilt, total.log_moment_low),
            self._alias(high_tilt, total.log_moment_high),
        )
        smooth = 0.0 if self.eta else min(total.log_decay * (1.0 - 1e-12), 0.0)
        sample = Sampled(self._indices, tally.logarithm(), self.last, 0.0, smooth)
        line: Line | Sandwich = (
            plain(frame, sample)
            if not self.eta
            else Sandwich(smoothed_above(frame, sample, self.eta), smoothed_below(frame, sample, self.eta))
        )
        return self._solved(line, total.cumulants, total.trim_lost * (1.0 + 1e-12), low, high)

    def _tally(self, summands: Sequence[Summand]) -> Tally:
        """Repeated steps are kept, others added for this once."""
        before = self.tallies.pop() if self.tallies else Tally(self.last)
        tally = before.extended([(s.loss, s.count) for s in summands if isinstance(s, Repeated)], self._step)
        self.tallies.append(tally)
        others = [s for s in summands if not isinstance(s, Repeated)]
        whole = tally.copy() if others else tally
        for s in others:
            part = s.tilted(self.tilt, self._reach, self.error)
            moments = (_log_moment(s.tilted(tau, 0.0, self.error)) if tau > 0.0 else 0.0 for tau in self._sides)
            whole.add(self._addend(part, s.trim_lost, moments, s.cumulants(self.tilt)), 1)
        return whole

    @property
    def _reach(self) -> float:
        return self.period.spacing * self.last

    @property
    def _indices(self) -> Integers:
        return np.arange(1, self.last + 1, dtype=np.int64)

    def _addend(self, part: Tilted, lost: float, moments: Iterable[float], cumulants: Cumulants) -> Addend:
        decay = float(part.log_decay(np.array([self._reach]))[0])
        values = part.logarithm(self.period.spacing, self._indices)
        return Addend.of(part, values, [decay, lost, *moments], cumulants)

    def _solved(self, line: Line | Sandwich, k: Cumulants, lost: float, low: float, high: float) -> Enclosure:
        """Search from where the saddle point sees the target; what trimming took away counts as lost."""
        everything = Enclosure(0.0, math.inf)
        if not low > lost:
            return everything
        start = (log_delta_estimate(self.tilt, 0.0, k) - math.log(low)) / self.tilt
        target = math.nextafter(low - lost, 0.0)
        return bracket(line, everything, max(start, 0.0), log_down(target), log_up(high))[0]

    @property
    def _sides(self) -> tuple[float, float]:
        return self.period.low, self.period.high

    def _alias(self, tau: float, log_moment: float) -> Alias:
        high = log_moment + (LIBM + 20.0 * UNIT) * abs(log_moment) if tau > 0.0 else 0.0
        return Alias(log_alias(tau, high, abs(self.tilt - tau), self.period.length), tau)

    def _step(self, loss: Smooth) -> Addend:
        if loss not in self.steps:
            part = self.trimmed.get(loss) or loss.trimmed(self.log_mass, 3)
            one = TiltedRepeated(part, part.step(self.tilt, self._reach, self.error), 1)
            moments = [
                _log_moment(TiltedRepeated(part, part.step(tau, 0.0, self.error), 1)) if tau > 0.0 else 0.0
                for tau in self._sides
            ]
            self.steps[loss] = self._addend(one, part.trim_lost, moments, part.cumulants(self.tilt))
        return self.steps[loss]


def _log_moment(part: Tilted) -> float:
    return part.log_moment + part.log_moment_error


def _relative(tolerance: float, epsilon: float, tilt: float) -> float:
    """The relative error of δ that moves ε by a quarter of the tolerance."""
    return within(0.25 * tolerance * max(epsilon, 1e-9) * tilt)


@dataclass(eq=False)
class Memory:
    """The line of the last answer, for one order of the pair and one target."""

    line: KeptLine | None = None
    rest: float = 0.0
    """No line is looked for until there are so many steps."""
    lattices: list[KeptLattice] = field(default_factory=list)
    """The last lattice, where steps are few."""
    answers: tuple[float, ...] = ()
    """The last two."""

    def expected(self) -> float | None:
        """As far beyond the last answer as that was beyond the one before."""
        before, *last = self.answers or (0.0,)
        return max(2.0 * last[0] - before, 0.5 * last[0]) or None if last else None

    def solve(self, summands: Sequence[Summand], low: float, high: float, tolerance: float) -> Enclosure | None:
        """ε from the kept line, or from a new one; None where neither is tight enough."""
        if not low > 0.0:
            return None
        found = self._read(summands, low, high)
        steps = sum(s.steps for s in summands)
        if found.gap > tolerance and steps >= self.rest:
            with suppress(*GIVEN_UP, TooManyNodes):
                self.line = KeptLine.build(summands, math.log(low), tolerance)
            found = self._read(summands, low, high)
            self.rest = PATIENT_GROWTH * steps if found.gap > tolerance else 0.0
        return found if found.gap <= tolerance else None

    def _read(self, summands: Sequence[Summand], low: float, high: float) -> Enclosure:
        with suppress(*GIVEN_UP, TooManyNodes):
            if self.line is not None:
                return self.line.read(summands, low, high)
        return Enclosure(0.0, math.inf)


@dataclass(frozen=True)
class Recalling(Profile):
    """A profile that remembers its line from one composition to the next."""

    memory: Memory = field(default_factory=Memory)

    def epsilon(self, delta: float, tolerance: float = 1e-9, near: float | None = None) -> Enclosure:
        """The least ε >= 0 with δ(ε) <= `delta`, looked for where the answers before lead."""
        found = super().epsilon(delta, tolerance, near or self.memory.expected())
        if found.gap <= WORTH_KNOWING:
            self.memory.answers = (*self.memory.answers[-1:], found.upper)
        return found

    @cached_property
    def small(self) -> SmallSum | None:
        """Few steps find the lattice of the last answer."""
        small = super().small
        return KeptSteps(small.pieces, self.memory.lattices) if isinstance(small, FewSteps) else small

    def _solve(self, low_target: float, high_target: float, tolerance: float, near: float | None = None) -> Enclosure:
        found = self.memory.solve(self.summands, low_target, high_target, tolerance)
        return found if found is not None else super()._solve(low_target, high_target, tolerance, near)
