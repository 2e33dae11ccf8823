"""Draws with replacement: a record may be drawn several times."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism, Wrapper
from dpcompose.errors import AdjacencyMismatch, Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.group import grown
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import GDP, ZCDP, ApproxDP
from dpcompose.numerics.binomial_tail import at_least
from dpcompose.numerics.enclosure import Ball, Enclosure, ball, enclose
from dpcompose.parameters import Whole
from dpcompose.sources import BBG18


@dataclass(frozen=True, slots=True)
class SampledWithReplacement(Wrapper):
    """Run the mechanism on `size` draws from the `of` records, each draw from all of them; one record is replaced."""

    mechanism: Mechanism
    size: Annotated[int, Whole("m", 0, 10**12, "draws", typical=(1, 100))] = field(kw_only=True)
    of: Annotated[int, Whole("n", 1, 10**12, "records", typical=(100, 10_000))] = field(kw_only=True)
    adjacency: Adjacency | None = field(init=False, default=Adjacency.REPLACE_ONE, repr=False)

    def __post_init__(self) -> None:
        Wrapper.__post_init__(self)
        stated = self.mechanism.adjacency
        if stated is not None and stated is not Adjacency.REPLACE_ONE:
            raise AdjacencyMismatch(
                f"Sampling with replacement is defined for replace_one, not for {stated.value}: "
                "state the mechanism's sensitivity under replace_one."
            )

    def chance(self) -> Enclosure:
        r"""The probability that a record is drawn at least once: $1-(1-1/n)^m$."""
        if self.of == 1:
            return Enclosure(0.0, 0.0) if self.size == 0 else Enclosure(1.0, 1.0)
        return enclose(lambda: -(self.size * (-1 / ball(self.of)).log1p()).expm1())

    def times(self, most: int) -> tuple[list[Enclosure], Enclosure]:
        """The probabilities of being drawn 1, 2, … times, up to `most`, and of being drawn more often."""
        last = min(most, self.size)
        if self.of == 1:
            exact = [Enclosure.exactly(int(k == self.size)) for k in range(1, last + 1)]
            return exact, Enclosure.exactly(int(self.size > last))
        found = [enclose(partial(self._exactly, k)) for k in range(1, last + 1)]
        beyond = enclose(lambda: at_least(last + 1, self.size, Fraction(1, self.of))) if last < self.size else None
        return found, beyond or Enclosure(0.0, 0.0)

    def _exactly(self, k: int) -> Ball:
        m, log = ball(self.size), (-1 / ball(self.of)).log1p()
        ways = sum(((m - i) / (i + 1)).log() for i in range(k))
        return (ways - k * ball(self.of).log() + (self.size - k) * log).exp()


@describes("X-WR-SAME", BBG18.at("Sec. 2"), side=Side.BOTH, relations=REPLACE_ONE_ONLY)
def one_draw_or_none(m: SampledWithReplacement) -> SameAs:
    r"""Nothing is learned from no draw; a single one is a sample of size 1."""
    if m.size > 1:
        raise Declined("several draws may repeat a record")
    return SameAs(NameAndShame(delta=0) if m.size == 0 else SampledWithoutReplacement(m.mechanism, size=1, of=m.of))


@describes("X-WR-LESS", BBG18.at("Thm. 10"), relations=REPLACE_ONE_ONLY)
def draws_cost_no_more_than_all_alike(m: SampledWithReplacement, inner: GDP) -> GDP:
    r"""Given the draws, the inputs differ in at most $m$ places, and a trade-off is convex in the pair: $\mu$-GDP
    becomes at most $m\mu$-GDP.
    """
    return GDP(m.size**2 * Fraction(inner.mu_squared))


@describes("X-WR-LESS", BBG18.at("Thm. 10"), relations=REPLACE_ONE_ONLY)
def draws_of_approx(m: SampledWithReplacement, inner: ApproxDP) -> ApproxDP:
    r"""Given the draws, the inputs differ in at most $m$ places: $(\varepsilon,\delta)$ becomes that of a group."""
    e = Fraction(inner.epsilon)
    return ApproxDP(m.size * e, 0 if m.size == 0 else grown(inner.delta, e, m.size))


@describes("X-WR-LESS", BBG18.at("Thm. 10"), relations=REPLACE_ONE_ONLY)
def draws_of_zcdp(m: SampledWithReplacement, inner: ZCDP) -> ZCDP:
    r"""Given the draws, the inputs differ in at most $m$ places: $\rho$-zCDP becomes at most $m^2\rho$-zCDP."""
    if inner.delta != 0 or isinstance(inner.rho, Enclosure):
        raise Declined("needs an exact ρ, and no δ")
    return ZCDP(m.size**2 * Fraction(inner.rho))
