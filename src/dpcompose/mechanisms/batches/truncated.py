"""Poisson samples that are truncated to a size, as in trainings with fixed buffers."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.group import grown
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import GDP, ZCDP, ApproxDP
from dpcompose.numerics.binomial_tail import at_least
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.parameters import Param, Whole
from dpcompose.sources import GANESH25


@dataclass(frozen=True, slots=True)
class TruncatedSample(Wrapper):
    """Run the mechanism on a Poisson sample of the `of` records, cut to a random `limit` of it if it has more.

    The larger of the two inputs has `of` records.
    """

    mechanism: Mechanism
    rate: Annotated[Real, Param("q", 0, 1, "probability", typical=(1e-4, 0.5))] = field(kw_only=True)
    limit: Annotated[int, Whole("B", 0, 10**12, "records", typical=(1, 200))] = field(kw_only=True)
    of: Annotated[int, Whole("n", 1, 10**12, "records", typical=(100, 10_000))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.ADD_REMOVE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if self.mechanism.adjacency is Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch(
                "A truncated Poisson sample is defined for add_remove and zero_out, not for replace_one."
            )
        object.__setattr__(self, "adjacency", self.mechanism.adjacency or Adjacency.ADD_REMOVE)

    def is_cut(self) -> bool:
        """Whether a sample may be too large, and is not always empty."""
        return 0 < self.limit < self.of and 0 < self.rate < 1

    def full(self) -> Ball:
        """The probability that the others alone fill the batch."""
        return at_least(self.limit, self.of - 1, self.rate)

    def within(self) -> Ball:
        """The probability that the sample is cut and the record remains in it."""
        return at_least(self.limit + 1, self.of, self.rate) * self.limit / self.of

    def within_a_full_one(self) -> Fraction:
        """The probability that a record is in the batch, given that the others fill it; rounded up."""
        most = Fraction(self.rate) * Fraction(self.limit, self.limit + 1)
        found = enclose(lambda: self.within() / self.full()).upper
        return min(most, Fraction(found)) if found < 1 else most

    def chance(self) -> Enclosure:
        """The probability that a record is in the batch."""
        return enclose(lambda: ball(self.rate) * (1 - self.full()) + self.within())


@describes("X-TRUNC-SAME", GANESH25.at("Sec. 2"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def nothing_is_cut(m: TruncatedSample) -> SameAs:
    r"""A sample that cannot exceed the limit is a Poisson sample; one of size 0 tells nothing."""
    if m.limit == 0 or m.rate == 0:
        return SameAs(NameAndShame(delta=0))
    if m.limit < m.of:
        raise Declined("the sample may be cut")
    return SameAs(Sampled(m.mechanism, rate=m.rate))


@describes("X-TRUNC-MEMBER", GANESH25.at("Sec. 2"), side=Side.LOWER, relations=ADD_REMOVE_ONLY)
def others_count_for_nothing(m: TruncatedSample) -> SameAs:
    r"""Where all other records contribute nothing, it does not matter which of them are drawn or cut: a Poisson sample
    at the rate at which a record is in the batch.
    """
    least = m.chance().lower
    if not 0 < least < 1:
        raise Declined("the chance to be in the batch is not known to be above 0")
    return SameAs(Sampled(m.mechanism, rate=least))


@describes("X-SAMPLE-OUT", GANESH25.at("Sec. 2"), relations=ADD_REMOVE_ONLY)
def undrawn_before_the_cut(m: TruncatedSample) -> ApproxDP:
    r"""Whoever is not drawn costs nothing, whatever is cut: $(0, q)$-DP."""
    return ApproxDP(0, m.rate)


@describes("X-TRUNC-LESS", GANESH25.at("Sec. 2"), relations=ADD_REMOVE_ONLY)
def cut_costs_no_more_than_two(m: TruncatedSample, inner: GDP) -> GDP:  # noqa: ARG001 - the kernel reads it
    r"""Given who is drawn, the batches agree, differ in a record, or have one in the place of another, which is one
    removed and one added: $\mu$-GDP becomes at most $2\mu$-GDP.
    """
    return GDP(4 * Fraction(inner.mu_squared))


@describes("X-TRUNC-LESS", GANESH25.at("Sec. 2"), relations=ADD_REMOVE_ONLY)
def cut_of_approx(m: TruncatedSample, inner: ApproxDP) -> ApproxDP:  # noqa: ARG001 - the kernel reads it
    r"""Given who is drawn, the batches differ in at most two records: what a group of two has."""
    e = Fraction(inner.epsilon)
    return ApproxDP(2 * e, grown(inner.delta, e, 2))


@describes("X-TRUNC-LESS", GANESH25.at("Sec. 2"), relations=ADD_REMOVE_ONLY)
def cut_of_zcdp(m: TruncatedSample, inner: ZCDP) -> ZCDP:  # noqa: ARG001 - the kernel reads it
    r"""Given who is drawn, the batches differ in at most two records: $\rho$-zCDP becomes at most $4\rho$-zCDP."""
    if inner.delta != 0 or isinstance(inner.rho, Enclosure):
        raise Declined("needs an exact ρ, and no δ")
    return ZCDP(4 * Fraction(inner.rho))
