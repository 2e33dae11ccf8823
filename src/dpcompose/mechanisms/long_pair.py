"""Pairs with many outcomes: their losses as arrays of floats, with bounds on the errors.

Beyond `LONG` outcomes exact fractions take minutes, floats milliseconds. With sums that are rounded once (`math.fsum`),
divisions rounded once, and logarithms within four units of the last place, a loss is off by at most `loss_error` and a
mass by at most `MASS_ERROR`, relatively. Outcomes too light for floats are counted as if they might leak.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from dpcompose.exact.atoms import Loss
from dpcompose.notions import Curve, Divergence
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, Real, ball
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, inner

LONG = 2000
LEAST = 1e-290
LOGARITHM = LIBM
"""An upper bound on the relative error of a logarithm."""
MASS_ERROR = 8.0 * UNIT_ROUNDOFF
"""An upper bound on the relative error of a mass."""


@dataclass(frozen=True, slots=True, eq=False)
class FloatAtoms:
    """The finite losses with their masses, and the mass that leaks."""

    losses: NDArray[np.float64]
    masses: NDArray[np.float64]
    loss_error: NDArray[np.float64]
    leak: Enclosure

    def delta(self, epsilon: float) -> Enclosure:
        r"""The hockey stick $\delta_\infty+\sum_jm_j(1-e^{\varepsilon-l_j})_+$.

        It is 1-Lipschitz in each loss, so errors of losses count with their masses.
        """
        found = inner(self.masses, -np.expm1(np.minimum(epsilon - self.losses, 0.0)))
        doubt = inner(self.masses, self.loss_error + 2.0 * UNIT_ROUNDOFF * (np.abs(self.losses) + epsilon))
        doubt = doubt * SLACK + found * (2.0 * MASS_ERROR + self.losses.size * UNIT_ROUNDOFF)
        return Enclosure(min(max(self.leak.lower + found - doubt, 0.0), 1.0), min(self.leak.upper + found + doubt, 1.0))

    def guess(self, delta: float) -> float:
        r"""The ε at which the hockey stick is about δ; between two losses it is $A-e^\varepsilon B$."""
        order = np.argsort(-self.losses)
        losses, masses = self.losses[order], self.masses[order]
        above, below = np.cumsum(masses), np.cumsum(masses * np.exp(-losses))
        at_losses = above - np.exp(losses) * below  # grows along the array
        last = int(np.searchsorted(at_losses, delta - self.leak.lower, side="right")) - 1
        if last < 0:
            return float(losses[0]) if losses.size else 0.0
        return float(np.log(max(above[last] - (delta - self.leak.lower), 1e-300) / below[last]))

    def top(self) -> tuple[Enclosure, float]:
        """The greatest loss, and a lower bound on the mass of losses at least as great."""
        lower, upper = self.losses - self.loss_error, self.losses + self.loss_error
        best = int(np.argmax(lower))
        return Enclosure(float(lower[best]), float(np.max(upper))), float(self.masses[best]) * (1.0 - MASS_ERROR)


@dataclass(frozen=True)
class LongPairLaw:
    """The law of the loss ln(p/q) under p, for many outcomes."""

    p: tuple[Real, ...]
    q: tuple[Real, ...]

    def floats(self) -> FloatAtoms:
        """Every loss and mass as floats."""
        return self._floats

    @cached_property
    def _floats(self) -> FloatAtoms:
        return _floats(self.p, self.q)

    def atoms(self) -> Sequence[tuple[Loss, Ball]]:
        """Never listed: there are too many."""
        raise NotImplementedError(f"{len(self.p)} outcomes are kept as floats")

    def leak(self) -> Ball:
        """The mass of outcomes that the other input never gives."""
        return ball(self.floats().leak)


@lru_cache(maxsize=8)
def _floats(p: tuple[Real, ...], q: tuple[Real, ...]) -> FloatAtoms:
    top, bottom = math.fsum(p), math.fsum(q)
    above, below = np.array(p, dtype=np.float64), np.array(q, dtype=np.float64)
    never = np.array([x == 0 for x in q])
    there = (above > LEAST) & (below > 0.0)
    leaking = math.fsum(above[(above > LEAST) & never].tolist()) / top
    vague = math.fsum(above[(above > LEAST) & ~never & ~there].tolist()) + len(p) * LEAST
    some = any(x != 0 and float(x) <= LEAST for x in p)
    doubt = vague if some or vague > len(p) * LEAST else 0.0
    losses, error = _logarithms(above[there], below[there])
    return FloatAtoms(
        losses + math.log(bottom / top),
        above[there] / top,
        (error + 16.0 * UNIT_ROUNDOFF) * SLACK,
        Enclosure(leaking * (1.0 - 8.0 * UNIT_ROUNDOFF), min(leaking * (1.0 + 8.0 * UNIT_ROUNDOFF) + 2.0 * doubt, 1.0)),
    )


def _logarithms(p: NDArray[np.float64], q: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """ln(p/q), and its error beyond that of the inputs; near 1 the difference p − q is exact."""
    near = (p > 0.5 * q) & (p < 2.0 * q)
    far = np.log(p) - np.log(q)
    with np.errstate(over="ignore"):
        close = np.log1p(np.where(near, (p - q) / q, 0.0))
    losses = np.where(near, close, far)
    return losses, np.where(near, 2.0 * LOGARITHM * np.abs(close), LOGARITHM * (np.abs(np.log(p)) + np.abs(np.log(q))))


@dataclass(frozen=True, slots=True)
class LongPairReading(Divergence):
    """The Rényi divergence of one order of a pair with many outcomes."""

    law: LongPairLaw

    def at(self, order: Real) -> Ball:
        """The divergence."""
        return ball(divergence(self.law, order))

    def guess(self, order: float) -> float:
        """The same in floats; infinite where mass may leak."""
        return quick_divergence(self.law, order)


@dataclass(frozen=True, slots=True)
class LongPairCurve(Curve):
    """The larger of the two Rényi divergences of a pair with many outcomes."""

    forward: LongPairLaw
    backward: LongPairLaw

    def at(self, order: Real) -> Ball:
        """The divergence, the worse of both orders of the pair."""
        return ball(divergence(self.forward, order)).max(ball(divergence(self.backward, order)))

    def guess(self, order: float) -> float:
        """The same in floats; infinite where mass may leak."""
        return max(quick_divergence(law, order) for law in (self.forward, self.backward))


def quick_divergence(law: LongPairLaw, order: float) -> float:
    """The divergence to a few digits."""
    atoms = law.floats()
    return math.inf if atoms.leak.upper > 0.0 else max(log_moment(atoms.losses, atoms.masses, order), 0.0)


def log_moment(losses: NDArray[np.float64], masses: NDArray[np.float64], order: float) -> float:
    r"""$\frac{1}{\alpha-1}\ln\sum_jm_je^{(\alpha-1)l_j}$ to a few digits, of masses that add up to 1; the mean at 1."""
    s = order - 1.0
    effort.count(1000 + 2 * losses.size)
    with np.errstate(all="ignore"):
        powers = s * losses if s else losses
        top = float(np.max(powers, initial=0.0)) if s else 0.0
        if top > 500.0:
            return (top + math.log(inner(masses, np.exp(powers - top)))) / s
        return math.log1p(inner(masses, np.expm1(powers))) / s if s else inner(masses, losses)


def divergence(law: LongPairLaw, order: Real) -> Enclosure:
    r"""$\frac{1}{\alpha-1}\ln\mathrm{E}_Pe^{(\alpha-1)L}$, or $\mathrm{E}_PL$ at $\alpha=1$; infinite if mass leaks.

    Each term $m\,\mathrm{expm1}(sl)$ is off by $m|\mathrm{expm1}(sl)|$ times the error of mass and function, and by
    $me^{sl}$ times that of $sl$; the sum is rounded once.
    """
    atoms = law.floats()
    if atoms.leak.lower > 0.0:
        return Enclosure(math.inf, math.inf)
    ceiling = math.inf if atoms.leak.upper > 0.0 else 0.0
    m, loss, off = atoms.masses, atoms.losses, atoms.loss_error
    if order == 1:
        mean = math.fsum((m * loss).tolist())
        doubt = float((m * (off + 2.0 * MASS_ERROR * np.abs(loss))).sum()) * SLACK
        return Enclosure(max(mean - doubt, 0.0), max(mean + doubt, ceiling))
    s = float(order) - 1.0
    off = abs(s) * (off + 4.0 * UNIT_ROUNDOFF * np.abs(loss)) + (UNIT_ROUNDOFF * float(order)) * np.abs(loss)
    shift = max(float(np.max(s * loss)) - 600.0, 0.0)
    if shift:  # far out the logarithm of the moment is all that floats hold
        terms = np.exp(s * loss - shift)
        moment = math.fsum((m * terms).tolist())
        doubt = (
            float((m * terms * (off + 2.0 * MASS_ERROR + 2.0 * UNIT_ROUNDOFF * (np.abs(s * loss) + shift))).sum())
            * SLACK
        )
        log_moment, error = shift + math.log(moment), doubt / (moment - doubt) + LOGARITHM * (shift + 700.0)
    else:
        terms = np.expm1(s * loss)
        moment = math.fsum((m * terms).tolist())
        doubt = float((m * (np.abs(terms) * 2.0 * MASS_ERROR + (terms + 1.0) * off * (1.0 + off))).sum()) * SLACK
        log_moment, error = math.log1p(moment), doubt / (1.0 + moment - doubt) + LOGARITHM * abs(math.log1p(moment))
    found = ball(Enclosure(log_moment - error * SLACK, log_moment + error * SLACK)) / (ball(order) - 1)
    ends = Enclosure.of(found)
    return Enclosure(max(ends.lower, 0.0), max(ends.upper, ceiling))


__all__ = ["LONG", "MASS_ERROR", "FloatAtoms", "LongPairCurve", "LongPairLaw", "LongPairReading", "divergence"]
