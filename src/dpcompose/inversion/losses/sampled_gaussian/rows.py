r"""Many different Gaussians on samples at once: `quadrature` and `decay` with one row for each of them.

Where nodes lie is chosen as for one step, only that all rows have as many; every bound is the one of those files.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from dpcompose.inversion.losses.decay import Layers, level_sets
from dpcompose.inversion.losses.nodes import Nodes
from dpcompose.inversion.losses.poisson_ratio import LogRatio, log_ratio
from dpcompose.inversion.losses.protocols import Cumulants, Direction
from dpcompose.inversion.losses.rows import TiltedRows, TiltedSteps, total_of_rows
from dpcompose.inversion.losses.sampled_gaussian.decay import CELLS, histogram
from dpcompose.inversion.losses.sampled_gaussian.loss import SampledGaussianLoss
from dpcompose.inversion.losses.sampled_gaussian.quadrature import (
    ALL_BLOCKS,
    QUICKLY,
    log_beyond,
    log_past,
    log_rule_error,
    up_to_the_greatest,
    weights_at,
)
from dpcompose.inversion.losses.sampled_gaussian.strip import Blocks, Exponent, crude, sharp
from dpcompose.inversion.losses.window import ERFCX, WHOLE, EdgeColumn, Window
from dpcompose.numerics import effort
from dpcompose.numerics.rounding import LIBM, UNIT_ROUNDOFF, Floats, Integers, all_short
from dpcompose.numerics.special import erfcx
from dpcompose.numerics.unreachable import TooManyNodes

MOST_NODES = 20_000
"""The greatest number of nodes of one row."""
PER_NODE = 5
"""Steps that a node takes."""
FEW, WORTH = 24, 250
"""Above this number of rows, and of nodes, it pays to look which rows combine to the others."""
WIDENED, ENOUGH = 4, 12.0
"""How often the nodes are taken wider by σ, until so few nats are missing to the depth that was asked for."""
SHARP = 200
"""Above this number of nodes a sharper bound on the strip pays for itself."""
BLOCKS = 64
"""Blocks for which that bound is taken one by one."""


@dataclass(frozen=True, eq=False)
class SampledGaussianRows:
    """Steps of one direction, whose rates are at most a half."""

    numbers: tuple[Floats, Floats, Floats, Floats]
    direction: Direction
    window: Window | EdgeColumn = WHOLE

    has_jumps = True
    most_equal = math.inf
    tallest = 256

    @classmethod
    def of(cls, losses: Sequence[SampledGaussianLoss]) -> SampledGaussianRows:
        """Whole steps, one a row."""
        q, q_error, sigma, sigma_error = np.array([loss.numbers for loss in losses]).T[:, :, None]
        return cls((q, q_error, sigma, sigma_error), losses[0].direction)

    @staticmethod
    def key(loss: SampledGaussianLoss) -> Direction | None:
        """Which rows may lie together; None where a step is better followed by itself."""
        q, _, sigma, _ = loss.numbers
        usual = 1e-9 <= q <= 0.5 and 0.25 <= sigma <= 30.0 and loss.window.is_open
        return loss.direction if usual else None

    @staticmethod
    def place(loss: SampledGaussianLoss) -> float:
        """Rows at near places need about as many nodes."""
        return loss.numbers[2]

    def exponent(self, tilt: float) -> float:
        r"""The exponent of $X$ under $e^{tL}dP$."""
        return self.direction.exponent(tilt)

    def log_ratio(self, x: Floats) -> LogRatio:
        r"""$\ln X$, an upper bound on its error, and $g = \sigma^2(\ln X)'$."""
        q, q_error, sigma, sigma_error = self.numbers
        a = (x - 0.5) / (sigma * sigma)
        return log_ratio(q, 1.0 - q, q_error + UNIT_ROUNDOFF, a, (4.0 * UNIT_ROUNDOFF + 2.0 * sigma_error) * np.abs(a))

    def log_density(self, x: Floats, r: float) -> Floats:
        r"""$\ln(nX^r\chi)$, a quick value."""
        sigma = self.numbers[2]
        plain = -0.5 * (x / sigma) ** 2 - np.log(sigma * math.sqrt(2.0 * math.pi))
        return r * self.log_ratio(x).value + plain + self.window.log_value(x)[0]

    # ------------------------------------------------------------------ windows

    def trimmed(self, log_mass: Floats, sharpness: int) -> SampledGaussianRows:
        """Hide the far upper tail of each, about `exp(log_mass)` of it: see `SampledGaussianLoss.trimmed`."""
        if self.direction is Direction.ADD:
            return self
        q, _, sigma, _ = self.numbers
        fade = all_short(sigma / sharpness)
        scale, target = np.hypot(sigma, fade) * math.sqrt(2.0), math.log(2.0) + np.minimum(log_mass, -1.0)
        cut = np.maximum(scale * _inverse_log_erfc(target), 1.0 + scale * _inverse_log_erfc(target - np.log(q)))
        return replace(self, window=EdgeColumn(all_short(cut), fade))

    @cached_property
    def deficit(self) -> tuple[float | Floats, float | Floats]:
        r"""The probability that each window hides, $\frac12\bigl((1-q)\,\mathrm{erfc}(c/s)+q\,\mathrm{erfc}((c-1)/s)
        \bigr)$ with $s^2 = 2(\sigma^2+w^2)$, and a bound on its error.

        An argument $y$ is off by at most 8 roundings and twice the error of σ, which moves $\ln\mathrm{erfc}$ by at
        most $2y^2+2$ times that; $e^{-y^2}$ rounds like $y^2$.
        """
        if isinstance(self.window, Window):
            return 0.0, 0.0
        q, _, sigma, _ = self.numbers
        cut, fade = self.window.cut, self.window.fade
        scale = np.sqrt(2.0 * (sigma * sigma + fade * fade))
        far, near = cut / scale, (cut - 1.0) / scale
        lost = 0.5 * ((1.0 - q) * np.exp(_log_erfc(far)) + q * np.exp(_log_erfc(near)))
        return lost, lost * (ERFCX + 32.0 * LIBM) * (2.0 + 2.0 * far * far + 2.0 * near * near)

    # ------------------------------------------------------------------ nodes

    @cached_property
    def _quick(self) -> dict[int, tuple[Floats, Floats]]:
        return {}

    def cumulants(self, tilt: float, counts: Floats) -> Cumulants:
        """Uncertified K, K' and K'' of all together, for searches."""
        power = max(math.ceil(math.log(tilt, 16.0)), 1)
        if power not in self._quick:
            left, right = self.ends(self.exponent(16.0**power), 18.0)
            sigma = self.numbers[2]
            step = np.minimum(sigma / 4.0, 0.97 * math.pi * sigma**2 * 2.0 * math.pi / 22.0)
            x = _between(left, right, min(3000, max(32, math.ceil(float(((right - left) / step).max())))))
            log_weights = self.log_density(x, self.exponent(0.0)) + np.log(x[:, 1:2] - x[:, :1])
            self._quick[power] = self.direction.sign * self.log_ratio(x).value, log_weights
        return total_of_rows(*self._quick[power], tilt, counts)

    def tilted(self, tilt: float, reach: float, error: float) -> TiltedSteps:
        """The certified laws at this tilt; where all of them take many nodes, by a few."""
        return self.reaching(None, tilt, reach, error)

    def reaching(self, before: TiltedSteps | None, tilt: float, reach: float, error: float) -> TiltedSteps:
        """The same, if they are known already for another reach."""
        few, count = None, len(self.numbers[0])
        some = self.only(np.array([0, count // 2, count - 1])) if count > FEW and reach else None
        if some is not None and some.nodes_needed(tilt, reach, error) > WORTH:
            from dpcompose.inversion.losses.sampled_gaussian.representatives import combined

            near = before or self.laid(tilt, 0.0, error)
            few = combined(self, near, lambda rows: rows.laid(tilt, reach, error))
        return few or self.laid(tilt, reach, error)

    def nodes_needed(self, tilt: float, reach: float, error: float) -> float:
        """About how many nodes the row takes that needs most."""
        left, right = self.ends(self.exponent(tilt), 4.0 - math.log(error))
        return float(((right - left) / self._rule(self.exponent(tilt), reach, error)[0]).max())

    def laid(self, tilt: float, reach: float, error: float) -> TiltedRows:
        """Nodes for each, without looking for combinations."""
        r, base = self.exponent(tilt), self.exponent(0.0)
        step, width, exponent_at = self._rule(r, reach, error)
        depth = 4.0 - math.log(error)
        x, beyond, log_tail = self._covered(r, step, depth)
        l, l_error, log_weights, weight_error = weights_at(self, x, step)  # noqa: E741
        log_rule = log_rule_error(width, step)
        outside = np.exp(np.minimum(log_beyond(x[:, :1], beyond, base, step), 0.0))
        nodes = Nodes(
            losses=self.direction.sign * l,
            loss_error=l_error,
            log_weights=log_weights,
            weight_error=weight_error,
            quadrature=lambda v: np.exp(log_rule + exponent_at(v)),
            mass_quadrature=np.exp(log_rule + crude(self, width, base, 0.0)) + outside,
            deficit=self.deficit[0],
            deficit_error=self.deficit[1],
            log_tail=log_tail,
        )
        return TiltedRows(nodes, tilt)

    def _covered(self, r: float, step: Floats, depth: float, more: int = 0) -> tuple[Floats, Blocks, Floats]:
        """Nodes, the places beyond them, and how much of each tilted law lies there: see `quadrature.covering`."""
        (left, right), sigma = self.ends(r, depth), self.numbers[2]
        first = np.floor((left - more * sigma) / step)
        count = int((np.ceil((right + more * sigma) / step) - first).max()) + 1
        if count > MOST_NODES:
            raise TooManyNodes(count)
        effort.count(PER_NODE * count * len(step))
        x = step * (first + np.arange(count))
        beyond = Blocks(self, x[:, -1:] + sigma * (ALL_BLOCKS if more else QUICKLY))
        log_tail = log_beyond(x[:, :1], beyond, r, step)
        if log_tail.max() < ENOUGH - depth or more == WIDENED:
            return x, beyond, log_tail
        return self._covered(r, step, depth, more + 1)

    def only(self, rows: Integers) -> SampledGaussianRows:
        """Some of the rows."""
        numbers: tuple[Any, ...] = tuple(column[rows] for column in self.numbers)
        window = self.window if isinstance(self.window, Window) else self.window.only(rows)
        return replace(self, numbers=numbers, window=window)

    def _rule(self, r: float, reach: float, error: float) -> tuple[Floats, Floats, Exponent]:
        """Steps, half-widths of strips, and how much the integrands grow there: see `quadrature.best_rule`."""
        limit = (0.97 if r >= 0.0 else 0.8) * math.pi * self.numbers[2] ** 2
        widths = limit * np.power(0.88, np.arange(32.0))
        need = 1.5 - math.log(error)
        steps = 2.0 * math.pi * widths / (need + crude(self, widths, r, reach))
        best = np.argmax(steps, axis=-1)[:, None]
        step, width = (np.take_along_axis(a, best, axis=-1) for a in (steps, widths))
        exponent: Exponent = partial(crude, self, width, r)
        left, right = self.ends(r, need + 3.0)
        if float(((right - left) / step).max()) > SHARP:
            x = np.append(_between(left, right, BLOCKS + 1), right + self.numbers[2] * QUICKLY[1:], axis=-1)
            past = Blocks(self, x[:, -1:] + self.numbers[2] * QUICKLY)
            block_by_block = sharp(self, r, x, log_past(past, r, 1e-7 * self.numbers[2]) + 1.0)
            widths = widths[:, ::3]
            turns = [np.maximum(block_by_block(w, reach), 0.0) for w in widths.T[:, :, None]]
            steps = 2.0 * math.pi * widths / (need + np.concatenate(turns, axis=-1))
            best = np.argmax(steps, axis=-1)[:, None]
            step, width = (np.take_along_axis(a, best, axis=-1) for a in (steps, widths))
            exponent = up_to_the_greatest(partial(block_by_block, width))
        return all_short(step * (1.0 - 1e-6), 20), width, exponent

    def ends(self, r: float, depth: float) -> tuple[Floats, Floats]:
        """Where a law and its tilt have fallen by `exp(-depth)`: see `quadrature.ends`."""
        q, _, sigma, _ = self.numbers
        base, window = self.exponent(0.0), self.window
        left = -sigma * np.sqrt(2.0 * (depth + min(r, 0.0) * np.log1p(-q)))
        right = max(r, 1.0) + sigma * math.sqrt(2.0 * depth)
        room = 2.0 * depth + 2.0 * np.maximum(0.0, r * window.cut) / sigma**2 if not window.is_open else 0.0
        right = np.minimum(right, window.cut + window.fade * np.sqrt(room))
        x = _between(left, right, 128)
        l = self.log_ratio(x).value  # noqa: E741
        law = base * l - 0.5 * (x / sigma) ** 2 + window.log_value(x)[0]
        tilted = law + (r - base) * l
        inside = law > law.max(axis=-1, keepdims=True) - depth
        inside |= tilted > tilted.max(axis=-1, keepdims=True) - depth
        return _range(x, inside)

    def layers(self, tilt: float, moments: tuple[Floats, Floats]) -> Layers:
        """Uniform pieces under each density, for its decay."""
        r, sigma = self.exponent(tilt), self.numbers[2]
        left, right = self.ends(r, 40.0)
        x = _between(left - 1.0 - 2.0 * sigma, right, 160)
        f = self.log_density(x, r + 1.0) - x / sigma**2
        edges = _between(*_range(x, f > f.max(axis=-1, keepdims=True) - 24.0), CELLS + 1)
        log_moment, error = moments
        widths, heights, variation = histogram(self, edges, r, (log_moment - error, log_moment + error))
        return level_sets(widths, heights, variation=variation)


def _between(left: Floats, right: Floats, count: int) -> Floats:
    """Equally spaced places, a row for each pair of ends."""
    return left + (right - left) * np.linspace(0.0, 1.0, count)


def _range(x: Floats, inside: Floats) -> tuple[Floats, Floats]:
    """From the place before the first one inside to the place after the last."""
    margin = x[:, 1:2] - x[:, :1]
    first, last = inside.argmax(axis=-1)[:, None], x.shape[-1] - 1 - inside[:, ::-1].argmax(axis=-1)[:, None]
    return np.take_along_axis(x, first, axis=-1) - margin, np.take_along_axis(x, last, axis=-1) + margin


def _inverse_log_erfc(target: Floats) -> Floats:
    """Where it has this value, by Newton's steps; about 0 where that is not below 1. Not certified."""
    below = np.minimum(target, -0.01)
    y: Floats = np.sqrt(-below)
    for _ in range(6):
        y = np.maximum(y + (_log_erfc(y) - below) * erfcx(y) * (0.5 * math.sqrt(math.pi)), 0.0)
    return y


def _log_erfc(y: Floats) -> Floats:
    scaled: Floats = np.log(erfcx(np.abs(y))) - y * y
    return np.where(y >= 0.0, scaled, np.log(2.0 - np.exp(np.minimum(scaled, 0.0))))
