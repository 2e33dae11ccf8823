r"""Gauss–Legendre panels with certified nodes and a certified error.

If $f$ is analytic with $|f| \le M$ inside the Bernstein ellipse $E_\varrho$ (semi-axes
$(\varrho\pm\varrho^{-1})/2$), the rule with $n$ points
errs by at most $\tfrac{64}{15}M\varrho^{-2n}/(1-\varrho^{-2})$ (Trefethen 2013, Theorem 19.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from flint import arb

from dpcompose.numerics.precision import ctx
from dpcompose.numerics.rounding import Floats

POINTS = 24
RUNGS = 512
RADII: Floats = 1.0 + np.geomspace(0.05, 60.0, 64)
"""Ellipses to choose from."""


@lru_cache(maxsize=4)
def rule(points: int = POINTS) -> tuple[Floats, Floats]:
    """Nodes and weights on [-1, 1], correctly rounded from balls."""
    with ctx.workprec(128):
        pairs = [arb.legendre_p_root(points, i, weight=True) for i in range(points)]
    return np.array([float(x) for x, _ in pairs]), np.array([float(w) for _, w in pairs])


def panels(left: float, right: float, count: int) -> tuple[Floats, Floats]:
    """Nodes and weights of `count` equal panels; relative rounding of weights below 4 units, of nodes below
    4 units of the ends.
    """
    y, w = rule()
    half = 0.5 * (right - left) / count
    middles = left + half * (2.0 * np.arange(count) + 1.0)
    return (middles[:, None] + half * y).reshape(-1), np.tile(half * w, count)


_FALLS = -2.0 * POINTS * np.log(RADII) - np.log1p(-(RADII**-2.0)) + math.log(64.0 / 15.0)
"""What each ellipse of `RADII` takes from the logarithm of the error."""


def log_error(log_growth: Floats) -> Floats:
    r"""$\ln$ of the error on $[-1,1]$, best over the ellipses `RADII`; the last axis of `log_growth` holds
    $\ln M$ for each.
    """
    best: Floats = np.min(log_growth + _FALLS, axis=-1)
    return best + 1e-9


def on_ladder(bound: Callable[[Floats], Floats], v: Floats, count: int = RUNGS) -> Floats:
    """A bound that grows with v, at very many v: evaluate it on a ladder and take the next higher rung."""
    if v.size <= count:
        return bound(v)
    low, high = float(v.min()), float(v.max())
    rungs = np.linspace(low, high, count)
    rungs[-1] = high
    return bound(rungs)[..., np.minimum(np.searchsorted(rungs, v, side="left"), count - 1)]
