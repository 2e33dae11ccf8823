r"""A cheap bound from above, for telling which of two orders matters.

For every $\tau>0$, $(1-e^{\varepsilon-s})_+ \le c(\tau)e^{\tau(s-\varepsilon)}$ with
$c(\tau)=\tau^\tau/(1+\tau)^{1+\tau}$, hence $\delta(\varepsilon) \le
\delta_\infty+c(\tau)M(\tau)e^{-\tau\varepsilon}$: one certified moment bounds δ at every ε, and a few of them bound it
well.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from dpcompose.inversion.error_terms import log_chernoff
from dpcompose.inversion.line.jumps import is_normal
from dpcompose.inversion.line.spectrum import total_cumulants
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.stacked import stacked
from dpcompose.inversion.profiles import LossProfile
from dpcompose.inversion.saddle import at_delta, at_epsilon
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats

MOST_TILTS = 12
ROOM = 0.15
"""How far a saddle point may be off, relatively, where it is trusted to choose between claims."""
PROMISING = 0.1
"""How far below the target, in nats, quick values of the bound must lie for it to be worth its cost."""


@np.errstate(all="ignore")
def ceiling(profile: LossProfile, epsilons: Sequence[float], start: float = 1.0) -> Floats:
    """Nowhere below δ at these ε, in order; 1 where nothing better is known. Tilts are sought from `start` on."""
    places = np.array(epsilons, dtype=np.float64)
    if not profile.summands or not places.size:
        return np.full(places.shape, profile.leak.upper)
    summands = stacked(profile.summands)
    cumulants = total_cumulants(summands)
    ranks = np.linspace(0.0, places.size - 1.0, min(MOST_TILTS, places.size))
    chosen = sorted(set(np.interp(ranks, np.arange(places.size), np.sort(places)).tolist()))
    least = np.full(places.shape, math.inf)
    for place in chosen:
        if place < profile.supremum:
            start = at_epsilon(cumulants, place, start).tilt
            with suppress(ArithmeticError):  # another tilt may do
                least = np.fmin(least, _log_bound(summands, start, places))
    finite = np.where(places >= profile.supremum, 0.0, np.exp(np.minimum(least, 0.0)) * (1.0 + LIBM))
    return np.minimum(finite + profile.leak.upper, 1.0) * (1.0 + 2.0 * UNIT_ROUNDOFF)


def _log_bound(summands: Sequence[LossSum], tilt: float, places: Floats) -> Floats:
    steps = max(sum(s.steps for s in summands), 1)
    parts = [s.tilted(tilt, 0.0, 1e-3 / steps) for s in summands]
    moment = math.fsum(p.log_moment + p.log_moment_error for p in parts)
    constant = moment + log_chernoff(tilt)
    size = abs(moment) + abs(log_chernoff(tilt)) + tilt * np.abs(places)
    return constant - tilt * places + (LIBM + 4.0 * UNIT_ROUNDOFF) * size + 1e-12


@np.errstate(all="ignore")
def is_below(profile: LossProfile, epsilon: float, delta: float) -> bool:
    """Whether δ(ε) is surely no more than this; certified only where quick values promise success."""
    if profile.is_small and profile.small is not None and epsilon < profile.supremum:
        with suppress(ArithmeticError, ValueError):
            return delta > profile.leak.upper and profile.small.is_below(epsilon, delta - profile.leak.upper)
    tilt = 1.0
    if profile.summands and epsilon < profile.supremum:
        log_delta = math.log(max(delta, 1e-300))
        likely = min(max(-2.0 * log_delta / epsilon, 1e-2), 1e4) if epsilon > 0.0 else 1.0  # as for a normal loss
        tilt, _, _, quick, _ = at_epsilon(total_cumulants(stacked(profile.summands)), epsilon, likely)
        if not quick.value - tilt * epsilon + log_chernoff(tilt) < log_delta - PROMISING:
            return False
    return float(ceiling(profile, [epsilon], tilt)[0]) <= delta


@np.errstate(all="ignore")
def likely_epsilon(orders: Sequence[LossProfile], delta: float) -> Enclosure | None:
    """Where the larger ε of some orders lies, by saddle points alone and with room to spare; None where a few large
    losses may decide. Nothing here is certified.
    """
    found = []
    for profile in orders:
        beyond = delta - profile.leak.upper
        if not beyond > 0.0 or not profile.summands:
            return None
        cumulants = total_cumulants(stacked(profile.summands))
        saddle = at_delta(cumulants, math.log(beyond))
        if not is_normal(cumulants, saddle):
            return None
        found.append(max(saddle.epsilon, 0.0))
    return Enclosure((1.0 - ROOM) * max(found), (1.0 + ROOM) * max(found))
