"""The painter for noises: the deviation against the number of queries, with the best noise below."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from matplotlib.axes import Axes

from dpcompose.curves.noise_contest import Noises
from dpcompose.plots.canvas import beside, paint, plain_numbers
from dpcompose.plots.looks import BLACK, BLUE, DASHED, DOTTED, GREEN, GREY, ORANGE, SKY, SOLID, VERMILION, Look, number

NOISES = {
    "geometric": Look("geometric", ORANGE),
    "discrete Gaussian": Look("discrete Gaussian", BLUE),
    "Laplace": Look("Laplace", VERMILION, DASHED),
    "Gaussian": Look("Gaussian", SKY, DASHED),
    "staircase": Look("staircase", GREEN, DOTTED),
}
"""Curves often coincide, so integer-valued noises are solid, and the others dashed or dotted and drawn above them."""


@paint.register
def _(result: Noises, axes: Axes) -> None:
    goal = result.advice.goal
    axes.set(
        title=f"k queries of sensitivity {number(goal.query.sensitivity)}, together within "
        f"ε = {number(goal.epsilon)}, δ = {number(goal.delta)}",
        xlabel="number of queries k",
        ylabel="standard deviation of one answer",
        xscale="log",
        yscale="log",
    )
    plain_numbers(axes)
    if result.closed_form:
        axes.plot(*zip(*result.closed_form, strict=True), color=GREY, ls=SOLID, lw=1.2, label="closed form (KOV-4.2)")
    for name, look in NOISES.items():
        if line := result.lines.get(name):
            axes.plot(*zip(*line, strict=True), color=look.colour, ls=look.dash, label=name)
    axes.axvline(result.advice.queries, color=BLACK, lw=0.8, ls=DOTTED)
    for start, end, winner in _reigns(result):
        _reign(axes, start, end, winner)
    axes.margins(x=0.02)
    beside(axes)


def _reigns(result: Noises) -> Iterator[tuple[float, float, str]]:
    """The ranges in which each noise is best."""
    last = max((line[-1][0] for line in result.lines.values() if line), default=1)
    starts = [(float(flip.queries), flip.after) for flip in result.advice.flips]
    for (start, winner), (end, _) in pairwise([*starts, (float(last), "")]):
        if winner:
            yield start, end, winner


def _reign(axes: Axes, start: float, end: float, winner: str) -> None:
    """A stripe at the bottom in the colour of the best noise, and the number of queries at which it begins."""
    look = NOISES[winner]
    axes.plot(
        [start, end],
        [0.012, 0.012],
        color=look.colour,
        lw=6,
        solid_capstyle="butt",
        transform=axes.get_xaxis_transform(),
    )
    if start > 1:
        axes.axvline(start, color=look.colour, lw=0.8, zorder=1)
        axes.annotate(
            f"from {start:g}: {winner}",
            (start, 0.05),
            xycoords=axes.get_xaxis_transform(),
            xytext=(4, 0),
            textcoords="offset points",
            va="bottom",
            rotation=90,
            fontsize=8,
        )


__all__: list[str] = []
