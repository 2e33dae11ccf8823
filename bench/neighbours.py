"""The law of neighbours, for as long as there is time: nasty tables on every engine, with silent noise.

Tables come in groups: a table with one unit's rows in sixty variants, of which every two are neighbours; two units in
eight variants each; or four units, each of them there or not. So n releases hold many more than n pairs against the
law, and each pair is one of different tables. The law is that of `tests/release/law.py`; the first violation stops
the run.

`python bench/neighbours.py --seconds 800` goes on where the last run stopped: what was done is a line a part in
`out/neighbours.jsonl`. `--spark 20` draws so many groups on Spark. Without time it says what has been reached so far.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count, cycle
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1] / "tests")  # in place of this folder, whose release.py is another

FORMS = ["arrow", "polars", "duckdb", "arrow", "pandas nullable", "csv", "polars lazy", "pandas arrow", "duckdb"]
FORMS += ["pandas numpy", "csv", "arrow", "pandas objects", "parquet"]
FORMS += ["parquet relation", "parquet select", "parquet lazy"]
"""The turns that are taken; engines that read what lies in memory take most of them."""
PART = 10
"""Groups of a turn."""


def main() -> None:
    """Draw, release, compare; then a line for each engine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0, help="where to begin, if not where the last run stopped")
    parser.add_argument("--spark", type=int, default=0, help="so many groups on Spark")
    parser.add_argument("--out", type=Path, default=Path("out/neighbours.jsonl"))
    given = parser.parse_args()
    given.out.parent.mkdir(exist_ok=True)
    ends = time.monotonic() + given.seconds
    for part in drawn(given.seed or next_seed(given.out), ends, given.spark):
        with given.out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(part) + "\n")
    told(given.out)


def drawn(seed: int, ends: float, spark: int) -> Iterator[dict[str, Any]]:
    """The parts, until the time is up."""
    if spark:
        from release import law
        from release.engines import spark as session

        yield summed("spark", seed, law.on_spark(session(), seed, spark))
    for turn, form in zip(count(seed), cycle(FORMS[seed % len(FORMS) :] + FORMS[: seed % len(FORMS)]), strict=False):
        if time.monotonic() >= ends:
            return
        from release import law

        yield summed(form, turn, law.dozens(turn, PART, form))


def summed(form: str, seed: int, found: Any) -> dict[str, Any]:
    """What one part held against the law."""
    began, total = time.process_time(), Counter[str]()
    for one in found:
        total.update({"tables": one.tables, "pairs": one.pairs, one.kind: one.pairs})
    return {"form": form, "seed": seed, **total, "cpu": round(time.process_time() - began, 1)}


def parts(path: Path) -> list[dict[str, Any]]:
    """What was done so far."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def next_seed(path: Path) -> int:
    """One that no part had."""
    return max((part["seed"] for part in parts(path)), default=0) + 1


def told(path: Path) -> None:
    """The table."""
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for part in parts(path):
        for form in (part.pop("form"), "all"):
            rows[form].update(part)
    print(f"{'form':<16} {'tables':>9} {'pairs':>10} {'answered':>10} {'refused':>9} {'cpu s':>8} {'pairs/s':>8}")
    for form, row in sorted(rows.items(), key=lambda item: item[1]["pairs"]):
        seconds = max(float(row["cpu"]), 0.1)
        print(
            f"{form:<16} {row['tables']:>9} {row['pairs']:>10} {row['answer']:>10} {row['InvalidData']:>9} "
            f"{seconds:>8.0f} {row['pairs'] / seconds:>8.0f}"
        )
    print(f"{rows['all']['pairs']} pairs, no violation")


if __name__ == "__main__":
    main()
