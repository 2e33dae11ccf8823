r"""Sums that live on a lattice $a + b\mathbb Z$: a finite Fourier sum, no smoothing, no truncation.

Between lattice points $\delta$ is linear in $e^\varepsilon$, so its values at lattice points $s_j$ suffice. There,
with an odd number $N$ of frequencies $u_m = 2\pi m/(Nb)$ and $W = Nb$,

$$\sum_ne^{tnW}\delta(s_j+nW) =
\frac{e^{K(t)-ts_j}}{N}\sum_{|m|\le(N-1)/2}\varphi(u_m)e^{iu_m(c-s_j)}G(z_m),\quad
  G(z) = \frac1{1-e^{-zb}} - \frac1{1-e^{-(z+1)b}} ,$$

exactly, with the same aliasing bound as on the line. (An even $N$ would miss the middle frequency.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpcompose.inversion.error_terms import log_alias
from dpcompose.inversion.line.build import TransformSample
from dpcompose.inversion.line.line import Alias, Line
from dpcompose.inversion.line.reading import ErrorBudget, LineReading
from dpcompose.inversion.line.spectrum import Goal, Period, Spectrum, build_spectrum, total_cumulants
from dpcompose.inversion.losses.protocols import Lattice, LossSum
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Floats, multiples

MOST_POINTS = 200_000
NOTHING_LEFT = LineReading(-math.inf, -math.inf, -math.inf, -1.0)


def common_lattice(summands: Sequence[LossSum]) -> Lattice | None:
    """The lattice of the whole sum, if all parts share one span."""
    lattices = [s.lattice for s in summands]
    first = lattices[0] if lattices else None
    if first is None or any(x is None or x.span != first.span for x in lattices):
        return None
    known = [x for x in lattices if x is not None]
    return Lattice(math.fsum(x.offset for x in known), first.span, max(x.error for x in known) + 2.0 * UNIT_ROUNDOFF)


@dataclass(frozen=True, eq=False)
class LatticeLine:
    """A line that is read at lattice points and interpolated between them."""

    line: Line
    lattice: Lattice
    top: float
    """The last lattice point of the law, where δ is 0 exactly; or infinite."""

    @property
    def tilt(self) -> float:
        """The tilt of the line."""
        return self.line.tilt

    @property
    def size(self) -> int:
        """How many frequencies are evaluated."""
        return self.line.size

    def _place(self, epsilon: float, towards: int) -> tuple[int, float]:
        """The lattice point at or below ε (shifted by its own uncertainty) and the share of the next one."""
        a, b = self.lattice.offset, self.lattice.span
        position = (epsilon - a) / b
        blur = (4.0 * UNIT_ROUNDOFF + self.lattice.error) * (abs(epsilon) + abs(a)) / b + 4.0 * UNIT_ROUNDOFF * abs(
            position
        )
        position += towards * blur
        j = math.floor(position)
        share = math.expm1((position - j) * b) / math.expm1(b) if b < 700.0 else math.exp((position - j - 1.0) * b)
        return j, min(max(share, 0.0), 1.0)

    @cached_property
    def _known(self) -> dict[int, LineReading]:
        """Lattice points that were read before."""
        return {}

    def _at(self, j: int) -> LineReading:
        if j not in self._known:
            self._known[j] = self._read_point(j)
        return self._known[j]

    def _read_point(self, j: int) -> LineReading:
        place = self.lattice.offset + j * self.lattice.span
        return NOTHING_LEFT if place > self.top - 0.5 * self.lattice.span else self.line.read(place)

    def read(self, epsilon: float) -> LineReading:
        """Interpolate linearly in $e^ε$ between two lattice points."""
        low, high = self._place(epsilon, -1), self._place(epsilon, +1)
        near = {j: self._at(j) for j in {low[0], low[0] + 1, high[0], high[0] + 1}}
        upper = _mix(near[low[0]].log_upper, near[low[0] + 1].log_upper, low[1]) * (1.0 - LIBM) + 8.0 * LIBM
        lower = _mix(near[high[0]].log_lower, near[high[0] + 1].log_lower, high[1]) * (1.0 + LIBM) - 8.0 * LIBM
        first, second = near[low[0]].log_value, near[low[0] + 1].log_value
        value = _mix(first, second, low[1])
        drop = math.exp(second - first) - 1.0 if math.isfinite(first) else -1.0
        rate = low[1] + (1.0 / math.expm1(self.lattice.span) if self.lattice.span < 700.0 else 0.0)
        slope = drop * rate * math.exp(min(first - value, 700.0)) if math.isfinite(value) else -self.tilt
        return LineReading(min(lower, upper), upper, value, min(slope, -1e-12)).sound()

    def read_many(self, epsilons: Floats) -> list[LineReading]:
        """`read` at many ε."""
        return [self.read(e) for e in epsilons.tolist()]

    def budget(self, epsilon: float) -> ErrorBudget:
        """The error terms at one ε."""
        j, _ = self._place(epsilon, -1)
        return replace(self.line.budget(self.lattice.offset + j * self.lattice.span), method="lattice line")


def _mix(first: float, second: float, share: float) -> float:
    """ln((1-λ)e^first + λe^second)."""
    return float(np.logaddexp(first + math.log1p(-share) if share < 1.0 else -math.inf,
                              second + math.log(share) if share > 0.0 else -math.inf))  # fmt: skip


def build_lattice_line(summands: Sequence[LossSum], lattice: Lattice, wanted: Goal) -> LatticeLine | None:
    """A line with all frequencies of a period; None if those would be too many.

    The saddle is that of the lattice point below ε, which dominates the interpolation.
    """
    below = lattice.offset + lattice.span * math.floor((wanted.epsilon - lattice.offset) / lattice.span)
    saddle = at_epsilon(total_cumulants(summands), below, wanted.saddle.tilt)
    goal = Goal(saddle, below, max(min(saddle.log_delta, 0.0), wanted.log_delta), wanted.relative)
    spectrum = build_spectrum(summands, goal)
    b, t = lattice.span, spectrum.tilt
    count = max(1, math.ceil(spectrum.period.length / b))
    count += 1 - count % 2
    if count > MOST_POINTS:
        return None
    spacing = 2.0 * math.pi / (count * b)
    # A period at least as long keeps the aliasing bounds; recompute them for the one in use.
    longer = count * b / spectrum.period.length
    period = Period(spacing, spectrum.period.low, spectrum.period.high)
    aliases = [_stretched(a, t, spectrum.period.length, longer) for a in (spectrum.low, spectrum.high)]
    found = replace(spectrum, period=period, low=aliases[0], high=aliases[1])
    wider = found.reaching(math.pi / b, goal, sum(s.steps for s in summands))
    half = (count - 1) // 2
    top = sum(s.supremum for s in summands)
    return LatticeLine(_line(wider, TransformSample.take(wider, half, 0.0, goal), lattice), lattice, top)


def _stretched(alias: Alias, tilt: float, length: float, factor: float) -> Alias:
    """The aliasing bound of one side for a longer period."""
    gap = abs(tilt - alias.tau)
    return replace(
        alias, constant=alias.constant + log_alias(0.0, 0.0, gap, length * factor) - log_alias(0.0, 0.0, gap, length)
    )


def _line(spectrum: Spectrum, sample: TransformSample, lattice: Lattice) -> Line:
    r"""The kernel $bG(z)$, so that sums are in units of $e^{K-t\varepsilon}/W$ as on any line.

    True frequencies are $2\pi m/(Nb)$ for the true $b$, so $u(l-s)$ depends on integers only; computed angles are off
    by a few roundings relatively, which enters as an error of the centre.
    """
    t, b = spectrum.tilt, lattice.span
    u = multiples(spectrum.spacing, sample.indices)
    kernel, kernel_error = _kernel(t, u, b)
    base, base_error = _kernel(t, np.zeros(1), b)
    moment, moment_error = spectrum.log_moment
    centre, centre_error = spectrum.centre
    far = abs(centre) + abs(lattice.offset) + spectrum.period.length
    common = 2.0 * np.exp(sample.values.modulus)
    relative = np.expm1(np.minimum(sample.values.error, 700.0)) + 8.0 * LIBM
    amplitude = common * np.abs(kernel)
    return Line(
        tilt=t,
        spacing=spectrum.spacing,
        log_moment=moment,
        log_moment_error=moment_error + (lattice.error + 4.0 * UNIT_ROUNDOFF) * t * far,
        centre=centre,
        centre_error=centre_error + (16.0 * UNIT_ROUNDOFF + 2.0 * lattice.error) * far,
        base=float(base.real[0]),
        base_error=float(base_error[0]),
        frequencies=u,
        amplitude=amplitude,
        angle=sample.values.phase + np.angle(kernel),
        amplitude_error=(amplitude * relative + common * kernel_error * (1.0 + relative)) * SLACK,
        # |G| is largest at u = 0; the skipped sum carries a factor 1/u >= b/π.
        tail=sample.skipped * math.pi / b * abs(float(base.real[0])) * (1.0 + 1e-6),
        aliases=(spectrum.low, spectrum.high),
    )


def _kernel(t: float, u: Floats, b: float) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.complex128]], Floats]:
    r"""$bG(z) = b\,e^{-zb}(1-e^{-b})/\bigl((1-e^{-zb})(1-e^{-(z+1)b})\bigr)$ and a bound on its rounding."""

    def gap(x: float) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.complex128]], Floats]:
        real = -math.expm1(-x) * np.cos(u * b) + 2.0 * np.sin(0.5 * u * b) ** 2
        value = real + 1j * math.exp(-x) * np.sin(u * b)
        size = -math.expm1(-x) + 2.0 * np.sin(0.5 * u * b) ** 2 + np.abs(math.exp(-x) * np.sin(u * b))
        return value, 6.0 * LIBM * size / np.maximum(np.abs(value), 1e-300) + 4.0 * UNIT_ROUNDOFF * u * b / np.maximum(
            np.abs(value), 1e-300
        )

    first, first_error = gap(t * b)
    second, second_error = gap((t + 1.0) * b)
    kernel = b * -math.expm1(-b) * np.exp(-t * b) * np.exp(-1j * (u * b)) / (first * second)
    return kernel, np.abs(kernel) * (
        first_error + second_error + 8.0 * LIBM + 4.0 * UNIT_ROUNDOFF * (t * b + u * b)
    ) * SLACK
