"""Asks dpcompose for a stored work, and says what it got wrong and how wide it was."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from stored import Reference

import dpcompose as dpc
from dpcompose import inversion, spec
from dpcompose.numerics.enclosure import Enclosure

ORDERS = {"remove": inversion.Direction.REMOVE, "add": inversion.Direction.ADD}
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Verdict:
    """The relative gaps of δ and ε, and every bound that is on the wrong side."""

    delta_gap: float
    epsilon_gap: float
    wrong: tuple[str, ...]


def below(x: Fraction) -> float:
    """The largest float that is not above."""
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else math.nextafter(nearest, -math.inf)


def above(x: Fraction) -> float:
    """The smallest float that is not below."""
    return -below(-x)


def delta_of(reference: Reference) -> Enclosure:
    """δ at the stored ε."""
    if reference.order == "both":
        return dpc.delta(spec.loads(reference.work), reference.level, TOLERANCE).enclosure
    return one_order(reference).delta(reference.level, TOLERANCE)


def epsilon_of(reference: Reference, delta: float) -> Enclosure:
    """ε at a δ."""
    if reference.order == "both":
        return dpc.epsilon(spec.loads(reference.work), delta, TOLERANCE).enclosure
    return one_order(reference).epsilon(delta, TOLERANCE)


def one_order(reference: Reference) -> inversion.Profile:
    """The engine on one order of the neighbours."""
    rate, noise = Fraction(reference.numbers["rate"]), Fraction(reference.numbers["noise_std"])
    loss = inversion.SampledGaussianLoss(rate, noise, ORDERS[reference.order])
    return inversion.profile([(loss, reference.numbers["count"])])


def judged(reference: Reference) -> Verdict:
    """δ must meet the stored interval; at a δ no larger than the truth the least ε is no smaller than stored."""
    low, high = reference.delta
    delta, epsilon = delta_of(reference), epsilon_of(reference, below(low))
    claims = {
        f"δ <= {delta.upper!r}": Fraction(delta.upper) >= low,
        f"δ >= {delta.lower!r}": Fraction(delta.lower) <= high,
        f"ε({below(low)!r}) <= {epsilon.upper!r}": epsilon.upper >= reference.level,
    }
    return Verdict(delta.gap, epsilon.gap, tuple(claim for claim, holds in claims.items() if not holds))


def overstated(reference: Reference) -> str:
    """At a δ no smaller than the truth, the least ε is no larger than the stored one: what contradicts that."""
    delta = above(reference.delta[1])
    found = epsilon_of(reference, delta)
    return "" if found.lower <= reference.level else f"ε({delta!r}) >= {found.lower!r}"
