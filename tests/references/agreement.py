"""Asks dpcompose for a stored work, and says what it got wrong."""

from __future__ import annotations

import math
from fractions import Fraction

from stored import Reference

import dpcompose as dpc
from dpcompose import inversion, spec
from dpcompose.numerics.enclosure import Enclosure

ORDERS = {"remove": inversion.Direction.REMOVE, "add": inversion.Direction.ADD}
TOLERANCE = 1e-6


def below(x: Fraction) -> float:
    """The largest float that is not above."""
    nearest = float(x)
    return nearest if Fraction(nearest) <= x else math.nextafter(nearest, -math.inf)


def above(x: Fraction) -> float:
    """The smallest float that is not below."""
    return -below(-x)


def delta_of(reference: Reference, tolerance: float = TOLERANCE) -> Enclosure:
    """δ at the stored ε."""
    if reference.order == "both":
        return dpc.delta(spec.loads(reference.work), reference.level, tolerance).enclosure
    return one_order(reference).delta(reference.level, tolerance)


def epsilon_of(reference: Reference, delta: float, tolerance: float = TOLERANCE) -> Enclosure:
    """ε at a δ."""
    if reference.order == "both":
        return dpc.epsilon(spec.loads(reference.work), delta, tolerance).enclosure
    return one_order(reference).epsilon(delta, tolerance)


def one_order(reference: Reference) -> inversion.LossProfile:
    """The engine on one order of the neighbours."""
    rate, noise = Fraction(reference.numbers["rate"]), Fraction(reference.numbers["noise_std"])
    loss = inversion.SampledGaussianLoss(rate, noise, ORDERS[reference.order])
    return inversion.profile([(loss, reference.numbers["count"])])


def disputed_delta(reference: Reference, found: Enclosure) -> list[str]:
    """δ must meet the stored interval: what does not."""
    low, high = reference.delta
    claims = {
        f"δ <= {found.upper!r}": Fraction(found.upper) >= low,
        f"δ >= {found.lower!r}": Fraction(found.lower) <= high,
    }
    return [f"{reference.work}, {reference.order}: {claim}" for claim, holds in claims.items() if not holds]


def understated(reference: Reference, found: Enclosure) -> list[str]:
    """At a δ no larger than the truth the least ε is no smaller than the stored one."""
    return [] if found.upper >= reference.level else [f"{reference.work}, {reference.order}: ε <= {found.upper!r}"]


def overstated(reference: Reference, found: Enclosure) -> list[str]:
    """At a δ no smaller than the truth the least ε is no larger than the stored one."""
    return [] if found.lower <= reference.level else [f"{reference.work}, {reference.order}: ε >= {found.lower!r}"]
