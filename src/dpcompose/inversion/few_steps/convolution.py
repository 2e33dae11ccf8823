r"""Sums of independent steps on one lattice, by a fast Fourier transform of their tilted laws.

With weights $w_{ij}$ at $a_i+hj$ and the tilt $t$, the laws $p_{ij} = w_{ij}e^{thj-c_i}$ have mass 1; let the sum of
$k_i$ steps of each have the weights $v_J$. With $O = \sum k_ia_i$,

$$\delta(\varepsilon) = e^{\sum k_ic_i}\sum_{O+hJ>\varepsilon}v_Je^{-thJ}\bigl(1-e^{\varepsilon-O-hJ}\bigr).$$

A transform of length $N$ errs by at most $8u\log_2N$, relative in the Euclidean norm (Higham 2002, Theorem 24.2; the
constant is generous, also for a factor of 3 or 5). The greatest weight of a law, counted from its own place, has a
constant transform: only the others, $r_i$, are transformed. As $|\hat p_i| \le 1$, a product of powers errs by
$\sum k_i$ times that of each, and

$$\|\tilde v-v\|_2 \le 8u\log_2N\Bigl(\sum k_i\|r_i\|_2+\|v\|_2\Bigr) + 8u\sum k_i\,\|v\|_2 .$$

The tilt has put what is read where $v$ is large, so this is small beside it at any $\delta$. Sums that leave the
window of $N$ points come back at its other side; by Chernoff's bound they are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from dpcompose.inversion.error_terms import log_chernoff
from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.inversion.saddle import at_epsilon
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import LIBM, SLACK, UNIT_ROUNDOFF, Complexes, Floats, inner, norm
from dpcompose.numerics.unreachable import OutOfReach

FADED = 45.0
"""Beyond e^-45 of the first term nothing is summed."""
MOST_POINTS = 1 << 21
"""The greatest length of a transform."""
NARROW = 1 << 16
"""Sums with no more points than this are not worth a window."""
STEPS = (1.0, 2.0, 4.0, 8.0)
OUTSIDE = math.log(1e-16)


@dataclass(frozen=True, eq=False)
class LatticeLaw:
    """Weights at the places `lowest + span * j`, and how often the step occurs."""

    weights: Floats
    lowest: float
    count: int

    def log_moment(self, slope: float) -> float:
        r"""$c = \ln\sum w_je^{sj}$, $s = th$; zero weights aside."""
        effort.count(2000 + 3 * self.weights.size)
        exponent = slope * np.arange(self.weights.size)
        with np.errstate(divide="ignore"):
            logs = np.log(self.weights) + exponent
        top = float(logs.max())
        return top + math.log(float(np.exp(logs - top).sum()))

    def tilted(self, slope: float) -> tuple[float, Floats]:
        """The log-moment, and the tilted law."""
        c = self.log_moment(slope)
        keep = self.weights > 0.0
        law = np.zeros(self.weights.size)
        law[keep] = self.weights[keep] * np.exp(slope * np.flatnonzero(keep) - c)
        return c, law


def cumulants_of(laws: Sequence[LatticeLaw], span: float, tilt: float) -> Cumulants:
    """K, K', K'' of the sum, quick values."""
    value = slope = curvature = 0.0
    for law in laws:
        c, p = law.tilted(tilt * span)
        j = np.arange(p.size, dtype=np.float64)
        mean = inner(p, j) / float(p.sum())
        value += law.count * (c + tilt * law.lowest)
        slope += law.count * (law.lowest + span * mean)
        curvature += law.count * span * span * inner(p, (j - mean) ** 2)
    return Cumulants(value, slope, curvature)


def tilt_at(laws: Sequence[LatticeLaw], span: float, epsilon: float) -> float:
    """The tilt that puts the sum where ε is, as far as the lattice can follow it."""
    saddle = at_epsilon(lambda t: cumulants_of(laws, span, t), epsilon, 1.0 / max(abs(epsilon), span))
    return min(saddle.tilt, 2.0 / span)


@dataclass(frozen=True, eq=False)
class Composed:
    """The tilted law of the sum on a window of the lattice, and what its readings may be off by."""

    span: float
    tilt: float
    lowest: float
    log_scale: float
    start: int
    """The first point of the window."""
    law: Floats
    error: float
    """An upper bound on the error of `law`, in the Euclidean norm."""
    relative: float
    wrapped: float
    """An upper bound on the tilted probability outside the window."""

    def read(self, epsilon: float) -> tuple[float, float, float, float]:
        r"""$\ln$ of a scale, and in its units: δ(ε), the error of it, and what may be missing or too much."""
        t, h = self.tilt, self.span
        origin = math.floor((epsilon - self.lowest) / h) + 1
        first = max(origin, self.start)
        stop = max(min(self.start + self.law.size, first + math.ceil(min(FADED / (t * h), 1e9)) + 2), first)
        j = np.arange(first, stop)
        gain = np.exp(-t * h * (j - origin)) * np.maximum(-np.expm1(epsilon - self.lowest - h * j), 0.0)
        terms = self.law[first - self.start : stop - self.start] * gain
        value = float(terms.sum())
        rounding = (64.0 * UNIT_ROUNDOFF + LIBM) * float(np.abs(terms).sum()) + self.error * norm(gain)
        rest = math.exp(-t * h * (stop - origin)) if stop < self.start + self.law.size else 0.0
        # Outside the window an outcome at the distance x counts at most e^{-tx}(1-e^{-x}), and x may be a cell less.
        rest += self.wrapped * math.exp(log_chernoff(t) + t * h)
        log_scale = self.log_scale - t * h * origin
        return log_scale, value, rounding * SLACK, rest * SLACK

    def doubt(self, epsilon: float, blur: float) -> float:
        """An upper bound on how far places may be off, all together."""
        far = abs(self.lowest) + abs(epsilon) + self.span * (self.start + self.law.size)
        return blur + 8.0 * UNIT_ROUNDOFF * far

    def lower(self, epsilon: float, blur: float) -> float:
        """A lower bound on δ(ε), where places are off by no more than `blur`."""
        scale, value, error, rest = self.read(epsilon + self.doubt(epsilon, blur))
        return max(value - error - rest, 0.0) * math.exp(min(scale, 700.0)) * (1.0 - self.relative)

    def upper(self, epsilon: float, blur: float) -> float:
        """An upper bound on δ(ε), where places are off by no more than `blur`."""
        scale, value, error, rest = self.read(epsilon - self.doubt(epsilon, blur))
        if scale > 700.0:  # no float holds the scale, so nothing is said
            return math.inf
        return max(value + error + rest, 0.0) * math.exp(scale) * (1.0 + self.relative)


@dataclass(eq=False)
class Product:
    """The transform of a sum, as long as `size`, to which steps are added; the sum is all that is ever in it."""

    span: float
    tilt: float
    size: int
    points: int = 1
    """How many lattice points the sum can reach."""
    shift: int = 0
    """Where it is counted from: the sum of the peaks."""
    steps: int = 0
    lowest: list[float] = field(default_factory=list)
    log_scale: list[float] = field(default_factory=list)
    """Terms of the two sums."""
    norms: float = 0.0
    relative: float = 0.0
    values: Complexes = field(init=False)

    def __post_init__(self) -> None:
        self.values = np.ones(self.size // 2 + 1, dtype=np.complex128)

    def add(self, law: LatticeLaw) -> None:
        """Convolve with more steps of one law."""
        slope, k = self.tilt * self.span, law.count
        c, p = law.tilted(slope)
        effort.count(5 * self.size)
        peak = int(np.argmax(p))
        top, p[peak] = float(p[peak]), 0.0
        self._multiply(np.fft.rfft(_wrapped(p, peak, self.size)), top, k)
        self.shift += k * peak
        self.points += k * (p.size - 1)
        self.steps += k
        self.lowest.append(k * law.lowest)
        self.log_scale.append(k * c)
        self.norms += k * norm(p)
        self.relative += UNIT_ROUNDOFF * k * (4.0 * slope * p.size + 2.0 * abs(c) + 96.0)

    def _multiply(self, base: Complexes, top: float, count: int) -> None:
        """By a power of `base` and a constant, squaring in place."""
        base += top
        while True:
            if count & 1:
                self.values *= base
            count >>= 1
            if not count:
                return
            base *= base

    @property
    def laws(self) -> int:
        """How many steps were added."""
        return len(self.lowest)

    def composed(self, start: int = 0, wrapped: float = 0.0) -> Composed:
        """The law of the sum on the window from `start` on, with at most `wrapped` outside."""
        effort.count(4 * self.size)
        sums = _wrapped(np.fft.irfft(self.values, self.size), start - self.shift, self.size)
        own = norm(sums)
        error = 8.0 * UNIT_ROUNDOFF * (math.log2(self.size) * (self.norms + own) + self.steps * own) * 1.01
        lowest, log_scale = math.fsum(self.lowest), math.fsum(self.log_scale)
        relative = self.relative + 8.0 * UNIT_ROUNDOFF * (abs(log_scale) + self.tilt * self.span * self.points + 8.0)
        return Composed(self.span, self.tilt, lowest, log_scale, start, sums, error, relative * SLACK, wrapped)


def compose(laws: Sequence[LatticeLaw], span: float, tilt: float) -> Composed:
    """The sum of all steps."""
    full = sum(law.count * (law.weights.size - 1) for law in laws) + 1
    start, size, wrapped = _window(laws, tilt * span, full)
    product = Product(span, tilt, size)
    for law in laws:
        product.add(law)
    return product.composed(start, wrapped)


def _wrapped(values: Floats, first: int, size: int) -> Floats:
    """The sums of all values that are a multiple of `size` apart, from the place `first` on."""
    if values.size > size:
        values = np.pad(values, (0, -values.size % size)).reshape(-1, size).sum(axis=0)
    first %= size
    turned = np.zeros(size)
    turned[: max(values.size - first, 0)] = values[first:]
    turned[size - first : size - first + min(first, values.size)] = values[:first]
    return turned


def _longer(points: int) -> int:
    """The least length of a quick transform of so many points: a power of two, or three or five times one."""
    return min(part << max(math.ceil(math.log2(max(points, 1) / part)), 0) for part in (2, 3, 5))


def _window(laws: Sequence[LatticeLaw], slope: float, full: int) -> tuple[int, int, float]:
    r"""First point and length of a window with almost all of the tilted sum, and a bound on what is outside.

    By Chernoff, $P(J \ge n) \le e^{\sum k_i(c_i(s+d)-c_i(s))-dn}$, and likewise below.
    """
    whole = _longer(full)
    if full <= NARROW:
        return 0, whole, 0.0
    tilted, spread = [law.tilted(slope) for law in laws], 0.0
    for law, (_, p) in zip(laws, tilted, strict=True):
        j = np.arange(p.size, dtype=np.float64)
        mean = inner(p, j)
        spread += law.count * inner(p, (j - mean) ** 2)
    low, high = 0.0, float(full)
    for step in STEPS:
        d = step / math.sqrt(spread + 1.0)
        up, down = (
            math.fsum(law.count * (law.log_moment(slope + e) - c) for law, (c, _) in zip(laws, tilted, strict=True))
            for e in (d, -d)
        )
        high, low = min(high, (up - OUTSIDE) / d), max(low, (OUTSIDE - down) / d)
    start, stop = max(math.floor(low) - 1, 0), min(math.ceil(high) + 1, full)
    size = _longer(stop - start)
    if min(size, whole) > MOST_POINTS:
        raise OutOfReach
    return (0, whole, 0.0) if size >= whole else (start, size, 2.1 * math.exp(OUTSIDE))
