"""Sketches that are refused: one sentence, before any charge and before anything is drawn."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.sketches.graphs import edges_of
from dpcompose.release.sketches.matrices import matrix_of
from release.engines import Book
from release.test_sketches_forms import FORMS, FRAME, GOAL, WEIGHTS, Graph, N, U, Untouched, V, W, in_parts, made


def bad(u: Any, v: Any, w: Any = None) -> list[Any]:
    return [(np.array(u), np.array(v))] if w is None else [(np.array(u), np.array(v), np.array(w))]


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (bad([0], [1], ["1"]), {}, "not numbers"),
    (bad(["a"], ["b"]), {}, "not numbers"),
    (bad([0, 1], [1]), {}, "length"),
    (bad([[0]], [[1]]), {}, "length"),
    ([(0,)], {}, "two arrays"),
    ([7], {}, "two arrays"),
    (np.zeros((3, 4)), {}, "two arrays"),
    (sp.csr_array(np.ones((2, 3))), {"vertices": None}, "square"),
    (sp.csr_array(WEIGHTS), {"vertices": N + 1}, "as many"),
    (sp.csr_array((1, 1)), {"vertices": None}, "vertices"),
    (Graph([(0, 1, 1)], directed=True), {"vertices": None}, "directed"),
    (in_parts, {"vertices": None}, "vertices"),
    (in_parts, {"vertices": 1}, "vertices"),
    (3.5, {}, "no graph"),
    (FRAME, {"columns": ("source", "goal")}, "no column"),
    (FRAME, {"columns": "source"}, "columns"),
    (FRAME, {"columns": ("source",)}, "columns"),
    (FRAME.assign(source="x"), {}, "number"),
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


def read(graph: Any, vertices: int | None = N) -> list[tuple[int, int, float]]:
    chunks = list(edges_of(graph, vertices, ("source", "target", "weight"), None).read())
    return sorted((int(a), int(b), float(c)) for u, v, w in chunks for a, b, c in zip(u, v, w, strict=True))


NO_EDGE: list[tuple[Any, Any, Any]] = [
    (0, 1, -0.5),
    (0, 1, math.nan),
    (0, 1, None),
    (0, 1, "heavy"),
    (0, 1, Decimal("sNaN")),
    (0, 1, 0),
    (0, N, 1),
    (-1, 0, 1),
    (0.5, 0, 1),
    (None, 0, 1),
    ("v", 0, 1),
    (0, 1e300, 1),
    (0, 10**400, 1),
    (math.inf, 0, 1),
]


@pytest.mark.parametrize("odd", NO_EDGE, ids=str)
def test_what_is_no_edge_counts_for_nothing_and_is_refused_nowhere(odd: tuple[Any, Any, Any]) -> None:
    """One row decides nothing but its own share: not whether an answer comes, nor what is made of other rows."""
    rows = [(2, 3, 1.5), odd, (3, 4, 2.0)]
    u, v, w = ([row[i] for row in rows] for i in range(3))
    assert read([(u, v, w)]) == [(2, 3, 1.5), (3, 4, 2.0)]
    book = Book()
    release.cut_sketch([(u, v, w)], vertices=N, **GOAL, budget=book)
    assert len(book.charges) == 1
    if all(isinstance(end, int) and 0 <= end < N for end in odd[:2]):
        assert read(Graph(rows)) == [(2, 3, 1.5), (3, 4, 2.0)] if odd[2] is not None else True
    if all(isinstance(x, int | float) and abs(x) < 2**63 for x in odd):
        assert read([tuple(np.array(x, float) for x in (u, v, w))]) == [(2, 3, 1.5), (3, 4, 2.0)]
        assert read(pd.DataFrame({"source": u, "target": v, "weight": w})) == [(2, 3, 1.5), (3, 4, 2.0)]


@pytest.mark.parametrize("odd", [[5], [5, 6, 7], "5", (1,), None], ids=str)
def test_a_list_in_a_list_is_one_thing_that_counts_for_nothing(odd: Any) -> None:
    """Also where it is the only one: the shape of what is given does not depend on what one row holds."""
    for rows in ([(2, 3, odd)], [(2, 3, odd), (3, 4, odd)]):
        u, v, w = ([row[i] for row in rows] for i in range(3))
        assert read([(u, v, w)]) == []
        assert read([(w, v, u)]) == []
    for piece, found in (([odd], [[0, 0]]), ([[1, 2], odd], [[1, 2], [0, 0]]), ([[1, odd]], [[1, 0]])):
        matrix = matrix_of([piece], 2, None, None)
        matrix.look()
        assert np.vstack(list(matrix.read())).tolist() == found


@pytest.mark.parametrize("huge", [math.inf, 1e13, 10**400])
def test_a_weight_that_is_too_large_is_cut(huge: Any) -> None:
    assert read([([0], [1], [huge])]) == [(0, 1, 1e12)]


def test_each_entry_of_a_matrix_decides_its_own_edge_only() -> None:
    """The greater of both entries: so no entry decides which half of the matrix is read."""
    odd = np.array([[0, 2, math.nan], [1, 0, -1], [3, 0, 7]])
    assert read(sp.csr_array(odd), None) == [(0, 1, 2.0), (0, 2, 3.0)]
    lower = np.tril(np.arange(9.0).reshape(3, 3), -1)
    assert read(sp.csr_array(lower), None) == read(sp.csr_array(lower.T), None)
    more = lower.copy()
    more[0, 1] = 10.0
    assert set(read(sp.csr_array(more), None)) - set(read(sp.csr_array(lower), None)) == {(0, 1, 10.0)}


def test_missing_values_of_a_file_count_for_nothing(tmp_path: Path) -> None:
    path = tmp_path / "edges.parquet"
    pd.DataFrame({"source": [0, None], "target": [1, 2], "weight": [1.0, 2.0]}).to_parquet(path)
    assert read(path, 5) == [(0, 1, 1.0)]
    book = Book()
    release.cut_sketch(path, vertices=5, **GOAL, budget=book)
    assert len(book.charges) == 1


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
        yield U, V, W[1:]

    path = tmp_path / "rows.npy"
    with pytest.raises(release.InvalidData, match="length"):
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
    assert str(len(U)) not in shown.getvalue()  # how many there are is the data's
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert np.array_equal(made().rows, made().rows)
