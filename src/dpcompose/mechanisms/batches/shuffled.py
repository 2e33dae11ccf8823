"""Shuffled records: disjoint batches of an epoch, and the reports of local randomizers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY
from dpcompose.notions import Guarantee, Profile
from dpcompose.parameters import Whole
from dpcompose.sources import CGK24, FMT23

IN_ITS_PLACE = frozenset({Adjacency.REPLACE_ONE, Adjacency.ZERO_OUT})
"""Relations under which the other records stay in their batches."""


@dataclass(frozen=True, slots=True)
class ShuffledBatches(Wrapper):
    """One epoch: shuffle the records, cut them into `batches`, and run the mechanism on one after another."""

    mechanism: Mechanism
    batches: Annotated[int, Whole("T", 1, 10**12, "batches", typical=(1, 1000))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.REPLACE_ONE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if self.mechanism.adjacency is Adjacency.ADD_REMOVE:
            raise AdjacencyMismatch(
                "Shuffled batches are defined for zero_out and replace_one: a removed record would move all others."
            )
        object.__setattr__(self, "adjacency", self.mechanism.adjacency or Adjacency.REPLACE_ONE)


@dataclass(frozen=True, slots=True)
class Shuffled(Wrapper):
    """Each of `of` people runs the mechanism on their own record, and the reports are shuffled; one is replaced."""

    mechanism: Mechanism
    of: Annotated[int, Whole("n", 1, 10**12, "people", typical=(100, 10_000))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.REPLACE_ONE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        stated = self.mechanism.adjacency
        if stated is not None and stated is not Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch(
                f"Shuffled reports are defined for replace_one, not for {stated.value}: a person's record is replaced."
            )


@describes("SHUFFLE-ONE", CGK24.at("Sec. 1"), relations=IN_ITS_PLACE)
def an_epoch_costs_one_batch(m: ShuffledBatches, inner: Guarantee) -> Guarantee:
    r"""Given the permutation, a record is in one batch; what comes before has one law, what comes after is computed
    from what came before and records that agree. So the epoch is post-processing of that one run, and divergences
    are (quasi-)convex in the pair: whatever is promised of one batch holds of the epoch.
    """
    return _in_one_run(m, inner)


@describes("SHUFFLE-ONE", CGK24.at("Sec. 1"), side=Side.BOTH, relations=IN_ITS_PLACE)
def one_batch_is_no_shuffle(m: ShuffledBatches) -> SameAs:
    r"""A single batch of all records is the data."""
    if m.batches > 1:
        raise Declined("there are several batches")
    return SameAs(m.mechanism)


@describes("LOCAL-ONE", FMT23.at("Sec. 2"), relations=REPLACE_ONE_ONLY)
def shuffled_costs_no_more_than_a_report(m: Shuffled, inner: Guarantee) -> Guarantee:
    r"""Shuffling is a map of all reports, of which one depends on the record: what is promised of one report holds."""
    return _in_one_run(m, inner)


@describes("LOCAL-ONE", FMT23.at("Sec. 2"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def nobody_to_hide_among(m: Shuffled) -> SameAs:
    r"""One report stays where it is."""
    if m.of > 1:
        raise Declined("there are others")
    return SameAs(m.mechanism)


def _in_one_run(m: ShuffledBatches | Shuffled, inner: Guarantee) -> Guarantee:
    if isinstance(inner, SameAs | Profile):
        raise Declined("only what composes is carried over")
    either = inner if m.adjacency is Adjacency.ZERO_OUT else inner.facing_either_way()
    if either is None:
        raise Declined("which way a pair faces may depend on the permutation")
    return either
