"""Painters of bars and intervals: every theorem side by side, and answers from both sides."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from dpcompose.numerics.enclosure import rounded
from dpcompose.plots.canvas import paint, plain_numbers, say
from dpcompose.plots.looks import BLACK, BLUE, label, look, number, subject
from dpcompose.prove.answer import Answer, Answers
from dpcompose.prove.compare import Comparison

_WIDE = 25.0
"""Bars are on a logarithmic axis if their ratio is at least this."""


@paint.register
def _(result: Comparison, axes: Axes) -> None:
    axes.set(title=subject(result.subject), xlabel=f"{result.asked} at {result.given} = {number(result.at)}")
    rows = [(row.theorem, row.value) for row in result.rows if row.value is not None and math.isfinite(row.value)]
    if not rows:
        say(axes, f"no finite {result.asked} holds at {result.given} = {number(result.at)}")
        return
    names, values = [name for name, _ in rows], [value for _, value in rows]
    least, most = min(values), max(values)
    axes.barh(range(len(rows)), values, color=[look(name).colour for name in names], height=0.7, zorder=2)
    axes.set_yticks(range(len(rows)), [label(name) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    if least > 0 and most / least > _WIDE:
        axes.set(xscale="log", xlim=(least / 2, most * 4))
        plain_numbers(axes)
    else:
        axes.set_xlim(0, 1.16 * most if most > 0 else 1)
    for place, value in enumerate(values):
        said = rounded(value, ROUND_CEILING, 4)
        axes.annotate(said, (value, place), xytext=(4, 0), textcoords="offset points", va="center", fontsize=8)
    if 0 < result.best.lower < math.inf:
        axes.axvline(result.best.lower, color=BLACK, lw=1.2, ls=(0, (2, 2)), zorder=3)
        axes.annotate(
            f"no {result.asked} left of this line holds",
            (result.best.lower, 0.0),
            xycoords=axes.get_xaxis_transform(),
            xytext=(5, 4),
            textcoords="offset points",
            fontsize=8,
        )


@paint.register
def _(result: Answer, axes: Axes) -> None:
    axes.set(xlabel=result.question, title=f"{result.question} ∈ {result.enclosure}")
    _intervals((result,), axes)
    axes.set_yticks([])


@paint.register
def _(result: Answers, axes: Axes) -> None:
    axes.set(ylabel="argument, in order", xlabel=result.each[0].question if result.each else "")
    if not result.each:
        say(axes, "nothing was asked")
        return
    _intervals(result.each, axes)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.margins(y=0.15)
    axes.invert_yaxis()


def _intervals(answers: tuple[Answer, ...], axes: Axes) -> None:
    """A line from the lower to the upper end of each answer; the safe end is filled."""
    known = [a for a in answers if math.isfinite(a.upper)]
    if not known:
        say(axes, "infinite")
    for place, answer in enumerate(answers, 1):
        if math.isfinite(answer.upper):
            axes.plot([answer.lower, answer.upper], [place, place], "|-", color=BLUE, ms=14, lw=3)
            axes.plot([answer.safe], [place], "o", color=BLUE, ms=6)


__all__: list[str] = []
