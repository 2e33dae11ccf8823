r"""Mean powers of a likelihood ratio $X = 1+y$ of mean 1, without cancellation: $\mathrm{E}X^r-1 =
\mathrm{E}[X^r-1-ry]$.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from dpcompose.inversion.losses.protocols import Direction
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Real, ball
from dpcompose.numerics.rounding import Floats, inner

NEAR = 1e-4
"""Below this, two terms of the series of X^r − 1 − ry are as good as floats get."""


def with_excess(y: Ball, r: Ball) -> Ball:
    r"""$X^r-1-ry$."""
    return (r * y.log1p()).expm1() - r * y


def mean_excess(y: Ball, direction: Direction) -> Ball:
    r"""The same as $r\to1$, by the rate of change: $X\ln X-y$; and, for adding, $y-\ln X$."""
    return (1 + y) * y.log1p() - y if direction is Direction.REMOVE else y - y.log1p()


def excess_at(y: Ball, order: Real, direction: Direction) -> Ball:
    """What the divergence of an order is the mean of."""
    if order == 1:
        return mean_excess(y, direction)
    return with_excess(y, ball(order) if direction is Direction.REMOVE else 1 - ball(order))


def log_mean_power(atoms: Iterable[tuple[float, float]], order: float, direction: Direction) -> float:
    """The divergence of an order in floats, from the values of X − 1 and their probabilities."""
    remove = direction is Direction.REMOVE
    r, s = order if remove else 1 - order, order - 1
    logs = [(mass, y, math.log1p(y) if y > -1 else -745.0) for y, mass in atoms]
    top = max(r * log for _, _, log in logs)
    if s and top > 500:
        return (top + math.log(sum(mass * math.exp(r * log - top) for mass, _, log in logs))) / s
    if not s:
        return sum(mass * ((1 + y) * log - y if remove else y - log) for mass, y, log in logs)
    return math.log1p(sum(mass * excess(y, log, r) for mass, y, log in logs)) / s


def quick_divergence(losses: Floats, log_mass: Floats, rate: float, order: float, direction: Direction) -> float:
    """The same from the losses without sampling, whose powers may be too large for floats."""
    remove = direction is Direction.REMOVE
    r, s = order if remove else 1 - order, order - 1
    effort.count(1500 + 3 * losses.size)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore", under="ignore"):
        y = rate * np.expm1(np.minimum(losses, 600.0))
        log = np.where(losses > 600.0, losses + np.log(rate), np.log1p(y))
        top = float(np.max(r * log + log_mass))
        if s and top > 500:
            return (top + math.log(float(np.exp(r * log + log_mass - top).sum()))) / s
        mass = np.exp(log_mass)
        if not s:
            return inner(mass, (1 + y) * log - y if remove else y - log)
        near = (np.abs(y) < NEAR) & (np.abs(r * y) < NEAR)
        small = r * (r - 1) / 2 * y * y * (1 + (r - 2) / 3 * y) * mass
        large = np.exp(r * log + log_mass) - mass - r * y * mass
        return math.log1p(float(np.where(near, small, large).sum())) / s


def quick_mirrored(losses: Floats, log_mass: Floats, rate: float, order: float) -> float:
    """The divergence of a pair whose negative losses mirror its positive ones, of which these are given."""
    each = [quick_divergence(losses, log_mass, rate, order, d) for d in (Direction.REMOVE, Direction.ADD)]
    s = order - 1
    if not s:
        return sum(each)
    if s * max(each) > 500:
        return max(each)
    return math.log1p(sum(math.expm1(s * d) for d in each)) / s


def excess(y: float, log: float, r: float) -> float:
    """X^r − 1 − ry in floats."""
    if abs(y) < NEAR and abs(r * y) < NEAR:
        return r * (r - 1) / 2 * y * y * (1 + (r - 2) / 3 * y)
    return math.expm1(r * log) - r * y


__all__ = ["excess_at", "log_mean_power", "quick_divergence", "quick_mirrored"]
