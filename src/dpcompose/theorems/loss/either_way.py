"""A finite pair that may face either way, through the symmetric pair that dominates it whichever way it faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from dpcompose.errors import Declined
from dpcompose.exact.atoms import Law, LogFraction
from dpcompose.kernel import Parts, implies
from dpcompose.notions import FiniteLoss, LossTransform, Pair
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball
from dpcompose.sources import HERE
from dpcompose.theorems.loss.dots import DottedLaw, law_through
from dpcompose.theorems.loss.exact_sums import finite_composition
from dpcompose.theorems.loss.finite_laws import Listed

MOST_LEVEL = 600.0
"""No dot lies beyond this ε, where e^ε is hardly a float."""
DOTS, LEAST_DOTS, WORTH = 256, 32, 4
"""How many of the losses are dots, if there are more: of many parts fewer, and of very many no pair is drawn."""


@dataclass(frozen=True, slots=True)
class EitherWay:
    """The law of that pair, drawn when it is first needed."""

    pair: FiniteLoss
    dots: int

    def atoms(self) -> list[tuple[LogFraction, Ball]]:
        """Each finite loss with its probability."""
        return _law(self).atoms()

    def leak(self) -> Ball:
        """What reveals everything."""
        return _law(self).leak()


@implies("X-EITHER", HERE.at("X-DOTS"))
def dominated_either_way(g: FiniteLoss) -> LossTransform:
    r"""Whichever way a finite pair faces, its profile lies below the larger of both orders, and so below the lower
    convex hull, in $e^\varepsilon$, of the larger at its own losses, and of their mirror images: the profile of a
    symmetric pair.
    """
    if g.forward == g.backward:
        raise Declined("the pair is the same in both orders")
    if effort.shared(DOTS, 1) < WORTH:
        raise Declined("so many different parts are left to other bounds")
    step = Listed(EitherWay(g, effort.shared(DOTS, LEAST_DOTS)))
    return LossTransform(step, step, leak=0, turned=None)


@lru_cache(maxsize=4096)
def _law(of: EitherWay) -> DottedLaw:
    (pair,) = finite_composition(Parts(((of.pair, 1),))).pairs()
    levels = _levels((of.pair.forward, of.pair.backward), of.dots)
    found = [_heights(pair, levels)]
    crossings = _crossings(levels, *found[0])
    found.append(_heights(pair, crossings))
    dots = sorted(zip([*levels, *crossings], [max(h) for each in found for h in zip(*each, strict=True)], strict=True))
    return law_through([dot for dot in dots if dot[1] < 1.0] or dots[:1])


def _levels(laws: Sequence[Law], most: int) -> list[float]:
    """The losses of both orders, as distances from 0, rounded up; of many only some, and the largest."""
    listed = [Listed(law).loss() for law in laws]
    found = np.unique(np.concatenate([np.nextafter(np.abs(x.losses) + x.loss_error, np.inf) for x in listed]))
    found = found[found <= MOST_LEVEL]
    step = max(-(-found.size // most), 1)
    return [float(x) for x in np.unique([0.0, *found[::-step]])]


def _heights(pair: Pair, levels: Sequence[float]) -> tuple[list[float], list[float]]:
    """An upper bound on δ in each order."""
    forward, backward = ([e.upper for e in order.deltas(levels)] for order in (pair.forward, pair.backward))
    return forward, backward


def _crossings(levels: Sequence[float], forward: Sequence[float], backward: Sequence[float]) -> list[float]:
    """About where the greater of the two orders changes; both are straight in e^ε between their losses."""
    found = []
    for (low, high), (before, after) in zip(pairwise(levels), pairwise(np.subtract(forward, backward)), strict=True):
        if before * after < 0:
            share = before / (before - after)
            found.append(low + float(np.log1p(share * np.expm1(high - low))))
    return found
