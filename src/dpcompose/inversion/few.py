r"""Few steps: every step between two laws on a lattice, each composed with all the others.

With few steps a characteristic function decays too slowly to be inverted. Instead each step is cut into cells along its
loss (`cut`), replaced by a law on a lattice above it and one below it (`beside`), and both are composed by one Fourier
transform (`composed`). The gap falls with the square of the cells' width: a rough scout measures it, and
tells how fine the lattice must be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.beside import above, below
from dpcompose.inversion.composed import Composed, LatticeLaw, compose, cumulants_of
from dpcompose.inversion.crossing import crossing
from dpcompose.inversion.cut import Sketch
from dpcompose.inversion.lattices import Pieces, meshes, ranges
from dpcompose.inversion.rounding import LIBM, UNIT
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.inversion.unreachable import Unreachable
from dpcompose.numerics.enclosure import NOTHING, Enclosure
from dpcompose.numerics.enclosure import UNIT as UNIT_INTERVAL

SCOUT, MOST_CELLS = 1024, 1 << 18
"""Cells of the widest step in a first look, and at most."""
FINEST = 5e-7
"""The relative gap that two lattices are asked for at least, as their cost grows."""
SEARCHES, REFINEMENTS = 24, 3
NEAR, ABREAST = 0.03, 1.5
"""A lattice serves the ε within so much of the one it was made for, relatively; and so wide a group on a curve."""
LEAST_MASS, NEGLIGIBLE = 1e-280, 5e-13


@dataclass(frozen=True, eq=False)
class Between:
    """Two composed laws with the truth between them, and what lies beyond the lattice."""

    upper_law: Composed
    lower_law: Composed
    blur: float
    over: Enclosure
    over_image: Enclosure
    limit: float
    """Up to this ε a step beyond its last cell puts the sum above ε."""
    floor: float
    """From this ε on, steps below their first cell keep the sum below ε, where they were left out for that reason."""

    def upper(self, epsilon: float) -> float:
        """δ from above."""
        if epsilon < self.floor:
            return 1.0
        image = self.over_image.lower * math.exp(min(epsilon, 700.0)) if epsilon <= self.limit else 0.0
        beyond = max(self.over.upper - image * (1.0 - 4.0 * LIBM), 0.0)
        found = (self.upper_law.upper(epsilon, self.blur) + beyond) * (1.0 + 4.0 * UNIT) + LEAST_MASS
        return min(1.0, found)  # in this order 1 also stands for what floats have lost

    def lower(self, epsilon: float) -> float:
        """δ from below."""
        image = self.over_image.upper * math.exp(min(epsilon, 700.0))
        beyond = max(self.over.lower - image * (1.0 + 4.0 * LIBM), 0.0)
        found = (self.lower_law.lower(epsilon, self.blur) + beyond) * (1.0 - 4.0 * UNIT)
        return max(0.0, found)


@dataclass(frozen=True, eq=False)
class FewSteps:
    """Steps that can be cut, with their counts."""

    pieces: Pieces

    @cached_property
    def _steps(self) -> int:
        return sum(n for _, n in self.pieces)

    def between(self, epsilon: float, near: float, log_mass: float, span: float) -> Between:
        """Laws for ε within `near` (relatively) of the given one, with cells of this width."""
        low, high = epsilon * (1.0 - near), epsilon * (1.0 + near)
        grid = meshes(self.pieces, low, high, log_mass, span)
        counts = [n for _, n in self.pieces]
        if sum(m.cells for m in grid) >= 4 * MOST_CELLS:
            raise Unreachable
        cells = [piece.cut(mesh, log_mass) for (piece, _), mesh in zip(self.pieces, grid, strict=True)]
        tops = math.fsum(n * (m.lowest + m.span * m.cells) for n, m in zip(counts, grid, strict=True))
        floors = []
        for i, ((piece, _), mesh) in enumerate(zip(self.pieces, grid, strict=True)):
            if mesh.lowest > piece.reach(log_mass)[0]:
                cells[i] = cells[i]._replace(under=0.0)
                floors.append(tops - mesh.span * mesh.cells)
        laws = [
            [LatticeLaw(law(c, m.span), m.lowest, n) for c, m, n in zip(cells, grid, counts, strict=True)]
            for law in (above, below)
        ]
        span = grid[0].span
        start = 1.0 / max(abs(epsilon), span)
        tilt = min(at_epsilon(lambda t: cumulants_of(laws[0], span, t), epsilon, start).tilt, 2.0 / span)
        bottom = math.fsum(n * m.lowest for m, n in zip(grid, counts, strict=True))
        blur = math.fsum(n * c.blur for c, n in zip(cells, counts, strict=True))
        lasts = [m.span * m.cells + bottom for m, c in zip(grid, cells, strict=True) if c.over.upper > 0.0]
        return Between(
            upper_law=compose(laws[0], span, tilt),
            lower_law=compose(laws[1], span, tilt),
            blur=blur,
            over=_any([c.over for c in cells], [c.kept for c in cells], counts),
            over_image=_any([c.over_image for c in cells], [c.image for c in cells], counts),
            limit=min(lasts, default=math.inf) - blur - 1e-12 * abs(bottom),
            floor=max(floors, default=-math.inf) + blur + 1e-12 * abs(tops),
        )

    def width(self, epsilon: float, near: float, log_mass: float) -> float:
        """How far the widest step ranges."""
        found = ranges(self.pieces, epsilon * (1.0 - near), epsilon * (1.0 + near), log_mass)
        ends = [piece.reach(log_mass) for piece, _ in self.pieces]
        # A single step needs no width at all; cells must still be wider than the rounding of their edges.
        return max([*(b - a for a, b in found), 1e-6 * abs(epsilon), *(1e-8 * (b - a) for a, b in ends), 1e-200])

    @np.errstate(all="ignore")  # what overflows is checked at the end: see `Between`
    def delta(self, epsilon: float, tolerance: float) -> Enclosure:
        """δ(ε), the finite part."""
        return self._around(epsilon, 0.0, max(tolerance, FINEST))[0]

    def _around(self, epsilon: float, near: float, tolerance: float) -> tuple[Enclosure, Between]:
        """δ(ε) as closely as asked for, and the laws that say it, which serve the ε around as well."""
        log_delta = max(log_delta_of(p.sketch(-690.0), epsilon) for p, _ in self.pieces)
        span = self.width(epsilon, near, -690.0) / SCOUT
        found, refinements = UNIT_INTERVAL, 0
        while True:
            log_mass = max(log_delta, -600.0) + math.log(tolerance) - math.log(self._steps) - 9.0
            pair = self.between(epsilon, near, log_mass, span)
            found, refinements = found & Enclosure(pair.lower(epsilon), pair.upper(epsilon)), refinements + 1
            finer = self._finer(span, found.gap / tolerance, self.width(epsilon, near, log_mass))
            if found.gap <= tolerance or finer > 0.9 * span or refinements >= REFINEMENTS:
                return found, pair
            log_delta, span = math.log(found.lower if found.lower > 0.0 else found.upper), finer

    @np.errstate(all="ignore")
    def curve(self, epsilons: Sequence[float], tolerance: float) -> dict[float, Enclosure]:
        """δ at many ε > 0: laws made for one ε serve its neighbours, each reading certified as if alone."""
        answers: dict[float, Enclosure] = {}
        waiting = sorted(set(epsilons))
        while waiting:
            group = [e for e in waiting if e <= ABREAST * waiting[0]]
            centre = math.sqrt(group[0] * group[-1])
            _, pair = self._around(centre, group[-1] / centre - 1.0, 0.3 * tolerance)
            for e in group:
                found = Enclosure(pair.lower(e), pair.upper(e))
                answers[e] = found if found.gap <= tolerance else found & self.delta(e, tolerance)
            waiting = waiting[len(group) :]
        return answers

    @np.errstate(all="ignore")
    def is_below(self, epsilon: float, delta: float) -> bool:
        """Whether δ(ε) is seen at the first glance to be no more than this."""
        log_mass = math.log(delta) - math.log(self._steps) - 9.0
        return self.between(epsilon, 0.0, log_mass, self.width(epsilon, 0.0, log_mass) / SCOUT).upper(epsilon) <= delta

    def _finer(self, span: float, excess: float, width: float) -> float:
        """The gap falls like the square of the span."""
        return max(span * math.sqrt(0.4 / max(excess, 0.4)), width / MOST_CELLS)

    @np.errstate(all="ignore")
    def epsilon(
        self,
        low_target: float,
        high_target: float,
        tolerance: float,
        most: float = math.inf,
        expected: float | None = None,
    ) -> Enclosure:
        """ε at a δ known to lie between two numbers: the finite part must get below the one, and stay above the
        other.
        """
        log_delta, tolerance = math.log(high_target), max(tolerance, FINEST)
        log_mass = log_delta + math.log(tolerance) - math.log(self._steps) - 9.0
        found, pair, near = self._search(low_target, high_target, log_mass, most, expected)
        if found.upper == 0.0:
            return found
        span = pair.upper_law.span
        for _ in range(REFINEMENTS):
            t = pair.upper_law.tilt
            width = 0.05 * tolerance * near
            _, up = crossing(pair.upper, low_target, found, near, t, width)
            down, _ = crossing(pair.lower, high_target, Enclosure(found.lower, up), up - width, t, width)
            found = found & Enclosure(down, up)
            gap = found.upper - found.lower
            if found.gap <= tolerance or gap <= NEGLIGIBLE:
                break
            near, reach = 0.5 * (found.lower + found.upper), min(0.5 * found.gap + 1e-4, NEAR)
            finer = self._finer(span, found.gap / tolerance, self.width(near, reach, log_mass))
            if finer > 0.9 * span:
                break
            span = finer
            try:
                pair = self.between(near, reach, log_mass, span)
            except Unreachable:
                break
        return found

    def _search(
        self, low_target: float, high_target: float, log_mass: float, supremum: float, expected: float | None
    ) -> tuple[Enclosure, Between, float]:
        """Scout until a lattice is made for the ε sought; every look narrows what is known."""
        if expected is not None and 0.0 < expected < supremum:
            return self._settle(expected, Enclosure(0.0, supremum), low_target, high_target, log_mass)
        log_delta, share = math.log(high_target), math.log(self._steps)
        sketches = [(p.sketch(log_mass), n) for p, n in self.pieces]
        least = max(_epsilon(s, log_delta) for s, _ in sketches)
        most = sum(n * _epsilon(s, log_delta - share) for s, n in sketches)
        found = Enclosure(0.0, supremum)
        x = min(math.sqrt(max(least, 1e-3 * most) * most), 0.999 * supremum)
        if least <= 1e-6 * most:  # perhaps ε = 0 suffices
            x = max(1e-3 * most, 1e-6 * max(p.reach(log_mass)[1] for p, _ in self.pieces))
            pair = self.between(x, 1.0, log_mass, self.width(x, 1.0, log_mass) / SCOUT)
            if pair.upper(0.0) <= low_target:
                return NOTHING, pair, 0.0
        return self._settle(x, found, low_target, high_target, log_mass)

    def _settle(
        self, x: float, found: Enclosure, low_target: float, high_target: float, log_mass: float
    ) -> tuple[Enclosure, Between, float]:
        log_delta, supremum = math.log(high_target), found.upper
        for _ in range(SEARCHES):
            pair = self.between(x, NEAR, log_mass, self.width(x, NEAR, log_mass) / SCOUT)
            upper, lower = pair.upper(x), pair.lower(x)
            found = found & Enclosure(x if lower >= high_target else 0.0, x if upper <= low_target else math.inf)
            value = max(math.sqrt(upper * max(lower, 1e-2 * upper)), LEAST_MASS)
            further = x + min(0.5 * NEAR * x, 0.25 * (supremum - x))
            ahead = pair.upper(further)
            slope = math.log(upper / ahead) / math.log(further / x) if 0.0 < ahead < upper else 1.0
            step = (math.log(value) - log_delta) / max(slope, 1e-3)
            following = x * math.exp(min(max(step, -2.0), 2.0))
            if abs(step) < 0.6 * NEAR:
                return found, pair, following
            x = following if found.lower < following < found.upper else _inside(found)
        raise Unreachable("the search for ε did not settle")


def _inside(known: Enclosure) -> float:
    """A place to look at next, where all that is known are the ends."""
    if math.isinf(known.upper):
        return 2.0 * known.lower
    return math.sqrt(max(known.lower, 1e-2 * known.upper) * known.upper)


def _any(parts: list[Enclosure], wholes: list[float], counts: list[int]) -> Enclosure:
    r"""$\prod m_i^{n_i}-\prod(m_i-p_i)^{n_i}$: the mass of what has at least one step in its part $p_i$, out of wholes
    $m_i$ between the given ones and 1. It increases in both.
    """

    def union(values: list[float]) -> float:
        return -math.expm1(math.fsum(n * math.log1p(-min(v, 1.0 - 1e-16)) for v, n in zip(values, counts, strict=True)))

    least = union([p.lower / m if m > 0.0 else 0.0 for p, m in zip(parts, wholes, strict=True)])
    whole = math.prod(m**n for m, n in zip(wholes, counts, strict=True))
    return Enclosure(
        least * whole * (1.0 - 5.0 * LIBM - 2.0 * UNIT * sum(counts)),
        min(union([p.upper for p in parts]) * (1.0 + 5.0 * LIBM), 1.0),
    )


def log_delta_of(sketch: Sketch, epsilon: float) -> float:
    """Of one step alone, quick."""
    found = float(sketch.weights @ np.maximum(-np.expm1(np.minimum(epsilon - sketch.losses, 0.0)), 0.0))
    return math.log(found) if found > 0.0 else -690.0


def _epsilon(sketch: Sketch, log_delta: float) -> float:
    """Of one step alone, quick."""
    low, high = 0.0, max(float(sketch.losses.max()), 0.0)
    for _ in range(60):
        middle = 0.5 * (low + high) if high < 4.0 * low else math.sqrt(max(low, 1e-9 * high) * high)
        low, high = (middle, high) if log_delta_of(sketch, middle) > log_delta else (low, middle)
        if high - low <= 1e-3 * high:
            break
    return high
