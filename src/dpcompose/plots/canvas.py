"""The basis of every picture: a figure that displays itself in a notebook, one style, and a registry of painters.

Nothing here touches pyplot: a picture is a value, and the caller's settings stay as they are.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import singledispatch

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from dpcompose.errors import InvalidParameter
from dpcompose.plots.looks import number

SIZE = (7.2, 4.3)
STYLE = {
    "font.family": "DejaVu Sans",  # has every Greek letter, and comes with matplotlib
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.8,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.8,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "legend.handlelength": 2.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # text stays text
    "svg.hashsalt": "dpcompose",  # the same picture is the same file
}


class Picture(Figure):
    """A figure without a window or global registration, which a notebook displays."""

    def _repr_png_(self) -> bytes:
        held = io.BytesIO()
        with styled():
            self.savefig(held, format="png", dpi=144, bbox_inches="tight")
        return held.getvalue()


class PlainNumbers(LogFormatter):
    """Labels such as 0.5 and 200 on a logarithmic axis; also between powers of ten where those are few."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """The label of a tick; empty where labels would crowd."""
        return number(x) if super().__call__(x, pos) else ""


def styled() -> AbstractContextManager[None]:
    """The style, as a context in which a picture is painted or written."""
    return mpl.rc_context(STYLE)  # type: ignore[arg-type]


@singledispatch
def paint(result: object, axes: Axes) -> None:  # noqa: ARG001 - the painters use them
    """Paint a result on axes. Each kind of result has a registered painter."""
    raise InvalidParameter("result", result, "a result that has a picture, as of compare, epsilon, growth or region")


def beside(axes: Axes, title: str = "") -> None:
    """A legend to the right of the axes, where it covers no data; none if it would be empty."""
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        axes.legend(title=title, alignment="left", loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)


def plain_numbers(axes: Axes) -> None:
    """Label every logarithmic axis with plain numbers."""
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            axis.set_major_formatter(PlainNumbers())
            axis.set_minor_formatter(PlainNumbers())


def say(axes: Axes, sentence: str) -> None:
    """A sentence in the middle of the axes, where there is nothing to draw."""
    axes.text(0.5, 0.5, sentence, transform=axes.transAxes, ha="center", va="center", wrap=True)


def drawable(values: Iterable[float | None]) -> list[float]:
    """The values, with NaN wherever there is no finite one."""
    return [math.nan if value is None or not math.isfinite(value) else float(value) for value in values]


__all__ = ["SIZE", "Picture", "beside", "drawable", "paint", "plain_numbers", "say", "styled"]
