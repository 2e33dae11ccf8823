"""The noise of a release: the least amount that meets a target, bounds on its tails, and draws of it.

Geometric noise is the default: for counts that differ by one no noise is better under composition (Kairouz, Oh and
Viswanath 2015, Theorem 4.4).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpcompose.description import Adjacency, Composition, Mechanism
from dpcompose.errors import InvalidParameter
from dpcompose.mechanisms import BlackBox, DiscreteGaussian, Geometric
from dpcompose.numerics.enclosure import Ball, Real, ball, enclose
from dpcompose.numerics.search import last
from dpcompose.release.sampling import OS, Integers, RandomSource, discrete_gaussian, discrete_laplace

REACH = 64
AIM = 1 - Fraction(
    1, 2**20
)  # a little below the target, so that the price of the whole is surely shown to be within it
Leak = Composition
NO_LEAK = Composition()


@dataclass(frozen=True, slots=True)
class MovedCells:
    """What the noise must hide: a number of cells that may each change by at most `shift`."""

    count: int
    shift: int
    adjacency: Adjacency


class Drawn(ABC):
    """Noise of a fixed amount."""

    mechanism: Mechanism

    @abstractmethod
    def draw(self, size: int, source: RandomSource = OS) -> Integers:
        """Independent draws: whole numbers."""

    @abstractmethod
    def tail(self, distance: int) -> float:
        """An upper bound on P(Z ≥ distance), for a distance of at least 1."""

    def reach(self, chance: Real) -> int:
        """The least distance, up to rounding, whose tail is at most this likely."""
        low, high = 0, 1
        while self.tail(high) > chance:
            low, high = high, 2 * high
        return last(lambda distance: self.tail(distance) > chance, low, high) + 1

    def margin(self, confidence: Real) -> int:
        """An upper bound on the absolute value of the noise, with this confidence."""
        return self.reach((1 - Fraction(confidence)) / 2) - 1


class Noise(ABC):
    """A kind of noise."""

    name: str

    def __repr__(self) -> str:
        return self.name.upper()

    @abstractmethod
    def fitted(self, cells: MovedCells, epsilon: Real, delta: Real, beside: Leak = NO_LEAK) -> Drawn:
        """The least noise, up to rounding, with which the cells, and a leak beside them, meet (ε, δ)."""


@dataclass(frozen=True, slots=True)
class DrawnGeometric(Drawn):
    """Two-sided geometric noise."""

    mechanism: Geometric

    def draw(self, size: int, source: RandomSource = OS) -> Integers:
        """Independent draws: whole numbers."""
        return discrete_laplace(self.mechanism.scale, size, source)

    def tail(self, distance: int) -> float:
        r"""$P(Z \ge t) = r^t/(1+r)$ with $r = e^{-1/b}$."""

        def formula() -> Ball:
            rate = -1 / ball(Fraction(self.mechanism.scale))
            return (rate * distance).exp() / (1 + rate.exp())

        return enclose(formula).upper


@dataclass(frozen=True, slots=True)
class DrawnGaussian(Drawn):
    """Discrete Gaussian noise."""

    mechanism: DiscreteGaussian

    def draw(self, size: int, source: RandomSource = OS) -> Integers:
        """Independent draws: whole numbers."""
        return discrete_gaussian(self.mechanism.noise_std, size, source)

    def tail(self, distance: int) -> float:
        r"""$P(Z \ge t) \le \min\{e^{-t^2/2\sigma^2}, P(\sigma N \ge t-1)\}$: it is sub-Gaussian (Canonne, Kamath and
        Steinke 2020, Section 3), and no larger than a normal variable rounded away from 0.
        """

        def subgaussian() -> Ball:
            return (-(ball(Fraction(distance) / deviation) ** 2) / 2).exp()

        def normal() -> Ball:
            return (ball(Fraction(distance - 1) / deviation) / ball(2).sqrt()).erfc() / 2

        deviation = Fraction(self.mechanism.noise_std)
        return min(enclose(subgaussian).upper, enclose(normal).upper)


def least(family: Callable[[Real], Mechanism], epsilon: Real, delta: Real, within: tuple[float, float]) -> Real:
    """The least noise of a family that is certain to meet the target. The search is imported here, as few releases need
    it.
    """
    from dpcompose.calibration import calibrate

    return calibrate(family, epsilon=Fraction(epsilon) * AIM, delta=delta, within=within).value


class GeometricNoise(Noise):
    """Two-sided geometric noise; meets δ = 0."""

    name = "geometric"

    def fitted(self, cells: MovedCells, epsilon: Real, delta: Real, beside: Leak = NO_LEAK) -> DrawnGeometric:
        """The scale is count·shift/ε or, if that is less and some δ is left, what randomized response needs."""
        scale: Real = Fraction(cells.count * cells.shift) / Fraction(epsilon)
        if delta and cells.count > 1 and not beside.parts:
            step = 1 / (Fraction(epsilon) / cells.count)
            within = float(step / REACH / cells.count), math.nextafter(float(step), math.inf)
            found = least(lambda b: cells.count * BlackBox(epsilon=1 / Fraction(b)), epsilon, delta, within)
            scale = min(scale, Fraction(found) * cells.shift)
        return DrawnGeometric(Geometric(scale=scale, sensitivity=cells.shift, adjacency=cells.adjacency))


class GaussianNoise(Noise):
    """Discrete Gaussian noise; needs δ > 0."""

    name = "gaussian"

    def fitted(self, cells: MovedCells, epsilon: Real, delta: Real, beside: Leak = NO_LEAK) -> DrawnGaussian:
        """The least σ with which all cells of the table together meet (ε, δ)."""
        if not delta:
            raise InvalidParameter("delta", delta, "a positive number, as Gaussian noise never meets δ = 0")

        def table(noise_std: Real) -> Mechanism:
            one = DiscreteGaussian(noise_std=noise_std, sensitivity=cells.shift, adjacency=cells.adjacency)
            return cells.count * one + beside

        # ρ = cΔ²/2σ² = (√(L + ε) − √L)² meets (ε, δ/2), L = ln 2/δ: twice that deviation is enough.
        log = math.log(2) - math.log(delta)
        room = float(epsilon) / (math.sqrt(log + float(epsilon)) + math.sqrt(log))
        most = 2 * cells.shift * math.sqrt(cells.count) / room
        found = least(table, epsilon, delta, (most / REACH**2, most))
        mechanism = DiscreteGaussian(noise_std=found, sensitivity=cells.shift, adjacency=cells.adjacency)
        return DrawnGaussian(mechanism)


GEOMETRIC, GAUSSIAN = GeometricNoise(), GaussianNoise()

__all__ = ["GAUSSIAN", "GEOMETRIC", "Drawn", "MovedCells", "Noise"]
