r"""Sums of independent two-point variables, enclosed to about twelve digits at any size.

`S` is the sum of `k = count` independent variables worth `+x` or `-x`, `x = step`, `P(+x) = e^x/(1+e^x)`.
It is worth `s_l = (k-2l)x` with probability `w_l = C(k,l) e^{-lx} / (1+e^{-x})^k`, and (Kairouz, Oh and
Viswanath 2015, Theorem 3.3, read at any level)

    delta(t) = E[(1 - e^{t-S})_+] = sum_{l<m} w_l (1 - e^{t-s_l}),        m = #{l : s_l > t}.

**Segments.** Between `s_m` and `s_{m-1}` the profile is one straight line in `e^t`. Walking down from
`l = m-1`, with `c_i = w_{m-1-i}/w_{m-1}`, `z = e^{-2x}` and `theta = s_{m-1} - t`, every term is positive:

    delta(t) = w_{m-1} (Y + (1-e^{-theta}) Z),     Y = sum c_i (1-z^i),     Z = sum c_i z^i,
    1 - delta(t) = P(S <= s_m) + w_{m-1} e^{-theta} Z,

so either side of the profile keeps its *relative* accuracy. The profile is convex in `e^t`, hence the line of
any segment lies below it: the root of any line is a sound lower end of the inverse, and an upper end as soon
as it is seen to lie in its own segment. Searches only choose a segment.

Each sum is a positive chain (see `chain`, which states the float error model).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dpcompose.numerics.chain import Flat, RatioChain, Rising
from dpcompose.numerics.enclosure import ZERO, Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.special import ndtri_exp

_GAP = 1e-13  # what refinement in balls aims at
_MOST_BITS = 6000
_PATIENCE = 12  # Newton steps before bisection takes over


def two_point_delta(count: int, step: Real, level: Real) -> Enclosure:
    r"""$E[(1-e^{t-S})_+]$ at the level $t \ge 0$, to a relative gap of about 1e-12."""
    step, level = Fraction(step), Fraction(level)
    if step == 0 or level >= count * step:
        return ZERO
    index = -((level - count * step) // (2 * step))
    bits = _bits(count)
    while True:
        with ctx.workprec(bits):
            segment = _segment(count, step, index)
            found = _clipped(Enclosure.of(segment.value(level)), 1.0)
        if found.gap <= _GAP or found.upper <= math.ulp(0.0) or not segment.refinable or bits > _MOST_BITS:
            return found
        bits *= 2


def two_point_epsilon(count: int, step: Real, mass: Enclosure) -> Enclosure:
    r"""The least $t \ge 0$ with $E[(1-e^{t-S})_+] \le d$, for every $d$ in `mass`.

    The answer falls as `d` grows: the lower end comes from `mass.upper`, the upper end from `mass.lower`.
    """
    step = Fraction(step)
    least = _inverse(count, step, mass.upper)
    most = least if mass.lower == mass.upper else _inverse(count, step, mass.lower)
    return Enclosure(least.lower, most.upper)


def two_point_tails(count: int, step: Real) -> list[tuple[Enclosure, Enclosure]]:
    r"""The pairs $(P[\mathrm{Bin}(k,p)<j],\ P[\mathrm{Bin}(k,q)\ge j])$, $j = 0..k+1$, for $p/q = e^x$, $p+q=1$.

    Both are upper tails of $\mathrm{Bin}(k,q)$, added up from the small end, in time linear in `count`.
    """
    with ctx.workprec(_bits(count)):
        factor = (-ball(step)).exp()
        weights = [_weight(count, Fraction(step), 0)]
        for i in range(count):
            weights.append(weights[-1] * factor * (count - i) / (i + 1))
        total, tails = arb(0), [ZERO]
        for weight in reversed(weights):
            total += weight
            tails.append(_clipped(Enclosure.of(total), 1.0))
    tails[-1] = Enclosure(1.0, 1.0)
    return list(zip(tails, reversed(tails), strict=True))


@dataclass(frozen=True, slots=True)
class _Upper:
    """The line of one segment, seen from above: `delta = rest + (1-e^{t-top}) share`."""

    top: Fraction
    rest: Ball
    share: Ball
    refinable: bool

    def value(self, level: Fraction) -> Ball:
        return self.rest - ball(level - self.top).expm1() * self.share

    def slope(self, level: Fraction) -> Ball:
        return ball(level - self.top).exp() * self.share

    def root(self, mass: float, near: Fraction) -> Enclosure:
        """Where the line meets `mass`: `near + ln(1 + (delta(near) - mass)/slope(near))`."""
        return _shifted_log1p(near, (self.value(near) - mass) / self.slope(near))

    def guess(self, mass: float, width: Fraction) -> float:
        """Where the profile should meet `mass`, were it as steep as this segment is on average."""
        bottom = self.top - width
        value, fall = self.value(bottom), -(-ball(width)).expm1() * self.share / ball(width)
        return float(ball(bottom)) + _normal_step(value, arb(mass), fall / value)


@dataclass(frozen=True, slots=True)
class _Lower:
    """The same line seen from below: `1 - delta = below + e^{t-top} share`."""

    top: Fraction
    below: Ball
    share: Ball
    refinable: bool

    def value(self, level: Fraction) -> Ball:
        return 1 - self.below - ball(level - self.top).exp() * self.share

    def slope(self, level: Fraction) -> Ball:
        return ball(level - self.top).exp() * self.share

    def root(self, mass: float, near: Fraction) -> Enclosure:
        """Where the line meets `mass`: `near + ln(1 + (1 - mass - (1 - delta(near)))/slope(near))`."""
        slope = self.slope(near)
        return _shifted_log1p(near, (1 - arb(mass) - self.below - slope) / slope)

    def guess(self, mass: float, width: Fraction) -> float:
        """Where the profile should meet `mass`, were it as steep as this segment is on average."""
        bottom = self.top - width
        value, rise = self.below + self.slope(bottom), -(-ball(width)).expm1() * self.share / ball(width)
        return float(ball(bottom)) - _normal_step(value, 1 - arb(mass), rise / value)


def _segment(count: int, step: Fraction, index: int) -> _Upper | _Lower:
    """The segment `s_m <= t <= s_{m-1}`, `m = index`; from whichever side has no cancellation."""
    top = (count - 2 * index + 2) * step
    weight = _weight(count, step, index - 1)
    down = RatioChain(index - 1, count - index + 2, -step)
    share = weight * down.total(Flat())
    if index - 1 <= _mode_and_spread(count, step):
        rising = RatioChain(index - 1, count - index + 2, step)
        return _Upper(top, weight * rising.total(Rising(2 * step)), share, down.short and rising.short)
    up = RatioChain(count - index, index + 1, -step)
    first = weight * (-ball(step)).exp() * (count - index + 1) / index
    return _Lower(top, first * up.total(Flat()), share, down.short and up.short)


def _mode_and_spread(count: int, step: Fraction) -> float:
    """The likeliest `l` plus two standard deviations: beyond it most of the mass lies above the segment."""
    q = 1 / (1 + math.exp(float(min(step, Fraction(700)))))
    return math.floor((count + 1) * q) + 2 * math.sqrt(count * q)


def _weight(count: int, step: Fraction, i: int) -> Ball:
    """`w_i = C(k,i) e^{-ix} / (1+e^{-x})^k`."""
    x = ball(step)
    log_choose = arb(count + 1).lgamma() - arb(i + 1).lgamma() - arb(count - i + 1).lgamma()
    return (log_choose - i * x - count * (-x).exp().log1p()).exp()


def _inverse(count: int, step: Fraction, mass: float) -> Enclosure:
    """The least `t >= 0` with `delta(t) <= mass`: the greatest of the roots of all lines."""
    end = count * step
    if mass <= 0:
        return Enclosure.exactly(end)
    if mass >= 1 or 4 * Fraction(mass) ** 2 >= count * step**2:  # Pinsker: delta(0) <= step sqrt(count) / 2
        return ZERO
    lower, upper = Fraction(0), end
    first, last = 1, (count + 1) // 2
    near, rounds = _saddle_level(count, step, mass), 0
    while first <= last:
        rounds += 1
        index = min(max(-((near - end) // (2 * step)), first), last)
        top, bottom = (count - 2 * index + 2) * step, (count - 2 * index) * step
        near = min(max(near, bottom), top)
        root, guess = _line_root(count, step, index, mass, near)
        lower = max(lower, _finite(root.lower, lower))
        if root.upper < bottom:
            first, upper = index + 1, min(upper, max(bottom, Fraction(0)))
        elif root.upper <= top:
            upper = min(upper, max(_finite(root.upper, top), Fraction(0)))
            break
        else:
            last = index - 1
        near = _next_level(guess, rounds, end - (first + last) * step)
    return Enclosure(Enclosure.exactly(min(lower, upper)).lower, Enclosure.exactly(upper).upper)


def _line_root(count: int, step: Fraction, index: int, mass: float, near: Fraction) -> tuple[Enclosure, float]:
    """The root of one segment's line, refined as far as its chains allow, and where to look next."""
    bits = _bits(count)
    while True:
        with ctx.workprec(bits):
            segment = _segment(count, step, index)
            root = segment.root(mass, near)
            if root.gap <= _GAP or not segment.refinable or bits > _MOST_BITS:
                return root, segment.guess(mass, 2 * step)
        bits *= 2


def _next_level(guess: float, rounds: int, middle: Fraction) -> Fraction:
    """Newton's guess; the middle of what is left when Newton has no guess, or has had chances enough."""
    return Fraction(guess) if math.isfinite(guess) and rounds < _PATIENCE else middle


def _saddle_level(count: int, step: Fraction, mass: float) -> Fraction:
    r"""A guess for the inverse: the saddle point approximation, in floats.

    With $K(\tau) = k \ln(\cosh((\tau+\frac12)x)/\cosh(\frac x2))$, the level $t = K' - 1/\tau - 1/(1+\tau)$
    has $\ln\delta \approx K - \tau t - \ln(1+\tau) - \frac12\ln 2\pi v$, $v = \tau^2 K'' + 1 + (\tau/(1+\tau))^2$.
    """
    try:
        x, target = float(step), math.log(mass)
        log_tilt, level = -math.log(x) - 0.5 * math.log(count), 0.0
        for _ in range(40):
            tilt = math.exp(log_tilt)
            phi = (tilt + 0.5) * x
            thrust = math.tanh(phi)
            v = count * (tilt * x / math.cosh(min(phi, 300.0))) ** 2 + 1 + (tilt / (1 + tilt)) ** 2
            level = count * x * thrust - 1 / tilt - 1 / (1 + tilt)
            value = count * (_log_cosh(phi) - _log_cosh(x / 2)) - tilt * level - math.log1p(tilt)
            miss = value - 0.5 * math.log(2 * math.pi * v) - target
            if abs(miss) < 1e-3:  # a guess need not be better
                break
            log_tilt += min(max(miss / v, -2.0), 2.0)
        return Fraction(level)
    except (ArithmeticError, ValueError):
        return count * step if step > 1 else count * step / 2  # beyond the floats: hardly ever -step, or as often


def _normal_step(value: Ball, target: Ball, fall: Ball) -> float:
    r"""Newton's step towards `target` on the scale $\Phi^{-1}$, where profiles are nearly straight."""
    log_value, log_target = float(value.mid().log()), float(target.mid().log())
    here = float(ndtri_exp(log_value))
    mills = math.exp(min(log_value + here * here / 2, 700.0)) * math.sqrt(2 * math.pi)
    pace = float(fall.mid()) * mills
    return (here - float(ndtri_exp(log_target))) / pace if pace else math.nan


def _log_cosh(y: float) -> float:
    return y + math.log1p(math.exp(-2 * y)) - math.log(2)


def _bits(count: int) -> int:
    """Enough for fifty good bits of a weight: the logarithms that cancel are about `k ln k`."""
    return 72 + 2 * count.bit_length()


def _shifted_log1p(origin: Fraction, x: Ball) -> Enclosure:
    """`origin + ln(1+x)`, end by end: minus infinity where `1+x` is, or may be, no longer positive."""
    if not x.is_finite():
        return Enclosure(-math.inf, math.inf)
    low, high = x.lower(), x.upper()
    lower = Enclosure.of(ball(origin) + low.log1p()).lower if low > -1 else -math.inf
    return Enclosure(lower, Enclosure.of(ball(origin) + high.log1p()).upper if high > -1 else -math.inf)


def _clipped(found: Enclosure, most: float) -> Enclosure:
    """What lies between 0 and `most` anyway."""
    return Enclosure(min(max(found.lower, 0.0), most), max(min(found.upper, most), 0.0))


def _finite(end: float, otherwise: Fraction) -> Fraction:
    """An end of an enclosure as an exact number."""
    return Fraction(end) if math.isfinite(end) else otherwise


__all__ = ["two_point_delta", "two_point_epsilon", "two_point_tails"]
