"""Post-processing: what depends on an output alone costs nothing more."""

from __future__ import annotations

from dpcompose.kernel import SameAs, Side, implies
from dpcompose.notions import Guarantee
from dpcompose.sources import KOV15


@implies("POST", KOV15.at("Thm. 2.4"), side=Side.BOTH)
def same_law_same_cost(same: SameAs, known: Guarantee) -> Guarantee:  # noqa: ARG001 - the kernel reads it
    r"""Data processing never increases a divergence. Two mechanisms that can be computed from each other's output
    therefore share every guarantee.
    """
    return known
