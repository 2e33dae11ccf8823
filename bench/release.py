"""A private count by group from 10⁶ to 10⁸ rows on DuckDB, in at most 4 GB: time, processor time, peak memory.

The rows are made inside DuckDB. Every unit is in many more groups than the three it may be in, so that the bound on
groups works on all of them, inside the timing; so do the check for missing values, the price and the noise.
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

SIZES = [(10**6, 10**4), (10**7, 10**5), (10**8, 10**6), (10**8, 10**7)]
GROUPS = 50
MEMORY = "2500MB"  # DuckDB's own; what lies around it stays below 4 GB


def table(rows: int, units: int, folder: str) -> str:
    """A Parquet file with a unit and a group in each row, both scattered by a hash."""
    import duckdb

    path = str(Path(folder) / "visits.parquet")
    made = f"SELECT (hash(i) % {units})::BIGINT AS \"user\", 'region ' || (hash(7 * i + 1) % {GROUPS}) AS region"
    with duckdb.connect(config={"temp_directory": folder, "memory_limit": MEMORY}) as connection:
        connection.execute(f"COPY ({made} FROM range({rows}) AS s(i)) TO '{path}'")
    return path


def one(path: str, folder: str) -> dict[str, float]:
    """One release, measured in this process."""
    import duckdb

    from dpcompose import release

    limits = {"temp_directory": folder, "memory_limit": MEMORY, "preserve_insertion_order": False}
    keys = [f"region {i}" for i in range(GROUPS)]
    with duckdb.connect(config=limits) as connection:
        wall, processor = time.perf_counter(), time.process_time()
        found = release.count(
            connection.read_parquet(path), unit="user", by="region", keys=keys, max_groups=3, epsilon=0.5
        )
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": wall, "processor": processor, "gigabytes": peak, "groups": len(found.values)}


def main() -> None:
    """The table of growth; each size in a fresh interpreter, so that memory is its own."""
    print(f"{'rows':>12} {'units':>11} {'seconds':>8} {'cpu s':>8} {'peak GB':>8} {'rows/s':>10}   load")
    for rows, units in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            path = table(rows, units, folder)
            command = [sys.executable, __file__, path, folder]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(said)
        print(
            f"{rows:>12,} {units:>11,} {found['seconds']:>8.1f} {found['processor']:>8.1f} {found['gigabytes']:>8.2f} "
            f"{rows / found['seconds']:>10,.0f}   {os.getloadavg()[0]:.1f}",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(one(sys.argv[1], sys.argv[2])))
    else:
        main()
