"""One code path, many engines: with silent noise all of them give the numbers of a plain loop over the rows."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from datetime import date
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest

from dpcompose import release
from dpcompose.release.engine.rows import PRIME
from dpcompose.release.sampling.testing import SilentBytesForTests
from release.engines import ENGINES, REGIONS, frames, points, visits

# Spark tells of its own future; Arrow's and DuckDB's bindings of their own past.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
LEAST, MOST, STEP = 0, 20, Fraction(1, 4)
WORD = 2**64 - 1  # what a silent source says


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("visits")


def hashed(unit: object) -> int:
    number = unit if isinstance(unit, int) else int(hashlib.md5(str(unit).encode()).hexdigest()[:15], 16)  # noqa: S324
    return ((1 + WORD % (PRIME - 1)) * (number % PRIME) + WORD % PRIME) % PRIME


def grid(value: float) -> int:
    """Steps of the nearest grid point, halves up."""
    return floor(min(max(Fraction(value), LEAST), MOST) / STEP + Fraction(1, 2))


def by_unit(unit: str, key: str | None) -> dict[Any, dict[Any, list[int]]]:
    """The grid values of each unit in each group."""
    found: dict[Any, dict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in visits():
        found[row[unit]][row[key] if key else None].append(grid(row["hours"]))
    return found


def kept(unit: object, groups: dict[Any, list[int]], most: int) -> list[Any]:
    """The groups where (r·g + s)/n passes a whole number."""
    n, s = len(groups), hashed(unit)
    if n <= most:
        return list(groups)
    return [k for r, k in enumerate(sorted(groups)) if ((r + 1) * most + s) // n > (r * most + s) // n]


def expected(statistic: str, unit: str, rows: int, key: str | None = None, most: int = 1) -> dict[Any, Fraction]:
    """The statistic of bounded data, from its definition."""
    parts: dict[Any, list[tuple[int, int, int]]] = defaultdict(list)
    middle = int((MOST - LEAST) / STEP) // 2
    for who, groups in by_unit(unit, key).items():
        for name in kept(who, groups, most):
            values, n = groups[name], len(groups[name])
            sums = [sum(values), sum((v - middle) ** 2 for v in values)]
            scaled = sums if n <= rows else [t * rows // n for t in sums]
            parts[name].append((min(n, rows), *scaled))
    return {
        name: said(statistic, [sum(column) for column in zip(*rows_, strict=True)], middle)
        for name, rows_ in parts.items()
    }


def said(statistic: str, sums: list[int], middle: int) -> Fraction:
    n, total, squares = sums
    around = total - middle * n
    variance = Fraction(squares, n) - Fraction(around, n) ** 2
    return {
        "count": Fraction(n),
        "sum": total * STEP,
        "mean": Fraction(total, n) * STEP,
        "variance": variance * STEP**2,
    }[statistic]


CASES = [
    ("user", 1, None, None),
    ("user", 3, None, None),
    ("user", 2, "region", 2),
    ("name", 2, "region", 2),
    ("user", 2, "code", 1),
    ("name", 1, "open", 1),
    ("user", 1, "region", 2),
    ("name", 1, "region", 3),
    ("user", 1, "code", 1),
    ("user", 4, "region", 5),
]


def asked(case: tuple[str, int, str | None, int | None], statistic: str) -> dict[str, Any]:
    unit, rows, by, most = case
    keys = {"region": REGIONS, "code": [-1, 0, 1, 2], "open": [True, False]}
    grouped = {} if by is None else {"by": by, "keys": keys[by], "max_groups": most}
    valued = {} if statistic == "count" else {"value": "hours", "lower": LEAST, "upper": MOST, "grid": STEP}
    return {"unit": unit, "max_rows": rows, "epsilon": 1, **grouped, **valued}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("statistic", ["count", "sum", "mean", "variance"])
def test_every_engine_counts_what_a_loop_counts(engine: str, statistic: str, folder: Path) -> None:
    data = frames(folder)[engine]
    for case in CASES if statistic == "count" else CASES[1:4]:
        unit, rows, by, most = case
        found = release.run(statistic, data(), source=SilentBytesForTests(), **asked(case, statistic))
        truth = expected(statistic, unit, rows, by, most or 1)
        assert {key: value for key, value in found.values.items() if key in truth} == truth
        assert statistic in {"mean", "variance"} or not any(v for key, v in found.values.items() if key not in truth)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_row_may_be_a_unit(engine: str, folder: Path) -> None:
    found = release.count(
        frames(folder)[engine](),
        unit=release.EVERY_ROW,
        by="region",
        keys=[*REGIONS, "nowhere"],
        epsilon=1,
        source=SilentBytesForTests(),
    )
    assert found.values == {**Counter(row["region"] for row in visits()), "nowhere": 0}


@pytest.mark.parametrize("engine", ENGINES)
def test_keys_found_in_the_data_are_those_that_pass_the_threshold(engine: str, folder: Path) -> None:
    options: dict[str, Any] = {"unit": "user", "by": "region", "max_groups": 2, "epsilon": 1, "delta": 0.0005}
    question = release.query("count", **options)
    (noise,) = question.drawn.values()  # type: ignore[attr-defined]
    least = question.threshold(noise).least  # type: ignore[attr-defined]
    found = release.histogram(frames(folder)[engine](), source=SilentBytesForTests(), **options)
    truth = expected("count", "user", 1, "region", 2)
    assert found.values == {key: count for key, count in sorted(truth.items()) if count >= least}
    assert 0 < len(found.values) < len(truth)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("unit", ["user", "name"])
def test_a_quantile_looks_at_the_same_rows_everywhere(engine: str, unit: str, folder: Path) -> None:
    rows = 3
    question = release.query(
        "quantile", value="hours", q=0.5, lower=LEAST, upper=MOST, grid=STEP, unit=unit, max_rows=rows, epsilon=1
    )
    truth = [0] * (int((MOST - LEAST) / STEP) + 1)
    for who, groups in by_unit(unit, None).items():
        values, s = sorted(groups[None]), hashed(who) % len(groups[None])
        n = len(values)
        for place, value in enumerate(values):
            passes = ((place + 1) * rows + s) // n > (place * rows + s) // n
            truth[value] += n <= rows or passes
    assert points(question, frames(folder)[engine](), SilentBytesForTests()).tolist() == truth


def test_csv_duckdb_files_and_sql_are_tables_too(folder: Path) -> None:
    import duckdb

    path = frames(folder)["file"]()
    comma, base = str(folder / "visits.csv"), str(folder / "visits.duckdb")
    with duckdb.connect(base) as connection:
        connection.execute(f"COPY (FROM '{path}') TO '{comma}'")
        connection.execute(f"CREATE TABLE visits AS FROM '{path}'")
        connection.execute("CREATE TABLE other AS SELECT 1 AS nothing")
    options: dict[str, Any] = {"unit": "user", "epsilon": 1, "source": SilentBytesForTests()}
    truth = expected("count", "user", 1)
    assert release.count(comma, **options).values == truth
    assert release.count(base, table="visits", **options).values == truth
    assert release.count(release.Sql("SELECT * FROM visits", base), **options).values == truth
    none = release.Sql(f"SELECT * FROM '{path}' WHERE hours > 1e9", files=[path])
    assert release.count(none, **options).values == {None: 0}
    with pytest.raises(release.InvalidData, match="'other', 'visits'"):
        release.count(base, **options)


@pytest.mark.slow
def test_missing_values_are_left_out() -> None:
    import pandas as pd
    import polars as pl

    rows = [
        {"user": 1, "x": 1.0},
        {"user": 2, "x": float("nan")},
        {"user": None, "x": 3.0},
        {"user": 4, "x": float("inf")},
    ]
    frame = pl.DataFrame(rows)
    options: dict[str, Any] = {"value": "x", "lower": 0, "upper": 10, "grid": 1, "unit": "user", "epsilon": 1}
    for data in (frame, frame.lazy(), pd.DataFrame(rows).astype({"user": "Int64"}), frame.to_arrow()):
        for missing in ({}, {"missing": release.DROP}):
            found = release.run("sum", data, source=SilentBytesForTests(), **missing, **options)
            assert found.value == 11


def test_dates_and_categories_are_keys_too() -> None:
    import pandas as pd
    import polars as pl

    days = [date(2024, 1, 1 + i % 3) for i in range(9)]
    frame = pl.DataFrame({"user": range(9), "day": days, "kind": ["a", "b", "a"] * 3})
    frame = frame.with_columns(pl.col("kind").cast(pl.Categorical))
    options: dict[str, Any] = {"unit": "user", "epsilon": 1, "max_groups": 1, "source": SilentBytesForTests()}
    for data in (frame, frame.lazy(), frame.to_arrow()):
        assert release.count(data, by="day", keys=days[:2], **options).values == {days[0]: 3, days[1]: 3}
        assert release.count(data, by="kind", keys=["a", "b", "c"], **options).values == {"a": 6, "b": 3, "c": 0}
    kinds = pd.DataFrame({"user": range(9), "kind": pd.Categorical(pd.array(["a", "b", "a"] * 3, dtype="string"))})
    assert release.count(kinds, by="kind", keys=["b"], **options).values == {"b": 3}
    with pytest.raises(release.InvalidData, match="not of the type of the column 'day'"):
        release.count(frame, by="day", keys=["2024-01-01"], **options)
