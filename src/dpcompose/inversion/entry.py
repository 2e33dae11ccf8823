r"""Where losses enter floats, and what becomes of those too faint for them.

The bounds of the engine are relative: they hold while no product of a few parameters falls below the normal floats. A
step whose parameters could do so is not followed. Its finite losses are at most some $g$, so it leaks or is within the
total variation distance $d\le g$: with its leak $a$ it is $(0, a+d)$-DP, hence post-processing of a chance $a+d$ to
reveal everything; and to leave it out can only lower δ. So it counts as a leak between 0, or little less than $a$ where
no loss is far from 0, and $a+d$, in exact arithmetic, and the line is that of the other steps.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import singledispatch

import numpy as np

from dpcompose.inversion.losses.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.losses.finite import ListedLoss
from dpcompose.inversion.losses.gaussian import GaussianLoss
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.protocols import Loss, LossSum
from dpcompose.inversion.losses.randomized_response import TwoPointLoss
from dpcompose.inversion.losses.repeated import Repeated, any_leak, power_of_leak
from dpcompose.inversion.losses.sampled_discrete_gaussian import SampledDiscreteGaussianLoss
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss
from dpcompose.inversion.profiles import LossProfile
from dpcompose.numerics.enclosure import UNIT_INTERVAL, ZERO, Enclosure, Real

FAINT = 1e-100
"""Below this, squares and products of losses leave the normal floats."""


def profile(parts: Sequence[tuple[Loss, int]], leak: Enclosure = ZERO) -> LossProfile:
    """The profile of `count` independent steps of each loss, and a further chance `leak` of revealing everything."""
    kinds: dict[type[Loss], list[tuple[Loss, int]]] = defaultdict(list)
    for loss, count in parts:
        if count:
            kinds[type(loss)].append((loss, count))
    steps: list[LossSum] = []
    leaks = [Enclosure(min(max(leak.lower, 0.0), 1.0), min(leak.upper, 1.0))]
    for kind, followed in kinds.items():
        faint = list(map(as_leak.dispatch(kind), (loss for loss, _ in followed)))
        if faint.count(None) < len(faint):
            told = list(zip(followed, faint, strict=True))
            leaks += [power_of_leak(chance & UNIT_INTERVAL, count) for (_, count), chance in told if chance is not None]
            followed[:] = [step for step, chance in told if chance is None]
        if followed:
            steps += kind.gather(followed)
    steps.sort(key=lambda step: (isinstance(step, Repeated), -step.steps))  # what is quick first, and what decays most
    return LossProfile(tuple(steps), any_leak(leaks))


@singledispatch
def as_leak(loss: object) -> Enclosure | None:  # noqa: ARG001 - what is not listed here is followed
    """The chance to which a step too faint for floats comes; None for all others."""
    return None


def _at_most(distance: Fraction) -> Enclosure:
    return Enclosure(0.0, Enclosure.exactly(distance).upper)


@as_leak.register(TwoPointLoss)
@as_leak.register(LaplaceLoss)
def _(loss: TwoPointLoss | LaplaceLoss) -> Enclosure | None:
    r"""$\tanh(\varepsilon_0/2)$ and $1-e^{-\varepsilon_0/2}$ are at most $\varepsilon_0/2$."""
    return None if loss.size >= FAINT else _at_most(Fraction(loss.size) / 2)


@as_leak.register
def _(loss: GaussianLoss) -> Enclosure | None:
    r"""$\mathrm{erf}(\mu/2\sqrt2)\le\mu/2$, and μ is at most any number whose square is no less than μ²."""
    if loss.mu_squared >= FAINT**2:
        return None
    square = Fraction(loss.mu_squared)
    shift = 2 * (64 + square.denominator.bit_length())
    root = Fraction(math.isqrt(-(-(square.numerator << shift) // square.denominator)) + 1, 1 << (shift // 2))
    return _at_most(root / 2) if square else ZERO


@as_leak.register
def _(loss: SampledLaplaceLoss) -> Enclosure | None:
    r"""$q\min(1,\varepsilon_0/2)$."""
    return _sampled(loss.rate, loss.size)


@as_leak.register
def _(loss: SampledGaussianLoss) -> Enclosure | None:
    r"""$q\min(1,1/2\sigma)$; what a window shows of a step is not faint for itself."""
    noise = float(min(loss.noise_std, 10**300))
    if not loss.window.is_open or noise <= 1.0 or float(loss.rate) > 2.0 * FAINT * noise:
        return None
    return _sampled(loss.rate, 1 / Fraction(loss.noise_std))


def _sampled(rate: Real, size: Real) -> Enclosure | None:
    if rate >= FAINT and size >= FAINT and rate * Fraction(size) >= FAINT:
        return None
    distance = Fraction(rate) * min(Fraction(size) / 2, Fraction(1))
    return _at_most(distance) if distance < FAINT else None


@as_leak.register
def _(loss: SampledDiscreteGaussianLoss) -> Enclosure | None:
    r"""$q\min(1,\Delta/2\sigma)$, as for the noise without sampling."""
    return _sampled(loss.rate, Fraction(loss.sensitivity) / Fraction(loss.noise_std))


@as_leak.register
def _(loss: DiscreteGaussianLoss) -> Enclosure | None:
    r"""By Pinsker's inequality at most $\sqrt{D_1/2} = \Delta/2\sigma$."""
    if loss.sensitivity >= FAINT * loss.noise_std:
        return None
    return _at_most(Fraction(loss.sensitivity) / (2 * Fraction(loss.noise_std)))


@as_leak.register
def _(loss: ListedLoss) -> Enclosure | None:
    r"""Beside the leak $\sum_jw_j(1-e^{-l_j})_+\le g = \max l_j$. From below, losses of no less than $-g$ take at most
    $e^g-1\le2g$ away from what the others lose; larger negative ones do not count as a leak, nor as nothing.
    """
    greatest = float(np.max(loss.losses + loss.loss_error, initial=0.0))
    size = max(greatest, float(np.max(loss.loss_error - loss.losses, initial=0.0)))
    if greatest >= FAINT or (not greatest and size >= FAINT):
        return None
    added = Fraction(math.nextafter(size, math.inf) if size else 0.0)
    lower = Enclosure.exactly(Fraction(loss.leak.lower) - 2 * added).lower if size < FAINT else 0.0
    most = Fraction(loss.leak.upper) + (added if size < FAINT else Fraction(math.nextafter(greatest, math.inf)))
    return Enclosure(max(lower, 0.0), Enclosure.exactly(most).upper)


__all__ = ["as_leak", "profile"]
