"""Sketches that are refused: one sentence, before any charge and before anything is drawn."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import dpcompose as dpc
from dpcompose import release
from release.engines import Book
from release.test_sketches_forms import FORMS, FRAME, GOAL, WEIGHTS, Graph, N, U, Untouched, V, W, in_parts, made


def bad(u: Any, v: Any, w: Any = None) -> list[Any]:
    return [(np.array(u), np.array(v))] if w is None else [(np.array(u), np.array(v), np.array(w))]


NONSENSE = np.array([[0, 2], [1, 0]])
REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (bad([0], [1], [-0.5]), {}, "negative"),
    (bad([0], [1], [math.nan]), {}, "finite"),
    (bad([0], [1], [math.inf]), {}, "finite"),
    (bad([0], [1], [1e13]), {}, "finite"),
    (bad([0], [1], ["1"]), {}, "not numbers"),
    (bad([0], [N]), {}, "out of range"),
    (bad([-1], [0]), {}, "out of range"),
    (bad([0.5], [0.0]), {}, "whole"),
    (bad([math.nan], [0.0]), {}, "whole"),
    (bad([1e300], [0.0]), {}, "out of range"),
    (bad(["a"], ["b"]), {}, "whole"),
    (bad([0, 1], [1]), {}, "length"),
    (bad([[0]], [[1]]), {}, "length"),
    ([(0,)], {}, "two arrays"),
    ([7], {}, "two arrays"),
    (np.zeros((3, 4)), {}, "two arrays"),
    (sp.csr_array(NONSENSE), {"vertices": None}, "symmetric"),
    (sp.csr_array(np.array([[0, -1], [-1, 0]])), {"vertices": None}, "negative"),
    (sp.csr_array(np.array([[0, math.nan], [math.nan, 0]])), {"vertices": None}, "finite"),
    (sp.csr_array(np.ones((2, 3))), {"vertices": None}, "square"),
    (sp.csr_array(WEIGHTS), {"vertices": N + 1}, "as many"),
    (sp.csr_array((1, 1)), {"vertices": None}, "vertices"),
    (Graph([(0, 1, 1)], directed=True), {"vertices": None}, "directed"),
    (Graph([(0, 1, "heavy")]), {}, "not numbers"),
    (Graph([(0, 1, -1)]), {}, "negative"),
    (in_parts, {"vertices": None}, "vertices"),
    (in_parts, {"vertices": 1}, "vertices"),
    (3.5, {}, "no graph"),
    (FRAME, {"columns": ("source", "goal")}, "no column"),
    (FRAME, {"columns": "source"}, "columns"),
    (FRAME, {"columns": ("source",)}, "columns"),
    (FRAME.assign(source="x"), {}, "number"),
    (FRAME.assign(weight=[None, *W[1:]]), {}, "missing|finite"),
    ("nowhere.parquet", {}, "no such file"),
    (FORMS["symmetric"](), {"epsilon": -1}, "epsilon"),
    (FORMS["symmetric"](), {"width": N}, "below the number of vertices"),
    (FORMS["symmetric"](), {"into": "rows.txt"}, "into"),
    (FORMS["symmetric"](), {"into": "nowhere/rows.npy"}, "into"),
]


@pytest.mark.parametrize("graph, options, said", REFUSED)
def test_bad_graphs_are_refused_before_charge_and_noise(graph: Any, options: dict[str, Any], said: str) -> None:
    book = Book()
    with pytest.raises((release.InvalidData, dpc.InvalidParameter), match=said) as refusal:
        release.cut_sketch(graph, **{"vertices": N, **GOAL, **options}, budget=book, source=Untouched())
    assert not book.charges
    assert str(refusal.value).count("\n") == 0


def test_missing_values_of_a_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "edges.parquet"
    pd.DataFrame({"source": [0, None], "target": [1, 2], "weight": [1.0, 2.0]}).to_parquet(path)
    with pytest.raises(release.InvalidData, match="missing"):
        release.cut_sketch(path, vertices=5, **GOAL, source=Untouched())


def test_the_charge_comes_once_and_before_the_noise() -> None:
    book = Book()
    sketch = made(budget=book)
    assert [charge.mechanism for charge in book.charges] == [sketch.price.mechanism]
    small = release.Allowance(epsilon=0.5)
    with pytest.raises(release.OverBudget):
        made(budget=small, source=Untouched())


def test_a_late_mistake_in_an_iterator_leaves_nothing_behind(tmp_path: Path) -> None:
    def failing() -> Iterator[Any]:
        yield U, V, W
        yield U, V, -W

    path = tmp_path / "rows.npy"
    with pytest.raises(release.InvalidData, match="negative"):
        release.cut_sketch(failing(), vertices=N, **GOAL, into=path)
    assert not path.exists()


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_bar_is_shown_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = io.StringIO()
    monkeypatch.setattr(sys, "stderr", quiet)
    made()
    assert not quiet.getvalue()
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    made()
    assert "edges" in shown.getvalue()
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert np.array_equal(made().rows, made().rows)
