r"""How fast the integrand of a subsampled Gaussian grows off the real line.

With $\theta = y/\sigma^2$ and $B = qe^{(x-1/2)/\sigma^2}$, $X(x+iy) = 1-q+Be^{i\theta}$. Everywhere $|\arg X| \le
\theta$ and $\cos(\theta/2)X(x) \le |X(x+iy)| \le X(x)$; that is `crude`. Where the law lives, though, $B$ is often
minute, and $X$ hardly turns. `sharp` takes, block by block, the largest

$$\arg X = \operatorname{atan2}(B\sin\theta,\ 1-q+B\cos\theta),\qquad
  |X|^2/X(x)^2 = 1-2g(1-g)(1-\cos\theta),\quad g = B/X(x),$$

times the largest share of the law the block can have. The first grows with $x$ and, up to $\cos\theta = -B/(1-q)$,
with $\theta$; the second depends on $g(1-g)$ alone. Frequencies in the thousands then need hundreds of nodes instead
of tens of thousands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcompose.inversion.losses.sampled_gaussian.density import Density
from dpcompose.numerics.rounding import Floats

Exponent = Callable[[Floats], Floats]
r"""$v \mapsto E$ with $\int|f(x+iy)|dx \le M(t)e^E$ for $|y| \le a$ and $s = r+iv$."""

BLOCKS = 384
CAUTION = 1.0 + 1e-9


def crude(loss: Density, width: float | Floats, r: float, v: float | Floats) -> Floats:
    r"""The same bound for every $x$.

    $|n(x+iy)| = n(x)e^{y^2/2\sigma^2}$, $|\chi(x+iy)| \le \chi(x)e^{y^2/2w^2}$, $|\arg X| \le |\theta|$.
    """
    sigma = loss.numbers[2]
    exponent = 0.5 * (width / sigma) ** 2 + v * (width / sigma**2) + loss.window.strip_exponent(width)
    if r < 0.0:
        exponent = exponent + r * np.log(np.cos(0.5 * width / sigma**2))
    return np.asarray(exponent * (1.0 + 1e-12))


def sharp(loss: Density, r: float, x: Floats, log_beyond: float | Floats) -> Callable[[float | Floats, float], Floats]:
    """The bound, block by block, for half-width and frequency. The blocks lie between the places `x`; the tails beyond
    them are taken with the largest turn they can have, and `log_beyond` bounds the integral of the right one.
    """
    q, _, sigma, _ = loss.numbers
    l, _, g = loss.log_ratio(x)  # noqa: E741
    fade, bell = loss.window.quick_log_value(x), -0.5 * (x / sigma) ** 2
    power = r * l
    above = block_peaks(loss, x, r)
    below = sum(np.minimum(f[..., :-1], f[..., 1:]) for f in (bell, power, fade))
    blocks = np.log(np.diff(x))
    log_law = _log_sum(below + blocks)
    left_tail = bell[..., :1] + np.maximum(power[..., :1], r * np.log1p(-q)) + np.log(sigma * math.sqrt(0.5 * math.pi))
    right_tail = log_beyond + np.log(sigma * math.sqrt(2.0 * math.pi))
    turning = np.minimum(g[..., 1:] * CAUTION, 1.0)
    mixed = np.maximum(g[..., :-1] * (1.0 - g[..., :-1]), g[..., 1:] * (1.0 - g[..., 1:])) * CAUTION
    mixed = np.where((g[..., :-1] < 0.5) & (g[..., 1:] > 0.5), 0.25, np.minimum(mixed, 0.25))

    def exponent(width: float | Floats, v: float) -> Floats:
        theta = width / sigma**2
        growth = v * greatest_turn(turning, theta)
        most_left, most_right = v * greatest_turn(turning[..., :1], theta), v * theta
        if r < 0.0:
            shrunk = 0.5 * r * np.log1p(-np.minimum(2.0 * mixed * (1.0 - np.cos(theta)), 1.0 - 1e-12))
            growth, worst = growth + shrunk, r * np.log(np.cos(0.5 * theta))
            most_left, most_right = most_left + worst, most_right + worst
        tails = np.logaddexp(left_tail + most_left, right_tail + most_right)
        share = np.logaddexp(_log_sum(above + growth + blocks), tails) - log_law
        found: Floats = (0.5 * (width / sigma) ** 2 + loss.window.strip_exponent(width) + share) * (1.0 + 1e-9) + 1e-6
        return found

    return exponent


def _log_sum(logs: Floats) -> Floats:
    """Along the last axis, which is kept."""
    top = logs.max(axis=-1, keepdims=True)
    found: Floats = top + np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))
    return found


@dataclass(frozen=True, eq=False)
class Blocks:
    """What does not depend on the exponent, at places from left to right."""

    loss: Density
    x: Floats

    @cached_property
    def log_ratio(self) -> Floats:
        r"""$\ln X$."""
        return self.loss.log_ratio(self.x)[0]

    @cached_property
    def base(self) -> Floats:
        r"""$\ln(e^{-x^2/2\sigma^2}\chi)$."""
        found: Floats = -0.5 * (self.x / self.loss.numbers[2]) ** 2 + self.loss.window.quick_log_value(self.x)
        return found

    @cached_property
    def widths(self) -> Floats:
        """The width of each block."""
        return self.x[..., 1:] - self.x[..., :-1]

    @cached_property
    def drop(self) -> Floats:
        """How far the tangent of `base` at its left end falls over each block, at least."""
        fall = (self.x / self.loss.numbers[2] ** 2 + self.loss.window.hazard(self.x))[..., :-1]
        least: Floats = np.where(fall > 0.0, fall * (1.0 - 1e-9), fall * (1.0 + 1e-9)) * self.widths
        return least

    def peaks(self, r: float) -> Floats:
        r"""$\ln$ of the largest $e^{-x^2/2\sigma^2}X^r\chi$ in each block, for a window open to the left.

        $\ln\chi$ and the bell are concave, so they lie below their tangent at the left end; $r\ln X$ lies, if convex
        ($r>0$), below its chord, and if not, it falls. Their sum is then at most its value at one of the two ends.
        """
        power, base = r * self.log_ratio, self.base[..., :-1]
        rise = power[..., 1:] - power[..., :-1] if r > 0.0 else 0.0
        caution = 1e-9 * (1.0 + np.abs(power[..., :-1]) + np.abs(base))
        return base + power[..., :-1] + np.maximum(rise - self.drop, 0.0) + caution


def block_peaks(loss: Density, x: Floats, r: float) -> Floats:
    """The peaks between neighbouring places, for one exponent."""
    return Blocks(loss, x).peaks(r)


def greatest_turn(g: Floats, theta: float | Floats) -> Floats:
    r"""The largest $\arg(1-g+ge^{i\theta'})$, $0 \le \theta' \le \theta$: it grows until $\cos\theta' = -g/(1-g)$."""
    ratio = g / np.maximum(1.0 - g, 1e-300)
    past = np.cos(theta) < -ratio
    turn = np.arctan2(g * np.sin(theta), 1.0 - g + g * np.cos(theta))
    return np.where(past, np.arcsin(np.minimum(ratio, 1.0)), turn) * (1.0 + 1e-9)
