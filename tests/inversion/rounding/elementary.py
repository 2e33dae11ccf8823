"""The floating-point model: elementary functions of NumPy and `math`, and what is rounded outwards."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb, ctx
from rounding.measure import POINTS, Gauge, Row
from scipy import special as scipys

from dpcompose.inversion.losses.window import ERFCX
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import (
    LIBM,
    UNIT_ROUNDOFF,
    Floats,
    exp_down,
    exp_up,
    log_down,
    log_total,
    log_up,
    multiples,
    nearest,
    short,
)
from dpcompose.numerics.special import erfcx

Draw = Callable[[np.random.Generator], Floats]


def spread(low: float, high: float, near: float = 1e-15) -> Draw:
    """Half of the points evenly, half over all magnitudes from `near` on, of either sign where that is allowed."""

    def draw(random: np.random.Generator) -> Floats:
        sizes = 10.0 ** random.uniform(math.log10(near), math.log10(max(abs(low), high)), POINTS // 2)
        signed = sizes * random.choice([-1.0, 1.0], sizes.size)
        edges = [low, high, low / 2, near]
        return np.clip(np.concatenate([random.uniform(low, high, POINTS // 2), signed, edges]), low, high)

    return draw


def magnitudes(low: float, high: float) -> Draw:
    """Positive numbers of every magnitude between two powers of ten, and around 1."""

    def draw(random: np.random.Generator) -> Floats:
        near_one = 1.0 + random.uniform(-1e-3, 1e-3, POINTS // 4)
        return np.concatenate([10.0 ** random.uniform(low, high, POINTS), near_one])

    return draw


EXACT: dict[str, tuple[Callable[[arb], arb], Draw]] = {
    "exp": (arb.exp, spread(-708.0, 709.0)),
    "expm1": (arb.expm1, spread(-40.0, 709.0, 1e-30)),
    "log": (arb.log, magnitudes(-307.0, 308.0)),
    "log1p": (arb.log1p, spread(-0.9999999, 1e18, 1e-30)),
    "sin": (arb.sin, spread(-1e12, 1e12)),
    "cos": (arb.cos, spread(-1e12, 1e12)),
    "sinh": (arb.sinh, spread(-700.0, 700.0, 1e-30)),
    "cosh": (arb.cosh, spread(-700.0, 700.0)),
    "tanh": (arb.tanh, spread(-40.0, 40.0, 1e-30)),
    "arcsin": (arb.asin, spread(-1.0, 1.0, 1e-30)),
}


def correctly_rounded(gauge: Gauge) -> None:
    """Sums, products, quotients and square roots."""
    random = np.random.default_rng(10)
    x, y = 10.0 ** random.uniform(-140.0, 140.0, (2, POINTS))
    y[::2] = x[::2] * random.uniform(-2.0, 2.0, POINTS // 2)
    found = (x + y, x * y, x / y, np.sqrt(x))
    with ctx.workprec(1200):
        for a, b, *values in zip(x.tolist(), y.tolist(), *(f.tolist() for f in found), strict=True):
            truths = (arb(a) + arb(b), arb(a) * arb(b), arb(a) / arb(b), arb(a).sqrt())
            for value, truth in zip(values, truths, strict=True):
                gauge.see(arb(value) - truth, UNIT_ROUNDOFF * abs(truth), a, b)


def of_numpy(name: str) -> Row:
    """A function of NumPy, on an array, where it may take another path than on a number."""
    exact, draw = EXACT[name]

    def check(gauge: Gauge) -> None:
        points = draw(np.random.default_rng(11))
        found = getattr(np, name)(points)
        with ctx.workprec(200):
            for x, y in zip(points.tolist(), found.tolist(), strict=True):
                truth = exact(arb(x))
                gauge.see(arb(y) - truth, LIBM * abs(truth), x)

    return Row(f"np.{name}", "rounding.LIBM", check)


def of_math(name: str) -> Row:
    """A function of `math`."""
    exact, draw = EXACT[name]

    def check(gauge: Gauge) -> None:
        with ctx.workprec(200):
            for x in draw(np.random.default_rng(12)).tolist():
                truth = exact(arb(x))
                gauge.see(arb(getattr(math, name)(x)) - truth, LIBM * abs(truth), x)

    return Row(f"math.{name}", "rounding.LIBM", check)


def of_pairs(gauge: Gauge) -> None:
    """Moduli and angles of complex numbers whose parts have any magnitude."""
    random = np.random.default_rng(13)
    parts = 10.0 ** random.uniform(-150.0, 150.0, (2, POINTS)) * random.choice([-1.0, 1.0], (2, POINTS))
    parts[1, ::2] = parts[0, ::2] * random.uniform(-2.0, 2.0, POINTS // 2)
    x, y = parts
    z = x + 1j * y
    columns = (x, y, np.hypot(x, y), np.abs(z), np.arctan2(y, x), np.angle(z))
    with ctx.workprec(200):
        for a, b, *found in zip(*(c.tolist() for c in columns), strict=True):
            size, angle = (arb(a) ** 2 + arb(b) ** 2).sqrt(), arb.atan2(arb(b), arb(a))
            for value, truth in zip(found, (size, size, angle, angle), strict=True):
                gauge.see(arb(value) - truth, LIBM * abs(truth), a, b)


def of_turns(gauge: Gauge) -> None:
    """Complex exponentials, and the power -2 of `randomized_response`."""
    random = np.random.default_rng(14)
    angles, bases = spread(-1e6, 1e6)(random), 10.0 ** random.uniform(-2.0, 150.0, POINTS)
    with ctx.workprec(200):
        for x, z in zip(angles.tolist(), np.exp(1j * angles).tolist(), strict=True):
            gauge.see(arb(z.real) - arb(x).cos(), LIBM * abs(arb(x).cos()), x)
            gauge.see(arb(z.imag) - arb(x).sin(), LIBM * abs(arb(x).sin()), x)
        for x, y in zip(bases.tolist(), (bases**-2.0).tolist(), strict=True):
            gauge.see(arb(y) * arb(x) ** 2 - 1, LIBM, x)


def outward_exponentials(gauge: Gauge) -> None:
    points = spread(-800.0, 709.0, 1e-30)(np.random.default_rng(15)).tolist()
    with ctx.workprec(200):
        for x in points:
            gauge.see_between(exp_down(x), arb(x).exp(), exp_up(x), x)


def total_logarithms(gauge: Gauge) -> None:
    """To within `LIBM` of itself, and as much again for each term."""
    random = np.random.default_rng(9)
    with ctx.workprec(200):
        for _ in range(POINTS):
            count = int(random.integers(1, 12))
            logs = random.normal(random.uniform(-700.0, 100.0), 10.0 ** random.uniform(-2.0, 2.0), count).tolist()
            truth = arb(0)
            for x in logs:
                truth += arb(x).exp()
            gauge.see(arb(log_total(logs)) - truth.log(), LIBM * (abs(truth.log()) + count), logs)


def outward_logarithms(gauge: Gauge) -> None:
    points = [*magnitudes(-323.0, 308.0)(np.random.default_rng(16)).tolist(), 1.0, 5e-324]
    with ctx.workprec(1200):
        for x in points:
            gauge.see_between(log_down(x), arb(x).log(), log_up(x), x)


def scaled_error_function(gauge: Gauge) -> None:
    r"""$e^{x^2}\mathrm{erfc}(x) = U(\frac12,\frac12,x^2)/\sqrt\pi$."""
    random = np.random.default_rng(17)
    points = np.concatenate([[0.0], random.uniform(0.0, 30.0, POINTS // 2), 10.0 ** random.uniform(-8.0, 8.0, POINTS)])
    with ctx.workprec(250):
        for x, *found in zip(points.tolist(), scipys.erfcx(points).tolist(), map(erfcx, points.tolist()), strict=True):
            square, half = arb(x) ** 2, arb(0.5)
            small = x < 2.0
            truth = arb(x).erfc() * square.exp() if small else square.hypgeom_u(half, half) / arb.pi().sqrt()
            for y in found:
                gauge.see(arb(y) - truth, ERFCX * truth, x)


def short_multiples(gauge: Gauge) -> None:
    """Multiples of a short spacing are exact, and shortening moves a number by at most half a unit of 24 bits."""
    random = np.random.default_rng(18)
    with ctx.workprec(200):
        for x in (10.0 ** random.uniform(-30.0, 30.0, POINTS // 20)).tolist():
            indices = random.integers(1, 2**29, 20)
            gauge.see(arb(short(x)) - arb(x), 2.0**-24 * x, x)
            for m, u in zip(indices.tolist(), multiples(short(x), indices).tolist(), strict=True):
                gauge.see(arb(u) - arb(short(x)) * m, 0.0, x, m)


def nearest_floats(gauge: Gauge) -> None:
    random = np.random.default_rng(19)
    for top, bottom in random.integers(1, 2**62, (POINTS, 2)).tolist():
        x = Fraction(top, bottom)
        value, error = nearest(x)
        difference = Fraction(value) - x
        gauge.see(arb(difference.numerator) / difference.denominator, arb(error) * top / bottom, x)


def outward_ends(gauge: Gauge) -> None:
    """The floats around a ball: no more than two roundings wider than it, and never narrower."""
    random = np.random.default_rng(20)
    middles = 10.0 ** random.uniform(-300.0, 300.0, POINTS) * random.choice([-1.0, 1.0], POINTS)
    with ctx.workprec(300):
        for x, r in zip(middles.tolist(), (10.0 ** random.uniform(-60.0, 0.0, POINTS)).tolist(), strict=True):
            truth = arb(x) * arb(r).exp() / 3
            wide = truth + arb(0, abs(truth) * r)
            found = Enclosure.of(wide)
            allowed = 2 * UNIT_ROUNDOFF * abs(truth) + wide.rad()
            gauge.see_between(found.lower, wide.lower(), truth + allowed, x, r)
            gauge.see_between(truth - allowed, wide.upper(), found.upper, x, r)


ROWS = [
    Row("sums, products, quotients, roots", "rounding.UNIT_ROUNDOFF", correctly_rounded),
    *(of_numpy(name) for name in EXACT),
    *(of_math(name) for name in EXACT if name != "arcsin"),
    Row("np.hypot, np.arctan2", "rounding.LIBM", of_pairs),
    Row("np.exp(ix), x**-2", "rounding.LIBM", of_turns),
    Row("exponentials rounded outwards", "rounding.exp_up", outward_exponentials),
    Row("logarithm of a few terms", "rounding.log_total", total_logarithms),
    Row("logarithms rounded outwards", "rounding.log_up", outward_logarithms),
    Row("erfcx, here and of SciPy", "window.ERFCX", scaled_error_function),
    Row("multiples of a short spacing", "rounding.multiples", short_multiples),
    Row("the nearest float", "rounding.nearest", nearest_floats),
    Row("the floats around a ball", "Enclosure.of", outward_ends),
]
