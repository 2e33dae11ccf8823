"""Curves in the square of error rates: how often an attacker misses, against how often it gives false alarms.

Every boundary here is an outer one: no test against the mechanism has error rates below it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dpcompose.curves.sweeps import Grid, chosen, places, range_of_epsilon
from dpcompose.description import Mechanism, Subject, described
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.parameters import COUNT, EPSILON
from dpcompose.prove.compare import compare
from dpcompose.regions.chain import Descent, beneath
from dpcompose.regions.readings import beta
from dpcompose.regions.region import RATE, Region, Tangent, region
from dpcompose.regions.tradeoff import Order

Points: TypeAlias = tuple[tuple[float, float], ...]

_ALPHAS = 101


@dataclass(frozen=True, slots=True)
class TradeOff:
    """Bounds on the least type II error at each type I error, from below and from above."""

    subject: Mechanism
    alphas: tuple[Real, ...]
    betas: tuple[Enclosure, ...]

    def __repr__(self) -> str:
        return f"<TradeOff at {len(self.alphas)} type I errors>"


@dataclass(frozen=True, slots=True)
class Family:
    """The privacy regions of k steps, for several k."""

    step: Mechanism
    counts: tuple[int, ...]
    regions: tuple[Region, ...]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.regions)} regions>"


@dataclass(frozen=True, slots=True)
class Boundary:
    """The region that one theorem promises, as the corners of its lower left boundary in the order of rising fnr."""

    theorem: str
    corners: Points

    def __repr__(self) -> str:
        return f"<Boundary by {self.theorem}, {len(self.corners)} corners>"


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The regions that several theorems promise for one mechanism, the largest first."""

    subject: Mechanism
    each: tuple[Boundary, ...]

    def __repr__(self) -> str:
        return f"<Boundaries by {len(self.each)} theorems>"

    def of(self, theorem: str) -> Boundary:
        """The boundary by one theorem."""
        return next(boundary for boundary in self.each if boundary.theorem == theorem)


@dataclass(frozen=True, slots=True)
class Tangents:
    """A region, and the lines that touch it from below: one for each level ε."""

    subject: Mechanism
    region: Region
    epsilons: tuple[Real, ...]
    lines: tuple[Tangent, ...]

    def __repr__(self) -> str:
        return f"<Tangents at {len(self.epsilons)} levels>"


class Reached(ABC):
    """Points that an audit has shown to be reachable: anything with `vertices` (fnr, fpr) and a `confidence`."""

    @property
    @abstractmethod
    def vertices(self) -> Points:
        """The points (fnr, fpr) that are reached."""

    @property
    @abstractmethod
    def confidence(self) -> Real:
        """The probability with which all points are reachable."""

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        return all(hasattr(other, name) for name in ("vertices", "confidence"))


@dataclass(frozen=True, slots=True)
class Overlay:
    """Points that an audit has shown to be reachable, over the region that was promised."""

    subject: Mechanism
    promised: Region
    points: Points
    confidence: Real

    @property
    def refuting(self) -> Points:
        """The points below the promised region: they break the promise, with the stated confidence."""
        return tuple((x, y) for x, y in self.points if Fraction(y) < self.promised.below.value(x))


def tradeoff(mechanism: Subject, alphas: Grid | None = None, order: Order = Order.EITHER) -> TradeOff:
    """The trade-off function at many α; by default more densely near 0 and 1, where it bends most."""
    subject = described(mechanism)
    spread = (1 - np.cos(np.linspace(0, np.pi, _ALPHAS))) / 2
    at = places("alphas", spread if alphas is None else alphas, RATE)
    return TradeOff(subject, at, tuple(answer.enclosure for answer in beta(subject, at, order=order)))


def family(step: Subject, counts: Grid = (1, 2, 3, 4, 5), tolerance: float = 1e-3) -> Family:
    """The privacy region of k steps for each k."""
    at = tuple(int(count) for count in places("counts", counts, COUNT))
    one = described(step, "step")
    return Family(one, at, tuple(region(count * one, tolerance=tolerance) for count in at))


def boundaries(mechanism: Subject, epsilons: Grid | None = None, theorems: Sequence[str] | None = None) -> Boundaries:
    r"""The region that each theorem promises, by the lines $P_{FA} = 1-\delta-e^\varepsilon P_{MD}$ and their mirror
    images.

    Only the given levels are used, so a boundary may lie a little below the theorem's own, never above it.
    """
    wanted, subject = chosen(theorems), described(mechanism)
    at = places("epsilons", range_of_epsilon(subject) if epsilons is None else epsilons, EPSILON)
    promised: dict[str, list[tuple[Real, float]]] = {}
    for epsilon in at:
        for row in compare(subject, epsilon=epsilon).rows:
            if wanted(row.theorem) and row.value is not None:
                promised.setdefault(row.theorem, []).append((epsilon, row.value))
    found = [Boundary(name, _corners(pairs)) for name, pairs in promised.items()]
    return Boundaries(subject, tuple(sorted(found, key=lambda b: (_below(b.corners), b.theorem))))


def _corners(promised: Sequence[tuple[Real, float]]) -> Points:
    """The corners of the region that (ε, δ) pairs leave to an attacker, rounded downward."""
    lines = []
    for epsilon, delta in promised:
        kept = Enclosure.exactly(1 - Fraction(delta)).lower
        steep = enclose(lambda t=epsilon: ball(t).exp()).upper  # type: ignore[misc]
        flat = enclose(lambda t=epsilon: (-ball(t)).exp()).lower  # type: ignore[misc]
        if kept > 0 and np.isfinite(steep):
            lines += [Descent(Ball(kept), Ball(steep)), Descent((Ball(flat) * Ball(kept)).lower(), Ball(flat))]
    if not lines:
        return ((0.0, 0.0),)
    return tuple((float(x), float(y)) for x, y in beneath(lines).corners)


def _below(corners: Points) -> float:
    """The area below a boundary; a larger area means a smaller region."""
    x, y = np.array(corners).T
    return float(np.trapezoid(y, x))


def tangents(mechanism: Subject, epsilons: Grid = (0, 1)) -> Tangents:
    """The region and the lines that touch it, of slope −e^ε, for levels of either sign."""
    at = tuple(sorted({(1 if e >= 0 else -1) * EPSILON.check("epsilons", abs(e)) for e in epsilons}))
    subject = described(mechanism)
    found = region(subject)
    return Tangents(subject, found, at, tuple(found.tangent(e) for e in at))


def overlay(promised: Subject, reached: Reached) -> Overlay:
    """An audit's points over the region that a mechanism's description promises."""
    subject = described(promised, "promised")
    return Overlay(subject, region(subject), tuple(reached.vertices), reached.confidence)


__all__ = [
    "Boundaries",
    "Boundary",
    "Family",
    "Overlay",
    "Points",
    "Reached",
    "Tangents",
    "TradeOff",
    "boundaries",
    "family",
    "overlay",
    "tangents",
    "tradeoff",
]
