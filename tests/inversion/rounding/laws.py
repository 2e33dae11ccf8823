"""One step's law in balls, written anew: closed forms, atoms, and quadratures whose error is far below any float's.

A law is a list of losses with weights; for a density these are the nodes of a rule with its error made negligible:
less than 2^-90 of the moment, by the same strip and ellipse arguments, with room to spare.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from flint import acb, acb_mat, arb, arb_mat

Real: TypeAlias = float | Fraction | int
Law: TypeAlias = list[tuple[arb, arb]]
"""Losses under P with their probabilities."""
Moments: TypeAlias = list[arb]

BITS = 220


def number(x: Real) -> arb:
    """Any real parameter."""
    return arb(x.numerator) / x.denominator if isinstance(x, Fraction) else arb(x)


def sampled_gaussian(
    rate: Real,
    noise: Real,
    *,
    remove: bool,
    tilt: float,
    reach: float,
    window: Callable[[arb], arb] | None = None,
    cut: float = math.inf,
) -> Law:
    """The trapezoid rule for tilts up to `tilt` and frequencies up to `reach`; a window fades over σ/8 or more, and
    hides what lies beyond its cut.
    """
    q, s, sigma, far = number(rate), number(noise), float(noise), 14.0 * float(noise)
    turn = min(2.0, 8.0 / sigma) if window is None else min(1.0, 1.5 / sigma)
    growth = 0.5 * (sigma * turn) ** 2 * (65.0 if window else 1.0) + (reach + 0.7 * tilt + 1.0) * turn
    step = arb(2.0 * math.pi * sigma**2 * turn / (90.0 + growth))
    low, high = (
        (-14.0 * sigma, min(1.0 + tilt, cut) + 14.0 * sigma) if remove else (-tilt - 14.0 * sigma, 1.0 + 14.0 * sigma)
    )
    scale, half, law = step / (s * (2 * arb.pi()).sqrt()), arb(0.5), []
    for j in range(math.floor((low - far) / float(step)), math.ceil((high + far) / float(step)) + 1):
        x = j * step
        ratio = 1 - q + q * ((x - half) / s**2).exp()
        weight = scale * (-(x**2) / (2 * s**2)).exp()
        if window is not None:
            weight *= window(x)
        law.append((ratio.log(), weight * ratio) if remove else (-ratio.log(), weight))
    return law


def sampled_laplace(size: Real, rate: Real, *, remove: bool) -> Law:
    """Gauss–Legendre with 64 points on panels no wider than ½, and the two atoms; frequencies up to 200."""
    e, q = number(size), number(rate)
    count = math.ceil(4.0 * float(size))
    half, law = e / count, []
    rule = [arb.legendre_p_root(64, i, weight=True) for i in range(64)]
    places = [(-e, arb(0.5)), (e, (-e).exp() / 2)]
    for panel in range(count):
        for node, weight in rule:
            y = -e + half * (2 * panel + 1 + node)
            places.append((y, half * weight * (-(y + e) / 2).exp() / 4))
    for y, weight in places:
        ratio = 1 - q + q * y.exp()
        law.append((ratio.log(), weight * ratio) if remove else (-ratio.log(), weight))
    return law


def discrete_gaussian(noise: Real, sensitivity: int, tilt: float, deviations: float = 14.0) -> Law:
    """Every integer that matters, from the tilted centre to 0 and so many deviations beyond."""
    s, reach = number(noise), math.ceil(deviations * float(noise)) + 2
    near, far = range(-reach, reach + 1), range(-math.ceil(tilt * sensitivity) - reach, reach + 1)
    total = sum(((-arb(x * x) / (2 * s**2)).exp() for x in near), arb(0))
    return [(sensitivity * (arb(sensitivity) / 2 - x) / s**2, (-arb(x * x) / (2 * s**2)).exp() / total) for x in far]


def geometric(scale: Real, sensitivity: int) -> Law:
    """The losses between the ends, and the two ends that gather the rest."""
    size = 1 / number(scale)
    r = (-size).exp()
    law = [(size * (sensitivity - 2 * x), r**x * (1 - r) / (1 + r)) for x in range(1, sensitivity)]
    return [(size * sensitivity, 1 / (1 + r)), *law, (-size * sensitivity, r**sensitivity / (1 + r))]


def staircase(epsilon: Real, gamma: Real) -> Law:
    """Three atoms: how much of one step of the stairs overlaps the other's."""
    e, c = number(epsilon), number(gamma)
    r = (-e).exp()
    height = (1 - r) / (2 * (c + r * (1 - c)))
    top = arb(0.5) + height * (c if float(gamma) <= 0.5 else 1 - c)
    return [(e, top), (arb(0), 1 - top - r * top), (-e, r * top)]


def sampled(law: Law, rate: Real, *, remove: bool) -> Law:
    """The same pair under Poisson sampling, Q having mass where P has; what Q has elsewhere gets the ratio 1-q."""
    q, found = number(rate), []
    images = [(loss, weight * (-loss).exp()) for loss, weight in law]
    rest = 1 - sum((image for _, image in images), arb(0))
    for ratio, image in [*((1 - q + q * loss.exp(), image) for loss, image in images), (1 - q, rest)]:
        found.append((ratio.log(), image * ratio) if remove else (-ratio.log(), image))
    return found


def moment(law: Law, tilt: float) -> arb:
    r"""$\mathrm{E}e^{tL}$."""
    return sum((weight * (tilt * loss).exp() for loss, weight in law), arb(0))


def moments(law: Law, step: float, rows: int) -> Moments:
    r"""$\mathrm{E}e^{tL}$ at $t = j\cdot$ `step`, $0 \le j <$ `rows`², by two short tables."""
    short = [(loss * step).exp() for loss, _ in law]
    long = [(loss * (step * rows)).exp() for loss, _ in law]
    high = arb_mat(rows, len(law), _rows(long, [w for _, w in law], rows))
    low = arb_mat(rows, len(law), _rows(short, [arb(1)] * len(law), rows)).transpose()
    return (high * low).entries()


def characteristic(law: Law, tilt: float, centre: float, spacing: float, rows: int) -> list[acb]:
    r"""$\mathrm{E}_te^{iu(L-c)}$ at $u = m\Delta$, $0 \le m <$ `rows`², likewise."""
    tilted = [weight * (tilt * loss).exp() for loss, weight in law]
    total = sum(tilted, arb(0))
    weights = [acb(p / total) for p in tilted]
    turns = [(loss - arb(centre)) * spacing for loss, _ in law]
    short, long = [acb(0, x).exp() for x in turns], [acb(0, x * rows).exp() for x in turns]
    high = acb_mat(rows, len(law), _rows(long, weights, rows))
    low = acb_mat(rows, len(law), _rows(short, [acb(1)] * len(law), rows)).transpose()
    return (high * low).entries()


def _rows(factors: Sequence[arb] | Sequence[acb], first: Sequence[arb] | Sequence[acb], count: int) -> list[arb | acb]:
    """Powers of the factors, row by row, beginning with the first."""
    row, found = list(first), list(first)
    for _ in range(count - 1):
        row = [a * b for a, b in zip(row, factors, strict=True)]
        found += row
    return found
