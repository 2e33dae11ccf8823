"""Post-processing: what depends on an output alone costs nothing more."""

from __future__ import annotations

from dpcompose.description import Composition, Mechanism
from dpcompose.kernel import Parts, SameAs, Side, composes, describes, implies
from dpcompose.notions import Guarantee
from dpcompose.sources import KOV15


@implies("POST", KOV15.at("Thm. 2.4"), side=Side.BOTH)
def same_law_same_cost(same: SameAs, known: Guarantee) -> Guarantee:  # noqa: ARG001 - the kernel reads it
    r"""Data processing never increases a divergence. Two mechanisms that can be computed from each other's output
    therefore share every guarantee.
    """
    return known


@describes("POST", KOV15.at("Thm. 2.4"), side=Side.BOTH)
def every_mechanism_is_itself(m: Mechanism) -> SameAs:
    r"""A mechanism costs what it costs when it runs once and nothing else does."""
    return SameAs(Composition(((m, 1),)))


@composes("POST", KOV15.at("Thm. 2.4"), side=Side.BOTH)
def same_parts_same_whole(parts: Parts[SameAs]) -> SameAs:
    r"""A composition whose parts can each be computed from, and compute, another mechanism costs what the composition
    of those costs; parts that are compositions themselves are taken apart.
    """
    whole = Composition(tuple((g.mechanism, n) for g, n in parts.items), parts.adaptivity)
    return SameAs(whole.flat().adopting(parts.adjacency))
