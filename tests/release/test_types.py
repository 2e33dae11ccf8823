"""Types and names that engines have of their own: what they mean here is known without any row."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcompose import release
from dpcompose.release.engine.answers import survived
from dpcompose.release.engine.frames import plain
from dpcompose.release.sampling.testing import SilentBytesForTests
from release.engines import Book, connection, stored


def counted(data: Any, **options: Any) -> Any:
    found = release.count(data, **{"unit": "unit", **options}, epsilon=1, source=SilentBytesForTests())
    return dict(found.values)


def any_bytes(texts: list[bytes | None]) -> Any:
    return pa.array(texts, pa.binary()).view(pa.string())


@pytest.mark.slow
def test_a_parquet_file_with_a_text_that_is_no_unicode_is_counted_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "v.parquet"
    keys = {"by": "key", "keys": ["a", "b"], "max_groups": 1}
    for mine in (b"b", b"\xff\xfe", b"\xe4", None):
        table = {"unit": any_bytes([b"1", b"2", b"3"]), "key": any_bytes([b"a", b"a", mine]), "a.b": ["x", "y", "z"]}
        pq.write_table(pa.table(table), path)
        assert counted(path) == {None: 3}
        assert counted(path, **keys) == {"a": 2, "b": int(mine == b"b")}
        assert counted(path, **{**keys, "by": "a.b", "keys": ["y"]}) == {"y": 1}
        assert counted(path, unit="key") == {None: 1 + (mine is not None)}


def test_identifiers_beside_texts_of_a_parquet_file_are_what_they_are_alone(tmp_path: Path) -> None:
    path, last = tmp_path / "v.parquet", "00000000-0000-0000-0000-000000000004"
    said = "SELECT ('00000000-0000-0000-0000-00000000000' || i)::UUID AS id, 'x' || i AS t FROM range(5) AS r(i)"
    duckdb.connect().execute(f"COPY ({said}) TO '{path}'")
    assert counted(path, unit="id") == {None: 5}
    assert counted(path, unit="t", by="id", keys=[last], max_groups=1) == {last: 1}
    assert counted(path, unit="id", by="t", keys=["x3", "x9"], max_groups=1) == {"x3": 1, "x9": 0}


@pytest.mark.parametrize("sql_type, one, other", [("JSON", "'1'", "'\"x\"'"), ("ENUM('1', 'x')", "'1'", "'x'")])
def test_a_type_that_is_another_name_for_texts_is_compared_as_texts(sql_type: str, one: str, other: str) -> None:
    duck = duckdb.connect()
    duck.execute(f"CREATE TABLE rows (unit {sql_type})")
    duck.execute(f"INSERT INTO rows VALUES ({one})")
    assert counted(duck.table("rows")) == {None: 1}
    duck.execute(f"INSERT INTO rows VALUES ({other})")
    assert counted(duck.table("rows")) == {None: 2}


def test_a_column_is_its_own_and_not_one_whose_name_differs_in_case() -> None:
    duck = duckdb.connect()
    duck.execute("CREATE TABLE rows AS SELECT 1 AS one, i AS other FROM range(4) AS r(i)")
    both = duck.sql('SELECT one AS "Unit", other AS unit FROM rows')
    for unit, units in (("unit", 4), ("Unit", 1)):
        try:
            assert counted(both, unit=unit) == {None: units}
        except release.InvalidData as refusal:  # the oldest DuckDB finds two of the name
            assert "nothing is charged" in str(refusal)  # noqa: PT017 - an answer is as good


@pytest.mark.parametrize(
    "data",
    [
        stored(connection(), pa.table({"a": [1], "b": [2]}), "twice").project("a AS unit, b AS unit"),
        pa.table([[1], [2]], names=["unit", "unit"]),
        pd.DataFrame([[1, 2]], columns=["unit", "unit"]),
    ],
    ids=["duckdb", "arrow", "pandas"],
)
def test_a_name_that_two_columns_have_is_refused(data: Any) -> None:
    with pytest.raises(release.InvalidData, match="more than once"):
        counted(data)


def test_a_long_category_of_many_rows_stays_in_reach() -> None:
    """A category is repeated for each of its rows; 32 bits do not count what that may take."""
    texts = pa.array(["x" * 1000, "y"]).dictionary_encode()
    assert plain(texts).type == pa.large_binary()


OTHERS = {
    "durations": lambda rows: pa.array([1] * rows, pa.duration("s")),
    "times": lambda rows: pa.array([1] * rows, pa.time64("us")),
    "instants": lambda rows: pa.array([1] * rows, pa.timestamp("us", tz="Europe/Paris")),
    "lists": lambda rows: pa.array([[1]] * rows, pa.list_(pa.int64())),
    "structs": lambda rows: pa.array([{"a": 1}] * rows, pa.struct([("a", pa.int64())])),
    "bytes": lambda rows: pa.array([b"a"] * rows, pa.binary()),
    "nothing": lambda rows: pa.nulls(rows),
    "wide decimals": lambda rows: pa.array([Decimal(1)] * rows, pa.decimal256(50, 2)),
}
FORMS = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "duckdb": lambda table: stored(connection(), table),
}


NONE = {("wide decimals", "polars"), ("wide decimals", "duckdb"), ("nothing", "duckdb")}
"""A form that has no such type, or a version that stores it as another."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, form",
    [(k, f) for k in OTHERS for f in FORMS if (k, f) not in NONE],
)
def test_a_column_of_another_type_is_refused_in_the_same_words_whatever_it_holds(kind: str, form: str) -> None:
    said, book = set(), Book()
    for rows in (0, 1, 3):
        data = FORMS[form](pa.table({"unit": OTHERS[kind](rows), "key": pa.array(range(rows), pa.int64())}))
        with pytest.raises(release.InvalidData) as refusal:
            release.count(data, unit="unit", epsilon=1, budget=book)
        said.add(str(refusal.value))
    assert len(said) == 1
    assert book.charges == []


def test_numbers_in_another_order_of_bytes_are_refused_by_their_type() -> None:
    for rows in ([], [1, 2]):
        with pytest.raises(release.InvalidData, match="cannot be read by its engine; nothing is charged"):
            counted(pd.DataFrame({"unit": np.array(rows, dtype=">i8")}))


def test_a_panic_is_told_in_the_words_of_every_failure() -> None:
    """A panic of polars is no `Exception`, and quotes what it was about."""
    with pytest.raises(release.EngineFailure) as failure:
        survived(lambda: pl.from_arrow(pa.table({"a": pa.array([Decimal(1)], pa.decimal256(50, 2))})))
    assert str(failure.value) == "The engine failed after the charge, which stays; no answer was made."
    assert failure.value.__context__ is None
