r"""Quadrature for the subsampled Gaussian: a trapezoid sum over the whole line, with certified error.

$X$ vanishes only at $\Im x = \pm\pi\sigma^2$ (and its copies), so the integrand $f = nX^s\chi$, $s = r+iv$, is
analytic in a strip and the rule with step $h$ errs by at most $2N_a/(e^{2\pi a/h}-1)$ if $\int|f(x+iy)|dx \le N_a$ for
$|y| \le a$ (Trefethen and Weideman 2014, Theorem 5.1). Nodes are $jh$ with a short $h$, hence exact. What lies beyond
the last nodes is bounded separately.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from dpcompose.inversion.losses.nodes import Nodes
from dpcompose.inversion.losses.sampled_gaussian.density import Density, SampledGaussianDensity
from dpcompose.inversion.losses.sampled_gaussian.strip import BLOCKS, Blocks, Exponent, crude, sharp
from dpcompose.numerics.rounding import LEAST, LIBM, UNIT_ROUNDOFF, Floats, short
from dpcompose.numerics.unreachable import TooManyNodes

MOST_NODES = 200_000
PATIENT_NODES = 1_500
"""Above this number of nodes a sharper bound on the strip pays for itself."""
_NEAR = 0.02 * 1.025 ** np.arange(340)
ALL_BLOCKS = np.concatenate([[0.0], _NEAR, _NEAR[-1] * 1.08 ** np.arange(1, 116)])
"""Places beyond the last node, in units of σ: finely at first, since a steep tilt against a steep window leaves no room
for coarse blocks."""
QUICKLY = ALL_BLOCKS[:: -(-ALL_BLOCKS.size // 64)]
"""Coarsely, which mostly does."""


def quadrature_nodes(loss: SampledGaussianDensity, tilt: float, reach: float, error: float) -> Nodes:
    r"""Nodes $x = jh$, losses $\pm\ln X$ and weights $hn\chi$ (times $X$ for *remove*), every rounding bounded."""
    r, base = loss.exponent(tilt), loss.exponent(0.0)
    step, width, exponent_at = best_rule(loss, r, reach, error)
    cover = covering(loss, r, step, 4.0 - math.log(error))
    x = step * cover.numbers
    l, l_error, log_weights, weight_error = weights_at(loss, x, step)  # noqa: E741
    log_rule = log_rule_error(width, step)
    mass_rule = math.exp(log_rule + float(crude(loss, width, base, 0.0)))

    def at(tilt: float) -> Nodes:
        other = loss.exponent(tilt)
        return replace(
            nodes,
            quadrature=lambda v: np.exp(log_rule + crude(loss, width, other, v)),
            log_tail=_log_outside(float(x[0]), cover.beyond, other, step),
        )

    nodes = Nodes(
        losses=loss.sign * l,
        loss_error=l_error,
        log_weights=log_weights,
        weight_error=weight_error,
        deficit=0.5 * (loss.deficit.lower + loss.deficit.upper),
        deficit_error=loss.deficit.upper - loss.deficit.lower,
        quadrature=lambda v: np.exp(log_rule + exponent_at(v)),
        mass_quadrature=mass_rule + math.exp(min(_log_outside(float(x[0]), cover.beyond, base, step), 0.0)),
        log_tail=cover.log_tail,
        at=at,
    )
    return nodes


def weights_at(loss: Density, x: Floats, step: float | Floats) -> tuple[Floats, Floats, Floats, Floats]:
    r"""$\ln X$ and $\ln$ of the weights at nodes of distance `step`, each with a bound on its error."""
    _, _, sigma, sigma_error = loss.numbers
    base = loss.exponent(0.0)
    l, l_error, _ = loss.log_ratio(x)  # noqa: E741
    fade, fade_error = loss.window.log_value(x)
    exponent = 0.5 * (x / sigma) ** 2
    constant = np.log(step / (sigma * math.sqrt(2.0 * math.pi)))
    log_weights = constant - exponent + base * l + fade
    weight_error = (6.0 * UNIT_ROUNDOFF + 2.0 * sigma_error) * exponent + base * l_error + fade_error
    weight_error += (
        4.0 * UNIT_ROUNDOFF * (np.abs(log_weights) + np.abs(constant) + np.abs(l))
        + LIBM
        + 6.0 * UNIT_ROUNDOFF
        + sigma_error
    )
    return l, l_error, log_weights, weight_error


def log_rule_error(width: float | Floats, step: float | Floats) -> Any:
    r"""$\ln\bigl(2/(e^{2\pi a/h}-1)\bigr)$."""
    turns = 2.0 * math.pi * width / step * (1.0 - 1e-12)
    return math.log(2.0) - turns - np.log(-np.expm1(-turns))


def best_rule(loss: SampledGaussianDensity, r: float, reach: float, error: float) -> tuple[float, float, Exponent]:
    """The widest step that meets the error target up to the frequency `reach`, the strip it rests on, and how much the
    integrand grows there.
    """
    limit = (0.97 if r >= 0.0 else 0.8) * math.pi * loss.numbers[2] ** 2
    widths = limit * np.power(0.88, np.arange(32.0))
    need = 1.5 - math.log(error)
    steps = 2.0 * math.pi * widths / (need + crude(loss, widths, r, reach))
    best = int(np.argmax(steps))
    width, widest = float(widths[best]), float(steps[best])
    exponent: Exponent = partial(crude, loss, width, r)
    left, right = widest_ends(loss, r, need + 3.0)  # hardly ever too far apart, and quick to find
    if (right - left) / widest > PATIENT_NODES:
        left, right = ends(loss, r, need + 3.0)
    if (right - left) / widest > PATIENT_NODES and not loss.window.is_band:
        x = np.concatenate([np.linspace(left, right, BLOCKS + 1), right + loss.numbers[2] * ALL_BLOCKS[1:]])
        block_by_block = sharp(loss, r, x, log_right(loss, float(x[-1]), r, 1e-7 * loss.numbers[2]) + 1.0)
        sharper = [2.0 * math.pi * w / (need + max(float(block_by_block(w, reach)[0]), 0.0)) for w in widths.tolist()]
        if max(sharper) > widest:
            widest, width = max(zip(sharper, widths.tolist(), strict=True))
            exponent = up_to_the_greatest(partial(block_by_block, width))
    return short(widest * (1.0 - 1e-6), 20), width, exponent


def up_to_the_greatest(exponent: Callable[[float], Floats]) -> Exponent:
    """The bound grows with the frequency: one value serves all up to the greatest."""

    def constant(v: Floats) -> Floats:
        return exponent(float(np.max(v, initial=0.0))) + np.zeros(v.shape)

    return constant


def ends(loss: SampledGaussianDensity, r: float, depth: float) -> tuple[float, float]:
    r"""Where both the law and its tilt have fallen by $e^{-\text{depth}}$."""
    return _scanned(loss, r, depth)[:2]


def _scanned(loss: SampledGaussianDensity, r: float, depth: float) -> tuple[float, float, float]:
    r"""The same, and about the greatest value of $\ln(nX^r\chi)$: a scan of the widest conceivable range."""
    sigma, base = loss.numbers[2], loss.exponent(0.0)
    x = np.linspace(*widest_ends(loss, r, depth), 128)
    l = loss.quick_log_ratio(x)  # noqa: E741
    law = base * l - 0.5 * (x / sigma) ** 2 + loss.window.quick_log_value(x)
    tilted = law + (r - base) * l
    peak = float(tilted.max())
    inside = np.flatnonzero((law > law.max() - depth) | (tilted > peak - depth))
    margin = float(x[1] - x[0])
    height = peak - math.log(sigma * math.sqrt(2.0 * math.pi))
    return float(x[inside[0]]) - margin, float(x[inside[-1]]) + margin, height


def widest_ends(loss: SampledGaussianDensity, r: float, depth: float) -> tuple[float, float]:
    """A crude range, in which `ends` looks for a closer one."""
    q, _, sigma, _ = loss.numbers
    window = loss.window
    reach = sigma * math.sqrt(2.0 * depth)
    left = min(r, 0.0) - reach if q > 0.999 else -sigma * math.sqrt(2.0 * (depth + min(r, 0.0) * math.log1p(-q)))
    right = max(r, 1.0) + reach
    if math.isfinite(window.cut):
        beyond = window.cut + window.fade * math.sqrt(2.0 * depth + 2.0 * max(0.0, r * window.cut) / sigma**2)
        right = beyond if window.is_band else min(right, beyond)
    if window.is_band:
        left = window.floor - window.fade * math.sqrt(2.0 * depth)
    return left, right


class Cover(NamedTuple):
    r"""Node numbers from first to last, the places beyond them, and $\ln$ of a bound on what lies outside."""

    first: int
    last: int
    beyond: Blocks
    log_tail: float

    @property
    def numbers(self) -> Floats:
        """The number of every node."""
        return np.arange(self.first, self.last + 1, dtype=np.float64)


def node_numbers(loss: SampledGaussianDensity, r: float, step: float, depth: float) -> Floats:
    """Node numbers wide enough for what lies beyond them to be negligible."""
    return covering(loss, r, step, depth).numbers


def covering(loss: SampledGaussianDensity, r: float, step: float, depth: float) -> Cover:
    """Widen the range of nodes by σ until the bound on the omitted tail is small enough."""
    sigma = loss.numbers[2]
    left, right, height = _scanned(loss, r, depth)
    least = 6.0 - depth + height
    found = _cover(loss, r, step, (left, right), QUICKLY)
    for more in range(13):
        if found.log_tail < least:
            break
        found = _cover(loss, r, step, (left - more * sigma, right + more * sigma), ALL_BLOCKS)
    if found.last - found.first > MOST_NODES:
        raise TooManyNodes(found.last - found.first)
    return found


def _cover(loss: SampledGaussianDensity, r: float, step: float, ends: tuple[float, float], grid: Floats) -> Cover:
    first, last = math.floor(ends[0] / step), math.ceil(ends[1] / step)
    beyond = Blocks(loss, step * float(last) + loss.numbers[2] * grid)
    return Cover(first, last, beyond, _log_outside(step * float(first), beyond, r, step))


def places_beyond(loss: SampledGaussianDensity, end: float) -> Blocks:
    """A growing grid to the right of `end`."""
    return Blocks(loss, end + loss.numbers[2] * ALL_BLOCKS)


def log_outside(loss: SampledGaussianDensity, x: Floats, r: float, step: float) -> float:
    r"""Domain truncation: $\ln$ of a bound on $h\sum nX^r\chi$ over the nodes beyond both ends of $x$."""
    return _log_outside(float(x[0]), places_beyond(loss, float(x[-1])), r, step)


def _log_outside(start: float, beyond: Blocks, r: float, step: float) -> float:
    return float(log_beyond(np.array([start]), beyond, r, step)[0])


def log_beyond(start: Floats, beyond: Blocks, r: float, step: float | Floats) -> Floats:
    """The same for one law, or for a column of them."""
    found: Floats = np.logaddexp(log_left(beyond.loss, start, r, step), log_past(beyond, r, step)) + 0.01
    return found


def log_left(loss: Density, end: Floats, r: float, step: float | Floats) -> Floats:
    r"""Left of `end`: $\chi \le 1$ (for a band, $\chi$ rises there and is largest at the end), and $(\ln nX^r)' =
    (rg-x)/\sigma^2$ is at least its value $s$ at the end (if $r > 0$, at least $-x/\sigma^2$ there), so the sum is
    geometric, at most $hf/(e^{sh}-1)$.
    """
    sigma, window = loss.numbers[2], loss.window
    l, _, g = loss.log_ratio(end)  # noqa: E741
    slope = (-end + min(r, 0.0) * g * (1.0 + 1e-9)) / sigma**2
    value = -0.5 * (end / sigma) ** 2 - np.log(sigma * math.sqrt(2.0 * math.pi)) + r * l
    if window.is_band:  # ln χ has slope at least (floor - x)/w² left of the floor
        slope = np.where(end < window.floor, slope + (window.floor - end) / window.fade**2 * (1.0 - 1e-9), 0.0)
        value = value + window.quick_log_value(end)
    return np.where(slope > 0.0, value + np.log(step) - _log_expm1(slope * step), math.inf)


def log_right(loss: SampledGaussianDensity, end: float, r: float, step: float) -> float:
    r"""Right of `end`: sum the largest values of the blocks of a growing grid; beyond the grid $(\ln nX^r\chi)' \le
    (r-x)/\sigma^2 - \xi^+/w$ makes the sum geometric.
    """
    return float(log_past(places_beyond(loss, end), r, step)[0])


def log_past(places: Blocks, r: float, step: float | Floats) -> Floats:
    """The same for one law, or for a column of them, given the growing grid."""
    loss, x = places.loss, places.x
    sigma, window, end, last = loss.numbers[2], loss.window, x[..., :1], x[..., -1:]
    if r <= 0.0 and window.is_open and np.all(end > 0.0):  # falls everywhere, at least as fast as the normal density
        return loss.log_density(end, r) + np.log(step) - _log_expm1(end / sigma**2 * step)
    slope = (last - max(r, 0.0)) / sigma**2 + np.maximum(last - window.cut, 0.0) / window.fade**2
    known = (end > 0.0) & (slope > 0.0) & (not window.is_band or end >= window.cut)
    blocks = np.logaddexp.reduce(places.peaks(r) + np.log(places.widths + step), axis=-1, keepdims=True)
    beyond = r * places.log_ratio[..., -1:] + places.base[..., -1:] + np.log(step) - _log_expm1(slope * step)
    return np.where(known, np.logaddexp(blocks, beyond) - np.log(sigma * math.sqrt(2.0 * math.pi)), math.inf)


def _log_expm1(x: Floats) -> Floats:
    return np.where(x < 30.0, np.log(np.expm1(np.clip(x, LEAST, 30.0))), x - 1e-12)
