r"""One line, read again with other counts.

Any $t>0$ and any period serve every composition; only how tight the answer is depends on them. So the transform of one
step, once computed on a line, is kept: with new counts $k_i$ the logarithms $\sum_ik_i\ln\varphi_i$, the moments and
the decay are sums of what is there (`running_sums`), and the answer is certified like any other.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpcompose.inversion.error_terms import log_alias
from dpcompose.inversion.line.build import (
    PLAIN_FREQUENCIES,
    TransformSample,
    cut_off,
    plain,
    smoothed_above,
    smoothed_below,
    smoothing_width,
)
from dpcompose.inversion.line.jumps import choose_bulk, finding_delta
from dpcompose.inversion.line.lattice_line import common_lattice
from dpcompose.inversion.line.line import Alias, Line, Sandwich
from dpcompose.inversion.line.running_sums import Addend, Tally
from dpcompose.inversion.line.search import bracket, within
from dpcompose.inversion.line.spectrum import Goal, Period, Spectrum, choose_period, tilt_all, total_cumulants
from dpcompose.inversion.losses.protocols import Cumulants, LossSum, RepeatableLoss, TiltedSum
from dpcompose.inversion.losses.repeated import Repeated, TiltedRepeated
from dpcompose.inversion.saddle import log_delta_estimate
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Integers, log_down, log_up, short

HEADROOM = math.log(8.0)
"""How many times more steps a line is prepared for."""
LONGER = 1.3
WORTH_KNOWING = 0.01
"""A wider answer does not tell where the next one is."""
PATIENT_GROWTH = 1.1
"""Where no line can be kept, the number of steps grows by this factor before the next attempt."""


class LineFrame(NamedTuple):
    """The sums of a whole composition on a line."""

    tilt: float
    spacing: float
    log_moment: tuple[float, float]
    centre: tuple[float, float]
    low: Alias
    high: Alias


@dataclass(frozen=True, eq=False)
class KeptLine:
    """A line whose steps are kept one by one, to be read with whatever counts they have."""

    tilt: float
    period: Period
    last: int
    eta: float
    """The width of the smoothing; 0 where the transform decays."""
    error: float
    trimmed: dict[RepeatableLoss, RepeatableLoss]
    log_mass: float
    steps: dict[RepeatableLoss, Addend] = field(default_factory=dict)
    tallies: list[Tally] = field(default_factory=list)
    """The last one."""

    @classmethod
    def build(cls, summands: Sequence[LossSum], log_delta: float, tolerance: float) -> KeptLine | None:
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
        last, _ = cut_off(spectrum, goal, PLAIN_FREQUENCIES)
        eta = 0.0 if last else 0.8 * smoothing_width(goal)
        if not last:
            last = math.ceil(math.sqrt(2.0 * (goal.digits + 8.0 + math.log1p(saddle.tilt))) / eta / period.spacing)
        if last > PLAIN_FREQUENCIES:
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

    def read(self, summands: Sequence[LossSum], low: float, high: float) -> Enclosure:
        """ε between the two targets for δ, with these counts."""
        tally = self._tally(summands)
        total, (low_tilt, high_tilt) = tally.totals(), self._sides
        frame = LineFrame(
            self.tilt,
            self.period.spacing,
            (total.log_moment, total.log_moment_error),
            (total.centre, total.centre_error),
            self._alias(low_tilt, total.log_moment_low),
            self._alias(high_tilt, total.log_moment_high),
        )
        smooth = 0.0 if self.eta else min(total.log_decay * (1.0 - 1e-12), 0.0)
        sample = TransformSample(self._indices, tally.logarithm(), self.last, 0.0, smooth)
        line: Line | Sandwich = (
            plain(frame, sample)
            if not self.eta
            else Sandwich(smoothed_above(frame, sample, self.eta), smoothed_below(frame, sample, self.eta))
        )
        return self._solved(line, total.cumulants, total.trim_lost * (1.0 + 1e-12), low, high)

    def _tally(self, summands: Sequence[LossSum]) -> Tally:
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

    def _addend(self, part: TiltedSum, lost: float, moments: Iterable[float], cumulants: Cumulants) -> Addend:
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
        high = log_moment + (LIBM + 20.0 * UNIT_ROUNDOFF) * abs(log_moment) if tau > 0.0 else 0.0
        return Alias(log_alias(tau, high, abs(self.tilt - tau), self.period.length), tau)

    def _step(self, loss: RepeatableLoss) -> Addend:
        if loss not in self.steps:
            part = self.trimmed.get(loss) or loss.trimmed(self.log_mass, 3)
            one = TiltedRepeated(part, part.step(self.tilt, self._reach, self.error), 1)
            moments = [
                _log_moment(TiltedRepeated(part, part.step(tau, 0.0, self.error), 1)) if tau > 0.0 else 0.0
                for tau in self._sides
            ]
            self.steps[loss] = self._addend(one, part.trim_lost, moments, part.cumulants(self.tilt))
        return self.steps[loss]


def _log_moment(part: TiltedSum) -> float:
    return part.log_moment + part.log_moment_error


def _relative(tolerance: float, epsilon: float, tilt: float) -> float:
    """The relative error of δ that moves ε by a quarter of the tolerance."""
    return within(0.25 * tolerance * max(epsilon, 1e-9) * tilt)
