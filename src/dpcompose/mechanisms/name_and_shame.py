"""The mechanism that reveals everything, but rarely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.kernel import Side, describes
from dpcompose.notions import ApproxDP
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import DELTA
from dpcompose.sources import SMITH


@dataclass(frozen=True, slots=True, kw_only=True)
class NameAndShame(Mechanism):
    """Publish the data with probability `delta`, nothing otherwise."""

    delta: Annotated[Real, DELTA]
    adjacency: Adjacency | None = None


@describes("SM-NS", SMITH.at("Sec. 2"), side=Side.BOTH)
def name_and_shame_leaks(m: NameAndShame) -> ApproxDP:
    r"""The loss is $+\infty$ with probability $\delta$ and 0 otherwise: exactly $(0,\delta)$-DP."""
    return ApproxDP(0, m.delta)
