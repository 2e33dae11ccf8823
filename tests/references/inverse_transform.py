r"""δ of many Gaussians on Poisson samples, in balls: the Laplace transform of the profile, inverted on a line.

With $M(z) = m(s)^k$ (see `step_law`) and $W = 2\pi/\Delta$, for every $t>0$

$$\frac{e^{-t\varepsilon}}{W}\sum_{m\in\mathbb Z}\frac{M(z_m)}{z_m(z_m+1)}e^{-iu_m\varepsilon}
  = \sum_{n\in\mathbb Z}e^{tnW}\delta(\varepsilon+nW),\qquad u_m = m\Delta,\ z_m = t+iu_m.$$

How this differs from the engine, with which it shares no code: the line is moved away from the saddle on purpose; the
law is not split; steps are integrated along a path *above* the real axis, where $|X^{iv}|\le1$, so that one set of
nodes serves every frequency; the decay comes from deforming that path; and all values are balls, of as many digits as
cancel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from flint import acb, acb_mat, arb, ctx
from line_choice import Line, OutOfReach, Work, cheapest, exactly, guessed, saddle, trimmed
from step_law import STIFFNESS, Tilted

MOST_NODES = 12_000
MOST_TERMS = 8_000_000


class NotSharp(OutOfReach):
    """More digits cancelled than were expected."""


def radius(bound: float) -> arb:
    """A ball around 0 that holds everything up to a float."""
    return arb(0, bound)


class Moments:
    r"""$m(r+iv)$ in balls, by the trapezoid rule on $x+iy_0$."""

    def __init__(self, work: Work, law: Tilted, nats: float) -> None:
        height, base, spacing = law.best_strip(nats)
        self.spacing, self.base = self._short(spacing), self._short(base)
        first, last, outside = law.range(-nats, self.spacing, self.base)
        nodes = math.ceil((last - first) / self.spacing) + 1
        if nodes > MOST_NODES:
            raise OutOfReach(f"{nodes} nodes")
        down = math.exp(-2.0 * math.pi * self.base / self.spacing)
        up = math.exp(-2.0 * math.pi * (height - self.base) / self.spacing) * law.strip(height)
        self.relative = ((down + up) * 1.01 + outside) * 1.01
        start = self._short(first)
        q, variance = exactly(work.rate), exactly(work.noise_std) ** 2
        scale = arb(self.spacing) / (2 * arb.pi() * variance).sqrt()
        r = 1 + arb(law.tilt) if work.side > 0 else -arb(law.tilt)
        stiff = (arb(STIFFNESS) / (2 * variance)).sqrt()
        self.logs: list[acb] = []
        self.weights: list[acb] = []
        for j in range(nodes):
            x = acb(arb(start) + j * arb(self.spacing), arb(self.base))
            log_ratio = (1 - q + q * ((x - arb(0.5)) / variance).exp()).log()
            self.logs.append(log_ratio)
            weight = scale * (r * log_ratio - x * x / (2 * variance)).exp()
            if math.isfinite(work.cut):
                weight *= ((x - arb(work.cut)) * stiff).erfc() / 2
            self.weights.append(weight)

    @staticmethod
    def _short(x: float) -> float:
        """Rounded down to 20 bits, so that multiples stay short."""
        mantissa, exponent = math.frexp(x)
        return math.ldexp(math.floor(mantissa * 2**20), exponent - 20)

    def real(self) -> arb:
        """m(r): the frequency 0."""
        value = sum(self.weights, acb(0)).real
        return value * (1 + radius(2.0 * self.relative))  # the error is relative to m itself

    def along(self, spacing: arb, count: int) -> Iterator[acb]:
        """At the frequencies 1 … count times `spacing`, by a product of two short tables."""
        block = max(1, math.isqrt(count) + 1)
        rows = count // block + 1
        if rows * block * len(self.logs) > MOST_TERMS:
            raise OutOfReach(f"{rows * block * len(self.logs)} terms")
        turns = [acb(0, 1) * spacing * value for value in self.logs]
        fine = acb_mat(len(turns), block, [(m * turn).exp() for turn in turns for m in range(block)])
        coarse = acb_mat(
            rows,
            len(turns),
            [w * (m * block * turn).exp() for m in range(rows) for w, turn in zip(self.weights, turns, strict=True)],
        )
        table = coarse * fine
        error = radius(float((self.real().abs_upper() * (2.0 * self.relative)).upper()) * (1 + 1e-9))
        for m in range(1, count + 1):
            yield table[m // block, m % block] + acb(error, error)


def delta_on_line(line: Line) -> arb:
    """A ball around δ(ε)."""
    work, t = line.work, line.tilt
    (tau_low, tau_high), width, _ = line.sides
    count, rest = line.frequencies
    moments = Moments(work, line.law, line.nats_of_a_step)
    epsilon, tilt, spacing = exactly(work.epsilon), arb(t), 2 * arb.pi() / arb(width)
    top = moments.real()
    height = (work.count * top.log() - tilt * epsilon).exp()
    total = height / (tilt * (tilt + 1))
    for m, moment in enumerate(moments.along(spacing, count), 1):
        z = acb(tilt, m * spacing)
        if work.side > 0:
            term = _power(moment, work.count, z * epsilon)
        else:  # m(-z) is the conjugate of m(-t+iu)
            term = _power(moment.conjugate(), work.count, z * epsilon)
        total += 2 * (term / (z * (z + 1))).real
    value = total / arb(width) + height * radius(rest)
    folded = _folded(work, tilt, tau_low, width) + _folded(work, tilt, tau_high, width)
    low, high = value.lower() - folded.upper(), value.upper() + work.lost().upper()
    return low.union(high)


def _power(moment: acb, count: int, shift: acb) -> acb:
    r"""$m^ke^{-z\varepsilon}$."""
    if moment.contains(0):
        size = (moment.abs_upper().log() * count - shift.real).exp().upper()
        return acb(arb(0, 1) * size, arb(0, 1) * size)
    return (count * moment.log() - shift).exp()


def _most(x: arb) -> arb:
    r"""$c(\tau) = \tau^\tau/(1+\tau)^{1+\tau}$, the largest value of $e^{-\tau y}(1-e^{-y})$."""
    return (x * x.log() - (1 + x) * (1 + x).log()).exp()


def _folded(work: Work, tilt: arb, tau: float, width: float) -> arb:
    r"""$\sum e^{tnW}\delta(\varepsilon+nW)$ for $n$ of one sign: $\delta(y)\le c(\tau)M(\tau)e^{-\tau y}$, or 1."""
    apart = abs(tilt - arb(tau)) * arb(width)
    series = (-apart).exp() / -(-apart).expm1()
    if tau == 0.0:
        return series
    law, x = Tilted(work.step, tau, 60.0), arb(tau)
    moment = Moments(work, law, 25.0 + math.log(work.count)).real()
    return _most(x) * (work.count * moment.log() - x * exactly(work.epsilon)).exp() * series


def delta(work: Work, away: float) -> arb:
    """δ(ε) of one order; the line stands `away` standard deviations of the tilt from the saddle."""
    if is_beyond(work):
        return arb(0)
    try:
        try:
            return _delta(*guessed(work), away)
        except NotSharp:
            if work.side < 0:
                raise
            return _delta(work, -20.0, away)
    except OverflowError as reason:
        raise OutOfReach(str(reason)) from reason


def is_beyond(work: Work) -> bool:
    r"""An added record never costs more than $k\ln\frac1{1-q}$."""
    return work.side < 0 and exactly(work.epsilon) > -work.count * (-exactly(work.rate)).log1p()


def at_most(work: Work) -> arb:
    r"""A quick upper bound, $c(\tau)M(\tau)e^{-\tau\varepsilon}$ near the saddle."""
    if is_beyond(work):
        return arb(0)
    best, t = arb(1), saddle(work)[0]
    for tau in (t, t / 4, t / 16):
        try:
            law, x = Tilted(work.step, tau, 60.0), arb(tau)
            moment = Moments(work, law, 25.0 + math.log(work.count)).real()
        except (OverflowError, OutOfReach):
            continue
        bound = _most(x) * (work.count * moment.log() - x * exactly(work.epsilon)).exp()
        best = min(best, bound.upper(), key=float)
    return best


def _delta(work: Work, log_delta: float, away: float) -> arb:
    for _ in range(3):
        line = cheapest(work, log_delta, away)
        with ctx.workprec(int(1.4427 * (line.nats_of_a_step + 60.0)) + 60):
            found = delta_on_line(line)
            if found > 0 and found.rad() < 1e-13 * found.mid():
                return found
            log_delta = float(found.mid().log()) - 1.0 if found > 0 else log_delta - 40.0
        work = trimmed(work, log_delta) if math.isfinite(work.cut) else work
    raise NotSharp("no line was sharp enough")
