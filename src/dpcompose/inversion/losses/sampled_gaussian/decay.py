r"""How fast the subsampled Gaussian's characteristic function decays: a histogram under the density of its loss.

In the variable $x$ the tilted density of $L$ is $f = nX^r\chi\,\sigma^2/(gM)$, because $dL/dx = \pm g/\sigma^2$. Its
logarithm has the slope $(-x-1+(r+1)g)/\sigma^2 - \lambda/w$, every piece of which is monotone; so on a cell $|(\ln
f)'| \le D$ follows from its ends, $f(\text{middle})\,e^{\mp D\Delta x/2}$ bounds $f$ on both sides, and $\int|f'| \le
f(\text{middle})e^{D\Delta x/2}D\Delta x$.
"""

from __future__ import annotations

import math

import numpy as np

from dpcompose.inversion.losses.decay import NO_DECAY, Layers, level_sets
from dpcompose.inversion.losses.sampled_gaussian.density import Density, SampledGaussianDensity
from dpcompose.inversion.losses.sampled_gaussian.quadrature import ends, widest_ends
from dpcompose.numerics.enclosure import Enclosure
from dpcompose.numerics.rounding import UNIT_ROUNDOFF, Floats

CELLS = 128
FAR_APART = 50.0
"""In units of σ: ends so far apart are sought where the law lies."""


def density_layers(loss: SampledGaussianDensity, tilt: float, log_moment: Enclosure) -> Layers:
    """Uniform pieces below the tilted density of the loss, and its total variation."""
    if loss.window.is_band:
        return NO_DECAY  # a few jumps among many steps: the others supply the decay
    r = loss.exponent(tilt)
    left, right = density_ends(loss, r)
    edges = np.linspace(left, right, CELLS + 1)
    widths, heights, variation = histogram(loss, edges, r, (log_moment.lower, log_moment.upper))
    return level_sets(widths, heights, variation=float(variation[0]))


def histogram(
    loss: Density, edges: Floats, r: float, log_moment: tuple[float | Floats, float | Floats]
) -> tuple[Floats, Floats, Floats]:
    """Widths and heights of cells under the tilted density of the loss, for a moment between two; and its variation."""
    q, _, sigma, _ = loss.numbers
    l, l_error, g = loss.log_ratio(edges)  # noqa: E741
    rising, falling = slopes(loss, edges, g, r)
    half = 0.5 * np.diff(edges) * np.maximum(np.abs(rising), np.abs(falling)) * (1.0 + 1e-9)
    x = 0.5 * (edges[..., 1:] + edges[..., :-1])
    middle, middle_error, _ = loss.log_ratio(x)
    log_f = loss.log_density(x, r + 1.0) - (x - 0.5) / sigma**2 - np.log(q) + 2.0 * np.log(sigma)
    scale = (x / sigma) ** 2 + np.abs(middle) * (abs(r) + 1.0) + np.abs(x - 0.5) / sigma**2 + np.abs(np.log(q)) + 1.0
    scale += loss.window.strip_exponent(np.maximum(x - loss.window.cut, 0.0))
    blur = 1e-9 + (abs(r) + 1.0) * middle_error + 128.0 * UNIT_ROUNDOFF * scale
    heights = np.exp(log_f - log_moment[1] - half - blur)
    tops = np.exp(log_f - log_moment[0] + half + blur)
    inside = (tops * 2.0 * half).sum(axis=-1, keepdims=True) + tops[..., :1] + tops[..., -1:]
    monotone = (falling[..., :1] > 0.0) & (rising[..., -1:] < 0.0) & (edges[..., -1:] > max(r, 0.0))  # beyond both ends
    widths = np.abs(np.diff(l)) * (1.0 - 1e-9) - l_error[..., 1:] - l_error[..., :-1]
    return np.maximum(widths, 0.0), heights, np.where(monotone, inside * (1.0 + 1e-9), math.inf)


def slopes(loss: Density, edges: Floats, g: Floats, r: float) -> tuple[Floats, Floats]:
    r"""Upper and lower bounds on $(\ln f)'$ over each cell."""
    sigma = loss.numbers[2]
    hazard = loss.window.hazard(edges)
    first, last = g[..., :-1], g[..., 1:]
    low, high = (first, last) if r >= -1.0 else (last, first)
    rising = (-edges[..., :-1] - 1.0 + (r + 1.0) * high) / sigma**2 - hazard[..., :-1]
    falling = (-edges[..., 1:] - 1.0 + (r + 1.0) * low) / sigma**2 - hazard[..., 1:]
    return rising, falling


def density_ends(loss: SampledGaussianDensity, r: float) -> tuple[float, float]:
    """Where the density has become small on both sides."""
    sigma = loss.numbers[2]
    left, right = widest_ends(loss, r, 40.0)  # mostly not too far apart, and quick to find
    if right - left > FAR_APART * sigma:
        left, right = ends(loss, r, 40.0)
    x = np.linspace(left - 1.0 - 2.0 * sigma, right, 160)
    f = loss.log_density(x, r + 1.0) - x / sigma**2
    inside = np.flatnonzero(f > f.max() - 24.0)
    return float(x[max(inside[0] - 1, 0)]), float(x[min(inside[-1] + 1, x.size - 1)])
