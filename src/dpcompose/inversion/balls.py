r"""The same line in ball arithmetic: no model of floating-point rounding, only what Arb certifies.

Tilt, period and cut-off are chosen as in the float tier; then every coefficient, the sum, the moments on
both sides and all bounds on
them are balls. Quadrature errors are added as radii. What remains in floats, with outward slack, are the
logarithms of the strip bound, of
the decay and of the tails: a few operations each, far from any edge. Precision follows cancellation, so a
badly conditioned line is
merely slower.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import TypeAlias

import numpy as np
from flint import acb, arb

from dpcompose.errors import Declined
from dpcompose.inversion.bounds import log_truncation
from dpcompose.inversion.expansion import LADDER
from dpcompose.inversion.finite import FiniteLoss
from dpcompose.inversion.gaussian import GaussianSum
from dpcompose.inversion.laplace import LaplaceLoss
from dpcompose.inversion.lines import cut_off
from dpcompose.inversion.loss import Smooth, Summand
from dpcompose.inversion.repeated import Repeated
from dpcompose.inversion.rounding import exp_up
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.inversion.sampled_gaussian import SampledGaussianLoss
from dpcompose.inversion.sampled_gaussian_rule import (
    best_rule,
    log_outside,
    log_rule_error,
    node_numbers,
)
from dpcompose.inversion.spectrum import Goal, build_spectrum, total_cumulants
from dpcompose.inversion.two_point import TwoPointSum
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.precision import ctx

Transform: TypeAlias = Callable[[Ball], acb]
r"""$u \mapsto M(t+iu)$ on one line."""

MOST_FREQUENCIES = 20_000


def delta_in_balls(
    summands: Sequence[Summand],
    epsilon: float,
    log_delta: float,
    relative: float = 1e-12,
    most: int = MOST_FREQUENCIES,
) -> Enclosure:
    """The finite part of δ(ε) for a composition that decays in frequency; declines otherwise."""
    wanted = log_delta + math.log(relative) - 3.0 - math.log(len(summands))
    bulk = [s.trimmed(wanted, LADDER[1][1]) for s in summands]
    saddle = at_epsilon(total_cumulants(bulk), epsilon)
    goal = Goal(saddle, epsilon, log_delta, relative)
    spectrum = build_spectrum(bulk, goal)
    last, log_decay = cut_off(spectrum, goal, most)
    if not last:
        raise Declined("the characteristic function decays too slowly for a line in balls")
    cancellation = spectrum.log_moment[0] - saddle.tilt * epsilon - log_delta
    steps = sum(s.steps for s in bulk)
    bits = 96 + math.ceil(1.5 * (max(cancellation, 0.0) - math.log(relative)) + math.log2(steps + 1))
    with ctx.workprec(bits):
        lost = arb(sum(s.trim_lost for s in bulk) * (1.0 + 1e-12))
        line = _line(bulk, goal, spectrum.spacing, last, spectrum.spacing * last)
        tail = line[1] * arb(exp_up(log_truncation(log_decay, spectrum.spacing, last)))
        above = spectrum.period
        aliasing = sum((_aliasing(bulk, goal, tau, spectrum.spacing) for tau in (above.low, above.high)), arb(0))
        upper, lower = line[0] + tail + lost, line[0] - tail - aliasing
        return Enclosure(max(Enclosure.of(lower).lower, 0.0), min(max(Enclosure.of(upper).upper, 0.0), 1.0))


def _line(bulk: Sequence[Summand], goal: Goal, spacing: float, last: int, reach: float) -> tuple[Ball, Ball]:
    r"""The trapezoid sum up to the cut-off, and the prefactor $e^{K-t\varepsilon}/W$."""
    t, e, step = ball(goal.saddle.tilt), ball(goal.epsilon), ball(spacing)
    transforms = [in_balls(s, goal.saddle.tilt, reach) for s in bulk]

    def moment(u: Ball) -> acb:
        value = acb(1)
        for transform in transforms:
            value *= transform(u)
        return value

    scale = (-t * e).exp() * step / (2 * arb.pi())
    base = moment(arb(0)).real
    total = base / (t * (t + 1))
    for m in range(1, last + 1):
        u = m * step
        z = acb(t, u)
        total += 2 * (moment(u) * acb(0, -u * e).exp() / (z * (z + 1))).real
    return total * scale, base * scale


def _aliasing(bulk: Sequence[Summand], goal: Goal, tau: float, spacing: float) -> Ball:
    r"""$c(\tau)M(\tau)e^{-\tau\varepsilon}e^{-gW}/(1-e^{-gW})$: see `bounds.log_alias`."""
    side, e = ball(tau), ball(goal.epsilon)
    fall = (-abs(ball(goal.saddle.tilt) - side) * 2 * arb.pi() / ball(spacing)).exp()
    size = arb(1)
    if tau > 0.0:
        size = (side * (side / (1 + side)).log()).exp() / (1 + side) * (-side * e).exp()
        for s in bulk:
            size *= in_balls(s, tau, 0.0)(arb(0)).real
    return size * fall / (1 - fall)


# ---------------------------------------------------------------------- transforms, one a kind


@singledispatch
def in_balls(summand: Summand, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    """The transform of a sum along the line at this tilt."""
    raise Declined(f"{type(summand).__name__} has no transform in balls")


@in_balls.register
def _(summand: GaussianSum, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    t, variance = ball(tilt), ball(summand.mu_squared)

    def transform(u: Ball) -> acb:
        z = acb(t, u)
        return (z * (z + 1) * variance / 2).exp()

    return transform


@in_balls.register
def _(summand: TwoPointSum, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    t = ball(tilt)
    blur = arb(1, summand.size_error)
    members = [(ball(e) * blur, round(k)) for e, k in zip(summand.sizes.tolist(), summand.counts.tolist(), strict=True)]

    def transform(u: Ball) -> acb:
        z, value = acb(t, u), acb(1)
        for e, k in members:
            value *= (((z + 1) * e).exp() + (-z * e).exp()) ** k / (1 + e.exp()) ** k
        return value

    return transform


@in_balls.register
def _(summand: Repeated, tilt: float, reach: float) -> Transform:
    step = step_in_balls(summand.loss, tilt, reach)
    return lambda u: step(u) ** summand.count


@singledispatch
def step_in_balls(loss: Smooth, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    """The transform of one step."""
    raise Declined(f"{type(loss).__name__} has no transform in balls")


@step_in_balls.register
def _(loss: LaplaceLoss, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    t, e = ball(tilt), ball(loss.size)

    def transform(u: Ball) -> acb:
        z = acb(t, u)
        s = z + arb(0.5)
        return ((z * e).exp() + (-(z + 1) * e).exp() + (-e / 2).exp() * (s * e).sinh() / s) / 2

    return transform


@step_in_balls.register
def _(loss: FiniteLoss, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    t = ball(tilt)
    errors = [np.broadcast_to(np.asarray(e), loss.losses.shape).tolist() for e in (loss.loss_error, loss.weight_error)]
    columns = zip(loss.losses.tolist(), loss.weights.tolist(), *errors, strict=True)
    atoms = [(arb(x, dx), arb(w) * arb(1, dw)) for x, w, dx, dw in columns]
    return lambda u: sum((acb(w) * (acb(t, u) * x).exp() for x, w in atoms), acb(0))


@step_in_balls.register
def _(loss: SampledGaussianLoss, tilt: float, reach: float) -> Transform:
    r"""The trapezoid sum of `sampled_gaussian_rule`, nodes and weights in balls, its errors as a radius."""
    error = 2.0 ** (-min(ctx.prec, 400) + 40)
    r = loss.exponent(tilt)
    step, width, exponent_at = best_rule(loss, r, reach, error)
    numbers = node_numbers(loss, r, step, 4.0 - math.log(error))
    q, s, w = ball(loss.rate), ball(loss.noise_std), ball(loss.window.fade)
    power = ball(loss.exponent(0.0)) + ball(loss.sign) * ball(tilt)  # `r` is this, rounded
    norm = ball(step) / (s * (2 * arb.pi()).sqrt())
    nodes: list[tuple[Ball, Ball]] = []
    for j in numbers.tolist():
        x = ball(j) * ball(step)
        ratio = (1 - q + q * ((x - arb(0.5)) / (s * s)).exp()).log()
        weight = norm * (-x * x / (2 * s * s) + power * ratio).exp()
        if math.isfinite(loss.window.cut):
            weight *= ((x - ball(loss.window.cut)) / (w * arb(2).sqrt())).erfc() / 2
        nodes.append((ball(loss.sign) * ratio, weight))
    moment = sum((weight for _, weight in nodes), arb(0))
    tail = exp_up(log_outside(loss, step * numbers, r, step))
    log_rule = log_rule_error(width, step)

    def transform(u: Ball) -> acb:
        strip = exp_up(log_rule + float(exponent_at(np.array([abs(float(u)) * (1.0 + 1e-12)]))[0]))
        radius = (abs(moment) * strip * 2 + tail).upper()
        doubt = acb(arb(0, radius), arb(0, radius))
        return sum((acb(weight) * acb(0, u * x).exp() for x, weight in nodes), acb(0)) + doubt

    return transform
