r"""δ of Gaussians on Poisson samples where a few large losses decide: polynomials with integer coefficients.

One step lies between two laws on a geometric lattice (`polylines`); $k$ of them have the $k$-th powers of the two
polynomials $\sum v_jz^j$, cut off where the product of ratios exceeds $c$. The powers are found by repeated squaring,
each product exact and then rounded down, or up, to multiples of $2^{-b}$. No Fourier transform of floats, no tilt.

Coefficients at either end that add up to next to nothing are dropped. A lower bound stays one. For an upper one, what
was dropped is remembered: if $V+R$ is the whole, $W$ another factor and $S$ dropped from it, all non-negative and of
masses $v, r, w, s$, then the mass of $(V+R)(W+S)-VW$ is $r(w+s)+vs$; and a mass of $r$ adds at most $rc$ to
$E(c-Y)_+$.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import arb, ctx, fmpz, fmpz_poly
from inverse_transform import is_beyond
from line_choice import OutOfReach, Work
from polylines import Lattice, OneStep, chords, exactly, tangents
from scipy.special import log_ndtr
from tangent_choice import Shape, touching

SPARE = 80
"""Bits kept below δ."""
SCOUT, MOST_CELLS, MOST_COEFFICIENTS = 1 << 10, 1 << 13, 1 << 15
NARROW, WIDEST = 1e-5, 1e-2
"""The relative width that is aimed at, and the largest that is useful."""


class TooLong(OutOfReach):
    """More points than can be afforded, and how many times more."""

    def __init__(self, points: float, most: int) -> None:
        super().__init__(f"{points:.0f} points")
        self.times = points / most


@dataclass(frozen=True)
class Cut:
    """The span of a cell, as a logarithm; the bits; what is set aside may weigh e^log_spare in all."""

    span: float
    bits: int
    log_spare: float

    @property
    def unit(self) -> fmpz:
        """The mass 1."""
        return fmpz(1) << self.bits

    @property
    def tiny(self) -> fmpz:
        """What may be dropped, in units of 2^-bits."""
        return fmpz(int(Fraction(2) ** (self.bits + math.floor(1.4427 * self.log_spare) - 6)))


@dataclass(frozen=True)
class Window:
    """Coefficients from a power of z on, and at most the mass of all others that matter."""

    series: fmpz_poly
    start: int
    lost: fmpz

    def times(self, other: Window, limit: int, cut: Cut, over: int) -> Window:
        """The product up to z^limit, rounded down and raised by `over` units."""
        start = self.start + other.start
        length = max(min(self.series.length() + other.series.length() - 1, limit - start), 0)
        series = self.series.mul_low(other.series, length) // cut.unit + fmpz_poly([over] * length)
        mass, more = self.series(1), other.series(1)
        lost = (self.lost * (more + other.lost) + mass * other.lost) // cut.unit + 1
        return Window(series, start, lost)

    def without(self, tiny: fmpz) -> Window:
        """Both ends dropped, as far as each adds up to so little."""
        values = self.series.coeffs()
        first, below = _faint(values, tiny)
        last, above = _faint(values[:first:-1], tiny)
        kept = values[first : len(values) - last]
        return Window(fmpz_poly(kept), self.start + first, self.lost + below + above)


def _faint(values: Sequence[fmpz], tiny: fmpz) -> tuple[int, fmpz]:
    """How many at the beginning add up to no more than that; and to what."""
    total = fmpz(0)
    for index, value in enumerate(values):
        if total + value > tiny:
            return index, total
        total += value
    return len(values), total


def power(weights: Sequence[fmpz], count: int, limit: int, cut: Cut, over: int) -> Window:
    """All steps: an upper bound on every coefficient if `over` is 1, a lower one if it is 0."""
    base = found = Window(fmpz_poly(list(weights[:limit])), 0, fmpz(0)).without(cut.tiny // count)
    steps = 1
    for digit in bin(count)[3:]:
        found = found.times(found, limit, cut, over)
        steps *= 2
        if digit == "1":
            found = found.times(base, limit, cut, over)
            steps += 1
        found = found.without(cut.tiny * steps // count)
        expected = found.series.length() * math.sqrt(count / steps)
        if found.series.length() > MOST_COEFFICIENTS or expected > 4 * MOST_COEFFICIENTS:
            raise TooLong(expected, MOST_COEFFICIENTS)
    return found


def composed(law: Lattice, count: int, c: arb, cut: Cut, over: int) -> arb:
    r"""$\sum V_J(c-c_0^kr^J)_+$, and what was dropped if that counts."""
    limit = max(math.ceil(float(c.log() - count * law.first.log()) / cut.span) + 1, 0)
    if over and not law.first**count * law.ratio**limit > c:
        raise OutOfReach("the lattice is too short")
    found = power(law.weights, count, limit, cut, over)
    total, point = arb(0), law.first**count * law.ratio**found.start
    for weight in found.series.coeffs():
        total += arb(weight) * (c - point).max(arb(0))
        point *= law.ratio
    return (total + over * found.lost * c) / arb(cut.unit)


def put_above(work: Work, c: arb, cut: Cut) -> arb:
    r"""At least $E(c-Y)_+$."""
    step = OneStep(work.rate, work.noise_std)
    first, last = _range(work, step, c, cut)
    ratio, aside = arb(cut.span).exp(), work.count * c * step.put(first)[1]
    return composed(chords(step, first, ratio, _cells(first, last, cut), cut.bits), work.count, c, cut, 1) + aside


def put_below(work: Work, c: arb, cut: Cut) -> arb:
    r"""At most $E(c-Y)_+$."""
    step, shape = OneStep(work.rate, work.noise_std), Shape(float(work.rate), float(work.noise_std))
    first, last = _range(work, step, c, cut)
    cells, ratio, least = _cells(first, last, cut), arb(cut.span).exp(), float(first - step.least)
    places = [step.least + arb(y) for y in touching(shape, cut.span, least, cells)]
    value, slope = step.put(places[0])
    point = (places[0] - value / slope) * ratio ** len(places) * arb(cut.span / 2.0).exp()
    while len(places) < cells:
        places.append(point)
        point *= ratio
    return composed(tangents(step, places, ratio, cut.bits), work.count, c, cut, 0)


def _cells(first: arb, last: arb, cut: Cut) -> int:
    """How many it takes from one point to the other; at least two."""
    cells = max(math.ceil(float((last / first).log()) / cut.span) + 1, 2)
    if cells > MOST_CELLS:
        raise TooLong(cells, MOST_CELLS)
    return cells


def _range(work: Work, step: OneStep, c: arb, cut: Cut) -> tuple[arb, arb]:
    """The ratios of one step that matter: next to nothing lies below, and above nothing counts, or next to nothing."""
    z = _quantile(cut.log_spare - math.log(work.count)) * float(work.noise_std)
    first, last = step.ratio(z), step.ratio(-z)
    most = c / first ** (work.count - 1)
    return first, min(most, last)


def _quantile(log_mass: float) -> float:
    r"""The $z$ with $\Phi(z)$ about so small."""
    low, high = -60.0, 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if log_ndtr(middle) < log_mass else (low, middle)
    return low


def _end(work: Work, cells: float, log_delta: float, put: Callable[[Work, arb, Cut], arb]) -> arb:
    """A bound on δ, with digits enough for one of that size; `cells` lie between the least loss of all steps and ε."""
    spare = log_delta - (float(work.epsilon) if work.side > 0 else 0.0)
    span = work.side * float(work.epsilon) - work.count * math.log1p(-float(work.rate))
    cut = Cut(span / cells, int(-1.4427 * spare) + SPARE, spare - 30.0)
    with ctx.workprec(cut.bits + 80):
        grown = exactly(work.epsilon).exp()
        return 1 - grown + put(work, grown, cut) if work.side > 0 else grown * put(work, 1 / grown, cut)


def ends(work: Work, cells: float, log_delta: float) -> tuple[arb, arb]:
    """Bounds on δ."""
    low, high = (_end(work, cells, log_delta, put) for put in (put_below, put_above))
    if low > high:
        raise AssertionError(f"the ends of {work} cross: {low} and {high}")
    return low, high


def affordable(work: Work, cells: float, log_delta: float) -> tuple[arb, arb, float]:
    """Bounds on δ with so many cells, or fewer if those are too many; and with how many."""
    while True:
        try:
            return *ends(work, cells, log_delta), cells
        except TooLong as reason:
            cells /= 1.02 * reason.times


def rough(work: Work, log_delta: float) -> tuple[arb, arb, float]:
    """Bounds within a factor of two, and the number of cells that took; or beyond reach."""
    asked = cells = float(SCOUT)
    while cells == asked:
        low, high, cells = affordable(work, asked, log_delta)
        if low > 0 and high < 2 * low:
            return low, high, cells
        asked *= 4.0
        cells *= 4.0
    raise OutOfReach("two polylines are too far apart")


def delta(work: Work, log_delta: float = -235.0, narrow: float = NARROW) -> arb:
    """δ(ε) of one order, from two polylines as close as that, if they need not be too long."""
    low, high, cells = rough(work, log_delta)
    finer = cells * math.sqrt(1.2 * max(float((high - low) / low), narrow) / narrow)
    low, high, _ = affordable(work, finer, min(float(low.log()), -0.1))
    if not (low > 0 and high < low * (1 + arb(WIDEST))):
        raise OutOfReach("two polylines are too far apart")
    return low.lower().union(high.upper())


def at_most(work: Work, beside: arb) -> arb:
    """An upper bound, quick, and sharp if δ is about as large as that."""
    return arb(0) if is_beyond(work) else _end(work, SCOUT, float(beside.mid().log()), put_above).upper()


def level(work: Work, log_delta: float, guess: float) -> float:
    """About the ε with that δ, by bisection around a guess; 0 where there is none."""
    bottom, least = math.log(float(work.rate)) - 12.0, -work.count * math.log1p(-float(work.rate))
    low, high = -math.inf, math.log(700.0 if work.side > 0 else least)
    x, stride = min(max(math.log(guess), bottom), high - 0.1) if guess > 0.0 else math.log(float(work.rate)), 0.3
    while high - low > 0.02 and high > bottom:
        low, high = (x, high) if _exceeds(replace(work, epsilon=Fraction(math.exp(x))), log_delta) else (low, x)
        stride *= 2.0
        x = max(0.5 * (low + high), x - stride) if high == x else min(0.5 * (low + high), x + stride)
    return math.exp(low)


def _exceeds(work: Work, log_delta: float) -> bool:
    """Whether δ seems to be larger, at a glance; the lattice resolves one step of wide noise, unless it gets long."""
    rate, noise, epsilon = float(work.rate), float(work.noise_std), float(work.epsilon)
    span = work.side * epsilon - work.count * math.log1p(-rate)
    reach = min(rate * math.exp(min(math.sqrt(60.0 - 2.0 * log_delta) / noise, 50.0)), span)
    try:
        found = _end(work, max(SCOUT / 2, span / max(rate / (3.0 * noise), reach / SCOUT)), log_delta - 10.0, put_above)
    except OutOfReach:
        return False
    return bool(found > 0 and found.log() > log_delta)
