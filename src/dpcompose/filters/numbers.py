"""Numbers as budgets read them: the decimal number a caller meant by a float, and whole multiples of a unit."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpcompose.description import Composition, Mechanism
from dpcompose.mechanisms import BlackBox, NameAndShame
from dpcompose.numerics.enclosure import Real

DIGITS = 17
"""A cap is at most 10^18 units: a sum of two such numbers is less than 2^63."""
SHORT = 10**9
"""Fractions with a longer denominator are rounded up when they enter a sum, so that sums stay short."""


def meant(number: Real) -> Fraction:
    """The exact number that a caller wrote: the float `0.1` is one tenth, as it is in a document.

    Use it only for what is *stated* (a budget, a promised ε), never for the noise of something that was run.
    """
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def stated(mechanism: Mechanism) -> Mechanism:
    """The same mechanism with its stated promises read as the decimals that were written; budgets keep this one.

    A black box of `epsilon=0.1` promises one tenth, and three of them fit into three tenths. The noise of a mechanism
    that is described by what it runs stays the binary number that it runs with.
    """
    if isinstance(mechanism, Composition):
        parts = tuple((stated(part), count) for part, count in mechanism.parts)
        return Composition(parts, mechanism.adaptivity, mechanism.filter)
    if isinstance(mechanism, NameAndShame):
        return replace(mechanism, delta=meant(mechanism.delta))
    if not isinstance(mechanism, BlackBox):
        return mechanism
    given: dict[str, Any] = {name: getattr(mechanism, name) for name in ("epsilon", "delta", "rho", "mu")}
    read: dict[str, Any] = {name: meant(value) for name, value in given.items() if value is not None}
    if mechanism.renyi is not None:
        read["renyi"] = {meant(a): meant(r) for a, r in dict(mechanism.renyi).items()}
    return replace(mechanism, **read)


def unit_of(cap: Fraction) -> Fraction:
    """The decimal unit in which sums up to `cap` are counted: 10^(⌊log₁₀ cap⌋ − 17), or 1 for a cap of 0.

    In this unit the cap is a number of 18 digits, so it fits a signed 64-bit integer, and so do 0.1 and its like.
    """
    if not cap:
        return Fraction(1)
    power = len(str(cap.numerator)) - len(str(cap.denominator))
    if cap < Fraction(10) ** power:
        power -= 1
    return Fraction(10) ** (power - DIGITS)


def units_up(number: Fraction, unit: Fraction) -> int:
    """A cost in whole units, rounded up."""
    return math.ceil(number / unit)


def units_down(number: Fraction, unit: Fraction) -> int:
    """A cap in whole units, rounded down."""
    return math.floor(number / unit)


def shortened(cost: Fraction, unit: Fraction) -> Fraction:
    """A cost as it is added to a sum: exact if its denominator is short, else rounded up to the unit."""
    return cost if cost.denominator <= SHORT else units_up(cost, unit) * unit


__all__ = ["meant", "shortened", "stated", "unit_of", "units_down", "units_up"]
