"""Samples of fixed size: every set of `size` records is equally likely."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.mechanisms.sampled import amplified
from dpcompose.notions import ApproxDP, Guarantee, Profile
from dpcompose.parameters import Whole
from dpcompose.sources import BBG18

REPLACE_ONE_ONLY = frozenset({Adjacency.REPLACE_ONE})


@dataclass(frozen=True, slots=True)
class SampledWithoutReplacement(Wrapper):
    """Run the mechanism on `size` of the `of` records, drawn without replacement; neighbours differ in one record."""

    mechanism: Mechanism
    size: Annotated[int, Whole("m", 0, 10**12, "records", typical=(1, 100))] = field(kw_only=True)
    of: Annotated[int, Whole("n", 1, 10**12, "records", typical=(100, 10_000))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.REPLACE_ONE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if self.size > self.of:
            raise InvalidParameter("size", self.size, f"at most the {self.of} records there are")
        stated = self.mechanism.adjacency
        if stated is not None and stated is not Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch(
                f"Sampling without replacement is defined for replace_one, not for {stated.value}: "
                "state the mechanism's sensitivity under replace_one."
            )

    @property
    def rate(self) -> Fraction:
        """The probability that a record is drawn."""
        return Fraction(self.size, self.of)


@describes("X-WOR", BBG18.at("Thm. 9"), relations=REPLACE_ONE_ONLY)
def fixed_size_amplifies(m: SampledWithoutReplacement, inner: ApproxDP) -> ApproxDP:
    r"""Drawing $m$ of $n$ records turns $(\varepsilon,\delta)$ into $(\ln(1+\eta(e^\varepsilon-1)),\,\eta\delta)$ with
    $\eta = m/n$, where neighbours differ in one replaced record.
    """
    return amplified(inner, m.rate)


@describes("X-SAMPLE-OUT", BBG18.at("Thm. 9"), relations=REPLACE_ONE_ONLY)
def undrawn_by_chance(m: SampledWithoutReplacement) -> ApproxDP:
    r"""Whoever is not among the $m$ of $n$ records costs nothing: $(0, m/n)$-DP, whatever is done with them."""
    return ApproxDP(0, m.rate)


@describes("X-WOR-LESS", BBG18.at("Sec. 3"), relations=REPLACE_ONE_ONLY)
def fixed_size_costs_no_more(m: SampledWithoutReplacement, inner: Guarantee) -> Guarantee:  # noqa: ARG001 - the kernel reads it
    r"""Given which records are drawn, the two inputs agree or are neighbours, and divergences are (quasi-)convex in the
    pair: whatever is promised of the mechanism holds on a sample.
    """
    if isinstance(inner, SameAs | ApproxDP | Profile):
        raise Declined("only what amplification does not cover is carried over")
    either = inner.facing_either_way()
    if either is None:
        raise Declined("which way a pair faces may depend on the records drawn")
    return either


@describes("X-WOR-ALL", BBG18.at("Sec. 2"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def drawing_all_changes_nothing(m: SampledWithoutReplacement) -> SameAs:
    r"""A sample of all records is the data; an empty one tells nothing."""
    if m.size not in {0, m.of}:
        raise Declined("some records are drawn and some are not")
    return SameAs(NameAndShame(delta=0) if m.size == 0 else m.mechanism)


@describes("X-WOR-TWICE", BBG18.at("Sec. 2"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def drawing_twice_draws_once(m: SampledWithoutReplacement) -> SameAs:
    r"""$k$ of $m$ of $n$ records: every set of $k$ is as likely as any other, as if drawn from all $n$ at once."""
    inner = m.mechanism
    if not isinstance(inner, SampledWithoutReplacement) or inner.of != m.size:
        raise Declined("no sample is drawn from just the records of this one")
    return SameAs(SampledWithoutReplacement(inner.mechanism, size=inner.size, of=m.of))
