r"""Which line to invert on: nothing here is certified but the two bounds that say so, on `Work.lost` and
`Line.frequencies`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb, fmpq
from scipy.special import log_ndtr
from step_law import STIFFNESS, Decay, Step, Tilted

MOST_FREQUENCIES = 100_000
NATS = 33.0
"""Each error is made smaller than e^-NATS of δ, about 5e-15."""


class OutOfReach(Exception):
    """The line would take too many frequencies or nodes."""


def exactly(x: Fraction) -> arb:
    """The ball around a fraction."""
    return arb(fmpq(x.numerator, x.denominator))


@dataclass(frozen=True)
class Work:
    """So many steps, one order of the neighbours, and ε."""

    rate: Fraction
    noise_std: Fraction
    count: int
    side: int
    epsilon: Fraction
    cut: float = math.inf
    """Where the law of a step is trimmed."""

    @cached_property
    def step(self) -> Step:
        """One step, in floats."""
        return Step(float(self.rate), float(self.noise_std), self.side, self.cut)

    def lost(self) -> arb:
        r"""$k\int(1-\chi)dP$, by which trimming may lower δ."""
        if not math.isfinite(self.cut):
            return arb(0)
        q, scale = exactly(self.rate), exactly(self.noise_std) * (2 * (1 + 1 / arb(STIFFNESS))).sqrt()
        tails = (1 - q) * (arb(self.cut) / scale).erfc() + q * ((arb(self.cut) - 1) / scale).erfc()
        return self.count * tails / 2

    def exponent(self, tilt: float) -> float:
        r"""$k K(t)-t\varepsilon$, in floats."""
        return self.count * Tilted(self.step, tilt).log_moment - tilt * float(self.epsilon)


def saddle(work: Work) -> tuple[float, float]:
    r"""The least of $e^{kK(t)-t\varepsilon}/(t(t+1))$ over $t$, by bisection in $\ln t$; and the deviation there."""
    low, high = -16.0, 18.0
    epsilon = float(work.epsilon)
    for _ in range(24):
        middle = 0.5 * (low + high)
        t = math.exp(middle)
        try:
            _, mean, _ = Tilted(work.step, t, 40.0).cumulants
            over = work.count * mean - epsilon - 1.0 / t - 1.0 / (1.0 + t) > 0.0
        except OverflowError:
            over = True
        low, high = (low, middle) if over else (middle, high)
    t = math.exp(low)
    variance = work.count * Tilted(work.step, t, 40.0).cumulants[2] + t**-2 + (1.0 + t) ** -2
    return t, math.sqrt(variance)


@dataclass(frozen=True)
class Line:
    """Where to integrate; `nats` is how far below the largest term every error must lie."""

    work: Work
    tilt: float
    deviation: float
    nats: float

    @cached_property
    def log_height(self) -> float:
        r"""$kK(t)-t\varepsilon$."""
        return self.work.exponent(self.tilt)

    @cached_property
    def law(self) -> Tilted:
        """One step on this line."""
        return Tilted(self.work.step, self.tilt, self.nats_of_a_step + 10.0)

    @cached_property
    def nats_of_a_step(self) -> float:
        """An error in one step is carried k-fold."""
        return self.nats + math.log(self.work.count) + 3.0

    @cached_property
    def sides(self) -> tuple[tuple[float, float], float, float]:
        r"""The tilts $\tau_1 < t < \tau_2$ that bound what is folded, the period, the spacing; $\tau_1 = 0$: δ ≤ 1."""
        t, aim = self.tilt, self.log_height - self.nats - 2.0
        lower, upper = (-aim / t, 0.0), (math.inf, 0.0)
        for shift in np.geomspace(0.4, 50.0, 14) / self.deviation:
            if shift < 0.98 * t:
                lower = min(lower, ((self._log_top(t - shift) - aim) / shift, t - shift))
            try:
                upper = min(upper, ((self._log_top(t + shift) - aim) / shift, t + shift))
            except OverflowError:
                break
        width = max(lower[0], upper[0], 1e-300)
        return (lower[1], upper[1]), width, 2.0 * math.pi / width

    def _log_top(self, tau: float) -> float:
        return self.work.exponent(tau) + tau * math.log(tau) - (1.0 + tau) * math.log1p(tau)

    @cached_property
    def frequencies(self) -> tuple[int, float]:
        r"""How many frequencies; and $W\rho^k/2\pi^2M$, which bounds the others relative to the height."""
        _, width, spacing = self.sides
        decay = Decay(Tilted(self.work.step, self.tilt, 120.0))

        def log_rest(count: int) -> float:
            rho = decay.log_bound(count * spacing)
            return self.work.count * rho + math.log(width / (2.0 * math.pi**2 * count))

        high = 12
        while log_rest(high) > -self.nats:
            high = 2 * high
            if high > MOST_FREQUENCIES:
                raise OutOfReach(f"more than {MOST_FREQUENCIES} frequencies")
        low = high // 2
        while high - low > max(1, high // 12):
            middle = (low + high) // 2
            low, high = (low, middle) if log_rest(middle) <= -self.nats else (middle, high)
        return high, math.exp(log_rest(high)) * 1.01


def trimmed(work: Work, log_delta: float) -> Work:
    r"""Cut where about $10^{-14.5}$ of a δ of that size is lost; short, so that nothing is rounded later."""
    if work.side < 0:
        return work
    q, sigma = float(work.rate), float(work.noise_std)
    scale = sigma * math.sqrt(1.0 + 1.0 / STIFFNESS)
    aim = log_delta - 33.5 - math.log(work.count)
    low, high = 0.0, 1.0 + scale * (2.0 + math.sqrt(-2.0 * aim))
    for _ in range(50):
        cut = 0.5 * (low + high)
        over = max(float(log_ndtr(-cut / scale)), math.log(q) + float(log_ndtr((1.0 - cut) / scale))) > aim
        low, high = (cut, high) if over else (low, cut)
    return replace(work, cut=float(np.float32(high)))


def guessed(work: Work, log_delta: float = -20.0) -> tuple[Work, float]:
    """The work, trimmed in step with what the saddle says of ln δ, and that."""
    for _ in range(8):
        work = trimmed(work, log_delta)
        t, deviation = saddle(work)
        before, log_delta = log_delta, min(work.exponent(t) - math.log(t * (1.0 + t) * deviation * 2.507), -0.1)
        if abs(log_delta - before) < 1.0:
            break
    return work, log_delta


def cheapest(work: Work, log_delta: float, away: float) -> Line:
    """Near the saddle; or lower, where a few large losses rule and the tilted law has two humps at the saddle."""
    t, deviation = saddle(work)
    lines: list[tuple[int, Line]] = []
    for tilt in (max(t + away / deviation, 0.4 * t), t - 0.7 / deviation, 0.96 * t, 0.88 * t):
        if tilt < 0.3 * t:
            continue
        short = float(np.float32(tilt))
        law = Tilted(work.step, short, 40.0)
        deviation = math.sqrt(work.count * law.cumulants[2] + short**-2 + (1.0 + short) ** -2)
        line = Line(work, short, deviation, NATS + max(work.exponent(short) - log_delta, 0.0) + 1.0)
        try:
            lines.append((line.frequencies[0], line))
        except OutOfReach:
            continue
        if lines[-1][0] < 8000:
            break
    if not lines:
        raise OutOfReach(f"more than {MOST_FREQUENCIES} frequencies")
    return min(lines, key=lambda pair: pair[0])[1]
