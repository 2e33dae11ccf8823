"""Lazy frames, and frames of Spark: what is more than columns of a table is refused by its plan, whatever it holds."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcompose import release
from dpcompose.release.engine import tables
from dpcompose.release.engine.duck import DuckRows, Given
from dpcompose.release.engine.files import related
from release.engines import NEEDS_SPARK, spark, stored
from release.programs import NEIGHBOUR, ROWS, asked, judged

RUNS = mock.patch.object(tables, "relation", lambda _, name, data, __: related(name, DuckRows(Given(data))))
"""A relation that is run, whatever its plan is."""
LAZY: dict[str, Callable[[pl.LazyFrame], pl.LazyFrame]] = {
    "Cast": lambda f: f.with_columns(pl.col("name").cast(pl.Int64)),
    "Function": lambda f: f.select(pl.col("name").str.to_integer().alias("user")),
    "Cast ": lambda f: f.filter(pl.col("name").cast(pl.Int64) > 0),
    "Agg": lambda f: f.select(pl.col("user").sum()),
    "Window": lambda f: f.with_columns(pl.col("user").sum().over("name")),
    "neither numbers": lambda f: f.with_columns(a=pl.concat_list("user") + pl.concat_list("user", "user")),
    "neither": lambda f: f.with_columns(pl.lit(Decimal(10) ** 20) * pl.lit(Decimal(10) ** 18) * pl.col("user")),
    "Sort": lambda f: f.sort("user"),
    "Distinct": lambda f: f.unique(),
    "Join": lambda f: f.join(f, on="user"),
    "GroupBy": lambda f: f.group_by("user").len(),
    "Union": lambda f: pl.concat([f, f]),
    "cannot be seen": lambda f: f.map_batches(lambda frame: frame, schema={"user": pl.Int64}),
}


@pytest.mark.parametrize("word", LAZY)
def test_a_lazy_frame_that_computes_is_refused_by_its_plan(word: str) -> None:
    kind, said = judged(lambda rows: LAZY[word](pl.LazyFrame(rows)))
    assert kind == "refused"
    assert word.strip() in said


@pytest.mark.slow
def test_a_lazy_frame_may_compare_and_calculate_row_by_row() -> None:
    made: list[Callable[[pl.LazyFrame], pl.LazyFrame]] = [
        lambda f: f.filter((pl.col("hours") > 1) & (pl.col("name") != "2")),
        lambda f: f.filter(pl.col("user") > 1.5),
        lambda f: f.with_columns(user=(pl.col("user") * 2**62 + 1) % 7),
        lambda f: f.select(user=pl.when(pl.col("hours") > 1).then(pl.col("user")).otherwise(0)),
        lambda f: f.with_columns(user=pl.col("user") // (pl.col("user") - 2)),
    ]
    for make in made:
        units = make(pl.LazyFrame(ROWS)).collect()["user"].drop_nulls().n_unique()
        assert asked(make(pl.LazyFrame(ROWS))) == ("answer", f"{{None: {units}}}", 1)
        assert judged(lambda rows: make(pl.LazyFrame(rows)))[0] == "answer"  # noqa: B023 - called at once


def test_a_lazy_frame_of_columns_or_files_is_as_good_as_these(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame(ROWS).with_columns(user=pl.col("user") + 7).write_parquet(tmp_path / "b.parquet")
    pl.DataFrame(ROWS).write_csv(tmp_path / "a.csv")
    one, both = pl.scan_parquet(tmp_path / "a.parquet"), pl.scan_parquet(tmp_path / "*.parquet")
    for data, units in ((pl.LazyFrame(ROWS).select("user"), 3), (one.drop("name"), 3), (both, 6)):
        assert asked(data) == ("answer", f"{{None: {units}}}", 1)
    found = release.count(both, unit="user", epsilon=1)
    assert found.files == ("a.parquet", "b.parquet")
    rows = {"row_index_name": "i"}
    for wrong, word in (
        (one.head(2), "some rows"),
        (one.filter(pl.col("user") > 1), "some rows"),
        (pl.scan_parquet(tmp_path / "a.parquet", **rows), "some rows"),  # type: ignore[arg-type] # a name
        (pl.scan_parquet(tmp_path / "a.parquet", include_file_paths="p"), "do not have"),
        (pl.scan_csv(tmp_path / "a.csv"), "Scan"),
    ):
        assert asked(wrong)[0::2] == ("refused", 0)
        assert word in asked(wrong)[1]


@pytest.mark.parametrize(
    "planted", [mock.patch.object(tables, "scanned", return_value=None), RUNS], ids=["lazy", "relation"]
)
def test_a_plan_that_is_not_looked_at_lets_one_row_decide(planted: Any) -> None:
    connection = duckdb.connect()

    def lazy(rows: dict[str, Any]) -> Any:
        return pl.LazyFrame(rows).select(pl.col("name").cast(pl.Int64).alias("user"))

    def relation(rows: dict[str, Any]) -> Any:
        return stored(connection, pa.table(rows)).project("CAST(name AS INT) AS user")

    make = relation if planted is RUNS else lazy
    with planted:
        assert asked(make(ROWS))[0] == "answer"
        with pytest.raises(release.EngineFailure):
            asked(make(NEIGHBOUR))


@pytest.mark.slow
@NEEDS_SPARK
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_frame_of_spark_that_computes_is_refused_by_its_plan(tmp_path: Path) -> None:
    from pyspark.sql import functions
    from pyspark.sql.types import IntegerType

    session = spark()
    program = functions.udf(lambda text: int(text), IntegerType())
    spoken = {
        "Cast": lambda f: f.selectExpr("CAST(name AS INT) AS user"),
        "Cast ": lambda f: f.where("name > 1"),
        "Remainder": lambda f: f.selectExpr("user % (user - 2) AS user"),
        "Divide": lambda f: f.selectExpr("1 / user AS user"),
        "Add": lambda f: f.selectExpr("user + 1 AS user"),
        "PythonUDF": lambda f: f.select(program("name").alias("user")),
        "Aggregate": lambda f: f.groupBy("user").count(),
        "Join": lambda f: f.join(f.withColumnRenamed("name", "n"), "user"),
        "GlobalLimit": lambda f: f.limit(1),
        "MapInArrow": lambda f: f.mapInArrow(lambda batches: batches, f.schema),
        "RaiseError": lambda f: f.selectExpr("raise_error(name) AS user"),
    }
    for word, make in spoken.items():
        kind, said = judged(lambda rows: make(session.createDataFrame(pa.table(rows))))  # noqa: B023 - called at once
        assert kind == "refused", word
        assert word.strip() in said
    choices: list[Callable[[Any], Any]] = [
        lambda f: f.where("hours > 1 AND name <> '2'"),
        lambda f: f.selectExpr("user % 2 AS user"),
        lambda f: f.withColumn("user", functions.when(functions.col("hours") > 1, functions.col("user")).otherwise(0)),
    ]
    for choose in choices:
        assert judged(lambda rows: choose(session.createDataFrame(pa.table(rows))))[0] == "answer"  # noqa: B023
    assert asked(session.range(9).selectExpr("CAST(id AS STRING) AS a", "id * 2 % 4 AS user")) == (
        "answer",
        "{None: 2}",
        1,
    )
    frame = session.createDataFrame(pa.table(ROWS))
    raw = pa.array([b"a", b"\xff", b"\xe4"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"user": raw}), tmp_path / "raw.parquet")
    frame.write.csv(str(tmp_path / "texts"))
    for data in (
        frame,
        frame.selectExpr("user", "name AS n").alias("q").repartition(2),
        frame.selectExpr("CAST(hours AS STRING) AS user"),
        frame.selectExpr("user + 1 AS user").localCheckpoint(),
        session.read.parquet(str(tmp_path / "raw.parquet")),
    ):
        assert asked(data) == ("answer", "{None: 3}", 1)
    texts = session.read.schema("name INT, user INT, hours DOUBLE").csv(str(tmp_path / "texts"))
    assert "CSVFileFormat" in asked(texts)[1]
