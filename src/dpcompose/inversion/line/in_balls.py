r"""The same line in ball arithmetic: no model of floating-point rounding, only what Arb certifies.

Tilt, period and cut-off are chosen as in the float tier; then every coefficient, the sum, the moments on both sides
and all bounds on them are balls. Quadrature errors are added as radii. What remains in floats, with outward slack, are
the logarithms of the strip bound, of the decay and of the tails: a few operations each, far from any edge. Precision
follows cancellation, so a badly conditioned line is merely slower.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, singledispatch
from typing import TypeAlias

import numpy as np
from flint import acb, arb

from dpcompose.errors import Declined
from dpcompose.inversion.error_terms import log_truncation
from dpcompose.inversion.line.build import cut_off
from dpcompose.inversion.line.exponentials import Exponentials
from dpcompose.inversion.line.jumps import LADDER
from dpcompose.inversion.line.spectrum import Goal, build_spectrum, total_cumulants
from dpcompose.inversion.losses.discrete_gaussian import DiscreteGaussianLoss
from dpcompose.inversion.losses.finite import ListedLoss
from dpcompose.inversion.losses.gaussian import GaussianSum
from dpcompose.inversion.losses.laplace import LaplaceLoss
from dpcompose.inversion.losses.poisson_ratio import PoissonRatio
from dpcompose.inversion.losses.protocols import LossSum, RepeatableLoss
from dpcompose.inversion.losses.randomized_response import TwoPointSum
from dpcompose.inversion.losses.repeated import Repeated
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_gaussian.quadrature import best_rule, log_outside, log_rule_error, node_numbers
from dpcompose.inversion.losses.sampled_laplace import SampledLaplaceLoss
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.legendre import POINTS
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import exp_up
from dpcompose.numerics.unreachable import TooManyNodes

Transform: TypeAlias = Callable[[acb], acb]
r"""$z \mapsto M(z)$ for $z = t+iu$ on the line of one tilt $t$."""

MOST_FREQUENCIES = 20_000
SHARE = 0.05
"""One line takes at most this share of the effort that is left, so that there is room for others."""
LEAST_NOISE = 0.3
"""Discrete Gaussians with at least this noise have a short series."""
MOST_PANELS = 64
"""The greatest number of panels for a sampled Laplace mechanism."""
QUADRATURE = 1e-18
"""The quadrature error that panels are chosen for."""


def delta_in_balls(
    summands: Sequence[LossSum],
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
        folded = sum((aliasing(bulk, goal, tau, spectrum.spacing) for tau in (above.low, above.high)), arb(0))
        upper, lower = line[0] + tail + lost, line[0] - tail - folded
        return Enclosure(max(Enclosure.of(lower).lower, 0.0), min(max(Enclosure.of(upper).upper, 0.0), 1.0))


def _line(bulk: Sequence[LossSum], goal: Goal, spacing: float, last: int, reach: float) -> tuple[Ball, Ball]:
    r"""The trapezoid sum up to the cut-off, and the prefactor $e^{K-t\varepsilon}/W$."""
    t, e, step = ball(goal.saddle.tilt), ball(goal.epsilon), ball(spacing)
    moments = along(bulk, goal.saddle.tilt, reach, step, last, SHARE * effort.room())
    scale = (-t * e).exp() * step / (2 * arb.pi())
    base = moments[0].real
    total = base / (t * (t + 1))
    for m, moment in enumerate(moments[1:], 1):
        u = m * step
        z = acb(t, u)
        total += 2 * (moment * acb(0, -u * e).exp() / (z * (z + 1))).real
    return total * scale, base * scale


def along(  # noqa: PLR0917 - a line
    bulk: Sequence[LossSum], tilt: float, reach: float, step: Ball, last: int, allowed: float = math.inf
) -> list[acb]:
    """The transform of the whole sum at the frequencies 0, 1, …, `last` times the step; no part of it may take more
    than the steps that are allowed.
    """
    effort.count(700 * (1 + len(bulk)) * last)
    values, t = [acb(1)] * (last + 1), ball(tilt)
    for one, times in (factor for s in bulk for factor in _factors(s, tilt, reach)):
        if isinstance(one, Exponentials) and one.cost(last) > allowed:
            raise TooManyNodes(one.size)
        effort.count(30 * last)
        each = (
            one.along(step, last) if isinstance(one, Exponentials) else [one(acb(t, m * step)) for m in range(last + 1)]
        )
        powers = each if times == 1 else [factor**times for factor in each]
        values = [value * power for value, power in zip(values, powers, strict=True)]
    return values


def _factors(summand: LossSum, tilt: float, reach: float) -> Iterable[tuple[Transform, int]]:
    """The transforms of which a sum's is the product, each with its power."""
    if isinstance(summand, Repeated):
        return [(step_in_balls(summand.loss, tilt, reach), summand.count)]
    if isinstance(summand, TwoPointSum):
        return [(_two_points(e, tilt), count) for e, count in _members(summand)]
    return [(in_balls(summand, tilt, reach), 1)]


def _members(summand: TwoPointSum) -> list[tuple[Ball, int]]:
    blur = arb(1, summand.size_error)
    return [(ball(e) * blur, round(k)) for e, k in zip(summand.sizes.tolist(), summand.counts.tolist(), strict=True)]


def _two_points(e: Ball, tilt: float) -> Exponentials:
    """ε with the odds e^ε to 1, else −ε."""
    t = ball(tilt)
    return Exponentials(2, lambda: [(x, (t * x).exp() / (1 + (-x).exp())) for x in (e, -e)])


def aliasing(bulk: Sequence[LossSum], goal: Goal, tau: float, spacing: float) -> Ball:
    r"""$c(\tau)M(\tau)e^{-\tau\varepsilon}e^{-gW}/(1-e^{-gW})$: see `error_terms.log_alias`."""
    side, e = ball(tau), ball(goal.epsilon)
    fall = (-abs(ball(goal.saddle.tilt) - side) * 2 * arb.pi() / ball(spacing)).exp()
    size = arb(1)
    if tau > 0.0:
        size = (side * (side / (1 + side)).log()).exp() / (1 + side) * (-side * e).exp()
        for s in bulk:
            size *= in_balls(s, tau, 0.0)(acb(side)).real
    return size * fall / (1 - fall)


# ---------------------------------------------------------------------- transforms, one a kind


@singledispatch
def in_balls(summand: LossSum, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    """The transform of a sum along the line at this tilt."""
    raise Declined("such a sum of losses has no transform in balls")


@in_balls.register
def _(summand: GaussianSum, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    variance = ball(summand.mu_squared)
    return lambda z: (z * (z + 1) * variance / 2).exp()


@in_balls.register
def _(summand: TwoPointSum, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    members = [(_two_points(e, tilt), count) for e, count in _members(summand)]
    return lambda z: math.prod((step(z) ** count for step, count in members), start=acb(1))


@in_balls.register
def _(summand: Repeated, tilt: float, reach: float) -> Transform:
    step = step_in_balls(summand.loss, tilt, reach)
    return lambda z: step(z) ** summand.count


@singledispatch
def step_in_balls(loss: RepeatableLoss, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    """The transform of one step."""
    raise Declined("a step with such losses has no transform in balls")


@step_in_balls.register
def _(loss: LaplaceLoss, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    e = ball(loss.size)

    def transform(z: acb) -> acb:
        s = z + arb(0.5)
        return ((z * e).exp() + (-(z + 1) * e).exp() + (-e / 2).exp() * (s * e).sinh() / s) / 2

    return transform


@step_in_balls.register
def _(loss: ListedLoss, tilt: float, reach: float) -> Exponentials:  # noqa: ARG001
    errors = [np.broadcast_to(np.asarray(e), loss.losses.shape).tolist() for e in (loss.loss_error, loss.weight_error)]
    columns = zip(loss.losses.tolist(), loss.weights.tolist(), *errors, strict=True)
    atoms = [(arb(x, dx), arb(w) * arb(1, dw)) for x, w, dx, dw in columns]
    t = ball(tilt)
    return Exponentials(len(atoms), lambda: [(x, w * (t * x).exp()) for x, w in atoms])


@step_in_balls.register
def _(loss: DiscreteGaussianLoss, tilt: float, reach: float) -> Transform:  # noqa: ARG001
    r"""By Poisson's formula $M(z) = \vartheta^{-1}\sum_n\exp(z(z+1)\mu^2/2-2\pi^2\sigma^2n^2+2\pi inz\Delta)$, where
    $\vartheta$ is the sum at $z = 0$. A term has the modulus $e^{t(t+1)\mu^2/2}e^{-2\pi^2\sigma^2(n-c)^2}$ with $c =
    -u\Delta/2\pi\sigma^2$.
    """
    if loss.noise_std < LEAST_NOISE:
        raise Declined("noise so small is left to sums over its outcomes")
    s2, shift, t = ball(loss.noise_std) ** 2, ball(loss.sensitivity), ball(tilt)
    fall = 2 * arb.pi() ** 2 * s2
    far = 2 + math.ceil(math.sqrt(0.7 * ctx.prec / float(fall)))
    beyond = (2 * (-fall * (far - 1) ** 2).exp() / (1 - (-2 * fall * (far - 1)).exp())).upper()

    def series(z: acb, growth: Ball) -> acb:
        centre = round(float(-z.imag * shift / (2 * arb.pi() * s2)))
        head = z * (z + 1) * shift * shift / (2 * s2)
        terms = (
            (head - fall * n * n + acb(0, 2) * arb.pi() * n * shift * z).exp()
            for n in range(centre - far, centre + far + 1)
        )
        doubt = arb(0, (growth * beyond).upper())
        return sum(terms, acb(doubt, doubt))

    whole = series(acb(0), arb(1))
    growth = (t * (t + 1) * shift * shift / (2 * s2)).exp()
    return lambda z: series(z, growth) / whole


@step_in_balls.register
def _(loss: SampledLaplaceLoss, tilt: float, reach: float) -> Exponentials:
    r"""The panels of `sampled_laplace`, nodes and weights in balls, their error as a radius; the two atoms."""
    count = loss.panels_for(tilt, reach, QUADRATURE)
    if count > MOST_PANELS:
        raise TooManyNodes(count * POINTS)
    ratio, e = PoissonRatio(loss.rate), ball(loss.size)
    power = ball(loss.exponent(0.0)) + ball(loss.sign) * ball(tilt)
    half = e / count
    rule = [arb.legendre_p_root(POINTS, i, weight=True) for i in range(POINTS)]
    places = [(-e + half * (2 * j + 1 + y), half * w) for j in range(count) for y, w in rule]
    bare = [(x, w * (-(x + e) / 2).exp() / 4) for x, w in places] + [(e, (-e).exp() / 2), (-e, arb(0.5))]
    nodes = [(ratio.log_in_balls(x), weight) for x, weight in bare]
    tilted = [(ball(loss.sign) * log, weight * (power * log).exp()) for log, weight in nodes]
    bound = loss.quadrature_error(count, loss.exponent(tilt))

    def doubt(u: Ball) -> acb:
        radius = exp_up(bound(np.array([abs(float(u)) * (1.0 + 1e-12)]))[0])
        return acb(arb(0, radius), arb(0, radius))

    return Exponentials(len(tilted), lambda: tilted, doubt)


@step_in_balls.register
def _(loss: SampledGaussianLoss, tilt: float, reach: float) -> Exponentials:
    r"""The trapezoid sum of `sampled_gaussian.quadrature`, nodes and weights in balls, its errors as a radius."""
    error = 2.0 ** (-min(ctx.prec, 400) + 40)
    r = loss.exponent(tilt)
    step, width, exponent_at = best_rule(loss, r, reach, error)
    numbers = node_numbers(loss, r, step, 4.0 - math.log(error))
    q, s, w = ball(loss.rate), ball(loss.noise_std), ball(loss.window.fade)
    power = ball(loss.exponent(0.0)) + ball(loss.sign) * ball(tilt)  # `r` is this, rounded
    norm = ball(step) / (s * (2 * arb.pi()).sqrt())

    @cache
    def nodes() -> list[tuple[Ball, Ball]]:
        found = []
        for j in numbers.tolist():
            x = ball(j) * ball(step)
            ratio = (1 - q + q * ((x - arb(0.5)) / (s * s)).exp()).log()
            weight = norm * (-x * x / (2 * s * s) + power * ratio).exp()
            if math.isfinite(loss.window.cut):
                weight *= ((x - ball(loss.window.cut)) / (w * arb(2).sqrt())).erfc() / 2
            found.append((ball(loss.sign) * ratio, weight))
        return found

    @cache
    def moment() -> Ball:
        return abs(sum((weight for _, weight in nodes()), arb(0)))

    tail = exp_up(log_outside(loss, step * numbers, r, step))
    log_rule = log_rule_error(width, step)

    def doubt(u: Ball) -> acb:
        strip = exp_up(log_rule + float(exponent_at(np.array([abs(float(u)) * (1.0 + 1e-12)]))[0]))
        radius = (moment() * strip * 2 + tail).upper()
        return acb(arb(0, radius), arb(0, radius))

    return Exponentials(numbers.size, nodes, doubt)
