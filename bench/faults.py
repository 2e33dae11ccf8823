"""The whole campaign, as in the documentation: `python bench/faults.py`. It takes some minutes."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

sys.path.pop(0)  # this folder, which has a `ledger` and a `faults` of its own
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from dpcompose import ledger
from faults import killing, racing
from ledger.explorer import COST, Explorer
from postgres_server import server


def main() -> int:
    """Kill, race and explore; the number of faults is the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000, help="writers to kill, on each store")
    parser.add_argument("--crashes", type=int, default=2, help="crashes on each course of the exploration")
    asked = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder, server() as running:
        state = Path(folder) / "state"
        os.environ["DPCOMPOSE_STATE"] = str(state)
        count = iter(range(10**9))
        kinds = {"SQLite": lambda: f"sqlite:///{folder}/{next(count)}.db", "PostgreSQL": running.database}
        for name, fresh in kinds.items():
            began = time.time()
            tally = killing.campaign(fresh, state, asked.rounds, seed=2)
            faults += tally.faults
            print(f"{name}: {tally} ({time.time() - began:.0f} s)", flush=True)
            url = fresh()
            with ledger.open(url) as book:
                book.create("x", epsilon=Fraction(1), unit="person", filter="basic")
            granted = racing.race(64, racing.on_the_book(url, state, attempts=4))
            faults += granted != 100
            bare = fresh()
            racing.make_naive(bare, cap=100)
            naive = racing.race(64, racing.naive(bare, attempts=4))
            print(f"{name}: 64 writers, cap 100: {granted} granted; by the naive store {naive}", flush=True)
    for cap in (COST, 2 * COST):
        worlds, steps = Explorer(("a", "a", "b"), ("one", "other"), cap, crashes=asked.crashes).explore()
        print(f"explored: 3 clients, {asked.crashes} crashes, cap {cap}: {worlds} states, {steps} steps, none broken")
    return min(faults, 99)


if __name__ == "__main__":
    sys.exit(main())
