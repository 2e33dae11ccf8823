"""Normal noise around a random shift: what a record adds is drawn from a few known amounts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined, InvalidParameter
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.discrete_pair import MOST_ATOMS, DiscretePair, distribution, mass_of
from dpcompose.mechanisms.gaussian import NOISE, SENSITIVITY, Gaussian
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import GDP
from dpcompose.numerics.enclosure import Real
from dpcompose.parameters import listed
from dpcompose.sources import CCG24, HERE

MOST_SHIFTS = 10**4


@dataclass(frozen=True, slots=True, kw_only=True)
class MixtureOfGaussians(Mechanism):
    """N(0, σ²) without the record; with it N(c, σ²), where c is drawn from `sensitivities` with `probabilities`."""

    noise_std: Annotated[Real, NOISE]
    sensitivities: Sequence[Real]
    probabilities: Sequence[Real]
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        shifts = listed("sensitivities", self.sensitivities, MOST_SHIFTS, "numbers")
        chances = listed("probabilities", self.probabilities, MOST_ATOMS, "probabilities")
        if len(shifts) != len(chances):
            raise InvalidParameter("probabilities", f"{len(chances)} of them", f"as many as {len(shifts)}")
        checked = tuple(SENSITIVITY.check(f"sensitivities[{i}]", x) for i, x in enumerate(shifts))
        object.__setattr__(self, "sensitivities", checked)
        object.__setattr__(self, "probabilities", distribution("probabilities", self.probabilities))

    def shifts(self) -> dict[Fraction, Fraction]:
        """Each distinct shift, in stated units, with its probability; sorted."""
        total = mass_of(self.probabilities)
        found: dict[Fraction, Fraction] = {}
        for c, p in sorted(zip(self.sensitivities, self.probabilities, strict=True)):
            if p:
                found[Fraction(c)] = found.get(Fraction(c), Fraction(0)) + Fraction(p) / total
        return found


def positive(m: MixtureOfGaussians) -> tuple[list[Fraction], Fraction]:
    """The shifts above 0, sorted, and the probability that the shift is one of them."""
    found = {c: p for c, p in m.shifts().items() if c}
    return list(found), sum(found.values(), Fraction(0))


@describes("MOG-TWO", CCG24.at("Sec. 4"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def one_shift_is_a_sample(m: MixtureOfGaussians) -> SameAs:
    r"""With one shift $c > 0$, of probability $q$, it is the Gaussian at $c$ on a Poisson sample of rate $q$."""
    shifts, chance = positive(m)
    if len(shifts) > 1:
        raise Declined("there are several shifts")
    if not shifts:
        return SameAs(NameAndShame(delta=0, adjacency=m.adjacency))
    whole = Gaussian(noise_std=m.noise_std, sensitivity=shifts[0], adjacency=m.adjacency)
    return SameAs(Sampled(whole, rate=chance))


@describes("MOG-SILENT", CCG24.at("Sec. 4"), side=Side.BOTH)
def silent_mixture_is_a_pair(m: MixtureOfGaussians) -> SameAs:
    r"""Without noise a shift above 0 is seen for certain: $(q, 1-q)$ against $(0, 1)$. The first of
    them has the record, whichever input that is, as where who is drawn is named.
    """
    _, chance = positive(m)
    if m.noise_std != 0 or chance == 0:
        raise Declined("there is noise, or nothing to hide")
    if m.adjacency is Adjacency.REPLACE_ONE:
        return SameAs(DiscretePair(p=(chance, 1 - chance), q=(0, 1), adjacency=m.adjacency))
    return SameAs(Sampled(NameAndShame(delta=1, adjacency=m.adjacency), rate=chance))


@describes("MOG-MOST", HERE.at("Mixtures of Gaussians"))
def mixture_is_below_its_greatest_shift(m: MixtureOfGaussians) -> GDP:
    r"""Given the shift the two laws are $N(c,\sigma^2)$ and $N(0,\sigma^2)$, and a trade-off is convex in the pair: the
    mechanism is $\mu$-GDP with $\mu = \max c/\sigma$.
    """
    if m.noise_std == 0:
        raise Declined("there is no noise")
    return GDP((max(m.shifts()) / Fraction(m.noise_std)) ** 2)


@describes("MOG-LEAST", HERE.at("Mixtures of Gaussians"), side=Side.LOWER, relations=ADD_REMOVE_ONLY)
def mixture_is_above_its_least_shift(m: MixtureOfGaussians) -> SameAs:
    r"""$\delta(\varepsilon)$ grows with every shift in both orders, so it is no less than with the least positive shift
    in place of all: that of the Gaussian on a Poisson sample.
    """
    shifts, chance = positive(m)
    if len(shifts) < 2 or m.noise_std == 0:
        raise Declined("known exactly already")
    return SameAs(Sampled(Gaussian(noise_std=m.noise_std, sensitivity=shifts[0], adjacency=m.adjacency), rate=chance))
