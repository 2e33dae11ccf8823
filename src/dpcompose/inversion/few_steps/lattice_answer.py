r"""Few steps: every step between two laws on a lattice, each composed with all the others.

With few steps a characteristic function decays too slowly to be inverted. Instead each step is cut into cells along
its loss (`cells`), replaced by a law on a lattice above it and one below it (`bracket_laws`), and both are composed by
one Fourier transform (`convolution`). The gap falls with the square of the cells' width: a rough scout measures it,
and tells how fine the lattice must be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dpcompose.inversion.few_steps.bracket import LEAST_MASS, Bracket, CutStep, between
from dpcompose.inversion.few_steps.bracket_laws import above, below
from dpcompose.inversion.few_steps.cells import Sketch
from dpcompose.inversion.few_steps.convolution import compose, tilt_at
from dpcompose.inversion.few_steps.meshes import Pieces, meshes, ranges
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.inversion.saddle import at_delta
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Enclosure
from dpcompose.numerics.rounding import inner
from dpcompose.numerics.unreachable import OutOfReach

SCOUT = 1024
"""Cells of the widest step in a first look."""
MOST_CELLS = 1 << 18
"""The greatest number of cells of the widest step."""
MOST_TOGETHER = 4 * MOST_CELLS
"""The greatest number of cells of all different steps."""
SHARE = 0.4
"""A finer lattice may take this share of what may still be computed for the question."""
ROUGH = 0.7
"""A look that leaves δ uncertain by more than this factor, and leads nowhere, is followed by a finer one."""
FINEST = 5e-7
"""The relative gap that two lattices are asked for at least, as their cost grows."""
SEARCHES = 24
"""The greatest number of lattices made to find where ε lies."""
REFINEMENTS = 3
"""The greatest number of lattices from which an answer is narrowed."""
NEAR = 0.03
"""How far, relatively, an ε may lie from the one a lattice was made for."""
MOST_MISSED = 3
"""After so many ε of a curve whose own lattices missed the tolerance, others are left as they are."""
ABREAST = 1.5
"""The greatest ratio of two ε on a curve that share a lattice."""
NEGLIGIBLE = 5e-13
"""An ε known to within this needs no smaller gap."""
SETTLED = 1e-3
"""A gap below this that a finer lattice did not halve is no longer a matter of the span."""


class Sought(NamedTuple):
    """The ε that is looked for: the finite part of δ must get below one number, and stay above the other."""

    low_target: float
    high_target: float
    tolerance: float
    """The relative gap that will do."""
    most: float = math.inf
    """An upper bound on ε that is known."""
    expected: float | None = None
    """Where to look first."""

    def on(self, pair: Bracket, known: Enclosure, near: float) -> Enclosure:
        """What these laws say of it, near the place for which they were made."""
        return pair.epsilon(self.low_target, self.high_target, known, near, 0.05 * self.tolerance * near)

    def is_met(self, found: Enclosure) -> bool:
        """Whether an answer will do."""
        return found.gap <= self.tolerance or found.upper - found.lower <= NEGLIGIBLE


@dataclass(frozen=True, eq=False)
class FewSteps:
    """Steps that can be cut, with their counts."""

    pieces: Pieces

    @cached_property
    def _steps(self) -> int:
        return sum(n for _, n in self.pieces)

    def between(self, epsilon: float, near: float, log_mass: float, span: float) -> Bracket:
        """Laws for ε within `near` (relatively) of the given one, with cells of this width."""
        low, high = epsilon * (1.0 - near), epsilon * (1.0 + near)
        grid = meshes(self.pieces, low, high, log_mass, span)
        if sum(m.cells for m in grid) >= MOST_TOGETHER:
            raise OutOfReach
        parts = zip(self.pieces, grid, strict=True)
        steps = [CutStep.of(piece, n, mesh, log_mass) for (piece, n), mesh in parts]
        tops = math.fsum(step.count * step.highest for step in steps)
        floors = []
        for i, ((piece, _), step) in enumerate(zip(self.pieces, steps, strict=True)):
            if step.mesh.lowest > piece.reach(log_mass)[0]:
                steps[i] = replace(step, cells=step.cells._replace(under=0.0))
                floors.append(tops - step.mesh.span * step.mesh.cells)
        laws, lesser = ([step.law(law) for step in steps] for law in (above, below))
        span = grid[0].span
        tilt = tilt_at(laws, span, epsilon)
        floor = max(floors, default=-math.inf) + 1e-12 * abs(tops)
        return between(steps, compose(laws, span, tilt), compose(lesser, span, tilt), floor)

    def width(self, epsilon: float, near: float, log_mass: float) -> float:
        """How far the widest step ranges."""
        found = ranges(self.pieces, epsilon * (1.0 - near), epsilon * (1.0 + near), log_mass)
        ends = [piece.reach(log_mass) for piece, _ in self.pieces]
        # A single step needs no width at all; cells must still be wider than the rounding of their edges.
        return max([*(b - a for a, b in found), 1e-6 * abs(epsilon), *(1e-8 * (b - a) for a, b in ends), 1e-200])

    def _finer(self, span: float, miss: float, tolerance: float, width: float, taken: float) -> float:
        """The gap falls like the square of the span; where it does not, no more cells are made than would have done,
        nor more than there is room and time for. `miss` is the gap in units of the tolerance.
        """
        cells = min(2.0 * SCOUT / math.sqrt(tolerance), MOST_CELLS, 0.9 * MOST_TOGETHER / len(self.pieces))
        in_time = span * taken / max(SHARE * effort.room(), 1.0)
        return max(span * math.sqrt(0.4 / max(miss, 0.4)), width / cells, in_time)

    @np.errstate(all="ignore")  # what overflows is checked at the end: see `Bracket`
    def delta(self, epsilon: float, tolerance: float) -> Enclosure:
        """δ(ε), the finite part."""
        return self._around(epsilon, 0.0, max(tolerance, FINEST))[0]

    def _around(self, epsilon: float, near: float, tolerance: float) -> tuple[Enclosure, Bracket]:
        """δ(ε) as closely as asked for, and the laws that say it, which serve the ε around as well."""
        log_delta = max(log_delta_of(p.sketch(-690.0), epsilon) for p, _ in self.pieces)
        span = self.width(epsilon, near, -690.0) / SCOUT
        found, refinements = UNIT_INTERVAL, 0
        while True:
            log_mass = max(log_delta, -600.0) + math.log(tolerance) - math.log(self._steps) - 9.0
            taken = effort.taken()
            pair = self.between(epsilon, near, log_mass, span)
            found, refinements = found & Enclosure(pair.lower(epsilon), pair.upper(epsilon)), refinements + 1
            width, taken = self.width(epsilon, near, log_mass), effort.taken() - taken
            finer = self._finer(span, found.gap / tolerance, tolerance, width, taken)
            enough = found.gap <= tolerance or finer > 0.9 * span or refinements >= REFINEMENTS
            if enough or effort.is_worn_out():
                return found, pair
            log_delta, span = math.log(found.lower if found.lower > 0.0 else found.upper), finer

    @np.errstate(all="ignore")
    def curve(self, epsilons: Sequence[float], tolerance: float) -> dict[float, Enclosure]:
        """δ at many ε > 0: laws made for one ε serve its neighbours, each reading certified as if alone."""
        answers: dict[float, Enclosure] = {}
        waiting, missed = sorted(set(epsilons)), 0
        while waiting:
            group = [e for e in waiting if e <= ABREAST * waiting[0]]
            centre = math.sqrt(group[0] * group[-1])
            _, pair = self._around(centre, group[-1] / centre - 1.0, 0.3 * tolerance)
            for e in group:
                answers[e] = Enclosure(pair.lower(e), pair.upper(e))
                if answers[e].gap > tolerance and missed < MOST_MISSED:
                    answers[e] = answers[e] & self.delta(e, tolerance)
                    missed += answers[e].gap > tolerance
            waiting = waiting[len(group) :]
        return answers

    @np.errstate(all="ignore")
    def is_below(self, epsilon: float, delta: float) -> bool:
        """Whether δ(ε) is seen at the first glance to be no more than this."""
        log_mass = math.log(delta) - math.log(self._steps) - 9.0
        return self.between(epsilon, 0.0, log_mass, self.width(epsilon, 0.0, log_mass) / SCOUT).upper(epsilon) <= delta

    @np.errstate(all="ignore")
    def epsilon(
        self,
        low_target: float,
        high_target: float,
        tolerance: float,
        most: float = math.inf,
        expected: float | None = None,
    ) -> Enclosure:
        """ε at a δ known to lie between two numbers: the finite part must get below the one, and stay
        above the other.
        """
        sought = Sought(low_target, high_target, max(tolerance, FINEST), most, expected)
        return self.recalled(sought) or self._found(sought)

    def recalled(self, sought: Sought) -> Enclosure | None:  # noqa: ARG002 - nothing is kept here
        """An answer from what is kept of others, if there is one."""
        return None

    def _found(self, sought: Sought) -> Enclosure:
        log_mass = math.log(sought.high_target) + math.log(sought.tolerance) - math.log(self._steps) - 9.0
        taken = effort.taken()
        found, pair, near = self._search(sought, log_mass)
        if found.upper == 0.0:
            return found
        span = pair.upper_law.span
        for left in reversed(range(REFINEMENTS)):
            before = found.gap
            found = sought.on(pair, found, near)
            no_longer = 0.5 * before < found.gap < SETTLED  # a matter of the span
            if not left or no_longer or sought.is_met(found):
                break
            near, reach = 0.5 * (found.lower + found.upper), min(0.5 * found.gap + 1e-4, NEAR)
            width, taken = self.width(near, reach, log_mass), effort.taken() - taken
            finer = self._finer(span, found.gap / sought.tolerance, sought.tolerance, width, taken)
            if finer > 0.9 * span:
                break
            span, taken = finer, effort.taken()
            try:
                pair = self.refined(near, reach, log_mass, span)
            except OutOfReach:
                break
        return found

    def refined(self, epsilon: float, near: float, log_mass: float, span: float) -> Bracket:
        """The laws from which an answer is taken, once it is known where to look."""
        return self.between(epsilon, near, log_mass, span)

    def _search(self, sought: Sought, log_mass: float) -> tuple[Enclosure, Bracket, float]:
        """Scout until a lattice is made for the ε sought; every look narrows what is known."""
        if sought.expected is not None and 0.0 < sought.expected < sought.most:
            return self._settle(sought.expected, sought, log_mass)
        log_delta, share = math.log(sought.high_target), math.log(self._steps)
        sketches = [(p.sketch(log_mass), n) for p, n in self.pieces]
        least = max(_epsilon(s, log_delta) for s, _ in sketches)
        most = sum(n * _epsilon(s, log_delta - share) for s, n in sketches)
        x = min(_likely(sketches, log_delta, least, most), 0.999 * sought.most)
        if least <= 1e-6 * most:  # perhaps ε = 0 suffices
            x = max(1e-3 * most, 1e-6 * max(p.reach(log_mass)[1] for p, _ in self.pieces))
            pair = self.between(x, 1.0, log_mass, self.width(x, 1.0, log_mass) / SCOUT)
            if pair.upper(0.0) <= sought.low_target:
                return ZERO, pair, 0.0
        return self._settle(x, sought, log_mass)

    def _settle(self, x: float, sought: Sought, log_mass: float) -> tuple[Enclosure, Bracket, float]:
        """What is known of ε, a lattice made near it, and where on that to look first."""
        low_target, high_target, _, supremum, _ = sought
        log_delta, found, cells = math.log(high_target), Enclosure(0.0, supremum), SCOUT
        for _ in range(SEARCHES):
            pair = self.between(x, NEAR, log_mass, self.width(x, NEAR, log_mass) / cells)
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
            before, x = x, following if found.lower < following < found.upper else _inside(found)
            if lower < ROUGH * upper and abs(x / before - 1.0) < NEAR:  # too coarse to tell
                cells = min(8 * cells, MOST_CELLS // 4)
        raise OutOfReach("the search for ε did not settle")


def _likely(sketches: Sequence[tuple[Sketch, int]], log_delta: float, least: float, most: float) -> float:
    """Uncertified ε(δ) of the sum: its saddle point, or just a place between what one step and all may cost."""

    def cumulants(tilt: float) -> Cumulants:
        total = np.zeros(3)
        for sketch, count in sketches:
            exponents = tilt * sketch.losses
            top = float(exponents.max())
            weights = sketch.weights * np.exp(exponents - top)
            mass = float(weights.sum())
            mean = inner(weights, sketch.losses) / mass
            spread = inner(weights, (sketch.losses - mean) ** 2) / mass
            total += count * np.array([top + math.log(mass), mean, spread])
        return Cumulants(*total.tolist())

    with suppress(ArithmeticError, ValueError):
        saddle = at_delta(cumulants, log_delta)
        if saddle.settled and least < saddle.epsilon < most:
            return saddle.epsilon
    return math.sqrt(max(least, 1e-3 * most) * most)


def _inside(known: Enclosure) -> float:
    """A place to look at next, where all that is known are the ends."""
    if math.isinf(known.upper):
        return 2.0 * known.lower
    return math.sqrt(max(known.lower, 1e-2 * known.upper) * known.upper)


def log_delta_of(sketch: Sketch, epsilon: float) -> float:
    """Uncertified ln δ(ε) of a single step, from its sketch."""
    found = inner(sketch.weights, np.maximum(-np.expm1(np.minimum(epsilon - sketch.losses, 0.0)), 0.0))
    return math.log(found) if found > 0.0 else -690.0


def _epsilon(sketch: Sketch, log_delta: float) -> float:
    """Uncertified ε(δ) of a single step, from its sketch."""
    low, high = 0.0, max(float(sketch.losses.max()), 0.0)
    for _ in range(60):
        middle = 0.5 * (low + high) if high < 4.0 * low else math.sqrt(max(low, 1e-9 * high) * high)
        low, high = (middle, high) if log_delta_of(sketch, middle) > log_delta else (low, middle)
        if high - low <= 1e-3 * high:
            break
    return high
