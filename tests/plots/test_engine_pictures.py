"""The pictures of the engine: what is drawn is what the engine says, and an integral of thirty digits agrees."""

from __future__ import annotations

import importlib.util
import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pictures() -> ModuleType:
    """The script, which is no package."""
    spec = importlib.util.spec_from_file_location("engine_pictures", DOCS / "engine_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def drawn(axes: Any) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The lines that have a name."""
    return {line.get_label(): line.get_data() for line in axes.get_lines() if not line.get_label().startswith("_")}


def test_the_page_shows_every_picture_and_no_other(pictures: ModuleType) -> None:
    shown = [found["name"] for found in pictures.MARK.finditer(pictures.PAGE.read_text(encoding="utf-8"))]
    assert sorted(shown) == sorted(pictures.PICTURES)


def test_the_moment_on_the_map_is_the_moment(pictures: ModuleType) -> None:
    q, z = mpmath.mpf(0.01), mpmath.mpc(3.5, 2.0)

    def integrand(x: Any) -> Any:
        return mpmath.npdf(x) * (1 - q + q * mpmath.exp(x - 0.5)) ** (1 + z)

    with mpmath.workdps(30):
        moment = mpmath.quad(integrand, [-12, -4, 0, 4, 8, 14, 22])
        wanted = 1000 * float(mpmath.log(abs(moment)))
    assert pictures._log_moment(np.array([complex(z)]))[0] == pytest.approx(wanted, rel=1e-9)


def test_the_certified_bound_lies_above_the_modulus(pictures: ModuleType) -> None:
    lines = drawn(pictures.decay().axes[0])
    modulus, bound = lines["|φ(u)|"][1], lines["certified: no larger beyond u"][1]
    assert (bound >= modulus).all()
    assert (np.diff(bound) <= 0.0).all()
    assert bound[-1] < -10.0


def test_the_budget_stays_within_what_was_asked_for(pictures: ModuleType) -> None:
    bars = [bar.get_height() for bar in pictures.budget().axes[0].patches]
    assert len(bars) == 4 * len(pictures.DELTAS)
    assert sum(bars) / len(pictures.DELTAS) < 1e-9


def test_what_the_copies_add_is_what_the_sum_has_too_much(pictures: ModuleType) -> None:
    at = pictures.Inverted(1e-5, 1e-10)
    here, t = at.saddle.epsilon, at.saddle.tilt
    period = 0.4 * at.spectrum.period.length
    added = sum(math.exp(t * n * period) * at.profile.delta(here + n * period).upper for n in (-2, -1, 1, 2))
    dots = [
        float(line.get_ydata()[0])
        for line in pictures.aliasing().axes[1].get_lines()
        if line.get_xdata().size == 1 and float(line.get_ydata()[0]) < 0.0
    ]
    assert dots == pytest.approx([math.log10(added / at.profile.delta(here).upper)], abs=0.01)
