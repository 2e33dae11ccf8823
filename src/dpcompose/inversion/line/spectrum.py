r"""Building a line: choose period and cut-off by quick values, then certify with the bounds of `error_terms`.

A `Spectrum` is the tilted characteristic function of the total loss on the frequencies that matter, with the certified
moments that bound aliasing and the certified decay that bounds truncation. `build` makes lines of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpcompose.inversion.error_terms import log_alias, log_chernoff
from dpcompose.inversion.line.line import Alias
from dpcompose.inversion.losses.protocols import Cumulants, Logarithm, LossSum, TiltedSum
from dpcompose.inversion.saddle import Saddle
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, Integers, short
from dpcompose.numerics.unreachable import OutOfReach

RUNGS = 12
"""How many tilts are tried on each side of the saddle for the aliasing bound."""
BLURRED = 0.01
"""With a smaller error of its logarithm a moment bounds aliasing as well as with none."""
LONGER = 1.2
"""A period longer by this factor costs less than the moments of one more tilt."""
WORTH = 1.5
"""For a period shorter by this factor the line is moved off its saddle."""
ROUNDED = 1e-14
"""About the rounding of a line beside its largest terms."""
SPARE = 3.0
"""By so many nats copies are fainter than they must be on a line that is moved, as its place is hardly known."""
MOVES = (1.0, 0.6, 0.3)
"""How much of the way a line is moved, as far as its terms allow."""


@dataclass(frozen=True)
class Goal:
    """What a line is built for: this ε, δ about `exp(log_delta)`, relative error about `relative`."""

    saddle: Saddle
    epsilon: float
    log_delta: float
    relative: float

    @property
    def digits(self) -> float:
        """The tolerance as a positive exponent."""
        return -math.log(self.relative)

    @property
    def reach(self) -> float:
        """Frequencies up to about here matter if the sum is nearly normal."""
        return 1.75 * math.sqrt(2.0 * (self.digits + 5.0) / (self.saddle.cumulants.curvature + 1e-300))

    def aliased(self, tau: float, log_moment: float) -> float:
        r"""How far copies at the distance 1 from τ must fall, by Chernoff at τ ($\tau = 0$: by $\delta\le1$)."""
        return max(log_chernoff(tau) + log_moment - tau * self.epsilon - self.log_delta + self.digits + 3.0, 1.0)

    @property
    def cancellation(self) -> float:
        """By how many nats the largest terms of the line exceed their sum, if the saddle is known."""
        return self.saddle.cumulants.value - self.saddle.tilt * self.epsilon - self.log_delta


@dataclass(frozen=True)
class Period:
    r"""A period $W$ and the tilts $\tau_1 < t < \tau_2$ whose moments bound the aliasing ($\tau_1 = 0$: by
    $\delta\le1$).
    """

    spacing: float
    low: float
    high: float

    @property
    def length(self) -> float:
        """The period $W$."""
        return 2.0 * math.pi / self.spacing


def total_cumulants(summands: Sequence[LossSum]) -> Callable[[float], Cumulants]:
    """The quick cumulant function of the whole composition."""
    return lambda tilt: Cumulants.total(s.cumulants(tilt) for s in summands)


def choose_period(cumulants: Callable[[float], Cumulants], goal: Goal) -> Period:
    r"""About the shortest period whose Chernoff aliasing bound is small enough, over a ladder of tilts on each side.

    The ladder matters when K explodes to the right of the saddle; to the left $\delta\le1$ mostly does.
    """
    t, need = goal.saddle.tilt, goal.digits + 3.0
    width = math.sqrt(2.0 * need / (goal.saddle.cumulants.curvature + 1.0 / t**2))

    def period(tau: float) -> float:
        size = goal.aliased(tau, cumulants(tau).value)
        return size / abs(tau - t) if math.isfinite(size) else math.inf

    def shortest(sign: float, best: tuple[float, float]) -> tuple[float, float]:
        """From far to near, until periods grow again."""
        before = math.inf
        for rung in range(RUNGS):
            tau = t + sign * 0.7**rung * width
            length = period(tau) if tau > 0.0 else math.inf
            best = min(best, (length, tau))
            if before < length:
                break
            before = length
        return best

    high = shortest(1.0, (math.inf, 0.0))
    low = (goal.aliased(0.0, 0.0) / t, 0.0)
    if low[0] > LONGER * high[0]:
        low = shortest(-1.0, low)
    length = max(low[0], high[0])
    if not math.isfinite(length) or not length > 0.0:
        raise OutOfReach
    return Period(short(2.0 * math.pi / length), low[1], high[1])


def places(cumulants: Callable[[float], Cumulants], goal: Goal) -> list[tuple[Goal, Period]]:
    r"""The saddle with its period; before it a tilt to the left that shortens it, where there is a much better one.

    Next to where K explodes the copies from above ask for a long period, and those from below for a short one. At the
    tilt $t$ they ask for $A_\tau/(\tau-t)$ and $A_0/t$ with what is `aliased` at τ; both are $(A_\tau+A_0)/\tau$ at
    the tilt $\tau A_0/(A_\tau+A_0)$, and the τ with the least of these is sought among those that were looked at.
    There the terms of the line are a little larger than at the saddle, as far as their rounding allows.
    """
    seen: dict[float, Cumulants] = {}

    def remembered(tau: float) -> Cumulants:
        return seen[tau] if tau in seen else seen.setdefault(tau, cumulants(tau))

    period, start, below = choose_period(remembered, goal), goal.saddle.tilt, goal.aliased(0.0, 0.0) + SPARE
    sizes = {tau: goal.aliased(tau, k.value) + SPARE for tau, k in seen.items() if tau > start}
    length, high = min(((below + size) / tau, tau) for tau, size in sizes.items() if math.isfinite(size))
    if WORTH * length > period.length:
        return [(goal, period)]
    most = max(math.log(0.1 * goal.relative / ROUNDED), goal.cancellation)
    for share in MOVES:
        tilt = start + share * (below / length - start)
        moved = replace(goal, saddle=goal.saddle._replace(tilt=tilt, cumulants=cumulants(tilt)))
        if moved.cancellation <= most:
            longer = max(below / tilt, sizes[high] / (high - tilt))
            return [(moved, Period(short(2.0 * math.pi / longer), 0.0, high)), (goal, period)]
    return [(goal, period)]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The total tilted law on one line."""

    tilt: float
    period: Period
    parts: Sequence[TiltedSum]
    low: Alias
    high: Alias

    @property
    def spacing(self) -> float:
        """The distance of neighbouring frequencies."""
        return self.period.spacing

    @property
    def log_moment(self) -> tuple[float, float]:
        """K(t) of the sum and a bound on its error."""
        terms = [p.log_moment for p in self.parts]
        error = sum(p.log_moment_error for p in self.parts)
        return math.fsum(terms), error + UNIT_ROUNDOFF * abs(math.fsum(terms))

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the sum and a bound on its error."""
        terms = [p.centre for p in self.parts]
        error = sum(p.centre_error for p in self.parts)
        return math.fsum(terms), error + UNIT_ROUNDOFF * abs(math.fsum(terms))

    def log_decay(self, frequencies: Floats, enough: float = -math.inf) -> Floats:
        r"""Upper bounds on $\ln|\varphi|$ at and beyond each frequency; at the first, `enough` will do."""
        total = np.zeros(frequencies.shape)
        for part in self.parts:
            total = total + part.log_decay(frequencies)
            if total[0] <= enough:
                break
        return total

    def log_bound(self, indices: Integers, enough: Floats) -> Floats:
        """A cheap bound at each frequency; no lower than `enough` is asked for."""
        total, open_ones = np.zeros(indices.shape), np.arange(indices.size)
        for part in self.parts:
            total[open_ones] += part.log_bound(self.spacing, indices[open_ones])
            open_ones = open_ones[total[open_ones] > enough[open_ones]]
            if not open_ones.size:
                break
        return total

    def reaching(self, reach: float, goal: Goal, steps: int) -> Spectrum:
        """The same, its quadratures laid for frequencies up to another reach."""
        error = quadrature_error(goal, steps)
        return replace(self, parts=[part.reaching(reach, error) for part in self.parts])

    def logarithm(self, indices: Integers) -> Logarithm:
        """The logarithm of the characteristic function, with its error."""
        modulus, phase, error, size = (np.zeros(indices.shape) for _ in range(4))
        for part in self.parts if indices.size else ():
            m, p, e = part.logarithm(self.spacing, indices)
            modulus, phase, error = modulus + m, phase + p, error + e
            size = size + np.abs(m) + np.abs(p)
        error = error + UNIT_ROUNDOFF * len(self.parts) * size
        return Logarithm(modulus, phase, error)


def build_spectrum(summands: Sequence[LossSum], goal: Goal, chosen: Period | None = None) -> Spectrum:
    """Certify the moments at the tilt and on both sides of it."""
    period = chosen or choose_period(total_cumulants(summands), goal)
    steps = max(sum(s.steps for s in summands), 1)
    t = goal.saddle.tilt

    laid = tilt_all(summands, goal, goal.reach)

    def side(tau: float) -> Alias:
        parts = [_beside(*each, tau, 1e-3 / steps) for each in zip(summands, laid, strict=True)] if tau > 0.0 else []
        log_moment = math.fsum(p.log_moment + p.log_moment_error for p in parts)
        return Alias(log_alias(tau, log_moment + LIBM * abs(log_moment), abs(t - tau), period.length), tau)

    spectrum = Spectrum(t, period, laid, side(period.low), side(period.high))
    if not math.isfinite(sum(spectrum.log_moment) + spectrum.low.constant + spectrum.high.constant):
        raise OutOfReach
    return spectrum


def _beside(summand: LossSum, laid: TiltedSum, tilt: float, error: float) -> TiltedSum:
    """The law at a tilt whose moment alone is asked for: by what was laid elsewhere, if that serves."""
    found = laid.beside(tilt)
    return found if found is not None and found.log_moment_error < BLURRED else summand.tilted(tilt, 0.0, error)


def tilt_all(summands: Sequence[LossSum], goal: Goal, reach: float) -> Sequence[TiltedSum]:
    """Every summand at the saddle, its quadrature error small even after as many steps as there are."""
    error = quadrature_error(goal, sum(s.steps for s in summands))
    return [s.tilted(goal.saddle.tilt, reach, error) for s in summands]


def quadrature_error(goal: Goal, steps: int) -> float:
    """The error that so many steps allow to each."""
    return min(1e-16, 0.01 * goal.relative / max(steps, 1))
