"""The answer of all theorems together, used where an exact sum has too many terms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpcompose.description import Composition, Mechanism
from dpcompose.errors import Declined
from dpcompose.formulas.values import Pieces
from dpcompose.mechanisms.black_box import BlackBox
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.prove.answer import delta, epsilon

NARROW = 1e-9
MOST_KINDS = 200


def black_boxes(pieces: Pieces) -> Mechanism:
    """The steps as a mechanism: a composition of black boxes."""
    if len(pieces) > MOST_KINDS:
        raise Declined(f"more than {MOST_KINDS} different steps")
    return Composition(tuple((BlackBox(epsilon=e, delta=d), count) for e, d, count in pieces))


def delta_or(exact: Callable[[], Enclosure], mechanism: Callable[[], Mechanism], level: Fraction) -> Enclosure:
    """The exact δ; if that declines or stays wide, the enclosure by all theorems."""
    return _narrowed(exact, lambda: delta(mechanism(), level, tolerance=NARROW).enclosure)


def epsilon_or(exact: Callable[[], Enclosure], mechanism: Callable[[], Mechanism], target: Fraction) -> Enclosure:
    """The exact ε; if that declines or stays wide, the enclosure by all theorems."""
    return _narrowed(exact, lambda: epsilon(mechanism(), target, tolerance=NARROW).enclosure)


def _narrowed(exact: Callable[[], Enclosure], whole: Callable[[], Enclosure]) -> Enclosure:
    try:
        found = exact()
    except Declined:
        return whole()
    if found.gap <= NARROW or found.lower == found.upper or found.upper < 1e-300:
        return found
    try:
        return found & whole()
    except Declined:
        return found


__all__ = ["black_boxes", "delta_or", "epsilon_or"]
