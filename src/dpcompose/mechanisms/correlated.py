"""Gaussian noise that is correlated over the steps of a training: trees, and banded matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.gaussian import NOISE, SENSITIVITY
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import GDP
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import Whole, exact, listed
from dpcompose.sources import CCM23, KMS21, SMITH

STEPS = Whole("n", 1, 10**12, "steps", typical=(1, 1000))
MOST_BANDS = 10**4
MOST_COLUMNS = 10**5


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeAggregation(Mechanism):
    """Noisy sums of the steps at every complete node of a binary tree; a record is in one step, and moves no other."""

    noise_std: Annotated[Real, NOISE]
    steps: Annotated[int, STEPS]
    sensitivity: Annotated[Real, SENSITIVITY] = 1
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE

    @property
    def depth(self) -> int:
        """The greatest number of nodes that a step is part of: ⌊log₂ n⌋ + 1."""
        return self.steps.bit_length()


@dataclass(frozen=True, slots=True, kw_only=True)
class BandedMatrix(Mechanism):
    """Release Cx + z for the steps x: C is lower triangular with `coefficients` along its bands, z is normal noise.

    A record takes part in at most `participations` steps, any two of them at least `separation` apart, which is no less
    than the number of bands; it moves each step by at most `sensitivity`.
    """

    noise_std: Annotated[Real, NOISE]
    coefficients: Sequence[Real]
    steps: Annotated[int, STEPS]
    separation: Annotated[int, Whole("b", 1, 10**12, "steps", typical=(8, 100))]
    participations: Annotated[int, Whole("k", 1, 10**12, "steps", typical=(1, 20))] = 1
    sensitivity: Annotated[Real, SENSITIVITY] = 1
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        bands = listed("coefficients", self.coefficients, min(MOST_BANDS, self.steps), "numbers")
        checked = tuple(exact(f"coefficients[{i}]", x) for i, x in enumerate(bands))
        if any(not -(10**100) <= x <= 10**100 for x in checked):
            raise InvalidParameter("coefficients", bands, "numbers from -1e100 to 1e100")
        object.__setattr__(self, "coefficients", checked)
        if self.separation < len(bands):
            raise InvalidParameter("separation", self.separation, f"at least the number of bands, {len(bands)}")

    def squared_sensitivity(self) -> Fraction:
        """The greatest Σ‖Ceᵢ‖² over allowed steps i: columns become shorter towards the end, so the earliest steps
        count most.
        """
        bands = [Fraction(x) ** 2 for x in self.coefficients]
        taken = min(self.participations, -(-self.steps // self.separation))
        cut = [i for i in range(max(0, taken - 2), taken) if self.steps - i * self.separation < len(bands)]
        ends = [sum(bands[: self.steps - i * self.separation], Fraction(0)) for i in cut]
        return (taken - len(cut)) * sum(bands, Fraction(0)) + sum(ends, Fraction(0))


@describes("TREE-GDP", KMS21.at("App. D"), side=Side.BOTH)
def tree_is_gdp(m: TreeAggregation) -> GDP:
    r"""The first step is in $\lfloor\log_2n\rfloor+1$ complete nodes, and no step is in more; its record moves each by
    $\Delta$: the mechanism is exactly $\mu$-GDP with $\mu^2 = (\lfloor\log_2n\rfloor+1)\,\Delta^2/\sigma^2$.
    """
    return GDP(m.depth * _ratio(m.sensitivity, m.noise_std))


@describes("BAND-GDP", CCM23.at("Sec. 2"), side=Side.BOTH)
def banded_is_gdp(m: BandedMatrix) -> GDP:
    r"""Columns of $C$ at least as far apart as it has bands do not overlap, so the squared norms of those in which a
    record takes part add: $\mu^2 = \max\sum_i\lVert Ce_i\rVert^2\,\Delta^2/\sigma^2$, exactly, also for steps that
    depend on earlier outputs.
    """
    moved = m.squared_sensitivity()
    return GDP(0) if moved == 0 else GDP(moved * _ratio(m.sensitivity, m.noise_std))


def _ratio(sensitivity: Real, noise: Real) -> Fraction:
    if sensitivity == 0:
        return Fraction(0)
    if noise == 0:
        raise Declined("without noise there is no Gaussian")
    return (Fraction(sensitivity) / Fraction(noise)) ** 2


@describes("NO-NOISE", SMITH.at("Sec. 1"), side=Side.BOTH)
def silent_tree_reveals(m: TreeAggregation) -> SameAs:
    r"""With $\sigma = 0 < \Delta$ the output tells the neighbours apart: name-and-shame with $\delta = 1$."""
    if m.noise_std != 0 or m.sensitivity == 0:
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=1, adjacency=m.adjacency))


@describes("NO-NOISE", SMITH.at("Sec. 1"), side=Side.BOTH)
def silent_matrix_reveals(m: BandedMatrix) -> SameAs:
    r"""With $\sigma = 0 < \Delta$ the output tells the neighbours apart: name-and-shame with $\delta = 1$."""
    if m.noise_std != 0 or m.sensitivity == 0 or not any(m.coefficients):
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=1, adjacency=m.adjacency))
