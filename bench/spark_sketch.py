"""A cut sketch of a large graph on Spark with a small driver: how long it takes, and what the driver holds."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory


def main() -> None:
    """Make a random graph on the executors, sketch it there, and say what came of it."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--edges", type=int, default=10**7)
    asked.add_argument("--vertices", type=int, default=10**5)
    asked.add_argument("--cores", type=int, default=2)
    options = asked.parse_args()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    from dpcompose import release

    session = (
        SparkSession.builder.master(f"local[{options.cores}]")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "64")
        .getOrCreate()
    )
    n = options.vertices
    made = session.range(options.edges).selectExpr(
        f"CAST(pmod(xxhash64(id, 1), {n}) AS BIGINT) AS source",
        f"CAST(pmod(xxhash64(id, 2), {n}) AS BIGINT) AS target",
        "1.0D AS weight",
    )
    with TemporaryDirectory() as folder:
        made.write.parquet(f"{folder}/edges")
        frame = session.read.parquet(f"{folder}/edges")
        began = time.monotonic()
        sketch = release.cut_sketch(
            frame, vertices=n, eta=0.5, nu=0.1, epsilon=1, delta=1e-6, into=Path(folder) / "rows.npy"
        )
        took = time.monotonic() - began
        half = range(n // 2)
        found = sketch.cut(half)
        truth = frame.where(f"(source < {n // 2}) <> (target < {n // 2})").count()
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{options.edges} edges, {n} vertices, {sketch.price.rows} rows: {took:.0f} s, driver's Python {held:.2f} GB")
    verdict = "inside" if found.lower <= truth <= found.upper else "OUTSIDE"
    print(f"half against half: {found}, in truth {truth}: {verdict}")


if __name__ == "__main__":
    main()
