r"""The exact Rényi curve of a finite law, from its cumulants: $D_\alpha = \ln\mathrm{E}e^{(\alpha-1)L}/(\alpha-1)$.

Where mass leaks, both inputs are seen outside the outcomes that the other one never gives; orders below 1 are
exact as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law, value
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import Side, describes, implies
from dpcompose.mechanisms.long_pair import LongPairLaw, LongPairReading, log_moment
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.notions import ApproxDP, Divergence, FiniteLoss, Renyi, Value
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball, enclose
from dpcompose.sources import MIR17, MTZ19
from dpcompose.theorems.loss.finite_laws import LeakyLaw
from dpcompose.theorems.renyi.powers import excess_at, log_mean_power
from dpcompose.theorems.renyi.readings import FourReadings, both_ways

MOST_LOSS = 10**5
"""Beyond such losses e^L has more digits than it is worth."""


@dataclass(frozen=True)
class FiniteCurve(Divergence):
    """The divergence of one order of a pair, outside what leaks in either."""

    law: Law
    other: Law
    """The loss in the other order; only its leak counts."""

    def at(self, order: Real) -> Ball:
        r"""With the leaks $a$ and $b$: $\frac{1}{s}\bigl(\ln\sum_jw_je^{sl_j}-(s+1)\ln(1-a)\bigr)+\ln(1-b)$,
        $s = \alpha-1$; the mean of the loss at $\alpha = 1$.
        """
        atoms = [(value(loss), mass) for loss, mass in self.law.atoms()]
        effort.count(1000 * len(atoms))
        a, b = self.law.leak(), self.other.leak()
        kept = (-a).log1p()
        if order == 1:
            return sum((mass * loss for loss, mass in atoms), Ball(0)) / (1 - a) - kept + (-b).log1p()
        s = ball(order) - 1
        total = sum((mass * (s * loss).expm1() for loss, mass in atoms), -a)
        return (total.log1p() - (s + 1) * kept) / s + (-b).log1p()

    @cached_property
    def _floats(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        atoms = self.law.atoms()
        return np.array([float(value(loss)) for loss, _ in atoms]), np.array([float(mass) for _, mass in atoms])

    def guess(self, order: float) -> float:
        """The curve in floats, leaks aside."""
        return log_moment(*self._floats, order)


@dataclass(frozen=True)
class SampledFiniteCurve(Divergence):
    """A finite pair through a Poisson sample, read in one order, outside what leaks."""

    law: Law
    """The loss of the input with the record."""
    other: Law
    rate: Real
    direction: Direction

    def at(self, order: Real) -> Ball:
        r"""Without the record the ratio is $X = 1-q+qe^l$ with probability $we^{-l}$, and $1-q$ where the record
        would rule the outcome out: the mean of $X^r$, $r = \alpha$ or $1-\alpha$, less what leaks.
        """
        remove = self.direction is Direction.REMOVE
        q, a, atoms = ball(self.rate), self.law.leak(), self._atoms()
        kept = (-q * a).log1p()
        total = sum((mass * excess_at(y, order, self.direction) for y, mass in atoms), Ball(0))
        if order == 1:
            return (total - q * a) / (1 - q * a) - kept if remove else total + q * a + kept
        r = ball(order) if remove else 1 - ball(order)
        return ((total - r * q * a).log1p() - r * kept) / (ball(order) - 1)

    def _atoms(self) -> list[tuple[Ball, Ball]]:
        """X − 1 and its probability without the record."""
        q = ball(self.rate)
        found = [(value(loss), mass) for loss, mass in self.law.atoms()]
        effort.count(1000 * len(found))
        atoms = [(q * loss.expm1(), mass * (-loss).exp()) for loss, mass in found]
        hidden = self.other.leak()
        return atoms if hidden.is_zero() else [*atoms, (-q, hidden)]

    @cached_property
    def _floats(self) -> tuple[tuple[float, float], ...]:
        return tuple((float(y), float(mass)) for y, mass in self._atoms())

    def guess(self, order: float) -> float:
        """The curve in floats, leaks aside."""
        return log_mean_power(self._floats, order, self.direction)


def leak_of_law(*laws: Law) -> Value:
    """The larger leak, as long as it is certain whether there is one."""
    if any(isinstance(law, LongPairLaw) for law in laws):
        raise Declined("so many outcomes have a curve of their own")
    leaks = [law.leak() for law in laws]
    if all(leak.is_zero() for leak in leaks):
        return 0
    found = [enclose(law.leak) for law in laws]
    if any(e.upper > 0 >= e.lower for e in found):
        raise Declined("it is not certain whether anything leaks")
    if max(e.upper for e in found) >= 1:
        raise Declined("no loss is finite, so there is no curve")
    return Enclosure(max(e.lower for e in found), max(e.upper for e in found))


@implies("RDP-CUM", MIR17.at("Def. 4"), side=Side.BOTH)
def finite_to_renyi(g: FiniteLoss) -> Renyi:
    r"""$D_\alpha = \frac{1}{\alpha-1}\ln\mathrm{E}\,e^{(\alpha-1)L}$ outside what leaks; in a composition the curves of
    one order add, and the larger of the two sums counts.
    """
    if isinstance(g.forward, LongPairLaw) and isinstance(g.backward, LongPairLaw):
        return Renyi(both_ways(LongPairReading(g.forward), LongPairReading(g.backward)))
    leak = leak_of_law(g.forward, g.backward)
    return Renyi(both_ways(FiniteCurve(g.forward, g.backward), FiniteCurve(g.backward, g.forward)), leak)


def sampled_curve(forward: Law, backward: Law, rate: Real) -> Renyi:
    """The four readings of a pair through a Poisson sample."""
    if rate in {0, 1}:
        raise Declined("the rate is 0 or 1, so nothing is sampled")
    leak = leak_of_law(forward, backward)
    if any(abs(value(loss)) > MOST_LOSS for law in (forward, backward) for loss, _ in law.atoms()):
        raise Declined(f"losses above {MOST_LOSS} are left to the bounds")
    remove, add, turned_remove, turned_add = (
        SampledFiniteCurve(*laws, rate, direction)
        for laws in ((forward, backward), (backward, forward))
        for direction in (Direction.REMOVE, Direction.ADD)
    )
    leading = 0 if forward == backward and leak == 0 else None
    leaked = enclose(lambda: ball(rate) * ball(leak)) if leak != 0 else 0
    return Renyi(FourReadings((remove, add, turned_add, turned_remove), leading), leaked)


@describes("X-SRDP-FIN", MTZ19.at("Thm. 4, 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_finite_curve(m: Sampled, inner: FiniteLoss) -> Renyi:
    r"""Removing a record from a Poisson sample has $\mathrm{E}_Q(1-q+qe^L)^\alpha$ as its moment, adding one
    $\mathrm{E}_Q(1-q+qe^L)^{1-\alpha}$; where the loss has one law in both orders the first is the larger.
    """
    return sampled_curve(inner.forward, inner.backward, m.rate)


@describes("X-SRDP-RR", MTZ19.at("Thm. 4, 5"), side=Side.BOTH, relations=ADD_REMOVE_ONLY)
def sampled_black_box_curve(m: Sampled, inner: ApproxDP) -> Renyi:
    r"""An $(\varepsilon,\delta)$-DP mechanism on a Poisson sample is post-processing of sampled leaky randomized
    response, and has no larger curve outside an event of probability $q\delta$.
    """
    if isinstance(inner.delta, Enclosure):
        raise Declined("needs an exact δ")
    law = LeakyLaw(inner.epsilon, inner.delta)
    return sampled_curve(law, law, m.rate)


__all__ = ["FiniteCurve", "SampledFiniteCurve", "sampled_curve"]
