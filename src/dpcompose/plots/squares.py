"""Painters in the square of error rates: regions, families of them, boundaries by theorem, tangents, audits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from dpcompose.curves.error_rates import Boundaries, Family, Overlay, Points, Reached, Tangents, TradeOff
from dpcompose.plots.canvas import beside, paint
from dpcompose.plots.looks import BLACK, BLUE, GREEN, GREY, ORANGE, SKY, VERMILION, label, look, number, subject
from dpcompose.regions.chain import Chain
from dpcompose.regions.region import Region

MISSES, ALARMS = "miss rate $P_{MD}$ (false negatives)", "false alarm rate $P_{FA}$ (false positives)"
_FEW_CORNERS = 24
_DIFFER = 2e-3


@paint.register
def _(result: TradeOff, axes: Axes) -> None:
    alphas = [float(alpha) for alpha in result.alphas]
    lower, upper = [b.lower for b in result.betas], [b.upper for b in result.betas]
    _square(axes, subject(result.subject))
    axes.set(xlabel="type I error α", ylabel="least type II error β")
    axes.plot(alphas, lower, color=BLUE, label="trade-off function", gid="lower")
    if max(high - low for low, high in zip(lower, upper, strict=True)) > _DIFFER:
        axes.plot(alphas, upper, color=BLUE, ls=":", label="known from above", gid="upper")
    axes.fill_between(alphas, lower, [1 - alpha for alpha in alphas], color=BLUE, alpha=0.12, lw=0)
    beside(axes)


@paint.register
def _(result: Region, axes: Axes) -> None:
    _square(axes, subject(result.subject[0]) if result.subject else "")
    _region(result, axes, "privacy region")
    beside(axes)


@paint.register
def _(result: Family, axes: Axes) -> None:
    _square(axes, f"k × {subject(result.step)}")
    shades = mpl.colormaps["viridis"](np.linspace(0.85, 0.0, len(result.counts)))
    _filled(axes, _floats(result.regions[0].below), color=shades[0], alpha=0.2)
    for count, region, shade in zip(result.counts, result.regions, shades, strict=True):
        _line(axes, _floats(region.below), color=shade, label=f"k = {count}", gid=f"k = {count}")
    beside(axes)


@paint.register
def _(result: Boundaries, axes: Axes) -> None:
    _square(axes, subject(result.subject))
    alike: dict[Points, list[str]] = {}
    for boundary in result.each:
        alike.setdefault(boundary.corners, []).append(boundary.theorem)
    if result.each:
        _filled(axes, result.each[-1].corners, color=look(result.each[-1].theorem).colour, alpha=0.15)
    for corners, names in alike.items():
        style = look(names[0])
        _line(axes, corners, color=style.colour, ls=style.dash, label=label(*names), gid=names[0])
    beside(axes)


@paint.register
def _(result: Tangents, axes: Axes) -> None:
    _square(axes, subject(result.subject))
    _region(result.region, axes, "privacy region")
    shades = [ORANGE, VERMILION, GREEN, SKY, BLACK]
    for i, (epsilon, line) in enumerate(zip(result.epsilons, result.lines, strict=True)):
        slope, height = line.slope.upper, line.intercept.lower
        end = min(height / slope, 1.0)
        style: dict[str, Any] = {"color": shades[i % len(shades)], "lw": 1.3, "ls": ["-", "--", "-."][i // 5 % 3]}
        said = f"ε = {number(epsilon)}"
        axes.plot([0.0, end], [height, height - slope * end], label=said, gid=said, **style)
    beside(axes, "tangents of slope $-e^{ε}$")


@paint.register
def _(result: Reached, axes: Axes) -> None:
    _square(axes, "")
    _points(result.vertices, axes, f"reached, confidence {number(result.confidence)}", GREEN)
    beside(axes)


@paint.register
def _(result: Overlay, axes: Axes) -> None:
    _square(axes, subject(result.subject))
    _region(result.promised, axes, "promised region")
    refuting = result.refuting
    rest = tuple(point for point in result.points if point not in set(refuting))
    _points(rest, axes, f"reached, confidence {number(result.confidence)}", GREEN)
    _points(refuting, axes, "reached outside: refutes the promise", VERMILION)
    beside(axes)


def _square(axes: Axes, title: str) -> None:
    """Axes for both rates from 0 to 1, with the diagonal that guessing reaches."""
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel=MISSES, ylabel=ALARMS, title=title)
    axes.set_aspect("equal", adjustable="box", anchor="W")
    axes.plot([0, 1], [1, 0], color=GREY, lw=1, ls=(0, (4, 3)), label="guessing", gid="guessing", zorder=1.5)


def _region(region: Region, axes: Axes, name: str) -> None:
    """The region below the diagonal; where it is known only between bounds, the inner bound is dotted."""
    corners = _floats(region.below)
    few = len(region.vertices) <= _FEW_CORNERS and bool(region.vertices)
    _filled(axes, corners, color=BLUE, alpha=0.15)
    _line(axes, corners, color=BLUE, marker="o" if few else None, ms=3.5, label=name, gid="region")
    inner = _floats(region.above)
    apart = max(y - float(region.below.value(x)) for x, y in inner)
    if apart > _DIFFER:
        axes.plot(*np.array(inner).T, color=BLUE, ls=":", lw=1.2, label="certainly reached", gid="inner")


def _floats(chain: Chain) -> Points:
    return tuple((float(x), float(y)) for x, y in chain.corners)


def _line(axes: Axes, corners: Sequence[tuple[float, float]], **style: Any) -> None:
    """A boundary, extended along the axes where it does not start in a corner of the square."""
    axes.plot(*np.array(corners).T, clip_on=False, zorder=3, **style)


def _filled(axes: Axes, corners: Sequence[tuple[float, float]], **style: Any) -> None:
    """The region between a boundary and the diagonal."""
    axes.fill(*np.array([(0.0, 1.0), *corners, (1.0, 0.0)]).T, lw=0, **style)


def _points(points: Sequence[tuple[float, float]], axes: Axes, name: str, colour: str) -> None:
    """Points that an audit has shown to be reachable."""
    if points:
        style: dict[str, Any] = {"ls": "", "marker": "o", "color": colour, "mec": BLACK, "mew": 0.6, "ms": 5.5}
        axes.plot(*np.array(points).T, label=name, gid=name, clip_on=False, zorder=4, **style)


__all__ = ["ALARMS", "MISSES"]
