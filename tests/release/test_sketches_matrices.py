"""Covariance sketches: every way in, what is drawn, how good the answers are, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import dpcompose as dpc
from dpcompose import release
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from dpcompose.release.sketches import CovarianceSketch
from dpcompose.release.sketches.matrices import matrix_of
from release.engines import Book
from release.test_sketches_forms import GOAL, Untouched

ROWS = np.round(np.random.default_rng(1).normal(size=(300, 4)) * [1, 2, 3, 0.5], 3)
NAMES = ["a", "b", "c", "d"]
FRAME = pd.DataFrame(ROWS, columns=NAMES)
DIRECTION = np.array([1.0, -0.5, 0.25, 2.0])


def in_parts() -> Iterator[Any]:
    """The same rows in uneven pieces."""
    for start in range(0, 300, 47):
        yield ROWS[start : start + 47]


FORMS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "array": (lambda: ROWS, {}),
    "sparse": (lambda: sp.coo_array(ROWS), {}),
    "iterator": (in_parts, {"features": 4}),
    "function": (lambda: in_parts, {"features": 4}),
    "pieces": (lambda: [ROWS[:100], ROWS[100:].tolist()], {"features": 4}),
    "pandas": (lambda: FRAME, {"columns": NAMES}),
    "polars": (lambda: pl.from_pandas(FRAME), {"columns": NAMES}),
}


def made(matrix: Any = ROWS, **options: Any) -> CovarianceSketch:
    return release.covariance_sketch(matrix, **{**GOAL, "source": RepeatableBytesForTests(1), **options})


def collected(matrix: Any, **options: Any) -> np.ndarray[Any, Any]:
    given = {"features": None, "columns": None, "table": None, **options}
    return np.concatenate(list(matrix_of(matrix, **given).read()))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_matrix_has_the_same_rows(form: str) -> None:
    make, options = FORMS[form]
    assert np.array_equal(collected(make(), **options), ROWS)


def test_a_file_has_the_same_rows(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "rows.parquet")
    found = collected(tmp_path / "rows.parquet", columns=NAMES)
    assert np.array_equal(found[np.lexsort(found.T)], ROWS[np.lexsort(ROWS.T)])


@pytest.mark.slow
@pytest.mark.parametrize("form", ["array", "sparse", "function"])
def test_the_rows_have_the_covariance_of_the_matrix_and_the_noise(form: str) -> None:
    make, options = FORMS[form]
    sketch = made(make(), **options, eta=0.02)
    w, r = sketch.price.width, sketch.price.rows
    truth = ROWS.T @ ROWS + w**2 * np.eye(4)
    found = sketch.rows @ sketch.rows.T / r
    spread = np.sqrt((truth**2 + np.outer(np.diag(truth), np.diag(truth))) / r)
    assert r > 9000
    assert np.abs((found - truth) / spread).max() < 4.5


def test_long_rows_are_shortened_where_rows_come_and_go() -> None:
    sketch = made(adjacency=dpc.ADD_REMOVE, change=0.5, eta=0.02)
    norms = np.linalg.norm(ROWS, axis=1, keepdims=True)
    short = ROWS * np.minimum(1, 0.5 / norms)
    w, r = sketch.price.width, sketch.price.rows
    truth = short.T @ short + w**2 * np.eye(4)
    found = sketch.rows @ sketch.rows.T / r
    spread = np.sqrt((truth**2 + np.outer(np.diag(truth), np.diag(truth))) / r)
    assert np.abs((found - truth) / spread).max() < 4.5
    assert np.abs((ROWS.T @ ROWS + w**2 * np.eye(4) - truth) / spread).max() > 10  # so that long rows would be seen


@pytest.mark.slow
@pytest.mark.parametrize("adjacency", [dpc.REPLACE_ONE, dpc.ADD_REMOVE])
def test_answers_are_as_good_as_promised(adjacency: dpc.Adjacency) -> None:
    # 150 sketches, each asked once: at ν = 0.05 about 7 answers may miss, and 18 would come once in ten thousand runs.
    scale = 0.05 if adjacency is dpc.ADD_REMOVE else 100.0  # rows of norm at most 1 there, and any here
    matrix = ROWS * scale
    truth, missed, close = float((matrix @ DIRECTION) @ (matrix @ DIRECTION)), 0, 0
    for seed in range(150):
        sketch = made(matrix, adjacency=adjacency, source=RepeatableBytesForTests(1000 + seed))
        found = sketch.quadratic(DIRECTION)
        missed += not found.lower <= truth <= found.upper
        close += abs(found.value - truth) <= found.eta * truth + found.tau
        assert found.failure == Fraction("0.05")
    assert 1 <= missed <= 18
    assert close >= 132


def test_the_matrix_says_what_the_directions_say() -> None:
    sketch = made()
    assert DIRECTION @ sketch.covariance() @ DIRECTION == pytest.approx(sketch.quadratic(DIRECTION).value, rel=1e-9)
    assert sketch.quadratic(3 * DIRECTION).value == pytest.approx(9 * sketch.quadratic(DIRECTION).value, rel=1e-9)
    assert sketch.quadratic(np.zeros(4)).upper == 0
    length = float(np.linalg.norm(DIRECTION))
    assert sketch.quadratic(DIRECTION).tau == pytest.approx(sketch.price.tau(length), rel=1e-4)


@pytest.mark.parametrize("direction", [[1, 2], [[1, 2, 3, 4]], [1, 2, 3, math.nan], [1, 2, 3, 1e200], list("abcd")])
def test_a_direction_that_is_none_is_refused(direction: Any) -> None:
    with pytest.raises(dpc.InvalidParameter, match="direction"):
        made().quadratic(direction)


def test_a_matrix_without_rows_is_a_matrix() -> None:
    assert made(np.zeros((0, 4))).quadratic(DIRECTION).lower == 0
    assert made([], features=4).features == 4


@pytest.mark.parametrize(
    "matrix, options, said",
    [
        (np.array([["a", "b"]]), {}, "not numbers"),
        (np.zeros(4), {}, "rows and columns"),
        (np.zeros((3, 0)), {}, "features"),
        (ROWS, {"features": 3}, "as many columns"),
        ([ROWS, ROWS[:, :2]], {"features": 4}, "4 columns"),
        ([ROWS[0]], {"features": 4}, "4 columns"),
        (in_parts, {}, "features"),
        (7, {}, "no matrix"),
        (FRAME, {}, "columns"),
        (FRAME, {"columns": "a"}, "columns"),
        (FRAME, {"columns": ["a", "z"]}, "no column"),
        (FRAME.assign(a="x"), {"columns": ["a"]}, "number"),
        (pl.from_pandas(FRAME).with_columns(a=None), {"columns": ["a"]}, "number|missing"),
        (ROWS, {"adjacency": "replace"}, "adjacency"),
        (ROWS, {"delta": 0}, "delta"),
        (ROWS, {"grid": 3}, "grid"),
        (ROWS, {"into": "rows.txt"}, "into"),
    ],
)
def test_bad_matrices_are_refused_before_charge_and_noise(matrix: Any, options: dict[str, Any], said: str) -> None:
    book = Book()
    with pytest.raises((release.InvalidData, dpc.InvalidParameter), match=said) as refusal:
        made(matrix, **options, budget=book, source=Untouched())
    assert not book.charges
    assert str(refusal.value).count("\n") == 0


@pytest.mark.parametrize(
    "given, read",
    [
        ([[1.0, math.nan]], [[1.0, 0.0]]),
        ([[1.0, -math.inf]], [[1.0, -1e12]]),
        ([[1.0, 1e13]], [[1.0, 1e12]]),
        ([[None, "a"]], [[0.0, 0.0]]),
    ],
)
def test_no_entry_is_refused(given: Any, read: Any) -> None:
    for matrix in (given, np.array(given)) if given[0][0] else (given,):
        (found,) = matrix_of([matrix], 2, None, None).read()
        assert found.tolist() == read
    book = Book()
    made([given], features=2, budget=book)
    assert len(book.charges) == 1


def test_a_sketch_is_charged_once_kept_and_shown(tmp_path: Path) -> None:
    book = Book()
    sketch = made(budget=book, into=tmp_path / "rows.npy")
    (charge,) = book.charges
    assert charge.mechanism == dpc.BlackBox(epsilon=1, delta=1e-6, adjacency=dpc.REPLACE_ONE)
    assert charge.unit == "(every row)"
    assert np.array_equal(np.load(tmp_path / "rows.npy"), made().rows)
    assert np.array_equal(np.rint(sketch.rows / sketch.step) * sketch.step, sketch.rows)
    assert "not proved" in str(sketch)
