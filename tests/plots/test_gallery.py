"""The gallery: the lines of every picture against values of fifty digits."""

from __future__ import annotations

import importlib.util
import math
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

import dpcompose as dpc
from golden.reading import VECTORS

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
CLOSE = 1e-9
"""Lines are drawn through upper ends that are certified to far more than what a picture shows."""


def load_gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery_page", DOCS / "gallery.py")
    assert spec
    assert spec.loader
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page() -> ModuleType:
    module = load_gallery()
    module.__dict__["painted_here"] = {
        each.name: each for each in module.painted(module.PAGE.read_text(encoding="utf-8"))
    }
    return module


def axes_of(page: ModuleType, name: str) -> Axes:
    return page.painted_here[name].picture.axes[0]


def line(axes: Axes, gid: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The points of the one line of that name."""
    (found,) = [artist for artist in axes.get_lines() if artist.get_gid() == gid]
    return np.asarray(found.get_xdata(), float), np.asarray(found.get_ydata(), float)


def height(axes: Axes, gid: str, at: float) -> float:
    x, y = line(axes, gid)
    return float(y[list(x).index(at)])


def vectors(card: str) -> list[dict[str, Any]]:
    found = [vector for vector in VECTORS if vector["card"] == card]
    assert found
    return found


def number(text: str) -> float:
    return float(Fraction(text))


def touching(axes: Axes, gid: str, epsilon: float) -> float:
    """Where the line of slope −e^ε that touches a boundary from below meets the vertical axis: 1 − δ."""
    x, y = line(axes, gid)
    return float(np.min(y + math.exp(epsilon) * x))


@pytest.mark.parametrize("vector", vectors("SMITH-FIG1"), ids=lambda v: v["id"])
@pytest.mark.parametrize("gid, output", [("KOV-3.1", "basic"), ("SM-1.1", "strong"), ("KOV-3.3", "exact")])
def test_lecture_figure_1(page: ModuleType, vector: dict[str, Any], gid: str, output: str) -> None:
    k = vector["inputs"]["k"]
    assert vector["inputs"]["eps"] == "0.01"
    assert vector["inputs"]["delta_prime"] == "1e-6"
    name = "lecture-1" if k <= 200 else "lecture-1-every-theorem"
    assert height(axes_of(page, name), gid, k) == pytest.approx(number(vector["outputs"][output]), rel=CLOSE)


def test_lecture_figure_1_crosses_where_it_should(page: ModuleType) -> None:
    axes = axes_of(page, "lecture-1")
    crossing = number(vectors("SMITH-FIG1")[0]["outputs"]["crossover_k_real"])
    for k, basic, strong in zip(
        line(axes, "KOV-3.1")[0], line(axes, "KOV-3.1")[1], line(axes, "SM-1.1")[1], strict=True
    ):
        assert (basic < strong) == (k < crossing)


def test_lecture_figure_2_shades_delta(page: ModuleType) -> None:
    names = page.painted_here["lecture-2"].names
    exact = dpc.delta(dpc.Gaussian(noise_std=1 / names["shift"]), epsilon=names["level"])
    assert names["areas"]["A"] == pytest.approx(float(exact), rel=1e-4)  # the sum over a grid of 801 points
    assert names["areas"]["B"] == pytest.approx(float(exact), rel=1e-4)


@pytest.mark.parametrize("vector", vectors("KOV-FIG1"), ids=lambda v: v["id"])
def test_optimal_composition_figure_1(page: ModuleType, vector: dict[str, Any]) -> None:
    given, expected = vector["inputs"], {key: number(text) for key, text in vector["outputs"].items()}
    paint = page.painted_here["kov-1"].names["single_region"]
    axes = paint(Fraction(given["eps"]), Fraction(given["delta"])).axes[0]
    x, y = line(axes, "region")
    assert y[0] == pytest.approx(expected["axis_intercept"], rel=CLOSE)
    assert x[-1] == pytest.approx(expected["axis_intercept"], rel=CLOSE)
    assert np.interp(expected["corner"], x, y) == pytest.approx(expected["corner"], rel=CLOSE)
    assert np.min(x + y) == pytest.approx(1 - expected["total_variation"], rel=CLOSE)
    assert line(axes, "touching")[1][0] == pytest.approx(expected["slope_minus1_intercept"], rel=CLOSE)


FIGURE_2 = [v for v in vectors("KOV-FIG2") if v["inputs"]["eps"] == "0.5"]


@pytest.mark.parametrize("vector", FIGURE_2, ids=lambda v: v["id"])
def test_optimal_composition_figure_2(page: ModuleType, vector: dict[str, Any]) -> None:
    given = vector["inputs"]
    name = {"0": "kov-2-top", "0.05": "kov-2-bottom"}[given["delta"]]
    x, y = line(axes_of(page, name), f"k = {given['k']}")
    corners = [(number(a), number(b)) for a, b in vector["outputs"]["vertices_PMD_PFA"]]
    assert len(x) == len(corners)
    assert np.allclose(np.column_stack([x, y]), corners, rtol=CLOSE, atol=1e-15)


def test_figure_2_is_checked_with_and_without_delta() -> None:
    assert {v["inputs"]["delta"] for v in FIGURE_2} == {"0", "0.05"}


@pytest.mark.parametrize("vector", vectors("KOV-FIG3"), ids=lambda v: v["id"])
def test_optimal_composition_figure_3_top(page: ModuleType, vector: dict[str, Any]) -> None:
    axes, epsilon = axes_of(page, "kov-3-top"), number(vector["inputs"]["target_eps"])
    optimal, advanced = (number(vector["outputs"][f"thm3_{i}_delta_at_target"]) for i in (3, 2))
    assert touching(axes, "KOV-3.3", epsilon) == pytest.approx(1 - optimal, rel=CLOSE)
    if epsilon > 1:  # where that theorem's δ bends upwards, as a function of e^ε; elsewhere other levels say more
        assert touching(axes, "KOV-3.2", epsilon) == pytest.approx(1 - advanced, rel=CLOSE)
    assert touching(axes, "KOV-3.2", epsilon) >= (1 - advanced) * (1 - CLOSE)


def test_optimal_composition_figure_3_top_adds_up(page: ModuleType) -> None:
    found = vectors("KOV-FIG3")[0]["outputs"]
    epsilon, delta = number(found["thm3_1_eps"]), number(found["thm3_1_delta"])
    x, y = line(axes_of(page, "kov-3-top"), "KOV-3.1")
    corner = (1 - delta) / (1 + math.exp(epsilon))
    drawn = np.unique(np.round(np.column_stack([x, y]), 12), axis=0)  # levels beyond kε add corners on top of corners
    assert np.allclose(drawn, [(0, 1 - delta), (corner, corner), (1 - delta, 0)], rtol=CLOSE)


def test_optimal_composition_figure_3_bottom(page: ModuleType) -> None:
    axes = axes_of(page, "kov-3-bottom")
    at = {number(v["inputs"]["target_eps"]): v for v in vectors("KOV-FIG3")}
    for epsilon in (0.0, 0.5):
        x, y = line(axes, f"ε = {epsilon:g}")
        delta = number(at[epsilon]["outputs"]["thm3_3_delta_at_target"])
        assert y[0] == pytest.approx(1 - delta, rel=CLOSE)
        assert (y[1] - y[0]) / (x[1] - x[0]) == pytest.approx(-math.exp(epsilon), rel=CLOSE)
        assert touching(axes, "region", epsilon) == pytest.approx(y[0], rel=CLOSE)
    steep, flat = line(axes, "ε = 1"), line(axes, "ε = -1")  # the mirror image touches as well
    assert flat[1][0] == pytest.approx(math.exp(-1) * steep[1][0], rel=CLOSE)


GAUSSIAN = next(v for v in vectors("RDP-OPT-GAUSS") if v["inputs"]["n"] == 100)


@pytest.mark.parametrize("gid, output", [("RDP-CONV", "eps_mironov"), ("RDP-CKS", "eps_cks"), ("X-GAUSS", "eps_exact")])
def test_gaussian_growth(page: ModuleType, gid: str, output: str) -> None:
    assert GAUSSIAN["inputs"] == {"n": 100, "sigma": "20", "Delta": "1", "delta": "1e-6"}
    expected = number(GAUSSIAN["outputs"][output])
    assert height(axes_of(page, "mironov-growth"), gid, 100) == pytest.approx(expected, rel=1e-8)


def test_gaussian_growth_against_pairs(page: ModuleType) -> None:
    axes = axes_of(page, "mironov-growth")
    pairs, renyi = line(axes, "pairs")[1], line(axes, "RDP-CKS")[1]
    assert pairs[0] < renyi[0]
    assert all(pairs[2:] > renyi[2:])
    assert pairs[-1] > 10 * renyi[-1]


@pytest.mark.parametrize("rule, name", [("RDP-CONV", "mironov"), ("RDP-CKS", "cks")])
def test_gaussian_orders(page: ModuleType, rule: str, name: str) -> None:
    (order,), (epsilon,) = line(axes_of(page, "mironov-orders"), f"best ε by order α, {rule}")
    assert order == pytest.approx(number(GAUSSIAN["outputs"][f"alpha_{name}"]), rel=CLOSE)
    assert epsilon == pytest.approx(number(GAUSSIAN["outputs"][f"eps_{name}"]), rel=CLOSE)
    assert epsilon <= min(line(axes_of(page, "mironov-orders"), f"ε by order α, {rule}")[1]) * (1 + CLOSE)


def test_the_audit_in_the_gallery_finds_what_it_says(page: ModuleType) -> None:
    outside = line(axes_of(page, "audit"), "reached outside: refutes the promise")
    assert len(outside[0]) >= 5


def test_the_page_shows_every_picture_it_paints(page: ModuleType) -> None:
    source = [page.PAGE.read_text(encoding="utf-8")]
    page.shown(None, "gallery", source)
    assert "% picture" not in source[0]
    for name in page.painted_here:
        assert f"](gallery/{name}.svg)" in source[0]
    other = ["% picture a: b"]
    page.shown(None, "guide", other)
    assert other == ["% picture a: b"]


def test_pictures_are_painted_where_the_page_looks_for_them(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small.md"
    small.write_text(
        "```python\nfrom dpcompose import plots\npicture = plots.figure()\n```\n\n% picture empty: nothing\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(page, "PAGE", small)
    monkeypatch.setattr(page, "FOLDER", tmp_path / "gallery")
    page.paint_all()
    assert [path.name for path in (tmp_path / "gallery").iterdir()] == ["empty.svg"]
