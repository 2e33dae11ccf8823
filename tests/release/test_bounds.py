"""One unit more or less moves what is released no further than its noise was made for, on any table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcompose as dpc
from cases import cases
from dpcompose import release
from dpcompose.release.ask.quantiles import gaps
from dpcompose.release.sampling.testing import RepeatableBytesForTests
from release import engines, law

KEYS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module", autouse=True)
def one_engine() -> Iterator[None]:
    with law.shared_engine():
        yield


SCHEMA = {"unit": pl.Int64, "key": pl.String, "value": pl.Float64}
ROW = st.tuples(
    st.integers(-3, 3),
    st.sampled_from(KEYS),
    st.one_of(st.floats(-50, 50), st.sampled_from([float("inf"), -float("inf"), 1e300, 5e-324])),
)
ROWS = st.lists(ROW, max_size=40)
RANGE: dict[str, Any] = {"value": "value", "lower": -3, "upper": 10, "grid": 0.5}


def frame(rows: list[tuple[int, str, float]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def exact(question: Any, rows: list[tuple[int, str, float]]) -> dict[Any, tuple[int, ...]]:
    return engines.exact(question, frame(rows), RepeatableBytesForTests(5))


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["count", "sum", "mean", "variance"])
@pytest.mark.parametrize("adjacency", [dpc.ADD_REMOVE, dpc.REPLACE_ONE])
@cases(25)
@given(rows=ROWS, who=st.integers(-3, 3), other=ROWS, max_rows=st.integers(1, 3), groups=st.integers(1, 4))
def test_a_unit_moves_few_cells_and_none_too_far(  # noqa: PLR0917 - drawn
    statistic: str, adjacency: dpc.Adjacency, rows: Any, who: int, other: Any, max_rows: int, groups: int
) -> None:
    valued = {} if statistic == "count" else RANGE
    question: Any = release.query(
        statistic,
        unit="unit",
        by="key",
        keys=KEYS,
        max_rows=max_rows,
        max_groups=groups,
        epsilon=1,
        adjacency=adjacency,
        **valued,
    )
    rest = [row for row in rows if row[0] != who]
    came = [(who, *row[1:]) for row in other] if adjacency is dpc.REPLACE_ONE else []
    here, there = exact(question, rows), exact(question, rest + came)
    none = (0,) * len(question.tallies)
    moved = {
        key: [abs(a - b) for a, b in zip(here.get(key, none), there.get(key, none), strict=True)]
        for key in here.keys() | there.keys()
    }
    assert sum(any(distances) for distances in moved.values()) <= question.cells
    allowed = [noise.mechanism.sensitivity for noise in question.drawn.values()]
    assert all(a <= b for distances in moved.values() for a, b in zip(distances, allowed, strict=True))


@pytest.mark.parametrize("statistic", ["count", "sum", "mean", "variance"])
@cases(25)
@given(rows=ROWS, who=st.integers(-3, 3), max_rows=st.integers(1, 3))
def test_a_unit_moves_a_single_number_no_further_than_stated(
    statistic: str, rows: Any, who: int, max_rows: int
) -> None:
    valued = {} if statistic == "count" else RANGE
    question: Any = release.query(statistic, unit="unit", max_rows=max_rows, epsilon=1, **valued)
    here, there = exact(question, rows), exact(question, [row for row in rows if row[0] != who])
    allowed = [noise.mechanism.sensitivity for noise in question.drawn.values()]
    assert all(abs(a - b) <= c for a, b, c in zip(here[None], there[None], allowed, strict=True))


@cases(40)
@given(rows=ROWS, who=st.integers(-3, 3), max_rows=st.integers(1, 3), q=st.sampled_from([0, 0.1, 0.5, 0.75, 1]))
def test_a_unit_moves_every_gap_of_a_quantile_no_further_than_stated(
    rows: Any, who: int, max_rows: int, q: float
) -> None:
    question: Any = release.query("quantile", unit="unit", max_rows=max_rows, q=q, epsilon=1, **RANGE)

    def distances(held: Any) -> list[int]:
        counts = engines.points(question, frame(held), RepeatableBytesForTests(5))
        return list(gaps(counts, question.level).tolist())

    here, there = distances(rows), distances([row for row in rows if row[0] != who])
    assert max(abs(a - b) for a, b in zip(here, there, strict=True)) <= question.scale * Fraction(1, 2)


@given(rows=ROWS, groups=st.integers(1, 4), seed=st.integers(0, 20))
def test_a_unit_keeps_as_many_groups_as_it_may(rows: Any, groups: int, seed: int) -> None:
    question: Any = release.query("count", unit="unit", by="key", keys=KEYS, max_groups=groups, epsilon=1)
    mine = [(1, *row[1:]) for row in rows]
    held = engines.exact(question, frame(mine), RepeatableBytesForTests(seed))
    assert sum(count for (count,) in held.values()) == min(groups, len({row[1] for row in mine}))


def test_every_group_of_a_unit_is_kept_equally_often() -> None:
    question: Any = release.query("count", unit="unit", by="key", keys=KEYS, max_groups=1, epsilon=1)
    rows = [(unit, key, 0.0) for unit in range(4000) for key in KEYS]
    held = engines.exact(question, frame(rows), RepeatableBytesForTests(3))
    assert sum(count for (count,) in held.values()) == 4000
    assert all(900 <= count <= 1100 for (count,) in held.values())  # 1000 ± 3.6 deviations
