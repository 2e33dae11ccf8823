r"""From a spectrum to a line: cut-off, skipped frequencies, and the smoothing sandwich.

Where the characteristic function decays, a plain line suffices. Where it does not (atoms), two smoothed lines enclose
the profile. With $\hat\kappa(z) = e^{z^2\eta^2/2}$, the transform of a normal density of variance $\eta^2$:

* *above*: one more Gaussian mechanism with $\mu = \eta$; by post-processing $\delta$ can only grow.
  Multiplier $e^{z(z+1)\eta^2/2}$.
* *below*: $x \mapsto \delta(\ln x)$ is convex, so $\delta(\varepsilon) \ge \delta(y) +
  \delta'(y)(e^{\varepsilon-y}-1)$ for every $y$. Averaging over $y = \varepsilon + r$ and
  integrating by parts gives a lower bound with multiplier $(1+z)\hat\kappa(z) - z\hat\kappa(z+1)$.

The two differ by $t(1+t)\eta^2$ relative to $\delta$, however many steps there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dpcompose.inversion.error_terms import log_signed_growth, log_smooth_truncation, log_truncation
from dpcompose.inversion.line.line import Alias, Line, Sandwich
from dpcompose.inversion.line.spectrum import Goal, Spectrum
from dpcompose.inversion.losses.protocols import Logarithm, LossSum
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Complexes, Floats, Integers, multiples
from dpcompose.numerics.unreachable import OutOfReach

MOST_FREQUENCIES = 500_000
PLAIN_FREQUENCIES = 3_000
"""Plain lines with at most this number of frequencies are tried before smoothing is."""
LADDER = tuple(1.12**rung for rung in range(6))
"""Frequencies at which a line may be cut off, in units of the least."""
NEVER = (0, 0.0)


class Framed(Protocol):
    """What a line takes from a spectrum."""

    @property
    def tilt(self) -> float:
        """The tilt."""

    @property
    def spacing(self) -> float:
        """The distance of neighbouring frequencies."""

    @property
    def log_moment(self) -> tuple[float, float]:
        """K(t) of the sum and a bound on its error."""

    @property
    def centre(self) -> tuple[float, float]:
        """The centre of the sum and a bound on its error."""

    @property
    def low(self) -> Alias:
        """The aliasing from below."""

    @property
    def high(self) -> Alias:
        """The aliasing from above."""


def build_line(spectrum: Spectrum, summands: Sequence[LossSum], goal: Goal) -> Line | Sandwich:
    """The cheaper of a plain line and a sandwich."""
    reach = math.sqrt(2.0 * (goal.digits + 7.0 + math.log1p(goal.saddle.tilt)))
    eta = max(smoothing_width(goal), reach / (MOST_FREQUENCIES * spectrum.spacing))
    if eta > 0.5 / (1.0 + goal.saddle.tilt):
        raise OutOfReach
    smooth_last = math.ceil(reach / eta / spectrum.spacing)
    line = plain_line(spectrum, summands, goal, min(MOST_FREQUENCIES, max(smooth_last, PLAIN_FREQUENCIES)))
    if line is not None:
        return line
    wider = spectrum.reaching(spectrum.spacing * smooth_last, goal, sum(s.steps for s in summands))
    sample = TransformSample.take(wider, smooth_last, 0.0, goal, eta)
    return Sandwich(smoothed_above(wider, sample, eta), smoothed_below(wider, sample, eta))


def plain_line(spectrum: Spectrum, summands: Sequence[LossSum], goal: Goal, most: int) -> Line | None:
    """A line without smoothing, if the transform decays within so many frequencies."""
    last, log_decay = cut_off(spectrum, goal, most)
    if not last:
        return None
    reach = spectrum.spacing * last
    wider = spectrum.reaching(reach, goal, sum(s.steps for s in summands)) if reach > goal.reach else spectrum
    return plain(wider, TransformSample.take(wider, last, log_decay, goal))


def smoothing_width(goal: Goal) -> float:
    r"""$\eta$ with $t(1+t)\eta^2$ just under the relative tolerance."""
    t = goal.saddle.tilt
    return min(math.sqrt(0.45 * goal.relative / (t * (1.0 + t))), 0.5 / (1.0 + t))


def cut_off(spectrum: Spectrum, goal: Goal, most: int) -> tuple[int, float]:
    """The least frequency index beyond which the certified decay makes the rest negligible, and that decay; or 0."""
    allowed = goal.log_delta - goal.digits - 3.0 - log_prefactor(spectrum, goal)
    least = max(8, int(0.4 * goal.reach / spectrum.spacing))
    if least > most:
        return NEVER
    octaves = [least << n for n in range(1, (2 * most // least).bit_length())]
    last, decay = _enough(spectrum, allowed, [*_rungs(least), *octaves])
    finer = _enough(spectrum, allowed, _rungs(last >> 1)) if last > octaves[0] else NEVER
    return finer if finer[0] else (last, decay)


def _rungs(least: int) -> list[int]:
    """From one frequency index nearly to its double."""
    return [math.ceil(least * rung) for rung in LADDER]


def _enough(spectrum: Spectrum, allowed: float, ladder: Sequence[int]) -> tuple[int, float]:
    """The first frequency index of a ladder beyond which no more than `allowed` is left, and the decay there; or 0."""
    enough = allowed - log_truncation(0.0, spectrum.spacing, ladder[0])
    decay = spectrum.log_decay(spectrum.spacing * np.array(ladder), enough)
    found = zip(ladder, decay.tolist(), strict=True)
    return next((each for each in found if log_truncation(each[1], spectrum.spacing, each[0]) <= allowed), NEVER)


def log_prefactor(spectrum: Spectrum, goal: Goal) -> float:
    r"""$\ln$ of the prefactor $e^{K-t\varepsilon}/W$, in whose units sums are kept."""
    return spectrum.log_moment[0] - goal.saddle.tilt * goal.epsilon - math.log(spectrum.period.length)


@dataclass(frozen=True, eq=False)
class TransformSample:
    r"""$\ln\varphi$ on the frequencies worth evaluating, and a bound on what the others could contribute."""

    indices: Integers
    values: Logarithm
    last: int
    skipped: float
    """$\\sum 2e^{\\text{bound}}/u$ over the skipped, enough for both kernels up to the factors in use."""
    log_decay: float

    @classmethod
    def take(cls, spectrum: Spectrum, last: int, log_decay: float, goal: Goal, eta: float = 0.0) -> TransformSample:
        """Evaluate what matters, bound the rest."""
        indices = np.arange(1, last + 1, dtype=np.int64)
        effort.count(60 * last)
        frequencies = multiples(spectrum.spacing, indices)
        skipped = 0.0
        if last > PLAIN_FREQUENCIES // 2:
            kernel = np.log((2.0 + 2.0 * frequencies) / frequencies**2)
            kernel -= 0.5 * (eta * frequencies) ** 2 * (1.0 - 1e-12)
            enough = goal.log_delta - goal.digits - 8.0 - log_prefactor(spectrum, goal) - math.log(last) - kernel
            bound = spectrum.log_bound(indices, enough)
            faint = bound < enough
            skipped = float(np.exp((bound + kernel)[faint]).sum()) * SLACK
            indices = indices[~faint]
        return cls(indices, spectrum.logarithm(indices), last, skipped, log_decay)


def plain(spectrum: Framed, sample: TransformSample) -> Line:
    r"""The kernel $1/(z(z+1))$."""
    tail = math.exp(log_truncation(sample.log_decay, spectrum.spacing, sample.last)) + sample.skipped
    ones = np.ones(sample.indices.shape, dtype=np.complex128)
    return assemble(
        spectrum,
        sample,
        kernel=ones,
        kernel_error=np.zeros(ones.shape),
        base=(1.0, 0.0),
        moment=spectrum.log_moment,
        centre=spectrum.centre,
        tail=tail,
        aliases=(spectrum.low, spectrum.high),
    )


def smoothed_above(spectrum: Framed, sample: TransformSample, eta: float) -> Line:
    r"""The kernel $e^{z(z+1)\eta^2/2}/(z(z+1))$: at frequency $u$ the modulus $e^{-\eta^2u^2/2}$, the rest in $K$ and
    $c$.
    """
    t, e = spectrum.tilt, 0.5 * eta * eta
    u = multiples(spectrum.spacing, sample.indices)
    fade = np.exp(-e * u * u)
    growth = e * t * (t + 1.0)
    decay = sample.log_decay - e * (spectrum.spacing * sample.last) ** 2 * (1.0 - 1e-12)
    tail = math.exp(log_truncation(decay, spectrum.spacing, sample.last)) + sample.skipped
    moment, moment_error = spectrum.log_moment
    centre, centre_error = spectrum.centre
    shift = e * (2.0 * t + 1.0)
    return assemble(
        spectrum,
        sample,
        kernel=fade.astype(np.complex128),
        kernel_error=fade * (8.0 * UNIT_ROUNDOFF * e * u * u + LIBM),
        base=(1.0, 0.0),
        moment=(moment + growth, moment_error + 8.0 * UNIT_ROUNDOFF * (growth + abs(moment))),
        centre=(centre + shift, centre_error + 8.0 * UNIT_ROUNDOFF * (abs(centre) + shift)),
        tail=tail,
        aliases=tuple(
            replace(a, constant=a.constant + e * a.tau * (a.tau + 1.0) * SLACK) for a in (spectrum.low, spectrum.high)
        ),
    )


def smoothed_below(spectrum: Framed, sample: TransformSample, eta: float) -> Line:
    r"""The kernel $\kappa(z)/(z(z+1))$, $\kappa(z) = \hat\kappa(z)\bigl[1 - z\,(e^{(2z+1)\eta^2/2}-1)\bigr]$."""
    t, e = spectrum.tilt, 0.5 * eta * eta
    u = multiples(spectrum.spacing, sample.indices)
    kernel, kernel_error = _below(t, u, e)
    base, base_error = _below(t, np.zeros(1), e)
    # κ̂(z) = e^{(t²-u²)η²/2} e^{iutη²}: the last factor is a shift of the centre.
    moment, moment_error = spectrum.log_moment
    centre, centre_error = spectrum.centre
    growth, shift = e * t * t, 2.0 * e * t
    tail = (
        math.exp(log_smooth_truncation(sample.log_decay, spectrum.spacing, sample.last, t, eta) - growth)
        + sample.skipped * (math.exp(e * (2.0 * t + 1.0)) + 1.0) * SLACK
    )
    aliases = tuple(
        replace(a, constant=a.constant + log_signed_growth(a.tau, eta)) for a in (spectrum.low, spectrum.high)
    )
    return assemble(
        spectrum,
        sample,
        kernel=kernel,
        kernel_error=kernel_error,
        base=(float(base.real[0]), float(base_error[0])),
        moment=(moment + growth, moment_error + 8.0 * UNIT_ROUNDOFF * (growth + abs(moment))),
        centre=(centre + shift, centre_error + 8.0 * UNIT_ROUNDOFF * (abs(centre) + shift)),
        tail=tail,
        aliases=aliases,
    )


def _below(t: float, u: Floats, e: float) -> tuple[Complexes, Floats]:
    r"""$e^{-\eta^2u^2/2}[1 - z(e^w-1)]$, $w = (2z+1)\eta^2/2$, and a bound on its rounding; $e^w - 1$ without
    cancellation.
    """
    a, b = e * (2.0 * t + 1.0), 2.0 * e * u
    excess = np.expm1(a) * np.cos(b) - 2.0 * np.sin(0.5 * b) ** 2 + 1j * np.exp(a) * np.sin(b)
    turn = (t + 1j * u) * excess
    fade = np.exp(-e * u * u)
    size = 1.0 + np.hypot(t, u) * (abs(np.expm1(a)) + np.exp(a) * np.minimum(b, 2.0) + np.minimum(b * b, 2.0))
    return fade * (1.0 - turn), fade * size * (12.0 * LIBM + 8.0 * UNIT_ROUNDOFF * (e * u * u + b))


def assemble(
    spectrum: Framed,
    sample: TransformSample,
    *,
    kernel: Complexes,
    kernel_error: Floats,
    base: tuple[float, float],
    moment: tuple[float, float],
    centre: tuple[float, float],
    tail: float,
    aliases: Sequence[Alias],
) -> Line:
    r"""Amplitudes and angles $A_me^{i\theta_m} = 2\varphi(u_m)\kappa(z_m)/(z_m(z_m+1))$ with their errors."""
    t = spectrum.tilt
    u = multiples(spectrum.spacing, sample.indices)
    pole = np.hypot(t, u) * np.hypot(t + 1.0, u)
    common = 2.0 * np.exp(sample.values.modulus) / pole
    amplitude = common * np.abs(kernel)
    angle = sample.values.phase + np.angle(kernel) - np.arctan2(u, t) - np.arctan2(u, t + 1.0)
    relative = (
        np.expm1(np.minimum(sample.values.error, 700.0))
        + 12.0 * LIBM
        + 2.0 * UNIT_ROUNDOFF * np.abs(sample.values.modulus)
    )
    scale = 1.0 / (t * (t + 1.0))
    return Line(
        tilt=t,
        spacing=spectrum.spacing,
        log_moment=moment[0],
        log_moment_error=moment[1],
        centre=centre[0],
        centre_error=centre[1],
        base=base[0] * scale,
        base_error=(base[1] + 6.0 * UNIT_ROUNDOFF * abs(base[0])) * scale,
        frequencies=u,
        amplitude=amplitude,
        angle=angle,
        amplitude_error=(amplitude * relative + common * kernel_error * (1.0 + relative)) * SLACK,
        tail=tail * SLACK,
        aliases=tuple(aliases),
    )
