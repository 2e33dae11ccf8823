"""Poisson sampling where a record is replaced: a noisy sum of bounded contributions of the records drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.gaussian import SENSITIVITY, Gaussian
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY
from dpcompose.notions import GDP
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import Param
from dpcompose.sources import BBG18


@dataclass(frozen=True, slots=True)
class SampledSum(Wrapper):
    """Add normal noise to a sum over a Poisson sample, where neighbours differ in one replaced record.

    A record that is drawn adds at most `contribution` to the sum, and its replacement moves it by at most the
    mechanism's sensitivity.
    """

    mechanism: Mechanism
    rate: Annotated[Real, Param("q", 0, 1, "probability", typical=(1e-4, 0.5))] = field(kw_only=True)
    contribution: Annotated[Real, SENSITIVITY] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.REPLACE_ONE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        if not isinstance(self.mechanism, Gaussian):
            raise InvalidParameter("mechanism", self.mechanism, "a Gaussian")
        if self.mechanism.adjacency is not Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch(
                "SampledSum is about a replaced record: state the Gaussian's sensitivity under replace_one, "
                "or use Sampled for add_remove."
            )

    @property
    def gaussian(self) -> Gaussian:
        """The inner mechanism, which must be a Gaussian."""
        assert isinstance(self.mechanism, Gaussian)  # noqa: S101 - checked when it was made
        return self.mechanism

    @property
    def moved(self) -> Fraction:
        """An upper bound on the change of the sum by a replacement: at most twice the contribution."""
        return min(Fraction(self.gaussian.sensitivity), 2 * Fraction(self.contribution))


@describes("X-SUM-SAME", BBG18.at("Sec. 2"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def all_or_nothing_is_summed(m: SampledSum) -> SameAs:
    r"""At rate 1 the sample is the data; at rate 0, or where nothing moves, nothing is learned."""
    if m.rate == 0 or m.moved == 0:
        return SameAs(NameAndShame(delta=0))
    if m.rate == 1:
        return SameAs(Gaussian(noise_std=m.gaussian.noise_std, sensitivity=m.moved, adjacency=m.adjacency))
    raise Declined("some records are drawn and some are not")


@describes("X-SUM-SILENT", BBG18.at("Sec. 2"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def silent_sum_reveals_who_is_drawn(m: SampledSum) -> SameAs:
    r"""Without noise a record that moves the sum is told from its replacement as soon as it is drawn."""
    if m.gaussian.noise_std != 0 or m.moved == 0 or m.rate == 0:
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=m.rate, adjacency=m.adjacency))


@describes("X-SUM-LESS", BBG18.at("Sec. 3"), relations=REPLACE_ONE_ONLY)
def sampled_sum_costs_no_more(m: SampledSum) -> GDP:
    r"""Given who is drawn the sums agree or differ by what a replacement moves, and a trade-off is convex in the pair:
    $\mu$-GDP with $\mu$ as without sampling.
    """
    if m.gaussian.noise_std == 0:
        raise Declined("without noise there is no Gaussian")
    return GDP((m.moved / Fraction(m.gaussian.noise_std)) ** 2)
