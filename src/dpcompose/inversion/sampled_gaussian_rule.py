r"""Quadrature for the subsampled Gaussian: a trapezoid sum over the whole line, with certified error.

$X$ vanishes only at $\Im x = \pm\pi\sigma^2$ (and its copies), so the integrand $f = nX^s\chi$, $s = r+iv$,
is analytic in a strip and the
rule with step $h$ errs by at most $2N_a/(e^{2\pi a/h}-1)$ if $\int|f(x+iy)|dx \le N_a$ for $|y| \le a$
(Trefethen and Weideman 2014,
Theorem 5.1). Nodes are $jh$ with a short $h$, hence exact. What lies beyond the last nodes is bounded
separately.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dpcompose.inversion.nodes import Nodes
from dpcompose.inversion.rounding import LIBM, UNIT, Floats, short
from dpcompose.inversion.unreachable import TooManyNodes

if TYPE_CHECKING:
    from dpcompose.inversion.sampled_gaussian import SampledGaussianLoss

MOST_NODES = 6_000
_GROWING = np.concatenate([[0.0], 0.06 * 1.08 ** np.arange(200)])


def quadrature_nodes(loss: SampledGaussianLoss, tilt: float, reach: float, error: float) -> Nodes:
    r"""Nodes $x = jh$, losses $\pm\ln X$ and weights $hn\chi$ (times $X$ for *remove*), every rounding
    bounded.
    """
    _, _, sigma, sigma_error = loss.numbers
    r, base = loss.exponent(tilt), loss.exponent(0.0)
    step, width = best_rule(loss, r, reach, error)
    x = step * node_numbers(loss, r, step, 4.0 - math.log(error))
    l, l_error, _ = loss.log_ratio(x)  # noqa: E741
    fade, fade_error = loss.window.log_value(x)
    exponent = 0.5 * (x / sigma) ** 2
    constant = math.log(step / (sigma * math.sqrt(2.0 * math.pi)))
    log_weights = constant - exponent + base * l + fade
    weight_error = (6.0 * UNIT + 2.0 * sigma_error) * exponent + base * l_error + fade_error
    weight_error += 4.0 * UNIT * (np.abs(log_weights) + abs(constant) + np.abs(l)) + LIBM + 6.0 * UNIT + sigma_error
    log_rule = log_rule_error(width, step)
    mass_rule = math.exp(log_rule + float(strip_exponent(loss, width, base, 0.0)))
    return Nodes(
        losses=loss.sign * l,
        loss_error=l_error,
        log_weights=log_weights,
        weight_error=weight_error,
        deficit=0.5 * (loss.deficit.lower + loss.deficit.upper),
        deficit_error=loss.deficit.upper - loss.deficit.lower,
        quadrature=_strip_error(loss, width, r, log_rule),
        mass_quadrature=mass_rule + math.exp(min(log_outside(loss, x, base, step), 0.0)),
        log_tail=log_outside(loss, x, r, step),
    )


def strip_exponent(loss: SampledGaussianLoss, width: float | Floats, r: float, v: float | Floats) -> Floats:
    r"""$E$ with $N_a \le M(t)e^E$ for the strip of half-width $a$.

    With $\theta = y/\sigma^2$: $|n(x+iy)| = n(x)e^{y^2/2\sigma^2}$, $|\chi(x+iy)| \le \chi(x)e^{y^2/2w^2}$,
    $|\arg X| \le |\theta|$, and
    $\cos(\theta/2)X(x) \le |X(x+iy)| \le X(x)$.
    """
    sigma = loss.numbers[2]
    exponent = 0.5 * (width / sigma) ** 2 + v * (width / sigma**2) + loss.window.strip_exponent(width)
    if r < 0.0:
        exponent = exponent + r * np.log(np.cos(0.5 * width / sigma**2))
    return np.asarray(exponent * (1.0 + 1e-12))


def log_rule_error(width: float, step: float) -> float:
    r"""$\ln\bigl(2/(e^{2\pi a/h}-1)\bigr)$."""
    turns = 2.0 * math.pi * width / step * (1.0 - 1e-12)
    return math.log(2.0) - turns - math.log(-math.expm1(-turns))


def _strip_error(loss: SampledGaussianLoss, width: float, r: float, log_rule: float) -> Callable[[Floats], Floats]:
    def quadrature(v: Floats) -> Floats:
        return np.exp(log_rule + strip_exponent(loss, width, r, v))

    return quadrature


def best_rule(loss: SampledGaussianLoss, r: float, reach: float, error: float) -> tuple[float, float]:
    """The widest step that meets the error target up to the frequency `reach`, and the strip it rests on."""
    limit = (0.97 if r >= 0.0 else 0.8) * math.pi * loss.numbers[2] ** 2
    widths = limit * np.power(0.88, np.arange(32.0))
    steps = 2.0 * math.pi * widths / (1.5 - math.log(error) + strip_exponent(loss, widths, r, reach))
    best = int(np.argmax(steps))
    return short(float(steps[best]) * (1.0 - 1e-6), 20), float(widths[best])


def ends(loss: SampledGaussianLoss, r: float, depth: float) -> tuple[float, float]:
    r"""Where both the law and its tilt have fallen by $e^{-\text{depth}}$: scan the widest conceivable
    range.
    """
    q, _, sigma, _ = loss.numbers
    window, base = loss.window, loss.exponent(0.0)
    reach = sigma * math.sqrt(2.0 * depth)
    left = min(r, 0.0) - reach if q > 0.999 else -sigma * math.sqrt(2.0 * (depth + min(r, 0.0) * math.log1p(-q)))
    right = max(r, 1.0) + reach
    if math.isfinite(window.cut):
        beyond = window.cut + window.fade * math.sqrt(2.0 * depth + 2.0 * max(0.0, r * window.cut) / sigma**2)
        right = beyond if window.is_band else min(right, beyond)
    if window.is_band:
        left = window.floor - window.fade * math.sqrt(2.0 * depth)
    x = np.linspace(left, right, 256)
    l = loss.log_ratio(x)[0]  # noqa: E741
    law = base * l - 0.5 * (x / sigma) ** 2 + window.log_value(x)[0]
    tilted = law + (r - base) * l
    inside = np.flatnonzero((law > law.max() - depth) | (tilted > tilted.max() - depth))
    margin = float(x[1] - x[0])
    return float(x[inside[0]]) - margin, float(x[inside[-1]]) + margin


def node_numbers(loss: SampledGaussianLoss, r: float, step: float, depth: float) -> Floats:
    """Node numbers wide enough for what lies beyond them to be negligible."""
    sigma = loss.numbers[2]
    left, right = ends(loss, r, depth)
    least = 6.0 - depth + float(loss.log_density(np.linspace(left, right, 64), r).max())
    for _ in range(12):
        if log_right(loss, right, r, step) < least and log_left(loss, left, r, step) < least:
            break
        left, right = left - sigma, right + sigma
    first, last = math.floor(left / step), math.ceil(right / step)
    if last - first > MOST_NODES:
        raise TooManyNodes(last - first)
    return np.arange(first, last + 1, dtype=np.float64)


def log_outside(loss: SampledGaussianLoss, x: Floats, r: float, step: float) -> float:
    r"""Domain truncation: $\ln$ of a bound on $h\sum nX^r\chi$ over the nodes beyond both ends of $x$."""
    return float(np.logaddexp(log_left(loss, float(x[0]), r, step), log_right(loss, float(x[-1]), r, step))) + 0.01


def log_left(loss: SampledGaussianLoss, end: float, r: float, step: float) -> float:
    r"""Left of `end`: $\chi \le 1$ (for a band, $\chi$ rises there and is largest at the end), and $(\ln
    nX^r)' = (rg-x)/\sigma^2$ is at least
    its value $s$ at the end (if $r > 0$, at least $-x/\sigma^2$ there), so the sum is geometric, at most
    $hf/(e^{sh}-1)$.
    """
    sigma, window = loss.numbers[2], loss.window
    at = np.array([end])
    l, _, g = loss.log_ratio(at)  # noqa: E741
    slope = (-end + min(r, 0.0) * float(g[0]) * (1.0 + 1e-9)) / sigma**2
    value = -0.5 * (end / sigma) ** 2 - math.log(sigma * math.sqrt(2.0 * math.pi)) + r * float(l[0])
    if window.is_band:  # ln χ has slope at least (floor - x)/w² left of the floor
        slope += (window.floor - end) / window.fade**2 * (1.0 - 1e-9)
        value += float(window.log_value(at)[0][0])
        if end >= window.floor:
            return math.inf
    return value + math.log(step) - _log_expm1(slope * step) if slope > 0.0 else math.inf


def log_right(loss: SampledGaussianLoss, end: float, r: float, step: float) -> float:
    r"""Right of `end`: sum the largest values of the blocks of a growing grid. On a block $n$ and $\chi$
    are largest at its left and
    $X^r$, for $r > 0$, at its right; beyond the grid $(\ln nX^r\chi)' \le (r-x)/\sigma^2 - \xi^+/w$ makes
    the sum geometric.
    """
    sigma, window = loss.numbers[2], loss.window
    if r <= 0.0 < end and window.is_open:  # falls everywhere, at least as fast as the normal density
        return float(loss.log_density(np.array([end]), r)[0]) + math.log(step) - _log_expm1(end / sigma**2 * step)
    x = end + sigma * _GROWING
    past = float(max(x[-1] - window.cut, 0.0)) / window.fade**2 if math.isfinite(window.cut) else 0.0
    slope = (float(x[-1]) - max(r, 0.0)) / sigma**2 + past
    if end <= 0.0 or slope <= 0.0 or (window.is_band and end < window.cut):
        return math.inf
    falls = -0.5 * (x / sigma) ** 2 - math.log(sigma * math.sqrt(2.0 * math.pi)) + window.log_value(x)[0]
    l = loss.log_ratio(x)[0]  # noqa: E741
    rises = r * (l[1:] if r > 0.0 else l[:-1])
    blocks = np.logaddexp.reduce(rises + falls[:-1] + np.log(np.diff(x) + step))
    beyond = float(r * l[-1] + falls[-1]) + math.log(step) - _log_expm1(slope * step)
    return float(np.logaddexp(blocks, beyond))


def _log_expm1(x: float) -> float:
    return math.log(math.expm1(x)) if x < 30.0 else x - 1e-12
