"""Discrete Gaussian noise on one integer query."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated

from dpcompose.description import Adjacency, Mechanism
from dpcompose.errors import Declined
from dpcompose.kernel import SameAs, Side, describes
from dpcompose.mechanisms.gaussian import NOISE
from dpcompose.mechanisms.geometric import SHIFT
from dpcompose.mechanisms.name_and_shame import NameAndShame
from dpcompose.notions import ZCDP, FiniteLoss
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.sources import CKS20, SMITH

REACH = 40  # e^{-REACH²/2} < 1e-340: what lies further out cannot be seen in a float
MOST_NOISE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteGaussian(Mechanism):
    """Add integer noise with P(z) ∝ exp(−z²/2σ²) to an integer query of sensitivity `sensitivity`."""

    noise_std: Annotated[Real, NOISE]
    sensitivity: Annotated[int, SHIFT] = 1
    adjacency: Adjacency | None = Adjacency.ADD_REMOVE


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLaw:
    """The law of the loss (s² − 2sx)/2σ² at output x; outputs beyond `REACH` deviations from both answers count as
    leak or not at all. Those near the neighbour's answer matter on a sample, where they are likely without the record.
    """

    noise_std: Real
    shift: int

    @property
    def outputs(self) -> list[int]:
        """Those within reach of the answer, 0, or of the neighbour's answer s."""
        s, far = self.shift, ceil(REACH * self.noise_std)
        return [*range(-far, far + 1), *range(max(s - far, far + 1), s + far + 1)]

    @property
    def size(self) -> int:
        """How many different losses it lists."""
        return 1 if self.shift == 0 else len(self.outputs)

    def atoms(self) -> list[tuple[Fraction, Ball]]:
        """One atom for every output within reach."""
        s, double = self.shift, 2 * Fraction(self.noise_std) ** 2
        far = ceil(REACH * self.noise_std)
        rate = -1 / ball(double)
        heights = [(rate * x * x).exp() for x in range(far + 1)]
        total = heights[0] + 2 * sum(heights[1:], Ball(0))
        total = total + self._beyond(heights)
        there = {x: heights[abs(x)] if abs(x) <= far else (rate * x * x).exp() for x in self.outputs}
        return [(Fraction(s * s - 2 * s * x) / double, height / total) for x, height in there.items()]

    def leak(self) -> Ball:
        """From 0 to all the mass out of reach (the total mass is at least the height 1 at 0)."""
        if self.shift == 0:
            return Ball(0)
        far = ceil(REACH * self.noise_std)
        return self._beyond([(-1 / ball(2 * Fraction(self.noise_std) ** 2) * far * far).exp()])

    def _beyond(self, heights: list[Ball]) -> Ball:
        """The mass beyond reach, by a geometric series: each height is at most e^{-REACH/σ} times the one before."""
        ratio = (-ball(REACH) / ball(self.noise_std)).exp()
        return Ball(0).union((2 * heights[-1] * ratio / (1 - ratio)).upper())


@describes("DG-ZCDP", CKS20.at("Prop. 5"))
def discrete_gaussian_is_zcdp(m: DiscreteGaussian) -> ZCDP:
    r"""The mechanism is $\Delta^2/2\sigma^2$-zCDP."""
    if m.sensitivity == 0:
        return ZCDP(0)
    if m.noise_std == 0:
        raise Declined("there is no noise")
    return ZCDP((Fraction(m.sensitivity) / Fraction(m.noise_std)) ** 2 / 2)


@describes("X-DG", CKS20.at("Def. 1"), side=Side.BOTH)
def discrete_gaussian_loss(m: DiscreteGaussian) -> FiniteLoss:
    r"""At shift $s$ the output $x$ has loss $(s^2-2sx)/2\sigma^2$ and probability $\propto e^{-x^2/2\sigma^2}$."""
    if not Fraction(1, 1000) <= m.noise_std <= MOST_NOISE:
        raise Declined(f"listing the losses needs a noise_std from 0.001 to {MOST_NOISE}")
    law = DiscreteGaussianLaw(m.noise_std, m.sensitivity)
    return FiniteLoss(law, law)


@describes("NO-NOISE", SMITH.at("Sec. 1"), side=Side.BOTH)
def silent_discrete_gaussian_reveals(m: DiscreteGaussian) -> SameAs:
    r"""With $\sigma = 0 < \Delta$ the output tells the neighbours apart: name-and-shame with $\delta = 1$."""
    if m.noise_std != 0 or m.sensitivity == 0:
        raise Declined("there is noise, or nothing to hide")
    return SameAs(NameAndShame(delta=1, adjacency=m.adjacency))
