"""A private count by group from 10⁶ to 10⁸ rows on DuckDB, in at most 4 GB: time, processor time, peak memory.

The rows are made inside DuckDB. Every unit is in many more groups than the three it may be in, so that the bound on
groups works on all of them, inside the timing; so do the check for missing values, the price and the noise. Up to 62
groups are the bits of a word; the last lines have more, which are sorted. `--spark` asks Spark instead.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SIZES = [(10**6, 10**4, 50), (10**7, 10**5, 50), (10**8, 10**6, 50), (10**8, 10**7, 50)]
SORTED = [(10**6, 10**4, 100), (10**7, 10**5, 100), (10**8, 10**6, 100)]
MEMORY = "2500MB"  # DuckDB's own; what lies around it stays below 4 GB


def table(rows: int, units: int, groups: int, folder: str) -> str:
    """A Parquet file with a unit and a group in each row, both scattered by a hash."""
    import duckdb

    path = str(Path(folder) / "visits.parquet")
    made = f"SELECT (hash(i) % {units})::BIGINT AS \"user\", 'region ' || (hash(7 * i + 1) % {groups}) AS region"
    with duckdb.connect(config={"temp_directory": folder, "memory_limit": MEMORY}) as connection:
        connection.execute(f"COPY ({made} FROM range({rows}) AS s(i)) TO '{path}'")
    return path


def one(path: str, folder: str, groups: int) -> dict[str, float]:
    """One release, measured in this process."""
    import duckdb

    from dpcompose import release

    limits = {"temp_directory": folder, "memory_limit": MEMORY, "preserve_insertion_order": False}
    keys = [f"region {i}" for i in range(groups)]
    with duckdb.connect(config=limits) as connection:
        wall, processor = time.perf_counter(), time.process_time()
        data, bounds = connection.read_parquet(path), release.Limits(memory=MEMORY)  # of the engine that reads the file
        found = release.count(data, unit="user", by="region", keys=keys, max_groups=3, epsilon=0.5, limits=bounds)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": wall, "processor": processor, "gigabytes": peak, "groups": len(found.values)}


def on_spark(path: str, groups: int) -> dict[str, float]:
    """The same release on Spark, on two cores; the session is warm, as it would be."""
    from pyspark.sql import SparkSession

    from dpcompose import release

    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "4"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    keys = [f"region {i}" for i in range(groups)]
    frame = session.read.parquet(path)
    session.range(10).count()
    wall = time.perf_counter()
    found = release.count(frame, unit="user", by="region", keys=keys, max_groups=3, epsilon=0.5)
    return {"seconds": time.perf_counter() - wall, "groups": len(found.values)}


def main() -> None:
    """The table of growth; each size in a fresh interpreter, so that memory is its own."""
    print(f"{'rows':>12} {'units':>11} {'groups':>7} {'seconds':>8} {'cpu s':>8} {'peak GB':>8} {'rows/s':>10}   load")
    for rows, units, groups in (*SIZES, *SORTED):
        with tempfile.TemporaryDirectory() as folder:
            path = table(rows, units, groups, folder)
            command = [sys.executable, __file__, path, folder, str(groups)]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(said)
        print(
            f"{rows:>12,} {units:>11,} {groups:>7} {found['seconds']:>8.1f} {found['processor']:>8.1f} "
            f"{found['gigabytes']:>8.2f} {rows / found['seconds']:>10,.0f}   {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--spark"]:
        with tempfile.TemporaryDirectory() as place:
            print("Spark, 10⁷ rows, 50 groups:", on_spark(table(10**7, 10**5, 50, place), 50))
    elif len(sys.argv) > 1:
        print(json.dumps(one(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
    else:
        main()
