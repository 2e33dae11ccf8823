r"""One step of a Gaussian on a Poisson sample, seen in floats: where to integrate, and how large things can be.

$X(x) = 1-q+qe^{(x-1/2)/\sigma^2}$ and $n$ the density of $N(0,\sigma^2)$. The step's moments are
$m(s) = \int nX^s\,dx$ with $s = 1+z$ when a record is removed and $s = -z$ when one is added. Write
$r = \mathrm{Re}\,s$, $g = X'\sigma^2/X$, which rises from 0 to 1, and $f = nX^r$.

Bounds are taken over blocks. On a block of width $w$, $(\ln f)'' = (rg(1-g)/\sigma^2-1)/\sigma^2$ is at most $D$ in
absolute value, so $\ln f$ differs from its chord by at most $Dw^2/8$. All of this is about magnitudes: a rounding of
$10^{-9}$ in a logarithm, some hundred times more than happens, is covered by `MARGIN`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

Floats = NDArray[np.float64]
MARGIN = 1.001
MOST_BLOCKS = 60_000
STIFFNESS = 2.25
POWERS = (0.0, 0.5, 1.0)


def exp_or_inf(x: float) -> float:
    """A bound too large for floats is no bound."""
    return math.exp(x) if x < 700.0 else math.inf


@dataclass(frozen=True)
class Step:
    r"""A rate, a noise, and whether the record is removed (1) or added (-1).

    A removed record may be trimmed: $f$ is then multiplied by $\chi(x) = \Phi((c-x)/w)$, $w = \sigma/1.5$, $c$ the cut.
    $\chi$ is entire, $|\chi(x+iy)|\le e^{y^2/2w^2}\chi(x)$, $(\ln\chi)''\in[-w^{-2},0]$ and $(\ln\chi)'\le-(x-c)/w^2$.
    """

    rate: float
    noise_std: float
    side: int
    cut: float = math.inf

    @property
    def stiffness(self) -> float:
        r"""$\sigma^2/w^2$."""
        return STIFFNESS if math.isfinite(self.cut) else 0.0

    def log_window(self, x: Floats) -> Floats:
        r"""$\ln\chi$."""
        if not math.isfinite(self.cut):
            return np.zeros_like(x)
        return np.asarray(log_ndtr((self.cut - x) * math.sqrt(STIFFNESS) / self.noise_std))

    def shift_cost(self, height: float) -> float:
        r"""The logarithm of the most by which $n\chi$ grows up to this height."""
        return height**2 / (2 * self.noise_std**2) * (1.0 + self.stiffness)

    def exponent(self, tilt: float) -> float:
        """The power of X on the line of this tilt."""
        return 1.0 + tilt if self.side > 0 else -tilt

    def log_ratio(self, x: Floats) -> Floats:
        r"""$\ln X$."""
        a = (x - 0.5) / self.noise_std**2
        near = np.log1p(self.rate * np.expm1(np.minimum(a, 500.0)))
        return np.where(a > 500.0, a + math.log(self.rate), near)

    def share(self, x: Floats) -> Floats:
        r"""$g = qe^{a}/X$."""
        a = np.minimum((x - 0.5) / self.noise_std**2, 500.0)
        top = self.rate * np.exp(a)
        return top / (1.0 - self.rate + top)

    def log_density(self, x: Floats, r: float) -> Floats:
        r"""$\ln f$."""
        normal = -0.5 * (x / self.noise_std) ** 2 - math.log(self.noise_std * math.sqrt(2 * math.pi))
        return r * self.log_ratio(x) + normal + self.log_window(x)

    def far(self, r: float, reach: float) -> tuple[float, float]:
        r"""Beyond these, $\ln f$ falls at reach$/\sigma$ at least: $g$ rises, so $-x+rg$ keeps its sign further out."""
        distance = reach * self.noise_std
        if r >= 0.0 and math.isfinite(self.cut):
            return -distance, max((distance + r + self.cut * STIFFNESS) / (1.0 + STIFFNESS), self.cut)
        if r >= 0.0:
            return -distance, r + distance
        left = -distance
        while -left + r * float(self.share(np.array(left))) < distance:
            left *= 1.2
        return left, distance


@dataclass(frozen=True)
class Tilted:
    """A step under the tilt of one line: its moments, and blocks that bound it."""

    step: Step
    tilt: float
    nats: float = 80.0
    """How far out the blocks reach: to about e^-nats of the whole."""

    @cached_property
    def reach(self) -> float:
        """The same in standard deviations."""
        return math.sqrt(2.0 * self.nats) + 3.0

    @property
    def r(self) -> float:
        """The real part of the power of X."""
        return self.step.exponent(self.tilt)

    @cached_property
    def edges(self) -> Floats:
        left, right = self.step.far(self.r, self.reach)
        sigma = self.step.noise_std
        rough = np.linspace(left, right, 2000)
        g = self.step.share(rough)
        bend = (1.0 + self.step.stiffness + abs(self.r) * float(np.max(g * (1.0 - g))) / sigma**2) / sigma**2
        width = min(0.06 * sigma, 0.05 * sigma**2, 0.3 / math.sqrt(bend))
        count = math.ceil((right - left) / width)
        if count > MOST_BLOCKS:
            raise OverflowError(f"{count} blocks")
        return np.linspace(left, right, count + 1)

    @cached_property
    def ends(self) -> tuple[Floats, Floats]:
        x = self.edges
        return self.step.log_density(x, self.r), self.step.share(x)

    @cached_property
    def log_moment(self) -> float:
        r"""$\ln m(r)$, accurate but not certified: the trapezoid rule on the edges."""
        f, x = self.ends[0], self.edges
        rise = self.r * self.step.log_ratio(x)
        if np.max(np.abs(rise)) < 1.0:  # the masses of n add up to 1, which keeps the digits of m - 1
            window = self.step.log_window(x)
            n = np.exp(f - rise - window)
            gain = float(n @ (np.exp(window) * np.expm1(rise) + np.expm1(window)))
            return math.log1p(gain / float(np.sum(n)))
        top = float(np.max(f))
        return top + math.log(float(np.sum(np.exp(f - top))) * (x[1] - x[0]))

    @cached_property
    def cumulants(self) -> tuple[float, float, float]:
        r"""$K$, $K'$ and $K''$ of the loss $\pm\ln X$."""
        x = self.edges
        f = self.ends[0]
        p = np.exp(f - np.max(f))
        p /= np.sum(p)
        loss = self.step.side * self.step.log_ratio(x)
        mean = float(p @ loss)
        return self.log_moment, mean, float(p @ (loss - mean) ** 2)

    @cached_property
    def _bend(self) -> Floats:
        r"""$Dw^2/8$ on each block."""
        sigma, w = self.step.noise_std, self.edges[1] - self.edges[0]
        return (1.0 + self.step.stiffness + abs(self.r) * self.spread / sigma**2) * (w / sigma) ** 2 / 8.0

    @cached_property
    def spread(self) -> Floats:
        r"""$\sup g(1-g)$ on each block."""
        g = self.ends[1]
        inside = (g[:-1] <= 0.5) & (g[1:] >= 0.5)
        return np.where(inside, 0.25, np.maximum(g[:-1] * (1 - g[:-1]), g[1:] * (1 - g[1:])))

    @cached_property
    def log_masses(self) -> Floats:
        r"""At least $\ln\int f/m(r)$ over each block."""
        f, w = self.ends[0] - self.log_moment, self.edges[1] - self.edges[0]
        return np.maximum(f[:-1], f[1:]) + self._bend + math.log(w)

    @cached_property
    def masses(self) -> tuple[Floats, Floats]:
        r"""At most and at least $\int f/m(r)$ over each block."""
        f, w = self.ends[0] - self.log_moment, self.edges[1] - self.edges[0]
        high = np.exp(self.log_masses) * MARGIN
        low = np.exp(np.minimum(f[:-1], f[1:]) - self._bend) * w / MARGIN
        return high, low

    @cached_property
    def ends_mass(self) -> float:
        r"""At least $\int f/m(r)$ outside the blocks, by the slope of `Step.far`."""
        f = self.ends[0] - self.log_moment
        return float(np.exp(f[0]) + np.exp(f[-1])) * self.step.noise_std / self.reach * MARGIN

    def range(self, log_small: float, spacing: float, height: float) -> tuple[float, float, float]:
        r"""Where nodes are needed, and a bound on $h\sum f/m(r)$, times the strip's factor, over all nodes outside.

        A block of some width holds at most one node more than its width in units of `spacing`.
        """
        x = self.edges
        width = x[1] - x[0]
        heights = self.log_masses + self.log_factors(height) - math.log(width)
        above = np.flatnonzero(heights + math.log(x[-1] - x[0]) > log_small)
        first, last = int(above[0]), int(above[-1])
        # Nodes in a block: at most width / spacing + 1.
        outside = np.sum(np.exp(heights[:first])) + np.sum(np.exp(heights[last + 1 :]))
        dropped = float(outside) * (width + spacing) + self._far_nodes(spacing, height)
        return float(x[first]), float(x[last + 1]), dropped * MARGIN

    def _far_nodes(self, spacing: float, height: float) -> float:
        sigma = self.step.noise_std
        f = self.ends[0] - self.log_moment
        geometric = spacing / -math.expm1(-self.reach / sigma * spacing)
        return float(np.exp(f[0]) + np.exp(f[-1])) * geometric * self._worst_factor(height)

    def _worst_factor(self, height: float) -> float:
        r"""At least $|f(x+iy)|/f(x)$ anywhere: $|X(x+iy)|\ge\cos(\theta/2)X(x)$."""
        sigma = self.step.noise_std
        shrunk = min(self.r, 0.0) * math.log(math.cos(height / (2 * sigma**2)))
        return exp_or_inf(self.step.shift_cost(height) + shrunk)

    def log_factors(self, height: float) -> Floats:
        r"""At least $\ln|f(x+iy)|/f(x)$ on each block for $0\le y\le$ `height` and any imaginary part of the power.

        $|n(x+iy)| = n(x)e^{y^2/2\sigma^2}$ and $|X(x+iy)|^2 = X^2(1-2(1-\cos\theta)g(1-g))$,
        $\theta = y/\sigma^2 < \pi$; $|X^{iv}| = e^{-v\arg X} \le 1$ above the real axis, for $v\ge0$.
        """
        sigma = self.step.noise_std
        if self.r >= 0.0:
            return np.full(len(self.edges) - 1, self.step.shift_cost(height))
        shrunk = 1.0 - 2.0 * (1.0 - math.cos(height / sigma**2)) * self.spread
        return self.step.shift_cost(height) + 0.5 * self.r * np.log(shrunk)

    def strip(self, height: float) -> float:
        r"""At least $\int|f(x+iy)|dx/m(r)$ at $y$ = `height`; never less than 1."""
        if self.r >= 0.0:
            return self._worst_factor(height) * MARGIN
        with np.errstate(over="ignore"):
            inside = float(np.sum(np.exp(self.log_masses + self.log_factors(height)))) * MARGIN
        return max(1.0, inside + self.ends_mass * self._worst_factor(height)) * MARGIN

    def best_strip(self, nats: float) -> tuple[float, float, float]:
        r"""Height $a$, base line $y_0$ and spacing $h$ for which $e^{-2\pi y_0/h}$ and
        $\text{strip}(a)\,e^{-2\pi(a-y_0)/h}$ are both $e^{-\text{nats}}$: the widest spacing found.
        """
        best = (0.0, 0.0, 0.0)
        greatest = 0.95 * math.pi * self.step.noise_std**2
        for shrink in range(40):
            a = min(greatest, 30.0 * self.step.noise_std) * 0.8**shrink
            with np.errstate(over="ignore", invalid="ignore"):
                wide = self.strip(a)
            h = 2.0 * math.pi * a / (2.0 * nats + math.log(wide)) if math.isfinite(wide) else 0.0
            if h > best[2]:
                best = (a, h * nats / (2.0 * math.pi), h)
        return best


class Decay:
    r"""How $|m(r+iv)|/m(r)$ falls as $v$ grows: at most $1+\int f(G-1)/m(r)$, over the deformed path $x+iy(x)$ with
    $y = \eta g^p$, where $G = \exp(y^2/2\sigma^2+y^2/2w^2-v\arg X)\sqrt{1+y'^2}\,(|X(x+iy)|/X)^r$ decreases in $v$.

    Each factor is monotone along a block, so its worst value is at an end. To first order in $\eta$ and for the best
    $p$ this sees the variance of the loss; far out it sees the smoothness of its density.
    """

    def __init__(self, law: Tilted) -> None:
        sigma, r = law.step.noise_std, law.r
        high, low = law.masses
        keep = high > 1e-60
        self.high, self.low = high[keep], low[keep]
        self.left_out = float(np.sum(high[~keep])) + law.ends_mass
        g, x = law.ends[1], law.edges[:-1][keep]
        ga, gb, spread = g[:-1][keep], g[1:][keep], law.spread[keep]
        b = law.step.rate * np.exp(np.minimum((x - 0.5) / sigma**2, 500.0))
        self.paths: list[tuple[Floats, Floats, float]] = []
        for p, eta in product(POWERS, 0.95 * math.pi * sigma**2 * np.geomspace(1.0, 1e-5, 14)):
            if eta > 30.0 * sigma:
                continue
            below, above = eta * ga**p / sigma**2, eta * gb**p / sigma**2
            cost = 0.5 * (1.0 + law.step.stiffness) * (above * sigma) ** 2 + 0.5 * np.log1p(
                (p * above * (1.0 - ga)) ** 2
            )
            if r < 0.0:
                cost += 0.5 * r * np.log1p(-2.0 * (1.0 - np.cos(above)) * spread)
            angle = np.arctan2(b * np.sin(below), 1.0 - law.step.rate + b * np.cos(below))
            log_worst = law.step.shift_cost(eta) + math.log1p(eta / sigma**2)
            log_worst += min(r, 0.0) * math.log(math.cos(eta / (2 * sigma**2)))
            self.paths.append((cost, angle, exp_or_inf(log_worst)))

    def log_bound(self, frequency: float) -> float:
        """The logarithm of the bound for every frequency from here on."""
        best = 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            for cost, angle, worst in self.paths:
                exponent = cost - frequency * angle
                gain = np.expm1(exponent)
                change = float(np.where(gain > 0.0, self.high, self.low) @ gain) + self.left_out * worst
                bound = 1.0 + change * (0.999 if change < 0.0 else MARGIN)
                if bound < 0.5:  # the integral of G itself
                    bound = min(bound, (float(self.high @ np.exp(exponent)) + self.left_out * worst) * MARGIN)
                best = min(best, bound)
        return math.log(best) if best < 0.9 else math.log1p(best - 1.0)
