"""The same rows in every engine, and noise that is silent: what an engine counts can then be compared exactly."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

from dpcompose.filters.charge import Charge
from dpcompose.release.engine.answers import prepared
from dpcompose.release.engine.points import counted_points
from dpcompose.release.engine.tables import opened
from dpcompose.release.engine.totals import Salt, totals

ROWS = 600
REGIONS = ["east", "north", "south", "west", "ünder"]


def visits() -> list[dict[str, Any]]:
    """Rows with units of every size, from one row to many rows in many groups; plain arithmetic, no randomness."""
    rows = []
    for i in range(ROWS):
        user = (i * i + 7 * i) % 83 - 5
        rows.append(
            {
                "user": user,
                "name": f"u{user}",
                "region": REGIONS[(i * 31 + user * user) % len(REGIONS)],
                "code": (i * 17 + user) % 4 - 1,
                "open": i % 3 == 0,
                "hours": ((i * 37) % 211) / 8 - 3.0,
                "visits": (i * 13) % 29,
            }
        )
    return rows


@cache
def parquet(folder: Path) -> Path:
    """The rows as a Parquet file."""
    path = folder / "visits.parquet"
    pd.DataFrame(visits()).to_parquet(path)
    return path


@cache
def spark() -> Any:
    """One small Spark session for the whole run."""
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # sketches are made on the executors
    from pyspark.sql import SparkSession

    return (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # it does not live long
        .getOrCreate()
    )


@cache
def connection() -> Any:
    """One that stays open: the oldest relations do not keep their own."""
    return duckdb.connect()


def stored(connection: Any, table: Any, name: str = "stored") -> Any:
    """The rows of an Arrow table as a table of DuckDB's own, which a relation may be of."""
    connection.register("arrow_rows", table)
    connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM arrow_rows")
    connection.unregister("arrow_rows")
    return connection.table(name)


def frames(folder: Path) -> dict[str, Callable[[], Any]]:
    """A frame of each engine, made when asked for."""
    path = str(parquet(folder))
    return {
        "file": lambda: path,
        "duckdb": lambda: connection().read_parquet(path),
        "pandas": lambda: pd.read_parquet(path).astype({"name": "string", "region": "string"}),  # objects before 3
        "polars": lambda: pl.read_parquet(path),
        "polars lazy": lambda: pl.scan_parquet(path),
        "pyarrow": lambda: pl.read_parquet(path).to_arrow(),
        "spark": lambda: spark().read.parquet(path),
    }


HAS_SPARK = shutil.which("java") is not None and importlib.util.find_spec("pyspark") is not None
NEEDS_SPARK = pytest.mark.skipif(not HAS_SPARK, reason="needs pyspark and Java")
ENGINES = [
    *("file", "duckdb", "pandas", "polars", "polars lazy", "pyarrow"),
    pytest.param("spark", marks=[pytest.mark.slow, NEEDS_SPARK]),
]


@lru_cache(maxsize=256)
def _price(question: Any) -> Any:
    """A price takes longer than a small table."""
    return question.quote()


def exact(question: Any, data: Any, source: Any, **door: Any) -> dict[Any, tuple[int, ...]]:
    """The sums of a question that its noise is added to, by the labels of their keys."""
    with opened(data, **door) as table:
        ready = prepared(_price(question), table)
        return totals(question, ready._rows(), ready.keys, Salt.drawn(source)).spent_in(dict)


def points(question: Any, data: Any, source: Any, **door: Any) -> Any:
    """How many rows of bounded units lie at each point of the grid of a quantile."""
    with opened(data, **door) as table:
        ready = prepared(_price(question), table)
        return counted_points(question, ready._rows(), Salt.drawn(source)).spent_in(lambda held: held)


class Book:
    """A budget that remembers what it was charged, and what had been read by then."""

    def __init__(self) -> None:
        self.charges: list[Charge] = []

    def check(self, charge: Charge, /) -> None:
        assert charge.purpose
        assert charge.unit

    def spend(self, charge: Charge, /) -> None:
        self.charges.append(charge)
