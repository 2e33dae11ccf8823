"""The exponential mechanism: choose a candidate with probability growing in its score."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.kernel import Side, describes
from dpcompose.notions import ZCDP, ApproxDP
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import EPSILON
from dpcompose.sources import CKS20, DR19


@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Mechanism):
    """Select with bounded range: the log-ratios of all candidates' probabilities lie within one ε of each other."""

    epsilon: Annotated[Real, EPSILON]
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@describes("BR-PURE", DR19.at("Sec. 4"))
def bounded_range_is_pure(m: Exponential) -> ApproxDP:
    r"""A mechanism of bounded range $\varepsilon$ is $(\varepsilon, 0)$-DP."""
    return ApproxDP(m.epsilon, 0)


@describes("BR-ZCDP", CKS20.at("Lemma 3.2 of the extended version"))
def bounded_range_is_zcdp(m: Exponential) -> ZCDP:
    r"""A mechanism of bounded range $\varepsilon$ is $\varepsilon^2/8$-zCDP."""
    return ZCDP(Fraction(m.epsilon) ** 2 / 8)


@describes("BR-MEMBER", DR19.at("Sec. 4"), side=Side.LOWER)
def two_candidates_are_a_response(m: Exponential) -> ApproxDP:
    r"""With two candidates of scores that move apart the mechanism is randomized response with
    $\varepsilon/2$: it meets the description, so the class costs at least that.
    """
    return ApproxDP(Fraction(m.epsilon) / 2, 0)
