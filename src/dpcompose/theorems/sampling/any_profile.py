"""Any bound on a profile is the profile of a finite pair, which can be sampled and composed again: see `dots`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dpcompose.errors import Declined
from dpcompose.exact.atoms import LogFraction
from dpcompose.inversion.losses.protocols import Direction
from dpcompose.kernel import describes, implies
from dpcompose.mechanisms.sampled import ADD_REMOVE_ONLY, Sampled
from dpcompose.mechanisms.without_replacement import REPLACE_ONE_ONLY, SampledWithoutReplacement
from dpcompose.notions import Dotted, LossTransform, Profile
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball
from dpcompose.sources import HERE, ZDW22
from dpcompose.theorems.loss.dots import DottedLaw, law_through
from dpcompose.theorems.loss.finite_laws import SampledListed
from dpcompose.theorems.loss.transform import in_between
from dpcompose.theorems.sampling.mirrored import MirroredListed
from dpcompose.theorems.sampling.sampled_once import in_part

MOST_LEVEL = 600.0
GOALS = (1e-30, 1e-20, 1e-14, 1e-9, 1e-5, 1e-2)
DOTS, LEAST_DOTS, PROBED = 128, 4, 16
WORTH = 8
"""The least number of dots at even distances that is worth a line beside other bounds."""
GAP, COARSE = 1e-4, 1e-2
"""The relative gaps asked of the bounds at their levels, and of the places between which levels are spread."""


@dataclass(frozen=True, slots=True)
class Hull:
    """The law through the dots of some profiles, which are not asked before they are needed."""

    profiles: tuple[Profile, ...]
    dots: int
    """How many levels there are at even distances."""

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Each finite loss with its probability."""
        return _law(self).atoms()

    def leak(self) -> Ball:
        """What reveals everything."""
        return _law(self).leak()


@implies("X-DOTS", HERE.at("X-DOTS"))
def dotted(*profiles: Profile) -> Dotted:
    r"""Whoever meets these bounds on $\delta(\varepsilon)$ in both orders is dominated by the pair whose profile is the
    lower convex hull, in $e^\varepsilon$, of the least of them at some levels, and of their mirror images.
    """
    return Dotted(Hull(profiles, effort.shared(DOTS, LEAST_DOTS)))


@describes("X-LINE-DOTS", ZDW22.at("Thm. 11"), relations=ADD_REMOVE_ONLY)
def sampled_dots(m: Sampled, inner: Dotted) -> LossTransform:
    r"""Sampling at rate $q$ turns a loss $l$ of the dominating pair into $\ln(1-q+qe^l)$, in either order; the sampled
    pair dominates the sampled mechanism.
    """
    q = in_between(m.rate)
    remove, add = (SampledListed(inner.law, q, direction, inner.law) for direction in (Direction.REMOVE, Direction.ADD))
    return LossTransform(remove, add, leak=0, turned=(add, remove))


@describes("X-LINE-WOR", ZDW22.at("Thm. 10, 11"), relations=REPLACE_ONE_ONLY)
def mirrored_dots(m: SampledWithoutReplacement, inner: Dotted) -> LossTransform:
    r"""With the losses $l$ of a dominating pair inside, $\pm\ln(1+\eta(e^l-1))$ for $l>0$, and 0, dominate in both
    orders.
    """
    rate = in_part(m.rate)
    if effort.shared(DOTS, 1) < WORTH:
        raise Declined("so many different parts are left to other bounds")
    step = MirroredListed(inner.law, rate, Direction.REMOVE, inner.law)
    return LossTransform(step, step, leak=0, turned=None)


def _law(hull: Hull) -> DottedLaw:
    if not _levels(hull):
        raise Declined("nothing is promised at any level")
    return _drawn(hull)


@lru_cache(maxsize=1024)
def _drawn(hull: Hull) -> DottedLaw:
    levels = _levels(hull)
    return law_through(list(zip(levels, _heights(hull.profiles, levels), strict=True)))


@lru_cache(maxsize=1024)
def _levels(hull: Hull) -> tuple[float, ...]:
    """Where to look: evenly up to where next to nothing is left, and again up to where most of it is; nowhere where
    nothing is promised.
    """
    roughly = [profile.to(COARSE) for profile in hull.profiles]
    places = [ends for goal in GOALS if (ends := _reached(roughly, goal))]
    far_off = (_stated_at(profile, MOST_LEVEL) for profile in roughly)
    least = min((height for height in far_off if height is not None), default=1.0)
    if least < 1.0:
        places.insert(0, _reached(roughly, least * (1.0 + 2.0**-40)))
    ends = [e for each in places for e in each if e <= MOST_LEVEL]
    if not ends:
        return ()
    far = max(min(each) for each in places if each)
    near = min(far, 4.0 * min(min(each) for each in places if each and min(each) > 0.0) if far else 0.0)
    even = [top * i / hull.dots for top in {far, near} for i in range(1, hull.dots + 1)]
    return tuple(sorted({0.0, *ends, *even}))


def _reached(profiles: Sequence[Profile], goal: float) -> list[float]:
    """The ε of each profile at δ, where it has one."""
    found = []
    for profile in profiles:
        try:
            found.append(profile.epsilon(goal).upper)
        except Declined:
            continue
    return [e for e in found if e <= MOST_LEVEL]


def _heights(profiles: Sequence[Profile], levels: Sequence[float]) -> list[float]:
    """The least δ that any profile states at each level; who states none at some of them is not asked about all."""
    found = [1.0] * len(levels)
    for profile in (each.to(GAP) for each in profiles):
        is_first = min(found) == 1.0
        if is_first or any(h < found[PROBED * i] for i, h in _stated(profile, levels[::PROBED])):
            for i, height in _stated(profile, levels):
                found[i] = min(found[i], height)
    return found


def _stated(profile: Profile, levels: Sequence[float]) -> list[tuple[int, float]]:
    """All at once, or one by one where some are refused."""
    try:
        return [(i, e.upper) for i, e in enumerate(profile.deltas(levels))]
    except Declined:
        return [(i, h) for i, level in enumerate(levels) if (h := _stated_at(profile, level)) is not None]


def _stated_at(profile: Profile, level: float) -> float | None:
    try:
        return profile.delta(level).upper
    except Declined:
        return None


__all__ = ["Hull"]
