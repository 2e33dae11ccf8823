r"""One step as an attacker sees it: the region of $(\varepsilon,\delta)$, and a Laplace pair made of responses."""

from __future__ import annotations

from fractions import Fraction

from dpcompose.description import Subject
from dpcompose.numerics.enclosure import Ball, Real, ball, enclose
from dpcompose.parameters import DELTA, EPSILON, exact
from dpcompose.regions.region import RATE
from dpcompose.regions.simulation_lemma import LaplacePair, SingleRegion
from dpcompose.regions.witness import judge


def within(fnr: Real, fpr: Real, *, epsilon: Real, delta: Real) -> bool | None:
    r"""KOV-T2.1: whether $P_{FA}+e^\varepsilon P_{MD}\ge1-\delta$ and $e^\varepsilon P_{FA}+P_{MD}\ge1-\delta$.

    Every test of an $(\varepsilon,\delta)$-DP mechanism satisfies both, and a mechanism all of whose tests do is
    $(\varepsilon,\delta)$-DP. None where the difference is too small to tell.
    """
    x, y = Fraction(RATE.check("fnr", fnr)), Fraction(RATE.check("fpr", fpr))
    e, d = EPSILON.check("epsilon", epsilon), Fraction(DELTA.check("delta", delta))
    sides = [_side(x, y, e, 1 - d), _side(y, x, e, 1 - d)]
    if False in sides:
        return False
    return None if None in sides else True


def _side(grown: Fraction, plain: Fraction, epsilon: Real, least: Fraction) -> bool | None:
    """Whether plain + e^ε grown is at least `least`; None where the difference is too small to tell."""
    if plain + grown >= least:
        return True
    if not grown or not epsilon:
        return False

    def room() -> Ball:  # the sign alone matters, and a logarithm cannot overflow
        return ball(epsilon) - (ball(least - plain) / ball(grown)).log()

    found = enclose(room)
    return True if found.lower >= 0 else False if found.upper < 0 else None


def is_private(mechanism: Subject, epsilon: Real, delta: Real = 0) -> bool | None:
    r"""KOV-C2.3: whether $R(M)\subseteq R(\varepsilon,\delta)$, which is what $(\varepsilon,\delta)$-DP means."""
    return judge(mechanism, epsilon, delta).holds


def single_region(epsilon: Real, delta: Real = 0) -> SingleRegion:
    r"""KOV-FIG1: the corner, the intercepts and the total variation of $R(\varepsilon,\delta)$."""
    return SingleRegion(EPSILON.check("epsilon", epsilon), DELTA.check("delta", delta))


def laplace_pair(epsilon: Real, z: Real) -> LaplacePair:
    r"""SM-E3.2: densities of $\mathrm{Lap}(1/\varepsilon)$ about 0 and 1, and of kernels that simulate them from
    responses.

    `given(0)` and `given(1)` are the densities of the outcome after each answer of randomized response.
    """
    return LaplacePair(EPSILON.check("epsilon", epsilon), Fraction(exact("z", z)))


__all__ = ["is_private", "laplace_pair", "single_region", "within"]
