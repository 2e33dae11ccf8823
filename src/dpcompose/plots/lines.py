"""Painters of curves: growth, profiles, Rényi divergences and privacy losses."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from dpcompose.curves.loss_laws import LossDistribution
from dpcompose.curves.renyi_orders import Converted, RenyiCurve
from dpcompose.curves.sweeps import Growth, PrivacyProfile, Sweep
from dpcompose.numerics.enclosure import Enclosure, Real
from dpcompose.plots.canvas import beside, drawable, paint, plain_numbers, say
from dpcompose.plots.looks import BLACK, BLUE, GREY, SOLID, VERMILION, label, look, number, subject

TRUTH = "the truth (certified)"
_ROOM = {"linear": 6.0, "log": 60.0}
"""How many times above the truth a theorem may lie; the axis ends there."""
_LEAST_DELTA = 1e-12
_FAR = 700.0
_SEEN = 1e-3
"""The smallest share of the highest bar that can still be seen."""
_DUST = 1e-15
"""Probabilities below this may be rounding errors."""


@paint.register
def _(result: Growth, axes: Axes) -> None:
    scale = _scale(result.at)
    axes.set(
        title=f"k × {subject(result.subject)}",
        xlabel="number of steps k",
        ylabel=f"ε at δ = {number(result.delta)}",
        xscale=scale,
        yscale=scale,
    )
    plain_numbers(axes)
    _theorems(result, axes)
    _band(axes, result.at, result.truth)
    known = [e.upper for e in result.truth if 0 < e.upper < math.inf]
    if not known and any(math.isinf(e.upper) for e in result.truth):
        say(axes, f"no finite ε holds at δ = {number(result.delta)}")
        return
    drawn = [v for series in result.series for v in drawable(series.values) if not math.isnan(v)]
    most = max(known, default=1.0)
    top = 1.05 * min(max([*drawn, most]), _ROOM[scale] * most)
    axes.set_ylim(0.0 if scale == "linear" else min(known, default=0.1) / 1.5, top)
    beside(axes)


@paint.register
def _(result: PrivacyProfile, axes: Axes) -> None:
    axes.set(title=subject(result.subject), xlabel="ε", ylabel="δ", yscale="log")
    plain_numbers(axes)
    _theorems(result, axes)
    _band(axes, result.at, result.truth)
    least = min((e.upper for e in result.truth if e.upper > _LEAST_DELTA), default=_LEAST_DELTA)
    axes.set_ylim(least / 1.5, 1.5)
    beside(axes)


def _scale(at: Sequence[Real]) -> str:
    """A logarithmic scale for places that are dense near the start, else a linear one."""
    return "log" if len(at) > 2 and float(np.median([float(x) for x in at])) < float(at[-1]) / 4 else "linear"


def _theorems(result: Sweep, axes: Axes) -> None:
    """A line for each theorem; theorems with equal values share one."""
    alike: dict[tuple[float | None, ...], list[str]] = {}
    for series in result.series:
        alike.setdefault(series.values, []).append(series.theorem)
    for values, names in alike.items():
        style = look(names[0])
        shown = _shown(values, axes)
        alone = "o" if np.count_nonzero(np.isfinite(shown)) == 1 else ""  # a line of one point cannot be seen
        (line,) = axes.plot(_floats(result.at), shown, color=style.colour, ls=style.dash, gid=names[0])
        line.set(label=label(*names), marker=alone)


def _band(axes: Axes, at: Sequence[Real], truth: Sequence[Enclosure]) -> None:
    """The certified enclosure: a wide pale band below everything else."""
    x, lower, upper = _floats(at), _shown([e.lower for e in truth], axes), _shown([e.upper for e in truth], axes)
    axes.plot(x, upper, color=BLACK, alpha=0.18, lw=6, solid_capstyle="round", zorder=1, label=TRUTH, gid="truth")
    axes.fill_between(x, lower, upper, color=BLACK, alpha=0.12, lw=0, zorder=1)


def _shown(values: Sequence[float | None], axes: Axes) -> list[float]:
    """The values that the axis can show: no zeros on a logarithmic axis."""
    found = drawable(values)
    return [math.nan if v <= 0 else v for v in found] if axes.get_yscale() == "log" else found


def _floats(values: Sequence[Real]) -> list[float]:
    return [float(value) for value in values]


# ---------------------------------------------------------------------------------------------- Rényi


@paint.register
def _(result: RenyiCurve, axes: Axes) -> None:
    orders = _floats(result.orders)
    at = "" if result.delta is None else f", and ε at δ = {number(result.delta)}"
    axes.set(title=subject(result.subject), xlabel="order α", ylabel=f"Rényi divergence{at}")
    axes.set(xscale="log", yscale="log")
    plain_numbers(axes)
    heights = _shown([e.upper for e in result.divergences], axes)
    if all(map(math.isnan, heights)):
        say(axes, "every Rényi divergence is infinite, or 0")
        return
    axes.plot(orders, heights, color=BLUE, label="divergence of order α", gid="divergence")
    for converted in result.converted:
        _converted(converted, orders, axes)
    beside(axes)


def _converted(converted: Converted, orders: Sequence[float], axes: Axes) -> None:
    """The ε that each order implies, with a mark at the least."""
    style = look(converted.theorem)
    name = f"ε by order α, {converted.theorem}"
    axes.plot(orders, _shown(converted.epsilons, axes), color=style.colour, ls=style.dash, label=name, gid=name)
    if converted.best is None or not converted.best.epsilon.upper > 0:
        return
    order, least = converted.best.order.upper, converted.best.epsilon.upper
    said = f"best: α = {order:.4g}, ε = {least:.4g}"
    face = style.colour if style.dash == SOLID else "white"
    axes.plot([order], [least], "o", color=face, mec=style.colour, mew=1.6, ms=7, label=said, gid=f"best {name}")


# ---------------------------------------------------------------------------------------------- losses


@paint.register
def _(result: LossDistribution, axes: Axes) -> None:
    leak = f"; infinite with probability {result.infinite:.3g}" if result.infinite > _DUST else ""
    axes.set(title=subject(result.subject), xlabel=f"privacy loss ln(P/Q){leak}")
    if result.atoms:
        losses, masses = zip(*result.atoms, strict=True)
        axes.set_ylabel("probability")
        axes.vlines(losses, 0, masses, color=BLUE, lw=1.6, zorder=3, label="one input (P)")
        other = _other(losses, masses)
        axes.vlines(losses, 0, other, color=VERMILION, lw=3.5, alpha=0.35, label="its neighbour (Q)")
        _plain_limits(axes, max(masses))
        seen = [loss for loss, *ps in zip(losses, masses, other, strict=True) if max(ps) >= _SEEN * max(masses)]
        axes.set_xlim(1.1 * min(*seen, -0.1), 1.1 * max(*seen, 0.1))
    elif result.mass:
        edges = np.array(result.edges)
        density = np.array(result.mass) / np.diff(edges)
        middle = (edges[:-1] + edges[1:]) / 2
        axes.set_ylabel("density")
        axes.stairs(density, edges, color=BLUE, fill=True, alpha=0.25)
        axes.stairs(density, edges, color=BLUE, lw=1.6, label="one input (P)")
        other = _other(middle.tolist(), density.tolist())
        axes.stairs(other, edges, color=VERMILION, lw=1.6, ls=(0, (4, 2)), label="its neighbour (Q)")
        _plain_limits(axes, max(*density, *other))
    axes.axvline(0, color=GREY, lw=0.8)
    beside(axes)


def _other(losses: Sequence[float], masses: Sequence[float]) -> list[float]:
    """The masses under Q: those under P times e^−L."""
    return [mass * math.exp(-min(max(loss, -_FAR), _FAR)) for loss, mass in zip(losses, masses, strict=True)]


def _plain_limits(axes: Axes, most: float) -> None:
    axes.set_ylim(0, 1.08 * most if most > 0 else 1)


__all__ = ["TRUTH"]
