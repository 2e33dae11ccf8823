"""Near the greatest total loss: at a small enough δ nothing but the greatest losses together counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law
from dpcompose.kernel import Parts, Side, composes
from dpcompose.mechanisms.long_pair import LongPairLaw
from dpcompose.notions import FiniteLoss, Pair, Profile
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Ball, Enclosure, Real, ball, enclose, largest
from dpcompose.sources import HERE
from dpcompose.theorems.approx.steps import leak_of
from dpcompose.theorems.loss.finite_laws import Listed


@dataclass(frozen=True, slots=True)
class Top:
    """The greatest finite total loss, the logarithm of a mass it surely has, and the mass that leaks."""

    loss: Enclosure
    log_mass: Enclosure
    leak: Enclosure

    @classmethod
    def of(cls, parts: tuple[tuple[Law, int], ...]) -> Top:
        """Summed over the parts."""
        loss, log_mass, leaks = Ball(0), Ball(0), []
        for law, count in parts:
            atoms = Listed(law).loss()
            if not atoms.losses.size:
                raise Declined("every outcome reveals everything")
            best = int(np.argmax(atoms.losses - atoms.loss_error))
            high = float(np.max(atoms.losses + atoms.loss_error))
            low = float((atoms.losses - atoms.loss_error)[best])
            loss += count * ball(Enclosure(math.nextafter(low, -math.inf), math.nextafter(high, math.inf)))
            error = float(np.broadcast_to(atoms.weight_error, atoms.losses.shape)[best])
            log_mass += count * (ball(float(atoms.weights[best])) * (1 - ball(error))).log()
            leaks.append((atoms.leak, count))
        return cls(
            Enclosure.of(loss), Enclosure.of(log_mass), enclose(lambda: leak_of(leaks), gap=2.0**-40) & UNIT_INTERVAL
        )

    def delta(self, level: Enclosure) -> Enclosure:
        """Below the greatest loss only that loss is counted, from below."""
        if level.lower >= self.loss.upper:
            return self.leak
        most = ball(self.log_mass.lower).exp() * (1 - (ball(level.upper) - self.loss.lower).exp())
        return Enclosure(max(Enclosure.of(most).lower, self.leak.lower), 1.0)

    def epsilon(self, delta: Enclosure) -> Enclosure:
        """No more than the greatest loss, and no less once δ is below its mass, up to ln(1 − δ/mass)."""
        if self.leak.lower > delta.upper:
            return Enclosure(math.inf, math.inf)
        share = ball(delta.upper) / ball(self.log_mass.lower).exp()
        low = Enclosure.of(self.loss.lower + (-share).log1p()).lower if share < 1 else 0.0
        return Enclosure(max(low, 0.0), max(self.loss.upper, 0.0) if self.leak.upper <= delta.lower else math.inf)


@dataclass(frozen=True, slots=True)
class TopOfLosses(Profile):
    """The worse of both orders."""

    forward: tuple[tuple[Law, int], ...]
    backward: tuple[tuple[Law, int], ...]

    def pairs(self) -> tuple[Pair, ...]:
        """Each order by itself."""
        return (Pair(TopOfLosses(self.forward, self.forward), TopOfLosses(self.backward, self.backward)),)

    def delta(self, epsilon: Real) -> Enclosure:
        """The larger of both."""
        return largest([Top.of(order).delta(Enclosure.exactly(epsilon)) for order in (self.forward, self.backward)])

    def epsilon(self, delta: Real) -> Enclosure:
        """The larger of both."""
        if delta >= 1:
            return ZERO
        return largest([Top.of(order).epsilon(Enclosure.exactly(delta)) for order in (self.forward, self.backward)])


@composes("X-TOP", HERE.at("X-TOP"), side=Side.BOTH, cost=1)
def greatest_losses(parts: Parts[FiniteLoss]) -> Profile:
    r"""With $s$ the greatest total loss and $m$ its probability, $m(1-e^{\varepsilon-s}) \le \delta(\varepsilon)$ for
    $\varepsilon < s$, and $\delta(\varepsilon)$ is the leak from $s$ on: for $\delta < m$ the least ε lies between
    $s+\ln(1-\delta/m)$ and $s$.
    """
    forward = tuple((g.forward, n) for g, n in parts.items if n)
    backward = tuple((g.backward, n) for g, n in parts.items if n)
    if not any(isinstance(law, LongPairLaw) for law, _ in forward):
        raise Declined("with few outcomes the losses are listed exactly")
    if any(law.leak() >= 1 for law, _ in (*forward, *backward)):
        raise Declined("no loss is finite")
    return TopOfLosses(forward, backward)
