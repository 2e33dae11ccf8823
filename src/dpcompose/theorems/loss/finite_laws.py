"""A finite loss law as the engine wants it: arrays of floats, with the error of each stated."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpcompose import inversion
from dpcompose.exact.atoms import Law, Loss, value
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import Direction, Lattice
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Ball, Enclosure, Real, ball
from dpcompose.numerics.precision import ctx

ROUNDING = 2.0**-51
"""More than enough for a number rounded outward on both sides, relatively."""
LEAST, MOST = 1e-290, 1e290
BITS = 128


@dataclass(frozen=True, slots=True)
class Listed:
    """A law that lists its atoms."""

    law: Law

    def loss(self) -> inversion.ListedLoss:
        """Every atom as floats; atoms too light for floats count as leak or as nothing."""
        from dpcompose.mechanisms.long_pair import MASS_ERROR, LongPairLaw

        if isinstance(self.law, LongPairLaw):
            long = self.law.floats()
            return inversion.ListedLoss(long.losses, long.masses, long.leak, long.loss_error, MASS_ERROR)
        return spelled_out(self)

    def exactly(self) -> inversion.ListedLoss:
        """Every atom at the working precision."""
        listed = self.law.atoms()
        places = lattice([loss for loss, _ in listed])
        return in_floats([(value(loss), mass) for loss, mass in listed], Enclosure.of(self.law.leak()), places)


def in_floats(atoms: list[tuple[Ball, Ball]], leak: Enclosure, places: Lattice | None = None) -> inversion.ListedLoss:
    """Losses and masses as floats with their errors; the rest may leak, and so may what no atom has at all."""
    missing = 1 - sum((mass for _, mass in atoms), ball(leak.upper))
    if missing > 0:
        leak = Enclosure(leak.lower, Enclosure.of(leak.upper + missing).upper)
    found = [(Enclosure.of(loss), Enclosure.of(mass)) for loss, mass in atoms]
    heavy = [atom for atom in found if _is_listed(*atom)]
    light = math.fsum(mass.upper for place, mass in found if not _is_listed(place, mass)) * (1 + ROUNDING)
    return inversion.ListedLoss(
        np.array([place.lower for place, _ in heavy]),
        np.array([mass.lower for _, mass in heavy]),
        Enclosure(max(leak.lower, 0.0), leak.upper + light) & UNIT_INTERVAL,
        np.array([place.upper - place.lower for place, _ in heavy]) * (1 + ROUNDING),
        np.array([(mass.upper - mass.lower) / mass.lower for _, mass in heavy]) * (1 + ROUNDING),
        places,
    )


def _is_listed(place: Enclosure, mass: Enclosure) -> bool:
    """Whether an atom is heavy enough for floats, and known to lie anywhere at all."""
    return mass.lower > LEAST and math.isfinite(place.upper - place.lower)


@dataclass(frozen=True, slots=True)
class SampledListed:
    """A law that lists its atoms, seen through a Poisson sample."""

    law: Law
    rate: Real
    direction: Direction
    other: Law
    """The loss in the other order: its leak is what the record would rule out."""

    def loss(self) -> inversion.ListedLoss:
        """The likelihood ratio e^l becomes 1 − q + qe^l; it is 1 − q where the record would rule the outcome out."""
        from dpcompose.mechanisms.long_pair import LongPairLaw

        if isinstance(self.law, LongPairLaw):
            return Listed(self.law).loss().sampled(self.rate, self.direction)
        return spelled_out(self)

    def exactly(self) -> inversion.ListedLoss:
        """Every atom at the working precision."""
        q, ratio, remove = ball(self.rate), PoissonRatio(self.rate), self.direction is Direction.REMOVE
        losses = [(value(loss), mass) for loss, mass in self.law.atoms()]
        plain = [(ratio.log_in_balls(loss), mass * (-loss).exp()) for loss, mass in losses]
        hidden = self.other.leak()
        certain = [((-q).log1p(), hidden)] if hidden > 0 else []
        atoms = [(log, mass * log.exp()) if remove else (-log, mass) for log, mass in [*plain, *certain]]
        leak = q * self.law.leak() if remove else Ball(0)
        return in_floats(atoms, Enclosure.of(leak if certain else leak + hidden))


@lru_cache(maxsize=1024)
def spelled_out(step: Listed | SampledListed) -> inversion.ListedLoss:
    """The same at one precision, whoever asks: readings ask many times."""
    with ctx.workprec(BITS):
        return step.exactly()


@dataclass(frozen=True, slots=True)
class LeakyLaw:
    """Leaky randomized response: +∞ with probability δ, else ±ε with the odds e^ε to 1."""

    epsilon: Real
    delta: Real

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """The two finite losses."""
        e, x, kept = Fraction(self.epsilon), (-ball(self.epsilon)).exp(), 1 - ball(self.delta)
        return [(e, kept / (1 + x)), (-e, kept * x / (1 + x))]

    def leak(self) -> Ball:
        """What reveals everything."""
        return ball(self.delta)


def lattice(losses: list[Loss]) -> Lattice | None:
    """The coarsest lattice that holds all losses, if they are rational and floats tell where it lies."""
    numbers = [x for x in losses if isinstance(x, Fraction)]
    if len(numbers) < len(losses) or len(set(numbers)) < 2:
        return None
    least = min(numbers)
    steps = [x - least for x in numbers]
    bottom = math.lcm(*(x.denominator for x in steps))
    span = Fraction(math.gcd(*(x.numerator * (bottom // x.denominator) for x in steps)), bottom)
    is_told = all(x == 0 or LEAST < abs(x) < MOST for x in (least, span))
    return Lattice(float(least), float(span), ROUNDING) if is_told else None
