"""Paint the pictures of the page on the engine while the pages are built, from the engine itself.

A picture is a function of the name under which the page shows it. In the page a line `% picture name: what it shows`
becomes the picture, with those words for those who cannot see it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dpcompose import plots
from dpcompose.inversion import Direction, LossProfile, SampledGaussianLoss, profile
from dpcompose.inversion.line.build import build_line
from dpcompose.inversion.line.line import Line
from dpcompose.inversion.line.spectrum import Goal, Spectrum, build_spectrum, tilt_all, total_cumulants
from dpcompose.inversion.saddle import Saddle, at_delta
from dpcompose.plots.looks import BLACK, BLUE, DASHED, DOTTED, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from sphinx.application import Sphinx

PAGE = Path(__file__).with_name("engine.md")
FOLDER = PAGE.with_suffix("")
MARK = re.compile(r"^% picture (?P<name>[\w-]+): (?P<words>.+)$", re.MULTILINE)
STEP, STEPS = SampledGaussianLoss(0.01, 1.0, Direction.REMOVE), 1000
TITLE = "DP-SGD, q = 0.01, σ = 1, T = 1000"
FAR = 34.0
"""So far beyond ε there is nothing left to see."""
DELTAS = (1e-5, 1e-10, 1e-20, 1e-50)


@dataclass(frozen=True)
class Inverted:
    """One composition on the line that the engine chooses for one δ."""

    delta: float
    relative: float

    @cached_property
    def profile(self) -> LossProfile:
        """The whole."""
        return profile([(STEP, STEPS)])

    @cached_property
    def saddle(self) -> Saddle:
        """Where the line is."""
        return at_delta(total_cumulants(self.profile.summands), math.log(self.delta))

    @cached_property
    def goal(self) -> Goal:
        """What the line is for."""
        return Goal(self.saddle, self.saddle.epsilon, math.log(self.delta), self.relative)

    @cached_property
    def spectrum(self) -> Spectrum:
        """The certified transform."""
        return build_spectrum(self.profile.summands, self.goal)

    @cached_property
    def line(self) -> Line:
        """What is summed."""
        found = build_line(self.spectrum, self.profile.summands, self.goal)
        assert isinstance(found, Line)  # noqa: S101 - the density of this step decays
        return found


def saddle_line() -> Figure:
    """The integrand over the complex plane, with its poles, the saddle and the frequencies that are summed."""
    at = Inverted(1e-5, 1e-10)
    t, epsilon = at.saddle.tilt, at.saddle.epsilon
    x, y = np.linspace(-3.0, 12.0, 240), np.linspace(-6.0, 6.0, 181)
    z = x[None, :] + 1j * y[:, None]
    height = (_log_integrand(z, epsilon) - _log_integrand(np.array([t + 0j]), epsilon)) / math.log(10.0)
    picture = plots.figure()
    with plots.styled():
        axes = picture.add_subplot()
        levels = np.arange(-8.0, 6.1, 1.0)
        colours = axes.contourf(x, y, np.clip(height, -8.0, 6.0), levels, cmap="cividis")
        axes.contour(x, y, height, [0.0], colors="white", linewidths=0.8, linestyles="dashed")
        summed = np.concatenate([-at.line.frequencies[::-1], [0.0], at.line.frequencies])
        summed = summed[np.abs(summed) <= y[-1]]
        axes.plot(np.full(summed.size, t), summed, "o", color=ORANGE, markersize=2.4)
        axes.plot([0.0, -1.0], [0.0, 0.0], "x", color=BLACK, markersize=7.0, markeredgewidth=1.8)
        axes.annotate("poles", (-0.5, 0.45), color=BLACK, ha="center")
        pointer = {"color": "white", "arrowprops": {"arrowstyle": "-", "color": "white", "linewidth": 0.8}}
        axes.annotate(f"saddle, t = {t:.2f}", (t, 0.0), (3.2, -0.1), va="center", ha="center", **pointer)
        axes.annotate("what is summed", (t, 4.4), (4.9, 5.2), va="center", ha="center", **pointer)
        axes.annotate("zeros of M", (9.1, -2.0), (8.1, -4.9), va="center", **pointer)
        axes.set(xlabel="Re z", ylabel="Im z")
        axes.set_title(r"$|M(z)\,e^{-z\varepsilon}/z(z+1)|$ beside its value at the saddle" + f"\n{TITLE}, δ = 1e-5")
        axes.grid(visible=False)
        picture.colorbar(colours, ax=axes, ticks=levels[::2]).set_label("power of ten")
    return picture


def _log_integrand(z: NDArray[np.complex128], epsilon: float) -> NDArray[np.float64]:
    return _log_moment(z) - epsilon * z.real - np.log(np.abs(z * (z + 1.0)))


def _log_moment(z: NDArray[np.complex128]) -> NDArray[np.float64]:
    r"""$\ln|M(z)|$ of all steps by a plain trapezoid sum of $\int nX^{1+z}$, good to more digits than can be seen."""
    x = np.linspace(-12.0, 30.0, 1200)
    log_ratio, density = STEP.log_ratio(x)[0], STEP.log_density(x, 0.0) + math.log(x[1] - x[0])
    flat = np.ravel(z)
    found = np.empty(flat.shape)
    for start in range(0, flat.size, 4096):
        part = flat[start : start + 4096]
        terms = np.exp(density + np.multiply.outer(1.0 + part, log_ratio))
        found[start : start + 4096] = np.log(np.abs(terms.sum(axis=1)))
    return STEPS * found.reshape(np.shape(z))


def decay() -> Figure:
    """The tilted characteristic function, the bound that is certified for it, and where the sum is cut off."""
    at = Inverted(1e-5, 1e-10)
    last = at.line.frequencies[-1]
    finer = np.arange(1, math.ceil(1.25 * last / at.spectrum.spacing), dtype=np.int64)
    u = finer * at.spectrum.spacing
    wider = replace(at.spectrum, parts=tilt_all(at.profile.summands, at.goal, u[-1]))
    picture = plots.figure()
    with plots.styled():
        axes = picture.add_subplot()
        log_ten = math.log(10.0)
        axes.plot(u, wider.logarithm(finer).modulus / log_ten, color=BLUE, label="|φ(u)|")
        axes.plot(
            u, wider.log_decay(u) / log_ten, color=VERMILION, dashes=(5, 2), label="certified: no larger beyond u"
        )
        normal = -0.5 * at.saddle.cumulants.curvature * u**2
        axes.plot(u, normal / log_ten, color=GREY, linestyle=DOTTED, label="normal with the same variance")
        axes.axvline(last, color=BLACK, linewidth=1.0)
        axes.annotate(f"cut off after {at.line.size} frequencies ", (last, 0.2), ha="right", va="center")
        axes.set(xlabel="frequency u", ylabel="power of ten", ylim=(-30.0, 1.0), xlim=(0.0, u[-1]))
        axes.set_title(f"Decay on the saddle line\n{TITLE}, δ = 1e-5")
        plots.legend(axes)
    return picture


def budget() -> Figure:
    """The error terms beside δ, for one composition and four δ."""
    names = {
        "aliasing": ("aliasing", BLUE),
        "truncation": ("frequencies cut off", ORANGE),
        "quadrature_and_rounding": ("quadrature and rounding", GREEN),
        "domain": ("tail of a step", PURPLE),
    }
    whole = Inverted(DELTAS[0], 1e-10).profile
    found = [whole.budget(whole.epsilon(delta).upper) for delta in DELTAS]
    picture = plots.figure()
    with plots.styled():
        axes = picture.add_subplot()
        width = 0.8 / len(names)
        for place, (name, (words, colour)) in enumerate(names.items()):
            heights = [max(getattr(each, name), 1e-17) for each in found]
            left = np.arange(len(found)) + (place - 0.5 * (len(names) - 1)) * width
            axes.bar(left, heights, 0.9 * width, color=colour, label=words)
        axes.axhline(1e-9, color=BLACK, linewidth=1.0, linestyle=DASHED)
        axes.annotate(" asked for", (-0.5, 1.25e-9), va="bottom")
        axes.set_yscale("log")
        axes.set(ylim=(1e-15, 1e-8), xlim=(-0.55, len(found) - 0.45), ylabel="relative to δ")
        axes.set_xticks(
            range(len(found)),
            [f"δ = {_short(delta)}\n{each.frequencies} frequencies" for delta, each in zip(DELTAS, found, strict=True)],
        )
        axes.grid(visible=False, axis="x")
        axes.set_title(f"Where the width of an answer comes from\n{TITLE}")
        plots.legend(axes)
    return picture


def _short(delta: float) -> str:
    return f"{delta:.0e}".replace("e-0", "e-")


def aliasing() -> Figure:
    """The tilted profile and its copies: what the sum adds up, for the period in use and for one too short."""
    at = Inverted(1e-5, 1e-10)
    picture = plots.figure()
    with plots.styled():
        pair = picture.subplots(1, 2, sharey=True)
        for axes, share, word in zip(pair, (1.0, 0.4), ("in use", "too short"), strict=True):
            period = share * at.spectrum.period.length
            _periodised(axes, at, period)
            axes.set_title(f"period W = {period:.1f}, {word}")
        pair[0].set_ylabel(r"$e^{t(y-\varepsilon)}\,\delta(y)/\delta(\varepsilon)$")
        picture.legend(*pair[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        picture.suptitle(f"What the trapezoid sum adds up\n{TITLE}, δ = 1e-5", x=0.01, ha="left", fontsize=10.0)
    return picture


def _periodised(axes: Any, at: Inverted, period: float) -> None:
    """The profile and its copies on both sides, and what these add at ε."""
    here, t = at.saddle.epsilon, at.saddle.tilt
    places = np.linspace(here - 1.25 * period, here + min(2.2 * period, FAR), 401)
    values = [each.upper for each in at.profile.curve(places.tolist(), 1e-3)]
    tilted = t * (places - here) + np.log(np.array(values) / at.profile.delta(here).upper)
    power = tilted / math.log(10.0)
    axes.axvspan(here - 0.5 * period, here + 0.5 * period, color="#f0f0f0", zorder=0)
    axes.plot(places, power, color=BLUE, label="the profile")
    axes.plot(places - period, power, color=ORANGE, linestyle=DASHED, label="its copy from above")
    axes.plot(places + period, power, color=SKY, linestyle=DASHED, label="its copy from below")
    added = float(np.interp(here + period, places, power))  # the copy from below has long vanished
    axes.plot([here], [0.0], "o", color=BLUE)
    axes.plot([here], [added], "o", color=VERMILION)
    axes.annotate(
        f"  adds {10.0**added:.0e}", (here, added), (here + 0.1 * period, added), color=VERMILION, va="center"
    )
    axes.set(ylim=(-18.0, 2.0), xlim=(here - 1.1 * period, here + 1.1 * period), xlabel="y")
    axes.set_yticks(range(-16, 1, 4))
    axes.yaxis.set_major_formatter("$10^{{{x:.0f}}}$")


PICTURES: dict[str, Callable[[], Figure]] = {
    "saddle-line": saddle_line,
    "decay": decay,
    "budget": budget,
    "aliasing": aliasing,
}


def paint_all(_app: object = None) -> None:
    """Write every picture of the page."""
    FOLDER.mkdir(exist_ok=True)
    for name, picture in PICTURES.items():
        plots.save(picture(), FOLDER / f"{name}.svg")


def shown(_app: object, name: str, source: list[str]) -> None:
    """Put the pictures where the page says they belong."""
    if name == PAGE.stem:
        source[0] = MARK.sub(rf"![\g<words>]({FOLDER.name}/\g<name>.svg)", source[0])


def setup(app: Sphinx) -> dict[str, bool]:
    """Paint before Sphinx reads, and show while it reads."""
    app.connect("builder-inited", paint_all)
    app.connect("source-read", shown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
