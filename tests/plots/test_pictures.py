"""Pictures: what they show is what was found, they are written whole or not at all, and they bother nobody."""

from __future__ import annotations

import builtins
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import dpcompose as dpc
from dpcompose import audit, plots
from dpcompose.errors import InvalidParameter

STEP = dpc.BlackBox(epsilon=Fraction("0.5"), delta=Fraction("0.05"))
GAUSSIAN = dpc.Gaussian(noise_std=2)
NOTHING = dpc.Composition()
EVERYTHING = dpc.NameAndShame(delta=1)


def reached() -> audit.LowerRegion:
    generator = np.random.default_rng(5)
    return audit.region(generator.normal(1, 0.5, 4000), generator.normal(0, 0.5, 4000))


RESULTS: dict[str, Callable[[], object]] = {
    "growth": lambda: plots.growth(STEP, (1, 2, 3), 0.2),
    "growth on logarithmic axes": lambda: plots.growth(STEP, (1, 10, 100, 1000), 0.2),
    "growth from nothing": lambda: plots.growth(GAUSSIAN, (0, 1, 50, 100), 1e-6),
    "growth of nothing": lambda: plots.growth(dpc.BlackBox(epsilon=0), (0, 1), 1e-6),
    "growth without end": lambda: plots.growth(dpc.NameAndShame(delta=0.1), (1, 2), 1e-6),
    "profile": lambda: plots.profile(5 * STEP, np.linspace(0, 3, 7)),
    "profile of nothing": lambda: plots.profile(NOTHING),
    "profile of everything": lambda: plots.profile(EVERYTHING),
    "region": lambda: dpc.region(3 * STEP),
    "curved region": lambda: dpc.region(GAUSSIAN, tolerance=0.05),
    "region of nothing": lambda: dpc.region(NOTHING),
    "region of everything": lambda: dpc.region(EVERYTHING),
    "region of two": lambda: dpc.region(STEP) & dpc.region(GAUSSIAN),
    "family": lambda: plots.family(STEP, (0, 1, 3)),
    "boundaries": lambda: plots.boundaries(5 * STEP, np.linspace(0, 3, 7)),
    "boundaries of everything": lambda: plots.boundaries(EVERYTHING, (0, 1)),
    "tangents": lambda: plots.tangents(3 * STEP, (-1, 0, 1)),
    "steep tangents": lambda: plots.tangents(STEP, (-800, 700)),
    "trade-off": lambda: plots.tradeoff(GAUSSIAN),
    "orders": lambda: plots.renyi_curve(4 * GAUSSIAN, 1e-6),
    "orders without δ": lambda: plots.renyi_curve(4 * GAUSSIAN),
    "orders that say nothing": lambda: plots.renyi_curve(EVERYTHING, 1e-6),
    "losses": lambda: plots.losses(3 * STEP),
    "curved losses": lambda: plots.losses(GAUSSIAN, bins=10),
    "losses of nothing": lambda: plots.losses(NOTHING),
    "losses of everything": lambda: plots.losses(EVERYTHING),
    "comparison": lambda: dpc.compare(5 * STEP, delta=Fraction("0.3")),
    "comparison of δ": lambda: dpc.compare(5 * STEP, epsilon=1),
    "comparison on a logarithmic axis": lambda: dpc.compare(
        1000 * dpc.Sampled(dpc.Gaussian(noise_std=1), rate=0.01), delta=1e-5
    ),
    "comparison of nothing": lambda: dpc.compare(NOTHING, delta=0),
    "comparison without end": lambda: dpc.compare(EVERYTHING, delta=0),
    "audit": reached,
    "overlay": lambda: plots.overlay(GAUSSIAN, reached()),
    "answer": lambda: dpc.epsilon(GAUSSIAN + STEP, delta=0.1),
    "infinite answer": lambda: dpc.epsilon(EVERYTHING, delta=0),
    "answers": lambda: dpc.epsilon(GAUSSIAN, delta=[0.1, 0.01]),
    "no answers": lambda: dpc.epsilon(GAUSSIAN, delta=[]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", RESULTS)
def test_every_result_has_a_picture_that_can_be_drawn(kind: str) -> None:
    """Warnings are errors here: nothing is clipped to nothing, no glyph is missing, no layout collapses."""
    picture = plots.plot(RESULTS[kind]())
    FigureCanvasAgg(picture).draw()
    assert picture.axes[0].has_data() or picture.axes[0].texts


@pytest.mark.parametrize("kind", ["growth", "profile", "family", "boundaries", "tangents", "overlay", "orders"])
def test_legends_stand_beside_the_data(kind: str) -> None:
    picture = plots.plot(RESULTS[kind]())
    FigureCanvasAgg(picture).draw()
    (axes,) = picture.axes
    legend = axes.get_legend()
    assert legend is not None
    assert not legend.get_window_extent().overlaps(axes.get_window_extent())
    assert legend.get_window_extent().x1 <= picture.bbox.x1


def points(figure: Figure, gid: str) -> np.ndarray[Any, Any]:
    (found,) = [line for line in figure.axes[0].get_lines() if line.get_gid() == gid]
    return np.column_stack(found.get_data())


def test_lines_are_the_values_and_equal_theorems_share_one() -> None:
    found = plots.profile(5 * STEP, np.linspace(0, 3, 7), ("KOV-3.3", "KOV-3.4", "KOV-3.5"))
    picture = plots.plot(found)
    assert points(picture, "KOV-3.3").tolist() == [
        [float(x), y] for x, y in zip(found.at, found.of("KOV-3.3").values, strict=True)
    ]
    assert points(picture, "truth")[:, 1].tolist() == [e.upper for e in found.truth]
    labels = [text.get_text() for text in picture.axes[0].get_legend().get_texts()]  # type: ignore[union-attr]
    assert "closed form (KOV-3.4, KOV-3.5)" in labels


def test_a_region_is_drawn_through_its_corners() -> None:
    region = dpc.region(3 * STEP)
    corners = [(v.fnr.lower, v.fpr.lower) for v in region.vertices]
    assert points(plots.plot(region), "region").tolist() == pytest.approx(np.array(corners))


def test_what_is_only_known_between_bounds_shows_both() -> None:
    rough = plots.plot(dpc.region(GAUSSIAN, tolerance=0.05))
    outer, inner = points(rough, "region"), points(rough, "inner")
    assert all(y >= np.interp(x, *outer.T) for x, y in inner)
    assert not [line for line in plots.plot(dpc.region(STEP)).axes[0].get_lines() if line.get_gid() == "inner"]


def test_bars_are_the_rows() -> None:
    comparison = dpc.compare(5 * STEP, delta=Fraction("0.3"))
    (axes,) = plots.plot(comparison).axes
    spoken = [row for row in comparison.rows if row.value is not None]
    assert [bar.get_width() for bar in axes.patches] == [row.value for row in spoken]  # type: ignore[attr-defined]
    assert [label.get_text().rpartition("(")[2] for label in axes.get_yticklabels()] == [
        f"{row.theorem})" for row in spoken
    ]
    for row, text in zip(spoken, axes.texts, strict=False):
        assert 0 <= Fraction(text.get_text()) - Fraction(row.value) < Fraction("0.001")


def test_axes_follow_the_places() -> None:
    assert plots.plot(plots.growth(STEP, (1, 10, 100, 1000), 0.2)).axes[0].get_xscale() == "log"
    assert plots.plot(plots.growth(STEP, range(1, 11), 0.2)).axes[0].get_xscale() == "linear"


def test_one_can_paint_on_ones_own_axes() -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plots.plot(dpc.region(STEP), left) is figure
    assert left.get_lines()
    assert not right.get_lines()


def test_what_has_no_picture_is_refused_with_what_has() -> None:
    with pytest.raises(InvalidParameter, match=r"result = \{\} is not allowed.*compare.* growth .* region"):
        plots.plot({})


@pytest.mark.slow
@pytest.mark.parametrize(
    "suffix, start", [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")]
)
def test_files(tmp_path: Path, suffix: str, start: bytes) -> None:
    target = tmp_path / f"region{suffix}"
    assert plots.save(dpc.region(STEP), target) == target
    first = target.read_bytes()
    assert first.startswith(start)
    plots.save(plots.plot(dpc.region(STEP)), str(target))  # the same picture is the same file
    assert target.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["x.bmp", "x", "x.svg.exe", ".svg"])
def test_unknown_file_types_are_refused_with_the_known_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidParameter, match=r"ends in \.png, \.svg, \.pdf\.$"):
        plots.save(dpc.region(STEP), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="No such file or directory"):
        plots.save(dpc.region(STEP), tmp_path / "nowhere" / "x.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(InvalidParameter, match="Is a directory"):
        plots.save(dpc.region(STEP), tmp_path / "folder.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.svg"]


def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "x.svg"
    target.write_text("before", encoding="utf-8")

    def broken(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", broken)
    with pytest.raises(InvalidParameter, match="No space left on device"):
        plots.save(dpc.region(STEP), target)
    assert target.read_text(encoding="utf-8") == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["x.svg"]


def test_settings_of_the_caller_stay() -> None:
    before = dict(mpl.rcParams)
    plots.plot(plots.growth(STEP, (1, 2), 0.2))
    assert dict(mpl.rcParams) == before


def test_a_notebook_sees_the_picture() -> None:
    picture: Any = plots.plot(dpc.region(STEP))
    assert picture._repr_png_().startswith(b"\x89PNG")


@pytest.mark.slow
def test_values_need_no_matplotlib_and_pyplot_is_never_touched() -> None:
    code = """
import sys
from dpcompose import plots, BlackBox
found = plots.growth(BlackBox(epsilon=0.1), (1, 2), 1e-6)
assert "matplotlib" not in sys.modules
plots.plot(found)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_without_matplotlib_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.startswith(("matplotlib", "dpcompose.plots."))]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("canvas", "bars", "curves", "squares"):
        monkeypatch.delattr(plots, name, raising=False)
    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'dpcompose\[plot\]'"):
        plots.plot(None)
