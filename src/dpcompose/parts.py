"""The premises of a composition theorem, with the direction in which each part may face."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from dpcompose.description import Adaptivity, Adjacency, Mechanism, adaptivity_of
from dpcompose.notions import Guarantee, InEitherOrder

G = TypeVar("G", bound=Guarantee, covariant=True)


@dataclass(frozen=True, slots=True)
class Parts(Generic[G]):
    """The premises of a composition theorem: promises with their counts, adaptivity, and neighbouring relation."""

    items: tuple[tuple[G, int], ...]
    adaptivity: Adaptivity = Adaptivity.ADAPTIVE
    adjacency: Adjacency | None = None


@dataclass(frozen=True, slots=True)
class SameAs(InEitherOrder):
    """The mechanism costs exactly what another one costs."""

    called: ClassVar[str] = "another mechanism"
    mechanism: Mechanism


@dataclass(frozen=True, slots=True)
class Each(Guarantee):
    """One promise for each part of a composition, in order."""

    called: ClassVar[str] = "a promise for each part"
    items: tuple[Any, ...]


def faced(subject: Mechanism, items: Iterable[tuple[Any, int]]) -> tuple[Parts[Any], bool]:
    """The parts of the subject, and whether their promises hold in every direction in which they may face.

    Two inputs of which one record differs are neighbours in either order, so under replace_one every run may face
    either way. A promise that holds either way is taken as it is. A single run known in one direction only is turned
    together with the whole; with two or more, they may face opposite ways, and one direction bounds the cost from below
    only.
    """
    found = tuple(items)
    if subject.adjacency is not Adjacency.REPLACE_ONE:
        return Parts(found, adaptivity_of(subject), subject.adjacency), True
    settled = [(g.facing_either_way(), g, n) for g, n in found]
    one_way = sum(n for either, _, n in settled if either is None)
    taken = tuple((g if either is None else either, n) for either, g, n in settled)
    adaptivity, runs = adaptivity_of(subject), sum(n for _, n in found)
    turned_together = one_way == 0 or (one_way == 1 and (adaptivity is Adaptivity.FIXED or runs == 1))
    return Parts(taken, adaptivity, subject.adjacency), turned_together


__all__ = ["Each", "G", "Parts", "SameAs", "faced"]
