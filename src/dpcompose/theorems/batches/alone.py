r"""A mechanism known by a bound on δ(ε) that holds in both orders: alone as it is, in company by its dots.

The lower convex hull, in $e^\varepsilon$, of the bound at finitely many levels is the profile of a symmetric pair (see
`dotted`), which dominates: it composes whichever way each part faces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from dpcompose.errors import Declined
from dpcompose.exact.atoms import LogFraction
from dpcompose.kernel import Parts, Side, composes, implies
from dpcompose.notions import Alone, LossTransform, Profile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball
from dpcompose.sources import HERE
from dpcompose.theorems.loss.dots import DottedLaw, law_through
from dpcompose.theorems.loss.finite_laws import Listed
from dpcompose.theorems.sampling.any_profile import COARSE, GAP, MOST_LEVEL

FAINT = 1e-30
FINE, LEAST = 40, 4
"""Levels up to each of a few marks, and how many there are at least."""


@dataclass(frozen=True, slots=True)
class AloneLaw:
    """The pair through the dots of one run, drawn when it is first needed."""

    alone: Alone
    fine: int
    """How many levels there are up to each of a few marks."""

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Each finite loss with its probability."""
        return _law(self).atoms()

    def leak(self) -> Ball:
        """What reveals everything."""
        return _law(self).leak()


@lru_cache(maxsize=1024)
def _law(of: AloneLaw) -> DottedLaw:
    alone = of.alone
    marks = alone.marks[:: -(-FINE // of.fine)] or _levels(alone.profile, of.fine)
    levels = sorted({0.0, *(level for level in marks if 0 < level <= MOST_LEVEL)})
    bounds = [(level, found.upper) for level, found in zip(levels, alone.profile.to(GAP).deltas(levels), strict=True)]
    return law_through([bound for bound in bounds if bound[1] < 1.0] or bounds[:1])


def _levels(profile: Profile, fine: int) -> list[float]:
    """Evenly up to where next to nothing is left, or no more than at any ε, and again up to where a little is."""
    roughly = profile.to(COARSE)
    goals = (max(FAINT, min(roughly.delta(MOST_LEVEL).upper * (1.0 + 2.0**-20), 1.0)), 1e-9, 1e-3)
    ends = [roughly.epsilon(goal).upper for goal in goals]
    near = [end for end in ends if 0.0 < end <= MOST_LEVEL]
    if not near:
        near = [min(MOST_LEVEL, max(e for e in ends if e < float("inf")))] if min(ends) < float("inf") else [1.0]
    return [end * i / fine for end in near for i in range(1, fine + 1)]


@composes("X-ALONE", HERE.at("One run alone"), side=Side.BOTH, cost=2)
def one_run_alone(parts: Parts[Alone]) -> Profile:
    r"""One run has the profile it has."""
    if len(parts.items) != 1 or parts.items[0][1] != 1:
        raise Declined("holds for a single run")
    return parts.items[0][0].profile


@implies("X-ALONE-DOTS", HERE.at("X-DOTS"))
def dotted_alone(g: Alone) -> LossTransform:
    r"""Whoever meets a bound on $\delta(\varepsilon)$ in both orders is dominated by the pair whose profile is the
    lower convex hull, in $e^\varepsilon$, of the bound at some levels, and of their mirror images.
    """
    step = Listed(AloneLaw(g, effort.shared(FINE, LEAST)))
    return LossTransform(step, step, leak=0, turned=None)


__all__ = ["AloneLaw"]
