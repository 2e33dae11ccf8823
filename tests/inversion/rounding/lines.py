"""Lines: their coefficients, with and without smoothing or a lattice; the sum over frequencies; what is read off."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from flint import acb, arb, ctx
from rounding import laws
from rounding.cases import decimal
from rounding.measure import POINTS, Gauge, Row
from rounding.sums import log_mixed, mixtures

from dpcompose.inversion import TwoPointLoss
from dpcompose.inversion.line.build import TransformSample, plain, smoothed_above, smoothed_below
from dpcompose.inversion.line.jumps import JumpExpansion
from dpcompose.inversion.line.lattice_line import LatticeLine, build_lattice_line
from dpcompose.inversion.line.line import Alias, Line
from dpcompose.inversion.line.reading import LineReading, Readable
from dpcompose.inversion.line.spectrum import Goal, Period, Spectrum, total_cumulants
from dpcompose.inversion.losses.protocols import Lattice
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.numerics.rounding import LIBM, Floats, short

NOWHERE = Alias(-1e9, 0.0)
LAST = 107
UNDERFLOW = 1e-300
"""Far below what any sum of coefficients keeps."""


def coefficients(line: Line) -> Iterator[tuple[float, acb, float]]:
    """Frequency, coefficient and the bound on its error."""
    columns = (line.frequencies, line.amplitude, line.angle, line.amplitude_error)
    for u, amplitude, angle, error in zip(*(c.tolist() for c in columns), strict=True):
        yield u, acb(amplitude) * acb(0, arb(angle)).exp(), error


def see_line(gauge: Gauge, line: Line, log_moment: Callable[[acb], acb], *point: object) -> None:
    r"""Prefactor and coefficients, $2e^{K(z)-K(t)-iuc}/(z(z+1))$, when $e^K$ includes the kernel."""
    t = arb(line.tilt)
    base = log_moment(acb(t))
    # The base carries what of the kernel is not in the moment.
    scale = arb(line.log_moment).exp()
    first = base.exp().real / (t * (t + 1))
    room = arb(line.log_moment_error).exp() - 1
    gauge.see(arb(line.base) * scale - first, (line.base_error + abs(arb(line.base)) * room) * scale, "base", *point)
    for u, found, error in coefficients(line):
        z = acb(t, arb(u))
        truth = 2 * log_moment(z).exp() / (z * (z + 1)) / scale * acb(0, -arb(u) * arb(line.centre)).exp()
        allowed = error + abs(truth) * (room + arb(u) * line.centre_error)
        gauge.see(truth - found, allowed + UNDERFLOW, u, *point)


def smoothing(kind: str) -> Callable[[Gauge], None]:
    """The coefficients of one kind of line, for mixtures."""

    def check(gauge: Gauge) -> None:
        random = np.random.default_rng(71)
        with ctx.workprec(300):
            for summands, parts, tilt in mixtures(72, 100):
                spacing = short(0.06 / math.sqrt(sum(s.cumulants(tilt).curvature for s in summands)))
                tilted = [s.tilted(tilt, LAST * spacing, 1e-17) for s in summands]
                spectrum = Spectrum(tilt, Period(spacing, 0.0, 2.0 * tilt), tilted, NOWHERE, NOWHERE)
                indices = np.arange(1, LAST + 1, dtype=np.int64)
                sample = TransformSample(indices, spectrum.logarithm(indices), LAST, 0.0, 0.0)
                eta = float(10.0 ** random.uniform(-8.0, 0.0)) * 0.5 / (1.0 + tilt)
                e = arb(eta) ** 2

                def smoothed(z: acb, parts: list = parts, e: arb = e) -> acb:
                    log = log_mixed(parts, z)
                    if kind == "above":
                        return log + z * (z + 1) * e / 2
                    if kind == "below":
                        kernel = (1 + z) * (z**2 * e / 2).exp() - z * ((z + 1) ** 2 * e / 2).exp()
                        return log + kernel.log()
                    return log

                line = {
                    "plain": lambda s=spectrum, a=sample: plain(s, a),
                    "above": lambda s=spectrum, a=sample, h=eta: smoothed_above(s, a, h),
                    "below": lambda s=spectrum, a=sample, h=eta: smoothed_below(s, a, h),
                }[kind]()
                see_line(gauge, line, smoothed, parts, tilt, eta)

    return check


def lattice_coefficients(gauge: Gauge) -> None:
    r"""$2\varphi(u)\,bG(z)$ with $G = 1/(1-e^{-zb})-1/(1-e^{-(z+1)b})$; frequencies are fractions of a turn."""
    random = np.random.default_rng(73)
    with ctx.workprec(400):
        for _ in range(150):
            size, count = decimal(random, -3, 0.3), int(10 ** random.uniform(1, 5))
            summands = TwoPointLoss.gather([(TwoPointLoss(size), count)])
            lattice = summands[0].lattice
            mean = math.sqrt(count) * float(size) * random.uniform(0.5, 6.0)
            saddle = at_epsilon(total_cumulants(summands), mean + 0.5 * count * float(size) ** 2)
            if lattice is None or saddle.epsilon > 0.9 * count * float(size):
                continue
            line = build_lattice_line(summands, lattice, Goal(saddle, saddle.epsilon, saddle.log_delta, 1e-9))
            if line is not None:
                see_lattice(gauge, line, laws.number(size), count)


def see_lattice(gauge: Gauge, found: LatticeLine, size: arb, count: int) -> None:
    line, b = found.line, 2 * size
    t, points = arb(line.tilt), 2 * line.size + 1

    def log_moment(z: acb) -> acb:
        return count * ((((z + 1) * size).exp() + (-z * size).exp()).log() - (1 + size.exp()).log())

    base, scale = log_moment(acb(t)), arb(line.log_moment)
    room = arb(line.log_moment_error).exp() - 1
    full = round(2.0 * math.pi / (line.spacing * float(b)))
    assert points <= full
    first = b / (1 - (-t * b).exp()) - b / (1 - (-(t + 1) * b).exp())
    gauge.see(arb(line.base) - first, line.base_error, "base", size, count)
    for u, value, error in coefficients(line):
        true = 2 * arb.pi() * round(u / line.spacing) / (full * b)
        z = acb(t, true)
        kernel = b / (1 - (-z * b).exp()) - b / (1 - (-(z + 1) * b).exp())
        truth = 2 * kernel * (log_moment(z) - base + base.real - scale - acb(0, true * arb(line.centre))).exp()
        allowed = error + abs(truth) * (room + true * line.centre_error)
        gauge.see(truth - value, allowed + UNDERFLOW, u, size, count)


def drawn_line(random: np.random.Generator, count: int, spacing: float) -> Line:
    """A line whose coefficients are just floats."""
    u = spacing * np.sort(random.choice(np.arange(1, 4 * count), count, replace=False))
    amplitude = 10.0 ** random.uniform(-12.0, 1.0, count)
    return Line(
        tilt=float(10.0 ** random.uniform(-3.0, 4.0)),
        spacing=spacing,
        log_moment=float(random.normal(0.0, 10.0 ** random.uniform(-2.0, 5.0))),
        log_moment_error=0.0,
        centre=float(random.normal(0.0, 10.0 ** random.uniform(-2.0, 3.0))),
        centre_error=0.0,
        base=float(random.uniform(0.0, 2.0)),
        base_error=0.0,
        frequencies=u,
        amplitude=amplitude,
        angle=random.uniform(-1.0, 1.0, count) * 10.0 ** random.uniform(-1.0, 4.0, count),
        amplitude_error=np.zeros(count),
        tail=0.0,
        aliases=(NOWHERE,),
    )


def the_sum(line: Line, epsilon: float) -> arb:
    """The trapezoid sum, in units of the prefactor."""
    columns, shift, total = (
        (line.frequencies, line.amplitude, line.angle),
        arb(line.centre) - arb(epsilon),
        arb(line.base),
    )
    for u, amplitude, angle in zip(*(c.tolist() for c in columns), strict=True):
        total += amplitude * (arb(angle) + u * shift).cos()
    return total


def prefactor(line: Line, epsilon: float) -> arb:
    """Its logarithm."""
    return arb(line.log_moment) - arb(line.tilt) * arb(epsilon) + (arb(line.spacing) / (2 * arb.pi())).log()


def places(random: np.random.Generator, count: int) -> Floats:
    """Values of ε of all magnitudes."""
    return 10.0 ** random.uniform(-6.0, 4.0, count)


def sums_over_frequencies(gauge: Gauge) -> None:
    """Short lines at many ε, and a few long ones."""
    random = np.random.default_rng(74)
    with ctx.workprec(150):
        for count, several in [*[(int(10 ** random.uniform(0, 1.8)), 100)] * 99, (3000, 20), (20000, 5)]:
            line = drawn_line(random, count, short(10.0 ** random.uniform(-3.0, 1.0)))
            epsilons = places(random, several)
            for epsilon, reading in zip(epsilons.tolist(), line.read_many(epsilons), strict=True):
                truth = the_sum(line, epsilon)
                gauge.see(arb(line._value(epsilon)[0]) - truth, line.rounding(epsilon), epsilon, count)
                if truth > 2.0 * line.rounding(epsilon):
                    truth = truth.log() + prefactor(line, epsilon)
                    see_reading(gauge, reading, truth, epsilon, count)


def see_reading(gauge: Gauge, reading: LineReading, truth: arb, *point: object) -> None:
    """The logarithm that was enclosed."""
    gauge.see_between(reading.log_lower, truth, reading.log_upper, *point)


def prefactors(gauge: Gauge) -> None:
    random = np.random.default_rng(75)
    with ctx.workprec(200):
        for _ in range(POINTS // 50):
            line = drawn_line(random, 1, short(10.0 ** random.uniform(-9.0, 9.0)))
            for epsilon in places(random, 50).tolist():
                value, error = line.log_prefactor(epsilon)
                gauge.see(arb(value) - prefactor(line, epsilon), error, line.log_moment, line.tilt, epsilon)


class Fixed:
    """A term whose reading is known."""

    size, tilt = 1, 1.0

    def __init__(self, reading: LineReading) -> None:
        self.reading = reading

    def read(self, epsilon: float) -> LineReading:  # noqa: ARG002 - the same everywhere
        return self.reading


def fixed(log: float) -> Readable:
    """Exactly this."""
    return Fixed(LineReading(log, log, log, -1.0))


def jump_sums(gauge: Gauge) -> None:
    """Positive terms with the logarithms of their factors, known exactly or from far below."""
    random = np.random.default_rng(76)
    with ctx.workprec(200):
        for i in range(POINTS):
            count, depth = int(random.integers(2, 12)), 700.0 * (i % 2)
            logs, factors = random.normal(-random.uniform(0.0, 600.0), 10.0, count), random.uniform(0.0, 40.0, count)
            terms = [(f, Fixed(LineReading(x - depth, x, x, -1.0))) for f, x in zip(factors, logs, strict=True)]
            found = JumpExpansion(terms, 0.0).read(1.0)
            low, high = arb(0), arb(0)
            for factor, log in zip(factors.tolist(), logs.tolist(), strict=True):
                low += (arb(factor) + arb(log - depth)).exp()
                high += (arb(factor) + arb(log)).exp()
            gauge.see_below(high.log(), found.log_upper, LIBM * (8 + abs(found.log_upper)), logs, factors)
            gauge.see_below(-low.log(), -found.log_lower, LIBM * (8 + abs(found.log_lower)), logs, factors, depth)


def remainders(gauge: Gauge) -> None:
    """One term, and a remainder that counts upwards; what it is raised by in the end grows with the logarithm."""
    random = np.random.default_rng(78)
    with ctx.workprec(200):
        for _ in range(POINTS):
            log = -float(random.uniform(0.0, 700.0))
            remainder = math.exp(log) * 10.0 ** random.uniform(-16.0, 1.0)
            found = JumpExpansion([(0.0, fixed(log))], remainder).read(1.0)
            truth = (arb(log).exp() + arb(remainder)).log()
            gauge.see_below(truth, found.log_upper, LIBM * (1 + abs(log)), log, remainder)


def between_lattice_points(gauge: Gauge) -> None:
    """Linear in e^ε between two lattice points, each read exactly."""
    random = np.random.default_rng(77)
    with ctx.workprec(400):
        for _ in range(POINTS // 10):
            span, offset = float(10.0 ** random.uniform(-4.0, 0.7)), float(random.normal(0.0, 10.0))
            start = -float(10.0 ** random.uniform(0.0, 2.8))
            logs = (start - np.cumsum(random.uniform(0.0, 3.0 + 20.0 * span, 12))).tolist()
            found = LatticeLine(fixed(0.0), Lattice(offset, span, 0.0), math.inf)
            found._known.update({j: LineReading(log, log, log, -1.0) for j, log in enumerate(logs)})
            for position in random.uniform(1.0, 10.0, 10).tolist():
                epsilon = offset + position * span
                place = (arb(epsilon) - arb(offset)) / arb(span)
                j = math.floor(float(place))
                share = ((place - j) * span).expm1() / arb(span).expm1()
                truth = ((1 - share) * arb(logs[j]).exp() + share * arb(logs[j + 1]).exp()).log()
                see_reading(gauge, found.read(epsilon), truth, span, offset, position, logs[j : j + 2])


ROWS = [
    Row("coefficients of a line", "build.plain", smoothing("plain")),
    Row("coefficients, smoothed above", "build.smoothed_above", smoothing("above")),
    Row("coefficients, smoothed below", "build.smoothed_below", smoothing("below")),
    Row("coefficients on a lattice", "lattice_line.build_lattice_line", lattice_coefficients),
    Row("sum over frequencies", "Line.rounding, Line.read", sums_over_frequencies),
    Row("prefactor", "Line.log_prefactor", prefactors),
    Row("sum of jump terms", "jumps.JumpExpansion.read", jump_sums),
    Row("a term and a remainder", "jumps.JumpExpansion.read", remainders),
    Row("between lattice points", "LatticeLine.read", between_lattice_points),
]
