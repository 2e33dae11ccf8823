"""The groups of a unit as bits: on DuckDB the same counts as by sorting, for every kind of key and number of keys."""

from __future__ import annotations

from datetime import date
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from dpcompose import release
from dpcompose.release.engine import masks
from dpcompose.release.sampling.testing import RepeatableBytesForTests, SilentBytesForTests
from release.engines import stored

ODD = ["", "'", "''; DROP TABLE x; --", "ä", "z", "Z", "日本", "a\nb", 'q"', "\\", "😀", "%"]
CODES = [-(2**63), -1, 0, 1, 2**31, 2**62, 2**63 - 1]
DAYS = [date(2026, 1, day) for day in range(1, 9)]


def table(keys: list[Any], dtype: Any, units: int = 60, rows: int = 900) -> pl.DataFrame:
    """Units with few and with many of the keys, in no order."""
    chance = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "unit": [int(i) for i in chance.integers(units, size=rows)],
            "key": pl.Series([keys[i] for i in chance.integers(len(keys), size=rows)], dtype=dtype),
        }
    ).with_columns(name=pl.format("unit {}", pl.col("unit")))


def both(frame: pl.DataFrame, **options: Any) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The same release from DuckDB and from polars, with the same salts and silent noise."""
    asked: dict[str, Any] = {"unit": "unit", "by": "key", "epsilon": 1, **options}
    with duckdb.connect() as connection:
        relation = stored(connection, frame.to_arrow())
        one = release.count(relation, source=SilentBytesForTests(), **asked)
    return one.values, release.count(frame, source=SilentBytesForTests(), **asked).values


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["unit", "name"])
@pytest.mark.parametrize("most", [1, 3, 100])
@pytest.mark.parametrize(
    "keys, dtype",
    [
        (ODD, pl.String),
        (ODD, pl.Categorical),
        (CODES, pl.Int64),
        ([0, 1, 2, 200], pl.UInt8),
        ([0, 1, 2**63 - 1], pl.UInt64),
        (DAYS, pl.Date),
        ([True, False], pl.Boolean),
    ],
)
def test_bits_and_sorting_agree(keys: list[Any], dtype: Any, most: int, unit: str) -> None:
    found, truth = both(table(keys, dtype), keys=keys, max_groups=most, unit=unit)
    assert found == truth
    assert sum(truth.values()) > 0


@pytest.mark.parametrize("many", [masks.MOST, masks.MOST + 1])
def test_as_many_keys_as_there_are_bits_and_one_more(many: int) -> None:
    keys = [f"key {i:03}" for i in range(many)]
    found, truth = both(table(keys, pl.String, rows=6000), keys=keys[::-1], max_groups=5)
    assert found == truth
    assert sum(found.values()) == 60 * 5


@pytest.mark.parametrize("many", [3, masks.MOST, masks.MOST + 1])
def test_keys_found_in_the_data_are_counted_alike(many: int) -> None:
    keys = [f"it's {i:03}" for i in range(many)]
    found, truth = both(table(keys, pl.String, rows=9000), max_groups=8, delta=0.4, epsilon=100)
    assert found == truth
    assert set(found) == set(keys)


def test_an_empty_table_has_no_keys() -> None:
    empty = table(["a"], pl.String).head(0)
    assert both(empty, max_groups=2, delta=0.1) == ({}, {})
    assert both(empty, max_groups=2, keys=["a"]) == ({"a": 0}, {"a": 0})


def test_keys_that_no_row_has_and_rows_whose_key_nobody_asks_for() -> None:
    frame = table(["a", "b", "c", "d"], pl.String)
    found, truth = both(frame, keys=["d", "nobody", "b"], max_groups=1)
    assert found == truth
    assert found["nobody"] == 0


def test_a_column_with_larger_numbers_than_any_key() -> None:
    frame = table([5, 2**64 - 1], pl.UInt64)
    with duckdb.connect() as connection:
        relation = stored(connection, frame.to_arrow())
        found = release.count(
            relation, unit="unit", by="key", keys=[5], max_groups=1, epsilon=1, source=SilentBytesForTests()
        )
    assert found.values == {5: frame.filter(pl.col("key") == 5)["unit"].n_unique()}


def test_rows_without_a_unit_or_a_key_are_left_out() -> None:
    frame = table(["a", "b", "c"], pl.String).with_columns(
        key=pl.when(pl.col("unit") == 3).then(None).otherwise(pl.col("key")),
        unit=pl.when(pl.col("unit") == 5).then(None).otherwise(pl.col("unit")),
    )
    found, truth = both(frame, keys=["a", "b", "c"], max_groups=2, missing=release.DROP)
    assert found == truth


@pytest.mark.slow
def test_no_unit_keeps_more_groups_than_it_may() -> None:
    keys = [f"key {i}" for i in range(20)]
    one_unit = pl.DataFrame({"unit": [7] * 400, "key": keys * 20})
    for seed in range(20):
        with duckdb.connect() as connection:
            found = release.count(
                stored(connection, one_unit.to_arrow()),
                unit="unit",
                by="key",
                keys=keys,
                max_groups=3,
                epsilon=10**6,
                source=RepeatableBytesForTests(seed),
            )
        assert sorted(found.values.values()) == [0] * 17 + [1] * 3
