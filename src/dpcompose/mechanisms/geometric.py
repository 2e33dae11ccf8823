"""Two-sided geometric noise (the discrete Laplace) on one integer query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.laplace import SCALE, step_of
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import ApproxDP, FiniteLoss
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.parameters import Whole
from dpcompose.sources import GRS12, KOV15, SMITH

SHIFT = Whole("Δ", 0, 10**9, "counts", typical=(1, 6))
MOST_ATOMS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometric(Mechanism):
    """Add integer noise, P(z) ∝ exp(−|z|/scale), to integers of ℓ₁ sensitivity `sensitivity`, coordinate-wise."""

    scale: Annotated[Real, SCALE]
    sensitivity: Annotated[int, SHIFT] = 1
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@dataclass(frozen=True, slots=True)
class GeometricLaw:
    """The law of the loss (s − 2j)/b for j = 0…s, where j is the distance of the output from the first input's side."""

    scale: Real
    shift: int

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """One atom for each tail, and one for every integer between them."""
        s, b = self.shift, Fraction(self.scale)
        effort.count(700 * s)
        r = (-1 / ball(b)).exp()
        first = (1 - r) / (1 + r)
        inner = [(Fraction((s - 2 * j) * b.denominator, b.numerator), first * r**j) for j in range(1, s)]
        return [(s / b, 1 / (1 + r)), *inner, (-s / b, r**s / (1 + r))]

    def leak(self) -> Ball:
        """No loss is infinite."""
        return Ball(0)


@describes("KOV-4.4", KOV15.at("Thm. 4.4"), side=Side.BOTH)
def unit_geometric_is_the_worst(m: Geometric) -> ApproxDP:
    r"""For counts that differ by one the loss is $\pm\varepsilon$, $\varepsilon = 1/b$, with the probabilities of
    randomized response: geometric noise costs exactly what randomized response costs.
    """
    if m.sensitivity > 1:
        raise Declined("at sensitivity above 1 the loss takes more than two values")
    return ApproxDP(step_of(m.sensitivity, m.scale), 0)


@describes("KOV-GEO", GRS12.at("Def. 2.2"))
def geometric_is_pure(m: Geometric) -> ApproxDP:
    r"""The mechanism is $(\Delta/b, 0)$-DP."""
    if m.sensitivity <= 1:
        raise Declined("known exactly already")
    return ApproxDP(step_of(m.sensitivity, m.scale), 0)


@describes("X-GEOM", GRS12.at("Def. 2.2"), side=Side.BOTH)
def geometric_loss_is_a_ladder(m: Geometric) -> FiniteLoss:
    r"""At shift $s$ the loss takes the values $(s-2j)/b$, $j = 0,\dots,s$, with probabilities
    $\frac{1}{1+r}$, $\frac{1-r}{1+r}r^j$ and $\frac{r^s}{1+r}$, $r = e^{-1/b}$, in either order.
    """
    if m.sensitivity > MOST_ATOMS:
        raise Declined(f"a sensitivity above {MOST_ATOMS} gives too many loss values to list")
    if m.sensitivity <= 1:
        raise Declined("known exactly already")
    step_of(m.sensitivity, m.scale)
    law = GeometricLaw(m.scale, m.sensitivity)
    return FiniteLoss(law, law)


@describes("NO-NOISE", SMITH.at("Sec. 1"), side=Side.BOTH)
def silent_geometric_reveals(m: Geometric) -> SameAs:
    r"""With $b = 0 < \Delta$ the output tells the neighbours apart: name-and-shame with $\delta = 1$."""
    if m.scale != 0 or m.sensitivity == 0:
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=1, adjacency=m.adjacency))
