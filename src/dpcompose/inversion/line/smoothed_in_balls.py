r"""The smoothing sandwich of `build` in ball arithmetic, for what does not decay in frequency.

Tilt, period and the width $\eta$ of the smoothing are chosen in floats; whatever they are, the two smoothed sums, what
is cut off from them and their aliasing are balls. A width that so many frequencies can follow is the price: the answer
is $t(1+t)\eta^2$ wide, relatively.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

from flint import acb, arb

from dpcompose.errors import Declined
from dpcompose.inversion.error_terms import log_signed_growth, log_smooth_truncation, log_truncation
from dpcompose.inversion.line.build import smoothing_width
from dpcompose.inversion.line.in_balls import SHARE, aliasing, along
from dpcompose.inversion.line.jumps import LADDER
from dpcompose.inversion.line.spectrum import Goal, Spectrum, build_spectrum, total_cumulants
from dpcompose.inversion.losses.protocols import LossSum
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.numerics import effort
from dpcompose.numerics.enclosure import Ball, Enclosure, ball
from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import exp_up
from dpcompose.numerics.unreachable import TooManyNodes

MOST_FREQUENCIES = (6_000, 3_000, 1_500, 700, 300, 150, 75, 40)
"""The first that transforms can follow, and that leave room for further lines."""
FINEST = 1e-8
"""No narrower answer is tried for."""


def smoothed_delta_in_balls(
    summands: Sequence[LossSum], epsilon: float, log_delta: float, relative: float
) -> Enclosure:
    """The finite part of δ(ε) for any composition whose transforms balls know."""
    relative = max(relative, FINEST)
    wanted = log_delta + math.log(relative) - 3.0 - math.log(len(summands))
    bulk = [s.trimmed(wanted, LADDER[1][1]) for s in summands]
    goal = Goal(at_epsilon(total_cumulants(bulk), epsilon), epsilon, log_delta, relative)
    spectrum = build_spectrum(bulk, goal)
    for most in MOST_FREQUENCIES:
        allowed = SHARE * effort.room() if most > MOST_FREQUENCIES[-1] else math.inf
        with suppress(TooManyNodes):
            return _sandwich(bulk, goal, spectrum, most, allowed)
    raise Declined("no line in balls follows this transform")


def _sandwich(bulk: Sequence[LossSum], goal: Goal, spectrum: Spectrum, most: int, allowed: float) -> Enclosure:
    """Both ends of δ, from a bounded number of frequencies, in about so many steps as are allowed."""
    t, spacing = goal.saddle.tilt, spectrum.spacing
    reach = math.sqrt(2.0 * (goal.digits + 7.0 + math.log1p(t)))
    eta = max(smoothing_width(goal), reach / (most * spacing))
    if eta > 0.5 / (1.0 + t):
        raise Declined("a line in balls does not tell losses so close together apart")
    last = math.ceil(reach / eta / spacing)
    cancellation = spectrum.log_moment[0] - t * goal.epsilon - goal.log_delta
    with ctx.workprec(96 + math.ceil(1.5 * (max(cancellation, 0.0) - math.log(goal.relative)))):
        above, below, scale = _sums(bulk, goal, spacing, last, ball(eta) ** 2 / 2, allowed)
        faded = -0.5 * (eta * spacing * last) ** 2 * (1.0 - 1e-12)
        growth = (ball(t) * (ball(t) + 1) * ball(eta) ** 2 / 2).exp()
        upper = above + scale * growth * arb(exp_up(log_truncation(faded, spacing, last)))
        upper += arb(sum(s.trim_lost for s in bulk) * (1.0 + 1e-12))
        lower = below - scale * arb(exp_up(log_smooth_truncation(0.0, spacing, last, t, eta)))
        for tau in (spectrum.period.low, spectrum.period.high):
            lower -= aliasing(bulk, goal, tau, spacing) * arb(exp_up(log_signed_growth(tau, eta)))
        return Enclosure(max(Enclosure.of(lower).lower, 0.0), min(max(Enclosure.of(upper).upper, 0.0), 1.0))


def _sums(  # noqa: PLR0917 - a line
    bulk: Sequence[LossSum], goal: Goal, spacing: float, last: int, half: Ball, allowed: float
) -> tuple[Ball, Ball, Ball]:
    r"""The trapezoid sums with $\kappa_{up}(z) = e^{z(z+1)\eta^2/2}$ and $\kappa_{lo}(z) =
    (1+z)\hat\kappa(z)-z\hat\kappa(z+1)$, $\hat\kappa(z) = e^{z^2\eta^2/2}$; and the prefactor $e^{K-t\varepsilon}/W$.
    """
    t, e, step = ball(goal.saddle.tilt), ball(goal.epsilon), ball(spacing)
    moments = along(bulk, goal.saddle.tilt, spacing * last, step, last, allowed)
    scale = (-t * e).exp() * step / (2 * arb.pi())
    base = moments[0].real

    def kernels(z: acb) -> tuple[acb, acb]:
        plain = (z * z * half).exp()
        shifted = plain * ((2 * z + 1) * half).exp()
        return plain * (z * half).exp(), (1 + z) * plain - z * shifted

    def pair(z: acb, turned: acb) -> tuple[Ball, Ball]:
        common = turned / (z * (z + 1))
        up, low = kernels(z)
        return (common * up).real, (common * low).real

    above, below = pair(acb(t), acb(base))
    for m, moment in enumerate(moments[1:], 1):
        u = m * step
        up, low = pair(acb(t, u), moment * acb(0, -u * e).exp())
        above, below = above + 2 * up, below + 2 * low
    return above * scale, below * scale, base * scale
