"""Poisson sampling: each record takes part independently with probability `rate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import ApproxDP, Guarantee, Profile, Value
from dpcompose.numerics.enclosure import UNIT_INTERVAL, Enclosure, Real, ball, enclose
from dpcompose.parameters import Param
from dpcompose.sources import BBG18

ADD_REMOVE_ONLY = frozenset({Adjacency.ADD_REMOVE, Adjacency.ZERO_OUT})
"""Relations under which one input lacks the record; a blank record adds as little to a sample as a missing one."""


@dataclass(frozen=True, slots=True)
class Sampled(Wrapper):
    """Run the mechanism on a Poisson sample of the records."""

    mechanism: Mechanism
    rate: Annotated[Real, Param("q", 0, 1, "probability", typical=(1e-4, 0.5))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.ADD_REMOVE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if self.mechanism.adjacency is Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch("Poisson sampling is defined for add_remove, not for replace_one.")
        object.__setattr__(self, "adjacency", self.mechanism.adjacency or Adjacency.ADD_REMOVE)


@describes("X-SAMPLE", BBG18.at("Thm. 8"), relations=ADD_REMOVE_ONLY)
def sampling_amplifies(m: Sampled, inner: ApproxDP) -> ApproxDP:
    r"""Poisson sampling at rate $q$ turns $(\varepsilon,\delta)$ into $(\ln(1+q(e^\varepsilon-1)),\,q\delta)$."""
    return amplified(inner, m.rate)


@describes("X-SAMPLE-OUT", BBG18.at("Thm. 8"))
def unseen_by_chance(m: Sampled) -> ApproxDP:
    r"""Whoever is not in the sample costs nothing: $(0, q)$-DP, whatever is done with the sample."""
    return ApproxDP(0, m.rate)


def amplified(inner: ApproxDP, rate: Real) -> ApproxDP:
    r"""$(\ln(1+q(e^\varepsilon-1)),\,q\delta)$, with ε rounded up, and δ exact if it was."""
    # Far out e^ε has too many digits, and amplification takes only ln q off ε.
    far = inner.epsilon > 10**6
    level = inner.epsilon if far else enclose(lambda: (ball(rate) * ball(inner.epsilon).expm1()).log1p()).upper
    return ApproxDP(min(level, inner.epsilon), _thinned(inner.delta, rate))


def _thinned(delta: Value, rate: Real) -> Value:
    """qδ; an exactly stated δ stays exact, so that the theorem answers at its own δ."""
    if not isinstance(delta, Enclosure):
        return Fraction(rate) * Fraction(delta)
    return enclose(lambda: ball(rate) * ball(delta)) & UNIT_INTERVAL


@describes("X-SAMPLE-LESS", BBG18.at("Sec. 3"), relations=ADD_REMOVE_ONLY)
def sampling_costs_no_more(m: Sampled, inner: Guarantee) -> Guarantee:  # noqa: ARG001 - the kernel reads it
    r"""Given which records are drawn, the two inputs agree or are neighbours, and divergences are (quasi-)convex in the
    pair: whatever is promised of the mechanism holds of its sampled form.
    """
    if isinstance(inner, SameAs | ApproxDP | Profile):
        raise Declined("only what amplification does not cover is carried over")
    return inner


@describes("X-SAMPLE-ALL", BBG18.at("Sec. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampling_everything_changes_nothing(m: Sampled) -> SameAs:
    r"""At rate 1 the sample is the data; at rate 0 it is empty and nothing is learned."""
    if m.rate not in (0, 1):
        raise Declined("the rate is neither 0 nor 1")
    return SameAs(NameAndShame(delta=0) if m.rate == 0 else m.mechanism)


@describes("X-SAMPLE-TWICE", BBG18.at("Sec. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampling_twice_samples_once(m: Sampled) -> SameAs:
    r"""A record is in a Poisson sample of a Poisson sample with probability $q_1q_2$, independently of all others:
    the same law of samples as at the rate $q_1q_2$.
    """
    if not isinstance(m.mechanism, Sampled):
        raise Declined("the mechanism inside is not sampled")
    try:
        return SameAs(Sampled(m.mechanism.mechanism, rate=Fraction(m.rate) * Fraction(m.mechanism.rate)))
    except InvalidParameter:
        raise Declined("the product of the rates is smaller than any rate that can be stated") from None
