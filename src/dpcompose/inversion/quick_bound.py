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
from dataclasses import replace

import numpy as np

from dpcompose.inversion.error_terms import log_chernoff
from dpcompose.inversion.line.jumps import choose_bulk, finding_delta, finding_epsilon, is_normal
from dpcompose.inversion.line.search import GIVEN_UP, GREATEST_RELATIVE, line_at
from dpcompose.inversion.line.spectrum import total_cumulants
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.losses.stacked import stacked
from dpcompose.inversion.profiles import LossProfile
from dpcompose.inversion.saddle import at_delta, at_epsilon, log_delta_estimate
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, exp_up

MOST_TILTS = 12
ROOM = 0.15
"""How far a saddle point may be off, relatively, where it is trusted to choose between claims."""
PROMISING, CLEAR = 0.1, 0.03
"""How far below the target, in nats, quick values of a bound must lie for it to be worth its cost, and quick values of
δ for a coarse line to be.
"""


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
    """Whether δ(ε) is surely no more than this, by a cheap bound or a coarse line; certified only where quick values
    promise success.
    """
    if profile.is_small and profile.small is not None and epsilon < profile.supremum:
        with suppress(ArithmeticError, ValueError):
            return delta > profile.leak.upper and profile.small.is_below(epsilon, delta - profile.leak.upper)
    tilt = 1.0
    if profile.summands and epsilon < profile.supremum:
        beyond = (delta - profile.leak.upper) * (1.0 - 2.0 * UNIT_ROUNDOFF)
        if not beyond > 1e-300:
            return False
        most, cumulants = math.log(beyond), total_cumulants(stacked(profile.summands))
        likely = min(max(-2.0 * most / epsilon, 1e-2), 1e4) if epsilon > 0.0 else 1.0  # as for a normal loss
        tilt, _, _, quick, _ = at_epsilon(cumulants, epsilon, profile.start or likely)
        if not quick.value - tilt * epsilon + log_chernoff(tilt) < most - PROMISING:
            clear = log_delta_estimate(tilt, epsilon, quick) < most - CLEAR
            return clear and _is_below_on_line(profile, epsilon, beyond, tilt)
    return float(ceiling(profile, [epsilon], tilt)[0]) <= delta


def _is_below_on_line(profile: LossProfile, epsilon: float, beyond: float, tilt: float) -> bool:
    """Whether a coarse line tells that the finite part of δ(ε) is no more than this."""
    log_delta = math.log(beyond)
    with suppress(*GIVEN_UP, ValueError):
        line = line_at(profile.summands, finding_epsilon(epsilon), epsilon, log_delta, GREATEST_RELATIVE, start=tilt)
        return exp_up(line.read(epsilon).log_upper) <= beyond
    return False


@np.errstate(all="ignore")
def likely_epsilon(orders: Sequence[LossProfile], delta: float) -> Enclosure | None:
    """Where the larger ε of some orders lies, by saddle points alone and with room to spare; None where a few large
    losses may decide. Nothing here is certified.
    """
    found, start = [], 1.0
    for profile in orders:
        beyond = delta - profile.leak.upper
        if not beyond > 0.0 or not profile.summands:
            return None
        log_delta = math.log(beyond)
        bulk, saddle = choose_bulk(stacked(profile.summands), finding_delta(log_delta), log_delta, ROOM, start)
        if not is_normal(total_cumulants(bulk), saddle):
            return None
        start = saddle.tilt
        found.append(max(saddle.epsilon, 0.0))
    return Enclosure((1.0 - ROOM) * max(found), (1.0 + ROOM) * max(found))


@np.errstate(all="ignore")
def most_likely_first(orders: Sequence[LossProfile], delta: float) -> list[LossProfile]:
    """The orders by where their ε seems to lie, the largest first, each knowing its saddle point.

    No search begins where another one ended: what is found does not depend on which order was listed first.
    """
    found = []
    for profile in orders:
        beyond = delta - profile.leak.upper
        if not beyond > 0.0 or not profile.summands:
            return list(orders)
        saddle = at_delta(total_cumulants(stacked(profile.summands)), math.log(beyond), 1.0)
        found.append((saddle.epsilon, replace(profile, start=saddle.tilt if saddle.settled else None)))
    return [profile for _, profile in sorted(found, key=lambda each: -each[0])]
