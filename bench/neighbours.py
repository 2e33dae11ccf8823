"""The law of neighbours, for as long as there is time: pairs of nasty tables on every engine, with silent noise.

`python bench/neighbours.py --pairs 1000000 --seed 1` says how many pairs were drawn on each engine, how many were
answered and how many refused (by names and types alone), and stops at the first violation.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from release import forms, law

WEIGHTS = {**dict.fromkeys(forms.FORMS, 1.0), "parquet": 0.25, "duckdb": 0.5, "csv": 2.0, "pandas objects": 1.0}
PART = 1000


def main() -> None:
    """Draw, release, compare; a line for each engine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spark", type=int, default=0, help="so many pairs on Spark, too")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    whole = sum(WEIGHTS.values())
    print(f"{'form':<16} {'pairs':>8} {'answered':>9} {'refused':>8} {'cpu s':>8}")
    total = 0
    for form, weight in WEIGHTS.items():
        pairs, began, kinds = round(given.pairs * weight / whole), time.process_time(), Counter[str]()
        for start in range(0, pairs, PART):
            kinds.update(law.each(given.seed * 10**6 + start, min(PART, pairs - start), form))
        total += kinds.total()
        said(form, kinds, began)
    if given.spark:
        from release.engines import spark

        began = time.process_time()
        kinds = Counter(law.on_spark(spark(), given.seed, given.spark))
        total += kinds.total()
        said("spark", kinds, began)
    print(f"{total} pairs, no violation")


def said(form: str, kinds: Counter[str], began: float) -> None:
    """One line."""
    spent = time.process_time() - began
    print(f"{form:<16} {kinds.total():>8} {kinds['answer']:>9} {kinds['InvalidData']:>8} {spent:>8.0f}", flush=True)


if __name__ == "__main__":
    main()
