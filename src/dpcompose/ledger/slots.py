"""Which mechanisms may fill a slot of a fixed plan: the one announced, or one that it dominates.

A slot dominates a mechanism if its pair of distributions is at least as far apart at every ε. Three reasons are
accepted, each a theorem: the slot is a black box and the mechanism keeps its promise; the slot is normal noise (or
μ-GDP) and the mechanism is GDP with at most its μ; both are the same kind of scaled noise, and the mechanism has the
larger scale.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, singledispatch

from dpcompose.description import Mechanism
from dpcompose.errors import DPError
from dpcompose.filters import filter_of
from dpcompose.mechanisms import BlackBox, Gaussian, Laplace
from dpcompose.prove.answer import epsilon as least_epsilon

TOLERANCE = 1e-9


@lru_cache(maxsize=4096)
def fills(slot: Mechanism, mechanism: Mechanism) -> bool:
    """Whether a mechanism may run in a slot."""
    if mechanism == slot:
        return True
    if None not in (slot.adjacency, mechanism.adjacency) and slot.adjacency is not mechanism.adjacency:
        return False
    return dominates(slot, mechanism)


@singledispatch
def dominates(slot: Mechanism, mechanism: Mechanism) -> bool:
    """Whether a slot of this kind is known to dominate another mechanism; most kinds dominate only themselves."""
    return slot == mechanism


@dominates.register
def _(slot: BlackBox, mechanism: Mechanism) -> bool:
    if slot.mu is not None:
        return _normal(Fraction(slot.mu) ** 2, mechanism)
    if slot.epsilon is None:
        return False
    try:
        return least_epsilon(mechanism, slot.delta, TOLERANCE).upper <= slot.epsilon
    except DPError:
        return False


@dominates.register
def _(slot: Gaussian, mechanism: Mechanism) -> bool:
    return _normal((Fraction(slot.sensitivity) / Fraction(slot.noise_std)) ** 2, mechanism)


@dominates.register
def _(slot: Laplace, mechanism: Mechanism) -> bool:
    return isinstance(mechanism, Laplace) and _shift(mechanism) <= _shift(slot)


def _shift(noise: Laplace) -> Fraction:
    return Fraction(noise.sensitivity) / Fraction(noise.scale)


def _normal(mu_squared: Fraction, mechanism: Mechanism) -> bool:
    """Whether a mechanism is GDP with at most this μ². (A filter reads its μ; the filter's caps play no part.)"""
    try:
        return filter_of("gdp", epsilon=1, delta=Fraction(1, 10**6), adjacency=None).cost(mechanism)[0] <= mu_squared
    except DPError:
        return False


__all__ = ["fills"]
