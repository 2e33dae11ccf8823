r"""Where to invert: the saddle point of $e^{K(t)-t\varepsilon}/(t(t+1))$ on the positive axis.

Any $t > 0$ is valid, so nothing here is certified. With $v = K'' + 1/t^2 + 1/(1+t)^2$,

$$\delta(\varepsilon) \approx \frac{e^{K(t)-t\varepsilon}}{t(1+t)\sqrt{2\pi v}} \quad\text{at}\quad
  K'(t) - \varepsilon = \frac1t + \frac1{1+t},$$

a root that exists for every $\varepsilon$ below the essential supremum of the loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from dpcompose.inversion.losses.protocols import Cumulants
from dpcompose.numerics import effort

TURN = 2000
"""Steps that one of Newton's takes, beside what its cumulants take."""
LEAST_TILT = 1e-9
"""No smaller tilt is looked at."""
GREATEST_TILT = 1e105
"""No larger tilt is looked at."""
NEAR = 0.25
"""In nats: a line through a tilt so near to the saddle is hardly longer, and reads the same."""
FAR = 6
"""After this many steps of Newton the root is orders of magnitude away, if there is one, and steps may be longer."""
APART = 1e-6
"""In ln t: nearer places are one."""


class Saddle(NamedTuple):
    """A tilt, the ε it belongs to and the estimate of ln δ there."""

    tilt: float
    epsilon: float
    log_delta: float
    cumulants: Cumulants
    settled: bool = True
    """Whether the root was found; a heavy tail can make the estimate jump over it."""


def estimate(tilt: float, k: Cumulants) -> Saddle:
    """The saddle-point estimate at the ε for which this tilt is the saddle."""
    t = tilt
    epsilon = k.slope - 1.0 / t - 1.0 / (1.0 + t)
    return Saddle(t, epsilon, log_delta_estimate(t, epsilon, k), k)


def log_delta_estimate(tilt: float, epsilon: float, k: Cumulants) -> float:
    r"""$\ln\delta(\varepsilon)$ as the line at this tilt sees it."""
    t = tilt
    v = k.curvature + 1.0 / t**2 + 1.0 / (1.0 + t) ** 2
    return k.value - t * epsilon - math.log(t) - math.log1p(t) - 0.5 * math.log(2.0 * math.pi * v)


def at_epsilon(cumulants: Callable[[float], Cumulants], epsilon: float, start: float = 1.0) -> Saddle:
    """The saddle of a given ε."""

    def residual(t: float, k: Cumulants) -> tuple[float, float]:
        poles, curvature = 1.0 + t / (1.0 + t), max(k.curvature, 1e-300)
        shift = epsilon - k.slope + t * curvature
        root = (shift + math.sqrt(shift * shift + 4.0 * curvature * poles)) / (2.0 * t * curvature)
        return t * (epsilon - k.slope) + poles, math.log(root) if root > 0.0 else math.inf  # as if K' were straight

    t, k, settled = _newton(cumulants, residual, start)
    return Saddle(t, epsilon, log_delta_estimate(t, epsilon, k), k, settled)


def at_delta(cumulants: Callable[[float], Cumulants], log_delta: float, start: float = 1.0) -> Saddle:
    """The saddle of a given ln δ."""

    def residual(t: float, k: Cumulants) -> tuple[float, float]:
        found, fall = estimate(t, k).log_delta, t * t * (k.curvature + 1.0 / t**2 + 1.0 / (1.0 + t) ** 2)
        if log_delta < -1.0 and -math.inf < found < -1.0:  # about a power of t: Newton's step for the logarithm of both
            return found - log_delta, math.log(log_delta / found) * -found / fall
        return found - log_delta, (found - log_delta) / fall

    t, k, settled = _newton(cumulants, residual, start)
    epsilon = (log_delta_estimate(t, 0.0, k) - log_delta) / t
    return Saddle(t, epsilon, log_delta, k, settled)


def _newton(
    cumulants: Callable[[float], Cumulants],
    residual: Callable[[float, Cumulants], tuple[float, float]],
    start: float,
) -> tuple[float, Cumulants, bool]:
    """Newton in ln t, kept inside a bracket, for a residual that falls from positive to negative and says by how much
    to change ln t.
    """
    low, high = math.log(LEAST_TILT), math.log(GREATEST_TILT)
    y, value = math.log(start), math.inf
    t, k = start, Cumulants(0.0, 0.0, 0.0)
    for turn in range(60):
        most = 2.0 if turn < FAR else math.inf
        t = math.exp(y)
        effort.count(TURN)
        k = cumulants(t)
        value, step = residual(t, k)
        if not math.isfinite(value):
            value, step = -1.0, math.inf  # overflow: too far out
        low, high = (y, high) if value > 0.0 else (low, y)
        following = y + max(-most, min(most, step))
        if turn == FAR and not low < following < high:  # no root, most likely: who is at the end?
            following = high - 0.5 * APART if value > 0.0 else low + 0.5 * APART
        if not low < following < high:
            following = y + max(-most, min(most, 0.5 * (low + high) - y))
        if abs(value) < NEAR or high - low < APART:
            break
        y = following
    return t, k, abs(value) < 1.0
