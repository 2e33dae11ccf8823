"""Steps cut into cells, and the two laws on a lattice beside them."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from flint import arb, ctx
from rounding import laws
from rounding.cases import decimal
from rounding.measure import Gauge, Row

from dpcompose.inversion.few_steps.atom_cells import AtomStep
from dpcompose.inversion.few_steps.bracket_laws import above, below, share_kept_low
from dpcompose.inversion.few_steps.cells import Cells, Divisible, Mesh
from dpcompose.inversion.few_steps.laplace_cells import LaplaceStep
from dpcompose.inversion.few_steps.normal_cells import NormalStep
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.numerics.rounding import LEAST, UNIT_ROUNDOFF

Measures = Callable[[arb], tuple[arb, arb]]
r"""P and $e^{-L}P$ of all losses below a number."""
LOG_MASS = -60.0
CELLS = 200
Measured = dict[int, list[tuple[arb, arb]]]
"""The measures at all edges, moved by the blur to either side or not at all."""


class Cut(NamedTuple):
    """A step and its measures."""

    step: Divisible
    measures: Measures


def mixed(rate: Fraction, *, remove: bool, bare: Callable[[arb], arb], shifted: Callable[[arb], arb]) -> Measures:
    r"""With $X = 1-q+qe^y$: when removing, P is the mixture and $L = \ln X$; when adding, Q is, and $L = -\ln X$.

    Two functions say how much of the law without the record, and with it, lies below a plain loss y.
    """
    q = laws.number(rate)

    def measures(loss: arb) -> tuple[arb, arb]:
        ratio = (loss if remove else -loss).expm1()
        if not ratio > -q:  # X never falls to 1-q
            return (arb(0), arb(0)) if remove else (arb(1), arb(1))
        y = (ratio / q).log1p()
        plain = bare(y)
        mixture = plain + q * (shifted(y) - plain)
        return (mixture, plain) if remove else (1 - plain, 1 - mixture)

    return measures


def normal_cuts() -> Iterator[Cut]:
    random = np.random.default_rng(81)
    for i in range(30):
        mu, rate = decimal(random, -2, 1), Fraction(1) if i % 10 == 0 else decimal(random, -5, -0.001)
        direction = Direction.REMOVE if i % 10 == 0 else list(Direction)[i % 2]
        remove = direction is Direction.REMOVE
        yield Cut(NormalStep(mu**2, rate, direction), normal_measures(mu, rate, remove=remove))


def normal_measures(mu: Fraction, rate: Fraction, *, remove: bool) -> Measures:
    """The place of a plain loss y is y/μ+μ/2."""
    m, root = laws.number(mu), arb(2).sqrt()

    def below_of(shift: arb) -> Callable[[arb], arb]:
        return lambda y: (-(y / m + m / 2 - shift) / root).erfc() / 2

    return mixed(rate, remove=remove, bare=below_of(arb(0)), shifted=below_of(m))


def saturated_cuts(gauge: Gauge) -> None:
    """Nearly everything is in the sample: the greatest losses crowd below -ln(1-q), where floats hardly tell them."""
    random = np.random.default_rng(87)
    with ctx.workprec(900):
        for _ in range(30):
            mu, rate = decimal(random, 0.5, 1), 1 - Fraction(1, 2 ** int(random.integers(25, 54)))
            cut = Cut(NormalStep(mu**2, rate, Direction.ADD), normal_measures(mu, rate, remove=False))
            see_cells(
                gauge, cut, mesh_of(cut, random, 1.0 - 10.0 ** -random.uniform(1.0, 12.0), random.uniform(0.0, 7.0))
            )


def laplace_cuts() -> Iterator[Cut]:
    random = np.random.default_rng(82)
    for i in range(30):
        size, rate = decimal(random, -3, 0.8), Fraction(1) if i % 10 == 0 else decimal(random, -5, -0.001)
        if i % 3 == 1:
            size, rate = decimal(random, 0, 1.5), 1 - decimal(random, -14, -3)
        direction = Direction.REMOVE if i % 10 == 0 else list(Direction)[i % 2]
        e = laws.number(size)

        def bare(y: arb, e: arb = e) -> arb:
            return arb(0) if not y > -e else arb(1) if y > e else 1 - (-(y + e) / 2).exp() / 2

        def shifted(y: arb, e: arb = e) -> arb:
            return arb(0) if not y > -e else arb(1) if y > e else ((y - e) / 2).exp() / 2

        measures = mixed(rate, remove=direction is Direction.REMOVE, bare=bare, shifted=shifted)
        yield Cut(LaplaceStep(size, rate, direction), measures)


def atom_cuts() -> Iterator[Cut]:
    """Atoms whose true places and weights are off by as much as was said."""
    random = np.random.default_rng(83)
    for _ in range(30):
        count, spread = int(random.integers(2, 2000)), 10.0 ** random.uniform(-3.0, 1.0)
        losses, weights = random.normal(0.0, spread, count), random.dirichlet(np.full(count, 0.5)) + 1e-290
        loss_error, weight_error = 1e-15 * spread, 1e-15
        signs = random.choice([-1.0, 1.0], (2, count)).tolist()
        true = sorted(
            (arb(l) + a * loss_error, arb(w) * (1 + b * arb(weight_error)))
            for l, w, a, b in zip(losses.tolist(), weights.tolist(), *signs, strict=True)
        )
        sums = [
            list(accumulate((w for _, w in true), initial=arb(0))),
            list(accumulate((w * (-l).exp() for l, w in true), initial=arb(0))),
        ]

        places = [float(l) for l, _ in true]

        def measures(loss: arb, places: list[float] = places, sums: list[list[arb]] = sums) -> tuple[arb, arb]:
            place = bisect_left(places, float(loss))
            return sums[0][place], sums[1][place]

        yield Cut(AtomStep(losses, weights, loss_error, weight_error), measures)


def mesh_of(cut: Cut, random: np.random.Generator, place: float, narrow: float) -> Mesh:
    """Cells from a place in the law on, over all that remains or over so many powers of ten less."""
    low, high = cut.step.reach(LOG_MASS)
    start = low + place * (high - low)
    span = (high - start) * 10.0 ** (-narrow) / CELLS / random.uniform(1.1, 2.0)
    offset = min(cut.step.atoms, default=start + float(random.uniform(0.0, span)))
    return Mesh(offset, span, math.ceil((start - offset) / span), CELLS)


def see_cells(gauge: Gauge, cut: Cut, mesh: Mesh) -> None:
    r"""A cell, narrower and wider by the blur: $p_j$ and $x_j = p_j-e^{e_j}q_j$ lie between, but for their errors."""
    found = cut.step.cut(mesh, LOG_MASS)
    blur, edges = arb(found.blur), [arb(e) for e in mesh.edges.tolist()]
    at = {side: [cut.measures(e + side * blur) for e in edges] for side in (-1, 0, 1)}
    columns = (found.mass, found.excess, found.excess_error)
    for j, (mass, excess, doubt) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        here = [between(at, side, j) for side in (-1, 0, 1)]
        see_near(gauge, mass, [p for p, _ in here], mass * arb(found.mass_error), "mass", j)
        grow = [(edges[j] - side * blur).exp() for side in (-1, 0, 1)]
        see_near(gauge, excess, [p - g * q for (p, q), g in zip(here, grow, strict=True)], arb(doubt), "excess", j)
    see_rest(gauge, cut, found, at)


def between(at: Measured, wider: int, j: int) -> tuple[arb, arb]:
    """What lies between two edges, moved apart by the blur, together by it, or not at all."""
    (p, q), (p_low, q_low) = at[wider][j + 1], at[-wider][j]
    return p - p_low, q - q_low


def see_rest(gauge: Gauge, cut: Cut, found: Cells, at: Measured) -> None:
    """What lies below the first edge, and beyond the last one."""
    everything = cut.measures(arb(10**6))
    gauge.see_below(at[-1][0][0], found.under, LEAST, "under")
    for i, enclosure in enumerate((found.over, found.over_image)):
        middle, half = (arb(enclosure.lower) + enclosure.upper) / 2, (arb(enclosure.upper) - enclosure.lower) / 2
        see_near(gauge, middle, [everything[i] - at[side][-1][i] for side in (1, 0, -1)], half, "over", i)


def see_near(gauge: Gauge, value: float | arb, truths: list[arb], error: arb, *point: object) -> None:
    """Three truths: with losses off to one side, where they are, and off to the other side."""
    least, truth, most = truths
    blur = max(truth - least, most - truth, key=lambda x: float(x.mid()))
    gauge.see(value - truth, error + blur + 1e-60, *point)  # where there is nothing, balls are not certain of it


def cells_of(cuts: Callable[[], Iterator[Cut]]) -> Callable[[Gauge], None]:
    def check(gauge: Gauge) -> None:
        random = np.random.default_rng(84)
        with ctx.workprec(900):
            for i, cut in enumerate(cuts()):
                narrow = random.uniform(0.0, 7.0) if i % 4 > 1 else 0.0
                see_cells(gauge, cut, mesh_of(cut, random, random.uniform(0.0, 0.9) if narrow else 0.0, narrow))

    return check


def drawn_cells(random: np.random.Generator) -> tuple[Cells, float]:
    """Cells with errors, no wider in excess than they can be."""
    span, count = float(10.0 ** random.uniform(-7.0, 0.5)), int(random.integers(2, 600))
    mass = random.dirichlet(np.full(count, 0.3)) + 1e-280
    excess = mass * -math.expm1(-span) * random.uniform(0.0, 1.0, count)
    error = float(10.0 ** random.uniform(-15.0, -9.0))
    return Cells(mass, excess, error, excess * error, 0.0, float(random.uniform(0.0, 1e-9))), span


def laws_above(gauge: Gauge) -> None:
    """The chord: from every edge up, the law has at least the exact weight."""
    random = np.random.default_rng(85)
    with ctx.workprec(200):
        for _ in range(40):
            cells, span = drawn_cells(random)
            share, found, exact, carried = -(-arb(span)).expm1(), arb(0), arb(0), arb(0)
            weights = above(cells, span).tolist()
            columns = [c[::-1].tolist() for c in (cells.mass, cells.excess, cells.excess_error)]
            for weight, p, x, doubt in zip(weights[:0:-1], *columns, strict=True):
                most = p * (1 + arb(cells.mass_error))
                moved = (arb(x) + doubt) / share
                moved = min(most, moved)
                found, exact, carried = found + weight, exact + carried + moved, most - moved
                gauge.see_below(exact, found, 40 * UNIT_ROUNDOFF * found, span, cells.mass.size)
            gauge.see_below(exact + carried + cells.under, found + weights[0], 40 * UNIT_ROUNDOFF * found, span)


def laws_below(gauge: Gauge) -> None:
    r"""What meets at an edge may be counted there, $\lambda_jx_j \ge (1-\lambda_{j-1})d_{j-1}$; no edge gets more."""
    random = np.random.default_rng(86)
    with ctx.workprec(200):
        for _ in range(40):
            cells, span = drawn_cells(random)
            most = cells.mass * (1.0 + cells.mass_error + 4.0 * UNIT_ROUNDOFF)
            excess = np.maximum(cells.excess - cells.excess_error, 0.0)
            stays = share_kept_low(most, excess, span)
            share, grow = -(-arb(span)).expm1(), arb(span).exp()
            found, exact, weights = arb(0), arb(0), below(cells, span).tolist()
            rows = list(zip(stays.tolist(), most.tolist(), excess.tolist(), cells.mass.tolist(), strict=True))
            for j in range(len(rows) - 1, 0, -1):
                (stay, _, x, p), (under, p_under, x_under, lesser) = rows[j], rows[j - 1]
                deficit = grow * (share * p_under - x_under)
                needed, there = (1 - arb(under)) * deficit, arb(stay) * x
                gauge.see_below(needed, there + 1e-285, 60 * UNIT_ROUNDOFF * there + 1e-285, span, j)
                least = 1 - arb(cells.mass_error)
                found += weights[j]
                exact += (arb(stay) * p + (1 - arb(under)) * lesser) * least
                gauge.see_below(
                    found, exact + (1 - arb(rows[-1][0])) * rows[-1][3], 40 * UNIT_ROUNDOFF * exact, span, j
                )


ROWS = [
    Row("normal noise: cells", "NormalStep.cut", cells_of(normal_cuts)),
    Row("normal noise, nearly all sampled: cells", "NormalStep.cut", saturated_cuts),
    Row("Laplace noise: cells", "LaplaceStep.cut", cells_of(laplace_cuts)),
    Row("atoms: cells", "AtomStep.cut", cells_of(atom_cuts)),
    Row("the law above the cells", "bracket_laws.above", laws_above),
    Row("the law below the cells", "bracket_laws.below", laws_below),
]
